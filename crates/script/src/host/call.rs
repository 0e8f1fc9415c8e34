//! System calls.

use super::fast_open::is_unspecified;
use super::{Descriptor, Host, HostSocket, SocketRole, Wait};
use crate::ast::{Call, Expression};
use crate::machine::{CallReply, CallTrouble};
use crate::symbols::{self, Errno};
use crate::value::value;
use tcp::{Connection, State};
use units::Duration;

pub(super) type Result<T> = std::result::Result<T, CallTrouble>;

/// Number of files that a process may have open (getrlimit(2), RLIMIT_NOFILE, the usual soft
/// limit).
const DESCRIPTORS_MAX: usize = 1024;

pub(super) fn unsupported<T>(what: impl Into<String>) -> Result<T> {
    Err(CallTrouble::Unsupported(what.into()))
}

pub(super) fn argument(call: &Call, index: usize) -> Result<&Expression> {
    match call.arguments.get(index) {
        Some(argument) => Ok(argument),
        None => unsupported(format!(
            "{}() with {} arguments",
            call.name,
            call.arguments.len()
        )),
    }
}

impl Host {
    pub(super) fn dispatch(&mut self, call: &Call) -> Result<CallReply> {
        match call.name.as_str() {
            "socket" => self.socket_call(call),
            "epoll_create" | "epoll_create1" => {
                self.epolls.push(Vec::new());
                Ok(self.make(Descriptor::Epoll(self.epolls.len() - 1)))
            }
            "epoll_ctl" => self.epoll_ctl(call),
            "epoll_wait" => self.epoll_wait(call),
            "poll" => self.poll(call),
            "open" => Ok(self.make(Descriptor::File)),
            "pipe" => Ok(self.pipe()),
            "sendfile" => self.sendfile(call),
            "splice" => self.splice(call),
            "close" => self.close(call),
            _ => {
                let descriptor = value(argument(call, 0)?)?;
                match self.descriptors.get(&descriptor) {
                    Some(Descriptor::Socket(socket)) => self.on_socket(*socket, call),
                    Some(_) => Ok(CallReply::Error(Errno::NOT_SOCKET)),
                    None => Ok(CallReply::Error(Errno::BAD_DESCRIPTOR)),
                }
            }
        }
    }

    fn on_socket(&mut self, socket: usize, call: &Call) -> Result<CallReply> {
        match call.name.as_str() {
            "bind" => Ok(CallReply::Value(0)),
            "listen" => self.listen(socket, call),
            "accept" | "accept4" => self.accept(socket, call),
            "connect" => self.connect(socket, call),
            "read" | "readv" | "recv" | "recvfrom" | "recvmsg" => self.read(socket, call),
            "write" | "writev" | "send" | "sendto" | "sendmsg" => self.write(socket, call),
            "shutdown" => self.shutdown(socket, call),
            "fcntl" => self.fcntl(socket, call),
            "ioctl" => self.ioctl(socket, call),
            "setsockopt" => self.setsockopt(socket, call),
            "getsockopt" => self.getsockopt(socket, call),
            name => unsupported(format!("the call {name}()")),
        }
    }

    /// The reply that tells of something new.
    pub(super) fn make(&mut self, new: Descriptor) -> CallReply {
        if self.descriptors.len() >= DESCRIPTORS_MAX {
            return CallReply::Error(Errno::TOO_MANY_FILES);
        }
        self.made.push(new);
        CallReply::Descriptor(self.made.len() - 1)
    }

    fn socket_call(&mut self, call: &Call) -> Result<CallReply> {
        match argument(call, 0)? {
            Expression::Ellipsis => {}
            Expression::Word(family)
                if matches!(
                    family.as_str(),
                    "AF_INET" | "PF_INET" | "AF_INET6" | "PF_INET6"
                ) => {}
            _ => return unsupported("sockets that are not of the Internet"),
        }
        let kind = value(argument(call, 1)?)?;
        if kind & 0xf != symbols::SOCK_STREAM {
            return unsupported("sockets that are not TCP");
        }
        match argument(call, 2)? {
            Expression::Word(protocol)
                if !matches!(protocol.as_str(), "IPPROTO_TCP" | "IPPROTO_IP") =>
            {
                return unsupported(format!("the protocol {protocol}"));
            }
            _ => {}
        }
        self.sockets.push(HostSocket::new(
            &self.settings,
            kind & symbols::O_NONBLOCK == 0,
        ));
        Ok(self.make(Descriptor::Socket(self.sockets.len() - 1)))
    }

    fn listen(&mut self, socket: usize, call: &Call) -> Result<CallReply> {
        match self.sockets[socket].role {
            SocketRole::Unconnected | SocketRole::Listener => {
                self.sockets[socket].role = SocketRole::Listener;
                self.give_queue(socket, value(argument(call, 1)?)?);
                Ok(CallReply::Value(0))
            }
            _ => Ok(CallReply::Error(Errno::INVALID)),
        }
    }

