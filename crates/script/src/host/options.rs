//! Socket options, fcntl and ioctl.

use tcp::{CongestionAlgorithm, ConnectionOptions, Profile};

use super::call::{Result, unsupported};
use super::{Host, Role};
use crate::ast::{Call, Expression};
use crate::machine::{Filled, Reply};
use crate::symbols::{self, Errno};
use crate::value::value;

/// Options that change nothing on this wire, and why.
const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("SO_REUSEADDR", "no ports"),
    ("SO_REUSEPORT", "no ports"),
    ("SO_PRIORITY", "no queue below the endpoint"),
    ("SO_MARK", "no routing"),
    ("SO_BUSY_POLL", "no interface"),
    ("SO_INCOMING_CPU", "no processors"),
    ("SO_DONTROUTE", "no routing"),
    ("IP_TOS", "no IP header"),
    ("IP_TTL", "no IP header"),
    ("IP_MTU_DISCOVER", "no ICMP"),
    ("IP_BIND_ADDRESS_NO_PORT", "no ports"),
    (
        "TCP_FASTOPEN",
        "a script that sends or expects its option is not run",
    ),
    (
        "TCP_KEEPIDLE",
        "keep-alive has to be asked for by SO_KEEPALIVE",
    ),
    ("TCP_KEEPINTVL", "as TCP_KEEPIDLE"),
    ("TCP_KEEPCNT", "as TCP_KEEPIDLE"),
    ("TCP_LINGER2", "longer than scripts wait in FIN-WAIT-2"),
    ("TCP_SAVE_SYN", "nothing on the wire"),
];

/// Options of which only the value 0, which turns something off, is as things are.
const ONLY_OFF: &[(&str, &str)] = &[
    ("SO_ZEROCOPY", "zero-copy"),
    ("SO_TIMESTAMPING", "time stamps of the kernel"),
    ("TCP_CORK", "corked sockets"),
    ("TCP_DEFER_ACCEPT", "deferred accept"),
    (
        "TCP_THIN_LINEAR_TIMEOUTS",
        "linear timeouts for thin streams",
    ),
    ("TCP_THIN_DUPACK", "thin streams"),
    ("TCP_USER_TIMEOUT", "the user timeout"),
    ("TCP_INQ", "control messages"),
];

impl Host {
    pub(super) fn setsockopt(&mut self, socket: usize, call: &Call) -> Result<Reply> {
        let (Some(Expression::Word(name)), Some(setting)) =
            (call.arguments.get(2), call.arguments.get(3))
        else {
            return unsupported("setsockopt() of an option without a name");
        };
        if WITHOUT_EFFECT.iter().any(|known| known.0 == name) {
            return Ok(Reply::Value(0));
        }
        if let Some((_, what)) = ONLY_OFF.iter().find(|known| known.0 == name) {
            return match value(setting)? {
                0 => Ok(Reply::Value(0)),
                on => unsupported(format!("{what}: {name} {on}")),
            };
        }
        match name.as_str() {
            "SO_LINGER" => self.set_linger(socket, setting),
            "TCP_NOTSENT_LOWAT" => match value(setting)? {
                0 | -1 | NO_LOW_WATER => Ok(Reply::Value(0)),
                bytes => unsupported(format!("a low-water mark: TCP_NOTSENT_LOWAT {bytes}")),
            },
            "TCP_CONGESTION" => self.set_congestion(socket, setting),
            "TCP_NODELAY" | "TCP_MAXSEG" | "SO_KEEPALIVE" => {
                self.set_connection_option(socket, name, value(setting)?)
            }
            name if name.starts_with("SO_") => {
                self.set_connection_option(socket, name, value(setting)?)
            }
            _ => self.set_profile_option(socket, name, value(setting)?),
        }
    }

    /// What the profile has for every connection, for this socket's alone.
    fn set_profile_option(&mut self, socket: usize, name: &str, wanted: i64) -> Result<Reply> {
        let socket = &mut self.sockets[socket];
        let before = socket.settings.profile;
        if !set_profile_value(&mut socket.settings.profile, name, wanted) {
            return unsupported(format!("the socket option {name}"));
        }
        if matches!(socket.role, Role::Stream(_)) && socket.settings.profile != before {
            return unsupported(format!("{name} on an open connection that is in use"));
        }
        Ok(Reply::Value(0))
    }

