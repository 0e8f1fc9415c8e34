//! Linux's sysctl variables, as far as the endpoint has what they set.
//!
//! Meanings and defaults are those of the kernel's Documentation/networking/ip-sysctl.rst.

use serde_json::Value;
use tcp::{LinuxStack, Profile};

use super::{Ecn, Settings, freebsd, number};
use crate::refusal::{Refusal, refuse};

/// Sets the variable named by `key`, a path below /proc/sys or a name with dots.
pub(super) fn set(
    settings: &mut Settings,
    line: u32,
    key: &str,
    value: &str,
) -> Result<(), Refusal> {
    let key = key.trim_start_matches("/proc/sys/").replace('/', ".");
    if let Some(name) = key.strip_prefix("net.inet.tcp.") {
        return freebsd::set(settings, line, name, value);
    }
    let name = key.rsplit('.').next().unwrap_or_default();
    let profile = &mut settings.profile;
    match name {
        "tcp_sack" => profile.sack = switch(value, line)?,
        "tcp_timestamps" => profile.timestamps = switch(value, line)?,
        "tcp_window_scaling" => profile.window_scaling = switch(value, line)?,
        "tcp_slow_start_after_idle" => profile.restart_after_idle = switch(value, line)?,
        "tcp_reordering" => profile.duplicate_ack_threshold = number(value, line)?,
        "tcp_retries2" => profile.data_retries = number(value, line)?,
        // The kernel counts those at a constant distance on top.
        "tcp_syn_retries" => {
            let doubling: u32 = number(value, line)?;
            profile.syn_retries = doubling.saturating_add(profile.syn_linear_timeouts);
        }
        "tcp_synack_retries" => profile.syn_ack_retries = number(value, line)?,
        "tcp_syn_linear_timeouts" => {
            let doubling = profile
                .syn_retries
                .saturating_sub(profile.syn_linear_timeouts);
            profile.syn_linear_timeouts = number(value, line)?;
            profile.syn_retries = doubling.saturating_add(profile.syn_linear_timeouts);
        }
        "tcp_dsack" => profile.dsack = switch(value, line)?,
        "tcp_frto" => profile.frto = switch(value, line)?,
        "tcp_max_reordering" => profile.reordering_max = number(value, line)?,
        "tcp_fin_timeout" => profile.fin_wait2_ms = seconds(value, line)?,
        "tcp_keepalive_time" => profile.keep_alive_idle_ms = seconds(value, line)?,
        "tcp_keepalive_intvl" => profile.keep_alive_interval_ms = seconds(value, line)?,
        "tcp_keepalive_probes" => profile.keep_alive_probes = number(value, line)?,
        "tcp_rto_min_us" => {
            let micros: u32 = number(value, line)?;
            profile.rto_min_ms = micros.div_ceil(1000);
        }
        "tcp_invalid_ratelimit" => {
            profile.invalid_answer_interval_ms = number(value, line)?;
        }
        "tcp_rto_max_ms" => profile.rto_max_ms = number(value, line)?,
        "tcp_rmem" => receive_memory(settings, line, value)?,
        "tcp_wmem" => {
            settings.send_buffer_bytes = memory(value, line)?[1];
            profile.send_buffer_bytes = settings.send_buffer_bytes;
        }
        "tcp_congestion_control" => congestion_control(settings, line, value)?,
        "tcp_ecn" => {
            settings.ecn = match number::<u32>(value, line)? {
                0 => Ecn::Off,
                1 => Ecn::On,
                2 => Ecn::Passive,
                _ => return refuse(line, format!("accurate ECN (RFC 9768): tcp_ecn={value}")),
            };
        }
        // ip-sysctl: 3 and 4 probe the tail; 1 and 2 stood for early retransmit, which is gone.
        "tcp_early_retrans" => {
            linux(profile, line, name)?.tail_loss_probe = number::<u32>(value, line)? >= 3;
        }
        // ip-sysctl: bit 0 is RACK's; the others refine it.
        "tcp_recovery" if number::<u32>(value, line)? & 1 != 0 => {}
        "tcp_comp_sack_nr" if value.trim() == "0" => {
            linux(profile, line, name)?.compressed_ack_us = 0;
        }
        "tcp_comp_sack_delay_ns" => {
            let gathered = &mut linux(profile, line, name)?.compressed_ack_us;
            // Off by tcp_comp_sack_nr it stays.
            if *gathered > 0 {
                *gathered = number::<u32>(value, line)? / 1000;
            }
        }
        // Of /sys/module/tcp_cubic/parameters.
        "hystart" => linux(profile, line, name)?.hystart = switch(value, line)?,
        "hystart_detect" if value.trim() == "0" => linux(profile, line, name)?.hystart = false,
        "hystart_detect" if value.trim() == "3" => {}
        // ip-sysctl: bit 1 is the server's.
        "tcp_fastopen" => settings.fast_open_server = number::<u32>(value, line)? & 2 != 0,
        _ => return without_effect(line, name, value),
    }
    Ok(())
}

