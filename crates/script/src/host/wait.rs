//! Calls that may have to wait, and trying them.

use units::Time;

use super::{Descriptor, Host, SocketRole};
use crate::machine::CallReply;
use crate::message::{ControlMessage, Data, ReceivedMessage};
use crate::symbols::{self, Errno};

/// A call that has not returned.
#[derive(Clone, Debug)]
pub(crate) enum Wait {
    Accept {
        socket: usize,
        /// True if calls on the new socket wait.
        is_blocking: bool,
    },
    Connect {
        socket: usize,
    },
    Read {
        socket: usize,
        max: u64,
        how: ReadCall,
    },
    Write {
        socket: usize,
        left: u64,
        written: u64,
        how: Writing,
        /// Where buffers are full before their time, from the start of the call.
        full: Vec<u64>,
    },
    /// Descriptors with the events asked for; until some are ready or the time is over.
    Poll {
        watched: Vec<(i64, i64)>,
        until: Time,
    },
    Epoll {
        epoll: usize,
        most: usize,
        until: Time,
    },
    /// A close waits until all is acknowledged.
    Linger {
        flow: usize,
        until: Time,
    },
}

/// Parameters of a call that reads.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReadCall {
    /// MSG_WAITALL
    pub all: bool,
    /// MSG_PEEK
    pub peek: bool,
    /// There is no memory to read into.
    pub faults: bool,
    /// recvmsg, which tells of more than data.
    pub message: bool,
}

/// Parameters of a call that writes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Writing {
    /// MSG_MORE
    pub more: bool,
    /// MSG_EOR
    pub record: bool,
    /// There is no memory to write from.
    pub faults: bool,
    /// MSG_ZEROCOPY
    pub uncopied: bool,
}

impl Wait {
    /// Returns when the call gives up.
    pub fn deadline(&self) -> Time {
        match self {
            Wait::Poll { until, .. } | Wait::Epoll { until, .. } | Wait::Linger { until, .. } => {
                *until
            }
            _ => Time::NEVER,
        }
    }
}

impl Host {
    /// The reply to a waiting call, once there is one.
    pub fn attempt(&mut self, wait: &mut Wait) -> Option<CallReply> {
        let reply = match wait {
            Wait::Accept {
                socket,
                is_blocking,
            } => self.try_accept(*socket, *is_blocking),
            Wait::Connect { socket } => self.try_connect(*socket),
            Wait::Read { socket, max, how } => self.try_read(*socket, *max, *how),
            Wait::Write {
                socket,
                left,
                written,
                how,
                full,
            } => {
                let (socket, how) = (*socket, *how);
                self.try_write(socket, left, written, how, full)
            }
            Wait::Poll { watched, until } => {
                let ready = self.ready(watched);
                let is_over = ready.is_empty() && self.now < *until;
                (!is_over).then_some(CallReply::Ready(ready))
            }
            Wait::Epoll { epoll, most, until } => {
                let ready = self.report(*epoll, *most);
                let is_over = ready.is_empty() && self.now < *until;
                (!is_over).then_some(CallReply::Ready(ready))
            }
            Wait::Linger { flow, until } => {
                (self.has_left(*flow) || self.now >= *until).then_some(CallReply::Value(0))
            }
        };
        self.settle();
        reply
    }

    fn flow_of(&self, socket: usize) -> Option<usize> {
        match self.sockets[socket].role {
            SocketRole::Stream(flow) => Some(flow),
            _ => None,
        }
    }

    /// The connection that `accept` would take.
    pub(super) fn acceptable(&self, listener: usize) -> Option<usize> {
        self.flows
            .iter()
            .position(|flow| flow.listener == Some(listener) && flow.is_established)
    }

    fn try_accept(&mut self, socket: usize, is_blocking: bool) -> Option<CallReply> {
        let index = self.acceptable(socket)?;
        let mut accepted = self.sockets[socket].clone();
        accepted.role = SocketRole::Stream(index);
        accepted.is_blocking = is_blocking;
        accepted.is_connect_reported = true;
        let flow = &mut self.flows[index];
        accepted.error = flow.error;
        self.sockets.push(accepted);
        flow.listener = None;
        flow.socket = Some(self.sockets.len() - 1);
        Some(self.make(Descriptor::Socket(self.sockets.len() - 1)))
    }

    fn try_connect(&mut self, socket: usize) -> Option<CallReply> {
        let flow = &self.flows[self.flow_of(socket)?];
        if !flow.is_over && !flow.is_established {
            return None; // whatever else the socket has to tell (inet_wait_for_connect)
        }
        let socket = &mut self.sockets[socket];
        socket.is_connect_reported = true;
        Some(match flow.is_over {
            true => CallReply::Error(socket.error.take().unwrap_or(Errno::ABORTED)),
            false => CallReply::Value(0),
        })
    }

