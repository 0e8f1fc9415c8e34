//! Frames that were captured before.

use super::Dot11Frame;
use crate::mix::GOLDEN;

/// The sequence numbers last seen of each transmitter and traffic identifier: the receiver's
/// duplicate detection (10.3.2.14), kept at the sniffer. It remembers 64 numbers, as many as
/// a block acknowledgement covers, so that a retry inside a burst is recognised too.
#[derive(Debug, Default)]
pub(crate) struct Retries {
    senders: Vec<RetrySender>,
}

#[derive(Clone, Copy, Debug)]
struct RetrySender {
    transmitter: u64,
    newest: u16,
    seen: u64,
}

/// Transmitters told apart at a time, a power of two; another at the same place displaces one.
const SENDERS: usize = 1024;

/// Sequence numbers are 12 bits long (9.2.4.4.2).
const SEQUENCES: u16 = 4096;

impl Retries {
    /// Notes a data frame; true if its number is remembered.
    pub fn note(&mut self, frame: &Dot11Frame) -> bool {
        self.note_number(stream(frame), frame.sequence)
    }

    fn note_number(&mut self, transmitter: u64, sequence: u16) -> bool {
        let fresh = RetrySender {
            transmitter,
            newest: sequence,
            seen: 1,
        };
        if self.senders.is_empty() {
            self.senders = vec![
                RetrySender {
                    transmitter: u64::MAX,
                    ..fresh
                };
                SENDERS
            ];
        }
        let hash = transmitter.wrapping_mul(GOLDEN) >> 54;
        let sender = &mut self.senders[hash as usize % SENDERS];
        if sender.transmitter != transmitter {
            *sender = fresh;
            return false;
        }
        let ahead = sequence.wrapping_sub(sender.newest) % SEQUENCES;
        if ahead > 0 && ahead < SEQUENCES / 2 {
            sender.seen = sender.seen.checked_shl(ahead.into()).unwrap_or(0) | 1;
            sender.newest = sequence;
            return false;
        }
        let behind = (SEQUENCES - ahead) % SEQUENCES;
        let bit = 1_u64.checked_shl(behind.into()).unwrap_or(0);
        let was_seen = sender.seen & bit != 0;
        sender.seen |= bit;
        was_seen
    }
}

/// Returns which count the sequence number of a data frame is of: each transmitter has one for each
/// receiver and traffic identifier, and one for all frames without QoS (10.3.2.14.2). Twelve
/// bits are enough to tell the receivers of one transmitter apart.
fn stream(frame: &Dot11Frame) -> u64 {
    let transmitter = frame.transmitter.unwrap_or_default().to_bits();
    let [.., high, low] = frame.receiver.0;
    match frame.tid() {
        Some(tid) => {
            let receiver = u64::from(u16::from_be_bytes([high, low]) & 0x0FFF);
            transmitter | u64::from(tid) << 48 | receiver << 52
        }
        None => transmitter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_number_is_remembered_through_a_burst_and_across_the_wrap() {
        let mut retries = Retries::default();
        for sequence in (4080..4096).chain(0..16) {
            assert!(!retries.note_number(1, sequence));
        }
        assert!(retries.note_number(1, 4090));
        assert!(retries.note_number(1, 15));
        assert!(!retries.note_number(1, 4000), "too long ago to know");
        assert!(!retries.note_number(2, 15), "another transmitter");
    }
}
