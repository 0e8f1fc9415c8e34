//! IPv4 (RFC 791) and IPv6 (RFC 8200) with its extension headers.

use super::{IpAddress, Nothing, PacketPart};

/// Contents of an IP packet.
///
/// In this order, because where there is none, the reason stands in the place of the first field.
/// If that were an address, it would be written in parts and read as a whole, for which a processor
/// waits.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct IpPacket<'a> {
    pub ttl: u8,
    /// Its last two bits are those of ECN (RFC 3168 §5).
    pub traffic_class: u8,
    /// Protocol of the payload: TCP or another (RFC 5237).
    pub protocol: u8,
    pub source: IpAddress,
    pub destination: IpAddress,
    pub ip_id: Option<u16>,
    pub fragment: Option<IpFragment>,
    /// Its destination may not be the last, which the transport's checksum covers (RFC 791 §3.1,
    /// RFC 8200 §8.1).
    pub may_be_source_routed: bool,
    /// The part of the payload that was kept.
    pub payload: &'a [u8],
    /// The payload's length by the header.
    pub payload_len: u32,
}

/// The part of a packet that a fragment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IpFragment {
    pub identification: u32,
    /// In bytes.
    pub offset: u32,
    pub is_last: bool,
}

pub(super) const TCP: u8 = 6;

/// The most extension headers that are followed; a chain may not be longer than a packet,
/// and real ones have two or three.
const LONGEST_CHAIN: usize = 16;

/// An IPv4 packet.
#[inline(always)]
pub(super) fn v4(part: PacketPart<'_>) -> Result<IpPacket<'_>, Nothing> {
    let header: &[u8; 20] = part.first()?;
    let header_len = usize::from(header[0] & 0x0F) * 4;
    if header_len < 20 {
        return Err(Nothing::Malformed);
    }
    let word = |at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
    let quad = |at: usize| [header[at], header[at + 1], header[at + 2], header[at + 3]];
    // A packet that the card is still to segment may have no length yet, or be longer than
    // the field can say; the frame's own length stands in.
    let total_len = match word(2) {
        0 => part.original_len(),
        length => u32::from(length),
    };
    let Some(payload_len) = total_len.checked_sub(header_len as u32) else {
        return Err(Nothing::Malformed);
    };
    let payload = part.behind(header_len)?.bytes;
    let place = word(6);
    let (more, offset) = (place & 0x2000 != 0, u32::from(place & 0x1FFF) * 8);
    Ok(IpPacket {
        source: IpAddress::v4(quad(12)),
        destination: IpAddress::v4(quad(16)),
        ttl: header[8],
        traffic_class: header[1],
        ip_id: Some(word(4)),
        fragment: (more || offset > 0).then(|| IpFragment {
            identification: word(4).into(),
            offset,
            is_last: !more,
        }),
        may_be_source_routed: header_len > 20,
        protocol: header[9],
        payload: &payload[..payload.len().min(payload_len as usize)],
        payload_len,
    })
}

/// An IPv6 packet, followed to TCP.
#[inline]
pub(super) fn v6(part: PacketPart<'_>) -> Result<IpPacket<'_>, Nothing> {
    let header: &[u8; 40] = part.first()?;
    let address = |at: usize| {
        let bytes = header[at..at + 16].try_into().expect("sixteen bytes");
        IpAddress(u128::from_be_bytes(bytes))
    };
    let behind = part.behind(40)?;
    // Zero in a jumbogram (RFC 2675 §3), which is also what a card is handed to segment.
    let payload_len = match u16::from_be_bytes([header[4], header[5]]) {
        0 => behind.original_len(),
        length => u32::from(length),
    };
    let payload = &behind.bytes[..behind.bytes.len().min(payload_len as usize)];
    let mut datagram = IpPacket {
        source: address(8),
        destination: address(24),
        ttl: header[7],
        traffic_class: header[0] << 4 | header[1] >> 4,
        ip_id: None,
        fragment: None,
        may_be_source_routed: false,
        protocol: header[6],
        payload,
        payload_len,
    };
    datagram.follow()?;
    Ok(datagram)
}

// Next-header values of RFC 8200 §4, RFC 4302 and RFC 6275.
const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
pub(super) const AUTHENTICATION: u8 = 51;
const DESTINATION: u8 = 60;
const MOBILITY: u8 = 135;

impl IpPacket<'_> {
    /// Follows the chain of extension headers to what they stand in front of.
    #[inline]
    pub(super) fn follow(&mut self) -> Result<(), Nothing> {
        for _ in 0..LONGEST_CHAIN {
            let length = match self.protocol {
                TCP => return Ok(()),
                HOP_BY_HOP | ROUTING | DESTINATION | MOBILITY => (self.byte(1)? + 1) * 8,
                AUTHENTICATION => (self.byte(1)? + 2) * 4,
                FRAGMENT => 8,
                _ => return Ok(()),
            };
            if self.protocol == FRAGMENT {
                self.enter_fragment()?;
            }
            self.may_be_source_routed |= self.protocol == ROUTING;
            self.protocol = self.byte(0)? as u8;
            self.payload = self.payload.get(length..).ok_or(Nothing::Cut)?;
            self.payload_len -= length as u32;
            // What follows in a later fragment is no header.
            if self.fragment.is_some_and(|fragment| fragment.offset > 0) {
                return Ok(());
            }
        }
        Err(Nothing::Malformed)
    }

    fn enter_fragment(&mut self) -> Result<(), Nothing> {
        let header: &[u8; 8] = self.payload.first_chunk().ok_or(Nothing::Cut)?;
        let place = u16::from_be_bytes([header[2], header[3]]);
        let fragment = IpFragment {
            identification: u32::from_be_bytes([header[4], header[5], header[6], header[7]]),
            offset: u32::from(place & 0xFFF8),
            is_last: place & 1 == 0,
        };
        // An "atomic" fragment is whole (RFC 6946).
        if fragment.offset > 0 || !fragment.is_last {
            self.fragment = Some(fragment);
        }
        Ok(())
    }

    #[inline]
    fn byte(&self, at: usize) -> Result<usize, Nothing> {
        self.payload
            .get(at)
            .map(|&byte| byte.into())
            .ok_or(Nothing::Cut)
    }
}
