//! Evidence for one cause or another.
//!
//! It uses what the classes' authors did not: SACK blocks, the timestamps
//! option, and which recovery the sender is in.

use crate::rtt::LEAST_RTO_NS;

/// Duplicate acknowledgments that set off a fast retransmission (RFC 5681 §3.2).
pub(crate) const DUPLICATE_THRESHOLD: u32 = 3;

/// Without any measured round trip, what comes less than this behind its successors was
/// reordered: no feedback reaches a sender faster, but on a local network. (Inferred; other
/// analysers use the same.)
const SHORTEST_ROUND_TRIP_NS: u64 = 3_000_000;

/// Delay beyond its quickest answer with which a host may answer an acknowledgment: its interrupts
/// are moderated and its threads wait for a processor, both well under a millisecond. (Inferred.)
pub(crate) const HOST_DELAY_NS: u64 = 1_000_000;

/// The tick of the finest timer that a retransmission may wait for. (Inferred: Linux keeps its
/// timers in jiffies, of which there are a thousand in a second at most, CONFIG_HZ; that of RFC 6298
/// §4 may be a hundred times as coarse.)
const TIMER_TICK_NS: u64 = 1_000_000;

/// Lateness of the timer of RACK's reordering window: Linux adds two ticks
/// (TCP_TIMEOUT_MIN in tcp_rack_mark_lost), and another one begins anywhere in a tick, which are of
/// 4 ms as many distributions build it (CONFIG_HZ 250). (Inferred.)
const REORDERING_TIMER_LATE_NS: u64 = 12_000_000;

/// The loss recovery that the sender is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum InferredPhase {
    #[default]
    Open,
    Fast,
    Timeout,
}

/// Evidence for one cause or another when a segment is out of sequence.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Evidence {
    pub phase: InferredPhase,
    /// None of its bytes were seen before.
    pub is_unseen: bool,
    /// All of them were.
    pub is_seen: bool,
    /// The receiver had acknowledged all of it.
    pub is_acknowledged: bool,
    /// The receiver had reported all of it in SACK blocks.
    pub is_sacked: bool,
    /// It was retransmitted later, and that copy came before.
    pub follows_repair: bool,
    /// Not one byte of it has room in the receiver's window.
    pub is_outside: bool,
    /// Nothing before it waits to be acknowledged.
    pub is_head: bool,
    /// Nothing later was sent.
    pub is_tail: bool,
    /// The sender may use tail loss probes and RACK, which need SACK.
    pub has_sack: bool,
    /// The sender uses timestamps.
    pub has_clock: bool,
    /// A SYN carries it.
    pub is_in_syn: bool,
    /// A SYN carried it, and the answer took the SYN alone (RFC 7413 §4.2.2).
    pub was_declined: bool,
    /// Not one acknowledgment was captured.
    pub is_unheard: bool,
    /// The time since its last copy is twice that between those before, or as long, once a timer
    /// that doubled has come to its limit.
    pub backs_off: bool,
    /// A router refused it as too large, and it is smaller now.
    pub was_too_big: bool,
    /// Its echo says that the third duplicate acknowledgment set it off.
    pub answers_third: bool,
    /// SACK blocks that speak of it, or of what was sent behind it, may be cut off the capture.
    pub reports_are_cut: bool,
    /// Number of times it was sent before.
    pub times: u32,
    /// Since it was sent last, or since its place was left empty.
    pub elapsed_ns: u64,
    /// Since the receiver was last heard of, or anything was sent.
    pub quiet_ns: u64,
    /// Since the receiver was last heard of.
    pub unanswered_ns: u64,
    /// The receiver was heard of later than the sender.
    pub follows_ack: bool,
    /// True if what it said last acknowledged something new.
    pub follows_progress: bool,
    /// The shortest time seen between an acknowledgment and what it set off.
    pub reaction_ns: u64,
    /// Duplicate acknowledgments in a row.
    pub duplicates: u32,
    /// SACKed bytes behind it.
    pub sacked_above: u64,
    /// Largest segment.
    pub mss: u64,
    /// A segment that was sent after it has been delivered.
    pub newer_delivered: bool,
    /// Its IP identification, in a stream that counts them, is that of its first copy, or both it
    /// and its timestamp are older than those of its successors.
    pub is_old_packet: bool,
    /// True if its timestamp or IP identification says that it was sent before its successors.
    pub sent_before: Option<bool>,
    /// The path's shortest and smoothed round trip and the timeout from them; 0 if unknown.
    pub min_rtt_ns: u64,
    pub smoothed_ns: u64,
    pub timeout_ns: u64,
}

