//! TCP headers: RFC 9293, with the options of RFC 2018 and RFC 7323.

use etherparse::TcpOptionElement::{
    MaximumSegmentSize, Noop, SelectiveAcknowledgement, SelectiveAcknowledgementPermitted,
    Timestamp, WindowScale,
};
use etherparse::{TcpHeader, TcpOptionElement};

use super::build::WriteError;

/// The numbers of a TCP header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpFields<'a> {
    /// The sender's port.
    pub source_port: u16,
    /// The receiver's port.
    pub destination_port: u16,
    /// The sequence number of the first byte, or of the SYN.
    pub sequence: u32,
    /// The next byte expected, meaningful with the ACK flag.
    pub acknowledgment: u32,
    /// The control bits.
    pub flags: TcpFlags,
    /// The window field as it stands in the header, already scaled down.
    pub window: u16,
    /// The options.
    pub options: TcpOptions<'a>,
}

/// The control bits of a TCP header (RFC 9293, 3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpFlags {
    /// No more data from the sender.
    pub fin: bool,
    /// Synchronize sequence numbers.
    pub syn: bool,
    /// Reset the connection.
    pub rst: bool,
    /// Push.
    pub psh: bool,
    /// The acknowledgment number counts.
    pub ack: bool,
    /// ECN echo (RFC 3168).
    pub ece: bool,
    /// Congestion window reduced (RFC 3168).
    pub cwr: bool,
}

/// The options of a TCP header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpOptions<'a> {
    /// Maximum segment size, on a SYN.
    pub mss: Option<u16>,
    /// Window scale shift, on a SYN.
    pub window_scale: Option<u8>,
    /// SACK permitted, on a SYN.
    pub sack_permitted: bool,
    /// Timestamps.
    pub timestamps: Option<TimestampsOption>,
    /// SACK blocks, newest first: up to four, up to three beside timestamps.
    pub sack: &'a [SackOptionBlock],
}

/// The timestamps option (RFC 7323, 3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimestampsOption {
    /// The sender's clock, TSval.
    pub value: u32,
    /// The peer's clock as last seen, TSecr.
    pub echo: u32,
}

/// One block of a SACK option (RFC 2018, 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SackOptionBlock {
    /// The first sequence number of the block.
    pub left: u32,
    /// The sequence number behind its last.
    pub right: u32,
}

/// The most option elements there can be, padding included.
const ELEMENTS_MAX: usize = 10;
/// The most SACK blocks that 40 bytes of options hold (RFC 2018, 3).
const SACK_BLOCKS_MAX: usize = 4;

impl TcpOptions<'_> {
    /// Returns how many bytes of the header they take. A simulated segment is right
    /// about its length when it counts these.
    pub fn len(&self) -> usize {
        let handshake =
            4 * usize::from(self.mss.is_some()) + 4 * usize::from(self.window_scale.is_some());
        let clock = match (self.timestamps.is_some(), self.sack_permitted) {
            (true, _) => 12, // SACK permitted takes the place of the padding
            (false, true) => 4,
            (false, false) => 0,
        };
        let sack = if self.sack.is_empty() {
            0
        } else {
            4 + 8 * self.sack.len()
        };
        handshake + clock + sack
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Lays the options out with each on a word boundary, as Linux does: SACK
    /// permitted shares the words of the timestamps (RFC 7323, appendix A, pads
    /// these by two bytes), and padding precedes the option that needs it.
    fn encode(&self) -> Result<etherparse::TcpOptions, WriteError> {
        if self.sack.len() > SACK_BLOCKS_MAX {
            return Err(WriteError::OptionsTooLong { bytes: self.len() });
        }
        let mut elements = [const { Noop }; ELEMENTS_MAX];
        let mut count = 0;
        let mut push = |element: TcpOptionElement| {
            elements[count] = element;
            count += 1;
        };
        if let Some(mss) = self.mss {
            push(MaximumSegmentSize(mss));
        }
        if self.sack_permitted {
            if self.timestamps.is_none() {
                push(Noop);
                push(Noop);
            }
            push(SelectiveAcknowledgementPermitted);
        } else if self.timestamps.is_some() {
            push(Noop);
            push(Noop);
        }
        if let Some(TimestampsOption { value, echo }) = self.timestamps {
            push(Timestamp(value, echo));
        }
        if let Some(shift) = self.window_scale {
            push(Noop);
            push(WindowScale(shift));
        }
        if let Some((first, rest)) = self.sack.split_first() {
            let edges = |block: &SackOptionBlock| (block.left, block.right);
            push(Noop);
            push(Noop);
            let rest = [0, 1, 2].map(|i| rest.get(i).map(edges));
            push(SelectiveAcknowledgement(edges(first), rest));
        }
        etherparse::TcpOptions::try_from_elements(&elements[..count])
            .map_err(|_| WriteError::OptionsTooLong { bytes: self.len() })
    }
}

