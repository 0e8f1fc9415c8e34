//! One connection: its parts put together, and what its owner may do with it.

use units::{Duration, Time};

use pacing::PacingClock;

use crate::config::{DEFAULT_MSS, TcpConfig};
use crate::congestion::{Controller, Usage};
use crate::delayed_ack::DelayedAck;
use crate::event::EventSet;
use crate::receive::Receiver;
use crate::recovery::Recovery;
use crate::recovery::linux::Sender;
use crate::rtt::RttEstimator;
use crate::send::SendQueue;
use crate::send_times::SendTimes;
use crate::state::Transition;
use crate::timers::{Timer, Timers};
use crate::{ConnectionOptions, Counters, Event, Failure, Flags, Profile, SendCause};
use crate::{Segment, Seq, State};

mod acknowledgment;
mod arrival;
mod crossing;
mod ecn;
mod fast_open;
mod freezing;
mod handshake;
mod inspection;
mod keep_alive;
mod linux;
mod options;
mod pacing;
mod path;
mod receiving;
mod remembering;
mod resets;
mod time_wait;
mod timeout;
mod transmit;
mod urgent;

pub use arrival::refusal;
use ecn::EcnState;
use fast_open::FastOpen;
use freezing::MOST_TOLD;
use linux::{Below, SendLimits};
pub use options::SocketOption;
use urgent::Urgent;

/// A TCP connection, established or being established.
///
/// Inputs are [`on_segment`](Self::on_segment), [`on_timer`](Self::on_timer) and the
/// application's calls; outputs are [`poll_segment`](Self::poll_segment), to be called until
/// it gives none after every input, [`poll_event`](Self::poll_event) and
/// [`wake_at`](Self::wake_at). Time must not go back.
#[derive(Clone, Debug)]
pub struct Connection {
    state: State,
    /// True if the peer spoke first.
    passive: bool,
    isn: Seq,
    peer_isn: Seq,
    /// SMSS, and the MSS taken from the peer, options included.
    mss: u32,
    peer_mss: u32,
    /// Shift of the peer's window, and of ours.
    peer_shift: u8,
    shift: u8,
    /// True if both ends scale their windows.
    scaling: bool,
    sack: bool,
    timestamps: Option<TimestampState>,

    send: SendQueue,
    receive: Receiver,
    recovery: Recovery,
    /// Linux's loss recovery, instead of the other where the profile has it.
    linux: Option<Box<Sender>>,
    congestion: Controller,
    usage: Usage,
    /// Limits that the application has set, where the stack is today's Linux.
    limits: Option<SendLimits>,
    /// Memory that a queue below has of it, where that tells what leaves it.
    below: Option<Below>,
    rtt: RttEstimator,
    /// Spacing of segments, where the profile has it and the sender is not today's Linux.
    pace: Option<PacingClock>,
    send_times: SendTimes,
    timers: Timers,

    ack: AckState,
    delayed_ack: DelayedAck,
    /// Number that the last segment sent has acknowledged.
    acknowledged: u64,
    /// The largest window that a segment may tell of: any, or none while this end is frozen.
    most_told: u64,
    ecn: EcnState,
    /// The persist timer has asked for a probe.
    probe_due: bool,
    urgent: Urgent,
    /// Where data may come or go with the SYN.
    fast_open: Option<Box<FastOpen>>,

    /// The segment whose round trip is being timed: the offset after it, and when it left.
    timed: Option<(u64, Time)>,
    sample: Option<Duration>,
    last_sent: Time,
    /// Time when anything left last, data or not.
    last_left: Time,
    /// Time when what is being sent leaves the queue below, where that paces; else in the past.
    leaves_at: Time,
    /// Timeouts since the last new acknowledgement.
    retries: u32,
    /// Time when the peer was last heard.
    last_heard: Time,
    /// Probes since the peer was last heard.
    probes: u32,
    /// Keep-alive probes since the peer fell silent, and when that was.
    keep_alive_probes: u32,
    silent_since: Time,
    /// Time when the timer first expired of those expiries that the peer has not answered.
    trouble_since: Time,
    /// True if the application has gone and takes no more data.
    released: bool,
    /// True if it reads no more, though it is there.
    reads_no_more: bool,
    /// Number of times the persist timer's wait has been doubled.
    persist_backoff: u32,

    events: EventSet,
    counters: Counters,
    /// Time when a segment that was not valid was last answered.
    invalid_answered: Option<Time>,
    config: TcpConfig,
}

