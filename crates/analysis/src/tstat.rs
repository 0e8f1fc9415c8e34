//! The log of Tstat 3, `log_tcp_complete`: one line for each connection whose
//! handshake was captured, under Tstat's column names.
//!
//! The sets are Core, End-to-End and Options, in Tstat's order; the sets for
//! peer-to-peer programs, layer 7 and Advanced are left out. The header names each
//! column with its number, as Tstat's does, so readers that follow it find theirs.
//! What is not known is 0, as in Tstat's own. Tail loss probes and RACK, which Tstat
//! does not know, stand in `pkts_unk` and `pkts_fs`.

use std::fmt::Write;

use super::cause::Cause;
use super::summary::{DirectionSummary, Summary};

/// A value of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum TstatValue {
    /// An address.
    Text(String),
    /// A count.
    Count(u64),
    /// Milliseconds.
    Milliseconds(f64),
}

type TstatColumn = (&'static str, fn(&Summary, &DirectionSummary) -> TstatValue);
type SharedColumn = (&'static str, fn(&Summary) -> TstatValue);

fn count(value: impl Into<u64>) -> TstatValue {
    TstatValue::Count(value.into())
}

fn after_start(summary: &Summary, at_ns: u64) -> TstatValue {
    TstatValue::Milliseconds(at_ns.saturating_sub(summary.first_ns) as f64 / 1e6)
}

fn round_trip(
    direction: &DirectionSummary,
    of: fn(&super::CapturedRoundTrips) -> f64,
) -> TstatValue {
    TstatValue::Milliseconds(direction.rtt.as_ref().map_or(0.0, of))
}

fn is_private(direction: &DirectionSummary) -> TstatValue {
    let is_private = match direction.address {
        std::net::IpAddr::V4(address) => address.is_private(),
        std::net::IpAddr::V6(address) => address.is_unique_local(),
    };
    count(is_private)
}

/// Columns that stand once for the client and once for the server.
const CORE: &[TstatColumn] = &[
    ("ip", |_, d| TstatValue::Text(d.address.to_string())),
    ("port", |_, d| count(d.port)),
    ("pkts_all", |_, d| count(d.counters.packets)),
    ("rst_cnt", |_, d| count(d.counters.resets)),
    ("ack_cnt", |_, d| count(d.counters.acks)),
    ("ack_cnt_p", |_, d| count(d.counters.acks_pure)),
    ("bytes_uniq", |_, d| count(d.counters.bytes_unique)),
    ("pkts_data", |_, d| count(d.counters.packets_data)),
    ("bytes_all", |_, d| count(d.counters.bytes)),
    ("pkts_retx", |_, d| count(d.counters.packets_retransmitted)),
    ("bytes_retx", |_, d| count(d.counters.bytes_retransmitted)),
    ("pkts_ooo", |_, d| count(d.counters.packets_out_of_order)),
    ("syn_cnt", |_, d| count(d.counters.syns)),
    ("fin_cnt", |_, d| count(d.counters.fins)),
];

/// Columns of the connection and pairs of columns that alternate between the ends.
const TIMES: &[SharedColumn] = &[
    ("first", |s| {
        TstatValue::Milliseconds(s.first_ns as f64 / 1e6)
    }),
    ("last", |s| TstatValue::Milliseconds(s.last_ns as f64 / 1e6)),
    ("durat", |s| after_start(s, s.last_ns)),
    ("c_first", |s| {
        after_start(s, s.client.counters.first_data_ns)
    }),
    ("s_first", |s| {
        after_start(s, s.server.counters.first_data_ns)
    }),
    ("c_last", |s| after_start(s, s.client.last_data_ns)),
    ("s_last", |s| after_start(s, s.server.last_data_ns)),
    ("c_first_ack", |s| {
        after_start(s, s.client.counters.first_ack_ns)
    }),
    ("s_first_ack", |s| {
        after_start(s, s.server.counters.first_ack_ns)
    }),
    ("c_isint", |s| is_private(&s.client)),
    ("s_isint", |s| is_private(&s.server)),
    // Encryption of addresses and protocols of applications are not looked for.
    ("c_iscrypto", |_| count(0_u64)),
    ("s_iscrypto", |_| count(0_u64)),
    ("con_t", |_| count(0_u64)),
    ("p2p_t", |_| count(0_u64)),
    ("http_t", |_| count(0_u64)),
];

const END_TO_END: &[TstatColumn] = &[
    ("rtt_avg", |_, d| round_trip(d, |rtt| rtt.mean_ms)),
    ("rtt_min", |_, d| round_trip(d, |rtt| rtt.min_ms)),
    ("rtt_max", |_, d| round_trip(d, |rtt| rtt.max_ms)),
    ("rtt_std", |_, d| round_trip(d, |rtt| rtt.deviation_ms)),
    ("rtt_cnt", |_, d| count(d.rtt.map_or(0, |rtt| rtt.count))),
    ("ttl_min", |_, d| count(d.counters.ttl_min)),
    ("ttl_max", |_, d| count(d.counters.ttl_max)),
];

const OPTIONS: &[TstatColumn] = &[
    ("f1323_opt", |_, d| {
        count(d.window_scale.is_some() || d.timestamps == Some(true))
    }),
    ("tm_opt", |_, d| count(d.timestamps == Some(true))),
    ("win_scl", |_, d| count(d.window_scale.unwrap_or(0))),
    ("sack_opt", |_, d| count(d.sack_permitted == Some(true))),
    ("sack_cnt", |s, d| count(other(s, d).counters.sacks)),
    ("mss", |_, d| count(d.mss_option.unwrap_or(0))),
    ("mss_max", |_, d| count(d.counters.mss_max)),
    ("mss_min", |_, d| count(d.counters.mss_min)),
    ("win_max", |_, d| count(d.counters.window_max.unwrap_or(0))),
    ("win_min", |_, d| count(d.counters.window_min.unwrap_or(0))),
    ("win_0", |_, d| count(d.counters.window_zero)),
    ("cwin_max", |_, d| count(d.counters.flight_max.unwrap_or(0))),
    ("cwin_min", |_, d| count(d.counters.flight_min.unwrap_or(0))),
    ("cwin_ini", |_, d| {
        count(d.counters.flight_initial.unwrap_or(0))
    }),
    ("pkts_rto", |_, d| count(d.counters.cause(Cause::Timeout))),
    ("pkts_fs", |_, d| {
        count(d.counters.cause(Cause::Fast) + d.counters.cause(Cause::Rack))
    }),
    ("pkts_reor", |_, d| {
        count(d.counters.cause(Cause::Reordering))
    }),
    ("pkts_dup", |_, d| {
        count(d.counters.cause(Cause::NetworkDuplicate))
    }),
    ("pkts_unk", |_, d| {
        let causes = [
            Cause::Unknown,
            Cause::Needless,
            Cause::TailProbe,
            Cause::NeedlessProbe,
        ];
        let counts = causes.iter().map(|&cause| d.counters.cause(cause));
        count(counts.sum::<u64>())
    }),
    ("pkts_fc", |_, d| {
        count(d.counters.cause(Cause::WindowProbe))
    }),
    ("pkts_unrto", |_, d| {
        count(d.counters.cause(Cause::NeedlessTimeout))
    }),
    ("pkts_unfs", |_, d| {
        count(d.counters.cause(Cause::NeedlessFast))
    }),
    ("syn_retx", |_, d| count(d.syn_changed)),
];

/// The end that sends the SACK blocks which are counted with the data they speak of.
fn other<'a>(summary: &'a Summary, direction: &DirectionSummary) -> &'a DirectionSummary {
    if std::ptr::eq(direction, &summary.client) {
        &summary.server
    } else {
        &summary.client
    }
}

