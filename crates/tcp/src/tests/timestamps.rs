//! The timestamps option (RFC 7323).

use units::Duration;

use super::script::{MSS, OWN, PEER, Script, rfc};
use crate::{Flags, Options, Segment, SendCause, Timestamps};

/// Reading of the peer's clock when the connection opens; its ticks are ours, 1 ms.
const PEER_CLOCK: u32 = 1000;

fn established() -> Script {
    Script::established(&rfc(|p| p.timestamps = true))
}

/// The peer's segment `n`, stamped so many ticks after the beginning.
fn stamped(n: u64, ticks: u32) -> Segment {
    Segment {
        seq: PEER.at(1 + n * MSS),
        ack: OWN + 1,
        payload: MSS as u32,
        flags: Flags::ACK,
        window: 8000,
        options: Options {
            timestamps: Some(Timestamps {
                value: PEER_CLOCK + ticks,
                echo: 0,
            }),
            ..Options::default()
        },
        ..Segment::default()
    }
}

/// The tick that the one segment to be sent echoes.
fn echoed(s: &mut Script) -> u32 {
    let sent = s.sent();
    assert_eq!(sent.len(), 1);
    sent[0].options.timestamps.unwrap().echo - PEER_CLOCK
}

/// RFC 7323 §4.3, case A: the time the peer waited for us belongs to the round trip.
#[test]
fn a_delayed_acknowledgement_echoes_the_first_of_its_segments() {
    let mut s = established();
    s.receive(stamped(0, 10)).receive(stamped(1, 20));
    assert_eq!(echoed(&mut s), 10);
    s.receive(stamped(2, 30)).receive(stamped(3, 40));
    assert_eq!(echoed(&mut s), 30);
}

/// Cases B and C: a gap is acknowledged with the stamp of what was last in order, and its
/// filling with the stamp of the segment that filled it.
#[test]
fn a_segment_beyond_a_gap_is_not_echoed() {
    let mut s = established();
    s.receive(stamped(0, 10)).receive(stamped(2, 30));
    assert_eq!(echoed(&mut s), 10);
    s.receive(stamped(1, 50));
    assert_eq!(echoed(&mut s), 50);
}

/// §5.3: a segment of another lap of the sequence numbers betrays itself by its stamp.
#[test]
fn a_segment_with_an_older_stamp_is_rejected_though_its_number_fits() {
    let mut s = established();
    s.receive(stamped(0, 500)).receive(stamped(1, 500));
    assert_eq!(echoed(&mut s), 500);
    s.receive(stamped(2, 499));
    let answer = s.sent();
    assert_eq!((answer.len(), answer[0].ack), (1, PEER.at(1 + 2 * MSS)));
    assert_eq!(s.connection.readable(), 2 * MSS);
    s.receive(stamped(2, 501));
    assert_eq!(s.connection.readable(), 3 * MSS);
}

#[test]
fn the_echo_tells_the_round_trip_of_a_retransmission() {
    let mut s = established();
    s.write(1);
    s.connection.take_rtt_sample();
    assert_eq!(
        s.kinds(),
        [SendCause::Data],
        "988 bytes: the rest waits for Nagle"
    );
    s.at(1000);
    let again = s.sent()[0];
    assert_eq!(again.kind, SendCause::TimeoutRetransmission);
    let mut ack = stamped(0, 600);
    ack.payload = 0;
    ack.ack = again.seq + again.payload;
    ack.options.timestamps.as_mut().unwrap().echo = again.options.timestamps.unwrap().value;
    s.at(1030).receive(ack);
    assert_eq!(
        s.connection.take_rtt_sample(),
        Some(Duration::from_millis(30))
    );
}
