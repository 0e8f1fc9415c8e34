//! Socket options, fcntl and ioctl.

use tcp::{CongestionAlgorithm, Profile, SocketOption};
use units::Duration;

use super::call::{Result, argument, unsupported};
use super::stamps::StampRequest;
use super::{Host, HostSocket, SocketRole};
use crate::ast::{Call, Expression};
use crate::machine::{CallReply, CallTrouble, FilledArgument};
use crate::settings;
use crate::symbols::{self, Errno};
use crate::value::{is_null, text_bytes, value};

/// Options that change nothing on this wire by themselves, and why.
pub(super) const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("SO_REUSEADDR", "no ports"),
    ("SO_REUSEPORT", "no ports"),
    ("SO_BINDTODEVICE", "one interface"),
    ("SO_BROADCAST", "not for TCP"),
    ("SO_DEBUG", "inside the kernel"),
    ("SO_PRIORITY", "no queue that goes by it"),
    ("SO_MARK", "no routing"),
    ("SO_BUSY_POLL", "no interface"),
    ("SO_INCOMING_CPU", "no processors"),
    ("SO_DONTROUTE", "no routing"),
    ("SO_NO_CHECK", "no checksums"),
    ("SO_OOBINLINE", "no urgent data"),
    ("SO_TXREHASH", "no flow labels"),
    ("IP_BIND_ADDRESS_NO_PORT", "no ports"),
    ("IP_FREEBIND", "no addresses"),
    (
        "IP_MTU_DISCOVER",
        "looked at when ICMP tells of a smaller path",
    ),
    ("IP_RECVERR", "looked at when ICMP tells of an error"),
    ("IP_RECVTOS", "no IP header"),
    ("IP_TOS", "no IP header"),
    ("IP_TRANSPARENT", "no addresses"),
    ("IP_TTL", "no IP header"),
    ("IPV6_RECVERR", "ICMP is of IPv4 here"),
    ("IPV6_TCLASS", "no IP header"),
    ("IPV6_UNICAST_HOPS", "no IP header"),
    ("IPV6_V6ONLY", "no addresses"),
    ("TCP_SAVE_SYN", "nothing on the wire"),
    ("TCP_THIN_DUPACK", "without meaning since Linux 4.12"),
];

/// Options of which only the value 0, which turns something off, is as things are.
pub(super) const ONLY_OFF: &[(&str, &str)] = &[
    ("SO_TIMESTAMP", "control messages"),
    ("SO_TIMESTAMPNS", "control messages"),
    ("TCP_REPAIR", "repair of connections"),
    (
        "TCP_THIN_LINEAR_TIMEOUTS",
        "linear timeouts for thin streams",
    ),
    ("TCP_TX_DELAY", "delays inside the kernel"),
];

/// The level that a name's beginning stands for (setsockopt(2)).
const LEVELS: &[(&str, &str)] = &[
    ("SO_", "SOL_SOCKET"),
    ("TCP_", "SOL_TCP"),
    ("IP_", "SOL_IP"),
    ("IPV6_", "SOL_IPV6"),
];

/// An option of another level is another option, which has no name here.
fn check_level(level: &Expression, name: &str) -> Result<()> {
    let own = LEVELS.iter().find(|level| name.starts_with(level.0));
    let Some((_, own)) = own else {
        return Ok(());
    };
    match symbols::value(own) == Some(value(level)?) {
        true => Ok(()),
        false => unsupported(format!(
            "the socket option {name} of another level than {own}"
        )),
    }
}

/// Returns what the option `name` is set to; one that takes no number is named in the refusal.
fn number(name: &str, setting: &Expression) -> Result<i64> {
    value(setting).map_err(|trouble| match trouble {
        CallTrouble::Unsupported(reason) => {
            CallTrouble::Unsupported(format!("the socket option {name}: {reason}"))
        }
        other => other,
    })
}

