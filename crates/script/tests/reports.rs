//! Reports of runs: passed, failed with the difference, or not supported with the line.

use script::{ScriptOutcome, ScriptReport, run_text};

const OPENING: &str = "\
 0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 10000 <mss 1000>
+0 > S. 0:0(0) ack 1 <mss 1460>
+.1 < . 1:1(0) ack 1 win 10000
+0 accept(3, ..., ...) = 4
";

/// Runs what follows an opening of seven lines.
fn run(rest: &str) -> ScriptReport {
    run_text("test.pkt", &format!("{OPENING}{rest}"))
}

fn failure(rest: &str) -> (u32, String) {
    match run(rest).outcome {
        ScriptOutcome::Failed { line, reason } => (line, reason),
        other => panic!("{rest}: {other:?}"),
    }
}

fn refusal(rest: &str) -> (u32, String) {
    match run(rest).outcome {
        ScriptOutcome::NotSupported { line, reason } => (line, reason),
        other => panic!("{rest}: {other:?}"),
    }
}

#[test]
fn the_first_difference_is_marked_and_what_was_sent_instead_stands_beside_it() {
    let report = run("+0 write(4, ..., 500) = 500\n+0 > P. 1:1001(1000) ack 1\n");
    assert_eq!(report.exit_status(), 1);
    let text = report.to_string();
    let marked: Vec<&str> = text.lines().filter(|line| line.starts_with('!')).collect();
    assert_eq!(marked.len(), 1, "{text}");
    assert!(marked[0].contains("> P. 1:1001(1000) ack 1"), "{text}");
    assert!(marked[0].contains("> P. 1:501(500) ack 1"), "{text}");
    assert!(text.contains("payload: expected 1000, seen 500"), "{text}");
}

#[test]
fn every_field_that_a_script_names_is_compared() {
    let cases = [
        ("> . 1:501(500) ack 1", "flags"),
        ("> P. 2:502(500) ack 1", "sequence number"),
        ("> P. 1:502(501) ack 1", "payload"),
        ("> P. 1:501(500) ack 2", "acknowledgement"),
        ("> P. 1:501(500) ack 1 win 5", "window"),
        ("> P. 1:501(500) ack 1 <TS val 1 ecr 2>", "options"),
    ];
    for (packet, field) in cases {
        let (line, reason) = failure(&format!("+0 write(4, ..., 500) = 500\n+0 {packet}\n"));
        assert_eq!(line, 9);
        assert!(reason.starts_with(field), "{packet}: {reason}");
    }
    let open = run("+0 write(4, ..., 500) = 500\n+0 > P. 1:501(500) ack 1 <...>\n");
    assert!(open.is_passed(), "{open}");
}

#[test]
fn a_packet_may_come_as_far_from_its_time_as_the_tolerance() {
    // The retransmission timer runs out after 300 ms: srtt 100 ms, rttvar 50 ms.
    let is_in_time = |options: &str, time: &str| {
        let rest = "+0 write(4, ..., 500) = 500\n+0 > P. 1:501(500) ack 1\n";
        let text = format!("{options}{OPENING}{rest}{time} > P. 1:501(500) ack 1\n");
        run_text("test.pkt", &text).is_passed()
    };
    let exactly = "--tolerance_percent=0 ";
    for time in ["+.3", "+.296", "+.304", "+.1~+.3", "*", "0.4", "0.1~0.4"] {
        assert!(is_in_time(exactly, time), "{time}");
    }
    for time in ["+.295", "+.305", "+.1~+.29", "0.39"] {
        assert!(!is_in_time(exactly, time), "{time}");
    }
    // By itself it is an eighth of the wait, as much as a kernel's timers are late.
    for (time, fits) in [
        ("+.26", false),
        ("+.27", true),
        ("+.34", true),
        ("+.345", false),
    ] {
        assert_eq!(is_in_time("", time), fits, "{time}");
    }
}

#[test]
fn silence_where_a_packet_is_expected_is_a_failure() {
    assert_eq!(failure("+0 > . 1:1(0) ack 1\n").1, "nothing was sent");
}

