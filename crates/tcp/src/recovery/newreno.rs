//! NewReno fast recovery (RFC 6582): a partial acknowledgement points at the next loss.

use super::{AckProgress, Recovery, SendPointers};
use crate::congestion::Controller;

impl Recovery {
    /// Step 3 of RFC 6582 §3.2.
    pub(super) fn newreno_new_ack(
        &mut self,
        o: SendPointers,
        acked: u64,
        congestion: &mut Controller,
    ) -> AckProgress {
        let mss = self.settings.mss;
        if o.una >= self.point {
            // The first of the two windows it offers, which cannot let a burst out.
            let burst_limit = (o.max - o.una).max(mss) + mss;
            return self.leave_fast(burst_limit, congestion);
        }
        self.resend_first = true;
        self.inflation -= acked as i64;
        if acked >= mss {
            self.inflation += mss as i64;
        }
        // The "impatient" variant it recommends: only the first partial acknowledgement
        // restarts the timer, so that many losses in one window end in a timeout.
        self.partial_acks += 1;
        AckProgress::Partial {
            restart_timer: self.partial_acks == 1,
        }
    }
}