impl Host {
    pub(super) fn setsockopt(&mut self, index: usize, call: &Call) -> Result<CallReply> {
        let (Some(Expression::Word(name)), Some(setting)) =
            (call.arguments.get(2), call.arguments.get(3))
        else {
            return unsupported("setsockopt() of an option without a name");
        };
        check_level(argument(call, 1)?, name)?;
        if is_null(setting) {
            return Ok(CallReply::Error(Errno::FAULT));
        }
        match name.as_str() {
            "SO_LINGER" => return self.set_linger(index, setting),
            "TCP_CONGESTION" => return self.set_congestion(index, setting),
            "TCP_FASTOPEN_KEY" => {
                let length = argument(call, 4).and_then(value)?;
                return self.set_key(index, setting, length);
            }
            _ => {}
        }
        if let Some((_, what)) = ONLY_OFF.iter().find(|known| known.0 == name) {
            let wanted = number(name, setting)?;
            if wanted != 0 {
                return unsupported(format!("{what}: {name} {wanted}"));
            }
        } else if !WITHOUT_EFFECT.iter().any(|known| known.0 == name) {
            let wanted = number(name, setting)?;
            if call.arguments.get(4).is_some_and(is_short) {
                return Ok(CallReply::Error(Errno::INVALID));
            }
            if name.starts_with("TCP_FASTOPEN") {
                let refused = self.set_fast_open(index, name, wanted);
                return Ok(refused.map_or(CallReply::Value(0), CallReply::Error));
            }
            if name == "SO_TIMESTAMPING" {
                match self.ask_for_stamps(index, wanted) {
                    StampRequest::Taken => {}
                    StampRequest::Invalid => return Ok(CallReply::Error(Errno::INVALID)),
                    StampRequest::NotThere(what) => return unsupported(what),
                }
            }
            if let Some(errno) = out_of_range(name, wanted) {
                return Ok(CallReply::Error(errno));
            }
            self.set_number(index, name, wanted)?;
        }
        if let Ok(wanted) = value(setting) {
            let socket = &mut self.sockets[index];
            socket.set.insert(name.clone(), wanted);
        }
        Ok(CallReply::Value(0))
    }

