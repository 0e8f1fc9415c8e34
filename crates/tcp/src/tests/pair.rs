//! Two endpoints and a wire between them that does what a test wants with each segment.

use units::{Duration, Time};

use crate::ranges::{OffsetRange, RangeSet};
use crate::{
    Connection, ConnectionOptions, Ecn, Event, Flags, Profile, Segment, SendCause, Seq, State,
};

/// Fate of a segment on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WireOutcome {
    Deliver,
    Drop,
    /// Delivers it so much later than the others.
    Late(Duration),
    /// Delivers it, and again so much later.
    Twice(Duration),
    /// Delivers it with a mark of congestion, if its sender knows what that means.
    Mark,
}

/// Behaviour of an application.
#[derive(Clone, Copy, Debug)]
pub(super) struct Application {
    /// Bytes it wants to send before it closes.
    pub to_write: u64,
    /// The most it writes at once.
    pub chunk: u64,
    /// Reads everything at once, or this much every this long.
    pub slow_reader: Option<(u64, Duration)>,
}

impl Application {
    pub fn sends(to_write: u64) -> Application {
        Application {
            to_write,
            chunk: u64::MAX,
            slow_reader: None,
        }
    }
}

pub(super) struct End {
    pub connection: Connection,
    pub application: Application,
    pub initial: Seq,
    pub total: u64,
    pub received: u64,
    pub events: Vec<Event>,
    /// The longest segment that its link carries, the header of 20 bytes aside.
    link: u32,
    next_read: Time,
    /// Data that the wire has brought, by offset: the truth the receiver is held against.
    arrived: RangeSet,
    /// The highest right edge the peer has told of, and the shift of its window field.
    peer_edge: u64,
    peer_shift: u8,
}

impl End {
    fn new(connection: Connection, application: Application, isn: u32, link: u32) -> End {
        End {
            connection,
            application,
            link,
            initial: Seq(isn),
            total: application.to_write,
            received: 0,
            events: Vec::new(),
            next_read: Time::NEVER,
            arrived: RangeSet::default(),
            peer_edge: 0,
            peer_shift: 0,
        }
    }

    fn contiguous(&self) -> u64 {
        self.arrived.end_of_range_at(1) - 1
    }
}

/// One line of the log: when, from which end, and what the wire did with it.
pub(super) type Sent = (Time, usize, Segment, WireOutcome);

/// Decides a segment's fate by the end it comes from and its number there, from nought.
type Schedule = dyn FnMut(usize, &Segment, u64) -> WireOutcome;

pub(super) struct Pair {
    pub now: Time,
    pub ends: [End; 2],
    pub delay: Duration,
    pub log: Vec<Sent>,
    wire: Vec<(Time, u64, usize, Segment)>,
    order: u64,
    fate: Box<Schedule>,
    counts: [u64; 2],
}

impl Pair {
    /// A client (end 0) that connects to a server (end 1); `fate` is asked of each segment
    /// with the end it comes from and its number there, counted from nought.
    pub fn new(
        profiles: [&Profile; 2],
        options: [ConnectionOptions; 2],
        isns: [u32; 2],
        applications: [Application; 2],
        fate: impl FnMut(usize, &Segment, u64) -> WireOutcome + 'static,
    ) -> Pair {
        let now = Time::ZERO;
        let client = Connection::connect(now, profiles[0], &options[0], isns[0]);
        let server = Connection::listen(profiles[1], &options[1], isns[1]);
        let [client_link, server_link] =
            options.map(|of| of.mss_limit_bytes.unwrap_or(u32::MAX - 20));
        Pair {
            now,
            ends: [
                End::new(client, applications[0], isns[0], client_link),
                End::new(server, applications[1], isns[1], server_link),
            ],
            delay: Duration::from_millis(10),
            log: Vec::new(),
            wire: Vec::new(),
            order: 0,
            fate: Box::new(fate),
            counts: [0; 2],
        }
    }

