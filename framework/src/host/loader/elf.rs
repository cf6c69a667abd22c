//! A look at a library's headers before the dynamic linker sees the file.
//!
//! The linker maps segments without comparing them with the length of the file: reading the missing
//! end of a truncated library raises SIGBUS and ends the process. So what the headers announce is
//! checked here first.

#![forbid(unsafe_code)]

use std::path::Path;

use object::elf::{
    EM_386, EM_AARCH64, EM_ARM, EM_LOONGARCH, EM_PPC64, EM_RISCV, EM_S390, EM_X86_64, ET_DYN,
    FileHeader64, Machine, PN_XNUM,
};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, ReadCache, ReadRef};

use super::refusal::Refusal;
use crate::host::files;

/// Whether the file at `path` is a whole shared library for this processor.
pub fn check(path: &Path) -> Result<(), Refusal> {
    let (file, metadata) = files::open(path).map_err(Refusal::Unreadable)?;
    check_data(&ReadCache::new(file), metadata.len())
}

/// The same for what is at hand, of `has` bytes.
pub fn check_data<'a>(data: impl ReadRef<'a>, has: u64) -> Result<(), Refusal> {
    if has == 0 {
        return Err(Refusal::NoBytes);
    }
    let ident = data.read_bytes_at(0, has.min(20)).map_err(|()| Refusal::NotElf)?;
    if !ident.starts_with(b"\x7fELF") {
        return Err(Refusal::NotElf);
    }
    let header_size = size_of::<FileHeader64<Endianness>>() as u64;
    if has < header_size {
        return Err(Refusal::Truncated { needs: header_size, has });
    }
    // Class, byte order and machine come before the parser, which takes only 64-bit files.
    let (class, order) = (ident[4], ident[5]);
    let machine = match order {
        2 => u16::from_be_bytes([ident[18], ident[19]]),
        _ => u16::from_le_bytes([ident[18], ident[19]]),
    };
    let found = architecture(machine, class, order);
    let wanted = OWN;
    if found != wanted {
        return Err(Refusal::Architecture { found, wanted: wanted.into() });
    }
    let header = FileHeader64::<Endianness>::parse(data).map_err(|_| Refusal::NotALibrary)?;
    let endian = header.endian().map_err(|_| Refusal::NotALibrary)?;
    // More segments than the header can count: no library has them, and the parser would read as
    // many as it is told to.
    if header.e_type(endian) != ET_DYN || header.e_phnum(endian) == PN_XNUM {
        return Err(Refusal::NotALibrary);
    }
    let table_end = u64::from(header.e_phnum(endian))
        .saturating_mul(u64::from(header.e_phentsize(endian)))
        .saturating_add(header.e_phoff(endian));
    if table_end > has {
        return Err(Refusal::Truncated { needs: table_end, has });
    }
    let segments = header.program_headers(endian, data).map_err(|_| Refusal::NotALibrary)?;
    let end = |segment: &object::elf::ProgramHeader64<Endianness>| {
        segment.p_offset(endian).saturating_add(segment.p_filesz(endian))
    };
    match segments.iter().map(end).max() {
        None => Err(Refusal::NotALibrary),
        Some(needs) if needs > has => Err(Refusal::Truncated { needs, has }),
        Some(_) => Ok(()),
    }
}

#[cfg(target_arch = "x86_64")]
const OWN: &str = "x86-64";
#[cfg(target_arch = "aarch64")]
const OWN: &str = "AArch64";
#[cfg(target_arch = "riscv64")]
const OWN: &str = "RISC-V 64";
#[cfg(all(target_arch = "powerpc64", target_endian = "little"))]
const OWN: &str = "POWER little-endian";

fn architecture(machine: u16, class: u8, order: u8) -> String {
    let name = match (Machine(machine), class, order) {
        (EM_X86_64, 2, 1) => "x86-64",
        (EM_X86_64, 1, 1) => "x32",
        (EM_386, ..) => "32-bit x86",
        (EM_AARCH64, 2, 1) => "AArch64",
        (EM_ARM, ..) => "32-bit ARM",
        (EM_RISCV, 2, 1) => "RISC-V 64",
        (EM_RISCV, ..) => "RISC-V 32",
        (EM_PPC64, 2, 1) => "POWER little-endian",
        (EM_PPC64, ..) => "POWER big-endian",
        (EM_S390, ..) => "S/390",
        (EM_LOONGARCH, ..) => "LoongArch",
        _ => return format!("a processor with the ELF number {machine}"),
    };
    name.into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A library that is surely there: the C library this test runs with.
    fn library() -> Vec<u8> {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let path = maps
            .lines()
            .filter_map(|line| line.split_whitespace().nth(5))
            .find(|path| path.contains("libc.so") || path.contains("libc-"))
            .unwrap();
        std::fs::read(path).unwrap()
    }

    fn verdict(bytes: &[u8]) -> Result<(), Refusal> {
        check_data(bytes, bytes.len() as u64)
    }

    #[test]
    fn a_whole_library_passes_and_each_cut_of_it_is_refused() {
        let whole = library();
        assert_eq!(verdict(&whole), Ok(()));
        let Err(Refusal::Truncated { needs, .. }) = verdict(&whole[..whole.len() / 2]) else {
            panic!("half a library passed");
        };
        assert_eq!(verdict(&whole[..needs as usize]), Ok(()));
        for len in [0, 1, 3, 4, 5, 18, 19, 63, 64, 65, 200, 4096, needs as usize - 1] {
            assert!(verdict(&whole[..len]).is_err(), "{len} bytes passed");
        }
    }

    #[test]
    fn other_processors_and_other_files_are_named() {
        let mut foreign = library();
        foreign[18] = 0xb7;
        foreign[19] = 0;
        let text = verdict(&foreign).unwrap_err().to_string();
        assert_eq!(text, "built for AArch64, and this program is x86-64");
        let mut executable = library();
        executable[16] = 2;
        assert_eq!(verdict(&executable), Err(Refusal::NotALibrary));
        assert_eq!(verdict(b"INPUT(libmpi_abi.so.1)\n"), Err(Refusal::NotElf));
        assert_eq!(verdict(b"\x7fEL"), Err(Refusal::NotElf));
        assert_eq!(verdict(b""), Err(Refusal::NoBytes));
    }

    proptest! {
        #[test]
        fn any_bytes_are_judged_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = verdict(&bytes);
        }

        #[test]
        fn any_header_is_judged_without_panic(
            mut bytes in prop::collection::vec(any::<u8>(), 0..300),
        ) {
            let head = [0x7f, b'E', b'L', b'F', 2, 1, 1, 0];
            let len = bytes.len().min(head.len());
            bytes[..len].copy_from_slice(&head[..len]);
            if bytes.len() > 20 {
                bytes[16..20].copy_from_slice(&[3, 0, 0x3e, 0]);
            }
            let _ = verdict(&bytes);
        }

        /// A real library in which a few bytes of the headers are something else.
        #[test]
        fn any_damage_to_headers_is_judged_without_panic(
            damage in prop::collection::vec((0usize..1024, any::<u8>()), 1..12),
        ) {
            static WHOLE: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(library);
            let mut bytes = WHOLE.clone();
            for (place, byte) in damage {
                bytes[place] = byte;
            }
            let _ = verdict(&bytes);
        }
    }
}
