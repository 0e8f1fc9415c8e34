//! Opening a connection.

use units::{Duration, Time};

use super::pair::{LONG, Pair, WireOutcome};
use super::script::{OWN, PEER, Script, rfc};
use crate::{Connection, ConnectionOptions, Event, Failure, Flags, Options, Segment, SendCause};
use crate::{Profile, State, profile};

const SYN: Flags = Flags::SYN;
const ACK: Flags = Flags::ACK;

fn connect(name: &str) -> Connection {
    let options = ConnectionOptions::default();
    Connection::connect(Time::ZERO, &profile(name).unwrap(), &options, OWN.0)
}

fn listen(name: &str) -> Connection {
    Connection::listen(
        &profile(name).unwrap(),
        &ConnectionOptions::default(),
        PEER.0,
    )
}

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn events(connection: &mut Connection) -> Vec<Event> {
    core::iter::from_fn(|| connection.poll_event()).collect()
}

#[test]
fn the_syn_of_windows_xp_offers_sack_and_no_scaling() {
    let syn = connect("windows-xp").poll_segment(Time::ZERO).unwrap();
    let expected = Segment {
        seq: OWN,
        flags: SYN,
        window: 17_520,
        kind: SendCause::Control,
        options: Options {
            mss: Some(1460),
            sack_permitted: true,
            ..Options::default()
        },
        ..Segment::default()
    };
    assert_eq!(syn, expected);
    assert_eq!(syn.header_bytes(), 28);
}

#[test]
fn three_segments_open_a_connection() {
    let (mut client, mut server) = (connect("rfc"), listen("rfc"));
    let syn = client.poll_segment(at(0)).unwrap();
    assert_eq!(server.poll_segment(at(0)), None);
    server.on_segment(at(10), &syn);
    let answer = server.poll_segment(at(10)).unwrap();
    assert_eq!(
        (answer.flags, answer.seq, answer.ack),
        (SYN | ACK, PEER, OWN + 1)
    );
    assert_eq!(server.state(), State::SynReceived);
    client.on_segment(at(20), &answer);
    assert_eq!(events(&mut client), [Event::Established]);
    assert_eq!(client.take_rtt_sample(), Some(Duration::from_millis(20)));
    let ack = client.poll_segment(at(20)).unwrap();
    assert_eq!(
        (ack.flags, ack.seq, ack.ack, ack.kind),
        (ACK, OWN + 1, PEER + 1, SendCause::Ack)
    );
    server.on_segment(at(30), &ack);
    assert_eq!(events(&mut server), [Event::Established]);
    assert_eq!(
        (client.poll_segment(at(30)), server.poll_segment(at(30))),
        (None, None)
    );
    assert_eq!(
        (client.wake_at(), server.wake_at()),
        (Time::NEVER, Time::NEVER)
    );
}

#[test]
fn an_option_is_used_only_if_both_ends_want_it() {
    let mut p = profile("rfc").unwrap();
    p.timestamps = true;
    p.receive_window_bytes = 1 << 20;
    let options = ConnectionOptions::default();
    let answer_to = |mut server: Connection| {
        let syn = Connection::connect(at(0), &p, &options, 1)
            .poll_segment(at(0))
            .unwrap();
        assert_eq!(syn.options.window_scale, Some(5));
        assert!(syn.options.timestamps.is_some() && syn.options.sack_permitted);
        server.on_segment(at(0), &syn);
        server.poll_segment(at(0)).unwrap().options
    };
    let from_windows = answer_to(listen("windows-2000"));
    assert_eq!(
        (from_windows.window_scale, from_windows.timestamps),
        (None, None)
    );
    assert!(from_windows.sack_permitted);
    let from_itself = answer_to(Connection::listen(
        &Profile { sack: false, ..p },
        &options,
        2,
    ));
    assert_eq!(from_itself.window_scale, Some(5));
    assert!(from_itself.timestamps.is_some() && !from_itself.sack_permitted);
}

#[test]
fn a_peer_that_names_no_mss_gets_536() {
    let mut server = listen("rfc");
    server.on_segment(
        at(0),
        &Segment {
            flags: SYN,
            ..Segment::default()
        },
    );
    assert_eq!(server.info().mss_bytes, 536);
}

#[test]
fn windows_sends_its_syn_three_times_and_gives_up_after_21_seconds() {
    let mut client = connect("windows-xp");
    assert!(client.poll_segment(at(0)).is_some());
    for ms in [3000, 9000] {
        assert_eq!(client.wake_at(), at(ms));
        client.on_timer(at(ms));
        assert_eq!(client.poll_segment(at(ms)).unwrap().flags, SYN);
    }
    assert_eq!(client.wake_at(), at(21_000));
    client.on_timer(at(21_000));
    assert_eq!(client.poll_segment(at(21_000)), None);
    assert_eq!(events(&mut client), [Event::Failed(Failure::TimedOut)]);
    assert_eq!(
        (client.state(), client.wake_at()),
        (State::Closed, Time::NEVER)
    );
}

