//! How long an acknowledgement may wait (RFC 5681 §4.2), and Linux's refinements of it.
//!
//! Linux (Sarolahti and Kuznetsov 2002, §4.3; `net/ipv4/tcp_input.c`, `tcp_output.c`,
//! `tcp_timer.c`) lets the delay follow the pace at which data arrive, between the least and the
//! most the profile names, and does not delay the first acknowledgements of a connection, nor
//! those after a pause longer than a timeout, so that the peer's slow start is not slowed.
//! A conversation, in which data answer data, is not acknowledged quickly: the answer does it.

use units::{Duration, Time};

use crate::config::Config;

#[derive(Clone, Debug)]
pub(crate) struct DelayedAck {
    is_adaptive: bool,
    least: Duration,
    most: Duration,
    /// ATO, the delay as it stands; nought before the first data.
    timeout: Duration,
    quick_max: u32,
    quick: u32,
    last_data: Time,
    is_conversation: bool,
    /// The largest payload seen (Linux's rcv_mss).
    segment: u32,
    /// Segments since the last acknowledgement that seem to end what the peer has to say.
    pushed: u32,
    gathering: Gathering,
}

/// Acknowledgements of segments beyond one gap that are sent together (compressed ACKs of
/// `__tcp_ack_snd_check`).
#[derive(Clone, Copy, Debug, Default)]
struct Gathering {
    /// The gap they are about, and how many were sent for it at once.
    gap: u64,
    sent: u32,
    /// How many are held back.
    held: u32,
}

/// The first acknowledgements for a gap, which the sender's fast retransmit waits for
/// (TCP_FASTRETRANS_THRESH), and the most that are held back (tcp_comp_sack_nr).
const SENT_AT_ONCE: u32 = 3;
const HELD_MAX: u32 = 44;

/// What Linux takes the peer's segments for before it has seen one (TCP_MSS_DEFAULT).
const SEGMENT_DEFAULT: u32 = 536;

/// What it takes for a full segment at least (TCP_MIN_MSS).
const SEGMENT_MIN: u32 = 88;

impl DelayedAck {
    pub fn new(config: &Config) -> DelayedAck {
        DelayedAck {
            is_adaptive: config.delayed_ack_min < config.delayed_ack,
            least: config.delayed_ack_min,
            most: config.delayed_ack,
            timeout: Duration::ZERO,
            quick_max: config.quick_acks,
            quick: 0,
            last_data: Time::ZERO,
            is_conversation: false,
            segment: SEGMENT_DEFAULT,
            pushed: 0,
            gathering: Gathering::default(),
        }
    }

    /// Whether an acknowledgement for the gap at `gap` may wait for more of its kind.
    pub fn may_gather(&mut self, gap: u64) -> bool {
        let g = &mut self.gathering;
        if g.held >= HELD_MAX {
            return false;
        }
        if g.gap != gap {
            (g.gap, g.sent) = (gap, 0);
        }
        if g.sent < SENT_AT_ONCE {
            g.sent += 1;
            return false;
        }
        g.held += 1;
        true
    }

    pub fn is_gathering(&self) -> bool {
        self.gathering.held > 0
    }

    /// Data came again: the peer may be in trouble, and is answered at once for a while
    /// (`tcp_enter_quickack_mode`).
    pub fn hurry(&mut self, window: u64) {
        self.be_quick(window);
        self.is_conversation = false;
        self.timeout = self.least;
    }

    /// Whether the delay follows the pace of arrivals.
    #[inline]
    pub fn is_adaptive(&self) -> bool {
        self.is_adaptive
    }

    /// The connection opens with segments of `mss` and a receive window
    /// (tcp_initialize_rcv_mss).
    pub fn expect_segments(&mut self, mss: u32, window: u64) {
        let half = u32::try_from(window / 2).unwrap_or(u32::MAX);
        self.segment = mss.min(half).clamp(SEGMENT_MIN, SEGMENT_DEFAULT);
    }

    /// The size of the peer's full segments, as far as they have been seen.
    pub fn segment(&self) -> u32 {
        self.segment
    }

    /// The delay as it stands.
    pub fn timeout(&self) -> Duration {
        if self.is_adaptive() {
            self.timeout
        } else {
            self.most
        }
    }

    /// A segment with so much data arrives, with PSH or without (tcp_measure_rcv_mss).
    #[inline]
    pub fn note_payload(&mut self, payload: u32, is_pushed: bool) {
        self.pushed += u32::from(is_pushed || payload < self.segment);
        self.segment = self.segment.max(payload);
    }

    /// Whether the acknowledgement owed goes as soon as the application has read all there is:
    /// what the peer has pushed it may be waiting to hear of (tcp_cleanup_rbuf).
    pub fn follows_reading(&self) -> bool {
        self.is_adaptive && (self.pushed > 1 || self.pushed > 0 && !self.is_conversation)
    }

    /// Data arrive at `now`, and the delay follows their pace; `window` is the one advertised.
    #[inline(never)]
    pub fn follow_pace(&mut self, now: Time, rto: Duration, window: u64) {
        let pause = now - self.last_data;
        self.last_data = now;
        if self.timeout == Duration::ZERO {
            self.be_quick(window);
            self.timeout = self.least;
        } else if pause * 2 <= self.least {
            self.timeout = self.timeout / 2 + self.least / 2;
        } else if pause < self.timeout {
            self.timeout = (self.timeout / 2 + pause).min(rto);
        } else if pause > rto {
            self.be_quick(window);
        }
    }

    /// So many quick ones that the peer's window may open to half of ours.
    fn be_quick(&mut self, window: u64) {
        let worthwhile = (window / (2 * u64::from(self.segment))).max(2);
        let worthwhile = u32::try_from(worthwhile).unwrap_or(u32::MAX);
        self.quick = self.quick.max(worthwhile.min(self.quick_max));
    }

    /// Whether the acknowledgement owed now is one of the quick ones.
    #[inline]
    pub fn is_quick(&self) -> bool {
        self.quick > 0 && !self.is_conversation
    }

    /// Whether data are taken to answer data from here on.
    pub fn set_conversation(&mut self, is_conversation: bool) {
        self.is_conversation = is_conversation;
    }

    /// Whether the acknowledgement of a FIN may wait for the application to close, too: Linux has
    /// no delay to let it wait for before the first data.
    pub fn may_wait_for_close(&self) -> bool {
        self.is_adaptive && self.timeout > Duration::ZERO
    }

    /// An acknowledgement leaves, with data or without, where the delay is adaptive.
    #[inline(never)]
    pub fn on_acknowledged(&mut self, now: Time, with_data: bool) {
        self.quick = self.quick.saturating_sub(1);
        self.pushed = 0;
        self.gathering.held = 0;
        if with_data && now - self.last_data < self.timeout {
            self.is_conversation = true;
        }
    }

    /// How long an acknowledgement may wait now, where the delay is adaptive.
    #[inline(never)]
    pub fn delay(&self, srtt: Option<Duration>) -> Duration {
        if self.timeout <= self.least {
            return self.least;
        }
        let round_trip = srtt.map_or(self.most, |srtt| srtt.max(self.least));
        self.timeout.min(self.most).min(round_trip)
    }

    /// The delay was in vain: the data awaited did not come.
    pub fn on_expiry(&mut self, rto: Duration) {
        if !self.is_adaptive {
            return;
        }
        if self.is_conversation {
            self.is_conversation = false;
            self.timeout = self.least;
        } else {
            self.timeout = (self.timeout * 2).min(rto);
        }
    }
}
