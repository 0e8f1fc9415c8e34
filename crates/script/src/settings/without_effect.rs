//! Linux's sysctl variables that set nothing the endpoint has: accepted where no value of theirs
//! could be told from another here, refused by name where one could.
//!
//! The names are those of the kernel's Documentation/networking/ip-sysctl.rst and
//! Documentation/admin-guide/sysctl/net.rst.

use crate::refusal::{Refusal, refuse};

/// Takes the variable `key`, with dots, for what it is worth.
pub(super) fn without_effect(line: u32, key: &str, value: &str) -> Result<(), Refusal> {
    let name = key.rsplit('.').next().unwrap_or_default();
    let is_indifferent = WITHOUT_EFFECT.iter().any(|known| known.0 == name)
        || FAMILIES.iter().any(|family| is_of(family.0, key, name));
    match ONLY_AS.iter().find(|known| known.0 == name) {
        Some((_, values, _)) if values.contains(&value.trim()) => Ok(()),
        Some((_, _, needs)) => refuse(line, format!("{name}={value} needs {needs}")),
        None if is_indifferent => Ok(()),
        None => refuse(line, format!("sysctl {name}={value}")),
    }
}

/// A family is a folder of variables, or what their names begin with.
fn is_of(family: &str, key: &str, name: &str) -> bool {
    match family.strip_suffix('.') {
        Some(folder) => key.split('.').any(|part| part == folder),
        None => name.starts_with(family),
    }
}

/// Variables by their folder or the beginning of their names, and why they change nothing.
const FAMILIES: &[(&str, &str)] = &[
    ("bpf_jit_", "no packet filters"),
    ("busy_", "no interface to ask"),
    ("cipso_", "no labels"),
    ("conf.", "one interface, with one address"),
    ("dev_weight", "inside the kernel"),
    ("fib_", "one route"),
    ("flow_limit_", "inside the kernel"),
    ("icmp_", "the endpoint sends no ICMP"),
    ("igmp_", "no groups"),
    ("inet_peer_", "inside the kernel"),
    ("ipfrag_", "no packet is fragmented"),
    ("neigh.", "no link addresses"),
    ("netdev_", "inside the kernel"),
    ("nf_conntrack", "no filter stands before the endpoint"),
    ("rps_", "no processors"),
    ("udp_", "only TCP is run"),
    ("xfrm", "no IPsec"),
];

