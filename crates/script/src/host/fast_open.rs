//! TCP Fast Open (RFC 7413) in the host: what it lets its sockets do, what its listeners give, and
//! what it remembers of the server (`net/ipv4/tcp_fastopen.c`, `tcp_metrics.c`).

use tcp::{Connection, FastOpenClient, FastOpenLesson, FastOpenOption, FastOpenServer, State};

use super::call::{Result, argument};
use super::wait::{Wait, Writing};
use super::{Host, SocketRole};
use crate::ast::{Call, Expression};
use crate::fast_open::{self, CookieKey};
use crate::machine::CallReply;
use crate::symbols::Errno;

/// Bits of tcp_fastopen (ip-sysctl).
const CLIENT: u32 = 0x1;
const SERVER: u32 = 0x2;
const CLIENT_WITHOUT_COOKIE: u32 = 0x4;
const SERVER_WITHOUT_COOKIE: u32 = 0x200;
const EVERY_LISTENER: u32 = 0x400;

/// Memory of the one server there is (`struct tcp_fastopen_metrics`).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Remembered {
    mss: Option<u16>,
    option: Option<FastOpenOption>,
    /// True if the next wish for a cookie has the experimental form; `None` before any was passed
    /// over.
    next_form: Option<bool>,
}

impl Remembered {
    fn learn(&mut self, lesson: &FastOpenLesson) {
        self.mss = lesson.mss.or(self.mss);
        match lesson.option {
            Some(option) => self.option = Some(option),
            // The experimental form is tried once, after the other.
            None if self.option.is_none() && self.next_form != Some(false) => {
                self.next_form = lesson.next_form.or(self.next_form);
            }
            None => {}
        }
    }
}

/// Settings of a socket.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FastOpening {
    /// TCP_FASTOPEN: how many connections may wait for the end of their handshakes.
    pub queue: i64,
    /// TCP_FASTOPEN_KEY
    pub keys: Option<(CookieKey, Option<CookieKey>)>,
    /// TCP_FASTOPEN_CONNECT
    pub connects_late: bool,
    /// True if connect() has put off the SYN until there are data.
    pub is_put_off: bool,
    /// TCP_FASTOPEN_NO_COOKIE
    pub without_cookie: bool,
}

impl Host {
    fn fast_open_has(&self, bit: u32) -> bool {
        self.settings.fast_open.bits & bit != 0
    }

    /// `inet_listen`: a listener may have a queue without having asked for one.
    pub(super) fn give_queue(&mut self, socket: usize, backlog: i64) {
        let is_given = self.fast_open_has(EVERY_LISTENER) && self.fast_open_has(SERVER);
        let fast_open = &mut self.sockets[socket].fast_open;
        if is_given && fast_open.queue == 0 {
            fast_open.queue = backlog;
        }
    }

    /// Returns what a listener goes by with the next SYN: nothing while its queue is full
    /// (`tcp_fastopen_queue_check`).
    pub(super) fn fast_open_server(&self, listener: usize) -> Option<FastOpenServer> {
        let socket = &self.sockets[listener];
        let is_pending = |flow: &&super::HostConnection| {
            flow.opened_by == Some(listener) && flow.connection.state() == State::SynReceived
        };
        let pending = self.flows.iter().filter(is_pending).count() as i64;
        if !self.fast_open_has(SERVER) || pending >= socket.fast_open.queue {
            return None;
        }
        let keys = socket
            .fast_open
            .keys
            .unwrap_or(self.settings.fast_open.keys);
        let addresses = self.settings.fast_open.addresses;
        let needs_none =
            self.fast_open_has(SERVER_WITHOUT_COOKIE) || socket.fast_open.without_cookie;
        Some(FastOpenServer {
            cookie: addresses.cookie(&keys.0),
            former: keys.1.map(|key| addresses.cookie(&key)),
            needs_cookie: !needs_none,
        })
    }

    /// Returns what a client goes by (`tcp_fastopen_cookie_check`).
    fn fast_open_client(&self, socket: usize) -> FastOpenClient {
        let remembered = &self.server;
        let without_cookie = self.fast_open_has(CLIENT_WITHOUT_COOKIE)
            || self.sockets[socket].fast_open.without_cookie;
        FastOpenClient {
            cookie: remembered.option.map(|option| option.cookie),
            is_experimental: match remembered.option {
                Some(option) => option.is_experimental,
                None => remembered.next_form == Some(true),
            },
            without_cookie,
            mss: remembered.mss,
        }
    }

    /// connect() of a socket with TCP_FASTOPEN_CONNECT: where data may go with the SYN it is put
    /// off, and else asks for a cookie (`tcp_fastopen_defer_connect`).
    pub(super) fn puts_off_connecting(&mut self, socket: usize) -> bool {
        let client = self.fast_open_client(socket);
        let fast_open = &mut self.sockets[socket].fast_open;
        fast_open.is_put_off =
            fast_open.connects_late && (client.cookie.is_some() || client.without_cookie);
        fast_open.is_put_off
    }

