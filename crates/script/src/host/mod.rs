//! The host under test: sockets over connections, on a wire that takes no time.

use std::collections::{BTreeMap, VecDeque};

use tcp::{Connection, ConnectionOptions, Event, Failure, Flags};
use tcp::{Profile, State};
use units::{Duration, Time};

use crate::ast::{Call, Packet};
use crate::code::Value;
use crate::machine::{Machine, Reply, Sent, Stop, Trouble};
use crate::refusal::Refusal;
use crate::settings::{self, Ecn, Settings};
use crate::symbols::Errno;
use crate::tcp_info;
use crate::wire::Translation;

mod call;
mod options;
mod ready;
mod transfer;
mod wait;

use wait::Wait;

/// The endpoint's first initial sequence number. Any would do; this one is not 0, so that
/// a number that was not translated is seen.
const FIRST_ISN: u32 = 0x2000_0000;
/// How far the next connection's lies from it.
const ISN_STEP: u32 = 0x0100_0000;
/// Longer than any timer of a stack runs.
const PATIENCE: Duration = Duration::from_secs(300);
/// More timers than this at one instant mean that the endpoint does not come to rest.
const ROUNDS_MAX: u32 = 100_000;

#[derive(Debug)]
pub(crate) struct Host {
    now: Time,
    settings: Settings,
    /// The call that has not returned.
    waiting: Option<Wait>,
    /// What calls have made and what has no descriptor yet, by the number of the reply.
    made: Vec<Descriptor>,
    descriptors: BTreeMap<i64, Descriptor>,
    sockets: Vec<Socket>,
    flows: Vec<Flow>,
    /// The connection that opened, or got a packet, last.
    under_test: usize,
    epolls: Vec<Vec<ready::Watch>>,
    /// How many bytes each pipe holds.
    pipes: Vec<u64>,
    sent: VecDeque<Sent>,
}

/// What a descriptor stands for.
#[derive(Clone, Debug)]
enum Descriptor {
    Socket(usize),
    Epoll(usize),
    Pipe(usize),
    /// A file of any length.
    File,
}

#[derive(Clone, Debug)]
struct Socket {
    role: Role,
    is_blocking: bool,
    options: ConnectionOptions,
    settings: Settings,
    /// To be reported by the next call.
    error: Option<Errno>,
    is_read_shut: bool,
    is_write_shut: bool,
    /// Whether `connect` has told how the attempt ended.
    is_connect_reported: bool,
    /// SO_LINGER: how many seconds a close may wait.
    linger: Option<i64>,
    /// SO_RCVLOWAT, bytes.
    receive_low_water: u64,
    /// TCP_NOTSENT_LOWAT, bytes.
    unsent_low_water: Option<u64>,
    /// TCP_WINDOW_CLAMP, bytes.
    window_clamp: Option<u32>,
    /// What was set, by its name.
    set: BTreeMap<String, i64>,
}

