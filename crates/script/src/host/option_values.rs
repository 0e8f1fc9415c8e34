//! Values that getsockopt returns.

use tcp::{CongestionAlgorithm, Nagle};

use super::call::{Result, unsupported};
use super::deferred::seconds_kept;
use super::options::{ONLY_OFF, WITHOUT_EFFECT};
use super::{Host, MTU, SocketRole};
use crate::ast::{Call, Expression};
use crate::machine::{CallReply, FilledArgument};
use crate::symbols::{self, Errno};

/// Value of a socket before it is connected, where nobody has asked for another (Linux:
/// TCP_MSS_DEFAULT, RFC 9293 §3.7.1).
const DEFAULT_MSS: u32 = 536;

/// Values of options that nobody has set, where it is not 0 or they stand in no list of
/// [`options`](super::options).
const DEFAULTS: &[(&str, i64)] = &[
    ("IP_MTU_DISCOVER", 1), // IP_PMTUDISC_WANT (ip(7))
    ("IP_TTL", 64),         // ip-sysctl, ip_default_ttl
    ("SO_MAX_PACING_RATE", -1),
    ("SO_TIMESTAMPING", 0),
    ("SO_TXREHASH", 1),
    ("SO_ZEROCOPY", 0),
    ("TCP_CORK", 0),
    ("TCP_INQ", 0),
    ("TCP_NOTSENT_LOWAT", 0),
    ("TCP_USER_TIMEOUT", 0),
    ("TCP_WINDOW_CLAMP", 0),
];

/// SOCK_MIN_SNDBUF: what two packets of 2 KiB take.
const SEND_BUFFER_MIN: i64 = 4608;

impl Host {
    pub(super) fn getsockopt(&mut self, socket: usize, call: &Call) -> Result<CallReply> {
        let Some(Expression::Word(name)) = call.arguments.get(2) else {
            return unsupported("getsockopt() of an option without a name");
        };
        let filled = match name.as_str() {
            "TCP_CONGESTION" => {
                let algorithm = self.sockets[socket].settings.profile.congestion_control;
                FilledArgument::Text(algorithm_name(algorithm))
            }
            "SO_LINGER" => {
                let linger = self.sockets[socket].linger;
                FilledArgument::Linger(i64::from(linger.is_some()), linger.unwrap_or(0))
            }
            "IP_MTU" if !matches!(self.sockets[socket].role, SocketRole::Stream(_)) => {
                return Ok(CallReply::Error(Errno::NOT_CONNECTED));
            }
            "TCP_INFO" | "TCP_CC_INFO" => FilledArgument::Opaque,
            _ => FilledArgument::Integer(self.option_value(socket, name)?),
        };
        Ok(CallReply::Filled(filled))
    }