#[test]
fn two_syns_that_cross_make_one_connection() {
    let (mut a, mut b) = (connect("rfc"), connect("rfc"));
    let (syn_a, syn_b) = (
        a.poll_segment(at(0)).unwrap(),
        b.poll_segment(at(0)).unwrap(),
    );
    a.on_segment(at(10), &syn_b);
    b.on_segment(at(10), &syn_a);
    assert_eq!(
        (a.state(), b.state()),
        (State::SynReceived, State::SynReceived)
    );
    let (answer_a, answer_b) = (
        a.poll_segment(at(10)).unwrap(),
        b.poll_segment(at(10)).unwrap(),
    );
    assert_eq!((answer_a.flags, answer_a.seq), (SYN | ACK, OWN));
    a.on_segment(at(20), &answer_b);
    b.on_segment(at(20), &answer_a);
    assert_eq!(
        (a.state(), b.state()),
        (State::Established, State::Established)
    );
    assert!(a.write(at(20), 100) == 100 && b.write(at(20), 200) == 200);
    for now in [at(20), at(30), at(40)] {
        let (from_a, from_b) = (a.poll_segment(now), b.poll_segment(now));
        from_b.iter().for_each(|s| a.on_segment(now, s));
        from_a.iter().for_each(|s| b.on_segment(now, s));
    }
    assert_eq!((a.readable(), b.readable()), (200, 100));
}

#[test]
fn a_closed_port_refuses() {
    let mut client = connect("rfc");
    let syn = client.poll_segment(at(0)).unwrap();
    let mut nobody = listen("rfc");
    nobody.close(at(0));
    nobody.on_segment(at(0), &syn);
    let reset = nobody.poll_segment(at(0)).unwrap();
    assert_eq!((reset.flags, reset.ack), (Flags::RST | ACK, OWN + 1));
    client.on_segment(at(0), &reset);
    assert_eq!(events(&mut client), [Event::Failed(Failure::Refused)]);
}

#[test]
fn an_old_syn_ack_is_reset_and_does_not_open_anything() {
    let mut client = connect("rfc");
    client.poll_segment(at(0));
    let old = Segment {
        flags: SYN | ACK,
        ack: OWN + 77,
        ..Segment::default()
    };
    client.on_segment(at(0), &old);
    let reset = client.poll_segment(at(0)).unwrap();
    assert_eq!((reset.flags, reset.seq), (Flags::RST, OWN + 77));
    assert_eq!(client.state(), State::SynSent);
}

#[test]
fn a_reset_in_syn_received_leads_a_listener_back_to_listening() {
    let mut server = listen("rfc");
    server.on_segment(
        at(0),
        &Segment {
            seq: OWN,
            flags: SYN,
            ..Segment::default()
        },
    );
    assert!(server.poll_segment(at(0)).is_some());
    server.on_segment(
        at(5),
        &Segment {
            seq: OWN + 1,
            flags: Flags::RST,
            ..Segment::default()
        },
    );
    assert_eq!(
        (server.state(), server.wake_at()),
        (State::Listen, Time::NEVER)
    );
    assert_eq!(server.poll_event(), None);
}

#[test]
fn a_syn_again_is_answered_by_the_syn_ack_again() {
    let mut server = listen("rfc");
    let syn = Segment {
        seq: OWN,
        flags: SYN,
        ..Segment::default()
    };
    server.on_segment(at(0), &syn);
    let first = server.poll_segment(at(0)).unwrap();
    server.on_segment(at(500), &syn);
    assert_eq!(server.poll_segment(at(500)), Some(first));
    assert_eq!(server.counters().syn_retransmissions, 1);
}

/// RFC 6298 (5.7) and RFC 5681 §3.1.
#[test]
fn after_a_lost_syn_data_begin_with_three_seconds_and_one_segment() {
    let mut pair = Pair::upload(&profile("rfc").unwrap(), 50_000, |from, _, n| {
        if from == 0 && n == 0 {
            WireOutcome::Drop
        } else {
            WireOutcome::Deliver
        }
    });
    pair.run(Duration::from_millis(1025));
    let info = pair.ends[0].connection.info();
    assert_eq!(info.rto, Duration::from_secs(3));
    assert_eq!(info.cwnd_bytes, 1460);
    assert!(pair.run(LONG));
    pair.assert_complete();
}

#[test]
fn what_is_written_and_closed_before_the_handshake_is_sent_after_it() {
    let mut s = Script::established(&rfc(|_| {}));
    s.connection.close(s.now);
    assert_eq!(s.connection.state(), State::FinWait1);
    let mut client = connect("rfc");
    client.write(at(0), 10);
    client.close(at(0));
    assert_eq!(client.state(), State::SynSent);
    let mut idle = connect("rfc");
    idle.close(at(0));
    assert_eq!(events(&mut idle), [Event::Closed]);
    assert_eq!(idle.poll_segment(at(0)), None);
}
