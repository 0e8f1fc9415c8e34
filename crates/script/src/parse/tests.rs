use super::*;
use crate::ast::{EcnField, Expression};
use tcp::{Ecn, Flags};

fn only(text: &str) -> ScriptEvent {
    let script = parse(text).unwrap();
    assert_eq!(script.events.len(), 1);
    script.events.into_iter().next().unwrap()
}

fn refused(text: &str) -> Refusal {
    parse(text).unwrap_err()
}

#[test]
fn times_are_absolute_relative_free_or_ranges() {
    let times = [
        ("0.5 `true`", When::Absolute(500_000_000)),
        ("+.000001 `true`", When::Relative(1_000)),
        ("* `true`", When::Any),
        (
            "1~2 `true`",
            When::AbsoluteRange(1_000_000_000, 2_000_000_000),
        ),
        (
            "+1~+1.5 `true`",
            When::RelativeRange(1_000_000_000, 1_500_000_000),
        ),
    ];
    for (text, when) in times {
        // Only a command without a time would be the initialisation.
        assert_eq!(only(text).when, when, "{text}");
    }
}

#[test]
fn a_segment_with_every_option_is_read() {
    let event = only("+0 < P. 1:101(100) ack 7 win 257 <nop,nop,TS val 5 ecr 6,sack 9:11 13:15>");
    let ScriptAction::Inbound(packet) = event.action else {
        panic!("not inbound");
    };
    assert_eq!(packet.flags, Flags::PSH | Flags::ACK);
    assert_eq!((packet.seq, packet.payload), (1, 100));
    assert_eq!((packet.ack, packet.window), (Some(7), Some(257)));
    let options = packet.options.unwrap();
    assert_eq!(options.timestamps, Some((5, 6)));
    assert_eq!(options.sack, [(9, 11), (13, 15)]);
}

#[test]
fn an_outbound_packet_may_leave_window_and_options_open() {
    let event = only("+0 > S. 0:0(0) ack 1 <...>");
    let ScriptAction::Outbound(packet) = event.action else {
        panic!("not outbound");
    };
    assert_eq!((packet.window, packet.options), (None, None));
}

#[test]
fn marks_of_congestion_stand_in_the_ip_header_and_among_the_flags() {
    let packet = |text: &str| match only(text).action {
        ScriptAction::Inbound(packet) | ScriptAction::Outbound(packet) => {
            (packet.ecn, packet.flags)
        }
        _ => panic!("no packet"),
    };
    let is = |ecn| Some(EcnField::Is(ecn));
    let acks = |flag: Flags| Flags::ACK | flag;
    let read = |text| packet(text);
    assert_eq!(
        read("+0 < (tos 0x1) E. 1:1(0) ack 1 win 5"),
        (is(Ecn::Capable1), acks(Flags::ECE))
    );
    let (ecn, flags) = read("+0 < [ce, flowlabel 0x7] PEW. 1:2(1) ack 1 win 5 urg 0");
    assert_eq!(ecn, is(Ecn::Congestion));
    assert_eq!(flags, acks(Flags::PSH | Flags::ECE | Flags::CWR));
    assert_eq!(read("+0 > [noecn] . 1:1(0) ack 1").0, is(Ecn::NotCapable));
    assert_eq!(
        read("+0 > [ect01] . 1:2(1) ack 1").0,
        Some(EcnField::Capable)
    );
    assert_eq!(read("+0 > P. 1:2(1) ack 1").0, None);
    only("+0 < S 0:0(0) win 5 <mss 1000,FO a0b1,nop,nop>");
}

#[test]
fn a_packet_may_name_its_ports() {
    let ScriptAction::Inbound(packet) = only("+0 < 40002 > 8080 . 1:1(0) ack 1 win 5").action
    else {
        panic!("not inbound");
    };
    assert_eq!(packet.ports, Some((40_002, 8080)));
}

