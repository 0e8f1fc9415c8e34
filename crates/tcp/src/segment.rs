//! A TCP segment without its bytes: header fields, options and the length of the payload.

use core::ops::{BitOr, BitOrAssign};

use crate::{Cookie, FastOpenOption, Seq};

/// The bytes the timestamps option takes of every segment (RFC 7323 appendix A).
pub(crate) const TIMESTAMP_BYTES: u32 = 12;
/// Linux takes no smaller MSS from a peer (ip-sysctl, tcp_min_snd_mss). What the links of a path
/// take is no peer's word: a segment that is longer never arrives there.
pub(crate) const MIN_MSS: u32 = 48;

/// The header flags, with the bit values of RFC 9293 §3.1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags(pub u8);

impl Flags {
    /// The sender has sent everything.
    pub const FIN: Flags = Flags(0x01);
    /// Synchronise sequence numbers.
    pub const SYN: Flags = Flags(0x02);
    /// Reset the connection.
    pub const RST: Flags = Flags(0x04);
    /// The sender's queue is empty after this segment.
    pub const PSH: Flags = Flags(0x08);
    /// The acknowledgement field is valid.
    pub const ACK: Flags = Flags(0x10);
    /// ECN-Echo: marked data has come (RFC 3168 §6.1.3).
    pub const ECE: Flags = Flags(0x40);
    /// The congestion window has been reduced (RFC 3168 §6.1.2).
    pub const CWR: Flags = Flags(0x80);

    /// Returns whether every flag of `other` is set.
    #[inline]
    pub const fn contains(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns whether any flag of `other` is set.
    #[inline]
    pub const fn intersects(self, other: Flags) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Flags {
    type Output = Flags;
    #[inline]
    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl BitOrAssign for Flags {
    #[inline]
    fn bitor_assign(&mut self, other: Flags) {
        self.0 |= other.0;
    }
}

/// Values of the ECN field of the IP header, with the bit values of RFC 3168 §5.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ecn {
    /// Its sender does not know what a mark means.
    #[default]
    NotCapable = 0b00,
    /// ECT(1).
    Capable1 = 0b01,
    /// ECT(0).
    Capable = 0b10,
    /// CE: a queue on the way marked it.
    Congestion = 0b11,
}

/// Why the sender sent a segment: its own knowledge, which is not on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SendCause {
    /// SYN, SYN-ACK, a FIN without data, RST.
    Control,
    /// Data for the first time.
    Data,
    /// Data again, because duplicate acknowledgements or SACK blocks spoke for its loss.
    FastRetransmission,
    /// Data again, because the retransmission timer expired.
    TimeoutRetransmission,
    /// An acknowledgement without data.
    #[default]
    Ack,
    /// An acknowledgement sent at once for a segment out of order or received before.
    DuplicateAck,
    /// An acknowledgement that only tells of more room.
    WindowUpdate,
    /// One byte into a closed window, or nothing at all to a silent peer (keep-alive).
    Probe,
}

impl SendCause {
    /// Returns whether it carries data that were sent before.
    #[inline]
    pub fn is_again(self) -> bool {
        matches!(
            self,
            SendCause::FastRetransmission | SendCause::TimeoutRetransmission
        )
    }
}

/// The timestamps option (RFC 7323 §3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timestamps {
    /// TSval, the sender's clock.
    pub value: u32,
    /// TSecr, the clock of the peer as last heard.
    pub echo: u32,
}

/// A stretch of data that arrived out of order (RFC 2018 §3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlock {
    /// The first sequence number of the block.
    pub start: Seq,
    /// The sequence number after the last of the block.
    pub end: Seq,
}

/// Up to four SACK blocks, which is what 40 bytes of options can carry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    blocks: [SackBlock; SackBlocks::MAX],
    len: u8,
    /// In a SYN, which has no blocks, their room may hold a cookie of TCP Fast Open, so that no
    /// segment is larger for what few SYNs carry: how long the option is, 0 where there is none, and
    /// whether it has its experimental form.
    cookie: u8,
}