    /// `{onoff=1, linger=0}`: close by reset.
    fn set_linger(&mut self, socket: usize, setting: &Expression) -> Result<Reply> {
        let setting = setting.first();
        let (Some(on), Some(seconds)) = (setting.field("onoff"), setting.field("linger")) else {
            return unsupported("SO_LINGER without {onoff=.., linger=..}");
        };
        let (on, seconds) = (value(on)? != 0, value(seconds)?);
        if on && seconds > 0 {
            return unsupported("a close that lingers");
        }
        self.sockets[socket].closes_hard = on;
        Ok(Reply::Value(0))
    }

    fn set_congestion(&mut self, socket: usize, setting: &Expression) -> Result<Reply> {
        let Expression::Text(name) = setting.first() else {
            return unsupported("TCP_CONGESTION without a name");
        };
        let Some(algorithm) = congestion_algorithm(name) else {
            return unsupported(format!("congestion control {name:?}"));
        };
        let profile = &self.sockets[socket].settings.profile;
        if profile.congestion_control != algorithm {
            if matches!(self.sockets[socket].role, Role::Stream(_)) {
                return unsupported("another congestion control on an open connection");
            }
            self.sockets[socket].settings.profile.congestion_control = algorithm;
        }
        Ok(Reply::Value(0))
    }

    /// The options a connection takes when it opens.
    fn set_connection_option(&mut self, socket: usize, name: &str, wanted: i64) -> Result<Reply> {
        let is_open = matches!(self.sockets[socket].role, Role::Stream(_));
        let options = &mut self.sockets[socket].options;
        let before = *options;
        if !set_option(options, name, wanted) {
            return unsupported(format!("the socket option {name}"));
        }
        if is_open && *options != before {
            return unsupported(format!("{name} on an open connection that is in use"));
        }
        Ok(Reply::Value(0))
    }

    pub(super) fn getsockopt(&mut self, socket: usize, call: &Call) -> Result<Reply> {
        let Some(Expression::Word(name)) = call.arguments.get(2) else {
            return unsupported("getsockopt() of an option without a name");
        };
        if name == "TCP_CONGESTION" {
            let algorithm = self.sockets[socket].settings.profile.congestion_control;
            return Ok(Reply::Filled(Filled::Text(algorithm_name(algorithm))));
        }
        let seen = self.option_value(socket, name)?;
        Ok(Reply::Filled(Filled::Integer(seen)))
    }

    fn option_value(&mut self, index: usize, name: &str) -> Result<i64> {
        let info = match self.sockets[index].role {
            Role::Stream(flow) => Some(self.flows[flow].connection.info()),
            _ => None,
        };
        let socket = &mut self.sockets[index];
        let profile = &socket.settings.profile;
        let options = &socket.options;
        Ok(match name {
            "SO_ERROR" => socket.error.take().map_or(0, |errno| i64::from(errno.0)),
            "SO_TYPE" => symbols::SOCK_STREAM,
            "SO_ACCEPTCONN" => i64::from(socket.role == Role::Listener),
            "SO_KEEPALIVE" => i64::from(options.keep_alive),
            "TCP_NODELAY" => i64::from(options.no_delay || !profile.nagle),
            "TCP_MAXSEG" => i64::from(info.map_or(DEFAULT_MSS, |info| info.mss_bytes)),
            // The kernel doubles what it is given, for its own book-keeping (socket(7)).
            "SO_RCVBUF" => match options.receive_window_bytes {
                Some(bytes) => 2 * i64::from(bytes),
                None => i64::from(profile.receive_window_bytes),
            },
            "SO_SNDBUF" => match options.send_buffer_bytes {
                Some(bytes) => 2 * i64::from(bytes),
                None => i64::from(profile.send_buffer_bytes),
            },
            _ => return unsupported(format!("getsockopt() of {name}")),
        })
    }

