//! Linux's sysctl variables, as far as the endpoint has what they set.
//!
//! Meanings and defaults are those of the kernel's Documentation/networking/ip-sysctl.rst.

use serde_json::Value;
use tcp::{EcnUse, LinuxStack, MtuProbingUse, Profile};

use super::without_effect::without_effect;
use super::{Settings, freebsd, number};
use crate::fast_open;
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
            profile.ecn = match number::<u32>(value, line)? {
                0 => EcnUse::Off,
                1 => EcnUse::On,
                2 => EcnUse::Passive,
                _ => return refuse(line, format!("accurate ECN (RFC 9768): tcp_ecn={value}")),
            };
        }
        "tcp_ecn_fallback" if value.trim() == "1" => {}
        // ip-sysctl: 3 and 4 probe the tail; 1 and 2 stood for early retransmit, which is gone.
        "tcp_early_retrans" => {
            linux(profile, line, name)?.tail_loss_probe = number::<u32>(value, line)? >= 3;
        }
        "tcp_mtu_probing" => {
            let search = &mut linux(profile, line, name)?.mtu_search;
            search.mtu_probing = match number::<u32>(value, line)? {
                0 => MtuProbingUse::Off,
                1 => MtuProbingUse::BlackHoles,
                _ => MtuProbingUse::On,
            };
        }
        "tcp_base_mss" => {
            linux(profile, line, name)?.mtu_search.mtu_probe_base_bytes = number(value, line)?;
        }
        "tcp_mtu_probe_floor" => {
            linux(profile, line, name)?.mtu_search.mtu_probe_floor_bytes = number(value, line)?;
        }
        "tcp_probe_interval" => {
            linux(profile, line, name)?.mtu_search.mtu_probe_interval_ms = seconds(value, line)?;
        }
        "tcp_probe_threshold" => {
            let bytes = number(value, line)?;
            linux(profile, line, name)?
                .mtu_search
                .mtu_probe_threshold_bytes = bytes;
        }
        "tcp_retries1" => {
            linux(profile, line, name)?.mtu_search.mtu_probe_retries = number(value, line)?;
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
        "tcp_fastopen" => settings.fast_open.bits = number(value, line)?,
        "tcp_fastopen_key" => match fast_open::keys(value) {
            Some(keys) => settings.fast_open.keys = keys,
            None => return refuse(line, format!("{value:?} is no key of four words, nor two")),
        },
        // ip-sysctl: the mark of every socket that has none of its own.
        "tcp_notsent_lowat" => settings.unsent_low_water = low_water(number(value, line)?),
        "tcp_moderate_rcvbuf" => settings.receive_buffer_grows = switch(value, line)?,
        _ => return without_effect(line, &key, value),
    }
    Ok(())
}

/// Returns what only today's Linux has, to be set by the variable `name`.
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

/// TCP_NOTSENT_LOWAT and its sysctl: 0, -1 and the largest number stand for no mark.
pub(crate) fn low_water(bytes: i64) -> Option<u32> {
    match bytes {
        0 | -1 | NO_LOW_WATER => None,
        bytes => u32::try_from(bytes).ok(),
    }
}

/// UINT_MAX.
const NO_LOW_WATER: i64 = 0xffff_ffff;

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
    ("tcp_ecn", "0"),
];

pub(super) fn defaults(settings: &mut Settings, line: u32) -> Result<(), Refusal> {
    for (key, value) in DEFAULTS {
        set(settings, line, key, value)?;
    }
    Ok(())
}
