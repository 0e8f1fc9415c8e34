//! The log of what an endpoint decided: a line of JSON each.

use std::io::Write as _;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;

/// The log, to standard error.
#[derive(Debug, Default)]
pub struct Audit {
    written: AtomicU32,
    minute: AtomicU32,
}

impl Audit {
    /// Lines of a minute, at most: whoever knocks often does not fill the disk.
    const MOST: u32 = 600;

    /// Notes what was done to whom, and why.
    pub fn note(&self, what: &str, whom: &str, why: &str) {
        let seconds = os::clock::realtime_ns() / 1_000_000_000;
        let minute = (seconds / 60) as u32;
        if self.minute.swap(minute, Ordering::Relaxed) != minute {
            self.written.store(0, Ordering::Relaxed);
        }
        if self.written.fetch_add(1, Ordering::Relaxed) < Self::MOST {
            let line = json!({"time": seconds, "what": what, "whom": whom, "why": why});
            // Who cannot be told goes without the log; the endpoint goes on.
            let _ = writeln!(std::io::stderr(), "{line}");
        }
    }
}
