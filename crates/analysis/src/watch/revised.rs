//! Retransmissions that an answer of the receiver shows to have been needless.

use crate::half::Half;
use dissect::Segment;

/// A retransmission by its packet and its first sequence number.
pub(super) type Repair = (u64, u64);

/// Those of one end that one segment of the other revises.
#[derive(Debug, Default)]
pub(super) struct Revised(Vec<Repair>);

impl Revised {
    /// Before the segment is taken: notes what it may revise.
    pub fn expect(&mut self, sender: &Half, segment: &Segment) {
        self.0.clear();
        if sender.may_be_revised_by(segment) {
            self.0.extend(sender.remembered());
        }
    }

    /// Behind it: keeps what it has revised. That is remembered no more.
    pub fn settle(&mut self, sender: &Half) {
        let mut left = sender.remembered().peekable();
        self.0.retain(|repair| left.next_if_eq(repair).is_none());
    }

    /// What the segment has revised.
    pub fn iter(&self) -> impl Iterator<Item = Repair> {
        self.0.iter().copied()
    }
}
