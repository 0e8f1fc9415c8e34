//! A script from anywhere never makes the program panic, nor run without end.

use proptest::prelude::*;
use script::run_text;

/// A script that uses much of the language, to be damaged.
const SCRIPT: &str = "\
--tolerance_usecs=4000
`sysctl -q net.ipv4.tcp_timestamps=0`
 0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 setsockopt(3, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0
+0 bind(3, {sa_family = AF_INET, sin_port = htons(80), sin_addr = inet_addr(\"0.0.0.0\")}, ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 32792 <mss 1000,sackOK,nop,nop,nop,wscale 7>
+0 > S. 0:0(0) ack 1 <...>
+.1 < . 1:1(0) ack 1 win 257
+0 accept(3, ..., ...) = 4
+0 fcntl(4, F_SETFL, O_RDWR|O_NONBLOCK) = 0
+0 writev(4, [{..., 5000}, {..., 5000}], 2) = 10000
+0 > P. 1:10001(10000) ack 1
+.1~+.2 < . 1:1(0) ack 1001 win 257 <sack 2001:4001 6001:7001,nop,nop>
* > . 1001:2001(1000) ack 1
+0 %{ assert tcpi_snd_cwnd >= 1 and tcpi_unacked < 20, tcpi_snd_cwnd }%
+0 < P. 1:101(100) ack 10001 win 0
+0 read(4, ..., 1000) = 100
+0...0.1 poll([{fd=4, events=POLLIN, revents=0}], 1, 100) = 0
+.1 setsockopt(4, SOL_SOCKET, SO_LINGER, {onoff=1, linger=1}, 8) = 0
+0 setsockopt(4, SOL_TCP, TCP_CORK, [1], 4) = 0
+0 setsockopt(4, SOL_SOCKET, SO_RCVBUF, [20000], 4) = 0
+0 epoll_create(1) = 5
+0 epoll_ctl(5, EPOLL_CTL_ADD, 4, {events=EPOLLIN|EPOLLET, fd=4}) = 0
+0 epoll_wait(5, {events=EPOLLIN, fd=4}, 1, 0) = 0
+0 pipe([6, 7]) = 0
+0 < [ect0] P. 101:201(100) ack 10001 win 0 urg 0 <FO ab,nop,nop>
+0 splice(4, 0, 7, 0, 100, 0) = 100
+0 < icmp unreachable host_unreachable [10001:11001(1000)]
+.1...0.2 close(4) = 0
+.1 < R. 201:201(0) ack 10001 win 0
";

proptest! {
    #[test]
    fn any_text_has_an_outcome(text in "\\PC*") {
        run_text("any", &text);
    }

    #[test]
    fn any_sequence_of_the_languages_words_has_an_outcome(
        words in prop::collection::vec(prop::sample::select(vec![
            "+0", "0", "*", "<", ">", "S", ".", "P.", "0:0(0)", "1:1001(1000)", "ack", "1", "win",
            "<mss 1000>", "<...>", "socket(..., SOCK_STREAM, IPPROTO_TCP) = 3", "close(3) = 0",
            "`", "%{", "}%", "assert 1", "[", "{", "(", "}", "...", "~", "-", "=", "|", "\n", "\"",
            "[ect0]", "(tos 0x1)", "1 > 2", "urg", "SEW", "TS val 1 ecr", "md5", "pipe([5, 6]) = 0", "\\\"", "splice(5, 0, 3, 0, 9, 0) = 9", "--mtu=5", "-D", "x=x", "9999999999999999999", "0xffffffffffffffff", "-1", "1e9",
        ]), 0..60),
    ) {
        run_text("any", &words.join(" "));
    }

    #[test]
    fn a_damaged_script_has_an_outcome(
        cut in 0..SCRIPT.len(),
        length in 0..40usize,
        insert in prop::sample::select(vec!["", "0", "9", "4294967295", "-", "\"", "S", "R.", "}%", "*"]),
    ) {
        let end = (cut + length).min(SCRIPT.len());
        run_text("damaged", &format!("{}{insert}{}", &SCRIPT[..cut], &SCRIPT[end..]));
    }

    #[test]
    fn events_in_any_order_have_an_outcome(
        order in prop::collection::vec(2..SCRIPT.lines().count(), 0..60),
    ) {
        let lines: Vec<&str> = SCRIPT.lines().collect();
        let text: Vec<&str> = order.into_iter().map(|line| lines[line]).collect();
        run_text("shuffled", &text.join("\n"));
    }
}

#[test]
fn the_script_to_be_damaged_is_whole() {
    let report = run_text("whole", SCRIPT);
    assert!(report.is_passed(), "{report}");
}