/// An acknowledgement that may be owed, and its urgency.
#[derive(Clone, Copy, Debug, Default)]
struct AckState {
    due: AckDue,
    /// Data segments since the last acknowledgement.
    segments: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum AckDue {
    /// None, or one that the delayed-acknowledgement timer will ask for.
    #[default]
    No,
    /// One that tells of more room.
    WindowUpdate,
    /// One that may ride on data.
    Now,
    /// One that must be seen as a duplicate, hence without data.
    Duplicate,
}

/// RFC 7323 §4: what timestamps have to remember.
#[derive(Clone, Copy, Debug)]
struct TimestampState {
    /// TS.Recent.
    recent: u32,
    /// Last.ACK.sent.
    last_ack_sent: u64,
}

impl Connection {
    /// An active open. The SYN comes from [`poll_segment`](Self::poll_segment); `isn` is the
    /// initial sequence number, which the owner draws.
    pub fn connect(
        now: Time,
        profile: &Profile,
        options: &ConnectionOptions,
        isn: u32,
    ) -> Connection {
        let config = TcpConfig::new(profile, options);
        let mut connection = Connection::new(config, State::SynSent, Seq(isn));
        connection.last_sent = now;
        connection.urgent.owe_syn();
        connection
    }

    /// A passive open: waits for a SYN.
    pub fn listen(profile: &Profile, options: &ConnectionOptions, isn: u32) -> Connection {
        let mut connection =
            Connection::new(TcpConfig::new(profile, options), State::Listen, Seq(isn));
        connection.passive = true;
        connection
    }

    fn new(config: TcpConfig, state: State, isn: Seq) -> Connection {
        let mss = config.payload_limit(DEFAULT_MSS, false);
        Connection {
            state,
            passive: false,
            isn,
            peer_isn: Seq(0),
            mss,
            peer_mss: DEFAULT_MSS,
            peer_shift: 0,
            shift: 0,
            scaling: false,
            sack: false,
            timestamps: None,
            send: SendQueue::new(config.send_capacity, config.low_water),
            receive: Receiver::new(&config.receiver()),
            recovery: config.recovery(mss, false),
            linux: None,
            congestion: config.controller(mss, false),
            usage: Usage::default(),
            limits: config.memory_limit.map(SendLimits::of_buffer),
            below: config.pacing.is_told.then(Below::default),
            rtt: RttEstimator::new(config.rto),
            pace: (config.pacing.is_on && !config.is_linux()).then(PacingClock::default),
            send_times: SendTimes::default(),
            timers: Timers::new(),
            ack: AckState::default(),
            delayed_ack: DelayedAck::new(&config.ack_delay),
            acknowledged: 0,
            most_told: MOST_TOLD,
            ecn: EcnState::default(),
            probe_due: false,
            urgent: Urgent::default(),
            fast_open: None,
            timed: None,
            sample: None,
            last_sent: Time::ZERO,
            last_left: Time::ZERO,
            leaves_at: Time::ZERO,
            retries: 0,
            last_heard: Time::ZERO,
            probes: 0,
            keep_alive_probes: 0,
            silent_since: Time::ZERO,
            trouble_since: Time::ZERO,
            released: false,
            reads_no_more: false,
            persist_backoff: 0,
            events: EventSet::default(),
            counters: Counters::default(),
            invalid_answered: None,
            config,
        }
    }

    /// Writes up to `bytes` bytes; returns how many the send buffer took. After a short
    /// write, [`Event::Writable`] tells of room.
    #[inline]
    pub fn write(&mut self, now: Time, bytes: u64) -> u64 {
        self.write_marked(now, bytes, |_| {})
    }

    /// Writes what ends as `mark` notes.
    #[inline]
    fn write_marked(&mut self, now: Time, bytes: u64, mark: impl FnOnce(&mut SendQueue)) -> u64 {
        if self.send.closing || self.state == State::Closed {
            return 0;
        }
        if let Some(linux) = &mut self.linux {
            linux.on_occasion();
            if linux.rates.is_some() {
                linux.note_written(self.send.end - self.send.nxt, &self.congestion);
            }
            if self.limits.is_some() {
                return self.write_within_limits(now, bytes, mark);
            }
        }
        let taken = self.send.write(bytes);
        mark(&mut self.send);
        taken
    }

    /// Whether an acknowledgement is due that leaves before the application has read what it is
    /// for: BSD's tcp_input calls tcp_output, and the reader runs later.
    #[inline]
    pub fn answers_before_reading(&self) -> bool {
        self.config.acknowledges_unread && self.ack.due >= AckDue::Now
    }

    /// Reads up to `max` bytes; returns how many there were.
    #[inline]
    pub fn read(&mut self, now: Time, max: u64) -> u64 {
        let bytes = self.receive.read(now, max);
        if self.delayed_ack.is_adaptive() {
            self.acknowledge_after_reading(bytes);
        } else if self.ack.due == AckDue::No
            && self.state.may_receive()
            && self.receive.is_update_due(u64::from(self.mss))
        {
            self.ack.due = AckDue::WindowUpdate;
        }
        bytes
    }

    /// Bytes that can be read now.
    #[inline]
    pub fn readable(&self) -> u64 {
        self.receive.readable()
    }