impl Evidence {
    fn shortest_feedback_ns(&self) -> u64 {
        if self.min_rtt_ns > 0 {
            self.min_rtt_ns
        } else {
            SHORTEST_ROUND_TRIP_NS
        }
    }

    pub(super) fn was_only_delayed(&self) -> bool {
        let came_at_once = self.elapsed_ns < self.shortest_feedback_ns();
        self.follows_repair || (self.is_unseen && self.sent_before.unwrap_or(came_at_once))
    }

    /// A copy made on the way has the timestamp and the IP identification of the original, so
    /// what is newer than its successors by either was sent by the host.
    pub(super) fn was_doubled(&self) -> bool {
        let nobody_asked = self.phase == InferredPhase::Open && self.nothing_is_missed();
        let came_at_once = self.elapsed_ns < self.shortest_feedback_ns();
        let is_newer = self.sent_before == Some(false);
        let is_unasked = nobody_asked && came_at_once && !is_newer;
        self.is_seen && (self.is_old_packet || is_unasked)
    }

    /// The receiver took its window back from data that were sent, which Linux does where it has no
    /// memory for them (tcp_select_window). Nothing of the path is known from such copies: the
    /// sender's timer makes them, instead of probes (tcp_retransmit_timer: "our retransmits become
    /// zero probes"). What was never seen before was lost on the way, whatever the window.
    pub(super) const fn is_refused(&self) -> bool {
        self.is_outside && !self.is_unseen
    }

    /// No duplicate acknowledgment, no SACK block behind the segment: the receiver does not say
    /// that it misses anything.
    pub(super) fn nothing_is_missed(&self) -> bool {
        self.duplicates == 0 && self.sacked_above == 0
    }

    /// Returns whether a retransmission by timeout shows that the timer has expired just now, and
    /// not before.
    pub fn is_new_timeout(&self) -> bool {
        match self.phase {
            InferredPhase::Timeout => {
                self.was_quiet() || (self.times > 1 && self.was_timer_among_acks())
            }
            InferredPhase::Open | InferredPhase::Fast => true,
        }
    }

    /// Longer than this nobody is silent without a timer.
    fn patient_ns(&self) -> u64 {
        self.timeout_ns.max(LEAST_RTO_NS)
    }

    /// Recovery is driven by acknowledgments: after a silence it was the timer.
    pub(super) fn was_quiet(&self) -> bool {
        self.quiet_ns >= self.patient_ns()
    }

    /// Its echo says that the third duplicate set it off, of which nothing else tells yet.
    pub(super) fn answers_duplicates(&self) -> bool {
        self.phase == InferredPhase::Open && self.answers_third && self.times <= 1
    }

    /// A repair of the same recovery is lost: an acknowledgment sets off another.
    pub(super) fn was_lost_again(&self) -> bool {
        self.phase == InferredPhase::Fast && (self.newer_delivered || self.follows_ack)
    }

    /// RFC 6675 §4, IsLost: more than two segments' worth are SACKed above.
    pub(super) fn is_lost_by_duplicates(&self) -> bool {
        let least = u64::from(DUPLICATE_THRESHOLD - 1) * self.mss;
        let is_lost = self.duplicates >= DUPLICATE_THRESHOLD || self.sacked_above > least;
        self.phase == InferredPhase::Open && is_lost
    }

    /// Nobody has asked for it, or it is lost by duplicates, whatever its times.
    pub(super) fn is_unasked(&self) -> bool {
        let is_asked = !self.nothing_is_missed() && !self.is_lost_by_duplicates();
        self.phase == InferredPhase::Open && (!is_asked || self.was_reported_missing())
    }

