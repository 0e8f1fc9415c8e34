//! Whole exchanges of a few stations over the channel.

use dot11::{Address, FrameKind, MacConfig};
use units::{Db, Dbm};

use super::at;
use super::cell::{Cell, Happening, config};
use crate::{LinkBudget, Medium};

/// Stations 20 dBm strong with these losses between them, the same both ways.
pub fn cell<const RADIOS: usize>(loss: [[f64; RADIOS]; RADIOS], config: &MacConfig) -> Cell {
    let loss = loss.map(|row| row.map(Db).to_vec());
    let budget = LinkBudget::new(&[Dbm(20.0); RADIOS], &loss, Dbm(-82.0), Dbm(-95.0));
    let mut cell = Cell::new(budget, config, Medium::begin);
    cell.run(at(1000));
    cell
}

/// Everyone 60 dB from everyone.
pub const ROOM: [[f64; 3]; 3] = [[60.0; 3]; 3];

/// Stations 0 and 2 hear station 1 and not each other.
const HIDDEN: [[f64; 3]; 3] = [[60.0, 60.0, 150.0], [60.0, 60.0, 60.0], [150.0, 60.0, 60.0]];

pub const SEGMENT: u16 = 1508;

fn kinds(cell: &Cell) -> Vec<FrameKind> {
    let concluded = cell.concluded.iter();
    concluded.map(|concluded| concluded.frame.kind).collect()
}

#[test]
fn data_and_ack_take_their_time_to_the_microsecond() {
    let mut cell = cell(ROOM, &config());
    cell.enqueue(0, 7, Address(1), SEGMENT);
    cell.run_micros(10_000);
    let starts: Vec<_> = cell.concluded.iter().map(|c| c.start).collect();
    assert_eq!(starts, [at(1000), at(1000 + 1310 + 10)]);
    assert!(
        cell.concluded
            .iter()
            .all(|c| c.decoded && !c.has_collided())
    );
    let delivered = cell
        .members
        .happened
        .iter()
        .find_map(|&(when, radio, what)| {
            matches!(what, Happening::Delivery(_)).then_some((when, radio))
        });
    assert_eq!(delivered, Some((at(2310), 1)));
}

#[test]
fn a_broadcast_reaches_all_and_nobody_answers() {
    let mut cell = cell(ROOM, &config());
    cell.enqueue(0, 7, Address::BROADCAST, 36);
    cell.run_micros(10_000);
    assert_eq!(kinds(&cell), [FrameKind::Data]);
    let happened = cell.members.happened.iter();
    let delivered: Vec<usize> = happened
        .filter(|(_, _, what)| matches!(what, Happening::Delivery(_)))
        .map(|&(_, radio, _)| radio)
        .collect();
    assert_eq!(delivered, [1, 2]);
}

#[test]
fn a_station_that_hears_the_frame_waits_and_a_hidden_one_destroys_it() {
    let first_frames = |loss| {
        let mut cell = cell(loss, &config());
        cell.enqueue(0, 1, Address(1), SEGMENT);
        cell.run_micros(500);
        cell.enqueue(2, 2, Address(1), SEGMENT);
        cell.run_micros(2500);
        let fates = cell.concluded.iter();
        fates
            .map(|c| (c.frame.transmitter.0, c.has_collided(), c.decoded))
            .collect::<Vec<_>>()
    };
    let room = [(0, false, true), (1, false, true)];
    assert_eq!(first_frames(ROOM)[..2], room);
    let hidden = [(0, true, false), (2, true, false)];
    assert_eq!(first_frames(HIDDEN)[..2], hidden);
}

#[test]
fn rts_and_cts_keep_a_hidden_station_from_the_data() {
    let mut cell = cell(
        HIDDEN,
        &MacConfig {
            rts_threshold: 500,
            ..config()
        },
    );
    cell.enqueue(0, 1, Address(1), SEGMENT);
    cell.run_micros(700);
    cell.enqueue(2, 2, Address(1), SEGMENT);
    cell.run_micros(10_000);
    use FrameKind::{Ack, Cts, Data, Rts};
    let exchange = [Rts, Cts, Data, Ack];
    assert_eq!(kinds(&cell), [exchange, exchange].concat());
    assert!(cell.concluded.iter().all(|c| !c.has_collided()));
    let (mac, _) = &cell.members.macs[2];
    assert_eq!(mac.counters().nav_deferrals, 1);
}

#[test]
fn exchanges_out_of_each_others_earshot_go_on_at_once() {
    let mut loss = [[150.0; 4]; 4];
    for (one, other) in [(0, 1), (2, 3)] {
        (loss[one][other], loss[other][one]) = (60.0, 60.0);
    }
    let mut cell = cell(loss, &config());
    cell.enqueue(0, 1, Address(1), SEGMENT);
    cell.enqueue(2, 2, Address(3), SEGMENT);
    cell.run_micros(10_000);
    let starts: Vec<_> = cell.concluded.iter().map(|c| c.start).collect();
    assert_eq!(starts, [at(1000), at(1000), at(2320), at(2320)]);
    assert!(
        cell.concluded
            .iter()
            .all(|c| c.decoded && !c.has_collided())
    );
}