#[test]
fn a_call_has_arguments_a_result_an_error_and_a_note() {
    let event = only("+0...0.2 connect(3, {sa_family=AF_INET}, ...) = -1 ETIMEDOUT (Timed out)");
    let ScriptAction::Call(call) = event.action else {
        panic!("no call");
    };
    assert_eq!(
        (call.name.as_str(), call.end),
        ("connect", Some(200_000_000))
    );
    assert_eq!(call.result, Expression::Integer(-1));
    assert_eq!(call.errno.as_deref(), Some("ETIMEDOUT"));
    let family = call.arguments[1].field("sa_family");
    assert_eq!(family, Some(&Expression::Word("AF_INET".into())));
}

#[test]
fn definitions_stand_for_their_text() {
    let script = parse("--define LEN=100\n-D FD=4\n+0 write(FD, ..., LEN) = LEN").unwrap();
    let ScriptAction::Call(call) = &script.events[0].action else {
        panic!("no call");
    };
    assert_eq!(call.arguments[0], Expression::Integer(4));
    assert_eq!(call.result, Expression::Integer(100));
}

#[test]
fn what_cannot_be_read_names_its_line() {
    let cases = [
        ("\n+0 < S 0:1(0) win 1", "are not 0 bytes"),
        ("\n+0 > P 1:1(0) ack 1", "without the flag"),
        ("\n+0 < S 0:0(0)", "win N"),
        ("\n+0 < udp (100)", "only TCP"),
        ("\n+0 < icmp", "needs its type"),
        ("\n+0 > S 0:0(0) <FO abc>", "pairs of hexadecimal digits"),
        ("\n+0 < .5 1:1(0) ack 1 win 5", "accurate ECN"),
        ("\n+0 < S 0:0(0) win 1 <md5 0a0b>", "MD5"),
        ("\n+0 > [ttl 64] . 1:1(0) ack 1", "IP header"),
        ("\n+0 < . 1:1(0) ack 1 win 5 {mut tcp 4-5}", "mutation"),
        ("\n+0 ping", "expected '('"),
        ("\n+0", "found the end"),
        ("\n-1 `ls`", "between 0 and a year"),
    ];
    for (text, reason) in cases {
        let refusal = refused(text);
        assert_eq!(refusal.line, 2, "{text:?}: {}", refusal.reason);
        assert!(
            refusal.reason.contains(reason),
            "{text:?}: {}",
            refusal.reason
        );
    }
}

#[test]
fn depth_is_bounded() {
    let text = format!("+0 f({}) = 0", "[".repeat(10_000));
    assert!(refused(&text).reason.contains("deeply"));
}

#[test]
fn a_cookie_whose_digits_are_all_decimal_is_read_as_it_is_written() {
    let cookie = |text: &str| {
        let ScriptAction::Outbound(packet) = only(text).action else {
            panic!("not outbound");
        };
        packet.options.unwrap().fast_open.unwrap().cookie
    };
    let bytes = [0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99];
    let read = cookie("+0 > S 0:0(0) <FO 00112233445566778899>");
    assert_eq!(read.as_bytes(), bytes);
    // Where a symbol stands for it, too.
    let read = cookie("-DC=00112233445566778899\n+0 > S 0:0(0) <FO C>");
    assert_eq!(read.as_bytes(), bytes);
    let read = cookie("-DC=0011223344556677\n+0 > S 0:0(0) <FO C>");
    assert_eq!(read.as_bytes(), &bytes[..8]);
    let reason = refused("+0 < S 0:0(0) win 99999999999999999999").reason;
    assert!(reason.contains("no number of 64 bits"), "{reason}");
}

#[test]
fn symbols_do_not_make_a_script_endless() {
    let value = "1|".repeat(20_000);
    let text = format!("-DS=\"{value}\"\n+0 f({}) = 0", "S,".repeat(1000));
    assert!(refused(&text).reason.contains("longer than any script"));
}
