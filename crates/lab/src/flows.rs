//! Flows: an application with its two ends, and what is reported of it.

use std::net::Ipv4Addr;

use engine::{Purpose, Stream};
use tcp::{Connection, ConnectionOptions};
use traffic::{
    App, Counts, Datagram, Initiator, Net, News, Report, Responder, Socket, SocketOption,
    TimingRecord,
};
use units::{Duration, Time};

use crate::histograms::{FlowHistograms, Timed};
use crate::luck::name_hash;
use crate::meters::FlowMeter;
use crate::network::{Network, mss_of};
use crate::plan::MTU_MIN;
use crate::plan::{FlowPlan, Plan};
use crate::processor::Processors;
use crate::sockets::{Endpoint, FIRST_DYNAMIC_PORT, History, Owner, Side, Sockets};

/// Draws when the flows start.
pub fn draw_starts(plan: &mut Plan, seed: u64) {
    let part_of =
        |whole: Duration, part: f64| Duration::from_nanos((part * whole.as_nanos() as f64) as u64);
    for (number, flow) in (0..).zip(&mut plan.flows) {
        let within = std::mem::replace(&mut flow.start_within_ns, Duration::ZERO);
        if within > Duration::ZERO {
            flow.start_ns += part_of(within, Stream::new(seed, number, Purpose::Start).unit());
        }
        let luck = &mut Stream::new(seed, name_hash(&flow.name), Purpose::StartJitter);
        flow.start_ns += part_of(flow.start_jitter_ns, luck.unit());
    }
}

/// A flow of a running world.
#[derive(Debug)]
pub struct Flow {
    initiator: Initiator,
    responder: Responder,
    /// What it has beside its applications.
    pub account: Account,
}

/// What an application finds of its flow when it has its turn.
#[derive(Debug)]
pub struct Account {
    /// The nodes of its two ends.
    pub nodes: [u16; 2],
    /// Where its ends take what comes to them.
    pub ports: [u16; 2],
    /// Initial sequence numbers and whatever the applications draw.
    luck: Stream,
    /// What names the streams of its content.
    content: u64,
    /// Where in its period a source of constant interval begins at each end, from 0 to below 1.
    phases: [f64; 2],
    /// How late comes what is done by the clock, if that is not exact.
    lateness: Option<Lateness>,
    /// The end that opens it, where that is laid down.
    pub opener: Option<Side>,
    /// Where datagrams for an end have come from, where it waits for those of the opener.
    pub seen_at: [Option<(Ipv4Addr, u16)>; 2],
    /// Whether its time is over: it opens and sends nothing more.
    pub is_stopped: bool,
    /// What it has achieved.
    pub meter: FlowMeter,
    /// How long what happens to it takes, if that is kept.
    pub histograms: Option<Box<FlowHistograms>>,
    /// Its timing records since the end of the warm-up.
    pub records: Vec<TimingRecord>,
}

/// How late a host does what it is to do at a time.
#[derive(Debug)]
struct Lateness {
    at_most: Duration,
    luck: Stream,
}

impl Lateness {
    fn draw(&mut self) -> Duration {
        let nanos = self.luck.unit() * self.at_most.as_nanos() as f64;
        Duration::from_nanos(nanos as u64)
    }
}

/// The first port that flows take what comes at: iperf's.
const FIRST_PORT: u16 = 5001;

/// The port at which both ends of a flow take what comes.
pub fn port_of(flow: u16) -> u16 {
    FIRST_PORT + flow
}

/// The flow that takes what comes at a port, if it is not one that connections are opened from.
#[inline]
pub fn flow_at(port: u16) -> Option<u16> {
    (FIRST_PORT..FIRST_DYNAMIC_PORT)
        .contains(&port)
        .then(|| port - FIRST_PORT)
}

/// Why an application is given its turn.
#[derive(Clone, Copy, Debug)]
pub enum Turn {
    /// The flow begins.
    Start,
    /// Something has happened on a connection.
    Stream(u32, News),
    /// A connection has ended.
    End(u32),
    /// A datagram has arrived.
    Datagram(Datagram),
    /// An echo reply has arrived: its number and payload.
    Reply(u32, u32),
    /// The time it asked for has come.
    Wake,
    /// The interface has room.
    Room,
}