/// What only today's Linux has, to be set by the variable `name`.
fn linux<'a>(
    profile: &'a mut Profile,
    line: u32,
    name: &str,
) -> Result<&'a mut LinuxStack, Refusal> {
    match profile.family.linux() {
        Some(stack) => Ok(stack),
        None => refuse(
            line,
            format!("sysctl {name}: the stack is not today's Linux"),
        ),
    }
}

fn seconds(value: &str, line: u32) -> Result<u32, Refusal> {
    number::<u32>(value, line).map(|seconds| seconds.saturating_mul(1000))
}

pub(super) fn switch(value: &str, line: u32) -> Result<bool, Refusal> {
    number::<u32>(value, line).map(|value| value != 0)
}

/// Least, default and most.
fn memory(value: &str, line: u32) -> Result<[u32; 3], Refusal> {
    let words: Vec<&str> = value.split_whitespace().collect();
    match words.as_slice() {
        [least, default, most] => Ok([
            number(least, line)?,
            number(default, line)?,
            number(most, line)?,
        ]),
        _ => refuse(line, format!("{value:?} are not three sizes")),
    }
}

/// tcp_rmem, and the shift that tcp_select_initial_window takes: the one that the most needs. Where
/// the stack's buffer does not count memory, the window is half of the default (tcp_adv_win_scale
/// 1), cut to whole segments and rounded up to the shift's unit.
fn receive_memory(settings: &mut Settings, line: u32, value: &str) -> Result<(), Refusal> {
    let [_, default, most] = memory(value, line)?;
    settings.receive_buffer_bytes = default;
    let profile = &mut settings.profile;
    let bits = most.max(RMEM_MAX).ilog2();
    profile.window_shift_min = bits.saturating_sub(15).min(14);
    if let Some(stack) = profile.family.linux() {
        stack.receive_buffer_bytes = default.max(1);
        stack.receive_buffer_max_bytes = most;
        profile.receive_window_bytes = 65_535 << profile.window_shift_min;
        return Ok(());
    }
    let half = default / 2;
    let whole = half - half % profile.mss_bytes.clamp(1, half.max(1));
    profile.receive_window_bytes = whole.next_multiple_of(1 << profile.window_shift_min);
    Ok(())
}

/// The default of net.core.rmem_max, in bytes.
const RMEM_MAX: u32 = 212_992;

/// Chooses the controller by the name the endpoint gives it.
pub(super) fn congestion_control(
    settings: &mut Settings,
    line: u32,
    name: &str,
) -> Result<(), Refusal> {
    match serde_json::from_value(Value::String(name.to_owned())) {
        Ok(algorithm) => settings.profile.congestion_control = algorithm,
        Err(_) => return refuse(line, format!("congestion control {name:?}")),
    }
    Ok(())
}

/// Variables whose every value leaves the exchange of segments here as it is, with the reason.
const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("alloweddeviation", "kern.timecounter: time is virtual"),
    ("bpf_jit_enable", "no packet filters"),
    ("default_qdisc", "the wire has no queue"),
    ("enabled", "net.mptcp: only TCP is run"),
    ("ip_autobind_reuse", "no ports"),
    ("ip_default_ttl", "no IP header"),
    ("ip_early_demux", "inside the kernel"),
    ("ip_forward", "no routing"),
    ("ip_local_port_range", "no ports"),
    ("ip_local_reserved_ports", "no ports"),
    ("ip_nonlocal_bind", "no addresses"),
    ("ip_no_pmtu_disc", "no ICMP"),
    ("netdev_max_backlog", "the wire has no queue"),
    ("optmem_max", "no memory limits beyond the buffers"),
    ("rmem_max", "SO_RCVBUF is not limited"),
    ("somaxconn", "one connection at a time"),
    ("tcp_abort_on_overflow", "one connection at a time"),
    (
        "tcp_adv_win_scale",
        "the receive buffer is counted in bytes of payload",
    ),
    (
        "tcp_allowed_congestion_control",
        "every controller is allowed",
    ),
    (
        "tcp_app_win",
        "the receive buffer is counted in bytes of payload",
    ),
    ("tcp_autocorking", "no queue below the endpoint to wait for"),
    ("tcp_available_congestion_control", "a list to read"),
    ("tcp_base_mss", "no path MTU probing"),
    ("tcp_challenge_ack_limit", "a script stays below any limit"),
    ("tcp_child_ehash_entries", "inside the kernel"),
    ("tcp_comp_sack_slack_ns", "timers are exact"),
    ("tcp_early_demux", "inside the kernel"),
    ("tcp_ehash_entries", "inside the kernel"),
    ("tcp_fwmark_accept", "no routing"),
    ("tcp_l3mdev_accept", "no routing"),
    ("tcp_fack", "without meaning since Linux 4.15"),
    (
        "tcp_fastopen_blackhole_timeout_sec",
        "a script that sends or expects the option of Fast Open is not run",
    ),
    ("tcp_fastopen_key", "as tcp_fastopen_blackhole_timeout_sec"),
    ("tcp_limit_output_bytes", "no queue below the endpoint"),
    ("tcp_low_latency", "inside the kernel"),
    ("tcp_max_orphans", "one connection at a time"),
    ("tcp_max_syn_backlog", "one connection at a time"),
    ("tcp_max_tw_buckets", "one connection at a time"),
    ("tcp_mem", "no memory limits beyond the buffers"),
    ("tcp_moderate_rcvbuf", "the receive buffer keeps its size"),
    (
        "tcp_no_metrics_save",
        "nothing is remembered from connection to connection",
    ),
    ("tcp_no_ssthresh_metrics_save", "as tcp_no_metrics_save"),
    ("tcp_orphan_retries", "longer than scripts wait"),
    ("tcp_pacing_ca_ratio", "no pacing"),
    ("tcp_pacing_ss_ratio", "no pacing"),
    ("tcp_plb_cong_thresh", "no IPv6 flow labels"),
    ("tcp_plb_enabled", "no IPv6 flow labels"),
    ("tcp_plb_idle_rehash_rounds", "no IPv6 flow labels"),
    ("tcp_plb_rehash_rounds", "no IPv6 flow labels"),
    ("tcp_plb_suspend_rto_sec", "no IPv6 flow labels"),
    ("tcp_probe_interval", "no path MTU probing"),
    ("tcp_probe_threshold", "no path MTU probing"),
    ("tcp_mtu_probe_floor", "no path MTU probing"),
    ("tcp_reflect_tos", "no IP header"),
    ("tcp_retries1", "no routes to ask again for"),
    ("tcp_shrink_window", "the window is never shrunk"),
    ("tcp_stdurg", "no urgent data"),
    ("tcp_syncookies", "one connection at a time"),
    ("tcp_tw_reuse", "one connection at a time"),
    ("tcp_tw_reuse_delay", "one connection at a time"),
    ("tcp_workaround_signed_windows", "windows are unsigned"),
    ("wmem_max", "SO_SNDBUF is not limited"),
];

