//! What `mpirun` tells the processes it starts, by environment variables, besides the protocol that
//! the framework `pmi` speaks.
//!
//! The launcher sets them, the library reads them; no other program needs to know their names. A process
//! that another launcher started has none of them.

#![forbid(unsafe_code)]

/// Name of the job: unique on the machine while it runs, fit for file names. Every process of the
/// job has it, also one that a rank started, unless it was taken out of the environment.
pub const JOB_ID: &str = "CAIRN_JOB_ID";

/// What only the processes of the job know: 128 random bits as 32 hexadecimal digits
/// (see [`crate::abi::job::Job::secret`]).
pub const JOB_SECRET: &str = "CAIRN_JOB_SECRET";

/// The most descriptors for which a process's limit is raised. A process has a few for each peer that it
/// talks to; limits of millions, which some systems allow, slow down programs that close every
/// descriptor before they start another one.
pub const RANK_DESCRIPTORS: u64 = 65_536;

/// The soft limit on descriptors that a process of a job begins with, out of the soft and the hard one
/// that it would have otherwise; `None` is no limit.
pub fn descriptors(soft: Option<u64>, hard: Option<u64>) -> Option<u64> {
    let most = hard.map_or(RANK_DESCRIPTORS, |hard| hard.min(RANK_DESCRIPTORS));
    soft.map(|soft| soft.max(most))
}

/// How many processors the processes of the job on this node may use together.
pub const NODE_CORES: &str = "CAIRN_NODE_CORES";

/// The secret out of the text of [`JOB_SECRET`]; `None` if it is none.
pub fn secret(text: &str) -> Option<[u8; 16]> {
    if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u128::from_str_radix(text, 16).ok().map(u128::to_be_bytes)
}

/// The text of a secret, for [`JOB_SECRET`].
pub fn secret_text(secret: [u8; 16]) -> String {
    format!("{:032x}", u128::from_be_bytes(secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_raised_as_far_as_they_may_and_never_lowered() {
        for (soft, hard, raised) in [
            (Some(1024), Some(4096), Some(4096)),
            (Some(1024), Some(1 << 20), Some(RANK_DESCRIPTORS)),
            (Some(1024), None, Some(RANK_DESCRIPTORS)),
            (Some(1 << 19), Some(1 << 20), Some(1 << 19)),
            (Some(300), Some(300), Some(300)),
            (None, None, None),
        ] {
            assert_eq!(descriptors(soft, hard), raised, "{soft:?} {hard:?}");
        }
    }

    #[test]
    fn secrets_pass_as_text() {
        let secret_bytes = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0xfe, 0xff];
        let text = secret_text(secret_bytes);
        assert_eq!(text, "000102030405060708090a0b0c0dfeff");
        assert_eq!(secret(&text), Some(secret_bytes));
        for wrong in ["", "00", &text[1..], "+00102030405060708090a0b0c0dfeff", "ä"] {
            assert_eq!(secret(wrong), None, "{wrong}");
        }
    }
}