/// What an application wants done once its turn is over.
#[derive(Clone, Copy, Debug)]
pub enum Wish {
    /// See to a connection that was opened, written to or closed.
    Pump(u32),
    /// Send a datagram: its payload, and a number in it.
    Send(u32, u64),
    /// Send an echo request: its number and payload.
    Ping(u32, u32),
    /// Give it a turn at a time.
    Wake(Time),
    /// Give it a turn whenever the interface has room.
    Room,
}

impl Flow {
    /// A flow that has not started; its ends take what comes to `port` of their nodes. It keeps how
    /// long what happens takes, or it does not.
    pub fn new(plan: &FlowPlan, index: u16, port: u16, seed: u64, keeps: bool) -> Self {
        let (initiator, responder) = plan.app.ends();
        let is_exact = plan.start_jitter_ns == Duration::ZERO;
        let name = name_hash(&plan.name);
        let mut phases = Stream::new(seed, name, Purpose::Phase);
        let lateness = Lateness {
            at_most: plan.jitter_ns,
            luck: Stream::new(seed, name, Purpose::WakeJitter),
        };
        let account = Account {
            nodes: [plan.from as u16, plan.to as u16],
            ports: [port; 2],
            luck: Stream::new(seed, u64::from(index), Purpose::Flow),
            content: seed ^ u64::from(index) << 48,
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
            histograms: keeps.then(Box::default),
            records: Vec::new(),
        };
        Flow {
            initiator,
            responder,
            account,
        }
    }

    /// The node of an end.
    #[inline]
    pub fn node(&self, side: Side) -> u16 {
        self.account.nodes[side as usize]
    }

    /// A datagram has come to an end.
    pub fn take_datagram(&mut self, now: Time, side: Side, datagram: &net::Datagram) {
        let timed = [Timed::OneWay, Timed::Answer];
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
            histograms.add(Timed::RoundTrip, took);
        }
    }

    /// A connection has brought all that its sender had.
    pub fn complete_transfer(&mut self, took: Duration) {
        self.account.meter.transfers.add_duration(took);
        if let Some(histograms) = &mut self.account.histograms {
            histograms.add(Timed::Transfer, took);
        }
    }

    /// A data segment is sent again.
    #[cold]
    pub fn note_loss(&mut self, now: Time) {
        if let Some(histograms) = &mut self.account.histograms {
            histograms.on_lost(now);
        }
    }

    /// What its applications have counted since they began.
    pub fn counts(&self) -> Counts {
        Counts {
            initiator: self.initiator.counts().to_vec(),
            responder: self.responder.counts().to_vec(),
        }
    }

    /// Whether its applications open no more connections of themselves.
    pub fn is_done(&self) -> bool {
        self.account.is_stopped || self.initiator.is_done() && self.responder.is_done()
    }

    /// An initial sequence number for the next connection.
    pub fn draw_isn(&mut self) -> u32 {
        self.account.luck.up_to(u32::MAX)
    }
}

/// What a turn of an application needs of the world.
pub struct Room<'a> {
    pub now: Time,
    pub plan: &'a Plan,
    pub network: &'a Network,
    pub sockets: &'a mut Sockets,
    pub processors: &'a mut Processors,
    pub wishes: &'a mut Vec<Wish>,
}

/// Gives the application at an end of a flow its turn.
#[inline]
pub fn give_turn(flow: &mut Flow, owner: Owner, turn: Turn, room: Room<'_>) {
    let Flow {
        initiator,
        responder,
        account,
    } = flow;
    let current = match turn {
        Turn::Stream(socket, _) => Some(socket),
        _ => None,
    };
    let mut desk = Desk {
        room,
        owner,
        current,
        account,
    };
    match owner.side {
        Side::Initiator => act(initiator, turn, &mut desk),
        Side::Responder => act(responder, turn, &mut desk),
    }
}

