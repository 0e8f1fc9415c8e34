//! Who this process is, and how it becomes root of a namespace of its own.

#![expect(
    unsafe_code,
    reason = "a process leaves the user namespace that it shares with others"
)]

use std::fs;
use std::io;

use rustix::thread::{UnshareFlags, unshare_unsafe};

/// Returns whether this process may make namespaces and interfaces as it is.
pub fn is_privileged() -> bool {
    const NET_ADMIN: u64 = 1 << 12;
    const SYS_ADMIN: u64 = 1 << 21;
    let effective = || -> Option<u64> {
        let status = fs::read_to_string("/proc/self/status").ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("CapEff:"))?;
        u64::from_str_radix(line.trim(), 16).ok()
    };
    let needed = NET_ADMIN | SYS_ADMIN;
    effective().is_some_and(|all| all & needed == needed)
}

/// Makes this process root of a user namespace of its own, in which the user is the same as
/// outside. To be called before it has a second thread.
///
/// # Errors
/// When the system forbids it, as by user.max_user_namespaces or by a rule of AppArmor.
pub fn become_root_of_own() -> io::Result<()> {
    let (user, group) = (rustix::process::getuid(), rustix::process::getgid());
    // SAFETY: the process has one thread.
    unsafe { unshare_unsafe(UnshareFlags::NEWUSER) }?;
    // Without this the group cannot be mapped by who is not root (user_namespaces(7)).
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("0 {} 1", user.as_raw()))?;
    fs::write("/proc/self/gid_map", format!("0 {} 1", group.as_raw()))
}

/// The user's number, as seen in the namespace that this process is in.
pub fn number() -> u32 {
    rustix::process::getuid().as_raw()
}