impl Socket {
    fn new(settings: &Settings, is_blocking: bool) -> Socket {
        Socket {
            role: Role::Unconnected,
            is_blocking,
            options: ConnectionOptions::default(),
            settings: settings.clone(),
            error: None,
            is_read_shut: false,
            is_write_shut: false,
            is_connect_reported: false,
            linger: None,
            receive_low_water: 1,
            unsent_low_water: None,
            window_clamp: None,
            set: BTreeMap::new(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Unconnected,
    Listener,
    /// A connection, by its place among the flows.
    Stream(usize),
    Closed,
}

/// A connection with what its socket has to know.
#[derive(Debug)]
struct Flow {
    connection: Connection,
    numbers: Translation,
    /// The ports, the script's first, if it names them.
    ports: Option<(u16, u16)>,
    /// The socket it came from, until it is accepted.
    listener: Option<usize>,
    /// The socket it belongs to, once there is one.
    socket: Option<usize>,
    is_established: bool,
    is_peer_closed: bool,
    is_over: bool,
    /// How often something has happened that wakes those who wait for the socket.
    happenings: u64,
}

impl Host {
    pub fn new(settings: Settings) -> Host {
        Host {
            now: Time::ZERO,
            settings,
            waiting: None,
            made: Vec::new(),
            descriptors: BTreeMap::new(),
            sockets: Vec::new(),
            flows: Vec::new(),
            under_test: 0,
            epolls: Vec::new(),
            pipes: Vec::new(),
            sent: VecDeque::new(),
        }
    }

    /// The connection that code blocks look at.
    fn connection(&self) -> Option<&Connection> {
        let flow = self.flows.get(self.under_test);
        flow.map(|flow| &flow.connection)
    }

    /// The reply to the call that waits, once there is one.
    fn attempt_waiting(&mut self) -> Option<Reply> {
        let mut wait = self.waiting.take()?;
        let reply = self.attempt(&mut wait);
        if reply.is_none() {
            self.waiting = Some(wait);
        }
        reply
    }

    fn arrive(&mut self, packet: &Packet) {
        let is_opening = packet.flags.contains(Flags::SYN) && !packet.flags.contains(Flags::ACK);
        // RFC 9293 §3.10.7.4, TIME-WAIT: a SYN for a listener may open the connection anew.
        let opens_anew = is_opening && self.listener().is_some();
        let of_peer = |flow: &Flow| packet.ports.is_none() || flow.ports == packet.ports;
        let is_current = |flow: &Flow| {
            let is_waiting = flow.connection.state() == State::TimeWait;
            of_peer(flow) && !(flow.is_over || opens_anew && is_waiting)
        };
        let current = self.flows.iter().rposition(is_current);
        let last = self.flows.iter().rposition(of_peer);
        let flow = match (current, last) {
            (Some(flow), _) => flow,
            (None, Some(last)) if !is_opening => last,
            _ => self.open_passively(),
        };
        self.flows[flow].ports = self.flows[flow].ports.or(packet.ports);
        self.under_test = flow;
        let segment = self.flows[flow].numbers.segment(packet);
        self.flows[flow].connection.on_segment(self.now, &segment);
        self.settle();
    }

    fn listener(&self) -> Option<usize> {
        let is_listener = |socket: &Socket| socket.role == Role::Listener;
        self.sockets.iter().rposition(is_listener)
    }

    /// A connection for whatever arrives: the listener's if there is one.
    fn open_passively(&mut self) -> usize {
        let listener = self.listener();
        let isn = self.next_isn();
        let mut connection = match listener {
            Some(socket) => {
                let (profile, options) = self.opening(socket);
                Connection::listen(&profile, &options, isn)
            }
            None => Connection::listen(&self.settings.profile, &Default::default(), isn),
        };
        if listener.is_none() {
            connection.close(self.now); // a closed port answers by a reset
        }
        let flow = self.add_flow(connection, isn, listener);
        if let Some(socket) = listener {
            self.tell_at_once(socket, flow);
        }
        flow
    }

    /// What a connection of this socket opens with.
    fn opening(&self, socket: usize) -> (Profile, ConnectionOptions) {
        let Socket {
            settings, options, ..
        } = &self.sockets[socket];
        let (mut profile, mut options) = (settings.profile, *options);
        // tcp_select_initial_window: a buffer that was set does not grow, so the shift is its own.
        if let Some(bytes) = options.receive_window_bytes {
            profile.window_shift_min = bytes.max(1).ilog2().saturating_sub(15);
        }
        let limits = [options.mss_limit_bytes, settings.mss_limit];
        options.mss_limit_bytes = limits.into_iter().flatten().min();
        (profile, options)
    }

    /// Tells a new connection of the options that it does not take when it opens.
    fn tell_at_once(&mut self, socket: usize, flow: usize) {
        for option in self.sockets[socket].told_at_once() {
            self.flows[flow].connection.set_option(self.now, option);
        }
    }

    fn add_flow(&mut self, connection: Connection, isn: u32, listener: Option<usize>) -> usize {
        self.flows.push(Flow {
            connection,
            numbers: Translation::new(isn),
            ports: None,
            listener,
            socket: None,
            is_established: false,
            is_peer_closed: false,
            is_over: false,
            happenings: 0,
        });
        self.under_test = self.flows.len() - 1;
        self.under_test
    }

    fn next_isn(&self) -> u32 {
        FIRST_ISN.wrapping_add((self.flows.len() as u32).wrapping_mul(ISN_STEP))
    }

    /// Takes what the connections have to send and to tell.
    fn settle(&mut self) {
        for index in 0..self.flows.len() {
            let flow = &mut self.flows[index];
            while let Some(segment) = flow.connection.poll_segment(self.now) {
                let mss = flow.connection.info().mss_bytes;
                self.sent.push_back(Sent {
                    at: self.now,
                    segment,
                    connection: index,
                    mss,
                });
            }
            while let Some(event) = self.flows[index].connection.poll_event() {
                self.note(index, event);
            }
            // A listener whose peer went away again is no connection.
            let flow = &mut self.flows[index];
            flow.is_over |= matches!(flow.connection.state(), State::Closed | State::Listen);
        }
    }

    fn note(&mut self, index: usize, event: Event) {
        let flow = &mut self.flows[index];
        flow.happenings += 1;
        match event {
            Event::Established => flow.is_established = true,
            Event::PeerClosed => flow.is_peer_closed = true,
            Event::Closed => flow.is_over = true,
            Event::Failed(failure) => {
                flow.is_over = true;
                let errno = match failure {
                    Failure::TimedOut => Errno::TIMED_OUT,
                    Failure::Refused => Errno::REFUSED,
                    // Linux: a reset after the peer's FIN is a broken pipe (tcp_reset).
                    Failure::Reset if flow.is_peer_closed => Errno::BROKEN_PIPE,
                    Failure::Reset => Errno::RESET,
                };
                if let Some(socket) = flow.socket {
                    self.sockets[socket].error = Some(errno);
                }
            }
            Event::Readable | Event::Writable => {}
        }
    }
}

impl Machine for Host {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn now(&self) -> Time {
        self.now
    }

    fn patience(&self) -> Duration {
        PATIENCE
    }

    fn begin(&mut self) {}

    fn advance(&mut self, until: Time, until_sent: bool) -> Stop {
        for _ in 0..ROUNDS_MAX {
            if let Some(reply) = self.attempt_waiting() {
                return Stop::Returned(Ok(reply));
            }
            if until_sent && !self.sent.is_empty() {
                return Stop::Sent;
            }
            let timers = self.flows.iter().map(|flow| flow.connection.wake_at());
            let deadline = self.waiting.as_ref().map(Wait::deadline);
            let wake = timers.chain(deadline).min().unwrap_or(Time::NEVER);
            if wake > until || wake == Time::NEVER {
                self.now = self.now.max(until);
                return Stop::Time;
            }
            self.now = self.now.max(wake);
            for flow in &mut self.flows {
                flow.connection.on_timer(self.now);
            }
            self.settle();
        }
        Stop::Restless
    }

    fn receive(&mut self, packet: &Packet) -> Result<(), Trouble> {
        let is_opening = packet.flags.contains(Flags::SYN) && self.listener().is_some();
        let unsupported = |what: &str| Err(Trouble::Unsupported(what.to_owned()));
        if is_opening && packet.asks_for_ecn && self.settings.ecn != Ecn::Off {
            return unsupported("explicit congestion notification (RFC 3168) with this tcp_ecn");
        }
        let options = packet.options.as_ref();
        if is_opening && self.settings.fast_open_server && options.is_some_and(|o| o.fast_open) {
            return unsupported("TCP Fast Open (RFC 7413) with this tcp_fastopen");
        }
        self.arrive(packet);
        Ok(())
    }

    fn call(&mut self, call: &Call) -> Result<Reply, Trouble> {
        let reply = self.dispatch(call);
        self.settle();
        reply
    }

    fn bind_descriptor(&mut self, descriptor: i64, reply: &Reply) {
        if let Reply::Descriptor(made) = reply {
            self.descriptors
                .insert(descriptor, self.made[*made].clone());
        }
    }

    fn command(&mut self, line: u32, text: &str) -> Result<(), Refusal> {
        settings::command(&mut self.settings, line, text)
    }

    fn lookup(&self, name: &str) -> Option<Value> {
        tcp_info::lookup(name, self.connection())
    }

    fn sent(&self) -> &VecDeque<Sent> {
        &self.sent
    }

    fn take_sent(&mut self) -> Option<Sent> {
        self.sent.pop_front()
    }

    fn numbers(&mut self, connection: usize) -> &mut Translation {
        &mut self.flows[connection].numbers
    }
}