    /// A new connection of `socket` is to carry the first of `bytes` bytes with its SYN; gives how
    /// many. `waits` says that the application waits to write the rest.
    pub(super) fn begin_fast(
        &self,
        socket: usize,
        connection: &mut Connection,
        bytes: u64,
        waits: bool,
    ) -> u64 {
        connection.open_fast(&self.fast_open_client(socket), bytes, waits)
    }

    /// A call that opens the connection and writes (`tcp_sendmsg_fastopen`).
    pub(super) fn send_with_syn(
        &mut self,
        socket: usize,
        call: &Call,
        bytes: u64,
        how: Writing,
        is_blocking: bool,
    ) -> Result<CallReply> {
        let is_nowhere = match call.name.as_str() {
            "sendto" => is_unspecified(argument(call, 4)?),
            _ => false,
        };
        if !self.fast_open_has(CLIENT) || is_nowhere {
            return Ok(CallReply::Error(Errno::NOT_SUPPORTED));
        }
        match self.sockets[socket].role {
            SocketRole::Unconnected => {}
            SocketRole::Stream(flow)
                if !self.flows[flow].is_established && !self.flows[flow].is_over =>
            {
                return Ok(CallReply::Error(Errno::ALREADY));
            }
            SocketRole::Stream(flow) if self.flows[flow].is_over => {
                let errno = self.sockets[socket].error.take();
                return Ok(CallReply::Error(errno.unwrap_or(Errno::BROKEN_PIPE)));
            }
            // __inet_stream_connect: once, it is told that the connection stands.
            SocketRole::Stream(_) if !self.sockets[socket].is_connect_reported => {
                self.sockets[socket].is_connect_reported = true;
                let wait = Wait::Write {
                    socket,
                    left: bytes,
                    written: 0,
                    how,
                    full: Vec::new(),
                };
                return Ok(self.wait_or(wait, Errno::AGAIN, is_blocking));
            }
            _ => return Ok(CallReply::Error(Errno::ALREADY_CONNECTED)),
        }
        self.sockets[socket].fast_open.is_put_off = false;
        let (taken, flow) = self.open_actively(socket, Some((bytes, is_blocking)))?;
        self.flows[flow].stamps.written += taken as i64;
        if !is_blocking {
            return Ok(match taken {
                0 => CallReply::Error(Errno::IN_PROGRESS),
                taken => {
                    self.stamp(socket, how);
                    CallReply::Value(taken as i64)
                }
            });
        }
        let wait = Wait::Write {
            socket,
            left: bytes - taken,
            written: taken,
            how,
            full: Vec::new(),
        };
        Ok(self.wait_or(wait, Errno::AGAIN, true))
    }

    /// Takes what connections have learned of the server.
    pub(super) fn remember(&mut self, flow: usize) {
        if let Some(lesson) = self.flows[flow].connection.take_fast_open_lesson() {
            self.server.learn(&lesson);
        }
    }

    /// Sets one of the options of Fast Open.
    pub(super) fn set_fast_open(
        &mut self,
        socket: usize,
        name: &str,
        wanted: i64,
    ) -> Option<Errno> {
        let has_client = self.fast_open_has(CLIENT);
        let role = self.sockets[socket].role;
        let is_new = role == SocketRole::Unconnected;
        let is_unopened = is_new || role == SocketRole::Listener;
        let fast_open = &mut self.sockets[socket].fast_open;
        let is_switch = (0..=1).contains(&wanted);
        match name {
            "TCP_FASTOPEN" if wanted >= 0 && is_unopened => fast_open.queue = wanted,
            "TCP_FASTOPEN_CONNECT" if is_switch && !has_client => {
                return Some(Errno::NOT_SUPPORTED);
            }
            "TCP_FASTOPEN_CONNECT" if is_switch && is_new => fast_open.connects_late = wanted != 0,
            "TCP_FASTOPEN_NO_COOKIE" if is_switch && is_unopened => {
                fast_open.without_cookie = wanted != 0;
            }
            _ => return Some(Errno::INVALID),
        }
        None
    }

    /// TCP_FASTOPEN_KEY: a key of 16 bytes, or two.
    pub(super) fn set_fast_open_key(&mut self, socket: usize, bytes: &[u8]) -> CallReply {
        match fast_open::keys_of_bytes(bytes) {
            Some(keys) => {
                self.sockets[socket].fast_open.keys = Some(keys);
                CallReply::Value(0)
            }
            None => CallReply::Error(Errno::INVALID),
        }
    }
}

/// Returns whether an address is of the family AF_UNSPEC.
pub(super) fn is_unspecified(address: &Expression) -> bool {
    let is_named = |of: &Expression| matches!(of, Expression::Word(name) if name == "AF_UNSPEC");
    is_named(address) || address.field("sa_family").is_some_and(is_named)
}
