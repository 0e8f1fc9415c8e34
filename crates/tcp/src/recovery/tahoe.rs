//! Tahoe: fast retransmit, then slow start (V. Jacobson, "Congestion Avoidance and Control",
//! SIGCOMM 1988; K. Fall and S. Floyd, "Simulation-based Comparisons of Tahoe, Reno, and SACK
//! TCP", CCR 26(3), 1996, §2).
//!
//! The duplicates that speak for a loss are treated as a timeout would be: the window falls to
//! one segment and everything outstanding is retransmitted from the left as it opens, as in Fall
//! and Floyd's Tahoe. There is no fast recovery.

use super::{Recovery, SendPointers};
use crate::congestion::{Controller, Loss};

impl Recovery {
    pub(super) fn enter_tahoe(&mut self, o: SendPointers, loss: Loss, congestion: &mut Controller) {
        self.remember(o, congestion);
        congestion.on_timeout(&self.without_limited(loss), false);
        self.by_timer = false;
        self.go_back_from(o);
    }
}
