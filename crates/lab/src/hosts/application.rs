//! Applications at the ends of flows: what they are told, what they ask for, and the host that they
//! run on.

use std::net::Ipv4Addr;

use engine::{Purpose, Stream};
use tcp::{Connection, ConnectionOptions};
use traffic::{
    App, Net, ReceivedDatagram, Report, RequestedOption, Socket, SocketEvents, TimingRecord,
};
use units::{Duration, Time};

use super::flow::{Account, HostLateness, WorldFlow};
use super::{History, Processors, SocketEnd, Sockets};
use crate::ids::{FlowEnd, NodeId, Side, SocketId};
use crate::meters::{FlowMeter, TimedQuantity};
use crate::network::Network;
use crate::plan::Plan;

/// Why an application is given its turn.
#[derive(Clone, Copy, Debug)]
pub enum AppEvent {
    /// The flow begins.
    Start,
    /// Something has happened on a connection.
    Stream(SocketId, SocketEvents),
    /// A connection has ended.
    End(SocketId),
    /// A datagram has arrived.
    Datagram(ReceivedDatagram),
    /// An echo reply has arrived: its number and payload.
    Reply(u32, u32),
    /// The time it asked for has come.
    Wake,
    /// The interface has room.
    QueueSpace,
}

/// What an application wants done once its turn is over.
#[derive(Clone, Copy, Debug)]
pub enum AppRequest {
    /// See to a connection that was opened, written to or closed.
    Pump(SocketId),
    /// Send a datagram: its payload, and a number in it.
    Send(u32, u64),
    /// Send an echo request: its number and payload.
    Ping(u32, u32),
    /// Give it a turn at a time.
    Wake(Time),
    /// Give it a turn whenever the interface has room.
    QueueSpace,
}

/// What a turn of an application needs of the world.
pub struct AppContext<'a> {
    pub now: Time,
    pub plan: &'a Plan,
    pub network: &'a Network,
    pub sockets: &'a mut Sockets,
    pub processors: &'a mut Processors,
    pub requests: &'a mut Vec<AppRequest>,
}

/// Gives the application at an end of a flow its turn.
#[inline]
pub fn notify(flow: &mut WorldFlow, owner: FlowEnd, event: AppEvent, context: AppContext<'_>) {
    let WorldFlow {
        initiator,
        responder,
        account,
    } = flow;
    let current = match event {
        AppEvent::Stream(socket, _) => Some(socket),
        _ => None,
    };
    let mut host = AppHost {
        context,
        owner,
        current,
        account,
    };
    match owner.side {
        Side::Initiator => act(initiator, event, &mut host),
        Side::Responder => act(responder, event, &mut host),
    }
}

#[inline]
fn act(app: &mut impl App, event: AppEvent, host: &mut AppHost<'_>) {
    match event {
        AppEvent::Stream(socket, news) => app.on_stream(Socket(socket.0), news, host),
        AppEvent::QueueSpace => app.on_room(host),
        AppEvent::Datagram(datagram) => app.on_datagram(datagram, host),
        AppEvent::Start => app.on_start(host),
        AppEvent::End(socket) => app.on_end(Socket(socket.0), host),
        AppEvent::Reply(sequence, payload) => app.on_reply(sequence, payload, host),
        AppEvent::Wake => app.on_wake(host),
    }
}

/// The machine as an application sees it during its turn.
struct AppHost<'a> {
    context: AppContext<'a>,
    owner: FlowEnd,
    /// The connection that the turn is about, which is seen to in any case.
    current: Option<SocketId>,
    account: &'a mut Account,
}

impl<'a> AppHost<'a> {
    #[inline]
    fn endpoint(&mut self, socket: Socket) -> Option<(&mut SocketEnd, &mut FlowMeter)> {
        let number = SocketId(socket.0);
        if self.current != Some(number) {
            self.context.requests.push(AppRequest::Pump(number));
        }
        let endpoint = self.context.sockets.get_mut(number)?;
        (endpoint.owner == self.owner).then_some((endpoint, &mut self.account.meter))
    }

    /// Opens a connection from an end of the flow to the other; answers its number.
    fn open(&mut self, owner: FlowEnd) -> SocketId {
        let (stack, options) = self.tcp_of(owner);
        let isn = self.account.stream.up_to(u32::MAX);
        let connection = Connection::connect(self.context.now, stack, &options, isn);
        let (here, there) = (owner.side as usize, owner.side.other() as usize);
        let node = self.account.nodes[here];
        let address = self.address_of(self.account.nodes[there]);
        let way = (self.context.sockets).way_to(node, address, self.account.ports[there]);
        let history = History {
            is_opener: true,
            opened: self.context.now,
            begun: self.context.now,
            ..History::default()
        };
        let dscp = self.context.plan.flows[owner.flow.index()].dscp;
        (self.context.processors).open_connection(node, self.context.now);
        (self.context.sockets).open(connection, way, dscp, owner, history)
    }

