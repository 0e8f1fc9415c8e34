//! A datagram: what it says of itself, to an endpoint or to an iperf3 server.

use crate::stamps::Label;

/// Carries an application's bytes.
pub(crate) const DATA: u8 = 0;
/// Shows a ticket, or answers one.
pub(crate) const OPENING: u8 = 1;
/// Says that its sender is still there.
pub(crate) const ALIVE: u8 = 2;
/// Bytes, at most: those of an Ethernet frame less the headers of IPv4 and UDP.
pub(crate) const LONGEST: usize = 1472;

/// Of ours: kind, tag and number; what a shorter datagram has no room for is cut off.
const HEAD: usize = 1 + 8 + 4;
/// Of iperf3: seconds and microseconds at which it left, and its number from 1 on, each as four
/// bytes, big-endian (esnet/iperf, src/iperf_udp.c).
const IPERF3_HEAD: usize = 4 + 4 + 4;
/// Bytes that an iperf3 server wants at least.
pub(crate) const IPERF3_SHORTEST: u32 = 16;

/// Whose datagrams a flow has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Ours,
    Iperf3,
}

impl Form {
    /// Writes what a datagram says of itself into its bytes; `sent_ns` is when it leaves, by
    /// CLOCK_REALTIME.
    pub fn write(self, bytes: &mut [u8], label: Label, sent_ns: u64) {
        let mut head = [0; HEAD];
        let used = match self {
            Form::Ours => {
                head[0] = DATA;
                head[1..9].copy_from_slice(&label.tag.to_le_bytes());
                head[9..].copy_from_slice(&label.number.to_le_bytes());
                HEAD
            }
            Form::Iperf3 => {
                let [seconds, nanos] = [sent_ns / NS_PER_S, sent_ns % NS_PER_S];
                head[..4].copy_from_slice(&(seconds as u32).to_be_bytes());
                head[4..8].copy_from_slice(&((nanos / 1000) as u32).to_be_bytes());
                let number = label.number.wrapping_add(1);
                head[8..IPERF3_HEAD].copy_from_slice(&number.to_be_bytes());
                IPERF3_HEAD
            }
        };
        let length = bytes.len().min(used);
        bytes[..length].copy_from_slice(&head[..length]);
    }

    /// Reads what a datagram says of itself. The tag of one from an iperf3 server is when it left, in
    /// nanoseconds by the server's clock.
    pub fn read(self, bytes: &[u8]) -> Label {
        let mut head = [0; HEAD];
        let length = bytes.len().min(HEAD);
        head[..length].copy_from_slice(&bytes[..length]);
        let [h0, h1, h2, h3, h4, h5, h6, h7, h8, h9, h10, h11, h12] = head;
        let (tag, number) = match self {
            Form::Ours => (
                u64::from_le_bytes([h1, h2, h3, h4, h5, h6, h7, h8]),
                u32::from_le_bytes([h9, h10, h11, h12]),
            ),
            Form::Iperf3 => {
                let seconds = u64::from(u32::from_be_bytes([h0, h1, h2, h3]));
                let micros = u64::from(u32::from_be_bytes([h4, h5, h6, h7]));
                let number = u32::from_be_bytes([h8, h9, h10, h11]);
                (seconds * NS_PER_S + micros * 1000, number.wrapping_sub(1))
            }
        };
        let size = bytes.len() as u32;
        Label { number, tag, size }
    }

    /// What a datagram is.
    pub fn kind(self, bytes: &[u8]) -> Option<u8> {
        match self {
            Form::Ours => bytes.first().copied(),
            Form::Iperf3 => (bytes.len() >= IPERF3_HEAD).then_some(DATA),
        }
    }

    /// Whether a datagram of so many bytes has a number.
    pub fn is_numbered(self, size: usize) -> bool {
        let head = match self {
            Form::Ours => HEAD,
            Form::Iperf3 => IPERF3_HEAD,
        };
        size >= head
    }
}

const NS_PER_S: u64 = 1_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn label(size: u32) -> Label {
        Label {
            number: 70_000,
            tag: 1_700_000_000_123_456_000,
            size,
        }
    }

    #[test]
    fn a_label_is_read_as_it_is_written_as_far_as_there_is_room() {
        for form in [Form::Ours, Form::Iperf3] {
            let mut bytes = [9; 20];
            form.write(&mut bytes, label(20), label(20).tag);
            assert_eq!((form.read(&bytes), bytes[13]), (label(20), 9));
            form.write(&mut [0; 1], label(1), 0);
        }
        let mut short = [9; 9];
        Form::Ours.write(&mut short, label(9), 0);
        let read = Form::Ours.read(&short);
        assert_eq!((read.tag, read.number), (label(9).tag, 0));
        assert!(!Form::Ours.is_numbered(12) && Form::Ours.is_numbered(13));
    }

    #[test]
    fn an_iperf3_server_counts_from_1_on() {
        let mut bytes = [0; 16];
        let first = Label {
            number: 0,
            ..label(16)
        };
        Form::Iperf3.write(&mut bytes, first, 3_000_002_000);
        assert_eq!(bytes[..12], [0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1]);
    }
}