/// The bit of [`SackBlocks::cookie`] for the experimental form.
const EXPERIMENTAL: u8 = 0x80;
/// Bytes of the option beside the cookie: kind and length, and of the experimental form a number.
const HEAD: u8 = 2;
const EXPERIMENTAL_HEAD: u8 = 4;

impl SackBlocks {
    /// The most blocks that fit without timestamps; with them it is three.
    pub const MAX: usize = 4;

    /// Appends a block; a full list ignores it.
    #[inline]
    pub fn push(&mut self, block: SackBlock) {
        if self.len() < Self::MAX {
            self.blocks[self.len()] = block;
            self.len += 1;
        }
    }

    /// The blocks, in the order of the option.
    #[inline]
    pub fn as_slice(&self) -> &[SackBlock] {
        &self.blocks[..self.len()]
    }

    /// Returns how many blocks there are.
    #[inline]
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Returns whether there is no block, hence no option.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn of_cookie(option: FastOpenOption) -> SackBlocks {
        let bytes = option.cookie.as_bytes();
        let word = |at: usize| {
            let of = |place| bytes.get(at + place).copied().unwrap_or_default();
            Seq(u32::from_be_bytes([of(0), of(1), of(2), of(3)]))
        };
        let block = |at| SackBlock {
            start: word(at),
            end: word(at + 4),
        };
        SackBlocks {
            blocks: [
                block(0),
                block(8),
                SackBlock::default(),
                SackBlock::default(),
            ],
            len: 0,
            cookie: match option.is_experimental {
                true => EXPERIMENTAL | (EXPERIMENTAL_HEAD + bytes.len() as u8),
                false => HEAD + bytes.len() as u8,
            },
        }
    }

    const fn cookie_bytes(&self) -> u32 {
        let bytes = (self.cookie & !EXPERIMENTAL) as u32;
        bytes.next_multiple_of(4)
    }

    fn cookie(&self) -> Option<FastOpenOption> {
        let is_experimental = self.cookie & EXPERIMENTAL != 0;
        let head = if is_experimental {
            EXPERIMENTAL_HEAD
        } else {
            HEAD
        };
        let len = (self.cookie & !EXPERIMENTAL).checked_sub(head)?;
        let mut bytes = [0; Cookie::MAX];
        let words = self
            .blocks
            .iter()
            .flat_map(|block| [block.start, block.end]);
        for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.0.to_be_bytes());
        }
        Some(FastOpenOption {
            cookie: Cookie::new(bytes.get(..usize::from(len))?)?,
            is_experimental,
        })
    }
}

/// The options of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Selective acknowledgements.
    pub sack: SackBlocks,
    /// Timestamps.
    pub timestamps: Option<Timestamps>,
    /// Maximum segment size; SYN only.
    pub mss: Option<u16>,
    /// Window scale; SYN only.
    pub window_scale: Option<u8>,
    /// SACK permitted; SYN only.
    pub sack_permitted: bool,
}

impl Options {
    /// The bytes the options take, each aligned with NOPs to four bytes as hosts do
    /// (RFC 7323 appendix A for the timestamps; "SACK permitted" shares their words).
    #[inline]
    pub const fn bytes(&self) -> u32 {
        let mut bytes = 0;
        if self.mss.is_some() {
            bytes += 4 + self.sack.cookie_bytes(); // of a SYN, which tells its MSS
        }
        if self.window_scale.is_some() {
            bytes += 4;
        }
        if self.timestamps.is_some() {
            bytes += 12;
        } else if self.sack_permitted {
            bytes += 4;
        }
        if !self.sack.is_empty() {
            bytes += 4 + 8 * self.sack.len() as u32;
        }
        bytes
    }
}

impl Options {
    /// The option of TCP Fast Open (RFC 7413); SYN only.
    pub fn fast_open(&self) -> Option<FastOpenOption> {
        self.sack.cookie()
    }

    /// Adds the option of TCP Fast Open to those of a SYN, which can have no SACK blocks.
    pub fn set_fast_open(&mut self, option: FastOpenOption) {
        self.sack = SackBlocks::of_cookie(option);
    }
}