    fn accept(&mut self, socket: usize, call: &Call) -> Result<CallReply> {
        if self.sockets[socket].role != SocketRole::Listener {
            return Ok(CallReply::Error(Errno::INVALID));
        }
        let flags = match (call.name.as_str(), call.arguments.get(3)) {
            ("accept4", Some(flags)) => value(flags)?,
            _ => 0,
        };
        let is_blocking = flags & symbols::O_NONBLOCK == 0;
        let wait = Wait::Accept {
            socket,
            is_blocking,
        };
        Ok(self.wait(socket, wait, Errno::AGAIN))
    }

    fn connect(&mut self, socket: usize, call: &Call) -> Result<CallReply> {
        if argument(call, 1).is_ok_and(is_unspecified) {
            return Ok(self.disconnect(socket));
        }
        let role = self.sockets[socket].role;
        match role {
            SocketRole::Unconnected if self.sockets[socket].fast_open.is_put_off => {
                return Ok(CallReply::Error(Errno::ALREADY_CONNECTED));
            }
            SocketRole::Unconnected if self.puts_off_connecting(socket) => {
                return Ok(CallReply::Value(0));
            }
            SocketRole::Unconnected => {}
            SocketRole::Stream(flow) => {
                let is_new = !self.sockets[socket].is_connect_reported;
                let is_established = self.flows[flow].is_established;
                if is_established && !is_new {
                    return Ok(CallReply::Error(Errno::ALREADY_CONNECTED));
                }
                let is_over = self.flows[flow].is_over && !is_established;
                if is_over && is_new {
                    // Linux: what SO_ERROR has told already is not told twice.
                    let socket = &mut self.sockets[socket];
                    socket.is_connect_reported = true;
                    let errno = socket.error.take();
                    return Ok(CallReply::Error(errno.unwrap_or(Errno::ABORTED)));
                }
                if !is_over {
                    return Ok(self.wait(socket, Wait::Connect { socket }, Errno::ALREADY));
                }
                self.sockets[socket].is_connect_reported = false;
            }
            SocketRole::Listener => return Ok(CallReply::Error(Errno::ALREADY_CONNECTED)),
            SocketRole::Closed => return Ok(CallReply::Error(Errno::INVALID)),
        }
        let asks = self.sockets[socket].fast_open.connects_late;
        self.open_actively(socket, asks.then_some((0, false)))?;
        Ok(self.wait(socket, Wait::Connect { socket }, Errno::IN_PROGRESS))
    }

    /// Opens a connection. With `data`, that is so many bytes and whether the application waits for
    /// them to be written, by TCP Fast Open; gives how many of them the SYN carries, and the flow.
    pub(super) fn open_actively(
        &mut self,
        socket: usize,
        data: Option<(u64, bool)>,
    ) -> Result<(u64, usize)> {
        let (profile, options) = self.opening(socket);
        if data.is_some() && profile.family.clone().linux().is_none() {
            return unsupported("TCP Fast Open (RFC 7413) of a stack that is not today's Linux");
        }
        let isn = self.next_isn();
        let mut connection = Connection::connect(self.now, &profile, &options, isn);
        let taken = match data {
            Some((bytes, waits)) => self.begin_fast(socket, &mut connection, bytes, waits),
            None => 0,
        };
        let flow = self.add_flow(connection, isn, None);
        self.flows[flow].socket = Some(socket);
        self.sockets[socket].role = SocketRole::Stream(flow);
        self.tell_at_once(socket, flow);
        self.settle();
        Ok((taken, flow))
    }

    /// connect() to no address (`tcp_disconnect`): the socket is as before it was connected, and the
    /// peer of an open connection hears of a reset.
    fn disconnect(&mut self, socket: usize) -> CallReply {
        let mut error = None;
        if let SocketRole::Stream(flow) = self.sockets[socket].role {
            let flow = &mut self.flows[flow];
            error = is_reset_by_disconnecting(flow.connection.state()).then_some(Errno::RESET);
            flow.connection.abort(self.now);
            flow.socket = None;
        }
        let socket = &mut self.sockets[socket];
        socket.role = SocketRole::Unconnected;
        socket.error = error;
        (socket.is_read_shut, socket.is_write_shut) = (false, false);
        socket.is_connect_reported = false;
        socket.fast_open.is_put_off = false;
        CallReply::Value(0)
    }

    /// Tries; if there is nothing yet, waits or, on a socket that does not, gives `errno`.
    fn wait(&mut self, socket: usize, wait: Wait, errno: Errno) -> CallReply {
        let is_blocking = self.sockets[socket].is_blocking;
        self.wait_or(wait, errno, is_blocking)
    }

