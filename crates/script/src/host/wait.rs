//! Calls that may have to wait, and trying them.

use tcp::State;
use units::Time;

use super::{Descriptor, Host, Role};
use crate::machine::Reply;
use crate::symbols::{Errno, POLLERR, POLLHUP, POLLIN, POLLOUT, POLLRDHUP};

/// A call that has not returned.
#[derive(Clone, Debug)]
pub(crate) enum Wait {
    Accept {
        socket: usize,
    },
    Connect {
        socket: usize,
    },
    Read {
        socket: usize,
        max: u64,
        all: bool,
        peek: bool,
    },
    Write {
        socket: usize,
        left: u64,
        written: u64,
    },
    /// Descriptors with the events asked for; until some are ready or the time is over.
    Poll {
        watched: Vec<(i64, i64)>,
        until: Time,
    },
}

impl Wait {
    /// When the call gives up.
    pub fn deadline(&self) -> Time {
        match self {
            Wait::Poll { until, .. } => *until,
            _ => Time::NEVER,
        }
    }
}

impl Host {
    /// The reply to a waiting call, once there is one.
    pub fn attempt(&mut self, wait: &mut Wait) -> Option<Reply> {
        let reply = match wait {
            Wait::Accept { socket } => self.try_accept(*socket),
            Wait::Connect { socket } => self.try_connect(*socket),
            Wait::Read {
                socket,
                max,
                all,
                peek,
            } => self.try_read(*socket, *max, *all, *peek),
            Wait::Write {
                socket,
                left,
                written,
            } => {
                let socket = *socket;
                self.try_write(socket, left, written)
            }
            Wait::Poll { watched, until } => {
                let ready = self.ready(watched);
                let is_over = ready.is_empty() && self.now < *until;
                (!is_over).then_some(Reply::Ready(ready))
            }
        };
        self.settle();
        reply
    }

    fn flow_of(&self, socket: usize) -> Option<usize> {
        match self.sockets[socket].role {
            Role::Stream(flow) => Some(flow),
            _ => None,
        }
    }

    /// The connection that `accept` would take.
    pub(super) fn acceptable(&self, listener: usize) -> Option<usize> {
        self.flows
            .iter()
            .position(|flow| flow.listener == Some(listener) && flow.is_established)
    }

    fn try_accept(&mut self, socket: usize) -> Option<Reply> {
        let index = self.acceptable(socket)?;
        let mut accepted = self.sockets[socket].clone();
        accepted.role = Role::Stream(index);
        accepted.is_blocking = true;
        accepted.is_connect_reported = true;
        self.sockets.push(accepted);
        self.adopt_opening(self.sockets.len() - 1);
        let flow = &mut self.flows[index];
        flow.listener = None;
        flow.socket = Some(self.sockets.len() - 1);
        Some(self.make(Descriptor::Socket(self.sockets.len() - 1)))
    }

    fn try_connect(&mut self, socket: usize) -> Option<Reply> {
        let flow = self.flow_of(socket)?;
        if let Some(errno) = self.sockets[socket].error.take() {
            return Some(Reply::Error(errno));
        }
        if self.flows[flow].is_established {
            self.sockets[socket].is_connect_reported = true;
            return Some(Reply::Value(0));
        }
        None
    }

    fn try_read(&mut self, socket: usize, max: u64, all: bool, peek: bool) -> Option<Reply> {
        let Some(index) = self.flow_of(socket) else {
            return Some(Reply::Error(Errno::NOT_CONNECTED));
        };
        let flow = &mut self.flows[index];
        let readable = flow.connection.readable();
        let is_ended = flow.is_peer_closed || flow.is_over || self.sockets[socket].is_read_shut;
        if readable > 0 && (!all || readable >= max || is_ended) || max == 0 {
            let bytes = match peek {
                true => readable.min(max),
                false => flow.connection.read(self.now, max),
            };
            return Some(Reply::Value(bytes as i64));
        }
        if let Some(errno) = self.sockets[socket].error.take() {
            return Some(Reply::Error(errno));
        }
        is_ended.then_some(Reply::Value(0))
    }

    fn try_write(&mut self, socket: usize, left: &mut u64, written: &mut u64) -> Option<Reply> {
        let Some(index) = self.flow_of(socket) else {
            return Some(Reply::Error(Errno::BROKEN_PIPE));
        };
        let part = |written: u64, errno| match written {
            0 => Reply::Error(errno),
            _ => Reply::Value(written as i64),
        };
        if let Some(errno) = self.sockets[socket].error.take() {
            return Some(part(*written, errno));
        }
        let flow = &mut self.flows[index];
        if flow.is_over || self.sockets[socket].is_write_shut {
            return Some(part(*written, Errno::BROKEN_PIPE));
        }
        if !flow.is_established {
            return None;
        }
        let taken = flow.connection.write(self.now, *left);
        (*left, *written) = (*left - taken, *written + taken);
        (*left == 0).then_some(Reply::Value(*written as i64))
    }

    /// The watched descriptors that are ready, with their events.
    pub(super) fn ready(&self, watched: &[(i64, i64)]) -> Vec<(i64, i64)> {
        let events = |&(descriptor, wanted): &(i64, i64)| {
            let events = self.events(descriptor) & (wanted | POLLERR | POLLHUP);
            (descriptor, events)
        };
        watched
            .iter()
            .map(events)
            .filter(|ready| ready.1 != 0)
            .collect()
    }

    /// What Linux's tcp_poll says of a socket.
    fn events(&self, descriptor: i64) -> i64 {
        let Some(Descriptor::Socket(index)) = self.descriptors.get(&descriptor) else {
            return 0;
        };
        let socket = &self.sockets[*index];
        let flow = match socket.role {
            Role::Listener if self.acceptable(*index).is_some() => return POLLIN,
            Role::Listener | Role::Closed => return 0,
            Role::Unconnected => return POLLOUT | POLLHUP,
            Role::Stream(flow) => &self.flows[flow],
        };
        let reads_end = flow.is_peer_closed || flow.is_over || socket.is_read_shut;
        let writes_end = flow.is_over || socket.is_write_shut;
        let is_open = flow.is_established || flow.is_over;
        let can_write = is_open && (writes_end || self.has_room(flow));
        let both =
            flow.is_over || reads_end && writes_end || flow.connection.state() == State::Closed;
        [
            (
                is_open && (flow.connection.readable() > 0 || reads_end),
                POLLIN,
            ),
            (is_open && reads_end, POLLRDHUP),
            (can_write, POLLOUT),
            (both, POLLHUP),
            (socket.error.is_some(), POLLERR),
        ]
        .into_iter()
        .filter(|(holds, _)| *holds)
        .fold(0, |events, (_, event)| events | event)
    }

    /// Linux's sk_stream_is_writeable: at least a third of the buffer is free.
    fn has_room(&self, flow: &super::Flow) -> bool {
        let used = flow.connection.info().buffered_bytes;
        2 * flow.connection.writable() >= used
    }
}