    /// An option with a number, for the socket and for its connection if there is one.
    fn set_number(&mut self, index: usize, name: &str, wanted: i64) -> Result<()> {
        let socket = &mut self.sockets[index];
        let bytes = u32::try_from(wanted.max(0)).unwrap_or(u32::MAX);
        let milliseconds = bytes.saturating_mul(1000);
        let profile = &mut socket.settings.profile;
        let live = match name {
            "TCP_NODELAY" => {
                socket.options.no_delay = wanted != 0;
                Some(SocketOption::NoDelay(wanted != 0))
            }
            "TCP_CORK" => Some(SocketOption::Cork(wanted != 0)),
            "TCP_QUICKACK" => {
                if let Some(kernel) = profile.family.linux_kernel() {
                    kernel.quick_acks = match wanted {
                        0 => 0,
                        _ => kernel.quick_acks.max(QUICK_ACKS),
                    };
                }
                Some(SocketOption::QuickAck(wanted != 0))
            }
            "SO_SNDBUF" | "SO_SNDBUFFORCE" => {
                socket.options.send_buffer_bytes = Some(bytes);
                Some(SocketOption::SendBuffer(bytes))
            }
            "SO_RCVBUF" | "SO_RCVBUFFORCE" => {
                socket.options.receive_window_bytes = Some(bytes);
                Some(SocketOption::ReceiveBuffer(socket.receive_buffer()))
            }
            "TCP_WINDOW_CLAMP" => {
                socket.window_clamp = Some(bytes).filter(|clamp| *clamp > 0);
                Some(SocketOption::ReceiveBuffer(socket.receive_buffer()))
            }
            "SO_KEEPALIVE" => {
                socket.options.keep_alive = wanted != 0;
                Some(socket.keep_alive())
            }
            "TCP_KEEPIDLE" => {
                profile.keep_alive_idle_ms = milliseconds;
                Some(socket.keep_alive())
            }
            "TCP_KEEPINTVL" => {
                profile.keep_alive_interval_ms = milliseconds;
                Some(socket.keep_alive())
            }
            "TCP_KEEPCNT" => {
                profile.keep_alive_probes = bytes;
                Some(socket.keep_alive())
            }
            "TCP_USER_TIMEOUT" => Some(SocketOption::UserTimeout(
                (bytes > 0).then(|| Duration::from_millis(u64::from(bytes))),
            )),
            "TCP_LINGER2" => {
                // tcp_set: 0 stands for the sysctl's value, a negative one for none at all.
                if wanted > 0 {
                    profile.fin_wait2_ms = milliseconds;
                }
                let limit = Duration::from_millis(u64::from(profile.fin_wait2_ms));
                Some(SocketOption::FinWait2(Some(limit)))
            }
            "TCP_SYNCNT" => {
                // tcp_write_timeout counts those at a constant distance on top.
                profile.syn_retries = bytes.saturating_add(profile.syn_linear_timeouts);
                Some(SocketOption::SynRetries(profile.syn_retries))
            }
            "TCP_RTO_MAX_MS" => return self.before_opening(index, name, |p| p.rto_max_ms = bytes),
            "TCP_RTO_MIN_US" => {
                return self.before_opening(index, name, |p| p.rto_min_ms = bytes.div_ceil(1000));
            }
            "TCP_DELACK_MAX_US" => {
                return self.before_opening(index, name, |p| {
                    p.delayed_ack_ms = bytes.div_ceil(1000);
                });
            }
            "TCP_MAXSEG" => {
                socket.options.mss_limit_bytes = Some(bytes).filter(|mss| *mss > 0);
                None
            }
            "TCP_INQ" | "SO_TIMESTAMPING" => None, // looked at when messages are read
            "SO_ZEROCOPY" => None,                 // looked at when something is written
            "TCP_DEFER_ACCEPT" => None,            // its listener's connections look for it
            "SO_RCVLOWAT" => {
                socket.receive_low_water = u64::from(bytes.max(1));
                None
            }
            "TCP_NOTSENT_LOWAT" => {
                // tcp_notsent_lowat: 0 stands for the sysctl's.
                socket.unsent_low_water = match wanted {
                    0 => self.settings.unsent_low_water,
                    own => settings::low_water(own),
                };
                Some(SocketOption::UnsentLowWater(socket.unsent_low_water))
            }
            "SO_MAX_PACING_RATE" => {
                socket.max_pacing_rate = max_pacing_rate(wanted);
                Some(SocketOption::MaxPacingRate(socket.max_pacing_rate))
            }
            _ => return unsupported(format!("the socket option {name}")),
        };
        let now = self.now;
        if let (SocketRole::Stream(flow), Some(option)) = (self.sockets[index].role, live) {
            self.flows[flow].connection.set_option(now, option);
        }
        Ok(())
    }

    /// Bytes are counted from SND.UNA, which before the handshake is over is the SYN.
    fn ask_for_stamps(&mut self, index: usize, wanted: i64) -> StampRequest {
        let from = match self.sockets[index].role {
            SocketRole::Stream(flow) => {
                let flow = &self.flows[flow];
                let acknowledged = flow.connection.counters().bytes_acknowledged as i64;
                let syn = i64::from(!flow.is_established);
                Some((acknowledged - syn, flow.stamps.written))
            }
            _ => None,
        };
        self.sockets[index].stamping.ask(wanted, from)
    }

    /// Returns what a connection takes when it opens.
    fn before_opening(
        &mut self,
        index: usize,
        name: &str,
        set: impl FnOnce(&mut Profile),
    ) -> Result<()> {
        if matches!(self.sockets[index].role, SocketRole::Stream(_)) {
            return unsupported(format!("{name} on an open connection"));
        }
        set(&mut self.sockets[index].settings.profile);
        Ok(())
    }

