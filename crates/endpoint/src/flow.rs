//! One end of a flow, from its preparation to what it measured.

use std::cmp::Reverse;
use std::io;
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use traffic::{App, Config, Datagram, Net as _, News, Socket, Transport};
use units::{Duration, Time};

use crate::message::{End, Join, Measured};
use crate::opening::{self, OPENING, Ticket};
use crate::pings::Pings;
use crate::samples::Samples;
use crate::sockets::{DATA, Sockets, Stream, Terms};

/// Applications that need nothing but sockets.
///
/// What times one-way delays of its own accord, or completes timing records, needs more than an
/// endpoint has: the clock of the other end, or a whole computer's time to keep a record.
pub const APPLICATIONS: &[&str] = &[
    "bulk",
    "two-way",
    "application-limited",
    "udp",
    "poisson",
    "on-off",
    "game",
    "voip",
    "ping",
];

/// The longest wait, so that a flow is stopped soon.
const STOPPING: Duration = Duration::from_millis(20);
/// The wait for what the owner's ceiling holds back.
const HELD: Duration = Duration::from_millis(1);
/// The first byte of a datagram that says that its sender is still there.
const ALIVE: u8 = 2;
const ALIVE_EVERY: Duration = Duration::from_millis(200);
/// Datagrams stop when nothing was heard of the other end for so long (RFC 8084 §5).
const SILENCE: Duration = Duration::from_secs(1);
/// Datagrams that are taken or sent in one turn, at most.
const BATCH: usize = 64;

/// An end that is ready to begin.
pub(crate) struct Flow {
    join: Join,
    app: Config,
    peer: SocketAddr,
    ticket: Ticket,
    listener: Option<TcpListener>,
    datagrams: Option<UdpSocket>,
    pings: Option<Pings>,
}

impl Flow {
    /// Prepares an end: `peer` is where the owner's list says that the other endpoint listens,
    /// `own` where this one does. A responder's sockets are bound at once.
    ///
    /// # Errors
    /// When the application is none that is offered, or the system refuses a socket.
    pub fn prepare(join: Join, peer: SocketAddr, own: SocketAddr) -> Result<Flow, String> {
        let app = application(&join.app)?;
        let ticket = join.ticket.parse()?;
        let [peer, own] = [peer, own].map(|address| behind(address, join.flow));
        let mut flow = Flow {
            app,
            peer: peer?,
            ticket,
            listener: None,
            datagrams: None,
            pings: None,
            join,
        };
        flow.bind(own?).map_err(|error| error.to_string())?;
        Ok(flow)
    }

    fn bind(&mut self, own: SocketAddr) -> io::Result<()> {
        match (self.app.about().transport, self.join.end) {
            (Transport::Tcp, End::Responder) => {
                let listener = TcpListener::bind(own)?;
                listener.set_nonblocking(true)?;
                self.listener = Some(listener);
            }
            (Transport::Udp, End::Responder) => {
                let socket = UdpSocket::bind(own)?;
                socket.set_nonblocking(true)?;
                self.datagrams = Some(socket);
            }
            (Transport::Udp, End::Initiator) => {
                let socket = UdpSocket::bind(SocketAddr::new(own.ip(), 0))?;
                socket.connect(self.peer)?;
                self.datagrams = Some(socket);
            }
            (Transport::Icmp, End::Initiator) => self.pings = Some(Pings::to(self.peer)?),
            (Transport::Tcp, End::Initiator) | (Transport::Icmp, End::Responder) => {}
        }
        Ok(())
    }

    /// Runs the end until its time is over or `stop` is set.
    pub fn run(self, terms: Begin, stop: &AtomicBool) -> Measured {
        let (initiator, responder) = self.app.ends();
        let end = self.join.end;
        let (number, running) = (self.join.flow, Running::new(self, terms));
        let (sockets, samples) = match end {
            End::Initiator => running.run(initiator, stop),
            End::Responder => running.run(responder, stop),
        };
        let now = sockets.now();
        Measured {
            flow: number,
            end,
            samples: samples.end(now, &sockets),
            round_trips: sockets.round_trips,
            failed: sockets.failed,
        }
    }
}

