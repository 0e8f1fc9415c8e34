//! Read-only view of a direction for observers. Nothing here decides anything.

use super::{DirectionState, ORIGIN};
use crate::rtt::LEAST_RTO_NS;
use dissect::{ControlBits, TcpSegment};

/// Counts of a direction up to some time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Amounts {
    /// Payload bytes, each once.
    pub bytes: u64,
    pub segments: u64,
    pub retransmitted: u64,
    pub out_of_order: u64,
    pub timeouts: u64,
    pub recoveries: u64,
}

impl DirectionState {
    /// Returns what it has counted so far.
    pub(crate) fn amounts(&self) -> Amounts {
        let sent = Amounts {
            bytes: self.bytes.wrapping_sub(self.bytes_not_unique),
            segments: self.packets_data,
            ..Amounts::default()
        };
        let counters = self.trouble.as_ref().map(|trouble| &trouble.counters);
        counters.map_or(sent, |counters| Amounts {
            retransmitted: counters.packets_retransmitted,
            out_of_order: counters.packets_out_of_order,
            timeouts: counters.timeouts,
            recoveries: counters.recoveries,
            ..sent
        })
    }

    /// The full number of a direction's first sequence number.
    pub(crate) const fn origin(seq: u32) -> u64 {
        ORIGIN | seq as u64
    }

    /// The full number of a sequence number of this direction; none if it is strange.
    pub(crate) fn number(&self, seq: u32) -> Option<u64> {
        self.unwrap(seq).filter(|_| self.is_started())
    }

    /// Returns whether an acknowledgment of this direction was heard, without which nobody knows
    /// what is on its way.
    pub(crate) const fn is_answered(&self) -> bool {
        self.last_ack_ns > 0
    }

    /// Returns whether it was not retransmitted.
    pub(crate) const fn has_sent_one_syn(&self) -> bool {
        self.syns == 1
    }

    /// Sent and not acknowledged, if that is known.
    pub(crate) fn flight(&self) -> Option<u64> {
        let bytes = self.next.saturating_sub(self.acked);
        self.is_answered().then_some(bytes)
    }

    /// The largest payload that the network carried in one piece.
    pub(crate) const fn full_segment(&self) -> u64 {
        self.segment_max as u64
    }

    /// The window that a segment of this end advertises, if its scale is known; that of a SYN is
    /// not scaled (RFC 7323 §2.2).
    pub(crate) fn advertised(&self, segment: &TcpSegment) -> Option<u64> {
        match segment.flags.has(ControlBits::SYN) {
            true => Some(segment.window.into()),
            false => self.scaled(segment.window),
        }
    }

    /// Returns when the first place between `start` and `end` was left empty.
    pub(crate) fn left_at(&self, start: u64, end: u64) -> Option<u64> {
        self.trouble.as_ref()?.holes.left_at(start, end)
    }

    /// The sender's retransmission timeout, as far as it can be known from here.
    pub(crate) fn timeout_ns(&self) -> u64 {
        let measured = self.estimator.timeout_ns().max(self.handshake_ns);
        measured.max(LEAST_RTO_NS)
    }

    /// Bytes that were acknowledged but never seen. The other end, which acknowledged them, sent a
    /// FIN or not.
    pub(crate) fn bytes_missed(&self, is_answer_closed: bool) -> u64 {
        let Some(holes) = self.trouble.as_ref().map(|trouble| &trouble.holes) else {
            return 0;
        };
        // A FIN takes up a number, too (RFC 9293 §3.4). (That it does where the last number of all
        // was acknowledged alone, and both ends have closed but no FIN was seen here, is inferred:
        // a single byte may have been the last.)
        let may_be_closed = is_answer_closed && self.fins == 0;
        let has_missed_fin = may_be_closed && holes.has_missed_alone(self.acked);
        holes.missed(self.acked) - u64::from(has_missed_fin)
    }
}