    /// The timer began anew with what was acknowledged just then (RFC 6298 §5.3): that set it off,
    /// of a sender that remembers the duplicates before (tcp_time_to_recover of Linux).
    pub(super) fn was_set_off_by_progress(&self) -> bool {
        let is_first = self.is_head && self.follows_progress && self.was_set_off();
        self.only_a_timer_speaks() && is_first
    }

    /// Without a word from the receiver only a timer speaks, and its value may be less than common.
    /// The word may be cut off.
    pub(super) fn only_a_timer_speaks(&self) -> bool {
        let patient_ns = self.patient_ns();
        let least_ns = match self.timeout_ns {
            0 => patient_ns,
            timeout_ns => timeout_ns.clamp(TIMER_TICK_NS, patient_ns),
        };
        let is_open = self.phase == InferredPhase::Open && self.nothing_is_missed();
        is_open && self.elapsed_ns >= least_ns && !self.reports_are_cut
    }

    /// Something that was sent later is delivered, a repair perhaps, while the receiver does not
    /// say that anything is missed: what a recovery sends beyond its repairs and loses has none
    /// behind it to be reported, and only time tells (RFC 8985 §6.2). The sender acts upon that
    /// acknowledgment or within its reordering window, which is at most a smoothed round trip
    /// (RFC 8985 §6.2, step 4); the timer begins anew with it, and takes longer.
    pub(super) fn was_missed_by_time(&self) -> bool {
        let is_candidate = self.has_sack && self.times == 1 && self.newer_delivered;
        let was_soon = self.was_set_off() || self.quiet_ns < self.smoothed_ns;
        is_candidate && self.nothing_is_missed() && was_soon
    }

    /// The receiver has just told that something sent later arrived. With that the segment is lost
    /// for a sender with RACK, at the latest when its reordering window ends, at first a quarter of
    /// the shortest round trip (RFC 8985 §6.2, step 4); one that paces itself may hold back the
    /// repair as long (tcp_xmit_retransmit_queue of Linux asks tcp_pacing_check). That a timer
    /// expires just then is the less likely of the two. (Inferred.)
    fn was_reported_missing(&self) -> bool {
        let is_missed = self.has_sack && self.newer_delivered;
        is_missed && self.unanswered_ns < self.min_rtt_ns / 4 + REORDERING_TIMER_LATE_NS
    }

    /// An acknowledgment came just before.
    fn was_set_off(&self) -> bool {
        let at_once_ns = self.reaction_ns.saturating_add(HOST_DELAY_NS);
        self.follows_ack && self.quiet_ns < at_once_ns
    }

    /// A retransmission long after the last copy, while the receiver is heard: an acknowledgment
    /// sets it off at once, a timer takes no notice of acknowledgments but those that acknowledge
    /// something new, with which it begins anew (RFC 6298 5.3), and repeats the earliest segment
    /// that is not acknowledged (5.4).
    pub(super) fn was_timer_among_acks(&self) -> bool {
        let patient_ns = self.patient_ns();
        let is_progress = self.duplicates == 0 || self.follows_progress;
        let began_anew = is_progress && self.unanswered_ns < patient_ns;
        let is_due = self.elapsed_ns >= patient_ns && !began_anew;
        self.is_head && is_due && !self.was_set_off()
    }

    /// The first timer that a sender with tail loss probes sets is that of the probe: after two
    /// smoothed round trips, and after the timeout itself where that is sooner (RFC 8985 §7.2).
    /// Behind the timeout only the age of the sender tells a probe from a retransmission; that
    /// it uses both SACK and timestamps is taken for a sign that it has probes (inferred: Linux
    /// and macOS use all three). Where the options are cut off it may use all of them.
    pub(super) fn is_tail_probe(&self) -> bool {
        let patient_ns = self.patient_ns();
        let may_probe = self.has_sack || self.reports_are_cut;
        let is_candidate = may_probe && self.is_tail && self.times == 1;
        let probe_ns = self.smoothed_ns.saturating_mul(2);
        let may_be_late = self.has_clock || self.reports_are_cut;
        let is_due = self.elapsed_ns >= probe_ns && (may_be_late || self.elapsed_ns < patient_ns);
        self.phase == InferredPhase::Open && is_candidate && self.nothing_is_missed() && is_due
    }
}