    /// Both ends of one profile, the client sending `bytes`.
    pub fn upload(
        profile: &Profile,
        bytes: u64,
        fate: impl FnMut(usize, &Segment, u64) -> WireOutcome + 'static,
    ) -> Pair {
        let applications = [Application::sends(bytes), Application::sends(0)];
        Pair::new(
            [profile; 2],
            Default::default(),
            [1000, 2000],
            applications,
            fate,
        )
    }

    /// Runs until nothing happens any more or `limit` is reached; true if nothing does.
    pub fn run(&mut self, limit: Duration) -> bool {
        let end = Time::ZERO + limit;
        loop {
            self.settle();
            let next = self.next_time();
            if next == Time::NEVER {
                return true;
            }
            if next > end {
                return false;
            }
            self.now = next;
            self.deliver();
            for i in 0..2 {
                if self.ends[i].connection.wake_at() <= self.now {
                    self.ends[i].connection.on_timer(self.now);
                }
            }
        }
    }

    /// Runs up to a time, and has an end foresee that the path breaks off, or find it back.
    pub fn freeze_or_thaw(&mut self, at: Duration, end: usize, freezes: bool) {
        self.run(at);
        self.now = self.now.max(Time::ZERO + at);
        let connection = &mut self.ends[end].connection;
        match freezes {
            true => connection.freeze(),
            false => connection.thaw(self.now),
        }
    }

    fn next_time(&self) -> Time {
        let wire = self.wire.iter().map(|w| w.0);
        let timers = self
            .ends
            .iter()
            .map(|e| e.connection.wake_at().min(e.next_read));
        wire.chain(timers).min().unwrap_or(Time::NEVER)
    }

    fn deliver(&mut self) {
        self.wire.sort_by_key(|w| (w.0, w.1));
        let due = self.wire.partition_point(|w| w.0 <= self.now);
        let arrivals: Vec<_> = self.wire.drain(..due).collect();
        for (_, _, to, segment) in arrivals {
            self.note_arrival(to, &segment);
            self.ends[to].connection.on_segment(self.now, &segment);
            self.settle();
        }
    }

    /// Lets applications and endpoints act until neither has anything to do.
    fn settle(&mut self) {
        for i in 0..2 {
            self.run_application(i);
            let before = self.log.len();
            while let Some(segment) = self.ends[i].connection.poll_segment(self.now) {
                self.check_sent(i, &segment);
                self.transmit(i, segment);
            }
            self.check_each_once(before);
            self.check_received(i);
        }
    }

    /// One input makes no segment leave twice.
    fn check_each_once(&self, before: usize) {
        let burst = &self.log[before..];
        for (n, (_, _, segment, _)) in burst.iter().enumerate() {
            let is_again = |s: &&Sent| s.2.payload > 0 && s.2.seq == segment.seq;
            let first = burst[..n]
                .iter()
                .find(is_again)
                .filter(|_| segment.payload > 0);
            assert!(first.is_none(), "twice at once: {first:?} {segment:?}");
        }
    }

    fn run_application(&mut self, i: usize) {
        let (now, end) = (self.now, &mut self.ends[i]);
        while let Some(event) = end.connection.poll_event() {
            end.events.push(event);
        }
        match end.application.slow_reader {
            None => end.received += end.connection.read(now, u64::MAX),
            Some((bytes, pause)) => {
                if end.next_read <= now {
                    end.received += end.connection.read(now, bytes);
                    end.next_read = Time::NEVER;
                }
                if end.next_read == Time::NEVER && end.connection.readable() > 0 {
                    end.next_read = now + pause;
                }
            }
        }
        let wanted = end.application.to_write.min(end.application.chunk);
        if wanted > 0 {
            end.application.to_write -= end.connection.write(now, wanted);
        }
        let is_open = matches!(
            end.connection.state(),
            State::Established | State::CloseWait
        );
        if is_open && end.application.to_write == 0 {
            end.connection.close(now);
        }
    }