/// The application that a plan describes, if it is one that is offered.
fn application(plan: &serde_json::Value) -> Result<Config, String> {
    let name = plan["kind"].as_str().unwrap_or_default();
    if !APPLICATIONS.contains(&name) {
        let (name, allowed) = (name.escape_default(), APPLICATIONS.join(", "));
        return Err(format!(
            "traffic \"{name}\" is not offered; allowed: {allowed}"
        ));
    }
    let app: Config =
        serde_json::from_value(plan.clone()).map_err(|error| format!("{name}: {error}"))?;
    app.check().map_err(|why| format!("{name}: {why}"))?;
    Ok(app)
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
    pub ceilings: Arc<crate::ceilings::Ceilings>,
}

/// What has become of a descriptor.
enum Ready {
    Listener,
    Stream(usize),
    Datagrams { came: bool },
    Pings,
}

struct Running {
    sockets: Sockets,
    samples: Samples,
    listener: Option<TcpListener>,
    start: Time,
    end: Time,
    is_initiator: bool,
    /// Whether the other end of datagrams has been met.
    has_met: bool,
    heard_at: Time,
    alive_at: Time,
}

impl Running {
    fn new(flow: Flow, begin: Begin) -> Running {
        let millis = |millis: u32| Time::ZERO + Duration::from_millis(u64::from(millis));
        let mut sockets = Sockets::new(Terms {
            peer: flow.peer,
            ticket: flow.ticket,
            begin: begin.at,
            ceilings: begin.ceilings,
        });
        sockets.datagrams = flow.datagrams;
        sockets.pings = flow.pings;
        Running {
            sockets,
            samples: Samples::every(Duration::from_millis(u64::from(flow.join.sample_ms))),
            listener: flow.listener,
            start: millis(flow.join.start_ms),
            end: millis(flow.join.end_ms),
            is_initiator: flow.join.end == End::Initiator,
            has_met: false,
            heard_at: Time::ZERO,
            alive_at: Time::ZERO,
        }
    }

    fn run(mut self, mut app: impl App, stop: &AtomicBool) -> (Sockets, Samples) {
        if self.is_initiator {
            self.await_start(stop);
            self.meet();
        }
        if !stop.load(Ordering::Relaxed) && self.sockets.failed.is_none() {
            app.on_start(&mut self.sockets);
        }
        while self.goes_on(&app, stop) {
            let now = self.sockets.now();
            self.samples.take(now, &self.sockets);
            self.wake(&mut app, now);
            self.keep_alive(now);
            match self.ready(now) {
                Ok(ready) => self.serve(&mut app, ready),
                Err(error) => self.sockets.fail("no waiting", &error),
            }
        }
        (self.sockets, self.samples)
    }

    /// Waits for the instant at which the flow begins, which the end's own clock tells.
    fn await_start(&mut self, stop: &AtomicBool) {
        let at = self.sockets.terms.begin + std::time::Duration::from_nanos(self.start.as_nanos());
        while !stop.load(Ordering::Relaxed) {
            let left = at.saturating_duration_since(std::time::Instant::now());
            if left.is_zero() {
                break;
            }
            thread::sleep(left.min(std::time::Duration::from_nanos(STOPPING.as_nanos())));
        }
    }

    fn meet(&mut self) {
        let Some(socket) = &self.sockets.datagrams else {
            return;
        };
        match opening::open_datagrams(socket, &self.sockets.terms.ticket) {
            Ok(()) => self.has_met = true,
            Err(error) => self.sockets.fail("the other end was not met", &error),
        }
        self.heard_at = self.sockets.now();
    }

