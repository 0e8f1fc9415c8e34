//! One end of a flow: what it is asked to be, and the sockets that it is given.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::de::DeserializeOwned;
use traffic::{Config, Net as _, Transport};

use crate::comparison::{self, Asker, Replier};
use crate::datagram::{Form, IPERF3_SHORTEST};
use crate::identity::ServerKind;
use crate::iperf3::{Carrier, StreamDatagrams};
use crate::log::LogMemory;
use crate::marking::Dscp;
use crate::message::{EndOfFlow, Join, Measured, RowTable};
use crate::opening::Ticket;
use crate::pings::Pings;
use crate::running::RunningEnd;
use crate::samples::Samples;
use crate::sockets::EndSockets;
use crate::stamped::{self, Probes};
use crate::stamps::{self, EndStamps};

/// Applications that need nothing but sockets, and neither opens more connections than one nor
/// times one-way delays of its own accord, for which an endpoint would have to know the clock of the
/// other end; and GenTraGen, whose slave has a connection for each transfer.
pub const APPLICATIONS: &[&str] = &[
    "bulk",
    "two-way",
    "application-limited",
    "chariot-throughput",
    "gentragen",
    "udp",
    "poisson",
    "on-off",
    "game",
    "voip",
    "ping",
];

/// What runs at the ends of a flow.
#[derive(Debug)]
enum Application {
    Traffic(Config),
    /// Two clocks are compared.
    Comparison(comparison::ComparisonConfig),
    /// Test packets go to a STAMP reflector.
    Probes(stamped::PacketInterval),
}

/// The name of a comparison of clocks, where an application's would stand.
const COMPARISON: &str = "compare-clocks";

impl Application {
    fn transport(&self) -> Transport {
        match self {
            Application::Traffic(app) => app.about().transport,
            Application::Comparison(_) | Application::Probes(_) => Transport::Udp,
        }
    }

    /// Tells which end opens its connections, or begins to send datagrams, and whether more than
    /// once: a slave of GenTraGen fetches each transfer from its master over another one.
    fn opening(&self) -> (EndOfFlow, bool) {
        match self {
            Application::Traffic(Config::Gentragen(_)) => (EndOfFlow::Responder, true),
            _ => (EndOfFlow::Initiator, false),
        }
    }
}

/// An end that is ready to begin.
pub(crate) struct ReadyEnd {
    join: Join,
    app: Application,
    opened: Opened,
}

/// Where the other end is, what opens the flow, and the sockets for it.
pub(crate) struct Opened {
    pub peer: SocketAddr,
    pub ticket: Ticket,
    pub dscp: Dscp,
    pub form: Form,
    /// Whether this end opens the flow.
    pub is_opener: bool,
    /// Whether its ticket opens any number of connections.
    pub is_reopened: bool,
    pub listener: Option<TcpListener>,
    /// A connection that needs no opening any more.
    pub stream: Option<TcpStream>,
    pub datagrams: Option<UdpSocket>,
    pub pings: Option<Pings>,
}

impl ReadyEnd {
    /// Prepares an end: `peer` is where the owner's list says that the other endpoint listens,
    /// `own` where this one does. Sockets that await the other end are bound at once.
    ///
    /// # Errors
    /// When the application is none that is offered, or the system refuses a socket.
    pub fn prepare(join: Join, peer: SocketAddr, own: SocketAddr) -> Result<ReadyEnd, String> {
        let app = application(&join.app)?;
        let (opener, is_reopened) = app.opening();
        let [peer, own] = [peer, own].map(|address| behind(address, join.flow));
        let mut opened = Opened {
            peer: peer?,
            ticket: join.ticket.parse()?,
            dscp: Dscp::of(join.dscp)?,
            form: Form::Ours,
            is_opener: join.end == opener,
            is_reopened,
            listener: None,
            stream: None,
            datagrams: None,
            pings: None,
        };
        let bound = opened.bind(own?, app.transport());
        bound.map_err(|error| error.to_string())?;
        Ok(ReadyEnd { join, app, opened })
    }

    /// Prepares an end whose other one is a server of another kind.
    ///
    /// # Errors
    /// When the application is none that such a server has.
    pub fn with(kind: ServerKind, join: Join, server: SocketAddr) -> Result<ReadyEnd, String> {
        let asked = application(&join.app)?;
        let app = match kind {
            ServerKind::Iperf3 => of_iperf3(asked)?,
            ServerKind::Stamp => of_stamp(asked)?,
        };
        let opened = Opened {
            peer: server,
            ticket: join.ticket.parse()?,
            dscp: Dscp::of(join.dscp)?,
            form: match kind {
                ServerKind::Iperf3 => Form::Iperf3,
                ServerKind::Stamp => Form::Ours,
            },
            is_opener: join.end == EndOfFlow::Initiator,
            is_reopened: false,
            listener: None,
            stream: None,
            datagrams: None,
            pings: None,
        };
        Ok(ReadyEnd { join, app, opened })
    }

