//! What the network says of what it did not deliver (ICMP): RFC 1191, RFC 5927, as Linux takes it
//! (`tcp_v4_err`). Reading the messages is the owner's.

use units::Time;

use super::Connection;
use crate::{Event, Seq, State};

impl Connection {
    /// Whether a message that quotes the sequence number `seq` may be believed: it is of
    /// something outstanding (RFC 5927 §4.1).
    pub fn is_outstanding(&self, seq: Seq) -> bool {
        let offset = seq.unwrap(self.isn, self.send.una);
        offset.is_some_and(|offset| (self.send.una..=self.send.nxt).contains(&offset))
    }

    /// The path takes segments of `limit` bytes at most, timestamps included. What is longer and
    /// outstanding is lost and sent again in smaller segments, without a timeout's cost
    /// (`tcp_sync_mss`, `tcp_simple_retransmit`). Only Linux's sender does so here; false for
    /// others.
    pub fn on_smaller_path(&mut self, now: Time, limit: u32) -> bool {
        if self.state == State::SynSent {
            self.undress_syn(limit);
            return true;
        }
        let mss = self.config.payload_limit(limit, self.timestamps.is_some());
        let Some(mut sender) = self.linux.take() else {
            return false;
        };
        if mss < self.mss {
            // Linux counts segments: as many of the new size as there were of the old.
            let resized = |bytes: u64| match bytes {
                u64::MAX => u64::MAX,
                _ => bytes / u64::from(self.mss) * u64::from(mss),
            };
            let window = resized(self.congestion.window());
            let ssthresh = resized(self.congestion.ssthresh());
            // The states that come with it begin anew with a loss, which this counts as.
            let algorithm = self.config.algorithm();
            self.congestion = self.config.other_controller(algorithm, mss, window);
            self.congestion.set(window, ssthresh);
            self.mss = mss;
            sender.on_occasion();
            let view = self.view(now, None);
            sender.on_smaller_path(u64::from(mss), &view, &mut self.congestion);
        }
        self.linux = Some(sender);
        true
    }

    /// The connection is over, and nobody is told.
    pub fn forget(&mut self) {
        self.end(Event::Closed);
    }
}
