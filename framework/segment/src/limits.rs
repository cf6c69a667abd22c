//! How much memory there is: of the machine, and of the control groups that the process is in.
//!
//! Shared memory has no limit of its own: a process that takes more than there is gets no error, but the
//! kernel ends a process. So it is asked before. A group's limit holds for all groups below it, and a batch
//! system gives each job a group somewhere in the tree; both versions of the kernel's interface may
//! be mounted, with paths that depend on the namespace (cgroups(7)):
//!
//! ```text
//!   /proc/self/cgroup      0::/jobs/7/step        the process's group in the tree
//!   /proc/self/mountinfo   /jobs  /sys/fs/cgroup  which part of the tree is mounted where
//!   ─► /sys/fs/cgroup/7/step, /sys/fs/cgroup/7, /sys/fs/cgroup
//! ```
//!
//! What a container does not mount of the tree above it can't be seen.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

/// Where the numbers are found.
pub(crate) struct Limits {
    /// Where `/proc` and `/sys` lie.
    root: PathBuf,
    mounts: Vec<Mount>,
}

/// A version's way of saying the same.
struct Names {
    limit: &'static str,
    used: &'static str,
    /// Lines of `memory.stat`: pages of files, which the kernel drops before it ends a process.
    files: [&'static str; 2],
}

const FIRST: Names = Names {
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    files: ["total_inactive_file", "total_active_file"],
};

const SECOND: Names =
    Names { limit: "memory.max", used: "memory.current", files: ["inactive_file", "active_file"] };

impl Limits {
    /// Those of the process, with `/proc` and `/sys` in `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        let mounts = fs::read_to_string(root.join("proc/self/mountinfo")).unwrap_or_default();
        Self { mounts: mounts.lines().filter_map(Mount::parse).collect(), root }
    }

    /// Bytes that can be taken before something is ended, or any number that is more than enough. `None`
    /// when that is not known.
    pub fn available(&self, enough: u64) -> Option<u64> {
        let machine = read(&self.root.join("proc/meminfo")).as_deref().and_then(machine);
        // A process may be moved to another group at any time.
        let own = read(&self.root.join("proc/self/cgroup")).unwrap_or_default();
        let groups = self.mounts.iter().flat_map(|mount| self.groups(mount, &own, enough));
        groups.chain(machine).min()
    }

    /// What each group of a hierarchy has left that the process is in.
    fn groups(&self, mount: &Mount, own: &str, enough: u64) -> Vec<u64> {
        let Some(group) = own.lines().find_map(|line| mount.group(line)) else { return Vec::new() };
        // Outside of what is mounted the limit of the mounted part may still hold.
        let below = Path::new(group).strip_prefix(&mount.root).ok();
        let below =
            below.filter(|below| !below.components().any(|part| part == Component::ParentDir));
        let place = mount.place.strip_prefix("/").unwrap_or(&mount.place);
        let leaf = below.map_or(place.to_owned(), |below| place.join(below));
        let groups = leaf.ancestors().take_while(|group| group.starts_with(place));
        groups.filter_map(|group| mount.names.left(&self.root.join(group), enough)).collect()
    }
}

/// A short file of the kernel's. Each call of the system makes it anew, so as few as possible.
fn read(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let (mut bytes, mut len) = (vec![0; 8192], 0);
    loop {
        match file.read(&mut bytes[len..]) {
            Ok(0) => break,
            Ok(more) => len += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
        if len == bytes.len() {
            bytes.resize(2 * len, 0);
        }
    }
    bytes.truncate(len);
    String::from_utf8(bytes).ok()
}

/// Bytes that the machine has, of `/proc/meminfo`.
fn machine(text: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = rest.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

impl Names {
    /// What a group has left, if it has a limit.
    fn left(&self, group: &Path, enough: u64) -> Option<u64> {
        let number = |name: &str| -> Option<u64> { read(&group.join(name))?.trim().parse().ok() };
        // None is "max" or, in the first version, the largest number of pages.
        let limit = number(self.limit).filter(|limit| *limit < NO_LIMIT)?;
        let used = number(self.used)?;
        let left = limit.saturating_sub(used);
        if left >= enough {
            return Some(left);
        }
        let stat = read(&group.join("memory.stat")).unwrap_or_default();
        let file = |line: &str| {
            let (name, number) = line.split_once(' ')?;
            self.files.contains(&name).then(|| number.trim().parse::<u64>().ok())?
        };
        let files: u64 = stat.lines().filter_map(file).sum();
        Some(limit.saturating_sub(used.saturating_sub(files)))
    }
}

/// From here on a limit is none.
const NO_LIMIT: u64 = 1 << 60;

/// A hierarchy of groups that has limits of memory, where it is mounted.
struct Mount {
    /// Which part of the tree it is.
    root: PathBuf,
    place: PathBuf,
    names: &'static Names,
}

impl Mount {
    /// A line of mountinfo: `36 35 0:31 /root /place rw,nosuid shared:1 - cgroup2 source rw`.
    fn parse(line: &str) -> Option<Self> {
        let (left, right) = line.split_once(" - ")?;
        let mut left = left.split(' ').skip(3);
        let (root, place) = (unescape(left.next()?), unescape(left.next()?));
        let mut right = right.split(' ');
        let kind = right.next()?;
        let names = match kind {
            "cgroup2" => &SECOND,
            "cgroup" if right.nth(1)?.split(',').any(|option| option == "memory") => &FIRST,
            _ => return None,
        };
        Some(Self { root, place, names })
    }

    /// The process's group in this hierarchy, if the line of `/proc/self/cgroup` is about it.
    fn group<'a>(&self, line: &'a str) -> Option<&'a str> {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, group) = (parts.next()?, parts.next()?);
        let ours = match self.names.limit == SECOND.limit {
            true => controllers.is_empty(),
            false => controllers.split(',').any(|name| name == "memory"),
        };
        ours.then_some(group)
    }
}

