use super::*;
use tcp::InitialWindow;

fn settings(text: &str) -> Result<Settings, Refusal> {
    let script = crate::parse::parse(&format!("{text}\n0 `true`"))?;
    let mut settings = Settings::new(&script.settings, None)?;
    for (line, text) in &script.init {
        command(&mut settings, *line, text)?;
    }
    Ok(settings)
}

fn profile(text: &str) -> Profile {
    match settings(text) {
        Ok(settings) => settings.profile,
        Err(refusal) => panic!("{text}: {}", refusal.reason),
    }
}

#[test]
fn sysctls_select_values_of_the_profile_however_they_are_written() {
    for text in [
        "`sysctl -q net.ipv4.tcp_sack=0`",
        "`sysctl -w net/ipv4/tcp_sack=0 > /dev/null 2>&1`",
        "`../common/set_sysctls.py /proc/sys/net/ipv4/tcp_sack=0`",
        "`echo 0 > /proc/sys/net/ipv4/tcp_sack`",
        "`true; sysctl -q \\\n net.ipv4.tcp_sack=0 # off`",
    ] {
        assert!(!profile(text).sack, "{text}");
    }
    let wmem = profile("`sysctl -q net.ipv4.tcp_wmem=\"4096 100000 200000\"`");
    assert_eq!(wmem.send_buffer_bytes, 100_000);
}

#[test]
fn the_route_sets_the_initial_window_and_the_least_timeout() {
    let p = profile("`ip route change 192.0.2.0/24 dev tun0 initcwnd 20 rto_min 5ms`");
    assert_eq!(p.initial_window, InitialWindow::Segments(20));
    assert_eq!(p.rto_min_ms, 5);
}

#[test]
fn options_name_a_profile_and_change_its_fields() {
    let p = profile("--profile.delayed_ack_ms=100 --profile=windows-xp --profile.mss_bytes=1000");
    let xp = tcp::profile("windows-xp").unwrap();
    assert_eq!((p.delayed_ack_ms, p.mss_bytes), (100, 1000));
    assert_eq!(p.syn_retries, xp.syn_retries);
    let p = profile("--profile.initial_window={\"segments\":4}\n--mtu=576");
    assert_eq!(p.initial_window, InitialWindow::Segments(4));
    assert_eq!(p.mss_bytes, 536);
    let p = profile("--ip_version=ipv6");
    assert_eq!(p.mss_bytes, 1440);
}

#[test]
fn the_tolerance_is_packetdrills_unless_set() {
    assert_eq!(settings("").unwrap().tolerance, Duration::from_millis(4));
    let set = settings("--tolerance_usecs=10000").unwrap();
    assert_eq!(set.tolerance, Duration::from_millis(10));
}

#[test]
fn an_option_whose_value_nobody_could_take_makes_a_text_no_script() {
    let options = [
        "--tolerance_usecs=abc",
        "--tolerance_usecs=-1",
        "--tolerance_usecs=9223372036854775807",
        "--tolerance_percent=120",
        "--tcp_ts_tick_usecs=1ms",
        "--mtu=large",
    ];
    for option in options {
        let refusal = settings(&format!("\n{option}")).unwrap_err();
        assert!(refusal.is_malformed, "{option}");
        assert!(refusal.reason.starts_with(option), "{}", refusal.reason);
    }
}

#[test]
fn what_is_not_known_is_refused_with_its_line() {
    let cases = [
        ("\n`sysctl -q net.ipv4.tcp_colour=1`", "tcp_colour"),
        ("\n`sysctl -q net.ipv4.tcp_ecn=3`", "accurate ECN"),
        ("`true\niptables -A INPUT`", "iptables"),
        (
            "\n`tc qdisc add dev tun0 root netem delay 5ms`",
            "tc qdisc add",
        ),
        (
            "\n`tc qdisc replace dev tun0 root fq maxrate 1mbit`",
            "tc qdisc",
        ),
        ("\n`sysctl -q net.ipv4.tcp_syncookies=2`", "cookies"),
        ("\n`sysctl -q net.ipv4.tcp_shrink_window=1`", "shrinks"),
        ("\n--profile=solaris", "solaris"),
        ("\n--profile.colour=1", "colour"),
        ("\n--profile.nagle=7", "nagle"),
        ("\n--profile.family=bsd", "--profile"),
        ("\n--profile.recovery=sack", "\"linux\" has no recovery"),
        ("\n`sysctl -q net.inet.tcp.rexmit_slop=1`", "no BSD"),
        ("\n--so_filename=x.so", "so_filename"),
        ("\n--ip_version=ipv5", "ipv4-mapped-ipv6"),
        (
            "\n`sysctl -q net.ipv4.tcp_congestion_control=bogus`",
            "bogus",
        ),
    ];
    for (text, reason) in cases {
        let refusal = settings(text).unwrap_err();
        assert_eq!(refusal.line, 2, "{text:?}");
        assert!(
            refusal.reason.contains(reason),
            "{text:?}: {}",
            refusal.reason
        );
    }
}