    pub(super) fn wait_or(&mut self, mut wait: Wait, errno: Errno, is_blocking: bool) -> CallReply {
        match self.attempt(&mut wait) {
            Some(reply) => reply,
            None if is_blocking => {
                self.waiting = Some(wait);
                CallReply::Waits
            }
            None => match wait {
                Wait::Write {
                    socket,
                    written,
                    how,
                    ..
                } if written > 0 => {
                    self.stamp(socket, how);
                    CallReply::Value(written as i64)
                }
                _ => CallReply::Error(errno),
            },
        }
    }

    pub(super) fn shutdown(&mut self, socket: usize, call: &Call) -> Result<CallReply> {
        let how = value(argument(call, 1)?)?;
        if !(0..=2).contains(&how) {
            return Ok(CallReply::Error(Errno::INVALID));
        }
        match self.sockets[socket].role {
            // inet_shutdown gives an attempt up.
            SocketRole::Stream(flow) if self.flows[flow].connection.state() == State::SynSent => {
                Ok(self.disconnect(socket))
            }
            // tcp_time_wait leaves the socket closed.
            SocketRole::Stream(flow)
                if !self.flows[flow].is_over
                    && self.flows[flow].connection.state() != State::TimeWait =>
            {
                self.shut(socket, flow, how);
                Ok(CallReply::Value(0))
            }
            // inet_shutdown takes a listener back to where it came from.
            SocketRole::Listener if how != 1 => {
                self.forget_pending(socket);
                self.sockets[socket].role = SocketRole::Unconnected;
                Ok(CallReply::Value(0))
            }
            _ => Ok(CallReply::Error(Errno::NOT_CONNECTED)),
        }
    }

    fn shut(&mut self, socket: usize, flow: usize, how: i64) {
        let socket = &mut self.sockets[socket];
        if how != 1 {
            socket.is_read_shut = true;
            self.flows[flow].connection.stop_reading();
        }
        if how != 0 && !socket.is_write_shut {
            socket.is_write_shut = true;
            self.flows[flow].connection.close(self.now);
        }
        self.flows[flow].happenings += 1;
    }

    /// With a linger time of 0 a close is a reset; otherwise the endpoint decides, and with
    /// another time the call waits.
    fn close(&mut self, call: &Call) -> Result<CallReply> {
        let descriptor = value(argument(call, 0)?)?;
        let socket = match self.descriptors.remove(&descriptor) {
            None => return Ok(CallReply::Error(Errno::BAD_DESCRIPTOR)),
            Some(Descriptor::Socket(socket)) => socket,
            Some(_) => return Ok(CallReply::Value(0)),
        };
        let role = std::mem::replace(&mut self.sockets[socket].role, SocketRole::Closed);
        match role {
            SocketRole::Stream(flow) => return Ok(self.close_stream(socket, flow)),
            SocketRole::Listener => self.forget_pending(socket),
            SocketRole::Unconnected | SocketRole::Closed => {}
        }
        Ok(CallReply::Value(0))
    }

    fn close_stream(&mut self, socket: usize, index: usize) -> CallReply {
        let linger = self.sockets[socket].linger;
        let flow = &mut self.flows[index];
        flow.socket = None;
        if linger == Some(0) {
            flow.connection.abort(self.now);
            return CallReply::Value(0);
        }
        flow.connection.release(self.now);
        match linger {
            Some(seconds) => {
                let until = self.now + Duration::from_secs(seconds.unsigned_abs());
                self.wait_or(Wait::Linger { flow: index, until }, Errno::AGAIN, true)
            }
            None => CallReply::Value(0),
        }
    }

    /// Connections that nobody will accept any more end by a reset; where the handshake goes on,
    /// nothing is left that could send one (`inet_csk_listen_stop`).
    fn forget_pending(&mut self, socket: usize) {
        for flow in self.flows.iter_mut().filter(|f| f.listener == Some(socket)) {
            match flow.is_established {
                true => flow.connection.abort(self.now),
                false => flow.connection.forget(),
            }
            flow.listener = None;
        }
    }

    /// tcp_close waits, if it lingers, until all is acknowledged.
    pub(super) fn has_left(&self, flow: usize) -> bool {
        let state = self.flows[flow].connection.state();
        !matches!(
            state,
            State::FinWait1
                | State::Closing
                | State::LastAck
                | State::Established
                | State::CloseWait
        )
    }
}

/// Returns whether a connection that is given up in this state is told of as reset
/// (`tcp_need_reset`).
fn is_reset_by_disconnecting(state: State) -> bool {
    matches!(
        state,
        State::SynSent
            | State::SynReceived
            | State::Established
            | State::FinWait1
            | State::FinWait2
            | State::CloseWait
    )
}
