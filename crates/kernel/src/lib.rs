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
mod changes;
mod commands;
mod connection;
mod halt;
mod info;
mod journal;
mod machine;
mod messages;
mod packet;
mod trusted;
mod wheel;
mod worker;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{io, thread};

use script::ScriptReport;

pub use halt::ScriptHalt;

use beyond::ParameterScope;
use changes::KernelRun;
use commands::Shell;
use machine::Kernel;

/// Number of scripts that are run at a time: they mostly sleep, and one that is late fails.
const AT_A_TIME: usize = 8;

/// Runs the scripts in the files at `paths` against the kernel, several at a time, until `halt` is
/// asked; the reports are in the order of the paths.
///
/// # Errors
///
/// As [`run_file`]. No script is run if one of them is another user's.
pub fn run_files(paths: &[PathBuf], halt: &ScriptHalt) -> io::Result<Vec<ScriptReport>> {
    paths.iter().try_for_each(|path| check(path))?;
    let _run = KernelRun::begin();
    let next = AtomicUsize::new(0);
    let reports = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_A_TIME.min(paths.len()) {
            scope.spawn(|| {
                while let Some((index, path)) = take(&next, paths) {
                    let report = run_alone(path, halt);
                    let is_over = report.is_err() || halt.is_asked();
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

/// Runs the script in the file at `path` against the kernel.
///
/// # Errors
///
/// The file cannot be read, belongs to another user or may be written by everybody, or the kernel
/// does not let this process make a network namespace with a TUN interface in it.
pub fn run_file(path: impl AsRef<Path>) -> io::Result<ScriptReport> {
    check(path.as_ref())?;
    let _run = KernelRun::begin();
    run_alone(path.as_ref(), &ScriptHalt::default())
}

/// A script is a program, its commands are run as root.
fn check(path: &Path) -> io::Result<()> {
    let refused = |reason| io::Error::new(io::ErrorKind::PermissionDenied, reason);
    trusted::check(path).map_err(refused)
}

fn run_alone(path: &Path, halt: &ScriptHalt) -> io::Result<ScriptReport> {
    let bytes = script::read(path)?;
    // Held until all that the script has started is over.
    let _machine = ParameterScope::for_script(&String::from_utf8_lossy(&bytes), path.parent());
    let (path, name) = (path.to_owned(), path.to_string_lossy().into_owned());
    let halt = halt.clone();
    let run = move || -> io::Result<ScriptReport> {
        let tun = machine::own_network().map_err(|error| {
            let reason = format!("a network namespace with a TUN interface needs root: {error}");
            io::Error::new(error.kind(), reason)
        })?;
        let shell = Shell::new(path.parent(), &halt)?;
        Ok(script::run_on(&name, &bytes, path.parent(), |settings| {
            Kernel::new(settings, tun, shell, halt)
        }))
    };
    // A thread of its own, since the namespace is the thread's.
    match thread::spawn(run).join() {
        Ok(report) => report,
        Err(_) => Err(io::Error::other("the runner has failed")),
    }
}
