//! The last bytes under way, lost all of them.
//!
//! What is lost amid others shows in those that arrive behind it, and the receiver's answers ask
//! for it. Behind a tail nothing arrives: the receiver knows of nothing, only a timer of the
//! sender mends it, and a capture at the receiver has a silence as if there was nothing to send.

/// Data lost since something came through last, if that is all that was sent since.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TailLoss(Option<LostTailSegment>);

#[derive(Clone, Copy, Debug)]
struct LostTailSegment {
    start: u64,
    end: u64,
    /// Time when the first of it was sent.
    since_ns: i64,
}

impl TailLoss {
    /// `start` to before `end` was lost, sent at this time; before that, bytes below
    /// `through_end` had come through.
    pub fn lose(&mut self, (start, end): (u64, u64), sent_ns: i64, through_end: u64) {
        match &mut self.0 {
            Some(lost) => lost.end = lost.end.max(end),
            // Behind a retransmission there is what was sent before it.
            None if start < through_end => {}
            None => {
                self.0 = Some(LostTailSegment {
                    start,
                    end,
                    since_ns: sent_ns,
                });
            }
        }
    }

    /// `start` to before `end` came through, sent at this time. If it had been the tail's before,
    /// gives how long after.
    #[inline]
    pub fn come_through(&mut self, (start, end): (u64, u64), sent_ns: i64) -> Option<i64> {
        let lost = self.0.take()?;
        let is_of_it = start < lost.end && end > lost.start;
        is_of_it.then(|| sent_ns.saturating_sub(lost.since_ns))
    }

    /// Nothing is sent any more: whether the tail never came through.
    pub fn is_lost_for_good(&self) -> bool {
        self.0.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_was_lost_whole_if_the_next_to_come_through_is_of_it() {
        let mut tail = TailLoss::default();
        tail.lose((1000, 2000), 7, 1000);
        tail.lose((2000, 3000), 8, 1000);
        // Lost again.
        tail.lose((1000, 2000), 200, 1000);
        assert_eq!(tail.come_through((1000, 2000), 607), Some(600));
        assert!(!tail.is_lost_for_good());
        assert_eq!(tail.come_through((2000, 3000), 608), None);
    }

    #[test]
    fn what_new_bytes_follow_was_no_tail() {
        let mut tail = TailLoss::default();
        tail.lose((1000, 2000), 7, 1000);
        assert_eq!(tail.come_through((2000, 3000), 8), None);
        // Nor was what is lost once more after that.
        tail.lose((1000, 2000), 50, 3000);
        assert_eq!(tail.come_through((1000, 2000), 250), None);
    }

    #[test]
    fn a_tail_that_is_never_retransmitted_is_lost_for_good() {
        let mut tail = TailLoss::default();
        tail.lose((1000, 2000), 7, 1000);
        assert!(tail.is_lost_for_good());
    }
}
