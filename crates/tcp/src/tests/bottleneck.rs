//! Senders with endless data over one wired bottleneck: a FIFO of finite length, drained at a
//! rate, with delay on both sides and random loss if a test wants it.

use std::collections::VecDeque;

use units::{Duration, Time};

use super::script::MSS;
use crate::{Connection, ConnectionOptions, Event, Profile, Segment, SendCause};

/// IPv4 and TCP headers without options.
const HEADER: u64 = 40;

pub(super) struct Link {
    /// Nanoseconds per byte.
    pub byte_time: u64,
    /// Segments the queue holds, the one on the wire included.
    pub queue: usize,
    /// From the queue's end to the receiver, and all the way back.
    pub delay: [Duration; 2],
    pub loss: Loss,
}

/// Data segments that are lost besides those that find the queue full.
#[derive(Clone, Copy)]
pub(super) enum Loss {
    None,
    /// Each with a probability of one in so many.
    Random(u64),
    /// Each with a probability of one in so many, and with it all that come to the queue in
    /// the time after it: the rest of a round, as where a queue is full.
    Rest(u64, Duration),
    /// The same, but for what is retransmitted, which always arrives.
    RestOfNew(u64, Duration),
    /// The last of every so many.
    Periodic(u64),
}

struct Flow {
    ends: [Connection; 2],
    received: u64,
}

pub(super) struct Bottleneck {
    pub now: Time,
    flows: Vec<Flow>,
    link: Link,
    queue: VecDeque<(usize, Segment)>,
    busy_until: Option<Time>,
    /// Under way to the receivers, and back: both are in the order of arrival.
    under_way: [VecDeque<(Time, usize, Segment)>; 2],
    random: u64,
    /// Until when a loss takes along what follows it.
    rest_until: Time,
    /// Data segments that came to the queue.
    offered: u64,
    pub drops: u64,
}

impl Bottleneck {
    /// One flow for each profile; they start 10 ms apart.
    pub fn new(profiles: &[Profile], link: Link, seed: u64) -> Bottleneck {
        let options = ConnectionOptions::default();
        let flows = profiles.iter().enumerate().map(|(n, profile)| Flow {
            ends: [
                Connection::connect(Time::ZERO, profile, &options, n as u32),
                Connection::listen(profile, &options, 7 * n as u32),
            ],
            received: 0,
        });
        Bottleneck {
            now: Time::ZERO,
            flows: flows.collect(),
            link,
            queue: VecDeque::new(),
            busy_until: None,
            under_way: Default::default(),
            random: seed,
            rest_until: Time::ZERO,
            offered: 0,
            drops: 0,
        }
    }

    /// Bytes each receiver's application has read.
    pub fn received(&self) -> Vec<u64> {
        self.flows.iter().map(|f| f.received).collect()
    }

    /// Segments per second of the first flow, from second `begin` on for `seconds`.
    pub fn rate(&mut self, begin: f64, seconds: f64) -> f64 {
        self.run_until(begin);
        let before = self.flows[0].received;
        self.run_until(begin + seconds);
        (self.flows[0].received - before) as f64 / MSS as f64 / seconds
    }

    /// Returns how often the senders' retransmission timers have expired.
    pub fn timeouts(&self) -> u64 {
        let senders = self.flows.iter().map(|f| &f.ends[0]);
        senders.map(|s| s.counters().timeouts).sum()
    }

    /// Segments waiting and on the wire.
    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    pub fn run_until(&mut self, seconds: f64) {
        let end = Time::from_nanos((seconds * 1e9) as u64);
        for flow in 0..self.flows.len() {
            self.act(flow);
        }
        loop {
            let next = self.next_time();
            if next > end {
                self.now = end;
                return;
            }
            self.now = next;
            self.step();
        }
    }

    fn next_time(&self) -> Time {
        let front =
            |way: &VecDeque<(Time, usize, Segment)>| way.front().map_or(Time::NEVER, |w| w.0);
        let timers = self
            .flows
            .iter()
            .flat_map(|f| f.ends.iter().map(Connection::wake_at));
        let wires = self.under_way.iter().map(front);
        let departure = self.busy_until.unwrap_or(Time::NEVER);
        timers
            .chain(wires)
            .min()
            .unwrap_or(Time::NEVER)
            .min(departure)
    }

    fn step(&mut self) {
        if self.busy_until.is_some_and(|until| until <= self.now) {
            self.depart();
        }
        for way in 0..2 {
            while let Some(&(_, flow, segment)) =
                self.under_way[way].front().filter(|w| w.0 <= self.now)
            {
                self.under_way[way].pop_front();
                self.flows[flow].ends[1 - way].on_segment(self.now, &segment);
                self.act(flow);
            }
        }
        for flow in 0..self.flows.len() {
            for end in 0..2 {
                if self.flows[flow].ends[end].wake_at() <= self.now {
                    self.flows[flow].ends[end].on_timer(self.now);
                    self.act(flow);
                }
            }
        }
    }

    /// Applications read and write, endpoints send.
    fn act(&mut self, flow: usize) {
        let f = &mut self.flows[flow];
        f.received += f.ends[1].read(self.now, u64::MAX);
        f.ends[0].write(self.now, u64::MAX);
        for end in &mut f.ends {
            while let Some(event) = end.poll_event() {
                assert!(!matches!(event, Event::Failed(_)), "{event:?}");
            }
        }
        while let Some(segment) = self.flows[flow].ends[0].poll_segment(self.now) {
            self.enqueue(flow, segment);
        }
        while let Some(segment) = self.flows[flow].ends[1].poll_segment(self.now) {
            let at = self.now + self.link.delay[1];
            self.under_way[1].push_back((at, flow, segment));
        }
    }

    fn enqueue(&mut self, flow: usize, segment: Segment) {
        let is_lost = segment.payload > 0 && self.draws_loss(segment.kind);
        if is_lost || self.queue.len() >= self.link.queue {
            self.drops += 1;
            return;
        }
        self.queue.push_back((flow, segment));
        if self.busy_until.is_none() {
            self.begin_service();
        }
    }

    fn draws_loss(&mut self, kind: SendCause) -> bool {
        self.offered += 1;
        match self.link.loss {
            Loss::None => false,
            Loss::Periodic(every) => self.offered.is_multiple_of(every),
            Loss::Random(one_in) => self.draws_one_in(one_in),
            Loss::RestOfNew(..) if kind != SendCause::Data => false,
            Loss::Rest(one_in, time) | Loss::RestOfNew(one_in, time) => {
                if self.rest_until <= self.now && self.draws_one_in(one_in) {
                    self.rest_until = self.now + time;
                }
                self.now < self.rest_until
            }
        }
    }

    /// Marsaglia's xorshift64.
    fn draws_one_in(&mut self, one_in: u64) -> bool {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random.is_multiple_of(one_in)
    }

    fn begin_service(&mut self) {
        self.busy_until = self.queue.front().map(|(_, segment)| {
            let bytes = u64::from(segment.payload) + HEADER;
            self.now + Duration::from_nanos(bytes * self.link.byte_time)
        });
    }

    fn depart(&mut self) {
        if let Some((flow, segment)) = self.queue.pop_front() {
            let at = self.now + self.link.delay[0];
            self.under_way[0].push_back((at, flow, segment));
        }
        self.begin_service();
    }
}
