//! TCP_DEFER_ACCEPT: a connection begins with its first data (tcp(7)), as `tcp_check_req` and
//! `syn_ack_recalc` have it.

use tcp::{Flags, Segment};

use crate::ast::ScriptPacket;

/// A connection request of a listener that waits for data.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deferred {
    /// For so many timeouts of the SYN-ACK an acknowledgement alone does not count.
    limit: u32,
    timeouts: u32,
    is_acknowledged: bool,
    has_answered: bool,
}

/// The first timeout of a SYN-ACK and the longest, seconds (TCP_TIMEOUT_INIT, TCP_RTO_MAX).
const TIMEOUT: i64 = 1;
const TIMEOUT_MAX: i64 = 120;

impl Deferred {
    /// `seconds` are what the option was set to; none for 0.
    pub fn new(seconds: i64) -> Option<Deferred> {
        (seconds > 0).then(|| Deferred {
            limit: timeouts_in(seconds),
            timeouts: 0,
            is_acknowledged: false,
            has_answered: false,
        })
    }

    /// Returns whether the listener passes over `packet`, which tells only that the SYN-ACK
    /// arrived.
    pub fn passes_over(&mut self, packet: &ScriptPacket) -> bool {
        let is_bare = packet.flags == Flags::ACK && packet.payload == 0;
        let passes = is_bare && self.timeouts < self.limit;
        self.is_acknowledged |= passes;
        passes
    }

    /// Returns whether `segment` leaves: a SYN-ACK that has arrived leaves again only at the end.
    pub fn lets_go(&mut self, segment: &Segment) -> bool {
        if !segment.flags.contains(Flags::SYN) || !self.has_answered {
            self.has_answered = true;
            return true;
        }
        let is_last = self.timeouts + 1 >= self.limit;
        self.timeouts += 1;
        !self.is_acknowledged || is_last
    }
}

/// Returns what getsockopt gives for what was set (`secs_to_retrans`, `retrans_to_secs`).
pub(super) fn seconds_kept(seconds: i64) -> i64 {
    let mut sum = 0;
    let mut timeout = TIMEOUT;
    for _ in 0..timeouts_in(seconds) {
        sum += timeout;
        timeout = (timeout * 2).min(TIMEOUT_MAX);
    }
    sum
}

fn timeouts_in(seconds: i64) -> u32 {
    let (mut sum, mut timeout, mut count) = (0, TIMEOUT, 0);
    while seconds > sum && count < 255 {
        sum += timeout;
        timeout = (timeout * 2).min(TIMEOUT_MAX);
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_kept_as_timeouts_that_double() {
        assert_eq!([0, 1, 2, 3, 5, 7].map(seconds_kept), [0, 1, 3, 3, 7, 7]);
    }

    #[test]
    fn an_acknowledgement_alone_counts_after_the_last_timeout() {
        let mut deferred = Deferred::new(3).unwrap();
        let syn_ack = Segment {
            flags: Flags::SYN | Flags::ACK,
            ..Segment::default()
        };
        let bare = ScriptPacket {
            flags: Flags::ACK,
            ..ScriptPacket::default()
        };
        assert!(deferred.lets_go(&syn_ack) && deferred.passes_over(&bare));
        assert!(!deferred.lets_go(&syn_ack), "it has arrived");
        assert!(deferred.lets_go(&syn_ack), "to be acknowledged once more");
        assert!(!deferred.passes_over(&bare));
    }
}
