//! Number of packets of each kind, and the reasons why others had no TCP segment.

use serde::Serialize;

/// Number of packets of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Tally {
    /// All packets.
    pub packets: u64,
    /// TCP segments found in them, each once.
    pub tcp: u64,
    /// Messages of ICMP about TCP segments.
    pub icmp: u64,
    /// IP packets of other protocols.
    pub other_ip: u64,
    /// Frames of other network protocols, and 802.11 frames without a packet in them.
    pub other_network: u64,
    /// Packets whose link type is not known here.
    pub unknown_link: u64,
    /// Packets that end, or were cut, within a header.
    pub cut: u64,
    /// Packets whose headers contradict themselves.
    pub malformed: u64,
    /// IP fragments of packets that never became whole.
    pub fragments: u64,
    /// 802.11 frames that are encrypted.
    pub encrypted: u64,
    /// 802.11 frames that repeat one that was captured before.
    pub mac_retries: u64,
    /// 802.11 fragments behind the first of a frame, whose headers stand in that one.
    pub mac_fragments: u64,
    /// Frames that were received with a wrong frame check sequence.
    pub bad_fcs: u64,
    /// TCP segments that the capture itself doubled: what it saw at another place before.
    pub doubled: u64,
    /// Packets of which the snap length cut off a part.
    pub snapped: u64,
    /// TCP segments whose options, or a part of them, the snap length cut off.
    pub options_cut: u64,
    /// Packets with an earlier time than the one before.
    pub back_in_time: u64,
}

/// Why there is no TCP segment in a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nothing {
    Report,
    OtherIp,
    OtherNetwork,
    UnknownLink,
    Cut,
    Malformed,
    Fragment,
    Encrypted,
    MacRetry,
    MacFragment,
    BadFcs,
    Doubled,
}

impl Tally {
    /// Counts a packet without a TCP segment.
    pub(super) fn count(&mut self, nothing: Nothing) {
        let counter = match nothing {
            Nothing::Report => &mut self.icmp,
            Nothing::OtherIp => &mut self.other_ip,
            Nothing::OtherNetwork => &mut self.other_network,
            Nothing::UnknownLink => &mut self.unknown_link,
            Nothing::Cut => &mut self.cut,
            Nothing::Malformed => &mut self.malformed,
            // Counted when it came, and no longer when its packet is whole.
            Nothing::Fragment => return,
            Nothing::Encrypted => &mut self.encrypted,
            Nothing::MacRetry => &mut self.mac_retries,
            Nothing::MacFragment => &mut self.mac_fragments,
            Nothing::BadFcs => &mut self.bad_fcs,
            Nothing::Doubled => &mut self.doubled,
        };
        *counter += 1;
    }
}