#[test]
fn packetdrills_own_defaults_choose_cubic_and_a_shift_of_8() {
    let mut p = profile("`../../common/defaults.sh`");
    assert_eq!(p.congestion_control, tcp::CongestionAlgorithm::Cubic);
    assert_eq!(p.window_shift_min, 8);
    let linux = p.family.linux().unwrap();
    let buffer = (linux.receive_buffer_bytes, linux.receive_buffer_max_bytes);
    assert_eq!(buffer, (540_000, 15_728_640));
    assert!(!p.restart_after_idle);
}

#[test]
fn freebsds_variables_and_the_routes_metrics_are_known_too() {
    let p = profile("`sysctl -w net.inet.tcp.rfc1323=0 net.inet.tcp.initcwnd_segments=4`");
    assert!(!p.timestamps && !p.window_scaling);
    assert_eq!(p.initial_window, InitialWindow::Segments(4));
    let p = profile("`ip route replace default quickack 1 reordering 5`");
    assert_eq!((p.delayed_ack_segments, p.duplicate_ack_threshold), (1, 5));
}

#[test]
fn what_no_exchange_here_could_tell_is_accepted_whatever_its_value() {
    for text in [
        "`sysctl -q net.ipv4.tcp_min_tso_segs=4 net.ipv4.tcp_tso_win_divisor=8`",
        "`sysctl -q net.ipv4.conf.all.rp_filter=0 net.ipv4.icmp_ratelimit=0`",
        "`sysctl -q net.core.netdev_budget=600 net.ipv4.neigh.default.gc_thresh1=1`",
        "`tc qdisc replace dev tun0 root pfifo`",
        "`tc qdisc add dev tun0 root pfifo limit 1000`",
        "`tc qdisc replace dev tun0 root fq`",
        "`tc qdisc replace dev tun0 root fq limit 20 nopacing`",
        "`tc -s qdisc show dev tun0`",
    ] {
        assert!(settings(text).is_ok(), "{text}");
    }
}

#[test]
fn what_a_socket_begins_with_is_set_by_sysctls_too() {
    let all =
        settings("`sysctl -q net.ipv4.tcp_notsent_lowat=9000 net.ipv4.tcp_moderate_rcvbuf=0`");
    let all = all.unwrap();
    assert_eq!(all.unsent_low_water, Some(9000));
    assert!(!all.receive_buffer_grows);
}

#[test]
fn a_routes_mtu_may_be_locked_and_the_least_limit_holds() {
    let route = |metrics: &str| {
        let text = format!("`ip route change 192.0.2.2 via 192.168.0.2 dev tun0 {metrics}`");
        let settings = settings(&text).unwrap();
        (settings.mss_limit, settings.path_mtu_is_locked)
    };
    assert_eq!(route("advmss 1430 mtu lock 1470"), (Some(1430), true));
    assert_eq!(route("advmss 1430 mtu 1400"), (Some(1360), false));
    assert_eq!(route("mtu 1500 advmss lock 1200"), (Some(1200), false));
    assert_eq!(
        profile("`ip route add default rto_min lock 30ms`").rto_min_ms,
        30
    );
}

#[test]
fn freebsds_own_defaults_change_nothing_and_other_values_are_refused() {
    let text = "`sysctl -w net.inet.tcp.blackhole=0 net.inet.tcp.insecure_rst=0`";
    assert_eq!(profile(text), profile(""));
    let refusal = settings("`sysctl net.inet.tcp.blackhole=2`").unwrap_err();
    assert!(refusal.reason.contains("blackhole=2"), "{}", refusal.reason);
}