#[inline]
fn act(app: &mut impl App, turn: Turn, desk: &mut Desk<'_>) {
    match turn {
        Turn::Stream(socket, news) => app.on_stream(Socket(socket), news, desk),
        Turn::Room => app.on_room(desk),
        Turn::Datagram(datagram) => app.on_datagram(datagram, desk),
        Turn::Start => app.on_start(desk),
        Turn::End(socket) => app.on_end(Socket(socket), desk),
        Turn::Reply(sequence, payload) => app.on_reply(sequence, payload, desk),
        Turn::Wake => app.on_wake(desk),
    }
}

/// The machine as an application sees it during its turn.
struct Desk<'a> {
    room: Room<'a>,
    owner: Owner,
    /// The connection that the turn is about, which is seen to in any case.
    current: Option<u32>,
    account: &'a mut Account,
}

impl<'a> Desk<'a> {
    #[inline]
    fn endpoint(&mut self, socket: Socket) -> Option<(&mut Endpoint, &mut FlowMeter)> {
        let Socket(number) = socket;
        if self.current != Some(number) {
            self.room.wishes.push(Wish::Pump(number));
        }
        let endpoint = self.room.sockets.get_mut(number)?;
        (endpoint.owner == self.owner).then_some((endpoint, &mut self.account.meter))
    }

    /// Opens a connection from an end of the flow to the other; answers its number.
    fn open(&mut self, owner: Owner) -> u32 {
        let (stack, options) = self.tcp_of(owner);
        let isn = self.account.luck.up_to(u32::MAX);
        let connection = Connection::connect(self.room.now, stack, &options, isn);
        let (here, there) = (owner.side as usize, owner.side.other() as usize);
        let node = self.account.nodes[here];
        let address = self.address_of(self.account.nodes[there]);
        let way = (self.room.sockets).way_to(node, address, self.account.ports[there]);
        let history = History {
            is_opener: true,
            opened: self.room.now,
            begun: self.room.now,
            ..History::default()
        };
        let dscp = self.room.plan.flows[usize::from(owner.flow)].dscp;
        (self.room.processors).open_connection(node, self.room.now);
        (self.room.sockets).open(connection, way, dscp, owner, history)
    }

    /// Waits here for a connection that the other end opens; answers its number.
    fn expect(&mut self) -> u32 {
        let (stack, options) = self.tcp_of(self.owner);
        let isn = self.account.luck.up_to(u32::MAX);
        let connection = Connection::listen(stack, &options, isn);
        let node = self.account.nodes[self.owner.side as usize];
        let dscp = self.room.plan.flows[usize::from(self.owner.flow)].dscp;
        (self.room.sockets).expect(connection, node, dscp, self.owner)
    }

    /// The stack of an end of the flow, and what it is told of a connection to the other.
    fn tcp_of(&self, owner: Owner) -> (&'a tcp::Profile, ConnectionOptions) {
        let [node, peer] =
            [owner.side, owner.side.other()].map(|side| self.account.nodes[side as usize]);
        let flow = &self.room.plan.flows[usize::from(owner.flow)];
        let stack = self.room.plan.stacks(flow)[owner.side as usize].expect(STACK);
        let options = ConnectionOptions {
            mss_limit_bytes: self.room.network.mss_towards(node, self.address_of(peer)),
            ..OF_LINKS
        };
        (stack, options)
    }

    fn address_of(&self, node: u16) -> Ipv4Addr {
        self.room.plan.nodes[usize::from(node)].address()
    }
}