    /// The datagrams that an iperf3 server is told of, if it has some.
    pub fn datagrams(&self) -> Option<StreamDatagrams> {
        let Application::Traffic(Config::Udp(udp)) = &self.app else {
            return None;
        };
        Some(StreamDatagrams {
            payload: udp.payload,
            bits_per_second: udp.rate.map_or(0, units::Rate::as_bps),
        })
    }

    /// The codepoint of its packets.
    pub fn dscp(&self) -> Dscp {
        self.opened.dscp
    }

    /// Where the other end is.
    pub fn peer(&self) -> SocketAddr {
        self.opened.peer
    }

    /// Returns what was asked for.
    pub fn join(&self) -> &Join {
        &self.join
    }

    /// The iperf3 server at the other end, if there is one.
    pub fn iperf3(&self) -> Option<SocketAddr> {
        (self.opened.form == Form::Iperf3).then_some(self.opened.peer)
    }

    /// Returns what an end measured that never began.
    pub fn failed(self, why: &str, begin: &Begin) -> Measured {
        Measured {
            failed: Some(why.to_owned()),
            ..nothing(&self.join, begin)
        }
    }

    /// Runs the end over what an iperf3 server has opened.
    pub fn run_over(mut self, carrier: Carrier, begin: Begin, stop: &AtomicBool) -> Measured {
        match carrier {
            Carrier::Connection(stream) => self.opened.stream = Some(stream),
            Carrier::Datagrams(socket) => self.opened.datagrams = Some(socket),
        }
        self.run(begin, stop)
    }

    /// Runs the end until its time is over or `stop` is set.
    pub fn run(self, begin: Begin, stop: &AtomicBool) -> Measured {
        let nothing = nothing(&self.join, &begin);
        if let Application::Probes(interval) = self.app {
            let probes = Probes::to(self.opened.peer, self.opened.dscp, interval);
            return probes.run(&self.join, &begin, stop);
        }
        let running = RunningEnd::new(&self.join, self.opened, begin);
        let (sockets, samples) = match (self.app, nothing.end) {
            (Application::Comparison(app), EndOfFlow::Initiator) => {
                running.run(Asker::new(app), stop)
            }
            (Application::Comparison(_), EndOfFlow::Responder) => running.run(Replier, stop),
            (Application::Traffic(app), EndOfFlow::Initiator) => running.run(app.ends().0, stop),
            (Application::Traffic(app), EndOfFlow::Responder) => running.run(app.ends().1, stop),
            (Application::Probes(_), _) => unreachable!("they have run above"),
        };
        measured(&nothing, sockets, samples)
    }
}

impl Opened {
    fn bind(&mut self, own: SocketAddr, transport: Transport) -> io::Result<()> {
        match (transport, self.is_opener) {
            (Transport::Tcp, false) => {
                self.listener = Some(self.dscp.listen(own)?);
            }
            (Transport::Udp, false) => {
                let socket = UdpSocket::bind(own)?;
                self.dscp.mark(&socket, own)?;
                socket.set_nonblocking(true)?;
                self.datagrams = Some(socket);
            }
            (Transport::Udp, true) => {
                let socket = UdpSocket::bind(SocketAddr::new(own.ip(), 0))?;
                self.dscp.mark(&socket, self.peer)?;
                socket.connect(self.peer)?;
                self.datagrams = Some(socket);
            }
            (Transport::Icmp, true) => {
                self.pings = Some(Pings::to(self.peer, self.dscp)?);
            }
            (Transport::Tcp, true) | (Transport::Icmp, false) => {}
        }
        Ok(())
    }
}

/// Returns what an end measured before its flow begins.
pub(crate) fn nothing(join: &Join, begin: &Begin) -> Measured {
    Measured {
        flow: join.flow,
        end: join.end,
        began_ns: begin.at_ns,
        samples: RowTable::without_rows(begin.row),
        stamps: RowTable::without_rows(stamps::ROW),
        round_trips: Vec::new(),
        records: Vec::new(),
        records_lost: 0,
        held_us: 0,
        moved: 0,
        counted: None,
        failed: None,
    }
}

