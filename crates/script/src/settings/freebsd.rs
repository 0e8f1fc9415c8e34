//! FreeBSD's sysctl variables below net.inet.tcp, as tcp(4) and mod_cc(4) describe them.

use tcp::{Family, InitialWindow};

use super::sysctl::{congestion_control, switch};
use super::{Settings, number};
use crate::refusal::{Refusal, refuse};

pub(super) fn set(
    settings: &mut Settings,
    line: u32,
    name: &str,
    value: &str,
) -> Result<(), Refusal> {
    let profile = &mut settings.profile;
    match name {
        "rfc1323" => {
            let is_on = switch(value, line)?;
            (profile.window_scaling, profile.timestamps) = (is_on, is_on);
        }
        "sack.enable" => profile.sack = switch(value, line)?,
        "rfc3042" => match profile.family.classic_sender() {
            Some(sender) => sender.limited_transmit = switch(value, line)?,
            None => return refuse(line, format!("sysctl net.inet.tcp.{name} of today's Linux")),
        },
        "delayed_ack" => {
            profile.delayed_ack_segments = if switch(value, line)? { 2 } else { 1 };
        }
        "delacktime" => profile.delayed_ack_ms = number(value, line)?,
        "initcwnd_segments" => {
            profile.initial_window = InitialWindow::Segments(number(value, line)?);
        }
        "mssdflt" | "v6mssdflt" | "minmss" => {} // for peers that name no MSS
        "recvspace" => profile.receive_window_bytes = number(value, line)?,
        "sendspace" => profile.send_buffer_bytes = number(value, line)?,
        "rexmit_initial" => profile.rto_initial_ms = number(value, line)?,
        "rexmit_min" => profile.rto_min_ms = number(value, line)?,
        "rexmit_slop" => match &mut profile.family {
            Family::Bsd(stack) => stack.rto_slop_ms = number(value, line)?,
            _ => {
                return refuse(
                    line,
                    format!("sysctl net.inet.tcp.{name} of a stack that is no BSD"),
                );
            }
        },
        "keepidle" => profile.keep_alive_idle_ms = number(value, line)?,
        "keepintvl" => profile.keep_alive_interval_ms = number(value, line)?,
        "keepcnt" => profile.keep_alive_probes = number(value, line)?,
        "msl" => {
            let lifetime: u32 = number(value, line)?;
            profile.time_wait_ms = lifetime.saturating_mul(2);
        }
        "cc.algorithm" => congestion_control(settings, line, value)?,
        "ecn.enable" if matches!(value.trim(), "0" | "2") => {}
        "functions_default" if value.trim() == "freebsd" => {}
        _ if DEFAULTS.contains(&(name, value.trim())) => {}
        _ if WITHOUT_EFFECT.iter().any(|known| known.0 == name) => {}
        _ => return refuse(line, format!("sysctl net.inet.tcp.{name}={value}")),
    }
    Ok(())
}

/// Values that variables have by themselves (tcp(4); netinet/tcp_input.c, tcp_subr.c, tcp_timer.c):
/// to set them changes nothing.
const DEFAULTS: &[(&str, &str)] = &[
    ("abc_l_var", "2"),
    ("always_keepalive", "1"),
    ("blackhole", "0"),
    ("blackhole_local", "0"),
    ("do_prr", "1"),
    ("drop_synfin", "0"),
    ("fast_finwait2_recycle", "0"),
    ("finwait2_timeout", "60000"),
    ("insecure_ack", "0"),
    ("insecure_rst", "0"),
    ("insecure_syn", "0"),
    ("keepinit", "75000"),
    ("log_debug", "0"),
    ("log_in_vain", "0"),
    ("maxunacktime", "0"),
    ("newcwv", "0"),
    ("per_cpu_timers", "0"),
    ("rfc3390", "1"),
    ("rfc3465", "1"),
    ("sack.globalmaxholes", "65536"),
    ("sack.maxholes", "128"),
    ("syncache.rexmtlimit", "3"),
    ("syncache.rst_on_sock_fail", "1"),
    ("tolerate_missing_ts", "0"),
    ("ts_offset_per_conn", "1"),
    ("udp_tunneling_port", "0"),
];

/// Variables whose every value leaves the exchange of segments here as it is, with the reason.
const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("fastopen.server_enable", "a script that uses it is not run"),
    (
        "hostcache.purgenow",
        "nothing is remembered from connection to connection",
    ),
    ("icmp_may_rst", "no ICMP"),
    ("path_mtu_discovery", "no ICMP"),
    ("pmtud_blackhole_detection", "no path MTU probing"),
    ("recvbuf_auto", "the receive buffer keeps its size"),
    ("sendbuf_auto", "the send buffer keeps its size"),
    ("syncookies", "one connection at a time"),
    ("syncookies_only", "one connection at a time"),
    ("tso", "segments are never joined"),
];
