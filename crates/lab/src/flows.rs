//! Flows: applications on top of their transports, one at each end.

use tcp::{Connection, ConnectionOptions, Event, Failure, Kind, Segment};
use traffic::{
    BulkSource, ChariotEndpoint1, ChariotEndpoint2, DatagramSource, Ping, Stream, TimingRecord,
};
use units::Time;

use crate::meters::FlowMeter;
use crate::plan::{AppPlan, FlowPlan, Plan};

/// A flow of a running world.
#[derive(Debug)]
pub struct Flow {
    /// The node that sends the data.
    pub from: u16,
    /// The node that receives it.
    pub to: u16,
    /// What it does.
    pub app: App,
    /// What it has achieved.
    pub meter: FlowMeter,
}

/// What a flow does.
#[derive(Debug)]
pub enum App {
    /// An application over a TCP connection.
    Stream(Box<StreamFlow>),
    /// Datagrams.
    Datagrams(DatagramSource),
    /// Echo requests.
    Ping(Ping),
}

/// The end that started the connection and sends the data, and the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Opens the connection.
    Initiator = 0,
    /// Waits for it.
    Responder = 1,
}

/// A TCP connection with an application at each end.
#[derive(Debug)]
pub struct StreamFlow {
    source: Source,
    sink: Sink,
    ends: [Option<End>; 2],
}

/// One end of a connection and the wake-up the calendar holds for it.
#[derive(Debug)]
pub struct End {
    /// The endpoint.
    pub connection: Connection,
    /// When the calendar will next look at its timers.
    pub alarm_at: Time,
    established: bool,
}

#[derive(Debug)]
enum Source {
    Chariot(ChariotEndpoint1),
    Bulk(BulkSource),
}

#[derive(Debug)]
enum Sink {
    Chariot(ChariotEndpoint2),
    Reader,
}

/// What the application at an end has achieved by one step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Bytes of the source's that the sink has read.
    pub delivered: u64,
    /// The record that was completed.
    pub record: Option<TimingRecord>,
    /// Why the connection has failed.
    pub failure: Option<Failure>,
}

struct Socket<'a> {
    now: Time,
    connection: &'a mut Connection,
}

impl Stream for Socket<'_> {
    #[inline]
    fn write(&mut self, bytes: u64) -> u64 {
        self.connection.write(self.now, bytes)
    }

    #[inline]
    fn read(&mut self) -> u64 {
        self.connection.read(self.now, u64::MAX)
    }

    fn close(&mut self) {
        self.connection.close(self.now);
    }
}

impl Flow {
    /// A flow that has not started.
    pub fn new(plan: &FlowPlan) -> Self {
        let start = Time::ZERO + plan.start_ns;
        let app = match plan.app {
            AppPlan::Chariot(script) => App::stream(
                Source::Chariot(ChariotEndpoint1::new(script)),
                Sink::Chariot(ChariotEndpoint2::new(script)),
            ),
            AppPlan::Bulk { bytes } => {
                App::stream(Source::Bulk(BulkSource::new(bytes)), Sink::Reader)
            }
            AppPlan::Udp {
                payload_bytes,
                rate_bps,
            } => App::Datagrams(DatagramSource::new(payload_bytes, rate_bps, start)),
            AppPlan::Ping {
                payload_bytes,
                interval_ns,
            } => App::Ping(Ping::new(payload_bytes, interval_ns, start)),
        };
        let (from, to) = (plan.from as u16, plan.to as u16);
        Flow {
            from,
            to,
            app,
            meter: FlowMeter::default(),
        }
    }

    /// A segment has reached the end at `side`.
    #[inline]
    pub fn receive(&mut self, now: Time, side: Side, segment: &Segment) {
        let App::Stream(stream) = &mut self.app else {
            return;
        };
        let Some(end) = stream.end(side) else { return };
        let seen_before = end.connection.counters().duplicate_segments_received;
        end.connection.on_segment(now, segment);
        if let Some(rtt) = end.connection.take_rtt_sample() {
            self.meter.rtt.add(rtt);
        }
        if matches!(
            segment.kind,
            Kind::FastRetransmission | Kind::TimeoutRetransmission
        ) {
            let seen = end.connection.counters().duplicate_segments_received;
            self.meter.spurious += seen - seen_before;
        }
    }
}

impl App {
    fn stream(source: Source, sink: Sink) -> App {
        App::Stream(Box::new(StreamFlow {
            source,
            sink,
            ends: [None, None],
        }))
    }
}

impl StreamFlow {
    /// Opens the connection: one end listens, the other's SYN is due.
    ///
    /// # Panics
    /// When an end has no stack, which the plan's check has ruled out.
    pub fn open(&mut self, now: Time, plan: &Plan, flow: &FlowPlan, isn: [u32; 2]) {
        let stacks = plan.stacks(flow);
        let [from, to] = stacks.map(|stack| stack.expect("checked with the plan"));
        let options = ConnectionOptions::default();
        let initiator = Connection::connect(now, from, &options, isn[0]);
        let responder = Connection::listen(to, &options, isn[1]);
        self.ends = [Some(End::new(initiator)), Some(End::new(responder))];
    }

    /// The end at `side`, once the connection has been opened.
    #[inline]
    pub fn end(&mut self, side: Side) -> Option<&mut End> {
        self.ends[side as usize].as_mut()
    }

    /// The endpoint at `side`, once the connection has been opened.
    pub fn connection(&self, side: Side) -> Option<&Connection> {
        self.ends[side as usize].as_ref().map(|end| &end.connection)
    }

    /// Whether the application at `side` has heard that the handshake is over.
    #[inline]
    pub fn is_established(&self, side: Side) -> bool {
        self.ends[side as usize]
            .as_ref()
            .is_some_and(|end| end.established)
    }

    /// Lets the application at `side` act on what has happened on its connection.
    #[inline]
    pub fn progress(&mut self, now: Time, side: Side) -> Progress {
        let mut progress = Progress::default();
        let Some(end) = &mut self.ends[side as usize] else {
            return progress;
        };
        let mut news = false;
        let mut peer_closed = false;
        while let Some(event) = end.connection.poll_event() {
            match event {
                Event::Established => end.established = true,
                Event::PeerClosed => peer_closed = true,
                Event::Failed(failure) => progress.failure = Some(failure),
                Event::Readable | Event::Writable | Event::Closed => {}
            }
            news = true;
        }
        if !news || !end.established || progress.failure.is_some() {
            return progress;
        }
        let mut socket = Socket {
            now,
            connection: &mut end.connection,
        };
        match side {
            Side::Initiator => match &mut self.source {
                Source::Chariot(endpoint) => {
                    progress.record = endpoint.on_progress(now, &mut socket);
                }
                Source::Bulk(source) => source.on_progress(&mut socket),
            },
            Side::Responder => {
                progress.delivered = match &mut self.sink {
                    Sink::Chariot(endpoint) => endpoint.on_progress(&mut socket),
                    Sink::Reader => socket.read(),
                };
            }
        }
        if peer_closed {
            socket.close();
        }
        progress
    }
}

impl End {
    fn new(connection: Connection) -> Self {
        End {
            connection,
            alarm_at: Time::NEVER,
            established: false,
        }
    }
}

impl Side {
    /// The side a segment sent forward, or back, arrives at.
    #[inline]
    pub fn receiving(forward: bool) -> Side {
        if forward {
            Side::Responder
        } else {
            Side::Initiator
        }
    }
}
