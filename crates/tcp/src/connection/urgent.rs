//! Segments that go before everything else.

use std::collections::VecDeque;

use units::Time;

use crate::Segment;

/// A SYN or SYN-ACK that is to be built, or segments that are ready: a reset, which may outlive
/// the connection, a keep-alive probe, or what left in the middle of a write. Asked with every
/// segment, so one flag tells of all.
#[derive(Clone, Debug, Default)]
pub(super) struct Urgent {
    is_due: bool,
    syn: bool,
    /// With the time at which each leaves, where that is settled.
    segments: VecDeque<(Time, Segment)>,
}

impl Urgent {
    #[inline]
    pub fn is_due(&self) -> bool {
        self.is_due
    }

    pub fn owe_syn(&mut self) {
        (self.syn, self.is_due) = (true, true);
    }

    pub fn forget_syn(&mut self) {
        self.syn = false;
        self.is_due = !self.segments.is_empty();
    }

    pub fn owe(&mut self, segment: Segment) {
        self.owe_at(Time::ZERO, segment);
    }

    pub fn owe_at(&mut self, leaves_at: Time, segment: Segment) {
        self.segments.push_back((leaves_at, segment));
        self.is_due = true;
    }

    pub fn take_segment(&mut self) -> Option<(Time, Segment)> {
        let segment = self.segments.pop_front();
        self.is_due = self.syn || !self.segments.is_empty();
        segment
    }
}
