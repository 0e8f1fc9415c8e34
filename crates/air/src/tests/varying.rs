//! Links whose loss changes: what a frame finds at its first bit it keeps to its last.

use dot11::Mode;
use units::{Db, Dbm, Time};

use super::at;
use super::ears::{CARRIER_SENSE, Ears, NOISE, frame, play, with_budget};
use crate::{LinkBudget, Medium, Process};

/// A link that is twenty decibels worse from a time on until another.
#[derive(Debug)]
struct Worse {
    from: Time,
    until: Time,
}

impl Process for Worse {
    fn gain(&mut self, at: Time) -> f64 {
        if (self.from..self.until).contains(&at) {
            0.01
        } else {
            1.0
        }
    }
}

/// Radio 1 hears radio 0 ten decibels above what it senses, but for some time.
fn link(from: u64, until: u64) -> Medium {
    let loss = [[0.0, -CARRIER_SENSE - 10.0], [-CARRIER_SENSE - 10.0, 0.0]];
    let loss = loss.map(|row| row.map(Db).to_vec());
    let (carrier_sense, noise) = (Dbm(CARRIER_SENSE), Dbm(NOISE));
    let mut budget = LinkBudget::new(&[Dbm(0.0); 2], &loss, carrier_sense, noise);
    let (from, until) = (at(from), at(until));
    budget.vary([0, 1], Box::new(Worse { from, until }));
    with_budget(budget)
}

/// A kilobyte at 1 Mbit/s takes 8192 µs.
#[test]
fn a_frame_is_heard_or_not_by_what_the_link_is_at_its_first_bit() {
    let sent = [0, 10_000, 20_000].map(|begin| (begin, frame(0, Mode::Dsss1)));
    let heard = |from, until| {
        let mut ears = Ears::default();
        play(&mut link(from, until), &mut ears, &sent);
        ears.decoded.len()
    };
    assert_eq!(heard(30_000, 40_000), 3);
    assert_eq!(heard(9_000, 11_000), 2);
    assert_eq!(heard(10_001, 20_000), 3);
    assert_eq!(heard(10_000, 20_001), 1);
}

#[test]
fn what_a_fade_hides_holds_no_channel_busy() {
    let access_at = |mut medium: Medium| {
        medium.change(1, |contention| {
            contention.start_backoff(Time::ZERO, 31, &mut Ten);
            contention.request_access(Time::ZERO, &mut Ten);
        });
        assert_eq!(medium.next_act(), (at(50 + 10 * 20), 1));
        medium.begin(at(100), 0, &frame(0, Mode::Cck11));
        medium.next_act().0
    };
    assert_eq!(access_at(link(5_000, 6_000)), Time::NEVER);
    assert_eq!(access_at(link(0, 1_000)), at(250));
}

/// Whoever asks for the level between frames is told what it is then, and no frame is changed.
#[test]
fn the_level_can_be_asked_for_at_any_time() {
    let mut medium = link(5_000, 6_000);
    medium.begin(at(4_000), 0, &frame(0, Mode::Dsss1));
    let level = |medium: &mut Medium, micros| medium.power_now(at(micros), 0, 1).to_dbm().0;
    assert!((level(&mut medium, 5_500) - (CARRIER_SENSE - 10.0)).abs() < 1e-9);
    assert!((level(&mut medium, 6_500) - (CARRIER_SENSE + 10.0)).abs() < 1e-9);
    assert!((medium.budget().power(0, 1).to_dbm().0 - (CARRIER_SENSE + 10.0)).abs() < 1e-9);
}

struct Ten;

impl dot11::Draw for Ten {
    fn up_to(&mut self, _max: u16) -> u16 {
        10
    }
}