#[test]
fn calls_have_to_return_what_is_written_and_when() {
    let cases = [
        ("+0 write(4, ..., 500) = 499\n", "returned 500"),
        ("+0 read(4, ..., 500) = 0\n", "must return at once"),
        ("+0 recv(4, ..., 500, MSG_DONTWAIT) = 0\n", "EAGAIN"),
        (
            "+0 getsockopt(4, SOL_TCP, TCP_NODELAY, [1], [4]) = 0\n",
            "seen 0",
        ),
        (
            "+0...0.5 read(4, ..., 500) = 0\n+.1 < F. 1:1(0) ack 1 win 9\n",
            "has to return at 0.600000, and did at 0.200000",
        ),
        ("+0...0.5 read(4, ..., 500) = 0\n", "not returned in time"),
        (
            "+0 %{ assert tcpi_snd_cwnd == 3 }%\n",
            "tcpi_snd_cwnd is 10",
        ),
    ];
    for (rest, expected) in cases {
        let (line, reason) = failure(rest);
        assert_eq!(line, 8, "{rest}");
        assert!(reason.contains(expected), "{rest}: {reason}");
    }
}

#[test]
fn what_is_out_of_scope_is_named_with_its_line_and_has_its_own_status() {
    let cases = [
        "+0 setsockopt(4, SOL_TCP, TCP_REPAIR, [1], 4) = 0\n",
        "+0 setsockopt(4, SOL_TCP, TCP_MYSTERY, [1], 4) = 0\n",
        "+0 setsockopt(4, SOL_TCP, TCP_ULP, \"tls\", 3) = 0\n",
        "+0 setsockopt(4, SOL_TCP, TCP_FASTOPEN_KEY, [1], 4) = 0\n",
        "+0 setsockopt(4, SOL_SOCKET, TCP_NODELAY, [1], 4) = 0\n",
        "+0 send(4, ..., 100, MSG_OOB) = 100\n",
        "+0 `iptables -A INPUT -j DROP`\n",
        "+0 > P5. 1:1(0) ack 1\n",
        "+0 > 5. 1:1(0) ack 1\n",
        "+0 %{ os.getpid() }%\n",
        "+0 %{ assert tcpi_mystery == 1 }%\n",
    ];
    for rest in cases {
        assert_eq!(refusal(rest).0, 8, "{rest}");
        let report = run(rest);
        assert_eq!(report.exit_status(), 3);
        assert!(
            report
                .to_string()
                .starts_with("not supported  test.pkt, line 8: ")
        );
    }
}

#[test]
fn a_joined_segment_is_matched_by_the_full_segments_it_holds() {
    let write = "+0 write(4, ..., 3000) = 3000\n";
    let joined = run(&format!(
        "{write}+0 > P. 1:2001(2000) ack 1\n+0 > P. 2001:3001(1000) ack 1\n"
    ));
    assert!(joined.is_passed(), "{joined}");
    let (_, reason) = failure(&format!("{write}+0 > P. 1:4001(4000) ack 1\n"));
    assert_eq!(reason, "payload: expected 4000, seen 3000");
}

#[test]
fn an_option_takes_effect_on_an_open_connection_at_once() {
    let write = "+0 write(4, ..., 500) = 500\n+0 > P. 1:501(500) ack 1\n";
    let second = "+0 write(4, ..., 100) = 100\n+0 > P. 501:601(100) ack 1\n";
    let nagle = run(&format!("{write}{second}"));
    assert!(!nagle.is_passed(), "Nagle holds the second back");
    let set = "+0 setsockopt(4, SOL_TCP, TCP_NODELAY, [1], 4) = 0\n";
    let report = run(&format!("{write}{set}{second}"));
    assert!(report.is_passed(), "{report}");
}

#[test]
fn an_option_that_takes_no_number_is_named() {
    let (_, reason) = refusal("+0 setsockopt(4, SOL_TCP, TCP_ULP, \"tls\", 3) = 0\n");
    assert!(reason.contains("TCP_ULP"), "{reason}");
}

#[test]
fn what_breaks_the_form_is_no_script_and_has_the_status_of_bad_input() {
    let cases = [
        ("Dear reader,\n\nhow are you?\n", 1),
        ("// only a comment\n", 2),
        ("", 1),
        ("\u{7f}ELF", 1),
        ("0 socket(..., SOCK_STREAM, IPPROTO_TCP = 3\n", 1),
        ("0 `true`\n+0 > . 1:1001(999) ack 1\n", 2),
        ("0 `true`\n+0 < . 1:1(0) ack 1\n", 2),
        ("0 `true`\n+.1 ?\n", 2),
        ("0 `true\n", 1),
    ];
    for (text, line) in cases {
        let report = run_text("test.pkt", text);
        assert_eq!(report.exit_status(), 2, "{text}: {report}");
        let start = format!("not a script   test.pkt, line {line}: ");
        assert!(report.to_string().starts_with(&start), "{text}: {report}");
    }
}
