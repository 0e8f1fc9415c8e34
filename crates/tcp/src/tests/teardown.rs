//! Closing, resetting and dying.

use units::Time;

use super::script::{MSS, OWN, PEER, Script, rfc};
use crate::{Event, Failure, Flags, Segment, SendCause, State};

fn established() -> Script {
    let mut script = Script::established(&rfc(|_| {}));
    assert_eq!(script.connection.poll_event(), Some(Event::Established));
    script
}

fn reset(offset: u64) -> Segment {
    Segment {
        seq: PEER.at(offset),
        flags: Flags::RST,
        ..Segment::default()
    }
}

#[test]
fn the_end_that_closes_first_waits_two_msl() {
    let mut s = established();
    s.connection.close(s.now);
    let fin = s.sent();
    assert_eq!(fin[0].flags, Flags::FIN | Flags::ACK);
    assert_eq!((fin.len(), fin[0].kind), (1, SendCause::Control));
    let mut ack = Segment {
        seq: PEER + 1,
        ack: fin[0].seq + 1,
        flags: Flags::ACK,
        ..fin[0]
    };
    s.receive(ack);
    assert_eq!(s.connection.state(), State::FinWait2);
    assert_eq!(s.connection.wake_at(), Time::NEVER);
    ack.flags |= Flags::FIN;
    s.at(100).receive(ack);
    assert_eq!(s.connection.state(), State::TimeWait);
    assert_eq!(s.kinds(), [SendCause::Ack]);
    s.at(50_000).receive(ack);
    assert_eq!(
        s.sent()[0].ack,
        PEER + 2,
        "our last acknowledgement was lost"
    );
    s.at(240_100);
    assert_eq!(
        s.connection.state(),
        State::TimeWait,
        "the clock started again"
    );
    s.at(290_000);
    assert_eq!(s.connection.state(), State::Closed);
    assert_eq!(s.connection.poll_event(), Some(Event::PeerClosed));
    assert_eq!(s.connection.poll_event(), Some(Event::Closed));
}

#[test]
fn after_the_peers_fin_we_may_go_on_sending() {
    let mut s = established();
    s.fin(0);
    assert_eq!(s.connection.state(), State::CloseWait);
    assert_eq!(s.connection.poll_event(), Some(Event::PeerClosed));
    s.write(1);
    let data = s.sent();
    assert_eq!((data[0].payload, data[0].ack), (1000, PEER + 2));
    s.ack(1);
    s.connection.close(s.now);
    assert_eq!(s.connection.state(), State::LastAck);
    let fin = s.sent()[0];
    s.receive(Segment {
        seq: PEER + 2,
        ack: fin.seq + 1,
        flags: Flags::ACK,
        ..fin
    });
    assert_eq!(s.connection.state(), State::Closed);
    assert_eq!(s.connection.wake_at(), Time::NEVER);
}

#[test]
fn both_may_close_at_once() {
    let mut s = established();
    s.connection.close(s.now);
    let fin = s.sent()[0];
    s.fin(0);
    assert_eq!(s.connection.state(), State::Closing);
    assert_eq!(s.sent()[0].ack, PEER + 2);
    s.receive(Segment {
        seq: PEER + 2,
        ack: fin.seq + 1,
        flags: Flags::ACK,
        ..fin
    });
    assert_eq!(s.connection.state(), State::TimeWait);
}

#[test]
fn a_fin_is_sent_after_the_data_and_again_if_it_is_lost() {
    let mut s = established();
    s.write(2);
    s.connection.close(s.now);
    assert_eq!(s.connection.write(s.now, 5), 0, "closed is closed");
    let sent = s.sent();
    assert_eq!(sent.len(), 2);
    assert!(!sent[0].flags.contains(Flags::FIN) && sent[1].flags.contains(Flags::FIN));
    s.at(20).ack(2);
    assert_eq!(s.connection.state(), State::FinWait1);
    s.at(2000);
    let again = s.sent();
    assert_eq!((again.len(), again[0].payload), (1, 0));
    assert!(again[0].flags.contains(Flags::FIN));
    assert_eq!(again[0].seq, sent[1].seq + 1000);
}

#[test]
fn data_after_our_fin_are_still_received() {
    let mut s = established();
    s.connection.close(s.now);
    s.sent();
    s.data(0).data(1);
    assert_eq!(s.connection.read(s.now, u64::MAX), 2000);
    assert_eq!(s.kinds(), [SendCause::Ack]);
}

#[test]
fn an_abort_resets_the_peer() {
    let mut s = established();
    s.write(5);
    s.sent();
    s.connection.abort(s.now);
    let sent = s.sent();
    assert_eq!((sent.len(), sent[0].flags), (1, Flags::RST));
    assert_eq!(s.connection.poll_event(), Some(Event::Closed));
    assert_eq!(s.connection.wake_at(), Time::NEVER);
}

#[test]
fn only_a_reset_with_the_very_next_sequence_number_counts() {
    let mut s = established();
    s.receive(reset(0));
    s.receive(reset(60_000_000));
    assert_eq!(s.sent(), [], "outside the window nothing happens");
    s.receive(reset(2));
    assert_eq!(s.kinds(), [SendCause::Ack], "inside it is challenged");
    assert_eq!(s.connection.state(), State::Established);
    s.receive(reset(1));
    assert_eq!(
        s.connection.poll_event(),
        Some(Event::Failed(Failure::Reset))
    );
    assert_eq!(s.sent(), []);
}

/// RFC 5961 §5.2: data that come with an acknowledgement out of all bounds are not taken.
#[test]
fn data_with_an_ancient_acknowledgement_are_challenged() {
    let mut s = established();
    // The peer's largest window was 8000 << 7, a little more than a thousand segments.
    for n in 0..1100 {
        s.write(1);
        s.data_sent();
        s.ack(n + 1);
    }
    let data_acknowledging = |segments| Segment {
        seq: PEER + 1,
        ack: OWN.at(1 + segments * MSS),
        payload: 100,
        flags: Flags::ACK,
        window: 8000,
        ..Segment::default()
    };
    s.receive(data_acknowledging(70));
    assert_eq!(
        (s.kinds(), s.connection.readable()),
        (vec![SendCause::Ack], 0)
    );
    s.receive(data_acknowledging(80));
    assert_eq!(s.connection.readable(), 100, "merely old");
}

#[test]
fn a_syn_in_the_midst_is_challenged() {
    let mut s = established();
    s.receive(Segment {
        seq: PEER + 1,
        flags: Flags::SYN,
        ..Segment::default()
    });
    assert_eq!(s.kinds(), [SendCause::Ack]);
    assert_eq!(s.connection.state(), State::Established);
}

#[test]
fn a_segment_for_a_connection_that_is_gone_is_reset() {
    let mut s = established();
    s.connection.abort(s.now);
    s.sent();
    s.data(0);
    let sent = s.sent();
    assert_eq!((sent.len(), sent[0].flags), (1, Flags::RST));
}
