//! Without SACK: what the acknowledgments alone tell of what was retransmitted.

use super::tests::{MS, Script, cause};
use super::*;

/// The handshake of a client that has no SACK.
fn open_without_sack() -> Script {
    let mut script = Script::open([100, 200]);
    for segment in &mut script.segments {
        segment.options.sack_permitted = false;
    }
    script
}

/// Timestamps of milliseconds on what the client sends, and their echoes `echoes` on what the
/// server does, one by one behind the handshake.
fn stamp(script: &mut Script, echoes: &[u32]) {
    let client = script.segments[0].source;
    let mut echoes = echoes.iter();
    for segment in &mut script.segments[3..] {
        let is_clients = segment.source == client;
        let own = (segment.time_ns / MS) as u32;
        let echo = match is_clients {
            true => 0,
            false => *echoes.next().expect("an echo for each"),
        };
        segment.options.timestamps = Some((own, echo));
    }
}

fn causes(script: &Script) -> [u64; 2] {
    [Cause::Fast, Cause::NeedlessFast].map(|why| cause(&script.only(), why))
}

/// Segment 1 was late, and comes when its repair is on the way: what it sets off echoes the
/// timestamp of the original.
#[test]
fn an_echo_of_the_original_shows_its_repair_to_be_needless() {
    let mut script = open_without_sack();
    script.at(1060).all(0..5).at(1110);
    script.ack(1, None).ack(1, None).ack(1, None).ack(1, None);
    script.at(1111).data(1).at(1162).ack(5, None);
    let mut late = script.clone();
    stamp(&mut late, &[1060, 1060, 1060, 1060, 1060]);
    assert_eq!(causes(&late), [0, 1]);
    let mut lost = script;
    stamp(&mut lost, &[1060, 1060, 1060, 1060, 1111]);
    assert_eq!(causes(&lost), [1, 0]);
}

/// As Linux does (tcp_try_undo_partial), the sender is as if nothing had been lost.
#[test]
fn a_recovery_that_began_with_a_needless_repair_is_undone() {
    let mut script = open_without_sack();
    script.at(1060).all(0..8).at(1110);
    script.ack(1, None).ack(1, None).ack(1, None).ack(1, None);
    script.at(1111).data(1).at(1115).ack(3, None);
    script.ack(3, None).ack(3, None).ack(3, None).data(3);
    script.at(1166).ack(8, None);
    stamp(
        &mut script,
        &[1060, 1060, 1060, 1060, 1060, 1060, 1060, 1060, 1115],
    );
    assert_eq!(causes(&script), [1, 1]);
    assert_eq!(script.only().client.counters.recoveries, 2);
}

/// The fast retransmission fills the hole, but late: the timer's copy of the same segment comes in
/// vain. That undoes nothing, as the loss was one: what is retransmitted then still belongs to the
/// recovery from the timeout.
#[test]
fn an_echo_of_the_first_repair_undoes_no_recovery() {
    let mut script = open_without_sack();
    script.at(1060).all(0..8).at(1110);
    script.ack(1, None).ack(1, None).ack(1, None).ack(1, None);
    script.at(1111).data(1).at(1411).data(1);
    script.at(1420).ack(4, None).data(4).at(1470).ack(8, None);
    stamp(&mut script, &[1060, 1060, 1060, 1060, 1111, 1420]);
    let summary = script.only();
    let told =
        [Cause::Fast, Cause::NeedlessTimeout, Cause::Timeout].map(|why| cause(&summary, why));
    assert_eq!(told, [1, 1, 1]);
}

/// Without SACK the duplicates of a complete acknowledgment may be the answers to needless repairs
/// (RFC 6582 §3.2), so that the recovery lasts until more is acknowledged.
#[test]
fn a_recovery_without_reports_lasts_until_more_than_all_of_it_is_acknowledged() {
    for (acked, recoveries) in [(5, 1), (6, 2)] {
        let mut script = open_without_sack();
        script.at(1060).all(0..5).at(1110);
        script.ack(1, None).ack(1, None).ack(1, None).ack(1, None);
        script.data(1).all(5..12).at(1160).ack(acked, None);
        script.ack(acked, None).ack(acked, None).ack(acked, None);
        script.data(acked);
        assert_eq!(causes(&script), [2, 0]);
        let counters = script.only().client.counters;
        assert_eq!(counters.recoveries, recoveries, "{acked}");
    }
}