    fn goes_on(&mut self, app: &impl App, stop: &AtomicBool) -> bool {
        let now = self.sockets.now();
        if self.has_met && now.saturating_since(self.heard_at) > SILENCE && now < self.end {
            let error = io::Error::new(io::ErrorKind::TimedOut, "silent for a second");
            self.sockets.fail("the other end is gone", &error);
        }
        let is_stopped = stop.load(Ordering::Relaxed) || self.sockets.failed.is_some();
        let is_over = !self.sockets.streams.is_empty()
            && self.sockets.streams.iter().all(Option::is_none)
            && app.is_done();
        !is_stopped && !is_over && now < self.end
    }

    fn wake(&mut self, app: &mut impl App, now: Time) {
        while self
            .sockets
            .wakes
            .peek()
            .is_some_and(|&Reverse(at)| at <= now)
        {
            self.sockets.wakes.pop();
            app.on_wake(&mut self.sockets);
        }
    }

    fn keep_alive(&mut self, now: Time) {
        if let (true, Some(socket)) = (
            self.has_met && now >= self.alive_at,
            &self.sockets.datagrams,
        ) {
            // One that is lost is followed by four others before the silence is too long.
            let _ = socket.send(&[ALIVE]);
            self.alive_at = now + ALIVE_EVERY;
        }
    }

