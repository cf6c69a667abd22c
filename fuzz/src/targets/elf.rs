//! The headers of a library that may be a plugin.

use cairn_framework::host::loader::check_data;

pub fn run(data: &[u8]) {
    if check_data(data, data.len() as u64).is_ok() {
        assert!(data.starts_with(b"\x7fELF"));
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    // A library with one segment: the header, and the only row of the table of segments.
    let mut whole = vec![0u8; 64 + 56];
    whole[..8].copy_from_slice(b"\x7fELF\x02\x01\x01\0");
    let machine: u16 = if cfg!(target_arch = "aarch64") { 183 } else { 62 };
    for (at, value) in [(16, 3), (18, machine), (20, 1), (32, 64), (52, 64), (54, 56), (56, 1)] {
        whole[at..at + 2].copy_from_slice(&u16::to_le_bytes(value));
    }
    whole[64] = 1;
    whole[64 + 32] = 120;
    assert_eq!(check_data(&whole[..], whole.len() as u64), Ok(()));
    vec![whole]
}
