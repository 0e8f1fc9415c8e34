//! The machine while scripts run on it: what is changed for all of them, and what single scripts
//! change, both noted in the journal and put back.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::journal::{self, Journal, SavedFiles};

const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";
const ALLOWED: &str = "/proc/sys/net/ipv4/tcp_allowed_congestion_control";

/// Number of runs of this process, and their journal. There is none where the process may
/// not keep one; then it may not change the machine either, and nothing is changed.
static RUNS: Mutex<(usize, Option<Journal>)> = Mutex::new((0, None));

fn runs() -> MutexGuard<'static, (usize, Option<Journal>)> {
    RUNS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A run of scripts. While there is one, all congestion controls that the machine has may be chosen
/// in namespaces, which the machine as a whole has to allow (ip-sysctl,
/// tcp_allowed_congestion_control). Where that fails, so does a script that chooses another.
pub(crate) struct KernelRun;

impl KernelRun {
    pub fn begin() -> KernelRun {
        let (count, journal) = &mut *runs();
        if *count == 0 {
            *journal = Journal::enter(Path::new(journal::FOLDER)).ok();
            if let Some(journal) = journal {
                allow_all(journal);
            }
        }
        *count += 1;
        KernelRun
    }
}

impl Drop for KernelRun {
    fn drop(&mut self) {
        let (count, journal) = &mut *runs();
        *count -= 1;
        if *count == 0 {
            drop(journal.take());
        }
    }
}

fn allow_all(journal: &Journal) {
    let [available, allowed] = [AVAILABLE, ALLOWED].map(fs::read_to_string);
    if let (Ok(all), Ok(before)) = (available, allowed)
        && journal.note(&[(ALLOWED.into(), before)].into()).is_ok()
    {
        let _ = fs::write(ALLOWED, all);
    }
}

/// The folder in which runs keep private files; none where there is no journal.
pub(crate) fn private_folder() -> Option<PathBuf> {
    let (_, journal) = &*runs();
    journal.as_ref().map(|journal| journal.folder().to_owned())
}

/// Notes what stands in files that a script is going to change.
pub(crate) fn note(before: &SavedFiles) {
    if let (_, Some(journal)) = &*runs() {
        let _ = journal.note(before);
    }
}

/// Puts back what a script has changed.
pub(crate) fn put_back(before: &SavedFiles) {
    journal::put_back(before);
    if let (_, Some(journal)) = &*runs() {
        let _ = journal.strike(before);
    }
}
