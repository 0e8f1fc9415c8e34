//! Reno fast recovery (RFC 5681 §3.2): the first new acknowledgement ends it.
//!
//! A second loss in the same window is left to another three duplicate acknowledgements or
//! to the timer, which is what NewReno was made for.

use super::{AckProgress, Recovery};
use crate::congestion::Controller;

impl Recovery {
    /// Step 6: deflate the window to ssthresh.
    pub(super) fn reno_new_ack(&mut self, congestion: &mut Controller) -> AckProgress {
        self.leave_fast(u64::MAX, congestion)
    }
}
