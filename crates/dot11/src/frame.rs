//! Frames as the simulated air carries them: a header's meaning, lengths, no bytes.

use serde::{Deserialize, Serialize};
use units::Duration;

pub use phy::ACK_BYTES;
use phy::{ErrorModel, Mode, Section, TxVector};

/// Frame check sequence (IEEE 802.11-2007 §7.1.3.7).
pub const FCS_BYTES: u16 = 4;
/// MAC header of a data or management frame with three addresses (IEEE 802.11-2007 §7.1.2).
pub const DATA_HEADER_BYTES: u16 = 24;
/// A whole RTS, FCS included (IEEE 802.11-2007 §7.2.1.1).
pub const RTS_BYTES: u16 = 20;
/// A whole CTS, FCS included (IEEE 802.11-2007 §7.2.1.2).
pub const CTS_BYTES: u16 = 14;
/// A whole BlockAckReq, FCS included (IEEE 802.11-2020, 9.3.1.7).
pub const BLOCK_ACK_REQUEST_BYTES: u16 = 24;
/// A BlockAck without its bitmap (IEEE 802.11-2020, 9.3.1.8).
pub(crate) const BLOCK_ACK_BYTES: u16 = 24;
/// What the format of an A-MPDU adds in front of an MPDU (IEEE 802.11-2020, 9.7.1).
pub(crate) const DELIMITER_BYTES: u32 = 4;
/// LLC and SNAP headers in front of an IP packet (IEEE 802.2, RFC 1042).
pub const LLC_SNAP_BYTES: u16 = 8;

/// A station: the index of its node. Small, so that tables per station are plain arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(pub u16);

impl Address {
    /// Every station.
    pub const BROADCAST: Address = Address(u16::MAX);
    /// The transmitter of a decoded CTS or ACK, frames that do not carry one.
    pub const UNSAID: Address = Address(u16::MAX - 1);

    /// Returns whether the frame is for everybody, hence never acknowledged, fragmented or retried.
    #[inline]
    pub const fn is_broadcast(self) -> bool {
        self.0 == Address::BROADCAST.0
    }
}

/// Purpose of a frame; management frames that are queued as data are stand behind all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum FrameKind {
    /// An MSDU or a fragment of one.
    Data,
    /// The acknowledgement of one MPDU.
    Ack,
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// Which MPDUs of a receiver's have come.
    BlockAck,
    /// Asks for a BlockAck, and says where the window of its sender begins.
    BlockAckRequest,
    /// Word about an agreement on block acknowledgment: an action frame.
    Action,
    /// The beacon of an access point.
    Beacon,
    /// A station asks which access points are there.
    ProbeRequest,
    /// An access point says that it is there.
    ProbeResponse,
    /// A step of authentication.
    Authentication,
    /// A station asks for an association.
    AssociationRequest,
    /// What became of that.
    AssociationResponse,
    /// A station asks for an association that has one elsewhere.
    ReassociationRequest,
    /// What became of that.
    ReassociationResponse,
    /// An association is over.
    Disassociation,
    /// Authentication is over.
    Deauthentication,
}

impl FrameKind {
    /// Returns whether it is a management frame that is queued as data are: any but a beacon.
    #[inline]
    pub const fn is_management(self) -> bool {
        self as u8 > FrameKind::Beacon as u8
    }
}

/// One PPDU: an MPDU, or the first one of an A-MPDU, the MPDUs of which are its sender's
/// ([`Mac::mpdus`](crate::Mac::mpdus)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The owner's handle of the MSDU; meaningless except in data and management frames.
    pub msdu: u32,
    /// Who transmits.
    pub transmitter: Address,
    /// Who is to receive.
    pub receiver: Address,
    /// The Duration field in microseconds: how long others set their NAV.
    pub duration: u16,
    /// Sequence number of the MSDU, 0 to 4095.
    pub sequence: u16,
    /// Length of the MPDU: header, body and FCS.
    pub bytes: u16,
    /// Length of the PSDU in the format of an A-MPDU; 0 where the PSDU is the MPDU.
    pub ampdu_bytes: u32,
    /// Length of the body.
    pub body_bytes: u16,
    /// Where in the MSDU the body begins.
    pub body_offset: u16,
    /// Fragment number, 0 to 15.
    pub fragment: u8,
    /// What the frame is for.
    pub kind: FrameKind,
    /// How it is put on the air.
    pub vector: TxVector,
    /// Whether a further fragment of the MSDU follows.
    pub more_fragments: bool,
    /// Whether this MPDU was transmitted before.
    pub retry: bool,
}

