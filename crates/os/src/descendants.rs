//! Times that programs waited for a processor.

use std::collections::BTreeMap;
use std::fs;

/// Processes below one, and the time that each thread waited.
#[derive(Debug, Default)]
pub struct Descendants {
    /// By process and thread, in nanoseconds.
    waits: BTreeMap<(i32, i32), u64>,
}

impl Descendants {
    /// Looks at all processes that descend from `first`, itself apart. What has ended since the
    /// last look keeps what it had then.
    pub fn look(&mut self, first: i32) {
        let mut next = vec![first];
        while let Some(process) = next.pop() {
            let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else {
                continue;
            };
            for thread in threads.filter_map(Result::ok) {
                let children = fs::read_to_string(thread.path().join("children"));
                let numbers = children.unwrap_or_default();
                next.extend(
                    numbers
                        .split_whitespace()
                        .filter_map(|n| n.parse::<i32>().ok()),
                );
                let number = thread
                    .file_name()
                    .to_str()
                    .and_then(|name| name.parse().ok());
                let told = fs::read_to_string(thread.path().join("schedstat")).ok();
                if let (Some(number), Some(waited)) = (number, told.as_deref().and_then(wait))
                    && process != first
                {
                    self.waits.insert((process, number), waited);
                }
            }
        }
    }

    /// The longest that any of them waited for a processor, in nanoseconds.
    pub fn longest_wait(&self) -> u64 {
        self.waits.values().copied().max().unwrap_or(0)
    }
}

/// The second number of a line of schedstat: nanoseconds spent ready to run, without a processor
/// (Documentation/scheduler/sched-stats.rst).
fn wait(line: &str) -> Option<u64> {
    line.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_long_a_thread_waited_stands_second() {
        assert_eq!(wait("1500 300 7\n"), Some(300));
        assert_eq!(wait("1500\n"), None);
    }
}
