//! What goes before everything else.

use crate::Segment;

/// A SYN or SYN-ACK that is to be built, or a segment that is ready: a reset, which may outlive
/// the connection, or a keep-alive probe. Asked with every segment, so one flag tells of both.
#[derive(Clone, Debug, Default)]
pub(super) struct Urgent {
    is_due: bool,
    syn: bool,
    segment: Option<Segment>,
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
        self.is_due = self.segment.is_some();
    }

    pub fn owe(&mut self, segment: Segment) {
        (self.segment, self.is_due) = (Some(segment), true);
    }

    pub fn take_segment(&mut self) -> Option<Segment> {
        let segment = self.segment.take();
        self.is_due = self.syn;
        segment
    }
}
