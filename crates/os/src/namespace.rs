//! Network namespaces held by a descriptor: they have no name, and end with the last process,
//! interface or descriptor that holds them.

#![expect(
    unsafe_code,
    reason = "a thread leaves the namespaces that it shares with others"
)]

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::thread;

use rustix::thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space, unshare_unsafe};

/// A network of its own: interfaces, addresses, routes, sockets.
#[derive(Debug)]
pub struct NetworkNamespace(OwnedFd);

impl NetworkNamespace {
    /// A new one, with a loopback interface that is down.
    ///
    /// # Errors
    /// When the system does not allow it: it needs CAP_SYS_ADMIN, which a process has in a user
    /// namespace of its own.
    pub fn new() -> io::Result<NetworkNamespace> {
        let made = aside(|| {
            leave_network()?;
            File::open("/proc/thread-self/ns/net")
        });
        Ok(NetworkNamespace(made?.into()))
    }

    /// Does `work` on a thread of its own within the network.
    ///
    /// # Errors
    /// When the network cannot be entered, or with what `work` answers.
    pub fn within<T: Send>(&self, work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        aside(|| {
            enter_network(self.as_fd())?;
            work()
        })
    }
}

/// Does `work` on a thread of its own.
fn aside<T: Send>(work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let done = thread::Builder::new().spawn_scoped(scope, work)?;
        let done = done.join();
        done.unwrap_or_else(|_| Err(io::Error::other("the thread ended")))
    })
}

impl AsFd for NetworkNamespace {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Puts this thread into a network of its own.
///
/// # Errors
/// When the system does not allow it.
pub fn leave_network() -> io::Result<()> {
    // SAFETY: what the thread shares with others stays theirs; descriptors are not concerned.
    Ok(unsafe { unshare_unsafe(UnshareFlags::NEWNET) }?)
}

/// Puts this thread into a network.
///
/// # Errors
/// When it is none, or the system does not allow it.
pub fn enter_network(network: BorrowedFd<'_>) -> io::Result<()> {
    Ok(move_into_link_name_space(
        network,
        Some(LinkNameSpaceType::Network),
    )?)
}

/// The number of an interface of the network that this thread is in.
///
/// # Errors
/// When there is none of this name.
pub fn interface_index(name: &str) -> io::Result<u32> {
    let name = std::ffi::CString::new(name)?;
    // SAFETY: the name outlives the call.
    match unsafe { libc::if_nametoindex(name.as_ptr()) } {
        0 => Err(io::Error::last_os_error()),
        index => Ok(index),
    }
}

/// Gives this thread mounts of its own, which nobody else sees.
///
/// # Errors
/// When the system does not allow it.
pub fn leave_mounts() -> io::Result<()> {
    use rustix::mount::{MountPropagationFlags, mount_change};
    // SAFETY: as above.
    unsafe { unshare_unsafe(UnshareFlags::NEWNS) }?;
    let alone = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    Ok(mount_change("/", alone)?)
}

/// Mounts a file system without a device, such as "sysfs" or "proc", at a place.
///
/// # Errors
/// When the system does not allow it.
pub fn mount(kind: &str, place: &str) -> io::Result<()> {
    use rustix::mount::MountFlags;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    Ok(rustix::mount::mount(kind, place, kind, flags, None)?)
}

/// Lets a file be seen at another place.
///
/// # Errors
/// When the place does not exist, or the system does not allow it.
pub fn show_at(file: &str, place: &str) -> io::Result<()> {
    Ok(rustix::mount::mount_bind(file, place)?)
}

/// Takes a mount away from its place; what still uses it keeps it.
///
/// # Errors
/// When nothing is mounted there.
pub fn unmount(place: &str) -> io::Result<()> {
    use rustix::mount::UnmountFlags;
    Ok(rustix::mount::unmount(place, UnmountFlags::DETACH)?)
}
