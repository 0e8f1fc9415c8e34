//! The names of Linux's `struct tcp_info`, and what the connection has for each.

use tcp::{Connection, RecoveryPhase, State};
use units::Duration;

use crate::code::Value;

/// Linux's TCP_INFINITE_SSTHRESH: no loss so far.
const INFINITE_SSTHRESH: i64 = 0x7fff_ffff;

/// The value of a `tcpi_` name or of a constant that goes with one.
pub(crate) fn lookup(name: &str, connection: Option<&Connection>) -> Option<Value> {
    let constant = CONSTANTS.iter().find(|entry| entry.0 == name);
    if let Some((_, value)) = constant {
        return Some(Value::Integer(*value));
    }
    field(name.strip_prefix("tcpi_")?, connection?).map(Value::Integer)
}

/// net/tcp_states.h and enum tcp_ca_state of linux/tcp.h.
const CONSTANTS: &[(&str, i64)] = &[
    ("TCP_ESTABLISHED", 1),
    ("TCP_SYN_SENT", 2),
    ("TCP_SYN_RECV", 3),
    ("TCP_FIN_WAIT1", 4),
    ("TCP_FIN_WAIT2", 5),
    ("TCP_TIME_WAIT", 6),
    ("TCP_CLOSE", 7),
    ("TCP_CLOSE_WAIT", 8),
    ("TCP_LAST_ACK", 9),
    ("TCP_LISTEN", 10),
    ("TCP_CLOSING", 11),
    ("TCP_CA_Open", 0),
    ("TCP_CA_Disorder", 1),
    ("TCP_CA_CWR", 2),
    ("TCP_CA_Recovery", 3),
    ("TCP_CA_Loss", 4),
    ("TCP_INFINITE_SSTHRESH", INFINITE_SSTHRESH),
];

fn field(name: &str, connection: &Connection) -> Option<i64> {
    let info = connection.info();
    let counters = connection.counters();
    let mss = u64::from(info.mss_bytes.max(1));
    let micros = |span: Duration| span.as_micros() as i64;
    let value = match name {
        "state" => return Some(state(info.state)),
        "ca_state" => match info.recovery {
            RecoveryPhase::Fast => 3,
            RecoveryPhase::Timeout => 4,
            RecoveryPhase::Open if info.duplicate_acks > 0 => 1,
            RecoveryPhase::Open => 0,
        },
        "retransmits" | "backoff" => u64::from(info.retries),
        "options" => u64::from(info.timestamps) | u64::from(info.sack) << 1,
        "rto" => return Some(micros(info.rto)),
        "snd_mss" => mss,
        "unacked" => info.in_flight_bytes.div_ceil(mss),
        "rtt" => return Some(info.srtt.map_or(0, micros)),
        "rttvar" => return Some(micros(info.rttvar)),
        "snd_ssthresh" if info.ssthresh_bytes == u64::MAX => return Some(INFINITE_SSTHRESH),
        "snd_ssthresh" => info.ssthresh_bytes / mss,
        "snd_cwnd" => info.cwnd_bytes / mss,
        "total_retrans" => {
            counters.fast_retransmissions
                + counters.timeout_retransmissions
                + counters.syn_retransmissions
        }
        "bytes_acked" => counters.bytes_acknowledged,
        "bytes_received" => counters.bytes_received,
        "segs_out" => counters.segments_sent,
        "segs_in" => counters.segments_received,
        "notsent_bytes" => info.buffered_bytes.saturating_sub(info.in_flight_bytes),
        "data_segs_out" => counters.data_segments_sent,
        "bytes_sent" => counters.bytes_sent,
        "bytes_retrans" => counters.bytes_retransmitted,
        "rcv_ooopack" => counters.out_of_order_received,
        "snd_wnd" => info.send_window_bytes,
        _ => return None,
    };
    i64::try_from(value).ok()
}

fn state(state: State) -> i64 {
    match state {
        State::Established => 1,
        State::SynSent => 2,
        State::SynReceived => 3,
        State::FinWait1 => 4,
        State::FinWait2 => 5,
        State::TimeWait => 6,
        State::Closed => 7,
        State::CloseWait => 8,
        State::LastAck => 9,
        State::Listen => 10,
        State::Closing => 11,
    }
}