    /// Bytes that can be written now; Linux, once the application has limited its buffer, takes
    /// whole buffers beyond.
    #[inline]
    pub fn writable(&self) -> u64 {
        match (&self.limits, &self.linux) {
            _ if self.send.closing || self.state == State::Closed => 0,
            (Some(limits), Some(sender)) => self.writable_within(limits, sender),
            _ => self.send.room(),
        }
    }

    /// Returns whether there is so much room that a writer who waits for it should hear of it.
    pub fn is_writable(&self) -> bool {
        match (&self.limits, &self.linux) {
            (Some(limits), Some(sender)) => self.is_writable_within(limits, sender),
            _ => self.send.is_writable(),
        }
    }

    /// The application has no more to send: a FIN follows what it has written. It may go on
    /// reading. (RFC 9293 §3.10.4; before the handshake is over the FIN waits for it, and a
    /// connection that was not asked to carry anything ends at once.)
    pub fn close(&mut self, _now: Time) {
        let nothing_written = !self.send.has_data();
        match self.state {
            State::Listen => self.end(Event::Closed),
            State::SynSent if nothing_written => self.end(Event::Closed),
            State::SynSent | State::SynReceived => {
                self.send.closing = true;
                if let Some(linux) = &mut self.linux {
                    linux.on_occasion();
                }
            }
            State::Established | State::CloseWait => {
                self.send.closing = true;
                if let Some(linux) = &mut self.linux {
                    linux.on_occasion();
                }
                self.state = self.state.after(Transition::Close);
            }
            _ => {}
        }
    }

    /// The application is done with the connection altogether, as after close(2): nothing is
    /// read any more. If anything unread is thrown away, or more data come, the peer is told by
    /// a reset (RFC 2525 §2.17, RFC 9293 §3.6.1), and FIN-WAIT-2 lasts as long as the profile
    /// says.
    pub fn release(&mut self, now: Time) {
        if self.readable() > 0 {
            self.abort(now);
            return;
        }
        self.released = true;
        if self.is_crossed() {
            self.close_crossed();
            return;
        }
        self.close(now);
        self.limit_fin_wait2(now);
    }

    /// The application reads no more, as after shutdown(2): once it has closed, too, data are
    /// answered by a reset, as Linux does it (`tcp_rcv_state_process`).
    pub fn stop_reading(&mut self) {
        self.reads_no_more = true;
    }

    /// RFC 9293 §3.6 lets FIN-WAIT-2 last for ever; hosts do not, once nobody reads.
    fn limit_fin_wait2(&mut self, now: Time) {
        if let (State::FinWait2, true, Some(limit)) =
            (self.state, self.released, self.config.fin_wait2)
        {
            self.timers.arm(Timer::TimeWait, now + limit);
        }
    }

    /// Ends the connection at once, telling the peer by a reset (RFC 9293 §3.10.5).
    pub fn abort(&mut self, now: Time) {
        use State::*;
        if matches!(
            self.state,
            SynReceived | Established | FinWait1 | FinWait2 | CloseWait
        ) {
            self.owe_abort(now);
        }
        if self.state != Closed {
            self.end(Event::Closed);
        }
    }

    /// The next thing to tell the application.
    #[inline]
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop()
    }

    /// Returns when [`on_timer`](Self::on_timer) wants to be called; `Time::NEVER` if no timer
    /// runs.
    #[inline]
    pub fn wake_at(&self) -> Time {
        self.timers.earliest()
    }

    /// The connection's state.
    #[inline]
    pub fn state(&self) -> State {
        self.state
    }

    /// Totals since the connection was made.
    #[inline]
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The round-trip time measured last, once. Look after each
    /// [`on_segment`](Self::on_segment) to see every one.
    #[inline]
    pub fn take_rtt_sample(&mut self) -> Option<Duration> {
        self.sample.take()
    }

    /// The connection is over; `last` says how.
    fn end(&mut self, last: Event) {
        self.state = State::Closed;
        self.timers.cancel_all();
        self.ack = AckState::default();
        self.urgent.forget_syn();
        self.probe_due = false;
        self.events.push(last);
    }

    fn owe_reset(&mut self) {
        self.urgent.owe(Segment {
            seq: self.isn.at(self.send.nxt),
            flags: Flags::RST,
            kind: SendCause::Control,
            ..Segment::default()
        });
    }

    /// The reset of a connection that this end gives up.
    fn owe_abort(&mut self, now: Time) {
        if !self.config.resets_acknowledge {
            self.owe_reset();
            return;
        }
        let mut reset = self.make_header(now, self.send.nxt, SendCause::Control);
        reset.flags |= Flags::RST;
        self.urgent.owe(reset);
    }

    fn fail(&mut self, cause: Failure) {
        self.end(Event::Failed(cause));
    }
}