/// Variables whose every value leaves the exchange of segments here as it is, with the reason.
const WITHOUT_EFFECT: &[(&str, &str)] = &[
    ("alloweddeviation", "kern.timecounter: time is virtual"),
    ("default_qdisc", "the wire has no queue"),
    ("enabled", "net.mptcp: only TCP is run"),
    ("ip_autobind_reuse", "no ports"),
    ("ip_default_ttl", "no IP header"),
    ("ip_early_demux", "inside the kernel"),
    ("ip_forward", "no routing"),
    ("ip_local_port_range", "no ports"),
    ("ip_local_reserved_ports", "no ports"),
    ("ip_nonlocal_bind", "no addresses"),
    ("optmem_max", "no memory limits beyond the buffers"),
    ("rmem_max", "SO_RCVBUF is not limited"),
    ("somaxconn", "one connection at a time"),
    ("tcp_abort_on_overflow", "one connection at a time"),
    ("tcp_adv_win_scale", "without meaning since Linux 6.6"),
    (
        "tcp_allowed_congestion_control",
        "every controller is allowed",
    ),
    ("tcp_autocorking", "no queue below the endpoint to wait for"),
    ("tcp_available_congestion_control", "a list to read"),
    ("tcp_challenge_ack_limit", "a script stays below any limit"),
    ("tcp_child_ehash_entries", "inside the kernel"),
    ("tcp_comp_sack_slack_ns", "timers are exact"),
    ("tcp_early_demux", "inside the kernel"),
    ("tcp_ehash_entries", "inside the kernel"),
    ("tcp_fwmark_accept", "no routing"),
    ("tcp_l3mdev_accept", "no routing"),
    ("tcp_fack", "without meaning since Linux 4.15"),
    ("tcp_limit_output_bytes", "no queue below the endpoint"),
    ("tcp_low_latency", "inside the kernel"),
    ("tcp_max_orphans", "one connection at a time"),
    ("tcp_max_syn_backlog", "one connection at a time"),
    ("tcp_max_tw_buckets", "one connection at a time"),
    ("tcp_mem", "no memory limits beyond the buffers"),
    (
        "tcp_no_metrics_save",
        "of earlier connections only Fast Open remembers something, whatever this says",
    ),
    ("tcp_no_ssthresh_metrics_save", "as tcp_no_metrics_save"),
    ("tcp_pacing_ca_ratio", "no pacing"),
    ("tcp_pacing_ss_ratio", "no pacing"),
    ("tcp_plb_cong_thresh", "no IPv6 flow labels"),
    ("tcp_plb_enabled", "no IPv6 flow labels"),
    ("tcp_plb_idle_rehash_rounds", "no IPv6 flow labels"),
    ("tcp_plb_rehash_rounds", "no IPv6 flow labels"),
    ("tcp_plb_suspend_rto_sec", "no IPv6 flow labels"),
    ("tcp_reflect_tos", "no IP header"),
    ("tcp_stdurg", "no urgent data"),
    ("tcp_tw_reuse", "one connection at a time"),
    ("tcp_tw_reuse_delay", "one connection at a time"),
    ("tcp_workaround_signed_windows", "windows are unsigned"),
    ("devconf_inherit_init_net", "one network"),
    ("fb_tunnels_only_for_init_net", "one network"),
    ("fwmark_reflect", "no routing"),
    ("gro_normal_batch", "inside the kernel"),
    ("high_order_alloc_disable", "inside the kernel"),
    ("ip_dynaddr", "no addresses"),
    ("ip_forward_update_priority", "no routing"),
    ("ip_forward_use_pmtu", "no routing"),
    ("ip_unprivileged_port_start", "no ports"),
    ("max_skb_frags", "inside the kernel"),
    ("mem_pcpu_rsv", "inside the kernel"),
    ("message_burst", "inside the kernel"),
    ("message_cost", "inside the kernel"),
    ("nexthop_compat_mode", "one route"),
    ("ping_group_range", "the endpoint sends no ICMP"),
    ("raw_l3mdev_accept", "no routing"),
    ("rmem_default", "tcp_rmem stands before it"),
    ("skb_defer_max", "inside the kernel"),
    ("tcp_available_ulp", "a list to read"),
    (
        "tcp_backlog_ack_defer",
        "no segment arrives while a call is at work",
    ),
    ("tcp_ecn_option", "no connection agrees to accurate ECN"),
    (
        "tcp_ecn_option_beacon",
        "no connection agrees to accurate ECN",
    ),
    (
        "tcp_min_tso_segs",
        "how segments are joined for the interface, which is not compared",
    ),
    (
        "tcp_tso_rtt_log",
        "how segments are joined for the interface, which is not compared",
    ),
    (
        "tcp_tso_win_divisor",
        "what waits to be joined goes with the next acknowledgement, due within a millisecond",
    ),
    ("tstamp_allow_data", "inside the kernel"),
    ("txrehash", "no flow labels"),
    ("warnings", "inside the kernel"),
    ("wmem_default", "tcp_wmem stands before it"),
    ("wmem_max", "SO_SNDBUF is not limited"),
];

/// Variables that are as if they had this value, with what another would need.
const ONLY_AS: &[(&str, &[&str], &str)] = &[
    (
        "tcp_fastopen_blackhole_timeout_sec",
        &["0"],
        "a pause of Fast Open after connections that were swallowed",
    ),
    (
        "tcp_thin_linear_timeouts",
        &["0"],
        "linear timeouts for thin streams",
    ),
    ("tcp_migrate_req", &["0"], "several listeners"),
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
    ("tcp_recovery", &["1"], "recovery without RACK"),
    (
        "ip_no_pmtu_disc",
        &["0", "3"],
        "a path MTU that is not told",
    ),
    ("min_adv_mss", &["256"], "another least MSS to tell"),
    ("min_pmtu", &["552"], "another least path MTU"),
    ("mtu_expires", &["600"], "a path MTU that is forgotten"),
    (
        "tcp_app_win",
        &["0", "31"],
        "a share of the window for the application",
    ),
    (
        "tcp_orphan_retries",
        &["0"],
        "a limit of its own for connections that are closed",
    ),
    ("tcp_shrink_window", &["0"], "a window that shrinks"),
    ("tcp_syncookies", &["0", "1"], "cookies for every SYN"),
];