    /// `{onoff=1, linger=0}`: close by reset; with a time, close waits so long at the most.
    fn set_linger(&mut self, socket: usize, setting: &Expression) -> Result<CallReply> {
        let setting = setting.first();
        let (Some(on), Some(seconds)) = (setting.field("onoff"), setting.field("linger")) else {
            return unsupported("SO_LINGER without {onoff=.., linger=..}");
        };
        let (on, seconds) = (value(on)?, value(seconds)?);
        self.sockets[socket].linger = (on != 0).then(|| seconds.clamp(0, i64::from(u32::MAX)));
        Ok(CallReply::Value(0))
    }

    /// TCP_FASTOPEN_KEY, a string of bytes.
    fn set_key(&mut self, index: usize, setting: &Expression, length: i64) -> Result<CallReply> {
        let Expression::Text(written) = setting.first() else {
            return unsupported("TCP_FASTOPEN_KEY without a string of bytes");
        };
        let mut bytes = text_bytes(written);
        bytes.resize(usize::try_from(length.clamp(0, 64)).unwrap_or(0), 0);
        Ok(self.set_fast_open_key(index, &bytes))
    }

    fn set_congestion(&mut self, index: usize, setting: &Expression) -> Result<CallReply> {
        let Expression::Text(name) = setting.first() else {
            return unsupported("TCP_CONGESTION without a name");
        };
        let Some(algorithm) = congestion_algorithm(name) else {
            return unsupported(format!("congestion control {name:?}"));
        };
        let profile = &mut self.sockets[index].settings.profile;
        if profile.congestion_control == algorithm {
            return Ok(CallReply::Value(0));
        }
        profile.congestion_control = algorithm;
        if let SocketRole::Stream(flow) = self.sockets[index].role {
            let option = SocketOption::CongestionControl(algorithm);
            if !self.flows[flow].connection.set_option(self.now, option) {
                return unsupported("another congestion control after a loss");
            }
        }
        Ok(CallReply::Value(0))
    }

    pub(super) fn fcntl(&mut self, socket: usize, call: &Call) -> Result<CallReply> {
        let Some(Expression::Word(command)) = call.arguments.get(1) else {
            return unsupported("fcntl() without a command");
        };
        let is_blocking = &mut self.sockets[socket].is_blocking;
        match (command.as_str(), call.arguments.get(2)) {
            ("F_SETFL", Some(flags)) => {
                *is_blocking = value(flags)? & symbols::O_NONBLOCK == 0;
                Ok(CallReply::Value(0))
            }
            ("F_GETFL", _) => {
                let flags = if *is_blocking { 0 } else { symbols::O_NONBLOCK };
                Ok(CallReply::Value(O_RDWR | flags))
            }
            ("F_SETFD" | "F_GETFD", _) => Ok(CallReply::Value(0)),
            _ => unsupported(format!("fcntl() with {command}")),
        }
    }

    pub(super) fn ioctl(&mut self, socket: usize, call: &Call) -> Result<CallReply> {
        let Some(Expression::Word(request)) = call.arguments.get(1) else {
            return unsupported("ioctl() without a request");
        };
        let SocketRole::Stream(flow) = self.sockets[socket].role else {
            return Ok(CallReply::Error(Errno::INVALID));
        };
        let flow = &self.flows[flow];
        let info = flow.connection.info();
        let seen = match request.as_str() {
            // tcp_ioctl counts a FIN that is next to be read as a byte less than nothing.
            "SIOCINQ" | "FIONREAD" => flow.connection.readable(),
            // It counts sequence numbers, the FIN's among them.
            "SIOCOUTQ" | "TIOCOUTQ" => info.buffered_bytes.max(info.in_flight_bytes),
            "SIOCOUTQNSD" => info.buffered_bytes.saturating_sub(info.in_flight_bytes),
            _ => return unsupported(format!("ioctl() with {request}")),
        };
        Ok(CallReply::Filled(FilledArgument::Integer(seen as i64)))
    }
}