    /// Waits for something to do; tells what there is.
    fn ready(&mut self, now: Time) -> io::Result<Vec<Ready>> {
        let is_held = std::mem::take(&mut self.sockets.is_held);
        let longest = if is_held { HELD } else { STOPPING };
        let wakes = self.sockets.wakes.peek().map(|&Reverse(at)| at);
        let until = wakes
            .into_iter()
            .chain([self.samples.next_at(), self.end])
            .min();
        let wait = until.map_or(longest, |at| at.saturating_since(now).min(longest));
        let (mut descriptors, mut whose) = (Vec::new(), Vec::new());
        if let Some(listener) = &self.listener {
            descriptors.push(PollFd::from_borrowed_fd(listener.as_fd(), PollFlags::IN));
            whose.push(Ready::Listener);
        }
        for (number, stream) in self.sockets.streams.iter().enumerate() {
            if let Some(stream) = stream {
                let flags = wanted(!stream.peer_closed, stream.wants_room && !is_held);
                descriptors.push(PollFd::from_borrowed_fd(stream.socket.as_fd(), flags));
                whose.push(Ready::Stream(number));
            }
        }
        if let Some(socket) = &self.sockets.datagrams {
            let flags = wanted(true, self.sockets.wants_room && !is_held);
            descriptors.push(PollFd::from_borrowed_fd(socket.as_fd(), flags));
            whose.push(Ready::Datagrams { came: false });
        }
        if let Some(pings) = &self.sockets.pings {
            descriptors.push(PollFd::from_borrowed_fd(pings.as_fd(), PollFlags::IN));
            whose.push(Ready::Pings);
        }
        let time = Timespec {
            tv_sec: (wait.as_nanos() / 1_000_000_000) as i64,
            tv_nsec: (wait.as_nanos() % 1_000_000_000) as _,
        };
        match poll(&mut descriptors, Some(&time)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let told = |(found, whose): (&PollFd<'_>, Ready)| match whose {
            Ready::Stream(number) if is_held || !found.revents().is_empty() => {
                Some(Ready::Stream(number))
            }
            _ if found.revents().is_empty() => None,
            Ready::Datagrams { .. } => Some(Ready::Datagrams {
                came: found.revents().contains(PollFlags::IN),
            }),
            other => Some(other),
        };
        let mut ready: Vec<Ready> = descriptors.iter().zip(whose).filter_map(told).collect();
        let fresh = |(number, stream): (usize, &Option<Stream>)| {
            stream.as_ref()?.is_new.then_some(Ready::Stream(number))
        };
        ready.extend(self.sockets.streams.iter().enumerate().filter_map(fresh));
        Ok(ready)
    }

    fn serve(&mut self, app: &mut impl App, ready: Vec<Ready>) {
        for each in ready {
            match each {
                Ready::Listener => self.accept(),
                Ready::Stream(number) => self.stream(app, number),
                Ready::Datagrams { came } => {
                    if came {
                        self.datagrams(app);
                    }
                    self.room(app);
                }
                Ready::Pings => self.replies(app),
            }
        }
    }

    fn accept(&mut self) {
        let Some(listener) = &self.listener else {
            return;
        };
        // Who shows another ticket is turned away; the flow goes on.
        if let Ok(Some(socket)) = opening::accept(listener, &self.sockets.terms.ticket) {
            self.sockets.streams.push(Some(Stream::new(socket)));
            // The ticket has been used.
            self.listener = None;
        }
    }

    fn stream(&mut self, app: &mut impl App, number: usize) {
        let socket = Socket(number as u32);
        let Some(stream) = &mut self.sockets.streams[number] else {
            return;
        };
        let was_closed = stream.peer_closed;
        let established = std::mem::take(&mut stream.is_new);
        let news = |established, peer_closed| News {
            established,
            peer_closed,
        };
        app.on_stream(socket, news(established, was_closed), &mut self.sockets);
        let closed = |sockets: &Sockets| {
            let stream = sockets.streams[number].as_ref();
            (
                stream.is_some_and(|stream| stream.peer_closed),
                stream.is_some_and(Stream::is_over),
            )
        };
        if let (true, false) = (closed(&self.sockets).0, was_closed) {
            app.on_stream(socket, news(false, true), &mut self.sockets);
        }
        if closed(&self.sockets).1 {
            self.sockets.streams[number] = None;
            app.on_end(socket, &mut self.sockets);
        }
    }

    fn datagrams(&mut self, app: &mut impl App) {
        if !self.is_initiator && !self.has_met {
            return self.be_met();
        }
        let mut bytes = [0; 2048];
        for _ in 0..BATCH {
            let Some(socket) = &self.sockets.datagrams else {
                return;
            };
            let Ok(length) = socket.recv(&mut bytes) else {
                return;
            };
            self.heard_at = self.sockets.now();
            match bytes[..length].first() {
                Some(&DATA) => {
                    let datagram = self.datagram(&bytes[..length]);
                    app.on_datagram(datagram, &mut self.sockets);
                }
                Some(&OPENING) if !self.is_initiator => {
                    // If this answer is lost too, the opening is repeated once more.
                    let _ = opening::answer_again(socket, &self.sockets.terms.ticket);
                }
                _ => {}
            }
        }
    }

    fn be_met(&mut self) {
        let Some(socket) = &self.sockets.datagrams else {
            return;
        };
        // Who shows another ticket gets no answer.
        if let Ok(true) = opening::accept_datagrams(socket, &self.sockets.terms.ticket) {
            self.has_met = true;
            self.heard_at = self.sockets.now();
        }
    }

    /// A datagram as the application reads it. Its age stays unknown, as two clocks are compared
    /// nowhere: no figure that follows from ages leaves the endpoint.
    fn datagram(&self, bytes: &[u8]) -> Datagram {
        let mut tag = [0; 8];
        for (byte, read) in tag.iter_mut().zip(&bytes[1..]) {
            *byte = *read;
        }
        Datagram {
            payload: bytes.len() as u32,
            tag: u64::from_le_bytes(tag),
            sent: self.sockets.now(),
        }
    }

    fn room(&mut self, app: &mut impl App) {
        for _ in 0..BATCH {
            if !self.sockets.wants_room || self.sockets.is_held {
                return;
            }
            app.on_room(&mut self.sockets);
        }
    }

    fn replies(&mut self, app: &mut impl App) {
        while let Some((sequence, payload)) = self.sockets.pings.as_ref().and_then(Pings::reply) {
            app.on_reply(sequence, payload, &mut self.sockets);
        }
    }
}

fn wanted(bytes: bool, room: bool) -> PollFlags {
    let of = |is_wanted, flag| if is_wanted { flag } else { PollFlags::empty() };
    of(bytes, PollFlags::IN) | of(room, PollFlags::OUT)
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
