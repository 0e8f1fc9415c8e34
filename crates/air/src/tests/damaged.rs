//! Frames that are said to arrive damaged, and what their stations do about it: the packet
//! diagrams of losses on the air.

use dot11::{Address, FrameKind, MacConfig};
use phy::{DSSS_HR, Mode, Preamble, TxVector};

use super::at;
use super::cell::{Begin, Cell, Happening, config};
use super::ears::{Ears, channel, ended, frame};
use super::exchanges::{ROOM, SEGMENT, cell};
use crate::{Medium, Transmission};
use FrameKind::{Ack, Data};

/// Returns what went over the air: when it began in µs, what, which fragment, and whether it was
/// decoded.
fn diagram(cell: &Cell) -> Vec<(u64, FrameKind, u8, bool)> {
    let line = |done: &Transmission| {
        let begins = done.start.as_nanos() / 1000;
        (begins, done.frame.kind, done.frame.fragment, done.decoded)
    };
    cell.concluded.iter().map(line).collect()
}

fn deliveries(cell: &Cell) -> usize {
    let happened = cell.members.happened.iter();
    let deliveries = happened.filter(|(_, _, what)| matches!(what, Happening::Delivery(_)));
    deliveries.count()
}

/// One MSDU from station 0 to station 1, with these transmissions damaged.
fn one_msdu(config: &MacConfig, damaged: &[usize]) -> Cell {
    let mut cell = cell(ROOM, config);
    cell.damaged = damaged.to_vec();
    cell.enqueue(0, 7, Address(1), SEGMENT);
    cell
}

#[test]
fn a_lost_msdu_is_retransmitted_from_a_doubled_window() {
    let mut cell = one_msdu(&config(), &[0]);
    cell.run_micros(1310 + 222);
    assert_eq!(cell.members.macs[0].0.cw(), 63, "after the ACK timeout");
    cell.run_micros(10_000);
    let [lost, again, ack] = diagram(&cell)[..] else {
        panic!("data, data, ACK");
    };
    assert_eq!(
        (lost.1, lost.3, again.1, again.3),
        (Data, false, Data, true)
    );
    assert!(cell.concluded[1].frame.retry);
    assert_eq!((ack.1, ack.3), (Ack, true));
    assert_eq!(cell.members.macs[0].0.cw(), 31);
    assert_eq!(deliveries(&cell), 1);
}

#[test]
fn when_an_ack_is_lost_the_duplicate_is_acknowledged_and_discarded() {
    let mut cell = one_msdu(&config(), &[1]);
    cell.run_micros(20_000);
    let fates: Vec<_> = (diagram(&cell).iter())
        .map(|&(_, kind, _, decoded)| (kind, decoded))
        .collect();
    assert_eq!(
        fates,
        [(Data, true), (Ack, false), (Data, true), (Ack, true)]
    );
    let receiver = cell.members.macs[1].0.counters();
    assert_eq!((receiver.acks_sent, receiver.duplicates), (2, 1));
    assert_eq!(deliveries(&cell), 1);
}

#[test]
fn a_lost_second_fragment_is_retransmitted_without_the_first() {
    let fragments = MacConfig {
        fragmentation_threshold: 800,
        ..config()
    };
    // Fragment, ACK, second fragment.
    let mut cell = one_msdu(&fragments, &[2]);
    cell.run_micros(20_000);
    let sent: Vec<_> = (diagram(&cell).iter())
        .filter(|(_, kind, ..)| *kind == Data)
        .map(|&(_, _, fragment, decoded)| (fragment, decoded))
        .collect();
    assert_eq!(sent, [(0, true), (1, false), (1, true)]);
    assert_eq!(deliveries(&cell), 1);
}

#[test]
fn who_hears_a_damaged_frame_waits_for_eifs() {
    let silence = -200.0;
    let waits = |begin: Begin| {
        let mut medium = channel([[silence, -60.0], [silence, silence]]);
        let mut ears = Ears::default();
        let frame = frame(0, Mode::CCK_11);
        begin(&mut medium, at(100), 0, &frame);
        medium.change(1, |contention| {
            contention.request_access(at(200), &mut ears.random);
        });
        let end = at(100) + frame.airtime();
        let done = ended(&mut medium, end, 0, &mut ears);
        assert_eq!(done.decoded, !ears.decoded.is_empty());
        let (access_at, radio) = medium.next_act();
        assert_eq!(radio, 1);
        access_at - end
    };
    assert_eq!(waits(Medium::begin), DSSS_HR.difs);
    let begin_damaged: Begin = |medium, now, from, frame| {
        medium.begin(now, from, frame);
        medium.damage(from);
    };
    let eifs = DSSS_HR.eifs_behind(TxVector::of(Mode::CCK_11, Preamble::Long));
    assert_eq!(waits(begin_damaged), eifs);
}
