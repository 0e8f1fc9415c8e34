//! How long programs waited for a processor.

use std::collections::BTreeMap;
use std::fs;

/// What is known of the processes below one: how long each thread ran and waited.
#[derive(Debug, Default)]
pub struct Descendants {
    /// By process and thread: nanoseconds on a processor, and waiting for one.
    threads: BTreeMap<(i32, i32), [u64; 2]>,
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
                if let (Some(number), Some([ran, waited])) =
                    (number, told.as_deref().and_then(times))
                    && process != first
                {
                    self.threads.insert((process, number), [ran, waited]);
                }
            }
        }
    }

    /// Nanoseconds that all of them together were on a processor, and waiting for one.
    pub fn times(&self) -> [u64; 2] {
        let both = self.threads.values();
        both.fold([0, 0], |sum, times| [sum[0] + times[0], sum[1] + times[1]])
    }
}

/// The first two numbers of a line of schedstat (Documentation/scheduler/sched-stats.rst).
fn times(line: &str) -> Option<[u64; 2]> {
    let mut numbers = line.split_whitespace().map_while(|word| word.parse().ok());
    Some([numbers.next()?, numbers.next()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_thread_ran_and_waited_stands_in_front() {
        assert_eq!(times("1500 300 7\n"), Some([1500, 300]));
        assert_eq!(times("1500\n"), None);
    }
}