impl Net for Desk<'_> {
    #[inline]
    fn now(&self) -> Time {
        self.room.now
    }

    fn connect(&mut self) -> Socket {
        if self.account.is_stopped {
            return NO_SOCKET;
        }
        let number = match self.account.opener {
            Some(opener) if opener != self.owner.side => {
                let number = self.expect();
                let opener = self.open(self.owner.flipped());
                self.room.wishes.push(Wish::Pump(opener));
                number
            }
            _ => self.open(self.owner),
        };
        self.room.wishes.push(Wish::Pump(number));
        Socket(number)
    }

    fn set(&mut self, socket: Socket, option: SocketOption) {
        let now = self.room.now;
        if let Some((endpoint, _)) = self.endpoint(socket) {
            endpoint.connection.set_option(now, option_of(option));
        }
    }

    #[inline]
    fn write(&mut self, socket: Socket, bytes: u64) -> u64 {
        let now = self.room.now;
        let Some((endpoint, meter)) = self.endpoint(socket) else {
            return 0;
        };
        let taken = endpoint.connection.write(now, bytes);
        if (taken < bytes) != endpoint.history.is_blocked {
            endpoint.turn_blocked(now, meter);
        }
        taken
    }

    #[inline]
    fn read(&mut self, socket: Socket) -> u64 {
        let now = self.room.now;
        let Some((endpoint, _)) = self.endpoint(socket) else {
            return 0;
        };
        let bytes = endpoint.connection.read(now, u64::MAX);
        if bytes > 0 {
            endpoint.history.last_read = Some(now);
        }
        bytes
    }

    fn close(&mut self, socket: Socket) {
        let now = self.room.now;
        if let Some((endpoint, _)) = self.endpoint(socket) {
            endpoint.connection.close(now);
        }
    }

    fn send(&mut self, payload: u32, tag: u64) {
        if !self.account.is_stopped {
            self.room.wishes.push(Wish::Send(payload, tag));
        }
    }

    fn ping(&mut self, sequence: u32, payload: u32) {
        self.room.wishes.push(Wish::Ping(sequence, payload));
    }

    fn wake_at(&mut self, at: Time) {
        let late = self.account.lateness.as_mut().map(Lateness::draw);
        let at = late.map_or(at, |late| (at + late).max(self.room.now));
        self.room.wishes.push(Wish::Wake(at));
    }

    fn phase(&self, period: Duration) -> Duration {
        let part = self.account.phases[self.owner.side as usize];
        Duration::from_nanos((part * period.as_nanos() as f64) as u64)
    }

    fn want_room(&mut self) {
        self.room.wishes.push(Wish::Room);
    }

    #[inline]
    fn report(&mut self, report: Report) {
        match report {
            Report::Delivered(bytes) => self.account.meter.bytes += bytes,
            Report::RoundTrip(time) => {
                self.account.meter.rtt.add_duration(time);
                if let Some(histograms) = &mut self.account.histograms {
                    histograms.add(Timed::RoundTrip, time);
                }
            }
        }
    }

    fn draw(&mut self) -> f64 {
        self.account.luck.unit()
    }

    fn content(&self, number: u64) -> f64 {
        Stream::new(self.account.content, number, Purpose::Content).unit()
    }

    fn record(&mut self, record: TimingRecord) -> Time {
        self.account.records.push(record);
        let node = self.account.nodes[self.owner.side as usize];
        self.room.processors.keep_record(node, self.room.now)
    }
}

/// What an end is told of the links here, none of which is asked for more than it carries. Linux
/// would answer a peer on a link of 68 bytes, the least of IPv4, in packets of 88.
pub const OF_LINKS: ConnectionOptions = ConnectionOptions {
    no_delay: false,
    mss_limit_bytes: None,
    least_mss_bytes: Some(mss_of(MTU_MIN)),
    receive_window_bytes: None,
    send_buffer_bytes: None,
    keep_alive: false,
};

/// What stands for a connection that is not opened, as the flow's time is over.
const NO_SOCKET: Socket = Socket(u32::MAX);

/// The plan's check has ruled the contrary out.
pub const STACK: &str = "both ends of a flow over TCP have a stack";

fn option_of(option: SocketOption) -> tcp::SocketOption {
    match option {
        SocketOption::NoDelay(on) => tcp::SocketOption::NoDelay(on),
        SocketOption::SendBuffer(bytes) => tcp::SocketOption::SendBuffer(bytes),
        SocketOption::ReceiveBuffer(bytes) => tcp::SocketOption::ReceiveBuffer(bytes),
    }
}
