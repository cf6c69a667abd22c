//! pml_ob1 reads the messages of a peer: headers, and what follows from them.

#[path = "../../../components/pml_ob1/tests/pair/mod.rs"]
#[allow(missing_docs, unreachable_pub, clippy::undocumented_unsafe_blocks)]
pub mod pair;

use cairn_framework::frameworks::btl::{BTL_GET, BTL_PUT, BTL_SEND_IMMEDIATE, BTL_SEND_PACKED};
use cairn_framework::frameworks::pml::PML_STANDARD;
use pair::btl::Behaviour;
use pair::{Buffer, Job, bytes};

use crate::bytes::Bytes;

/// The entry of the receive table that ob1 has.
const TAG: u8 = 64;
/// Bytes of the messages that are under way.
const LONG: u64 = 20_000;

/// One byte: what the transport can do and what is under way. Then messages, each behind its length, from
/// rank 0 to rank 1 or back.
pub fn run(data: &[u8]) {
    let mut input = Bytes(data);
    let kind = input.byte();
    let can = [0, BTL_GET, BTL_PUT][usize::from(kind % 3)] | BTL_SEND_IMMEDIATE | BTL_SEND_PACKED;
    let behaviour = Behaviour { capabilities: can, ..Behaviour::default() };
    let job = Job::new(2, kind & 64 != 0, &[("btl", "pair")], behaviour);
    let comm = job.comm(1, true);
    let out = Buffer::filled(bytes(), LONG, 5);
    let into = Buffer::new(bytes(), LONG);
    let send = (kind & 8 != 0).then(|| job.ranks[0].isend(&out.send(comm[0], 1, 0, PML_STANDARD)));
    let receive = (kind & 16 != 0).then(|| job.ranks[1].irecv(&into.receive(comm[1], 0, 0)));
    while !input.is_over() {
        let control = input.byte();
        let to = u32::from(control & 1);
        if control & 2 == 0 {
            job.fabric.forge(1 - to, to, TAG, input.part());
        }
        if control & 4 == 0 {
            job.ranks[to as usize].system.progress();
        }
    }
    for _ in 0..20 {
        job.ranks.iter().for_each(|rank| _ = rank.system.progress());
    }
    for request in [send, receive].into_iter().flatten().filter(|request| request.is_complete()) {
        request.end();
    }
    // Requests that a forged message has brought to a standstill stay, with their buffers.
    std::mem::forget((out, into));
    job.ranks.iter().for_each(|rank| rank.system.close());
}

pub fn seeds() -> Vec<Vec<u8>> {
    let words =
        |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let message = |control: u8, bytes: &[u8]| [&[control, bytes.len() as u8], bytes].concat();
    let eager = message(1, &words(&[1 | 1 << 8, 0, 0, 0, 1, 0, 7]));
    let first = message(1, &words(&[1, 0, 0, 0, 1, 0, 7]));
    let sync = message(1, &words(&[2, 0, 0, 0, 1, 0, 9, 0, 7]));
    let announced = |offers: u32| {
        message(1, &words(&[3 | offers << 6, 0, 0, 0, 1, 0, 20_000, 0, 5, 1, 4096, 0, 7, 7]))
    };
    let answer = message(0, &words(&[4, 1, 0, 1, 0, 1, 20_000, 0, 0, 0]));
    let fragment = message(1, &words(&[5, 0, 0, 1, 0, 0, 1, 2, 3]));
    let finish = message(1, &words(&[6, 0, 0, 1, 0, 0]));
    let skip = message(1, &words(&[7, 0, 0, 0, 1, 0]));
    let unordered = message(1, &words(&[1 | 1 << 31, 0, 0, 0, 1, 0, 7]));
    vec![
        [vec![16], eager.clone(), first].concat(),
        [vec![16], sync, unordered].concat(),
        [vec![16], announced(0), fragment.clone()].concat(),
        [vec![17], announced(1), finish.clone()].concat(),
        [vec![18], announced(2), fragment, finish].concat(),
        [vec![8], answer].concat(),
        [vec![24, 6, 7, 6, 7, 6, 7], skip, eager].concat(),
    ]
}
