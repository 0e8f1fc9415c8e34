//! Delay of acknowledgements (RFC 5681 §4.2), and Linux's refinements of it.
//!
//! Linux (Sarolahti and Kuznetsov 2002, §4.3; `net/ipv4/tcp_input.c`, `tcp_output.c`,
//! `tcp_timer.c`) lets the delay follow the pace at which data arrive, between the least and the
//! most the profile names, and does not delay the first acknowledgements of a connection, nor
//! those after a pause longer than a timeout, so that the peer's slow start is not slowed.
//! A conversation, in which data answer data, is not acknowledged quickly: the answer does it.

use units::{Duration, Time};

use crate::receive::Quick;

/// Time that an acknowledgement may wait.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AckDelay {
    /// Always so long.
    Fixed(Duration),
    /// As the data come.
    Adaptive(AdaptiveDelay),
}

/// Parts of an adaptive delay.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AdaptiveDelay {
    pub least: Duration,
    pub most: Duration,
    /// Largest number of quick acknowledgements.
    pub quick: u32,
    /// The least retransmission timeout.
    pub rto_min: Duration,
    /// The tick of the kernel's clock.
    pub jiffy: Duration,
}

#[derive(Clone, Debug)]
pub(crate) struct DelayedAck {
    is_adaptive: bool,
    least: Duration,
    /// The most in a conversation, or where the peer seems to have said all; and ever.
    most: Duration,
    limit: Duration,
    /// The kernel's clock, in whose ticks it counts.
    jiffy: Duration,
    /// ATO, the delay as it stands; nought before the first data.
    timeout: Duration,
    quick_max: u32,
    quick: u32,
    last_data: Time,
    is_conversation: bool,
    /// The peer's full segment, as far as has been seen (Linux's rcv_mss), and no more than this.
    segment: u32,
    segment_max: u32,
    /// The size of the segment before, if it seemed a full one of a smaller size.
    last_segment: u32,
    /// An acknowledgement is owed for something that arrived (ICSK_ACK_SCHED), and one that may
    /// not wait (ICSK_ACK_NOW).
    is_owed: bool,
    is_due: bool,
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
    /// Number held back.
    held: u32,
}

/// The first acknowledgements for a gap, which the sender's fast retransmit waits for
/// (TCP_FASTRETRANS_THRESH), and the most that are held back (tcp_comp_sack_nr).
const SENT_AT_ONCE: u32 = 3;
const HELD_MAX: u32 = 44;

/// Size that Linux takes the peer's segments for before it has seen one (TCP_MSS_DEFAULT), and what
/// it takes for a full one of a smaller size, pushed or not.
const SEGMENT_DEFAULT: u32 = 536;

/// Least size that it takes for a full segment (TCP_MIN_MSS).
const SEGMENT_MIN: u32 = 88;

/// The most where nothing tells of a conversation (HZ/2 in tcp_send_delayed_ack).
const MOST_ALONE: Duration = Duration::from_millis(500);

impl AdaptiveDelay {
    /// Of what does not adapt only the delay is looked at.
    fn fixed(delay: Duration) -> AdaptiveDelay {
        AdaptiveDelay {
            least: delay,
            most: delay,
            quick: 0,
            rto_min: Duration::ZERO,
            jiffy: Duration::ZERO,
        }
    }
}

impl DelayedAck {
    pub fn new(delay: &AckDelay) -> DelayedAck {
        let pace = match *delay {
            AckDelay::Fixed(delay) => AdaptiveDelay::fixed(delay),
            AckDelay::Adaptive(pace) => pace,
        };
        let AdaptiveDelay { most, jiffy, .. } = pace;
        DelayedAck {
            is_adaptive: matches!(delay, AckDelay::Adaptive(_)),
            least: pace.least,
            most,
            // tcp_delack_max: less than the peer's least timeout, taken to be ours.
            limit: most.min(pace.rto_min.max(jiffy * 2) - jiffy),
            jiffy,
            timeout: Duration::ZERO,
            quick_max: pace.quick,
            quick: 0,
            last_data: Time::ZERO,
            is_conversation: false,
            segment: SEGMENT_DEFAULT,
            segment_max: u32::MAX,
            last_segment: 0,
            is_owed: false,
            is_due: false,
            pushed: 0,
            gathering: Gathering::default(),
        }
    }

    /// Returns whether an acknowledgement for the gap at `gap` may wait for more of its kind.
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

    /// The next two acknowledgements are quick, if not more (tcp_enter_quickack_mode with two).
    pub fn hurry_a_little(&mut self) {
        self.quick = self.quick.max(2);
        self.is_conversation = false;
        self.timeout = self.least;
    }

    /// The tick of the kernel's clock, where the delay is adaptive.
    pub fn jiffy(&self) -> Duration {
        self.jiffy
    }

    /// Returns whether the delay follows the pace of arrivals.
    #[inline]
    pub fn is_adaptive(&self) -> bool {
        self.is_adaptive
    }

