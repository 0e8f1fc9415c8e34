//! One end of a flow while it runs: its application over its sockets.

use std::cmp::Reverse;
use std::io;
use std::net::TcpListener;
use std::os::fd::AsFd as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use os::datagram_stamps::{self, Came};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use traffic::{App, Net as _, ReceivedDatagram, Socket, SocketEvents};
use units::{Duration, Time};

use crate::datagram::{ALIVE, DATA, Form, OPENING};
use crate::flow::{Begin, Opened};
use crate::log::LogMemory;
use crate::message::{EndOfFlow, Join};
use crate::opening;
use crate::pings::Pings;
use crate::samples::Samples;
use crate::sockets::{EndSockets, FlowTerms, TestStream};
use crate::stamps::EndStamps;

/// The longest wait, so that a flow is stopped soon.
const STOPPING: Duration = Duration::from_millis(20);
/// The wait for what the owner's ceiling holds back.
const HELD: Duration = Duration::from_millis(1);
const ALIVE_EVERY: Duration = Duration::from_millis(200);
/// Datagrams stop when nothing was heard of the other end for so long (RFC 8084 §5).
const SILENCE: Duration = Duration::from_secs(1);
/// Datagrams that are taken or sent in one turn, at most.
const BATCH: usize = 64;

/// What has become of a descriptor.
enum Ready {
    Listener,
    Stream(usize),
    Datagrams { came: bool },
    Pings,
}

/// An end that runs.
pub(crate) struct RunningEnd {
    sockets: EndSockets,
    samples: Samples,
    listener: Option<TcpListener>,
    /// The common start by CLOCK_MONOTONIC, if datagrams are stamped, and room for the stamps.
    stamped: Option<(u64, LogMemory)>,
    start: Time,
    end: Time,
    is_opener: bool,
    is_reopened: bool,
    /// Whether the other end of datagrams has been met.
    has_met: bool,
    heard_at: Time,
    alive_at: Time,
}

impl RunningEnd {
    pub fn new(join: &Join, opened: Opened, begin: Begin) -> RunningEnd {
        let millis = |millis: u32| Time::ZERO + Duration::from_millis(u64::from(millis));
        let mut sockets = EndSockets::new(FlowTerms {
            peer: opened.peer,
            ticket: opened.ticket,
            dscp: opened.dscp,
            form: opened.form,
            begin: begin.at,
            ceilings: begin.ceilings,
        });
        sockets.datagrams = opened.datagrams;
        sockets.pings = opened.pings;
        match (opened.stream, join.end) {
            (Some(stream), EndOfFlow::Responder) => {
                sockets.streams.push(Some(TestStream::new(stream)));
            }
            (stream, _) => sockets.opened = stream,
        }
        let mut running = RunningEnd {
            sockets,
            samples: Samples::every(
                Duration::from_millis(u64::from(join.sample_ms)),
                begin.row,
                begin.room.clone(),
            ),
            listener: opened.listener,
            stamped: join.is_stamped.then_some((begin.at_ns, begin.room)),
            start: millis(join.start_ms),
            end: millis(join.end_ms),
            is_opener: opened.is_opener,
            is_reopened: opened.is_reopened,
            has_met: false,
            heard_at: Time::ZERO,
            alive_at: Time::ZERO,
        };
        if running.is_served() {
            running.stamp();
        }
        running
    }

    /// Whether the other end is an iperf3 server, which was met when the test began, and says
    /// nothing of its own accord.
    fn is_served(&self) -> bool {
        self.sockets.terms.form == Form::Iperf3
    }