/// Variables that are as if they had this value, with what another would need.
const ONLY_AS: &[(&str, &[&str], &str)] = &[
    ("tcp_mtu_probing", &["0"], "path MTU probing"),
    (
        "tcp_thin_linear_timeouts",
        &["0"],
        "linear timeouts for thin streams",
    ),
    (
        "tcp_notsent_lowat",
        &["-1", "0", "4294967295", "0xffffffff"],
        "a low-water mark",
    ),
    ("tcp_migrate_req", &["0"], "several listeners"),
    (
        "tcp_ecn_fallback",
        &["0", "1"],
        "explicit congestion notification",
    ),
    ("tcp_ecn_option", &["0"], "accurate ECN (RFC 9768)"),
    (
        "tcp_comp_sack_nr",
        &["44"],
        "another number of acknowledgements that are gathered",
    ),
    (
        "tcp_comp_sack_rtt_percent",
        &["5"],
        "another share of the round trip to gather in",
    ),
    ("tcp_backlog_ack_defer", &["0", "1"], "a backlog"),
    ("tcp_rfc1337", &["0"], "resets ignored in TIME-WAIT"),
    (
        "tcp_min_rtt_wlen",
        &["300"],
        "another window of the least round-trip time",
    ),
    ("tcp_min_snd_mss", &["48"], "another least segment size"),
    (
        "tcp_pingpong_thresh",
        &["1"],
        "a longer way into a conversation",
    ),
    (
        "tcp_retrans_collapse",
        &["0", "1"],
        "retransmissions that are joined",
    ),
    ("tcp_min_tso_segs", &["2"], "another least piece to join"),
    (
        "tcp_tso_rtt_log",
        &["9"],
        "other pieces on short round trips",
    ),
    ("tcp_tso_win_divisor", &["3"], "another share to wait for"),
    ("tcp_recovery", &["1"], "recovery without RACK"),
];

fn without_effect(line: u32, name: &str, value: &str) -> Result<(), Refusal> {
    if WITHOUT_EFFECT.iter().any(|known| known.0 == name) {
        return Ok(());
    }
    match ONLY_AS.iter().find(|known| known.0 == name) {
        Some((_, values, _)) if values.contains(&value.trim()) => Ok(()),
        Some((_, _, needs)) => refuse(line, format!("{name}={value} needs {needs}")),
        None => refuse(line, format!("sysctl {name}={value}")),
    }
}

/// The values that packetdrill's own `defaults.sh` sets, of those that matter here: names below
/// net.ipv4, and values.
pub const DEFAULTS: &[(&str, &str)] = &[
    ("tcp_rmem", "4096 540000 15728640"),
    ("tcp_wmem", "4096 262144 4194304"),
    ("tcp_timestamps", "1"),
    ("tcp_syn_retries", "5"),
    ("tcp_synack_retries", "5"),
    ("tcp_frto", "2"),
    ("tcp_dsack", "1"),
    ("tcp_sack", "1"),
    ("tcp_reordering", "3"),
    ("tcp_congestion_control", "cubic"),
    ("tcp_slow_start_after_idle", "0"),
];

pub(super) fn defaults(settings: &mut Settings, line: u32) -> Result<(), Refusal> {
    for (key, value) in DEFAULTS {
        set(settings, line, key, value)?;
    }
    Ok(())
}
