//! Loss recovery as Linux 6 has it (`net/ipv4/tcp_input.c`, `tcp_recovery.c`, `tcp_output.c`).
//!
//! What was sent is kept segment by segment, each with the time it left and what has become of
//! it, and everything is counted in segments. What is lost is decided by time ([`detection`],
//! RFC 8985), a silent tail is probed ([`probe`]), the window falls in proportion to what
//! arrives ([`reduction`], RFC 6937), and what turns out to have been in vain is taken back
//! ([`undo`]). Without SACK, duplicates are counted in its place ([`without_sack`]).
//!
//! An acknowledgement passes through these parts in the kernel's order, which the connection
//! keeps: [`Sender::take_blocks`], [`Sender::release`], a round-trip time,
//! [`Sender::adapt_to_duplicates`], [`Sender::settle_probe`], [`Sender::judge`], growth.

use units::{Duration, Time};

use crate::congestion::{Controller, RateSample};
use crate::ranges::{OffsetRange, RangeSet};
use crate::send::{Boundary, FIRST_BYTE};
use crate::tcp_info::CaState;

mod acknowledgment;
mod blocks;
mod detection;
mod mtu_search;
mod outcome;
mod path;
mod piece;
mod probe;
mod rates;
mod reduction;
mod retransmission;
mod sent;
mod state;
mod timeout;
mod undo;
mod without_sack;

pub(crate) use acknowledgment::{Ack, AckRoundTrips};
pub(crate) use mtu_search::{MtuSearch, MtuSearchSettings};
pub(crate) use outcome::{RexmitOrder, TimerPurpose};
pub(crate) use piece::{BUFFER_COST, Buffers, Copying, Piece, SkBuff, WriteLimit};
pub(crate) use rates::{Departure, Rates};
pub(crate) use retransmission::{Retransmission, RetransmissionLimits};

use detection::Rack;
use probe::TailProbe;
use reduction::Reduction;
use sent::{SegmentMarks, SentQueue};
use undo::LinuxUndo;

/// Settings from a profile and a handshake.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinuxRecoverySettings {
    pub sack: bool,
    pub mss: u64,
    /// tcp_reordering, and how far it may grow.
    pub reordering: u32,
    pub reordering_max: u32,
    pub frto: bool,
    pub tail_probe: bool,
    /// A jiffy: timers are set in whole ones.
    pub jiffy: Duration,
    pub rto_min: Duration,
}

/// State of the connection that the machine asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub now: Time,
    pub una: u64,
    pub nxt: u64,
    /// Where the data end that were written: a FIN beyond takes no room.
    pub data_end: u64,
    /// The smoothed and the least round-trip time; `None` before the first.
    pub srtt: Option<Duration>,
    pub min_rtt: Option<Duration>,
    pub rto: Duration,
    /// The tick of our clock that the segment at hand echoes, if any, and the tick's length.
    pub echo: Option<u64>,
    pub tick: Duration,
    /// Timeouts since the last new acknowledgement.
    pub retries: u32,
    /// True if there are new data that the peer's window takes.
    pub may_send_new: bool,
}

impl View {
    /// Returns whether the segment at hand answers one that left before `at`
    /// (`tcp_tsopt_ecr_before`).
    pub fn echoes_before(&self, at: Time) -> bool {
        let stamp = at.as_nanos() / self.tick.as_nanos();
        self.echo.is_some_and(|echo| echo < stamp)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Sender {
    settings: LinuxRecoverySettings,
    state: CaState,
    sent: SentQueue,
    sacked: RangeSet,
    sacked_out: u32,
    lost_out: u32,
    retrans_out: u32,
    /// SND.NXT when the present state began.
    high_seq: u64,
    /// Number of duplicates that speak for a loss by now, and of times that reordering was seen.
    reordering: u32,
    reordering_seen: u32,
    /// Segments delivered, and marked lost, since the connection began.
    delivered: u64,
    lost: u64,
    /// Segments retransmitted, and reports of duplicates, since the connection began.
    retransmitted: u64,
    duplicates_reported: u64,
    rack: Rack,
    probe: TailProbe,
    reduction: Reduction,
    undo: LinuxUndo,
    frto: bool,
    /// The window has been reduced, which the peer has not been told.
    is_reduced: bool,
    /// The window was set by other than growth (snd_cwnd_stamp).
    settled: bool,
    /// Below this nothing is lost that was not retransmitted.
    hint: u64,
    order: RexmitOrder,
    /// New data wait for the next occasion: all that could has left, or a timer was at work, which
    /// sends nothing but what it was set for.
    waits: bool,
    pending: TimerPurpose,
    pub buffers: Buffers,
    /// The piece that is leaving.
    pub piece: Piece,
    /// Where the piece ends that left last.
    piece_sent: u64,
    /// Rate that the kernel would pace at, in bytes per second, as of the last acknowledgement.
    pub pace: u64,
    /// Deliveries and departures, where the congestion control models the path.
    pub rates: Option<Box<Rates>>,
    /// Knowledge of the longest segment that the path takes, where it is searched for.
    pub mtu_search: Option<Box<MtuSearch>>,
    /// A route that has changed.
    pub route: Option<RouteMtu>,
}

/// A route that takes segments of so many bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RouteMtu {
    /// Nothing has gone by it yet.
    New(u32),
    /// Known and applied to what was sent; what is sent on the next occasion is to fit it.
    Known(u32),
    /// That occasion has come.
    Due(u32),
}

impl RouteMtu {
    /// Returns what segments it takes.
    pub fn limit(self) -> u32 {
        match self {
            RouteMtu::New(limit) | RouteMtu::Known(limit) | RouteMtu::Due(limit) => limit,
        }
    }
}

impl Sender {
    pub fn new(settings: LinuxRecoverySettings) -> Sender {
        Sender {
            settings,
            state: CaState::Open,
            sent: SentQueue::default(),
            sacked: RangeSet::default(),
            sacked_out: 0,
            lost_out: 0,
            retrans_out: 0,
            high_seq: 0,
            reordering: settings.reordering,
            reordering_seen: 0,
            delivered: 1, // the SYN
            lost: 0,
            retransmitted: 0,
            duplicates_reported: 0,
            rack: Rack::default(),
            probe: TailProbe::default(),
            reduction: Reduction::default(),
            undo: LinuxUndo::default(),
            frto: false,
            is_reduced: false,
            settled: false,
            hint: 0,
            order: RexmitOrder::Nothing,
            waits: false,
            pending: TimerPurpose::Nothing,
            buffers: Buffers::new(FIRST_BYTE),
            piece: Piece::default(),
            piece_sent: 0,
            pace: u64::MAX,
            rates: None,
            mtu_search: None,
            route: None,
        }
    }