    fn transmit(&mut self, from: usize, segment: Segment) {
        let fate = (self.fate)(from, &segment, self.counts[from]);
        self.counts[from] += 1;
        self.log.push((self.now, from, segment, fate));
        let arrival = self.now + self.delay;
        let (first, second) = match fate {
            WireOutcome::Deliver | WireOutcome::Mark => (Some(arrival), None),
            WireOutcome::Drop => (None, None),
            WireOutcome::Late(by) => (Some(arrival + by), None),
            WireOutcome::Twice(by) => (Some(arrival), Some(arrival + by)),
        };
        let mut arriving = segment;
        if fate == WireOutcome::Mark && segment.ecn == Ecn::Capable {
            arriving.ecn = Ecn::Congestion;
        }
        for at in first.into_iter().chain(second) {
            self.wire.push((at, self.order, 1 - from, arriving));
            self.order += 1;
        }
    }

    fn note_arrival(&mut self, to: usize, segment: &Segment) {
        let (own, peer) = (self.ends[to].initial, self.ends[1 - to].initial);
        let end = &mut self.ends[to];
        if segment.flags.contains(Flags::SYN) {
            end.peer_shift = segment.options.window_scale.unwrap_or(0);
        }
        if segment.flags.contains(Flags::ACK) {
            let shift = if segment.flags.contains(Flags::SYN) {
                0
            } else {
                end.peer_shift
            };
            let ack = segment.ack.unwrap(own, end.peer_edge).unwrap();
            end.peer_edge = end
                .peer_edge
                .max(ack + (u64::from(segment.window) << shift));
        }
        if segment.payload > 0 {
            let start = segment.seq.unwrap(peer, end.contiguous() + 1).unwrap();
            end.arrived
                .insert(OffsetRange::new(start, start + u64::from(segment.payload)));
        }
    }

    /// Nothing goes beyond the peer's window but one byte of a probe, nothing that was not written,
    /// and nothing that the link does not carry, options and all.
    fn check_sent(&self, i: usize, segment: &Segment) {
        let end = &self.ends[i];
        let info = end.connection.info();
        assert!(
            info.cwnd_bytes >= u64::from(info.mss_bytes),
            "cwnd below a segment: {info:?}"
        );
        assert!(
            segment.total_bytes() <= 20 + end.link,
            "longer than {}: {segment:?}",
            20 + end.link
        );
        if segment.payload > 0 {
            let start = segment.seq.unwrap(end.initial, end.peer_edge).unwrap();
            let last = start + u64::from(segment.payload);
            let probe = u64::from(segment.kind == SendCause::Probe);
            assert!(
                last <= end.peer_edge + probe,
                "beyond the window: {segment:?}"
            );
            assert!(
                last - 1 <= end.total - end.application.to_write,
                "not written: {segment:?}"
            );
            assert!(segment.payload <= info.mss_bytes);
        }
    }

    /// What the receiver has given out or holds ready is what has arrived without a gap.
    fn check_received(&self, i: usize) {
        let end = &self.ends[i];
        let delivered = end.received + end.connection.readable();
        assert!(
            delivered <= end.contiguous(),
            "{delivered} of {}",
            end.contiguous()
        );
    }

    /// Both applications have all of each other's bytes and both ends have closed.
    pub fn assert_complete(&self) {
        for i in 0..2 {
            let (end, peer) = (&self.ends[i], &self.ends[1 - i]);
            assert_eq!(
                end.received,
                peer.total,
                "end {i}: {:?}",
                end.connection.info()
            );
            assert_eq!(
                end.events.last(),
                Some(&Event::Closed),
                "end {i}: {:?}",
                end.events
            );
            assert_eq!(end.connection.counters().bytes_acknowledged, end.total);
            assert_eq!(end.connection.counters().bytes_received, peer.total);
        }
    }

    /// The segments with payload that end `i` sent.
    pub fn data_sent(&self, i: usize) -> impl Iterator<Item = &Segment> {
        self.log
            .iter()
            .filter(move |s| s.1 == i && s.2.payload > 0)
            .map(|s| &s.2)
    }
}

/// The longest a test's connection may take: a window of one byte and a probe for each.
pub(super) const LONG: Duration = Duration::from_secs(1_000_000);
