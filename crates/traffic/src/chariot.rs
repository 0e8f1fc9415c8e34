//! The throughput script of IxChariot: files over one connection, each
//! confirmed by the receiver, timed in records.
//!
//! Source: the thesis' §3.3 and Table 3 for the parameters. That a transaction
//! is one file followed by an application-level confirmation on a connection
//! that stays open is inferred from the script's documented purpose, a "core
//! file transaction".

use serde::{Deserialize, Serialize};
use units::{Duration, Time};

use crate::Stream;

/// The script's variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChariotScript {
    /// Bytes of the file sent in each transaction.
    pub file_bytes: u64,
    /// Transactions timed together as one record.
    pub transactions_per_record: u32,
    /// Records after which the pair stops; `None` to run until the run ends.
    pub timing_records: Option<u32>,
    /// Bytes of the receiver's confirmation.
    pub confirmation_bytes: u64,
    /// Bytes given to the stream in one call, at most.
    pub write_bytes: u64,
}

/// One measured row of the console.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimingRecord {
    /// When its first transaction began.
    pub start: Time,
    /// How long its transactions took together.
    pub elapsed: Duration,
    /// File bytes transferred.
    pub bytes: u64,
}

/// Endpoint 1: sends the files and times them.
#[derive(Clone, Debug)]
pub struct ChariotEndpoint1 {
    script: ChariotScript,
    step: Step,
    transactions: u32,
    record_start: Time,
    records: u32,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Ready,
    Sending { left: u64 },
    Confirming { left: u64 },
    Finished,
}

impl ChariotEndpoint1 {
    /// An endpoint that starts with the first call of [`Self::on_progress`].
    pub fn new(script: ChariotScript) -> Self {
        ChariotEndpoint1 {
            script,
            step: Step::Ready,
            transactions: 0,
            record_start: Time::ZERO,
            records: 0,
        }
    }

    /// Goes on as far as the stream allows; answers the record that was completed, if any.
    pub fn on_progress(&mut self, now: Time, stream: &mut impl Stream) -> Option<TimingRecord> {
        let mut completed = None;
        loop {
            match self.step {
                Step::Ready => {
                    self.record_start = now;
                    self.step = Step::Sending {
                        left: self.script.file_bytes,
                    };
                }
                Step::Sending { left } => {
                    let left = self.send(left, stream);
                    if left > 0 {
                        self.step = Step::Sending { left };
                        return completed;
                    }
                    self.step = Step::Confirming {
                        left: self.script.confirmation_bytes,
                    };
                }
                Step::Confirming { left } => {
                    let left = left.saturating_sub(stream.read());
                    if left > 0 {
                        self.step = Step::Confirming { left };
                        return completed;
                    }
                    self.step = Step::Sending {
                        left: self.script.file_bytes,
                    };
                    completed = self.confirmed(now, stream).or(completed);
                }
                Step::Finished => return completed,
            }
        }
    }

    fn send(&self, mut left: u64, stream: &mut impl Stream) -> u64 {
        while left > 0 {
            let taken = stream.write(left.min(self.script.write_bytes));
            if taken == 0 {
                break;
            }
            left -= taken;
        }
        left
    }

    fn confirmed(&mut self, now: Time, stream: &mut impl Stream) -> Option<TimingRecord> {
        self.transactions += 1;
        if self.transactions < self.script.transactions_per_record {
            return None;
        }
        let record = TimingRecord {
            start: self.record_start,
            elapsed: now - self.record_start,
            bytes: self.script.file_bytes * u64::from(self.transactions),
        };
        self.transactions = 0;
        self.record_start = now;
        self.records += 1;
        if self.script.timing_records == Some(self.records) {
            self.step = Step::Finished;
            stream.close();
        }
        Some(record)
    }
}

/// Endpoint 2: receives the files and confirms each.
#[derive(Clone, Debug)]
pub struct ChariotEndpoint2 {
    script: ChariotScript,
    left: u64,
    owed: u64,
}

impl ChariotEndpoint2 {
    /// An endpoint that waits for the first file.
    pub fn new(script: ChariotScript) -> Self {
        ChariotEndpoint2 {
            script,
            left: script.file_bytes,
            owed: 0,
        }
    }

    /// Reads what has arrived and confirms what is complete; answers the bytes read.
    #[inline]
    pub fn on_progress(&mut self, stream: &mut impl Stream) -> u64 {
        let read = stream.read();
        let mut unused = read;
        while unused >= self.left {
            unused -= self.left;
            self.left = self.script.file_bytes;
            self.owed += self.script.confirmation_bytes;
        }
        self.left -= unused;
        if self.owed > 0 {
            self.owed -= stream.write(self.owed);
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_stream::Buffers;

    const SCRIPT: ChariotScript = ChariotScript {
        file_bytes: 100_000,
        transactions_per_record: 2,
        timing_records: Some(1),
        confirmation_bytes: 1,
        write_bytes: 32_768,
    };

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    #[test]
    fn a_record_spans_its_transactions_up_to_the_last_confirmation() {
        let mut endpoint = ChariotEndpoint1::new(SCRIPT);
        let mut stream = Buffers {
            room: 60_000,
            ..Buffers::default()
        };
        assert_eq!(
            endpoint.on_progress(at(1), &mut stream),
            None,
            "the buffer is full"
        );
        stream.room = 60_000;
        assert_eq!(
            endpoint.on_progress(at(2), &mut stream),
            None,
            "waits for the confirmation"
        );
        assert_eq!(stream.written, 100_000, "the second file waits as well");
        stream.arrived = 1;
        stream.room = 200_000;
        assert_eq!(
            endpoint.on_progress(at(200), &mut stream),
            None,
            "first transaction done"
        );
        stream.arrived = 1;
        let record = endpoint.on_progress(at(401), &mut stream);
        let expected = TimingRecord {
            start: at(1),
            elapsed: Duration::from_millis(400),
            bytes: 200_000,
        };
        assert_eq!(record, Some(expected));
        assert!(stream.closed, "one record was asked for");
    }

    #[test]
    fn each_complete_file_is_confirmed_once() {
        let mut endpoint = ChariotEndpoint2::new(SCRIPT);
        let mut stream = Buffers {
            room: 1000,
            arrived: 99_999,
            ..Buffers::default()
        };
        assert_eq!(endpoint.on_progress(&mut stream), 99_999);
        assert_eq!(stream.written, 0);
        stream.arrived = 100_001;
        assert_eq!(endpoint.on_progress(&mut stream), 100_001);
        assert_eq!(
            stream.written, 2,
            "the last byte of one file and all of the next"
        );
    }
}
