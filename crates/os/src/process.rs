//! Processes: one that all programs of an emulation descend from, and the programs.

#![expect(
    unsafe_code,
    reason = "fork(2), and what a program does before it begins"
)]

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, ExitStatus};

use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions};

use crate::namespace::{enter_network, leave_mounts, mount};

/// Starts a process that does `work`, the first of a namespace of processes: when it ends, however,
/// the kernel ends all that descend from it, and it ends when its parent does. Answers its number.
///
/// To be called before this process has a second thread.
///
/// # Errors
/// When the system does not allow it.
pub fn start_first(work: impl FnOnce()) -> io::Result<i32> {
    // Not unshare(2) and fork(2): a process whose children are in another namespace may have no
    // second thread (clone(2), EINVAL).
    let flags = libc::c_long::from(libc::CLONE_NEWPID | libc::SIGCHLD);
    // SAFETY: the process has one thread, so that nothing is half done in its copy, which goes on
    // with a copy of this stack as after fork(2).
    match unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
            work();
            // SAFETY: what the copied process would do at its end is its parent's to do.
            unsafe { libc::_exit(0) }
        }
        child => Ok(child as i32),
    }
}

/// Lets this process have so many descriptors, if it may.
///
/// # Errors
/// How many it may have, where that is less.
pub fn allow_descriptors(count: u64) -> Result<(), u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= count) {
        return Ok(());
    }
    let raised = Rlimit {
        current: limit.maximum.or(Some(count)),
        maximum: limit.maximum,
    };
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) if limit.maximum.is_none_or(|most| most >= count) => Ok(()),
        _ => Err(limit.maximum.or(limit.current).unwrap_or(count)),
    }
}

/// A descriptor that can be read once a child has ended.
///
/// # Errors
/// When there is no such process.
pub fn end_of(child: u32) -> io::Result<OwnedFd> {
    let number = Pid::from_raw(child as i32).ok_or(io::ErrorKind::InvalidInput)?;
    Ok(rustix::process::pidfd_open(number, PidfdFlags::empty())?)
}

/// Ends all processes of the group that a child leads which has not been waited for.
pub fn end_group(child: u32) {
    if let Some(number) = Pid::from_raw(child as i32) {
        let _ = rustix::process::kill_process_group(number, Signal::KILL);
    }
}

/// A program to be started.
#[derive(Debug)]
pub struct Program {
    /// Its name or path, and its arguments.
    pub arguments: Vec<String>,
    /// Variables of its environment.
    pub environment: Vec<(String, String)>,
    /// The folder that it begins in.
    pub folder: String,
    /// The network that it is in.
    pub network: OwnedFd,
    /// Its standard input, output and error.
    pub standard: [OwnedFd; 3],
    /// True if its standard input is a terminal of its own.
    pub has_terminal: bool,
}

/// Starts a program in its network, with that network's interfaces below /sys; answers its number.
///
/// # Errors
/// When there is no such program, or the system does not allow it.
pub fn start(program: Program) -> io::Result<i32> {
    let [name, arguments @ ..] = &program.arguments[..] else {
        return Err(io::Error::other("no program is named"));
    };
    let [input, output, errors] = program.standard;
    let mut command = Command::new(name);
    command
        .args(arguments)
        .env_clear()
        .envs(program.environment)
        .current_dir(&program.folder)
        .stdin(input)
        .stdout(output)
        .stderr(errors);
    let (network, has_terminal) = (program.network, program.has_terminal);
    // SAFETY: only system calls are made between fork and exec, by a process of one thread.
    unsafe {
        command.pre_exec(move || {
            use std::os::fd::AsFd as _;
            rustix::process::setsid()?;
            heed_signals();
            if has_terminal {
                // SAFETY: no pointers.
                libc::ioctl(0, libc::TIOCSCTTY, 0);
            }
            enter_network(network.as_fd())?;
            leave_mounts()?;
            // Without it programs see the interfaces of another network: no reason not to start.
            let _ = mount("sysfs", "/sys");
            Ok(())
        });
    }
    let child = command.spawn()?;
    Ok(child.id() as i32)
}

/// Takes signals again that this process ignores, as what it starts would for ever.
fn heed_signals() {
    for number in [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: the disposition is one of the constants.
        unsafe { libc::signal(number, libc::SIG_DFL) };
    }
}

/// The next child that has ended, and how; none if all that are left still run.
pub fn ended() -> Option<(i32, ExitStatus)> {
    let (child, status) = rustix::process::wait(WaitOptions::NOHANG).ok()??;
    Some((
        child.as_raw_nonzero().get(),
        ExitStatus::from_raw(status.as_raw()),
    ))
}

/// Sends a signal to a process and to the group that it leads; whether there was one.
pub fn signal(process: i32, number: i32) -> bool {
    // SAFETY: no pointers.
    let (group, alone) = unsafe { (libc::kill(-process, number), libc::kill(process, number)) };
    group == 0 || alone == 0
}

/// Signals that are taken from a descriptor, and do nothing else in this process.
///
/// # Errors
/// When the system has no descriptor left.
pub fn signals(numbers: &[i32]) -> io::Result<OwnedFd> {
    use std::os::fd::FromRawFd as _;
    // SAFETY: the set is made before it is used, and outlives the calls.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        for number in numbers {
            libc::sigaddset(&raw mut set, *number);
        }
        libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
        match libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) {
            -1 => Err(io::Error::last_os_error()),
            descriptor => Ok(OwnedFd::from_raw_fd(descriptor)),
        }
    }
}

/// The next signal that has come to a descriptor of [`signals`].
pub fn next_signal(descriptor: &OwnedFd) -> Option<i32> {
    let mut told = [0; size_of::<libc::signalfd_siginfo>()];
    let read = rustix::io::read(descriptor, &mut told).ok()?;
    let number: [u8; 4] = told[..read].first_chunk().copied()?;
    Some(u32::from_ne_bytes(number) as i32)
}

/// Sends `number` to this process when its parent ends.
///
/// # Errors
/// When there is no such signal.
pub fn follow_parent(number: i32) -> io::Result<()> {
    let signal = Signal::from_named_raw(number).ok_or(io::ErrorKind::InvalidInput)?;
    Ok(rustix::process::set_parent_process_death_signal(Some(
        signal,
    ))?)
}

/// Returns whether a process of this number is there.
pub fn exists(process: i32) -> bool {
    Pid::from_raw(process).is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
}

/// The signal that tells that a child has ended.
pub const CHILD_ENDED: i32 = libc::SIGCHLD;

/// Asks a program to end.
pub const TERMINATE: i32 = libc::SIGTERM;

/// Ends a program.
pub const KILL: i32 = libc::SIGKILL;

/// Signal that a terminal sends when it is closed.
pub const HANG_UP: i32 = libc::SIGHUP;

/// Sends a signal to every process of the namespace but this one, its first.
pub fn signal_all(number: i32) {
    // SAFETY: no pointers.
    unsafe { libc::kill(-1, number) };
}

/// Closes what a process has inherited and must not hold open.
pub fn close(descriptor: std::os::fd::BorrowedFd<'_>) {
    use std::os::fd::AsRawFd as _;
    // SAFETY: the copy of a process that was forked for other work never uses it again.
    unsafe { libc::close(descriptor.as_raw_fd()) };
}
