//! Counters of one direction.

use serde::Serialize;

use super::cause::Cause;
use super::stall::{Pauses, Stall};

/// Counts and extremes of one direction: of what one end sends, and of what the other end
/// says about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DirectionCounters {
    /// Segments.
    pub packets: u64,
    /// Segments with the ACK flag.
    pub acks: u64,
    /// Segments with the ACK flag, without payload and without SYN, FIN or RST.
    pub acks_pure: u64,
    /// Segments with payload.
    pub packets_data: u64,
    /// Payload bytes, each as often as it was sent.
    pub bytes: u64,
    /// Payload bytes, each once.
    pub bytes_unique: u64,
    /// The most data in flight: highest sequence number sent less the last acknowledged. None
    /// where nobody was heard to acknowledge.
    pub flight_max: Option<u64>,
    /// The least, as each segment was sent.
    pub flight_min: Option<u64>,
    /// The largest window that this end advertised, scaled; none if no SYN told the scale.
    pub window_max: Option<u64>,
    /// The smallest.
    pub window_min: Option<u64>,
    /// The largest payload.
    pub mss_max: u32,
    /// The smallest payload.
    pub mss_min: u32,
    /// The smallest time to live.
    pub ttl_min: u8,
    /// The largest.
    pub ttl_max: u8,
    /// Segments that advertised no window at all.
    pub window_zero: u64,
    /// Segments with the PSH flag.
    pub pushes: u64,
    /// Time when the first segment with the ACK flag and without SYN was captured.
    pub first_ack_ns: u64,
    /// Data sent before the first acknowledgment of data: the initial window.
    pub flight_initial: Option<u64>,
    /// Time when the first payload was captured; 0 if none was.
    pub first_data_ns: u64,
    /// Segments with the RST flag.
    pub resets: u64,
    /// Segments with the SYN flag.
    pub syns: u64,
    /// Segments with the FIN flag.
    pub fins: u64,
    /// Segments of which some byte was seen before.
    pub packets_retransmitted: u64,
    /// Payload bytes that were seen before.
    pub bytes_retransmitted: u64,
    /// Segments behind their successors of which no byte was seen before.
    pub packets_out_of_order: u64,
    /// The two above by their cause, in the order of [`Cause::ALL`].
    #[serde(serialize_with = "super::summary::causes")]
    pub causes: [u64; Cause::ALL.len()],
    /// Times the sender's retransmission timer expired, as far as it shows.
    pub timeouts: u64,
    /// Times the sender entered a recovery that was not by timeout.
    pub recoveries: u64,
    /// Keep-alives, with a byte in them or without (RFC 9293 §3.8.4).
    pub keep_alives: u64,
    /// Times the sequence numbers went on further than they should.
    pub gaps: u64,
    /// Acknowledgments of data that were not captured.
    pub acks_of_unseen: u64,
    /// Acknowledgments of what was captured only behind them: no path does that, but clocks that
    /// disagree, or records out of their order.
    pub acks_early: u64,
    /// By how much these came too early in all, by their times.
    pub acks_early_ns: u64,
    /// Acknowledgments for this direction below an earlier one.
    pub acks_old: u64,
    /// Duplicate acknowledgments for this direction (RFC 5681 §2).
    pub duplicate_acks: u64,
    /// Acknowledgments for this direction with news in their SACK blocks (RFC 6675 §2).
    pub duplicate_acks_sack: u64,
    /// Acknowledgments for this direction with SACK blocks.
    pub sacks: u64,
    /// Segments of this direction that the receiver reported as having come twice (RFC 2883).
    pub duplicates_reported: u64,
    /// Acknowledgments that showed this sender reordering: what it sent once was delivered after
    /// what it sent later (`tcpi_reord_seen` of Linux).
    pub reorderings: u64,
    /// Segments that were captured whole and have the right checksum.
    pub checksums_right: u64,
    /// Segments whose checksum covers the pseudo header alone, which leaves the rest to a card.
    pub checksums_partial: u64,
    /// Segments with another wrong checksum.
    pub checksums_wrong: u64,
    /// Segments whose options, or a part of them, the snap length cut off.
    pub options_cut: u64,
    /// Segments whose sequence number is out of all proportion.
    pub segments_strange: u64,
    /// Acknowledgments for this direction whose number is out of all proportion.
    pub acks_strange: u64,
    /// Segments that may be marked instead of dropped (RFC 3168 §5).
    pub ecn_capable: u64,
    /// Segments that were marked: a queue on the way was long.
    pub ecn_marked: u64,
    /// Number of times the receiver told of marks on this direction: segments with ECE, or, where
    /// it counts marked packets (RFC 9768), how many these are.
    pub ecn_echoes: u64,
    /// Segments with CWR, by which this end says that it has reduced its congestion window; none
    /// where ends count marks, as it is a part of their count.
    pub ecn_reductions: u64,
    /// Messages of ICMP that a segment of this direction was too large for a link.
    pub icmp_too_big: u64,
    /// Messages that no route led to the other end's host, or that it did not answer.
    pub icmp_unreachable: u64,
    /// Messages that nobody listened at the other end's port.
    pub icmp_port_unreachable: u64,
    /// Messages that a filter forbade it.
    pub icmp_prohibited: u64,
    /// Messages that a segment was under way for too many hops.
    pub icmp_time_exceeded: u64,
    /// Pauses of this sender by what it waited for, in the order of [`Stall::ALL`].
    #[serde(serialize_with = "super::summary::stalls")]
    pub stalls: [Pauses; Stall::ALL.len()],
}

impl DirectionCounters {
    /// Segments that were retransmitted or late, by cause.
    pub const fn cause(&self, cause: Cause) -> u64 {
        self.causes[cause.index()]
    }

    /// Pauses by what the sender waited for.
    pub const fn stall(&self, stall: Stall) -> Pauses {
        self.stalls[stall as usize]
    }

    /// A segment out of sequence, `seen` of whose sequence numbers came before.
    pub(super) fn on_old(&mut self, payload: u32, seen: u64, cause: Cause) {
        let seen_bytes = seen.min(payload.into());
        if seen > 0 {
            self.packets_retransmitted += 1;
            self.bytes_retransmitted += seen_bytes;
        } else {
            self.packets_out_of_order += 1;
        }
        self.causes[cause.index()] += 1;
    }

    pub(super) fn on_window_probe(&mut self) {
        self.causes[Cause::WindowProbe.index()] += 1;
    }

    /// Moves a segment from one cause to another.
    pub(super) fn reclassify(&mut self, from: Cause, to: Cause) {
        self.causes[from.index()] -= 1;
        self.causes[to.index()] += 1;
    }
}
