//! A request to stop, which reaches everything that waits.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use os::process;

/// Time that a wait may take before it looks whether it was asked to stop.
pub(crate) const LOOK: Duration = Duration::from_millis(50);

/// Asks runs of scripts to stop: they end their commands, put back what they have changed and
/// return.
#[derive(Clone, Debug, Default)]
pub struct ScriptHalt(Arc<HaltState>);

#[derive(Debug, Default)]
struct HaltState {
    is_asked: AtomicBool,
    /// The processes, each the leader of a group, that scripts wait for.
    commands: Mutex<BTreeSet<u32>>,
}

impl ScriptHalt {
    /// Asks.
    pub fn ask(&self) {
        self.0.is_asked.store(true, Ordering::SeqCst);
        for id in &*self.commands() {
            process::end_group(*id);
        }
    }

    /// Returns whether it was asked.
    pub fn is_asked(&self) -> bool {
        self.0.is_asked.load(Ordering::SeqCst)
    }

    /// Notes the process `id` until what is returned is dropped, at the latest when it is waited for.
    pub(crate) fn watch(&self, id: u32) -> WatchedProcess<'_> {
        self.commands().insert(id);
        if self.is_asked() {
            process::end_group(id);
        }
        WatchedProcess { halt: self, id }
    }

    fn commands(&self) -> MutexGuard<'_, BTreeSet<u32>> {
        self.0
            .commands
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A process that ends when its script is asked to stop.
pub(crate) struct WatchedProcess<'a> {
    halt: &'a ScriptHalt,
    id: u32,
}

impl Drop for WatchedProcess<'_> {
    fn drop(&mut self) {
        self.halt.commands().remove(&self.id);
    }
}