/// A path as mountinfo writes it: blanks and the like are a backslash and three octal digits.
fn unescape(text: &str) -> PathBuf {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((first, more)) = rest.split_first() {
        let octal = more.get(..3).filter(|_| *first == b'\\');
        let octal = octal.and_then(|digits| std::str::from_utf8(digits).ok());
        match octal.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &more[3..];
            }
            None => {
                bytes.push(*first);
                rest = more;
            }
        }
    }
    OsString::from_vec(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files of a machine: path, content.
    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        dir
    }

    fn available(files: &[(&str, &str)]) -> Option<u64> {
        let dir = tree(files);
        Limits::new(dir.path()).available(u64::MAX)
    }

    const MEMORY: (&str, &str) =
        ("proc/meminfo", "MemTotal:  9 kB\nMemAvailable:    4096 kB\nCached: 5 kB\n");
    const UNIFIED: &str = "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";

    #[test]
    fn the_machine_is_a_limit() {
        assert_eq!(available(&[]), None);
        assert_eq!(available(&[MEMORY]), Some(4096 << 10));
    }

    #[test]
    fn each_group_above_the_process_is_a_limit() {
        let job = |limits: &[(&str, &str)]| {
            let common = [
                MEMORY,
                ("proc/self/cgroup", "0::/jobs/job 7/step\n"),
                ("proc/self/mountinfo", UNIFIED),
            ];
            available(&[&common[..], limits].concat())
        };
        assert_eq!(job(&[]), Some(4 << 20));
        let step = ("sys/fs/cgroup/jobs/job 7/step/memory.max", "3000000\n");
        let used = ("sys/fs/cgroup/jobs/job 7/step/memory.current", "1000000\n");
        assert_eq!(job(&[step, used]), Some(2_000_000));
        let above = [
            ("sys/fs/cgroup/jobs/memory.max", "9000\n"),
            ("sys/fs/cgroup/jobs/memory.current", "8000\n"),
        ];
        assert_eq!(job(&[step, used, above[0], above[1]]), Some(1000));
        // Without a limit.
        let none = ("sys/fs/cgroup/jobs/memory.max", "max\n");
        assert_eq!(job(&[step, used, none, above[1]]), Some(2_000_000));
        // What the kernel can drop is there.
        let stat =
            ("sys/fs/cgroup/jobs/memory.stat", "anon 1\ninactive_file 500\nactive_file 20\n");
        assert_eq!(job(&[above[0], above[1], stat]), Some(1520));
        // More is used than may be.
        let full = ("sys/fs/cgroup/jobs/memory.current", "9001\n");
        assert_eq!(job(&[above[0], full]), Some(0));
        // Where that is enough, no further limit is looked at.
        let dir = tree(&[
            ("proc/self/cgroup", "0::/jobs\n"),
            ("proc/self/mountinfo", UNIFIED),
            above[0],
            above[1],
            stat,
        ]);
        let limits = Limits::new(dir.path());
        assert_eq!((limits.available(1000), limits.available(1001)), (Some(1000), Some(1520)));
        // A group that is no ancestor.
        let other = [
            ("sys/fs/cgroup/jobs/job 8/memory.max", "10\n"),
            ("sys/fs/cgroup/jobs/job 8/memory.current", "10\n"),
        ];
        assert_eq!(job(&other), Some(4 << 20));
    }

    #[test]
    fn the_first_version_has_a_tree_for_memory() {
        let mounts = "29 22 0:25 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                      31 22 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                      32 22 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
        let limit = "sys/fs/cgroup/memory/slurm/job/memory.limit_in_bytes";
        let files = [
            MEMORY,
            ("proc/self/cgroup", "4:cpu:/\n3:name=systemd:/x\n2:memory:/slurm/job\n0::/\n"),
            ("proc/self/mountinfo", mounts),
            (limit, "70000\n"),
            ("sys/fs/cgroup/memory/slurm/job/memory.usage_in_bytes", "30000\n"),
            ("sys/fs/cgroup/memory/slurm/job/memory.stat", "active_file 1\ntotal_active_file 5\n"),
            // No limit is a large number.
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "90000\n"),
            ("sys/fs/cgroup/cpu/memory.limit_in_bytes", "1\n"),
            ("sys/fs/cgroup/cpu/memory.usage_in_bytes", "1\n"),
        ];
        assert_eq!(available(&files), Some(40_005));
    }

    #[test]
    fn a_container_sees_its_part_of_the_tree() {
        let limits = [
            ("sys/fs/cg roup/memory.max", "500\n"),
            ("sys/fs/cg roup/memory.current", "100\n"),
            ("sys/fs/cg roup/inner/memory.max", "300\n"),
            ("sys/fs/cg roup/inner/memory.current", "10\n"),
        ];
        let place = |root: &str, own: &str| {
            let mounts =
                format!("1 2 0:3 {root} /sys/fs/cg\\040roup rw master:1 - cgroup2 none rw\n");
            let own = format!("0::{own}\n");
            let files = [MEMORY, ("proc/self/mountinfo", &mounts), ("proc/self/cgroup", &own)];
            available(&[&files[..], &limits].concat())
        };
        // With a namespace of its own, and as the host names it.
        assert_eq!((place("/", "/"), place("/docker/x", "/docker/x")), (Some(400), Some(400)));
        assert_eq!(place("/docker/x", "/docker/x/inner"), Some(290));
        // The process is elsewhere in the tree.
        assert_eq!((place("/docker/x", "/other"), place("/", "/../..")), (Some(400), Some(400)));
    }
}
