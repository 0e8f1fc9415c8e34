//! SYNs that have crossed (RFC 9293 §3.5, figure 7), as Linux goes on from there.

use units::Time;

use super::Connection;
use crate::ranges::OffsetRange;
use crate::recovery::linux::TimerPurpose;
use crate::send::FIRST_BYTE;
use crate::state::Transition;
use crate::{Segment, State};

impl Connection {
    /// Returns whether the peer's SYN has crossed ours, which is not acknowledged, in today's
    /// Linux.
    pub(super) fn is_crossed(&self) -> bool {
        self.state == State::SynReceived && !self.passive && self.config.is_linux()
    }

    /// The peer's SYN has crossed ours: its window counts, and ours stays scaled even if the peer's
    /// is not (`tcp_rcv_synsent_state_process`).
    pub(super) fn take_crossing_syn(&mut self, now: Time, syn: &Segment) {
        if self.is_crossed() {
            self.shift = self.config.window_shift.unwrap_or(0);
            self.open_receiver(now);
            let window = u64::from(syn.window);
            self.send.update_window(self.receive.nxt, 0, window);
        }
    }

    /// close(2) does not wait for the handshake: the FIN follows the SYN, which stays outstanding
    /// (`tcp_close_state`).
    pub(super) fn close_crossed(&mut self) {
        let Some(mut sender) = self.config.linux(self.mss, self.sack) else {
            return;
        };
        sender.on_sent(self.last_sent, OffsetRange::new(0, FIRST_BYTE));
        sender.set_pending(TimerPurpose::Timeout);
        self.linux = Some(sender);
        self.send.closing = true;
        self.state = self.state.after(Transition::Close);
    }

    /// shutdown(2) has waited for the handshake, which is over: the FIN goes before what arrives with
    /// the acknowledgement is looked at (`tcp_rcv_state_process`).
    pub(super) fn close_when_crossed(&mut self, now: Time, segment: &Segment) {
        self.note_timestamp(segment, self.receive.nxt);
        while let Some(segment) = self.next_written(now) {
            self.urgent.owe_at(self.leaves_at, segment);
        }
    }

    /// The SYN again, though the connection is beyond it.
    pub(super) fn make_crossed_syn(&mut self, now: Time) -> Segment {
        self.counters.syn_retransmissions += 1;
        let mut syn = self.syn_segment(now);
        self.dress_syn(&mut syn, false);
        syn
    }
}
