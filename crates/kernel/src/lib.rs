//! Scripts run against the machine's own kernel, as packetdrill runs them.
//!
//! The kernel's TCP is reached by real system calls and through a TUN interface, in a network
//! namespace of its own and in real time, so a script takes as long as it says. What holds here
//! and not against the simulated endpoint, or the other way round, shows where the two differ.
//!
//! It needs root (CAP_NET_ADMIN and CAP_SYS_ADMIN), Linux, `ip`, and `sh` for the commands of
//! scripts, which are really run.

mod calls;
mod commands;
mod connection;
mod info;
mod machine;
mod packet;
mod sys;
mod worker;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{fs, io, thread};

use script::Report;

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
    let next = AtomicUsize::new(0);
    let reports = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_A_TIME.min(paths.len()) {
            scope.spawn(|| {
                while let Some((index, path)) = take(&next, paths) {
                    let report = run_file(path);
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

/// Runs the script in the file at `path` against the kernel.
///
/// # Errors
///
/// The file cannot be read, or the kernel does not let this process make a network namespace
/// with a TUN interface in it.
pub fn run_file(path: impl AsRef<Path>) -> io::Result<Report> {
    let path = path.as_ref();
    let bytes = fs::read(path)?;
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