/// Adds to what an end measured before its flow began what it measured since.
fn measured(nothing: &Measured, mut sockets: EndSockets, samples: Samples) -> Measured {
    let stamps = sockets.stamps.take().map(EndStamps::end);
    Measured {
        samples: table(nothing.samples.row, samples.end(sockets.now(), &sockets)),
        stamps: table(nothing.stamps.row, stamps.unwrap_or_default()),
        round_trips: sockets.round_trips,
        records: sockets.records,
        records_lost: sockets.records_lost,
        held_us: sockets.held.as_nanos() / 1000,
        moved: sockets.moved,
        failed: sockets.failed,
        ..nothing.clone()
    }
}

fn table(row: u32, (bytes, lost): (Vec<u8>, u64)) -> RowTable {
    RowTable { row, lost, bytes }
}

/// The application that a plan describes, if it is one that is offered.
fn application(plan: &serde_json::Value) -> Result<Application, String> {
    let name = plan["kind"].as_str().unwrap_or_default();
    if name == COMPARISON {
        let config: comparison::ComparisonConfig = read(name, &plan["when"])?;
        config.check()?;
        return Ok(Application::Comparison(config));
    }
    if !APPLICATIONS.contains(&name) {
        let (name, allowed) = (name.escape_default(), APPLICATIONS.join(", "));
        return Err(format!(
            "traffic \"{name}\" is not offered; allowed: {allowed}"
        ));
    }
    let app: Config = read(name, plan)?;
    app.check().map_err(|why| format!("{name}: {why}"))?;
    Ok(Application::Traffic(app))
}

/// An application that an iperf3 server has as well.
fn of_iperf3(app: Application) -> Result<Application, String> {
    match &app {
        Application::Traffic(Config::Bulk(bulk)) if bulk.bytes.is_some() => {
            Err("an iperf3 server takes as much as comes".to_owned())
        }
        Application::Traffic(Config::Udp(udp)) if udp.payload < IPERF3_SHORTEST => Err(format!(
            "an iperf3 server takes {IPERF3_SHORTEST} bytes or more"
        )),
        Application::Traffic(Config::Bulk(_) | Config::Udp(_)) => Ok(app),
        _ => Err("an iperf3 server takes bulk and udp alone".to_owned()),
    }
}

/// What a STAMP reflector answers.
fn of_stamp(app: Application) -> Result<Application, String> {
    match app {
        Application::Traffic(Config::Ping(ping)) if !ping.flood => {
            Ok(Application::Probes(stamped::PacketInterval(ping.interval)))
        }
        _ => Err("a STAMP reflector takes pings alone, and no flood".to_owned()),
    }
}

fn read<T: DeserializeOwned>(name: &str, plan: &serde_json::Value) -> Result<T, String> {
    serde_json::from_value(plan.clone()).map_err(|error| format!("{name}: {error}"))
}

/// The address of a flow's own port, behind that of an endpoint.
fn behind(mut address: SocketAddr, flow: u8) -> Result<SocketAddr, String> {
    let port = address.port().checked_add(1 + u16::from(flow));
    address.set_port(port.ok_or("no port is left behind the endpoint's")?);
    Ok(address)
}

/// What a start settles.
#[derive(Clone, Debug)]
pub(crate) struct Begin {
    pub at: std::time::Instant,
    /// The same by CLOCK_MONOTONIC.
    pub at_ns: u64,
    pub ceilings: Arc<crate::ceilings::Ceilings>,
    /// Bytes of a sample on this machine.
    pub row: usize,
    /// Memory for what is measured.
    pub room: LogMemory,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_application_that_is_not_offered_is_refused_by_its_name() {
        for name in ["nttcp", "a\nb", ""] {
            let why = application(&serde_json::json!({"kind": name})).unwrap_err();
            let said = format!("traffic \"{}\" is not offered", name.escape_default());
            assert!(why.starts_with(&said), "{why}");
        }
        assert!(application(&serde_json::json!("bulk")).is_err());
        let why = application(&serde_json::json!({"kind": "bulk", "load": 1})).unwrap_err();
        assert!(why.starts_with("bulk: "), "{why}");
    }

    #[test]
    fn every_application_that_is_offered_exists() {
        let known: Vec<_> = traffic::applications().map(|(kind, _)| kind.name).collect();
        assert!(APPLICATIONS.iter().all(|name| known.contains(name)));
    }

    #[test]
    fn scan_by_proxy_a_flow_reaches_none_but_the_ports_behind_an_endpoint() {
        let endpoint: SocketAddr = "192.0.2.1:5301".parse().unwrap();
        assert_eq!(behind(endpoint, 0).unwrap().port(), 5302);
        assert!(behind("192.0.2.1:65535".parse().unwrap(), 0).is_err());
    }
}