    pub fn state(&self) -> CaState {
        self.state
    }

    /// Segments sent and not acknowledged, SACKed or not.
    #[inline]
    pub fn packets_out(&self) -> u32 {
        self.sent.len()
    }

    /// Returns how many buffers what was sent takes: pieces that are not acknowledged as a whole.
    pub fn pieces_out(&self) -> u64 {
        self.sent.pieces()
    }

    /// Returns when the oldest segment that is not acknowledged left last.
    pub fn head_sent_at(&self) -> Option<Time> {
        self.sent.front().map(|head| head.at)
    }

    /// `tcp_packets_in_flight`.
    #[inline]
    pub fn in_flight(&self) -> u32 {
        (self.packets_out() + self.retrans_out).saturating_sub(self.left_out())
    }

    /// `tcp_left_out`.
    fn left_out(&self) -> u32 {
        self.sacked_out + self.lost_out
    }

    /// The congestion window in segments.
    #[inline]
    pub fn window(&self, congestion: &Controller) -> u32 {
        u32::try_from(congestion.window() / self.settings.mss).unwrap_or(u32::MAX)
    }

    fn set_window(&self, segments: u32, congestion: &mut Controller) {
        let window = u64::from(segments.max(1)) * self.settings.mss;
        congestion.set(window, congestion.ssthresh());
    }

    /// Returns whether the congestion window takes another segment (`tcp_cwnd_test`).
    #[inline]
    pub fn has_room(&self, congestion: &Controller) -> bool {
        self.in_flight() < self.window(congestion)
    }

    /// Returns whether both ends permit SACK.
    pub fn is_sack(&self) -> bool {
        self.settings.sack
    }

    /// `range` leaves for the first time.
    #[inline]
    pub fn on_sent(&mut self, now: Time, range: OffsetRange) {
        if self.rates.is_some() {
            self.note_departure(now, range.len());
        }
        self.sent.push(range, now, self.delivered);
        if range.start >= self.piece_sent {
            self.sent.mark_last(SegmentMarks::BEGINS_PIECE);
            self.piece_sent = self.piece.end;
        }
        if self.is_reducing() {
            self.reduction.sent += 1;
        }
    }

    /// A segment of `bytes` leaves, for the first time or again.
    #[cold]
    fn note_departure(&mut self, now: Time, bytes: u64) {
        let departure = Departure {
            now,
            bytes,
            packets_out: self.packets_out(),
            in_flight: self.in_flight(),
            lost: self.lost,
            oldest: self.sent.oldest().unwrap_or(now),
        };
        if let Some(rates) = &mut self.rates {
            rates.on_sent(&departure);
        }
    }

    /// A piece has left as a whole, or a segment again.
    pub fn end_departure(&mut self, now: Time) {
        if let Some(rates) = &mut self.rates {
            rates.end_piece(now, self.pace);
        }
    }

    /// Returns when the next piece may leave, if that is not yet.
    pub fn paced_until(&self, now: Time) -> Option<Time> {
        let rates = self.rates.as_ref().filter(|rates| !rates.is_below)?;
        (rates.departs_at > now).then_some(rates.departs_at)
    }

