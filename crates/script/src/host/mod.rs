//! The host under test: sockets over connections, on a wire that takes no time.

use std::collections::{BTreeMap, VecDeque};

use tcp::{Connection, ConnectionOptions, Event, Failure, Flags};
use tcp::{Profile, SocketOption, State};
use units::Time;

use crate::ast::ScriptPacket;
use crate::code::Value;
use crate::machine::{CallReply, MachineSegment};
use crate::settings::Settings;
use crate::symbols::Errno;
use crate::tcp_info;
use crate::wire::Translation;

mod call;
mod chronograph;
mod deferred;
mod fast_open;
mod icmp;
mod machine;
mod option_values;
mod options;
mod queue;
mod ready;
mod stamps;
mod transfer;
mod wait;

use chronograph::Chronograph;
use deferred::Deferred;
use fast_open::{FastOpening, Remembered};
use queue::TransmitQueue;
use stamps::{ConnectionStamps, Stamping};
use wait::Wait;

/// The endpoint's first initial sequence number. Any would do; this one is not 0, so that
/// a number that was not translated is seen.
const FIRST_ISN: u32 = 0x2000_0000;
/// Distance of the next connection's from it.
const ISN_STEP: u32 = 0x0100_0000;
/// An Ethernet's, as packetdrill's interface has it.
const MTU: u32 = 1500;
/// No script leaves more segments unread.
const SENT_MAX: usize = 100_000;
/// No script makes the endpoint look after its connections more often, all together.
const LOOKS_MAX: u64 = 10_000_000;
/// net/tcp_states.h.
const TCP_CLOSE: u64 = 7;

#[derive(Debug)]
pub(crate) struct Host {
    now: Time,
    settings: Settings,
    /// The call that has not returned.
    waiting: Option<Wait>,
    /// Results of calls that have no descriptor yet, by the number of the reply.
    made: Vec<Descriptor>,
    descriptors: BTreeMap<i64, Descriptor>,
    sockets: Vec<HostSocket>,
    flows: Vec<HostConnection>,
    /// The connection that opened, or got a packet, last.
    under_test: usize,
    epolls: Vec<Vec<ready::Watch>>,
    /// Number of bytes that each pipe holds.
    pipes: Vec<u64>,
    sent: VecDeque<MachineSegment>,
    /// Segments that the queue on the wire holds back.
    queue: TransmitQueue,
    /// Memory of the server that sockets connect to.
    server: Remembered,
    /// Number of times a connection was looked at for what it has to send.
    looks: u64,
}

/// Object that a descriptor stands for.
#[derive(Clone, Debug)]
enum Descriptor {
    Socket(usize),
    Epoll(usize),
    Pipe(usize),
    /// A file of any length.
    File,
}

#[derive(Clone, Debug)]
struct HostSocket {
    role: SocketRole,
    is_blocking: bool,
    options: ConnectionOptions,
    settings: Settings,
    /// To be reported by the next call.
    error: Option<Errno>,
    is_read_shut: bool,
    is_write_shut: bool,
    /// True if `connect` has told how the attempt ended.
    is_connect_reported: bool,
    /// SO_LINGER: how many seconds a close may wait.
    linger: Option<i64>,
    /// SO_RCVLOWAT, bytes.
    receive_low_water: u64,
    /// TCP_NOTSENT_LOWAT, bytes.
    unsent_low_water: Option<u32>,
    /// SO_TIMESTAMPING
    stamping: Stamping,
    /// SO_MAX_PACING_RATE, bytes per second.
    max_pacing_rate: Option<u64>,
    /// TCP_WINDOW_CLAMP, bytes.
    window_clamp: Option<u32>,
    fast_open: FastOpening,
    /// Values that were set, by name.
    set: BTreeMap<String, i64>,
}