impl Frame {
    /// Returns what gives it its rate.
    #[inline]
    pub const fn mode(&self) -> Mode {
        self.vector.mode
    }

    /// Returns how long the frame occupies the air, preamble and PLCP header included.
    #[inline]
    pub const fn airtime(&self) -> Duration {
        self.vector.duration(self.psdu_bytes())
    }

    /// Length of the PSDU.
    #[inline]
    pub const fn psdu_bytes(&self) -> u32 {
        match self.ampdu_bytes {
            0 => self.bytes as u32,
            bytes => bytes,
        }
    }

    /// Returns whether it has several MPDUs, each with a fate of its own.
    #[inline]
    pub const fn is_aggregate(&self) -> bool {
        self.ampdu_bytes > self.bytes as u32 + DELIMITER_BYTES
    }

    /// Returns whether it belongs to an exchange under block acknowledgment, as all data to one
    /// station do in formats from 802.11n on.
    #[inline]
    pub const fn is_under_block_ack(&self) -> bool {
        !self.vector.mode.is_legacy()
            || matches!(
                self.kind,
                FrameKind::BlockAck | FrameKind::BlockAckRequest | FrameKind::Action
            )
    }

    /// Returns how long its preamble and PLCP header last.
    #[inline]
    pub const fn plcp_time(&self) -> Duration {
        self.vector.plcp_duration()
    }

    /// Preamble, PLCP header and MPDU, each with how it errs.
    pub fn sections(&self, model: ErrorModel) -> [Section; 3] {
        self.vector.sections(self.psdu_bytes(), model)
    }

    /// The sequence control field: sequence number and fragment number.
    #[inline]
    pub const fn sequence_control(&self) -> u16 {
        self.sequence << 4 | self.fragment as u16
    }

    /// A control frame: no body, no sequence number.
    #[inline]
    pub(crate) const fn control(
        kind: FrameKind,
        from: Address,
        to: Address,
        vector: TxVector,
    ) -> Frame {
        let bytes = match kind {
            FrameKind::Rts => RTS_BYTES,
            FrameKind::Cts => CTS_BYTES,
            FrameKind::BlockAckRequest => BLOCK_ACK_REQUEST_BYTES,
            _ => ACK_BYTES,
        };
        Frame {
            msdu: 0,
            transmitter: from,
            receiver: to,
            duration: 0,
            sequence: 0,
            bytes,
            ampdu_bytes: 0,
            body_bytes: 0,
            body_offset: 0,
            fragment: 0,
            kind,
            vector,
            more_fragments: false,
            retry: false,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {

    use phy::Preamble;

    use super::*;

    /// Returns what is sent in a mode with the long preamble, if it has one.
    pub(crate) fn long(mode: Mode) -> TxVector {
        TxVector::of(mode, Preamble::Long)
    }

    #[test]
    fn a_frame_fits_into_half_a_cache_line() {
        assert!(size_of::<Frame>() <= 32);
    }

    #[test]
    fn the_plcp_is_part_of_the_airtime() {
        let micros = |preamble| {
            let vector = TxVector::of(Mode::DSSS_2, preamble);
            let ack = Frame::control(FrameKind::Ack, Address(1), Address(2), vector);
            [ack.airtime(), ack.plcp_time()].map(Duration::as_micros)
        };
        assert_eq!(micros(Preamble::Long), [248, 192]);
        assert_eq!(micros(Preamble::Short), [152, 96]);
    }
}
