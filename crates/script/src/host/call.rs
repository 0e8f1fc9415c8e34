//! System calls.

use super::{Descriptor, Host, Role, Socket, Wait};
use crate::ast::{Call, Expression};
use crate::symbols::{self, Errno};
use tcp::Connection;

/// What a call gives.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    Value(i64),
    Error(Errno),
    /// A new socket, for which the script has the descriptor.
    Socket(usize),
    /// A new epoll instance.
    Epoll,
    /// Descriptors with the events they are ready for.
    Ready(Vec<(i64, i64)>),
    /// It has to wait.
    Waits(Wait),
}

impl PartialEq for Wait {
    /// Two calls that wait are never the same.
    fn eq(&self, _: &Wait) -> bool {
        false
    }
}

/// Why a call gives nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    Unsupported(String),
    /// An argument that the call fills has another value than the script says.
    Wrong(String),
}

pub(super) type Result<T> = std::result::Result<T, Trouble>;

pub(super) fn unsupported<T>(what: impl Into<String>) -> Result<T> {
    Err(Trouble::Unsupported(what.into()))
}

/// The value of an argument: a number, a name, or several with `|` between them.
pub(crate) fn value(expression: &Expression) -> Result<i64> {
    match expression {
        Expression::Integer(value) => Ok(*value),
        Expression::Word(name) => match symbols::value(name) {
            Some(value) => Ok(value),
            None => unsupported(format!("the name {name}")),
        },
        Expression::Or(operands) => operands
            .iter()
            .try_fold(0, |sum, operand| Ok(sum | value(operand)?)),
        Expression::Array(_) if *expression.first() != *expression => value(expression.first()),
        _ => unsupported("an argument that is no number here"),
    }
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
    /// Makes a call. What it lets the host send is sent.
    pub fn call(&mut self, call: &Call) -> Result<Reply> {
        let reply = self.dispatch(call);
        self.settle();
        reply
    }

    fn dispatch(&mut self, call: &Call) -> Result<Reply> {
        match call.name.as_str() {
            "socket" => self.socket_call(call),
            "epoll_create" | "epoll_create1" => Ok(Reply::Epoll),
            "epoll_ctl" => self.epoll_ctl(call),
            "epoll_wait" => self.epoll_wait(call),
            "poll" => self.poll(call),
            "close" => self.close(call),
            _ => {
                let descriptor = value(argument(call, 0)?)?;
                match self.descriptors.get(&descriptor) {
                    Some(Descriptor::Socket(socket)) => self.on_socket(*socket, call),
                    Some(Descriptor::Epoll(_)) => Ok(Reply::Error(Errno::NotSocket)),
                    None => Ok(Reply::Error(Errno::BadDescriptor)),
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

    /// Gives a new socket or epoll instance the descriptor the script calls it by.
    pub fn bind_descriptor(&mut self, descriptor: i64, reply: &Reply) {
        let new = match reply {
            Reply::Socket(socket) => Descriptor::Socket(*socket),
            _ => Descriptor::Epoll(Vec::new()),
        };
        self.descriptors.insert(descriptor, new);
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
        Ok(Reply::Socket(self.sockets.len() - 1))
    }

    fn listen(&mut self, socket: usize) -> Result<Reply> {
        let socket = &mut self.sockets[socket];
        match socket.role {
            Role::Unconnected | Role::Listener => {
                socket.role = Role::Listener;
                Ok(Reply::Value(0))
            }
            _ => Ok(Reply::Error(Errno::Invalid)),
        }
    }

    fn accept(&mut self, socket: usize, call: &Call) -> Result<Reply> {
        if self.sockets[socket].role != Role::Listener {
            return Ok(Reply::Error(Errno::Invalid));
        }
        let flags = match (call.name.as_str(), call.arguments.get(3)) {
            ("accept4", Some(flags)) => value(flags)?,
            _ => 0,
        };
        let reply = self.wait(socket, Wait::Accept { socket }, Errno::Again);
        if let Reply::Socket(new) = reply {
            self.sockets[new].is_blocking = flags & symbols::O_NONBLOCK == 0;
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
                    return Ok(Reply::Error(Errno::AlreadyConnected));
                }
                return Ok(self.wait(socket, Wait::Connect { socket }, Errno::Already));
            }
            _ => return Ok(Reply::Error(Errno::Invalid)),
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
        Ok(self.wait(socket, Wait::Connect { socket }, Errno::InProgress))
    }

    /// Tries; if there is nothing yet, waits or, on a socket that does not, gives `errno`.
    fn wait(&mut self, socket: usize, wait: Wait, errno: Errno) -> Reply {
        let is_blocking = self.sockets[socket].is_blocking;
        self.wait_or(wait, errno, is_blocking)
    }

    pub(super) fn wait_or(&mut self, mut wait: Wait, errno: Errno, is_blocking: bool) -> Reply {
        match self.attempt(&mut wait) {
            Some(reply) => reply,
            None if is_blocking => Reply::Waits(wait),
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
        Ok(self.wait_or(wait, Errno::Again, is_blocking))
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
        Ok(self.wait_or(wait, Errno::Again, is_blocking))
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
            return Ok(Reply::Error(Errno::NotConnected));
        };
        if !(0..=2).contains(&how) {
            return Ok(Reply::Error(Errno::Invalid));
        }
        if self.flows[flow].is_over {
            return Ok(Reply::Error(Errno::NotConnected));
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
            None => return Ok(Reply::Error(Errno::BadDescriptor)),
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

pub(super) fn wrong<T>(what: String) -> Result<T> {
    Err(Trouble::Wrong(what))
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
