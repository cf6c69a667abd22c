//! What Cairn MPI reads from outside, each with a function that reads any bytes so.
//!
//! A target takes bytes and must neither panic, nor hang, nor allocate without limit, nor touch memory
//! that is not its own; some say what must hold besides. Its seeds are valid inputs that the code itself
//! has made. `cargo test` reads the seeds and a fixed number of changed ones, always the same;
//! `cargo xtask fuzz` looks for others with libFuzzer, which sees what code an input reaches, and
//! AddressSanitizer:
//!
//! ```text
//!   cargo xtask fuzz                          every target, ten seconds each
//!   cargo xtask fuzz pmi_client --seconds 60  one
//!   cargo xtask fuzz pmi_client FILE          an input once more
//! ```
//!
//! Adding one: a file in `targets` with `run` and `seeds`, and its line in [`TARGETS`].

mod bytes;
mod targets;

/// Something that is read from outside.
pub struct Target {
    /// For command lines and directories.
    pub name: &'static str,
    /// Reads bytes.
    pub run: fn(&[u8]),
    /// Valid ones.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// How many changed ones `cargo test` reads.
    pub tries: u32,
}

macro_rules! targets {
    ($($name:ident: $tries:literal,)*) => {
        /// All of them.
        pub const TARGETS: &[Target] = &[$(Target {
            name: stringify!($name),
            run: targets::$name::run,
            seeds: targets::$name::seeds,
            tries: $tries,
        }),*];
    };
}

targets! {
    collective_tables: 500,
    command_lines: 100,
    descriptions: 2000,
    elf: 500,
    experiments: 200,
    ob1: 20,
    ofi: 500,
    osc_rdma: 500,
    parameters: 200,
    plugins: 500,
    pmi_client: 200,
    pmi_server: 500,
    segments: 500,
    shared_memory: 10,
    sm_ring: 500,
    smsc_ring: 500,
    tcp_connection: 10,
    tcp_wire: 500,
    uct: 500,
    ugni: 500,
}

/// The target of this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// A seed with a few bytes changed, put in or taken out: the same for the same number.
pub fn changed(seed: &[u8], number: u64) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    let mut state = number;
    // splitmix64
    let mut below = |limit: usize| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    };
    for _ in 0..=below(4) {
        let place = below(bytes.len() + 1);
        let odd = [0, 1, 0x7f, 0x80, 0xff, b'=', b'"', b'9', below(256) as u8][below(9)];
        match below(4) {
            0 => bytes.insert(place, odd),
            1 => bytes.truncate(place),
            _ if place == bytes.len() => bytes.push(odd),
            2 => bytes[place] = odd,
            _ => _ = bytes.remove(place),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target_holds(name: &str) {
        let target = target(name).unwrap();
        let seeds = (target.seeds)();
        assert!(!seeds.is_empty());
        (target.run)(&[]);
        seeds.iter().for_each(|seed| (target.run)(seed));
        for number in 0..target.tries {
            let seed = &seeds[number as usize % seeds.len()];
            (target.run)(&changed(seed, number.into()));
        }
    }

    macro_rules! tests {
        ($($name:ident)*) => { $(
            #[test]
            fn $name() {
                target_holds(stringify!($name));
            }
        )*

        #[test]
        fn every_target_has_a_test() {
            assert_eq!(TARGETS.iter().map(|one| one.name).collect::<Vec<_>>(), [$(stringify!($name)),*]);
        } };
    }

    tests! {
        collective_tables command_lines descriptions elf experiments ob1 ofi osc_rdma parameters plugins pmi_client
        pmi_server segments shared_memory sm_ring smsc_ring tcp_connection tcp_wire uct ugni
    }
}