impl HostSocket {
    fn new(settings: &Settings, is_blocking: bool) -> HostSocket {
        HostSocket {
            role: SocketRole::Unconnected,
            is_blocking,
            options: ConnectionOptions::default(),
            settings: settings.clone(),
            error: None,
            is_read_shut: false,
            is_write_shut: false,
            is_connect_reported: false,
            linger: None,
            receive_low_water: 1,
            unsent_low_water: settings.unsent_low_water,
            stamping: Stamping::default(),
            max_pacing_rate: None,
            window_clamp: None,
            fast_open: FastOpening::default(),
            set: BTreeMap::new(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SocketRole {
    Unconnected,
    Listener,
    /// A connection, by its place among the flows.
    Stream(usize),
    Closed,
}

/// A connection with what its socket has to know.
#[derive(Debug)]
struct HostConnection {
    connection: Connection,
    numbers: Translation,
    /// The ports, the script's first, if it names them.
    ports: Option<(u16, u16)>,
    /// The socket it came from, until it is accepted.
    listener: Option<usize>,
    /// The same for good.
    opened_by: Option<usize>,
    /// The socket it belongs to, once there is one.
    socket: Option<usize>,
    is_established: bool,
    is_peer_closed: bool,
    is_over: bool,
    /// Number of times something has happened that wakes those who wait for the socket.
    happenings: u64,
    /// True if a writer has found no room in the send buffer.
    wants_room: bool,
    chronograph: Chronograph,
    /// Error that ICMP has told, which tells why if the connection times out.
    soft_error: Option<Errno>,
    /// Error that the accepting socket will find.
    error: Option<Errno>,
    /// The path's, once ICMP has told it.
    mtu: Option<u32>,
    /// Whether it waits for data before it is one.
    deferred: Option<Deferred>,
    /// Its first sequence number.
    isn: u32,
    stamps: ConnectionStamps,
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
            queue: TransmitQueue::default(),
            server: Remembered::default(),
            looks: 0,
        }
    }

    /// A field of `struct tcp_info` of the connection that code blocks look at.
    fn tcp_info(&self, name: &str) -> Option<Value> {
        let flow = self.flows.get(self.under_test)?;
        let connection = &flow.connection;
        let number = match name {
            // What is left of a connection in TIME-WAIT is no socket any more (tcp_time_wait).
            "tcpi_state" if flow.socket.is_some() && connection.state() == State::TimeWait => {
                Some(TCP_CLOSE)
            }
            "tcpi_fastopen_client_fail" => Some(connection.fast_open_failure() as u64),
            "tcpi_pmtu" => {
                let own = self.settings.mtu.unwrap_or(MTU);
                Some(u64::from(flow.mtu.unwrap_or(own).min(own)))
            }
            _ => flow.chronograph.field(self.now, name, connection),
        };
        match number {
            Some(number) => i64::try_from(number).ok().map(Value::Integer),
            None => tcp_info::lookup(name, connection),
        }
    }

    /// The reply to the call that waits, once there is one.
    fn attempt_waiting(&mut self) -> Option<CallReply> {
        let mut wait = self.waiting.take()?;
        let reply = self.attempt(&mut wait);
        if reply.is_none() {
            self.waiting = Some(wait);
        }
        reply
    }

    fn arrive(&mut self, packet: &ScriptPacket) {
        let is_opening = packet.flags.contains(Flags::SYN) && !packet.flags.contains(Flags::ACK);
        // RFC 9293 §3.10.7.4, TIME-WAIT: a SYN for a listener may open the connection anew.
        let opens_anew = is_opening && self.listener().is_some();
        let of_peer = |flow: &HostConnection| packet.ports.is_none() || flow.ports == packet.ports;
        let is_current = |flow: &HostConnection| {
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
        if self.passes_over(flow, packet) {
            return;
        }
        let state = self.flows[flow].connection.state();
        let is_unopened = matches!(state, State::Listen | State::SynSent | State::Closed);
        if packet.flags.contains(Flags::SYN) && is_unopened {
            self.flows[flow].numbers.note_peer_isn(packet.seq);
        }
        let segment = self.flows[flow].numbers.segment(packet);
        self.flows[flow].connection.on_segment(self.now, &segment);
        self.flows[flow].chronograph.on_segment(self.now);
        self.settle();
    }

    fn passes_over(&mut self, flow: usize, packet: &ScriptPacket) -> bool {
        let flow = &mut self.flows[flow];
        let is_request = flow.connection.state() == State::SynReceived;
        let deferred = flow.deferred.as_mut().filter(|_| is_request);
        deferred.is_some_and(|deferred| deferred.passes_over(packet))
    }

    fn listener(&self) -> Option<usize> {
        let is_listener = |socket: &HostSocket| socket.role == SocketRole::Listener;
        self.sockets.iter().rposition(is_listener)
    }

    /// A connection for whatever arrives: the listener's if there is one.
    fn open_passively(&mut self) -> usize {
        let listener = self.listener();
        let isn = self.next_isn();
        let mut connection = match listener {
            Some(socket) => {
                let (profile, options) = self.opening(socket);
                let mut connection = Connection::listen(&profile, &options, isn);
                if let Some(server) = self.fast_open_server(socket) {
                    connection.accept_fast(server);
                }
                connection
            }
            None => Connection::listen(&self.settings.profile, &Default::default(), isn),
        };
        if listener.is_none() {
            connection.close(self.now); // a closed port answers by a reset
        }
        let flow = self.add_flow(connection, isn, listener);
        if let Some(socket) = listener {
            self.tell_at_once(socket, flow);
            let seconds = self.sockets[socket].set.get("TCP_DEFER_ACCEPT");
            self.flows[flow].deferred = Deferred::new(seconds.copied().unwrap_or(0));
        }
        flow
    }

    /// Returns what a connection of this socket opens with.
    fn opening(&self, socket: usize) -> (Profile, ConnectionOptions) {
        let HostSocket {
            settings, options, ..
        } = &self.sockets[socket];
        let (mut profile, mut options) = (settings.profile, *options);
        // tcp_select_initial_window: a buffer that was set does not grow, so the shift is its own.
        if let Some(bytes) = options.receive_window_bytes {
            profile.window_shift_min = bytes.max(1).ilog2().saturating_sub(15);
        }
        if let (false, Some(stack)) = (settings.receive_buffer_grows, profile.family.linux()) {
            stack.receive_buffer_max_bytes = stack.receive_buffer_bytes;
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
        self.pace();
    }

    /// The route takes packets of another length, which those who use it will learn.
    fn change_route(&mut self) {
        let own = self.settings.mtu.unwrap_or(MTU);
        let mtu = self.settings.route_mtu.unwrap_or(own);
        let limit = mtu.saturating_sub(self.settings.headers);
        for flow in &mut self.flows {
            flow.connection.on_route_change(limit);
        }
    }

    /// Once there is the queue `fq`, it paces every connection.
    fn pace(&mut self) {
        if self.settings.is_paced {
            for flow in &mut self.flows {
                let connection = &mut flow.connection;
                connection.set_option(self.now, SocketOption::PacedBelow);
            }
        }
    }

    fn add_flow(&mut self, connection: Connection, isn: u32, listener: Option<usize>) -> usize {
        self.flows.push(HostConnection {
            connection,
            numbers: Translation::new(isn),
            ports: None,
            listener,
            opened_by: listener,
            socket: None,
            is_established: false,
            is_peer_closed: false,
            is_over: false,
            happenings: 0,
            wants_room: false,
            chronograph: Chronograph::new(self.now),
            soft_error: None,
            error: None,
            mtu: None,
            deferred: None,
            isn,
            stamps: ConnectionStamps::default(),
        });
        self.under_test = self.flows.len() - 1;
        self.under_test
    }

    fn next_isn(&self) -> u32 {
        FIRST_ISN.wrapping_add((self.flows.len() as u32).wrapping_mul(ISN_STEP))
    }

    /// Returns whether the endpoint has done more than any script needs.
    fn is_restless(&self) -> bool {
        self.looks > LOOKS_MAX || self.sent.len() >= SENT_MAX
    }

    /// Takes what the connections have to send and to tell.
    fn settle(&mut self) {
        self.looks += 1 + self.flows.len() as u64;
        for index in 0..self.flows.len() {
            let flow = &mut self.flows[index];
            let acknowledged = flow.connection.counters().bytes_acknowledged as i64;
            flow.stamps.note_acknowledged(self.now, acknowledged);
            while self.sent.len() < SENT_MAX
                && let Some(segment) = flow.connection.poll_segment(self.now)
            {
                let deferred = flow.deferred.as_mut();
                if deferred.is_some_and(|deferred| !deferred.lets_go(&segment)) {
                    continue;
                }
                flow.stamps.note_sent(self.now, flow.isn, &segment);
                let sent = MachineSegment {
                    at: flow.connection.leaves_at().max(self.now),
                    segment,
                    connection: index,
                    mss: flow.connection.info().mss_bytes,
                };
                if self.settings.is_paced && sent.at > self.now {
                    self.queue.take(self.now, sent);
                } else {
                    self.sent.push_back(MachineSegment {
                        at: self.now,
                        ..sent
                    });
                }
            }
            while let Some(event) = self.flows[index].connection.poll_event() {
                self.note(index, event);
            }
            self.remember(index);
            // A listener whose peer went away again is no connection.
            let flow = &mut self.flows[index];
            flow.is_over |= matches!(flow.connection.state(), State::Closed | State::Listen);
            flow.chronograph
                .note(self.now, &flow.connection, flow.wants_room);
        }
    }

    fn note(&mut self, index: usize, event: Event) {
        let flow = &mut self.flows[index];
        flow.happenings += 1;
        match event {
            Event::Established => {
                flow.is_established = true;
                flow.chronograph.on_established(self.now);
            }
            Event::PeerClosed => flow.is_peer_closed = true,
            Event::Closed => flow.is_over = true,
            Event::Failed(failure) => self.fail(index, failure),
            Event::Writable => flow.wants_room = false,
            Event::Readable | Event::Finished => {}
        }
    }

    fn fail(&mut self, index: usize, failure: Failure) {
        let flow = &mut self.flows[index];
        flow.is_over = true;
        flow.stamps.free_all();
        let socket = flow.socket.map(|socket| &mut self.sockets[socket]);
        let has_shut = socket.as_ref().is_some_and(|socket| socket.is_write_shut);
        let errno = match failure {
            // tcp_write_err
            Failure::TimedOut => flow.soft_error.unwrap_or(Errno::TIMED_OUT),
            Failure::Refused => Errno::REFUSED,
            // Linux: a reset in CLOSE-WAIT is a broken pipe (tcp_reset).
            Failure::Reset if flow.is_peer_closed && !has_shut => Errno::BROKEN_PIPE,
            Failure::Reset => Errno::RESET,
        };
        match socket {
            Some(socket) => socket.error = Some(errno),
            None => flow.error = Some(errno),
        }
    }
}