    fn try_read(&mut self, socket: usize, max: u64, how: ReadCall) -> Option<CallReply> {
        let reply = self.try_read_bytes(socket, max, how)?;
        Some(match reply {
            CallReply::Value(bytes) if how.message => CallReply::Message(ReceivedMessage {
                bytes,
                flags: 0,
                control: self.left_to_read(socket).into_iter().collect(),
            }),
            reply => reply,
        })
    }

    /// TCP_INQ: what there is to be read. An end of the stream is something to be read, too, so
    /// that the application asks on (`tcp_inq_hint`).
    fn left_to_read(&self, socket: usize) -> Option<ControlMessage> {
        let is_asked = self.sockets[socket].set.get("TCP_INQ") == Some(&1);
        let flow = &self.flows[self.flow_of(socket).filter(|_| is_asked)?];
        let bytes = flow.connection.readable() + u64::from(flow.is_peer_closed);
        Some(ControlMessage {
            level: symbols::value("SOL_TCP")?,
            kind: symbols::value("TCP_CM_INQ")?,
            data: Data::Integer(bytes as i64),
        })
    }

    fn try_read_bytes(&mut self, socket: usize, max: u64, how: ReadCall) -> Option<CallReply> {
        let Some(index) = self.flow_of(socket) else {
            if self.sockets[socket].fast_open.is_put_off {
                return None; // the socket counts as one whose SYN has left
            }
            let errno = self.sockets[socket].error.take();
            return Some(CallReply::Error(errno.unwrap_or(Errno::NOT_CONNECTED)));
        };
        let flow = &mut self.flows[index];
        let readable = flow.connection.readable();
        let is_ended = flow.is_peer_closed || flow.is_over || self.sockets[socket].is_read_shut;
        let least = match how.all {
            true => max,
            false => self.sockets[socket].receive_low_water.min(max),
        };
        if readable > 0 && (readable >= least || is_ended) || max == 0 {
            if how.faults {
                return Some(CallReply::Error(Errno::FAULT));
            }
            let bytes = match how.peek {
                true => readable.min(max),
                false => flow.connection.read(self.now, max),
            };
            return Some(CallReply::Value(bytes as i64));
        }
        // tcp_recvmsg: behind the peer's end there is no error to be read (SOCK_DONE).
        if !flow.is_peer_closed
            && let Some(errno) = self.sockets[socket].error.take()
        {
            return Some(CallReply::Error(errno));
        }
        is_ended.then_some(CallReply::Value(0))
    }

    fn try_write(
        &mut self,
        socket: usize,
        left: &mut u64,
        written: &mut u64,
        how: Writing,
        full: &[u64],
    ) -> Option<CallReply> {
        let Some(index) = self.flow_of(socket) else {
            return Some(CallReply::Error(Errno::BROKEN_PIPE));
        };
        // What went with the SYN is for nothing if there is no connection.
        let is_established = self.flows[index].is_established;
        let part = |written: u64, errno| match written {
            1.. if is_established => CallReply::Value(written as i64),
            _ => CallReply::Error(errno),
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
        if *written > 0 && flow.wants_room {
            return None; // sk_stream_wait_memory: woken when there is room worth while
        }
        if how.faults && flow.connection.writable() > 0 {
            return Some(CallReply::Error(Errno::FAULT));
        }
        let start = *written;
        for &end in full.iter().filter(|&&end| end > start) {
            let flow = &mut self.flows[index];
            let taken = flow.connection.write_record(self.now, end - *written);
            (*left, *written) = (*left - taken, *written + taken);
            flow.stamps.written += taken as i64;
            self.settle(); // tcp_sendmsg_locked: a full buffer is pushed, and nothing is added to it
        }
        let flow = &mut self.flows[index];
        let taken = match how {
            Writing { more: true, .. } => flow.connection.write_more(self.now, *left),
            Writing { record: true, .. } => flow.connection.write_record(self.now, *left),
            _ => flow.connection.write(self.now, *left),
        };
        (*left, *written) = (*left - taken, *written + taken);
        flow.stamps.written += taken as i64;
        flow.wants_room |= *left > 0;
        if *left > 0 {
            return None;
        }
        if *written > 0 {
            self.stamp(socket, how);
        }
        Some(CallReply::Value(*written as i64))
    }

    /// What the socket has written has its end here.
    pub(super) fn stamp(&mut self, socket: usize, how: Writing) {
        if let SocketRole::Stream(flow) = self.sockets[socket].role {
            let stamping = self.sockets[socket].stamping;
            // Where the socket has not asked for it, the flag says nothing (tcp_sendmsg_locked).
            let is_uncopied = self.sockets[socket].set.get("SO_ZEROCOPY") == Some(&1);
            let stamps = &mut self.flows[flow].stamps;
            stamps.note_written(&stamping, how.record);
            if how.uncopied && is_uncopied {
                stamps.note_uncopied();
            }
        }
    }
}