/// All columns of a connection, name and value, in order.
pub fn columns(summary: &Summary) -> Vec<(String, TstatValue)> {
    let mut row = Vec::new();
    let both = |row: &mut Vec<(String, TstatValue)>, set: &[TstatColumn]| {
        for (prefix, direction) in [("c", &summary.client), ("s", &summary.server)] {
            row.extend(
                set.iter()
                    .map(|(name, of)| (format!("{prefix}_{name}"), of(summary, direction))),
            );
        }
    };
    both(&mut row, CORE);
    row.extend(
        TIMES
            .iter()
            .map(|(name, of)| ((*name).to_owned(), of(summary))),
    );
    both(&mut row, END_TO_END);
    both(&mut row, OPTIONS);
    row
}

/// The header line.
pub fn header() -> String {
    let both = |set: &[TstatColumn]| -> Vec<String> {
        let names =
            |prefix: &'static str| set.iter().map(move |(name, _)| format!("{prefix}_{name}"));
        names("c").chain(names("s")).collect()
    };
    let times = TIMES.iter().map(|(name, _)| (*name).to_owned()).collect();
    let names = [both(CORE), times, both(END_TO_END), both(OPTIONS)].concat();
    let mut line = String::from("#");
    for (index, name) in names.iter().enumerate() {
        let space = if index == 0 { "" } else { " " };
        let _ = write!(line, "{space}{name}:{}", index + 1);
    }
    line
}

/// The line of a connection; none without a whole handshake, as with Tstat.
pub fn line(summary: &Summary) -> Option<String> {
    if !summary.has_handshake {
        return None;
    }
    let mut line = String::new();
    for (_, value) in columns(summary) {
        let space = if line.is_empty() { "" } else { " " };
        let _ = match value {
            TstatValue::Text(text) => write!(line, "{space}{text}"),
            TstatValue::Count(count) => write!(line, "{space}{count}"),
            TstatValue::Milliseconds(ms) => write!(line, "{space}{ms:.6}"),
        };
    }
    Some(line)
}
