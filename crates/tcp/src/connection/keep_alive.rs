//! Keep-alive (RFC 9293 §3.8.4): is a peer that has long been silent still there?

use units::Time;

use super::Connection;
use crate::config::KeepAlive;
use crate::timers::Timer;
use crate::{Failure, Segment, SendCause};

impl Connection {
    /// Nothing is done per segment: the timer, when it expires, looks when the peer was last
    /// heard.
    pub(super) fn on_keep_alive(&mut self, now: Time) {
        let Some(settings) = self.config.keep_alive else {
            return;
        };
        let silent_since = self.last_heard + settings.idle;
        let has_work = self.send.flight() > 0 || !self.send.is_drained();
        if has_work {
            // The retransmission or the persist timer finds out.
            self.timers.arm(Timer::KeepAlive, now + settings.idle);
        } else if now < silent_since {
            self.timers.arm(Timer::KeepAlive, silent_since);
        } else {
            self.probe_silent_peer(now, settings);
        }
    }

    fn probe_silent_peer(&mut self, now: Time, settings: KeepAlive) {
        if self.last_heard != self.silent_since {
            self.silent_since = self.last_heard;
            self.keep_alive_probes = 0;
        }
        // A limit in time stands for the one in number (tcp(7), TCP_USER_TIMEOUT).
        let is_over = match self.config.user_timeout {
            Some(limit) => self.keep_alive_probes > 0 && now - self.last_heard >= limit,
            None => self.keep_alive_probes >= settings.probes,
        };
        if is_over {
            self.owe_abort(now);
            self.fail(Failure::TimedOut);
            return;
        }
        self.keep_alive_probes += 1;
        let probe = self.make_probe(now);
        self.urgent.owe(probe);
        self.timers.arm(Timer::KeepAlive, now + settings.interval);
    }

    /// A segment without data just before what the peer expects, which it must answer; Linux
    /// probes closed windows with it too.
    pub(super) fn make_probe(&mut self, now: Time) -> Segment {
        let before = self.send.una.wrapping_sub(1);
        self.make_header(now, before, SendCause::Probe)
    }
}
