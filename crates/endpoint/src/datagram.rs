//! A datagram between endpoints: what it is in its first byte, then what it says of itself.

use crate::stamps::Label;

/// Carries an application's bytes.
pub(crate) const DATA: u8 = 0;
/// Shows a ticket, or answers one.
pub(crate) const OPENING: u8 = 1;
/// Says that its sender is still there.
pub(crate) const ALIVE: u8 = 2;
/// Bytes, at most: those of an Ethernet frame less the headers of IPv4 and UDP.
pub(crate) const LONGEST: usize = 1472;

/// Kind, tag and number; what a shorter datagram has no room for is cut off.
const HEAD: usize = 1 + 8 + 4;

/// Writes what a datagram says of itself into its bytes.
pub(crate) fn write(bytes: &mut [u8], label: Label) {
    let mut head = [0; HEAD];
    head[0] = DATA;
    head[1..9].copy_from_slice(&label.tag.to_le_bytes());
    head[9..].copy_from_slice(&label.number.to_le_bytes());
    let length = bytes.len().min(HEAD);
    bytes[..length].copy_from_slice(&head[..length]);
}

/// Reads what a datagram says of itself.
pub(crate) fn read(bytes: &[u8]) -> Label {
    let mut head = [0; HEAD];
    let length = bytes.len().min(HEAD);
    head[..length].copy_from_slice(&bytes[..length]);
    let [_, t0, t1, t2, t3, t4, t5, t6, t7, n0, n1, n2, n3] = head;
    Label {
        tag: u64::from_le_bytes([t0, t1, t2, t3, t4, t5, t6, t7]),
        number: u32::from_le_bytes([n0, n1, n2, n3]),
        size: bytes.len() as u32,
    }
}

/// Returns whether a datagram of so many bytes has a number.
pub(crate) fn is_numbered(size: usize) -> bool {
    size >= HEAD
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_read_as_it_is_written_as_far_as_there_is_room() {
        let label = |size| Label {
            number: 70_000,
            tag: u64::MAX - 1,
            size,
        };
        let mut bytes = [9; 20];
        write(&mut bytes, label(20));
        assert_eq!((read(&bytes), bytes[13]), (label(20), 9));
        let mut short = [9; 9];
        write(&mut short, label(9));
        assert_eq!((read(&short).tag, read(&short).number), (u64::MAX - 1, 0));
        assert!(!is_numbered(12) && is_numbered(13));
        write(&mut [0; 1], label(1));
    }
}
