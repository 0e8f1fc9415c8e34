//! Scripts run on a thread of their own, so that this one hears of signals.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use script::ScriptReport;

/// Interval at which signals are looked for.
const LOOK: Duration = Duration::from_millis(20);

/// Runs the scripts at `path`. Where a signal's handler raises, they end first.
pub(crate) fn run(py: Python<'_>, path: PathBuf, kernel: bool) -> PyResult<Vec<ScriptReport>> {
    let halt = ScriptHalt::default();
    let asked = halt.clone();
    let (sender, mut reports) = channel();
    let worker = thread::Builder::new().spawn(move || {
        // Nobody listens any more where the interpreter is going down.
        let _ = sender.send(run_all(&path, kernel, &asked));
    })?;
    let mut raised = None;
    loop {
        let waiting = &mut reports; // it is moved to where other threads may run
        match py.detach(move || waiting.recv_timeout(LOOK)) {
            Ok(outcome) => {
                let _ = py.detach(|| worker.join());
                return raised.map_or_else(|| Ok(outcome?), Err);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(io::Error::other("the runner of scripts has failed").into());
            }
        }
        if let Err(error) = py.check_signals() {
            halt.ask();
            raised.get_or_insert(error);
        }
    }
}

fn run_all(path: &Path, kernel: bool, halt: &ScriptHalt) -> io::Result<Vec<ScriptReport>> {
    let scripts = script::scripts(path)?;
    match kernel {
        true => run_on_kernel(&scripts, halt),
        false => scripts
            .iter()
            .take_while(|_| !halt.is_asked())
            .map(script::run_file)
            .collect(),
    }
}

#[cfg(target_os = "linux")]
use kernel::ScriptHalt;

#[cfg(target_os = "linux")]
fn run_on_kernel(scripts: &[PathBuf], halt: &ScriptHalt) -> io::Result<Vec<ScriptReport>> {
    kernel::run_files(scripts, halt)
}

#[cfg(not(target_os = "linux"))]
use elsewhere::Halt;

#[cfg(not(target_os = "linux"))]
fn run_on_kernel(_: &[PathBuf], _: &ScriptHalt) -> io::Result<Vec<ScriptReport>> {
    let reason = "scripts can be run against a kernel on Linux alone";
    Err(io::Error::new(io::ErrorKind::Unsupported, reason))
}

/// A request to stop, where no kernel hears it.
#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[derive(Clone, Default)]
    pub(super) struct Halt(Arc<AtomicBool>);

    impl ScriptHalt {
        pub fn ask(&self) {
            self.0.store(true, Ordering::Relaxed);
        }

        pub fn is_asked(&self) -> bool {
            self.0.load(Ordering::Relaxed)
        }
    }
}