    /// The connection opens with segments of `mss` and a receive window
    /// (tcp_initialize_rcv_mss); the peer's hold `most`.
    pub fn expect_segments(&mut self, now: Time, mss: u32, window: u64, most: u32) {
        self.last_data = now;
        let half = u32::try_from(window / 2).unwrap_or(u32::MAX);
        self.segment = mss.min(half).clamp(SEGMENT_MIN, SEGMENT_DEFAULT);
        self.segment_max = most;
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

    /// The longest that an acknowledgement ever waits (TCP_DELACK_MAX).
    pub fn longest(&self) -> Duration {
        self.most
    }

    /// Something has arrived that is to be acknowledged.
    pub fn owe(&mut self) {
        self.is_owed = true;
    }

    /// It may not wait.
    pub fn demand(&mut self) {
        self.is_due = true;
    }

    pub fn is_owed(&self) -> bool {
        self.is_owed
    }

    pub fn is_due(&self) -> bool {
        self.is_due
    }

    /// A segment with so much payload arrives, with PSH or without, and with so many bytes of
    /// options that not every segment has (tcp_measure_rcv_mss). True if it is larger than any
    /// before.
    #[inline]
    pub fn note_payload(&mut self, payload: u32, is_pushed: bool, jitter: u32) -> bool {
        let last = std::mem::take(&mut self.last_segment);
        if payload >= self.segment {
            let is_larger = payload > self.segment;
            self.segment = payload.min(self.segment_max);
            if is_pushed {
                self.pushed = self.pushed.max(1);
            }
            return is_larger;
        }
        let size = payload + jitter;
        if size >= SEGMENT_DEFAULT || size >= SEGMENT_MIN && !is_pushed {
            self.last_segment = size;
            if size == last {
                self.segment = size;
                return false;
            }
        }
        self.pushed += 1;
        false
    }

    /// Returns whether the acknowledgement owed goes as soon as the application has read all there
    /// is: what the peer has pushed it may be waiting to hear of (tcp_cleanup_rbuf).
    pub fn follows_reading(&self) -> bool {
        self.is_adaptive && (self.pushed > 1 || self.pushed > 0 && !self.is_conversation)
    }

    /// Data arrive in order at `now`, and the delay follows their pace; `window` is the one
    /// advertised.
    #[inline(never)]
    pub fn follow_pace(&mut self, now: Time, rto: Duration, window: u64) {
        let pause = self.jiffies_since(self.last_data, now);
        self.last_data = now;
        if self.timeout == Duration::ZERO {
            self.be_quick(window);
            self.timeout = self.least;
        } else if pause * 2 <= self.least {
            self.timeout = self.in_jiffies(self.timeout / 2) + self.least / 2;
        } else if pause < self.timeout {
            self.timeout = (self.in_jiffies(self.timeout / 2) + pause).min(rto);
        } else if pause > rto {
            self.be_quick(window);
        }
    }

    /// Returns what the kernel's clock shows of the time from `then` to `now`.
    fn jiffies_since(&self, then: Time, now: Time) -> Duration {
        let count = |time: Time| time.as_nanos() / self.jiffy.as_nanos();
        self.jiffy * (count(now) - count(then))
    }

    fn in_jiffies(&self, time: Duration) -> Duration {
        self.jiffy * (time.as_nanos() / self.jiffy.as_nanos())
    }

    /// So many quick ones that the peer's window may open to half of ours
    /// (tcp_incr_quickack).
    fn be_quick(&mut self, window: u64) {
        let worthwhile = match window / (2 * u64::from(self.segment)) {
            0 => 2,
            segments => u32::try_from(segments).unwrap_or(u32::MAX),
        };
        self.quick = self.quick.max(worthwhile.min(self.quick_max));
    }

    /// Takes what the buffer has to say of quick acknowledgements.
    pub fn adjust_quick(&mut self, quick: Quick) {
        if quick.none {
            self.quick = 0;
        }
        if quick.one {
            self.quick |= 1;
        }
    }

    /// Returns whether the acknowledgement owed now is one of the quick ones.
    #[inline]
    pub fn is_quick(&self) -> bool {
        self.quick > 0 && !self.is_conversation
    }

    /// Sets whether data are taken to answer data from here on.
    pub fn set_conversation(&mut self, is_conversation: bool) {
        self.is_conversation = is_conversation;
    }

    /// An acknowledgement leaves, with data or without, where the delay is adaptive
    /// (tcp_event_ack_sent, tcp_event_data_sent).
    #[inline(never)]
    pub fn on_acknowledged(&mut self, now: Time, with_data: bool) {
        self.count_quick();
        (self.is_owed, self.is_due, self.pushed) = (false, false, 0);
        self.gathering.held = 0;
        if with_data && self.jiffies_since(self.last_data, now) < self.timeout {
            self.is_conversation = true;
        }
    }

    /// tcp_dec_quickack_mode: those count that tell of something new.
    fn count_quick(&mut self) {
        if self.quick == 0 || !self.is_owed {
            return;
        }
        self.quick -= 1;
        if self.quick == 0 {
            self.timeout = self.least;
        }
    }

    /// Returns how long an acknowledgement may wait now, where the delay is adaptive
    /// (tcp_send_delayed_ack).
    #[inline(never)]
    pub fn delay(&self, srtt: Option<Duration>) -> Duration {
        if self.timeout <= self.least {
            return self.timeout.min(self.limit);
        }
        let most = if self.is_conversation || self.pushed > 0 {
            self.most
        } else {
            MOST_ALONE
        };
        let round_trip = srtt.map_or(most, |srtt| srtt.max(self.least));
        self.timeout.min(most).min(round_trip).min(self.limit)
    }

    /// Returns whether a timer that runs until `deadline` has so little of `delay` left that there
    /// is no use in waiting.
    pub fn is_about_to_expire(&self, now: Time, deadline: Time, delay: Duration) -> bool {
        self.jiffies_since(Time::ZERO, deadline)
            <= self.jiffies_since(Time::ZERO, now) + self.in_jiffies(delay / 4)
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
