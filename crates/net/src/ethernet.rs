//! The size of what an Ethernet frame carries, on the wire (IEEE 802.3-2018 clause 3.1.1).

/// Bytes of an address, of which the receiver's is the first.
pub(crate) const ADDRESS: u32 = 6;
/// Bytes of both addresses and the type.
pub(crate) const HEADER: u32 = 14;
/// Bytes of the frame check sequence.
pub(crate) const FCS: u32 = 4;
const MIN_FRAME: u32 = 64;
pub(crate) const PREAMBLE: u32 = 8;
pub(crate) const GAP: u32 = 12;

/// Bytes of the Ethernet frame, FCS included, that carries `data_bytes` bytes of IP or ARP.
#[inline]
pub(crate) const fn frame_bytes(data_bytes: u32) -> u32 {
    let frame = HEADER + data_bytes + FCS;
    if frame < MIN_FRAME { MIN_FRAME } else { frame }
}

/// Byte times the frame occupies on the wire: preamble, frame and interframe gap.
#[inline]
pub const fn wire_bytes(data_bytes: u32) -> u32 {
    PREAMBLE + frame_bytes(data_bytes) + GAP
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arp::ARP_BYTES;

    #[test]
    fn a_full_packet_takes_1538_byte_times_and_an_ack_84() {
        assert_eq!(wire_bytes(1500), 1538);
        assert_eq!(
            wire_bytes(40),
            84,
            "40 bytes are padded to the minimum frame"
        );
        assert_eq!(wire_bytes(ARP_BYTES), 84, "and so are those of ARP");
    }
}
