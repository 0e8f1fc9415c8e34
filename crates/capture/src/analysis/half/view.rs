//! What an observer may look at in a direction. Nothing here decides anything.

use super::{Half, ORIGIN};
use crate::analysis::rtt::LEAST_RTO_NS;
use crate::dissect::{Flags, Segment};

/// A copy of some data that was not delivered, as it seems when the next is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::analysis) struct Missing {
    /// When it was sent; or when its place was left empty, if it was lost before the point of
    /// capture.
    pub sent_ns: u64,
    /// How often these data had been sent by then.
    pub copies: u32,
}

impl Half {
    /// The full number of a direction's first sequence number.
    pub(in crate::analysis) const fn origin(seq: u32) -> u64 {
        ORIGIN | seq as u64
    }

    /// The full number of a sequence number of this direction; none if it is strange.
    pub(in crate::analysis) fn number(&self, seq: u32) -> Option<u64> {
        self.unwrap(seq).filter(|_| self.is_started())
    }

    /// Sent and not acknowledged.
    pub(in crate::analysis) const fn flight(&self) -> u64 {
        self.next.saturating_sub(self.acked)
    }

    /// The window that a segment of this end advertises, scaled where the scale is known.
    pub(in crate::analysis) fn advertised(&self, segment: &Segment) -> u64 {
        let is_scaled = !segment.flags.has(Flags::SYN);
        u64::from(segment.window) << if is_scaled { self.shift } else { 0 }
    }

    /// When the segment was sent whose round trip an acknowledgment of `ack` would end.
    pub(in crate::analysis) fn timed_since(&self, ack: u64) -> Option<u64> {
        self.outstanding.last_before(ack).map(|sent| sent.last_ns)
    }

    /// The copy of `start..end` that another is sent for: one on its way, or one that never
    /// passed the point of capture.
    pub(in crate::analysis) fn missing(&self, start: u64, end: u64) -> Option<Missing> {
        if start >= end {
            return None;
        }
        let on_its_way = self.outstanding.first_in(start, end).map(|sent| Missing {
            sent_ns: sent.last_ns,
            copies: sent.times.into(),
        });
        let passed_over = || self.trouble.as_ref()?.holes.left_at(start, end);
        on_its_way.or_else(|| passed_over().map(|sent_ns| Missing { sent_ns, copies: 1 }))
    }

    /// The sender's retransmission timeout, as far as it can be known from here.
    pub(in crate::analysis) fn timeout_ns(&self) -> u64 {
        let measured = self.estimator.timeout_ns().max(self.handshake_ns);
        measured.max(LEAST_RTO_NS)
    }

    /// Packet number and first sequence number of the retransmissions that may yet be found
    /// unnecessary.
    pub(in crate::analysis) fn remembered(&self) -> impl Iterator<Item = (u64, u64)> {
        let trouble = self.trouble.iter();
        let recent = trouble.flat_map(|trouble| &trouble.recent);
        recent.map(|again| (again.number, again.start))
    }
}