    fn option_value(&mut self, index: usize, name: &str) -> Result<i64> {
        let (info, soft_error) = match self.sockets[index].role {
            SocketRole::Stream(flow) if name == "SO_ERROR" => (None, self.flows[flow].soft_error),
            SocketRole::Stream(flow) => (Some(self.flows[flow].connection.info()), None),
            _ => (None, None),
        };
        let socket = &mut self.sockets[index];
        let profile = &socket.settings.profile;
        let options = &socket.options;
        let set = socket.set.get(name).copied();
        Ok(match name {
            "SO_ERROR" => {
                let errno = socket.error.take();
                if let (None, SocketRole::Stream(flow)) = (errno, socket.role) {
                    self.flows[flow].soft_error = None;
                }
                errno.or(soft_error).map_or(0, |errno| i64::from(errno.0))
            }
            "SO_TYPE" => symbols::SOCK_STREAM,
            "SO_DOMAIN" => symbols::value("AF_INET").unwrap_or(0),
            "SO_PROTOCOL" => symbols::value("IPPROTO_TCP").unwrap_or(0),
            "SO_ACCEPTCONN" => i64::from(socket.role == SocketRole::Listener),
            "SO_KEEPALIVE" => i64::from(options.keep_alive),
            "TCP_NODELAY" => i64::from(options.no_delay || profile.nagle == Nagle::Off),
            "TCP_MAXSEG" => match socket.role {
                SocketRole::Stream(flow) => {
                    i64::from(self.flows[flow].connection.tcp_info().tcpi_snd_mss)
                }
                _ => i64::from(options.mss_limit_bytes.unwrap_or(DEFAULT_MSS)),
            },
            // The kernel doubles what it is given, for its own book-keeping (socket(7)).
            "SO_RCVBUF" => match options.receive_window_bytes {
                Some(bytes) => 2 * i64::from(bytes),
                None => i64::from(socket.settings.receive_buffer_bytes),
            },
            "SO_SNDBUF" => match (options.send_buffer_bytes, info) {
                (Some(bytes), _) => (2 * i64::from(bytes)).max(SEND_BUFFER_MIN),
                (None, Some(info)) => {
                    let expanded = send_buffer_for(info.mss_bytes);
                    i64::from(expanded.max(socket.settings.send_buffer_bytes))
                }
                (None, None) => i64::from(socket.settings.send_buffer_bytes),
            },
            "SO_RCVLOWAT" => socket.receive_low_water as i64,
            "SO_SNDLOWAT" => 1,
            "TCP_KEEPIDLE" => i64::from(profile.keep_alive_idle_ms / 1000),
            "TCP_KEEPINTVL" => i64::from(profile.keep_alive_interval_ms / 1000),
            "TCP_KEEPCNT" => i64::from(profile.keep_alive_probes),
            "TCP_LINGER2" => i64::from(profile.fin_wait2_ms / 1000),
            "TCP_SYNCNT" => {
                let doubling = profile
                    .syn_retries
                    .saturating_sub(profile.syn_linear_timeouts);
                i64::from(doubling)
            }
            "TCP_FASTOPEN" => socket.fast_open.queue,
            "TCP_FASTOPEN_CONNECT" => i64::from(socket.fast_open.connects_late),
            "TCP_FASTOPEN_NO_COOKIE" => i64::from(socket.fast_open.without_cookie),
            "TCP_DEFER_ACCEPT" => seconds_kept(set.unwrap_or(0)),
            "TCP_RTO_MAX_MS" => i64::from(profile.rto_max_ms),
            "TCP_RTO_MIN_US" => 1000 * i64::from(profile.rto_min_ms),
            "TCP_DELACK_MAX_US" => 1000 * i64::from(profile.delayed_ack_ms),
            "IP_MTU" => i64::from(socket.settings.mtu.unwrap_or(MTU)),
            // tcp_select_initial_window has bounded it by the buffer.
            "TCP_WINDOW_CLAMP" if set.is_none() && info.is_some() => {
                return unsupported("getsockopt() of TCP_WINDOW_CLAMP that was not set");
            }
            _ => {
                let default = || DEFAULTS.iter().find(|known| known.0 == name).map(|d| d.1);
                let is_off = |list: &[(&str, &str)]| list.iter().any(|known| known.0 == name);
                match set.or_else(default) {
                    Some(value) => value,
                    None if is_off(WITHOUT_EFFECT) || is_off(ONLY_OFF) => 0,
                    None => return unsupported(format!("getsockopt() of {name}")),
                }
            }
        })
    }
}

/// Returns what a connection makes of the send buffer when it opens, for segments of so many bytes
/// (tcp_sndbuf_expand): two initial windows of ten, each segment with the kernel's own headers
/// and structures: MAX_TCP_HEADER and skb_shared_info, 320 each, and sk_buff, 256.
fn send_buffer_for(mss: u32) -> u32 {
    2 * 10 * ((mss + 320 + 320).next_power_of_two() + 256)
}

fn algorithm_name(algorithm: CongestionAlgorithm) -> String {
    let name = serde_json::to_value(algorithm).unwrap_or_default();
    name.as_str().unwrap_or_default().to_owned()
}