    /// Returns how long what is sent next waits, in whole jiffies: timers begin after it
    /// (`tcp_pacing_delay`).
    pub fn pacing_delay(&self, now: Time) -> Duration {
        let Some(rates) = &self.rates else {
            return Duration::ZERO;
        };
        let delay = rates.departs_at.saturating_since(now).as_nanos();
        let jiffy = self.settings.jiffy.as_nanos().max(1);
        Duration::from_nanos(delay - delay % jiffy)
    }

    /// Returns when what is sent now leaves.
    #[inline]
    pub fn leaves_at(&self, now: Time) -> Time {
        match &self.rates {
            Some(rates) if rates.is_below => rates.departs_at.max(now),
            _ => now,
        }
    }

    /// Until when a piece waits for what the queue below holds back, which is to be less than so
    /// much.
    pub fn queued_until(&mut self, now: Time, most: u64) -> Option<Time> {
        let rates = self.rates.as_mut().filter(|rates| rates.is_below)?;
        rates.queued_until(now, most)
    }

    /// The application writes: whether what it had written before was too little to fill the
    /// window (`tcp_rate_check_app_limited`).
    pub fn note_written(&mut self, unsent: u64, congestion: &Controller) {
        let has_too_little = unsent < self.settings.mss
            && self.has_room(congestion)
            && self.lost_out <= self.retrans_out;
        if has_too_little {
            self.limit_rates();
        }
    }

    /// Takes what is in flight for no evidence of the path.
    fn limit_rates(&mut self) {
        let until = self.delivered + u64::from(self.in_flight());
        if let Some(rates) = &mut self.rates {
            rates.note_limited(until);
        }
    }

    /// Tells the model of the path what was marked lost meanwhile.
    pub fn tell_losses(&mut self, now: Time, congestion: &mut Controller) {
        let delivered = self.delivered;
        if let Some(rates) = &mut self.rates {
            for segment in rates.losses() {
                congestion.on_lost(now, delivered, &segment);
            }
        }
    }

    /// Tells the model of the path of an acknowledgement; `is_limited` tells whether the window was
    /// full at some time in the last round trip.
    pub fn model(
        &mut self,
        ack: &Ack,
        view: &View,
        trips: &AckRoundTrips,
        is_limited: bool,
        congestion: &mut Controller,
    ) {
        self.tell_losses(view.now, congestion);
        let (newly_delivered, newly_lost) = (self.newly_delivered(ack), self.newly_lost(ack));
        let (delivered, newest) = (self.delivered, ack.newest_delivery());
        let in_flight = self.in_flight();
        let Some(rates) = &mut self.rates else { return };
        let totals = (delivered, self.lost);
        let delivery = rates.take(view.now, newest, totals, newly_delivered, view.min_rtt);
        let sample = RateSample {
            now: view.now,
            delivery: delivery.filter(|_| !ack.has_reneged()),
            delivered_at: rates.delivered_at(),
            delivered,
            lost: self.lost,
            newly_delivered,
            newly_lost,
            prior_in_flight: ack.prior_in_flight,
            in_flight,
            rtt: trips.last,
            maybe_delayed: trips.maybe_delayed,
            srtt: view.srtt,
            departs_at: rates.departs_at,
            is_limited,
            state: self.state,
        };
        if congestion.on_rate(&sample) {
            self.limit_rates();
        }
        self.pace = congestion.pacing_rate().unwrap_or(u64::MAX);
    }

    /// Notes that what was sent last ends what is to be pushed to the peer, or a record.
    pub fn note_end(&mut self, boundary: Boundary) {
        self.sent.mark_last(match boundary {
            Boundary::Record => SegmentMarks::RECORD_END,
            _ => SegmentMarks::PUSHED,
        });
    }

    /// Where the SACKed part ends (`tcp_highest_sack_seq`).
    fn highest_sacked(&self, una: u64) -> u64 {
        self.sacked.as_slice().last().map_or(una, |r| r.end)
    }

    /// `tcp_any_retrans_done`.
    fn has_retransmitted(&self) -> bool {
        let head_was = |s: &sent::SentSegment| s.marks.contains(SegmentMarks::EVER_RETRANSMITTED);
        self.retrans_out > 0 || self.sent.front().is_some_and(head_was)
    }

    fn enter(&mut self, state: CaState) {
        self.state = state;
    }
}

/// Counts of the machine for TCP_INFO.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TcpInfoCounts {
    pub sacked: u32,
    pub lost: u32,
    pub retransmitted: u32,
    pub reordering: u32,
    pub reordering_seen: u32,
    pub delivered: u64,
    pub duplicates_reported: u64,
}

impl Sender {
    pub fn counts(&self) -> TcpInfoCounts {
        TcpInfoCounts {
            sacked: self.sacked_out,
            lost: self.lost_out,
            retransmitted: self.retrans_out,
            reordering: self.reordering,
            reordering_seen: self.reordering_seen,
            delivered: self.delivered,
            duplicates_reported: self.duplicates_reported,
        }
    }
}
