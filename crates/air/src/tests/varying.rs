//! Links whose loss changes: what a frame finds at its first bit it keeps to its last.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use phy::Mode;
use units::{Db, Dbm, Duration, Time};

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
    let sent = [0, 10_000, 20_000].map(|begin| (begin, frame(0, Mode::DSSS_1)));
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
        medium.begin(at(100), 0, &frame(0, Mode::CCK_11));
        medium.next_act().0
    };
    assert_eq!(access_at(link(5_000, 6_000)), Time::NEVER);
    assert_eq!(access_at(link(0, 1_000)), at(250));
}

/// Whoever asks for the level between frames is told what it is then, and no frame is changed.
#[test]
fn the_level_can_be_asked_for_at_any_time() {
    let mut medium = link(5_000, 6_000);
    medium.begin(at(4_000), 0, &frame(0, Mode::DSSS_1));
    let level = |medium: &mut Medium, micros| medium.power_now(at(micros), 0, 1).to_dbm().0;
    assert!((level(&mut medium, 5_500) - (CARRIER_SENSE - 10.0)).abs() < 1e-9);
    assert!((level(&mut medium, 6_500) - (CARRIER_SENSE + 10.0)).abs() < 1e-9);
    assert!((medium.power(0, 1).to_dbm().0 - (CARRIER_SENSE + 10.0)).abs() < 1e-9);
}

/// A level that goes up and down by twenty decibels, as fast as 2 dB in a millisecond, and knows it.
#[derive(Clone, Debug)]
struct Swing {
    is_gradual: bool,
    asked: Time,
    looks: Arc<AtomicU32>,
}

impl Swing {
    fn new(is_gradual: bool) -> Swing {
        Swing {
            is_gradual,
            asked: Time::ZERO,
            looks: Arc::default(),
        }
    }

    fn looks(&self) -> u32 {
        self.looks.load(Ordering::Relaxed)
    }
}

impl Process for Swing {
    fn gain(&mut self, at: Time) -> f64 {
        self.asked = at;
        self.looks.fetch_add(1, Ordering::Relaxed);
        let millis = at.saturating_since(Time::ZERO).as_nanos() as f64 / 1e6;
        libm::pow(10.0, 2.0 * libm::sin(millis / 10.0))
    }

    fn deviates_until(&self, by: Db) -> Option<Time> {
        let fastest = 2.0;
        let span = Duration::from_nanos((0.999 * by.0 / fastest * 1e6) as u64);
        self.is_gradual.then_some(self.asked + span)
    }
}

/// Who looks at a link only where it matters finds all that they find who look at every frame.
#[test]
fn a_gradual_link_is_looked_at_less_and_found_the_same() {
    let [mut lazy, mut eager] = [true, false].map(|is_gradual| {
        let swing = Swing::new(is_gradual);
        let loss = [[0.0, 85.0], [83.0, 0.0]].map(|row| row.map(Db).to_vec());
        let (carrier_sense, noise) = (Dbm(CARRIER_SENSE), Dbm(NOISE));
        let mut budget = LinkBudget::new(&[Dbm(0.0); 2], &loss, carrier_sense, noise);
        budget.vary([0, 1], Box::new(swing.clone()));
        (budget, swing)
    });
    let mut changes = 0;
    for frame in 0..30_000_u64 {
        let (now, from, to) = (
            at(7 * frame),
            (frame % 2) as usize,
            (frame % 3 % 2) as usize,
        );
        let found = [&mut lazy.0, &mut eager.0].map(|budget| {
            let mut told = Vec::new();
            budget.renew(now, from, |to, before, reach| {
                told.push((to, before, reach));
            });
            told
        });
        changes += found[1].len();
        assert_eq!(found[0], found[1]);
        let [least, most] = lazy.0.bounds(from, 1 - from);
        let exact = eager.0.power(from, 1 - from);
        assert!(least <= exact && exact <= most);
        if frame % 10 == 0 {
            assert_eq!(lazy.0.power(to, 1 - to), eager.0.power(to, 1 - to));
        }
    }
    assert!(changes > 20, "{changes}");
    assert!(
        5 * lazy.1.looks() < eager.1.looks(),
        "{} of {}",
        lazy.1.looks(),
        eager.1.looks()
    );
}

struct Ten;

impl dot11::Draw for Ten {
    fn up_to(&mut self, _max: u16) -> u16 {
        10
    }
}