    /// Runs its application until its time is over or `stop` is set.
    pub fn run(mut self, mut app: impl App, stop: &AtomicBool) -> (EndSockets, Samples) {
        if self.is_opener {
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
        if self.is_served() {
            return;
        }
        match opening::open_datagrams(socket, &self.sockets.terms.ticket) {
            Ok(()) => self.has_met(),
            Err(error) => self.sockets.fail("the other end was not met", &error),
        }
    }

    /// From here on datagrams go both ways, and are stamped if they are to be.
    fn has_met(&mut self) {
        self.has_met = true;
        self.heard_at = self.sockets.now();
        self.stamp();
    }

    fn stamp(&mut self) {
        if let (Some(socket), Some((start_ns, room))) =
            (&self.sockets.datagrams, self.stamped.take())
        {
            match EndStamps::of(socket, start_ns, room) {
                Ok(stamps) => self.sockets.stamps = Some(stamps),
                Err(error) => self.sockets.fail("no stamps", &error),
            }
        }
    }

    fn goes_on(&mut self, app: &impl App, stop: &AtomicBool) -> bool {
        let now = self.sockets.now();
        if self.has_met && now.saturating_since(self.heard_at) > SILENCE && now < self.end {
            let error = io::Error::new(io::ErrorKind::TimedOut, "silent for a second");
            self.sockets.fail("the other end is gone", &error);
        }
        let is_stopped = stop.load(Ordering::Relaxed) || self.sockets.failed.is_some();
        let awaits_more = self.is_reopened && !self.is_opener;
        let is_over = !awaits_more
            && !self.sockets.streams.is_empty()
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
        if self.has_met && now >= self.alive_at {
            // One that is lost is followed by four others before the silence is too long.
            self.sockets.send_bytes(&[ALIVE], None);
            self.alive_at = now + ALIVE_EVERY;
        }
    }

    /// Waits for something to do; tells what there is.
    fn ready(&mut self, now: Time) -> io::Result<Vec<Ready>> {
        let is_held = std::mem::take(&mut self.sockets.is_held);
        let wait = self.wait(now, if is_held { HELD } else { STOPPING });
        let (mut descriptors, whose) = self.watched(is_held);
        match poll(&mut descriptors, Some(&wait)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let waited = self.sockets.now().saturating_since(now);
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
        let fresh = |(number, stream): (usize, &Option<TestStream>)| {
            stream.as_ref()?.is_new.then_some(Ready::Stream(number))
        };
        ready.extend(self.sockets.streams.iter().enumerate().filter_map(fresh));
        if is_held {
            self.sockets.held += waited;
        }
        Ok(ready)
    }

    /// Returns how long nothing is to be done unless something comes, at most `longest`.
    fn wait(&self, now: Time, longest: Duration) -> Timespec {
        let wakes = self.sockets.wakes.peek().map(|&Reverse(at)| at);
        let until = wakes
            .into_iter()
            .chain([self.samples.next_at(), self.end])
            .min();
        let wait = until.map_or(longest, |at| at.saturating_since(now).min(longest));
        Timespec {
            tv_sec: (wait.as_nanos() / 1_000_000_000) as i64,
            tv_nsec: (wait.as_nanos() % 1_000_000_000) as _,
        }
    }

    /// The descriptors to wait for, and whose each is.
    fn watched(&self, is_held: bool) -> (Vec<PollFd<'_>>, Vec<Ready>) {
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
        (descriptors, whose)
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
                    self.take_sent();
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
            self.sockets.streams.push(Some(TestStream::new(socket)));
            if !self.is_reopened {
                // The ticket has been used.
                self.listener = None;
            }
        }
    }

    fn stream(&mut self, app: &mut impl App, number: usize) {
        let socket = Socket(number as u32);
        let Some(stream) = &mut self.sockets.streams[number] else {
            return;
        };
        let was_closed = stream.peer_closed;
        let established = std::mem::take(&mut stream.is_new);
        let news = |established, peer_closed| SocketEvents {
            established,
            peer_closed,
        };
        app.on_stream(socket, news(established, was_closed), &mut self.sockets);
        let closed = |sockets: &EndSockets| {
            let stream = sockets.streams[number].as_ref();
            (
                stream.is_some_and(|stream| stream.peer_closed),
                stream.is_some_and(TestStream::is_over),
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
        let form = self.sockets.terms.form;
        if !self.is_opener && !self.has_met && !self.is_served() {
            return self.be_met();
        }
        let mut bytes = [0; 2048];
        for _ in 0..BATCH {
            let Some(socket) = &self.sockets.datagrams else {
                return;
            };
            let Ok(came) = datagram_stamps::receive(socket, &mut bytes) else {
                return;
            };
            self.heard_at = self.sockets.now();
            match form.kind(&bytes[..came.length]) {
                Some(DATA) => self.datagram(app, came, &bytes[..came.length]),
                Some(OPENING) if !self.is_opener => {
                    // The first answer was lost. If this one is too, the opening is repeated.
                    let answer = self.sockets.terms.ticket.datagram();
                    self.sockets.send_bytes(&answer, None);
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
            self.has_met();
        }
    }

    /// Hands a datagram to the application. Its age stays unknown there, as this machine knows one
    /// clock alone: who knows both reads the stamps.
    fn datagram(&mut self, app: &mut impl App, came: Came, bytes: &[u8]) {
        let form = self.sockets.terms.form;
        let label = form.read(bytes);
        self.sockets.moved += u64::from(label.size);
        if let Some(stamps) = &mut self.sockets.stamps {
            if form.is_numbered(bytes.len()) {
                stamps.on_received(came, label);
            }
        }
        let datagram = ReceivedDatagram {
            payload: label.size,
            tag: label.tag,
            sent: self.sockets.now(),
        };
        app.on_datagram(datagram, &mut self.sockets);
    }

    /// Takes the stamps of what was sent.
    fn take_sent(&mut self) {
        if let (Some(stamps), Some(socket)) = (&mut self.sockets.stamps, &self.sockets.datagrams) {
            stamps.take_sent(socket);
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