impl HostSocket {
    /// The receive buffer in bytes of data: no more than the clamp.
    fn receive_buffer(&self) -> u32 {
        let buffer = self.options.receive_window_bytes;
        let buffer = buffer.unwrap_or(self.settings.profile.receive_window_bytes);
        buffer.min(self.window_clamp.unwrap_or(u32::MAX))
    }

    fn keep_alive(&self) -> SocketOption {
        let profile = &self.settings.profile;
        let ms = |value: u32| Duration::from_millis(u64::from(value.max(1)));
        SocketOption::KeepAlive(self.options.keep_alive.then(|| {
            (
                ms(profile.keep_alive_idle_ms),
                ms(profile.keep_alive_interval_ms),
                profile.keep_alive_probes,
            )
        }))
    }

    /// Returns what a connection of this socket does not take when it opens, but can be told at
    /// once.
    pub(super) fn told_at_once(&self) -> Vec<SocketOption> {
        let of = |name: &str| self.set.get(name).copied().filter(|set| *set != 0);
        let timeout = of("TCP_USER_TIMEOUT")
            .map(|ms| SocketOption::UserTimeout(Some(Duration::from_millis(ms.unsigned_abs()))));
        let cork = of("TCP_CORK").map(|_| SocketOption::Cork(true));
        let clamp = self
            .window_clamp
            .map(|_| SocketOption::ReceiveBuffer(self.receive_buffer()));
        let low_water = self
            .unsent_low_water
            .map(|bytes| SocketOption::UnsentLowWater(Some(bytes)));
        let pace = self
            .max_pacing_rate
            .map(|rate| SocketOption::MaxPacingRate(Some(rate)));
        [timeout, cork, clamp, low_water, pace]
            .into_iter()
            .flatten()
            .collect()
    }
}

/// SO_MAX_PACING_RATE in bytes per second, of which the largest number stands for any (sk_setsockopt).
fn max_pacing_rate(wanted: i64) -> Option<u64> {
    u32::try_from(wanted as u64 & NO_RATE_LIMIT)
        .ok()
        .filter(|rate| *rate != u32::MAX)
        .map(u64::from)
}

/// ~0U
const NO_RATE_LIMIT: u64 = 0xffff_ffff;

/// Returns whether an option's length has no room for its number (tcp_setsockopt).
fn is_short(length: &Expression) -> bool {
    value(length).is_ok_and(|length| length < 4)
}

/// Returns what tcp_setsockopt refuses.
fn out_of_range(name: &str, wanted: i64) -> Option<Errno> {
    let allowed = match name {
        "TCP_MAXSEG" => wanted == 0 || (MIN_MSS..=MAX_WINDOW).contains(&wanted),
        "TCP_KEEPIDLE" | "TCP_KEEPINTVL" => (1..=32_767).contains(&wanted),
        "TCP_KEEPCNT" | "TCP_SYNCNT" => (1..=127).contains(&wanted),
        "TCP_USER_TIMEOUT" => wanted >= 0,
        "TCP_INQ" | "SO_ZEROCOPY" => matches!(wanted, 0 | 1),
        _ => true,
    };
    (!allowed).then_some(Errno::INVALID)
}

/// Linux: TCP_MIN_MSS and MAX_TCP_WINDOW.
const MIN_MSS: i64 = 88;
const MAX_WINDOW: i64 = 32_767;
const O_RDWR: i64 = 2;
/// Linux: TCP_MAX_QUICKACKS.
const QUICK_ACKS: u32 = 16;

fn congestion_algorithm(name: &str) -> Option<CongestionAlgorithm> {
    serde_json::from_value(serde_json::Value::String(name.to_owned())).ok()
}