impl TcpFields<'_> {
    /// The header, its checksum still zero.
    pub(super) fn header(&self) -> Result<TcpHeader, WriteError> {
        let flags = self.flags;
        Ok(TcpHeader {
            source_port: self.source_port,
            destination_port: self.destination_port,
            sequence_number: self.sequence,
            acknowledgment_number: self.acknowledgment,
            ns: false,
            fin: flags.fin,
            syn: flags.syn,
            rst: flags.rst,
            psh: flags.psh,
            ack: flags.ack,
            urg: false,
            ece: flags.ece,
            cwr: flags.cwr,
            window_size: self.window,
            checksum: 0,
            urgent_pointer: 0,
            options: self.options.encode()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: TimestampsOption = TimestampsOption {
        value: 0x0102_0304,
        echo: 0x0506_0708,
    };

    fn encoded(options: TcpOptions<'_>) -> Vec<u8> {
        let bytes = options.encode().unwrap().as_slice().to_vec();
        assert_eq!(bytes.len(), options.len());
        bytes
    }

    #[test]
    fn a_syn_with_every_option_takes_twenty_bytes() {
        let syn = TcpOptions {
            mss: Some(1460),
            window_scale: Some(7),
            sack_permitted: true,
            timestamps: Some(CLOCK),
            sack: &[],
        };
        let expected = [
            2, 4, 0x05, 0xB4, 4, 2, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8, 1, 3, 3, 7,
        ];
        assert_eq!(encoded(syn), expected);
    }

    #[test]
    fn sack_permitted_and_timestamps_are_padded_when_alone() {
        let permitted = TcpOptions {
            sack_permitted: true,
            ..TcpOptions::default()
        };
        assert_eq!(encoded(permitted), [1, 1, 4, 2]);
        let clock = TcpOptions {
            timestamps: Some(CLOCK),
            ..TcpOptions::default()
        };
        assert_eq!(encoded(clock), [1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn two_sack_blocks_follow_two_bytes_of_padding() {
        let blocks = [
            SackOptionBlock { left: 1, right: 2 },
            SackOptionBlock {
                left: 0x0A00_0000,
                right: 0x0A00_05B4,
            },
        ];
        let options = TcpOptions {
            sack: &blocks,
            ..TcpOptions::default()
        };
        let expected = [
            1, 1, 5, 18, 0, 0, 0, 1, 0, 0, 0, 2, 10, 0, 0, 0, 10, 0, 0x05, 0xB4,
        ];
        assert_eq!(encoded(options), expected);
    }

    #[test]
    fn three_sack_blocks_fit_beside_timestamps_and_four_do_not() {
        let blocks = [SackOptionBlock { left: 1, right: 2 }; 5];
        let with = |count: usize, timestamps| TcpOptions {
            timestamps,
            sack: &blocks[..count],
            ..TcpOptions::default()
        };
        assert_eq!(encoded(with(3, Some(CLOCK))).len(), 40);
        assert_eq!(encoded(with(4, None)).len(), 36);
        let refused = |options: TcpOptions<'_>| options.encode().unwrap_err();
        assert_eq!(
            refused(with(4, Some(CLOCK))),
            WriteError::OptionsTooLong { bytes: 48 }
        );
        assert_eq!(
            refused(with(5, None)),
            WriteError::OptionsTooLong { bytes: 44 }
        );
    }

    #[test]
    fn a_data_segment_of_an_old_stack_carries_no_options() {
        assert!(TcpOptions::default().is_empty());
        assert_eq!(encoded(TcpOptions::default()), [0; 0]);
    }
}
