//! System calls.

use super::{Descriptor, Host, Role, Socket, Wait};
use crate::ast::{Call, Expression};
use crate::machine::{Reply, Trouble};
use crate::symbols::{self, Errno};
use crate::value::value;
use tcp::Connection;

pub(super) type Result<T> = std::result::Result<T, Trouble>;

pub(super) fn unsupported<T>(what: impl Into<String>) -> Result<T> {
    Err(Trouble::Unsupported(what.into()))
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

fn count(call: &Call, index: usize) -> Result<u64> {
    let count = value(argument(call, index)?)?;
    match u64::try_from(count) {
        Ok(count) => Ok(count),
        Err(_) => unsupported(format!("a length of {count}")),
    }
}

impl Host {
    pub(super) fn dispatch(&mut self, call: &Call) -> Result<Reply> {
        match call.name.as_str() {
            "socket" => self.socket_call(call),
            "epoll_create" | "epoll_create1" => Ok(self.make(Descriptor::Epoll(Vec::new()))),
            "epoll_ctl" => self.epoll_ctl(call),
            "epoll_wait" => self.epoll_wait(call),
            "poll" => self.poll(call),
            "close" => self.close(call),
            _ => {
                let descriptor = value(argument(call, 0)?)?;
                match self.descriptors.get(&descriptor) {
                    Some(Descriptor::Socket(socket)) => self.on_socket(*socket, call),
                    Some(Descriptor::Epoll(_)) => Ok(Reply::Error(Errno::NOT_SOCKET)),
                    None => Ok(Reply::Error(Errno::BAD_DESCRIPTOR)),
                }
            }
        }
    }

    fn on_socket(&mut self, socket: usize, call: &Call) -> Result<Reply> {
        match call.name.as_str() {
            "bind" => Ok(Reply::Value(0)),
            "listen" => self.listen(socket),
            "accept" | "accept4" => self.accept(socket, call),
            "connect" => self.connect(socket),
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
    pub(super) fn make(&mut self, new: Descriptor) -> Reply {
        self.made.push(new);
        Reply::Descriptor(self.made.len() - 1)
    }

    fn socket_call(&mut self, call: &Call) -> Result<Reply> {
        match argument(call, 0)? {
            Expression::Ellipsis => {}
            Expression::Word(family) if matches!(family.as_str(), "AF_INET" | "PF_INET") => {}
            _ => return unsupported("sockets that are not IPv4"),
        }
        let kind = value(argument(call, 1)?)?;
        if kind & 0xf != symbols::SOCK_STREAM {
            return unsupported("sockets that are not TCP");
        }
        match argument(call, 2)? {
            Expression::Word(protocol) if protocol != "IPPROTO_TCP" => {
                return unsupported(format!("the protocol {protocol}"));
            }
            _ => {}
        }
        self.sockets.push(Socket {
            role: Role::Unconnected,
            is_blocking: kind & symbols::O_NONBLOCK == 0,
            options: Default::default(),
            settings: self.settings.clone(),
            error: None,
            is_read_shut: false,
            is_write_shut: false,
            is_connect_reported: false,
            closes_hard: false,
        });
        Ok(self.make(Descriptor::Socket(self.sockets.len() - 1)))
    }

    fn listen(&mut self, socket: usize) -> Result<Reply> {
        let socket = &mut self.sockets[socket];
        match socket.role {
            Role::Unconnected | Role::Listener => {
                socket.role = Role::Listener;
                Ok(Reply::Value(0))
            }
            _ => Ok(Reply::Error(Errno::INVALID)),
        }
    }

    fn accept(&mut self, socket: usize, call: &Call) -> Result<Reply> {
        if self.sockets[socket].role != Role::Listener {
            return Ok(Reply::Error(Errno::INVALID));
        }
        let flags = match (call.name.as_str(), call.arguments.get(3)) {
            ("accept4", Some(flags)) => value(flags)?,
            _ => 0,
        };
        let reply = self.wait(socket, Wait::Accept { socket }, Errno::AGAIN);
        if let (Reply::Descriptor(_), Some(new)) = (&reply, self.sockets.last_mut()) {
            new.is_blocking = flags & symbols::O_NONBLOCK == 0;
        }
        Ok(reply)
    }

    fn connect(&mut self, socket: usize) -> Result<Reply> {
        match self.sockets[socket].role {
            Role::Unconnected => {}
            Role::Stream(flow) => {
                let is_new = !self.sockets[socket].is_connect_reported;
                let is_established = self.flows[flow].is_established;
                if is_established && !is_new {
                    return Ok(Reply::Error(Errno::ALREADY_CONNECTED));
                }
                return Ok(self.wait(socket, Wait::Connect { socket }, Errno::ALREADY));
            }
            _ => return Ok(Reply::Error(Errno::INVALID)),
        }
        if self.flows.iter().any(|flow| !flow.is_over) {
            return unsupported("a second connection while the first is there");
        }
        self.adopt_opening(socket);
        let isn = self.next_isn();
        let Socket {
            settings, options, ..
        } = &self.sockets[socket];
        let connection = Connection::connect(self.now, &settings.profile, options, isn);
        let flow = self.add_flow(connection, isn, None);
        self.flows[flow].socket = Some(socket);
        self.sockets[socket].role = Role::Stream(flow);
        self.settle();
        Ok(self.wait(socket, Wait::Connect { socket }, Errno::IN_PROGRESS))
    }

    /// Tries; if there is nothing yet, waits or, on a socket that does not, gives `errno`.
    fn wait(&mut self, socket: usize, wait: Wait, errno: Errno) -> Reply {
        let is_blocking = self.sockets[socket].is_blocking;
        self.wait_or(wait, errno, is_blocking)
    }

    pub(super) fn wait_or(&mut self, mut wait: Wait, errno: Errno, is_blocking: bool) -> Reply {
        match self.attempt(&mut wait) {
            Some(reply) => reply,
            None if is_blocking => {
                self.waiting = Some(wait);
                Reply::Waits
            }
            None => match wait {
                Wait::Write { written, .. } if written > 0 => Reply::Value(written as i64),
                _ => Reply::Error(errno),
            },
        }
    }

    fn read(&mut self, socket: usize, call: &Call) -> Result<Reply> {
        let (max, flags) = self.transfer(call)?;
        let known = symbols::MSG_DONTWAIT | symbols::MSG_PEEK | symbols::MSG_WAITALL;
        if flags & !(known | symbols::MSG_NOSIGNAL) != 0 {
            return unsupported(format!("{}() with flags {flags:#x}", call.name));
        }
        let wait = Wait::Read {
            socket,
            max,
            all: flags & symbols::MSG_WAITALL != 0,
            peek: flags & symbols::MSG_PEEK != 0,
        };
        let is_blocking = self.sockets[socket].is_blocking && flags & symbols::MSG_DONTWAIT == 0;
        Ok(self.wait_or(wait, Errno::AGAIN, is_blocking))
    }

    fn write(&mut self, socket: usize, call: &Call) -> Result<Reply> {
        let (left, flags) = self.transfer(call)?;
        if flags & !(symbols::MSG_DONTWAIT | symbols::MSG_NOSIGNAL) != 0 {
            return unsupported(format!("{}() with flags {flags:#x}", call.name));
        }
        let wait = Wait::Write {
            socket,
            left,
            written: 0,
        };
        let is_blocking = self.sockets[socket].is_blocking && flags & symbols::MSG_DONTWAIT == 0;
        Ok(self.wait_or(wait, Errno::AGAIN, is_blocking))
    }

    /// How many bytes a reading or writing call is about, and its flags.
    fn transfer(&self, call: &Call) -> Result<(u64, i64)> {
        match call.name.as_str() {
            "read" | "write" => Ok((count(call, 2)?, 0)),
            "readv" | "writev" => Ok((vectors(argument(call, 1)?)?, 0)),
            "sendmsg" | "recvmsg" => {
                let flags = value(argument(call, 2)?)?;
                match argument(call, 1)?.field("msg_iov") {
                    Some(vector) => Ok((vectors(vector)?, flags)),
                    None => unsupported("a message without msg_iov"),
                }
            }
            _ => Ok((count(call, 2)?, value(argument(call, 3)?)?)),
        }
    }

    fn shutdown(&mut self, socket: usize, call: &Call) -> Result<Reply> {
        let how = value(argument(call, 1)?)?;
        let Role::Stream(flow) = self.sockets[socket].role else {
            return Ok(Reply::Error(Errno::NOT_CONNECTED));
        };
        if !(0..=2).contains(&how) {
            return Ok(Reply::Error(Errno::INVALID));
        }
        if self.flows[flow].is_over {
            return Ok(Reply::Error(Errno::NOT_CONNECTED));
        }
        let socket = &mut self.sockets[socket];
        socket.is_read_shut |= how != 1;
        if how != 0 && !socket.is_write_shut {
            socket.is_write_shut = true;
            self.flows[flow].connection.close(self.now);
        }
        Ok(Reply::Value(0))
    }

    /// With a linger time of 0 a close is a reset; otherwise the endpoint decides.
    fn close(&mut self, call: &Call) -> Result<Reply> {
        let descriptor = value(argument(call, 0)?)?;
        let socket = match self.descriptors.remove(&descriptor) {
            None => return Ok(Reply::Error(Errno::BAD_DESCRIPTOR)),
            Some(Descriptor::Epoll(_)) => return Ok(Reply::Value(0)),
            Some(Descriptor::Socket(socket)) => socket,
        };
        let role = std::mem::replace(&mut self.sockets[socket].role, Role::Closed);
        match role {
            Role::Stream(flow) => {
                let flow = &mut self.flows[flow];
                let is_hard = self.sockets[socket].closes_hard;
                flow.socket = None;
                if is_hard {
                    flow.connection.abort(self.now);
                } else {
                    flow.connection.release(self.now);
                }
            }
            Role::Listener => {
                for flow in self.flows.iter_mut().filter(|f| f.listener == Some(socket)) {
                    flow.connection.abort(self.now);
                    flow.listener = None;
                }
            }
            Role::Unconnected | Role::Closed => {}
        }
        Ok(Reply::Value(0))
    }
}

/// The length of an array of `{..., length}`.
fn vectors(array: &Expression) -> Result<u64> {
    let Expression::Array(elements) = array else {
        return unsupported("a vector that is no list");
    };
    let mut sum = 0u64;
    for element in elements {
        let length = match element {
            Expression::Struct(fields) => fields.last().map(|field| value(&field.1)),
            _ => None,
        };
        match length {
            Some(length) => sum = sum.saturating_add(u64::try_from(length?).unwrap_or(0)),
            None => return unsupported("a vector's element that is not {..., length}"),
        }
    }
    Ok(sum)
}
