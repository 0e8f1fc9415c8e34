//! Flows: an application with its two ends, and what is reported of it.

use std::net::Ipv4Addr;

use engine::{Purpose, Stream};
use traffic::{App, ApplicationCounts, Initiator, Responder, TimingRecord};
use units::{Duration, Time};

use crate::ids::{FlowId, NodeId, PortNumber, Side};
use crate::meters::{FlowHistograms, FlowMeter, TimedQuantity};
use crate::plan::{FlowPlan, Plan};
use crate::streams::name_hash;

/// Draws when the flows start.
pub fn draw_starts(plan: &mut Plan, seed: u64) {
    let part_of =
        |whole: Duration, part: f64| Duration::from_nanos((part * whole.as_nanos() as f64) as u64);
    for (number, flow) in (0..).zip(&mut plan.flows) {
        let within = std::mem::replace(&mut flow.start_within_ns, Duration::ZERO);
        if within > Duration::ZERO {
            flow.start_ns += part_of(within, Stream::new(seed, number, Purpose::Start).unit());
        }
        let stream = &mut Stream::new(seed, name_hash(&flow.name), Purpose::StartJitter);
        flow.start_ns += part_of(flow.start_jitter_ns, stream.unit());
    }
}

/// A flow of a running world.
#[derive(Debug)]
pub struct WorldFlow {
    pub(super) initiator: Initiator,
    pub(super) responder: Responder,
    /// What it has beside its applications.
    pub account: Account,
}

/// What an application finds of its flow when it has its turn.
#[derive(Debug)]
pub struct Account {
    /// The nodes of its two ends.
    pub nodes: [NodeId; 2],
    /// Where its ends take what comes to them.
    pub ports: [PortNumber; 2],
    /// Initial sequence numbers and whatever the applications draw.
    pub(super) stream: Stream,
    /// What names the streams of its content.
    pub(super) content: u64,
    /// Where in its period a source of constant interval begins at each end, from 0 to below 1.
    pub(super) phases: [f64; 2],
    /// How late comes what is done by the clock, if that is not exact.
    pub(super) lateness: Option<HostLateness>,
    /// The end that opens it, where that is laid down.
    pub opener: Option<Side>,
    /// Where datagrams for an end have come from, where it waits for those of the opener.
    pub seen_at: [Option<(Ipv4Addr, PortNumber)>; 2],
    /// Whether its time is over: it opens and sends nothing more.
    pub is_stopped: bool,
    /// What it has achieved.
    pub meter: FlowMeter,
    /// Requests and replies of a ping by a real node, which stand for those that its applications
    /// have counted.
    pub outside_echoes: Option<[u64; 2]>,
    /// How long what happens to it takes, if that is kept.
    pub histograms: Option<Box<FlowHistograms>>,
    /// Its timing records since the end of the warm-up.
    pub records: Vec<TimingRecord>,
}

/// How late a host does what it is to do at a time.
#[derive(Debug)]
pub(super) struct HostLateness {
    at_most: Duration,
    stream: Stream,
}

impl HostLateness {
    pub(super) fn draw(&mut self) -> Duration {
        let nanos = self.stream.unit() * self.at_most.as_nanos() as f64;
        Duration::from_nanos(nanos as u64)
    }
}

impl WorldFlow {
    /// A flow that has not started. It keeps how long what happens takes, or it does not.
    pub fn new(plan: &FlowPlan, id: FlowId, seed: u64, keeps: bool) -> Self {
        let (initiator, responder) = plan.app.ends();
        let is_exact = plan.start_jitter_ns == Duration::ZERO;
        let name = name_hash(&plan.name);
        let mut phases = Stream::new(seed, name, Purpose::Phase);
        let lateness = HostLateness {
            at_most: plan.jitter_ns,
            stream: Stream::new(seed, name, Purpose::WakeJitter),
        };
        let account = Account {
            nodes: [plan.from, plan.to].map(NodeId::at),
            ports: [id.port(); 2],
            stream: Stream::new(seed, u64::from(id.0), Purpose::Flow),
            content: seed ^ u64::from(id.0) << 48,
            phases: if is_exact {
                [0.0; 2]
            } else {
                [phases.unit(), phases.unit()]
            },
            lateness: (plan.jitter_ns > Duration::ZERO).then_some(lateness),
            opener: plan.opener,
            seen_at: [None; 2],
            is_stopped: false,
            meter: FlowMeter::default(),
            outside_echoes: None,
            histograms: keeps.then(Box::default),
            records: Vec::new(),
        };
        WorldFlow {
            initiator,
            responder,
            account,
        }
    }

    /// The node of an end.
    #[inline]
    pub fn node(&self, side: Side) -> NodeId {
        self.account.nodes[side as usize]
    }

    /// A datagram has come to an end.
    pub fn take_datagram(&mut self, now: Time, side: Side, datagram: &net::Datagram) {
        let timed = [TimedQuantity::OneWay, TimedQuantity::Answer];
        let way = side.other() as usize;
        self.account.meter.datagrams[way].on_received(now, datagram);
        if let Some(histograms) = &mut self.account.histograms {
            histograms.add(timed[way], now - datagram.sent);
        }
    }

    /// A round trip was timed.
    pub fn note_round_trip(&mut self, took: Duration) {
        self.account.meter.rtt.add_duration(took);
        if let Some(histograms) = &mut self.account.histograms {
            histograms.add(TimedQuantity::RoundTrip, took);
        }
    }

    /// A connection has brought all that its sender had.
    pub fn complete_transfer(&mut self, took: Duration) {
        self.account.meter.transfers.add_duration(took);
        if let Some(histograms) = &mut self.account.histograms {
            histograms.add(TimedQuantity::Transfer, took);
        }
    }

    /// A data segment is retransmitted.
    #[cold]
    pub fn note_loss(&mut self, now: Time) {
        if let Some(histograms) = &mut self.account.histograms {
            histograms.on_lost(now);
        }
    }

    /// Returns what its applications have counted since they began.
    pub fn counts(&self) -> ApplicationCounts {
        let outside = self.account.outside_echoes.map(|echoes| echoes.to_vec());
        ApplicationCounts {
            initiator: outside.unwrap_or_else(|| self.initiator.counts().to_vec()),
            responder: self.responder.counts().to_vec(),
        }
    }

    /// Returns whether its applications open no more connections of themselves.
    pub fn is_done(&self) -> bool {
        self.account.is_stopped || self.initiator.is_done() && self.responder.is_done()
    }

    /// An initial sequence number for the next connection.
    pub fn draw_isn(&mut self) -> u32 {
        self.account.stream.up_to(u32::MAX)
    }
}
