//! What the system leaves to this process: free memory of the machine, limits of its control groups (containers), and
//! limits of the process itself (`ulimit`).

use std::fs;
use std::path::{Path, PathBuf};

/// Bytes that this process can still take, or `None` where the system does not tell.
pub fn available() -> Option<u64> {
    if cfg!(miri) {
        // It asks no system, and is slow: enough for tests.
        return Some(4 << 20);
    }
    let system = Files { root: "/".into() };
    let limits = [address_space_left(), data_left()];
    let tellers = [system.machine(), system.control_groups()];
    limits.into_iter().chain(tellers).flatten().min()
}

/// Bytes of address space that are left where it is limited (`ulimit -v`).
pub fn address_space_left() -> Option<u64> {
    limits::left(limits::ADDRESS_SPACE, 0)
}

/// Bytes of data that are left where they are limited (`ulimit -d`).
fn data_left() -> Option<u64> {
    limits::left(limits::DATA, 5)
}

/// Limits of the process.
#[cfg(all(unix, not(miri)))]
mod limits {
    pub const ADDRESS_SPACE: fn() -> Option<u64> = || limit(libc::RLIMIT_AS);
    pub const DATA: fn() -> Option<u64> = || limit(libc::RLIMIT_DATA);

    macro_rules! limit {
        ($kind:expr) => {{
            let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            // SAFETY: it writes the limit to a place of its type.
            let told = unsafe { libc::getrlimit($kind, &raw mut limit) } == 0;
            (told && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
        }};
    }

    #[cfg(target_env = "gnu")]
    fn limit(kind: libc::__rlimit_resource_t) -> Option<u64> {
        limit!(kind)
    }
    #[cfg(not(target_env = "gnu"))]
    fn limit(kind: libc::c_int) -> Option<u64> {
        limit!(kind)
    }

    /// What a limit leaves, by a figure of `/proc/self/statm`, which counts pages.
    pub fn left(limit: fn() -> Option<u64>, figure: usize) -> Option<u64> {
        let limit = limit()?;
        let figures = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        let pages = figures.split(' ').nth(figure).and_then(|pages| pages.trim().parse::<u64>().ok());
        // SAFETY: the call has no preconditions.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(1).cast_unsigned();
        Some(limit.saturating_sub(pages.unwrap_or(0).saturating_mul(page)))
    }
}

/// Nobody limits the process.
#[cfg(any(not(unix), miri))]
mod limits {
    pub const ADDRESS_SPACE: () = ();
    pub const DATA: () = ();

    pub fn left(_: (), _: usize) -> Option<u64> {
        None
    }
}

/// Where the system tells of itself: the root of all files, another one in tests.
struct Files {
    root: PathBuf,
}

/// How one version of control groups names its files.
struct Version {
    folder: &'static str,
    limit: &'static str,
    used: &'static str,
    /// The part of what is used that the system takes back when it needs memory.
    cache: &'static str,
}

const FIRST: Version = Version {
    folder: "sys/fs/cgroup/memory",
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    cache: "total_inactive_file ",
};

const SECOND: Version =
    Version { folder: "sys/fs/cgroup", limit: "memory.max", used: "memory.current", cache: "inactive_file " };

impl Files {
    fn read(&self, path: impl AsRef<Path>) -> Option<String> {
        fs::read_to_string(self.root.join(path)).ok()
    }

    fn number(&self, path: &Path) -> Option<u64> {
        self.read(path)?.trim().parse().ok()
    }

    /// What the machine has left.
    fn machine(&self) -> Option<u64> {
        let text = self.read("proc/meminfo")?;
        let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
        let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        kib.checked_mul(1024)
    }

    /// What the control groups of the process leave: its own and all around it, of which each may have a limit.
    fn control_groups(&self) -> Option<u64> {
        let groups = self.read("proc/self/cgroup")?;
        let left = |line: &str| {
            let (_, line) = line.split_once(':')?;
            let (controllers, path) = line.split_once(':')?;
            let version = match controllers {
                "" => SECOND,
                _ if controllers.split(',').any(|c| c == "memory") => FIRST,
                _ => return None,
            };
            // Inside a container the path may be that of the machine, of which the container does not see the folder.
            let path = Path::new(path.trim_start_matches('/'));
            path.ancestors().filter_map(|group| self.group(&version, group)).min()
        };
        groups.lines().filter_map(left).min()
    }

    /// What one group leaves; "max" does not parse and means no limit.
    fn group(&self, version: &Version, group: &Path) -> Option<u64> {
        let folder = Path::new(version.folder).join(group);
        let limit = self.number(&folder.join(version.limit))?;
        let used = self.number(&folder.join(version.used)).unwrap_or(0);
        let figures = self.read(folder.join("memory.stat")).unwrap_or_default();
        let cache = figures.lines().find_map(|line| line.strip_prefix(version.cache)?.trim().parse().ok());
        Some(limit.saturating_sub(used.saturating_sub(cache.unwrap_or(0))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(name: &str, all: &[(&str, &str)]) -> Files {
        let root = std::env::temp_dir().join(format!("gchr-available-{name}-{}", std::process::id()));
        for (path, text) in all {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        Files { root }
    }

    #[test]
    fn the_narrowest_group_around_the_process_counts() {
        let meminfo = ("proc/meminfo", "MemTotal: 100 kB\nMemAvailable:     2048 kB\n");
        let second = files(
            "second",
            &[
                meminfo,
                ("proc/self/cgroup", "0::/outer/middle/inner\n"),
                ("sys/fs/cgroup/outer/memory.max", "5000\n"),
                ("sys/fs/cgroup/outer/memory.current", "4000\n"),
                ("sys/fs/cgroup/outer/memory.stat", "anon 3000\ninactive_file 600\n"),
                ("sys/fs/cgroup/outer/middle/memory.max", "max\n"),
                ("sys/fs/cgroup/outer/middle/inner/memory.max", "1700\n"),
                ("sys/fs/cgroup/outer/middle/inner/memory.current", "50\n"),
            ],
        );
        assert_eq!((second.machine(), second.control_groups()), (Some(2 << 20), Some(1600)));
        let first = files(
            "first",
            &[
                ("proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a/b\n1:name=systemd:/a\n"),
                ("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9000\n"),
                ("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n"),
                ("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "1000\n"),
            ],
        );
        assert_eq!((first.machine(), first.control_groups()), (None, Some(8000)));
        // A container that sees its own folder only.
        let container = files(
            "container",
            &[
                ("proc/self/cgroup", "0::/docker/0123\n"),
                ("sys/fs/cgroup/memory.max", "700\n"),
                ("sys/fs/cgroup/memory.current", "900\n"),
            ],
        );
        assert_eq!(container.control_groups(), Some(0));
        let free = files("free", &[("proc/self/cgroup", "0::/\n")]);
        assert_eq!(free.control_groups(), None);
        for made in [second, first, container, free] {
            fs::remove_dir_all(made.root).expect("the folder is there");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_tells_what_it_has() {
        assert!(available().is_some_and(|bytes| bytes > 1 << 20));
    }
}