    /// Waits here for a connection that the other end opens; answers its number.
    fn expect(&mut self) -> SocketId {
        let (stack, options) = self.tcp_of(self.owner);
        let isn = self.account.stream.up_to(u32::MAX);
        let connection = Connection::listen(stack, &options, isn);
        let node = self.account.nodes[self.owner.side as usize];
        let dscp = self.context.plan.flows[self.owner.flow.index()].dscp;
        (self.context.sockets).expect(connection, node, dscp, self.owner)
    }

    /// The stack of an end of the flow, and what it is told of a connection to the other.
    fn tcp_of(&self, owner: FlowEnd) -> (&'a tcp::Profile, ConnectionOptions) {
        let [node, peer] =
            [owner.side, owner.side.other()].map(|side| self.account.nodes[side as usize]);
        let flow = &self.context.plan.flows[owner.flow.index()];
        let stack = self.context.plan.stacks(flow)[owner.side as usize].expect(STACK);
        let address = self.address_of(peer);
        (stack, self.context.network.options_towards(node, address))
    }

    fn address_of(&self, node: NodeId) -> Ipv4Addr {
        self.context.plan.nodes[node.index()].address()
    }
}

impl Net for AppHost<'_> {
    #[inline]
    fn now(&self) -> Time {
        self.context.now
    }

    fn connect(&mut self) -> Socket {
        if self.account.is_stopped {
            return NO_SOCKET;
        }
        let number = match self.account.opener {
            Some(opener) if opener != self.owner.side => {
                let number = self.expect();
                let opener = self.open(self.owner.other_end());
                self.context.requests.push(AppRequest::Pump(opener));
                number
            }
            _ => self.open(self.owner),
        };
        self.context.requests.push(AppRequest::Pump(number));
        Socket(number.0)
    }

    fn set(&mut self, socket: Socket, option: RequestedOption) {
        let now = self.context.now;
        if let Some((endpoint, _)) = self.endpoint(socket) {
            endpoint.connection.set_option(now, option_of(option));
        }
    }

    #[inline]
    fn write(&mut self, socket: Socket, bytes: u64) -> u64 {
        let now = self.context.now;
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
        let now = self.context.now;
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
        let now = self.context.now;
        if let Some((endpoint, _)) = self.endpoint(socket) {
            endpoint.connection.close(now);
        }
    }

    fn send(&mut self, payload: u32, tag: u64) {
        if !self.account.is_stopped {
            self.context.requests.push(AppRequest::Send(payload, tag));
        }
    }

    fn ping(&mut self, sequence: u32, payload: u32) {
        self.context
            .requests
            .push(AppRequest::Ping(sequence, payload));
    }

    fn wake_at(&mut self, at: Time) {
        let late = self.account.lateness.as_mut().map(HostLateness::draw);
        let at = late.map_or(at, |late| (at + late).max(self.context.now));
        self.context.requests.push(AppRequest::Wake(at));
    }

    fn phase(&self, period: Duration) -> Duration {
        let part = self.account.phases[self.owner.side as usize];
        Duration::from_nanos((part * period.as_nanos() as f64) as u64)
    }

    fn want_room(&mut self) {
        self.context.requests.push(AppRequest::QueueSpace);
    }

    #[inline]
    fn report(&mut self, report: Report) {
        match report {
            Report::Delivered(bytes) => self.account.meter.bytes += bytes,
            Report::RoundTrip(time) => {
                self.account.meter.rtt.add_duration(time);
                if let Some(histograms) = &mut self.account.histograms {
                    histograms.add(TimedQuantity::RoundTrip, time);
                }
            }
        }
    }

    fn draw(&mut self) -> f64 {
        self.account.stream.unit()
    }

    fn content(&self, number: u64) -> f64 {
        Stream::new(self.account.content, number, Purpose::Content).unit()
    }

    fn record(&mut self, record: TimingRecord) -> Time {
        self.account.records.push(record);
        let node = self.account.nodes[self.owner.side as usize];
        self.context.processors.keep_record(node, self.context.now)
    }
}

/// What stands for a connection that is not opened, as the flow's time is over.
const NO_SOCKET: Socket = Socket(u32::MAX);

/// The plan's check has ruled the contrary out.
pub const STACK: &str = "both ends of a flow over TCP have a stack";

fn option_of(option: RequestedOption) -> tcp::SocketOption {
    match option {
        RequestedOption::NoDelay(on) => tcp::SocketOption::NoDelay(on),
        RequestedOption::SendBuffer(bytes) => tcp::SocketOption::SendBuffer(bytes),
        RequestedOption::ReceiveBuffer(bytes) => tcp::SocketOption::ReceiveBuffer(bytes),
    }
}
