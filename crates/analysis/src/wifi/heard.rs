//! Contents of a frame's body that a sniffer hands on.

use super::tcp::MsduSegment;

/// Contents of a frame's body.
#[derive(Clone, Copy, Debug)]
pub(super) enum Contents {
    /// Nothing that is of interest here.
    Other,
    /// A TCP segment: the first, if there are several.
    Segment(MsduSegment),
    /// Bitmap of a block acknowledgment.
    Acknowledged(Bitmap),
}

impl Contents {
    /// The segment, if there is one.
    #[inline]
    pub fn carried(&self) -> Option<&MsduSegment> {
        match self {
            Contents::Segment(carried) => Some(carried),
            _ => None,
        }
    }
}

/// Bitmap of a block acknowledgment (9.3.1.8).
#[derive(Clone, Copy, Debug)]
pub(super) struct Bitmap {
    pub tid: u8,
    pub start: u16,
    pub bits: [u8; 32],
    pub len: usize,
}

impl Bitmap {
    /// Control (2), starting sequence (2), a bit for each number: 64, or 256 where the fragment
    /// number says so.
    pub fn parse(body: &[u8]) -> Option<Bitmap> {
        const LONG: u16 = 0x04;
        let &[c0, c1, s0, s1, ref rest @ ..] = body else {
            return None;
        };
        let start = u16::from_le_bytes([s0, s1]);
        let len = if start & LONG != 0 { 32 } else { 8 };
        let mut bits = [0; 32];
        bits[..len].copy_from_slice(rest.get(..len)?);
        Some(Bitmap {
            tid: (u16::from_le_bytes([c0, c1]) >> 12) as u8,
            start: start >> 4,
            bits,
            len,
        })
    }
}
