//! The network's messages about what it did not deliver (ICMP): RFC 1191, RFC 5927, as Linux takes
//! it (`tcp_v4_err`). Reading the messages is the owner's.

use units::Time;

use super::Connection;
use crate::recovery::linux::{RouteMtu, Sender};
use crate::segment::{MIN_MSS, TIMESTAMP_BYTES};
use crate::{Event, Seq, State};

impl Connection {
    /// Returns whether a message that quotes the sequence number `seq` may be believed: it is of
    /// something outstanding (RFC 5927 §4.1).
    pub fn is_outstanding(&self, seq: Seq) -> bool {
        let offset = seq.unwrap(self.isn, self.send.una);
        offset.is_some_and(|offset| (self.send.una..=self.send.nxt).contains(&offset))
    }

    /// The path takes segments of `limit` bytes at most, timestamps included. What is longer and
    /// outstanding is lost and retransmitted in smaller segments, without a timeout's cost.
    pub fn on_smaller_path(&mut self, now: Time, limit: u32) {
        if self.state == State::SynSent {
            self.undress_syn(limit);
            return;
        }
        let mss = self
            .config
            .payload_on_path(limit, self.timestamps.is_some());
        match self.linux.take() {
            Some(mut sender) => {
                self.follow_as_linux(now, (limit, mss), &mut sender);
                self.linux = Some(sender);
            }
            None if mss < self.mss => self.follow_as_bsd(mss),
            None => {}
        }
    }

    /// RFC 1191 §6.4: everything outstanding is retransmitted, and the window stays, as in 4.4BSD's
    /// `tcp_mtudisc`.
    fn follow_as_bsd(&mut self, mss: u32) {
        let (window, ssthresh) = (self.congestion.window(), self.congestion.ssthresh());
        self.resize(mss, window, ssthresh);
        (self.recovery).on_smaller_path(self.send.outstanding(), u64::from(mss));
        self.send.nxt = self.send.una;
    }

    /// `tcp_v4_mtu_reduced`: the path takes segments of `limit` bytes, options included, which carry
    /// `mss`.
    fn follow_as_linux(&mut self, now: Time, (limit, mss): (u32, u32), sender: &mut Sender) {
        let mss = match &mut sender.mtu_search {
            Some(search) => search.shorten_path(limit).then(|| search.payload()),
            None => (mss < self.mss).then_some(mss),
        };
        let Some(mss) = mss else { return };
        self.resize_as_linux(mss, sender);
        sender.on_occasion();
        let view = self.view(now, None);
        sender.on_long_lost(&view, &mut self.congestion);
    }

    /// The route now takes segments of `limit` bytes, timestamps included. Today's Linux learns of it with
    /// what it sends next, and goes by it from the occasion after that (`__sk_dst_check`).
    pub fn on_route_change(&mut self, limit: u32) {
        if let Some(linux) = &mut self.linux {
            linux.route = Some(RouteMtu::New(limit));
        }
    }

    /// `tcp_current_mss`.
    #[cold]
    pub(super) fn follow_route(&mut self, sender: &mut Sender) {
        let Some(RouteMtu::Due(limit)) = sender.route else {
            return;
        };
        sender.route = None;
        let mss = match &mut sender.mtu_search {
            Some(search) => {
                search.set_path(limit);
                search.payload()
            }
            None => {
                let size = self.peer_mss.min(limit).max(MIN_MSS);
                size - self.timestamps.map_or(0, |_| TIMESTAMP_BYTES)
            }
        };
        self.resize_as_linux(mss, sender);
    }

    /// Segments carry `mss` bytes from now on.
    pub(super) fn resize_as_linux(&mut self, mss: u32, sender: &mut Sender) {
        if mss != self.mss {
            let (before, bytes) = (u64::from(self.mss), u64::from(mss));
            self.congestion.resize(bytes);
            self.usage.resize(before, bytes);
            sender.resize(bytes);
            self.mss = mss;
        }
    }

    /// The controller of segments of another size; what it remembers begins anew with a loss,
    /// which this counts as.
    fn resize(&mut self, mss: u32, window: u64, ssthresh: u64) {
        let algorithm = self.config.algorithm();
        self.congestion = self.config.other_controller(algorithm, mss, window);
        self.congestion.set(window, ssthresh);
        self.mss = mss;
        self.count_send_memory();
    }

    /// The send buffer holds as many segments as their memory allows, where that is counted.
    pub(super) fn count_send_memory(&mut self) {
        let beside = self.config.segment_memory;
        if beside > 0 {
            let memory = self.config.send_capacity;
            (self.send).count_memory(memory, u64::from(self.mss), beside);
        }
    }

    /// The connection is over, and nobody is told.
    pub fn forget(&mut self) {
        self.end(Event::Closed);
    }
}