/// A segment. Ports and checksum belong to whoever writes it to a wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Sequence number of the first byte (or of the SYN).
    pub seq: Seq,
    /// Acknowledgement number, valid with [`Flags::ACK`].
    pub ack: Seq,
    /// Bytes of payload.
    pub payload: u32,
    /// The window field as it stands in the header, before scaling.
    pub window: u16,
    /// Flags.
    pub flags: Flags,
    /// The sender's knowledge about this segment; not on the wire.
    pub kind: SendCause,
    /// The ECN field of the IP header in front of it.
    pub ecn: Ecn,
    /// Options.
    pub options: Options,
}

impl Segment {
    /// The TCP header's length with its options.
    #[inline]
    pub const fn header_bytes(&self) -> u32 {
        20 + self.options.bytes()
    }

    /// The header's data offset field: its length in words of four bytes.
    #[inline]
    pub const fn data_offset(&self) -> u8 {
        (self.header_bytes() / 4) as u8
    }

    /// Header and payload.
    #[inline]
    pub const fn total_bytes(&self) -> u32 {
        self.header_bytes() + self.payload
    }

    /// Returns how much sequence space the segment takes: its payload, and one each for SYN and
    /// FIN.
    #[inline]
    pub const fn sequence_length(&self) -> u32 {
        self.payload
            + self.flags.contains(Flags::SYN) as u32
            + self.flags.contains(Flags::FIN) as u32
    }

    /// Returns the memory that a segment of data takes in a queue of Linux (`truesize`): what the
    /// kernel has copied of a longer piece for an interface that splits none. An acknowledgement
    /// counts for nothing (`skb_is_tcp_pure_ack`).
    pub const fn memory(&self) -> u64 {
        /// `sk_buff`; and beside the data a head of MAX_TCP_HEADER and `skb_shared_info`, which
        /// together are rounded up to a power of two, as `kmalloc` does.
        const DESCRIPTOR: u64 = 256;
        const AROUND: u64 = 256 + 320;
        match self.payload as u64 {
            0 => 0,
            payload => DESCRIPTOR + (AROUND + payload).next_power_of_two(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_stays_within_a_cache_line_and_a_half() {
        assert!(size_of::<Segment>() <= 96);
    }

    #[test]
    fn a_full_segment_takes_2304_bytes_of_memory_and_an_acknowledgement_none() {
        let of = |payload| Segment {
            payload,
            ..Segment::default()
        };
        assert_eq!(
            [1460, 1448, 100, 0].map(|payload| of(payload).memory()),
            [2304, 2304, 1280, 0]
        );
    }

    #[test]
    fn a_syn_of_windows_xp_has_a_header_of_28_bytes() {
        let options = Options {
            mss: Some(1460),
            sack_permitted: true,
            ..Options::default()
        };
        let syn = Segment {
            options,
            ..Segment::default()
        };
        assert_eq!((syn.header_bytes(), syn.data_offset()), (28, 7));
    }

    #[test]
    fn a_cookie_takes_the_place_of_sack_blocks() {
        let option = FastOpenOption {
            cookie: Cookie::new(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]).unwrap(),
            is_experimental: false,
        };
        let mut options = Options {
            mss: Some(1460),
            ..Options::default()
        };
        options.set_fast_open(option);
        assert_eq!(options.fast_open(), Some(option));
        assert!(options.sack.is_empty());
        assert_eq!(options.bytes(), 4 + 12);
    }

    #[test]
    fn four_sack_blocks_fit_alone_and_three_beside_timestamps() {
        let mut options = Options::default();
        for _ in 0..4 {
            options.sack.push(SackBlock::default());
        }
        assert_eq!(options.bytes(), 36);
        let mut options = Options {
            timestamps: Some(Timestamps::default()),
            ..Options::default()
        };
        for _ in 0..3 {
            options.sack.push(SackBlock::default());
        }
        assert_eq!(options.bytes(), 40);
    }
}