    pub(super) fn fcntl(&mut self, socket: usize, call: &Call) -> Result<Reply> {
        let Some(Expression::Word(command)) = call.arguments.get(1) else {
            return unsupported("fcntl() without a command");
        };
        let is_blocking = &mut self.sockets[socket].is_blocking;
        match (command.as_str(), call.arguments.get(2)) {
            ("F_SETFL", Some(flags)) => {
                *is_blocking = value(flags)? & symbols::O_NONBLOCK == 0;
                Ok(Reply::Value(0))
            }
            ("F_GETFL", _) => {
                let flags = if *is_blocking { 0 } else { symbols::O_NONBLOCK };
                Ok(Reply::Value(O_RDWR | flags))
            }
            ("F_SETFD", _) => Ok(Reply::Value(0)),
            _ => unsupported(format!("fcntl() with {command}")),
        }
    }

    pub(super) fn ioctl(&mut self, socket: usize, call: &Call) -> Result<Reply> {
        let Some(Expression::Word(request)) = call.arguments.get(1) else {
            return unsupported("ioctl() without a request");
        };
        let Role::Stream(flow) = self.sockets[socket].role else {
            return Ok(Reply::Error(Errno::INVALID));
        };
        let connection = &self.flows[flow].connection;
        let info = connection.info();
        let seen = match request.as_str() {
            "SIOCINQ" | "FIONREAD" => connection.readable(),
            "SIOCOUTQ" | "TIOCOUTQ" => info.buffered_bytes,
            "SIOCOUTQNSD" => info.buffered_bytes.saturating_sub(info.in_flight_bytes),
            _ => return unsupported(format!("ioctl() with {request}")),
        };
        Ok(Reply::Filled(Filled::Integer(seen as i64)))
    }
}

/// Linux's value for no limit of what is written and not sent: UINT_MAX.
const NO_LOW_WATER: i64 = 0xffff_ffff;
/// What a socket says before it is connected (Linux: TCP_MSS_DEFAULT, RFC 9293 §3.7.1).
const DEFAULT_MSS: u32 = 536;
const O_RDWR: i64 = 2;

/// Sets a value of the profile; false for an option that has none there.
pub(super) fn set_profile_value(profile: &mut Profile, name: &str, wanted: i64) -> bool {
    let wanted = u32::try_from(wanted.max(0)).unwrap_or(u32::MAX);
    let milliseconds = wanted.saturating_mul(1000);
    match name {
        "TCP_SYNCNT" => profile.syn_retries = wanted,
        "TCP_LINGER2" => profile.fin_wait2_ms = milliseconds,
        "TCP_KEEPIDLE" => profile.keep_alive_idle_ms = milliseconds,
        "TCP_KEEPINTVL" => profile.keep_alive_interval_ms = milliseconds,
        "TCP_KEEPCNT" => profile.keep_alive_probes = wanted,
        "TCP_QUICKACK" if wanted == 0 => profile.quick_acks = 0,
        "TCP_QUICKACK" => profile.quick_acks = profile.quick_acks.max(QUICK_ACKS),
        _ => return false,
    }
    true
}

/// Linux: TCP_MAX_QUICKACKS.
const QUICK_ACKS: u32 = 16;

/// Sets what a connection takes; false for an option it does not have.
pub(super) fn set_option(options: &mut ConnectionOptions, name: &str, wanted: i64) -> bool {
    let bytes = || u32::try_from(wanted.max(0)).ok();
    match name {
        "TCP_NODELAY" => options.no_delay = wanted != 0,
        "SO_KEEPALIVE" => options.keep_alive = wanted != 0,
        "TCP_MAXSEG" => options.mss_limit_bytes = bytes(),
        "SO_RCVBUF" | "SO_RCVBUFFORCE" => options.receive_window_bytes = bytes(),
        "SO_SNDBUF" | "SO_SNDBUFFORCE" => options.send_buffer_bytes = bytes(),
        _ => return false,
    }
    true
}

pub(super) fn congestion_algorithm(name: &str) -> Option<CongestionAlgorithm> {
    serde_json::from_value(serde_json::Value::String(name.to_owned())).ok()
}

fn algorithm_name(algorithm: CongestionAlgorithm) -> String {
    let name = serde_json::to_value(algorithm).unwrap_or_default();
    name.as_str().unwrap_or_default().to_owned()
}
