//! Scripts run against the machine's own kernel, as packetdrill runs them.
//!
//! The kernel's TCP is reached by real system calls and through a TUN interface, in a network
//! namespace of its own and in real time, so a script takes as long as it says. What holds here
//! and not against the simulated endpoint, or the other way round, shows where the two differ.
//!
//! It needs root (CAP_NET_ADMIN and CAP_SYS_ADMIN), Linux, `ip`, and `sh` for the commands of
//! scripts, which are really run.

mod beyond;
mod calls;
mod commands;
mod connection;
mod info;
mod machine;
mod messages;
mod packet;
mod sys;
mod wheel;
mod worker;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{fs, io, thread};

use script::Report;

use beyond::Machine;
use machine::Kernel;

/// How many scripts are run at a time: they mostly sleep, and one that is late fails.
const AT_A_TIME: usize = 8;

/// Runs the scripts in the files at `paths` against the kernel, several at a time; the reports
/// are in the order of the paths.
///
/// # Errors
///
/// As [`run_file`].
pub fn run_files(paths: &[PathBuf]) -> io::Result<Vec<Report>> {
    let _allowed = AllowedControls::all();
    let next = AtomicUsize::new(0);
    let reports = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_A_TIME.min(paths.len()) {
            scope.spawn(|| {
                while let Some((index, path)) = take(&next, paths) {
                    let report = run_alone(path);
                    let is_over = report.is_err();
                    reports
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push((index, report));
                    if is_over {
                        next.store(paths.len(), Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let mut reports = reports.into_inner().unwrap_or_else(PoisonError::into_inner);
    reports.sort_by_key(|(index, _)| *index);
    reports.into_iter().map(|(_, report)| report).collect()
}

fn take<'a>(next: &AtomicUsize, paths: &'a [PathBuf]) -> Option<(usize, &'a PathBuf)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    paths.get(index).map(|path| (index, path))
}

/// All congestion controls there are, allowed to be chosen in namespaces, which the machine as a
/// whole has to allow (ip-sysctl, tcp_allowed_congestion_control), until the last of these is gone.
struct AllowedControls;

const ALLOWED: &str = "/proc/sys/net/ipv4/tcp_allowed_congestion_control";

/// How many there are, and what was allowed before the first.
static HELD: Mutex<(usize, Option<Vec<u8>>)> = Mutex::new((0, None));

impl AllowedControls {
    /// Where that fails, so does a script that chooses another.
    fn all() -> AllowedControls {
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, before) = &mut *held;
        if *count == 0 {
            let all = fs::read("/proc/sys/net/ipv4/tcp_available_congestion_control");
            let known = fs::read(ALLOWED).ok();
            let is_set = all.is_ok_and(|all| fs::write(ALLOWED, all).is_ok());
            *before = known.filter(|_| is_set);
        }
        *count += 1;
        AllowedControls
    }
}

impl Drop for AllowedControls {
    fn drop(&mut self) {
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, before) = &mut *held;
        *count -= 1;
        if *count == 0
            && let Some(before) = before.take()
        {
            let _ = fs::write(ALLOWED, before);
        }
    }
}

/// Runs the script in the file at `path` against the kernel.
///
/// # Errors
///
/// The file cannot be read, or the kernel does not let this process make a network namespace
/// with a TUN interface in it.
pub fn run_file(path: impl AsRef<Path>) -> io::Result<Report> {
    let _allowed = AllowedControls::all();
    run_alone(path.as_ref())
}

fn run_alone(path: &Path) -> io::Result<Report> {
    let bytes = fs::read(path)?;
    // Held until all that the script has started is over.
    let _machine = Machine::for_script(&String::from_utf8_lossy(&bytes), path.parent());
    let (path, name) = (path.to_owned(), path.to_string_lossy().into_owned());
    let run = move || -> io::Result<Report> {
        let tun = machine::own_network().map_err(|error| {
            let reason = format!("a network namespace with a TUN interface needs root: {error}");
            io::Error::new(error.kind(), reason)
        })?;
        Ok(script::run_on(&name, &bytes, path.parent(), |settings| {
            Kernel::new(settings, tun)
        }))
    };
    // A thread of its own, since the namespace is the thread's.
    match thread::spawn(run).join() {
        Ok(report) => report,
        Err(_) => Err(io::Error::other("the runner has failed")),
    }
}
