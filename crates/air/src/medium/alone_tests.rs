//! A frame alone on the air goes a shorter way than others, and stations in step share what they
//! wait for: neither makes a difference, as a property.

use std::sync::Arc;

use dot11::rate_control::{RateControlConfig, fallback};
use dot11::{Address, Frame, MacConfig};
use phy::{Band, Preamble, Standard};
use proptest::prelude::*;
use units::{Db, Dbm, Duration, Time};

use super::Medium;
use crate::noise::bursts::Bursts;
use crate::tests::cell::{Cell, config};
use crate::{Capture, Emitter, LinkBudget, Process, ReceivedEmission, Until};

/// As [`Medium::begin`], but no frame ever counts as alone.
fn begin_as_among_others(medium: &mut Medium, now: Time, from: usize, frame: &Frame) {
    medium.take_apart(from);
    medium.renew(now, from);
    if medium.receptions.sent.admit(now, from, frame) {
        medium.receptions.leave_alone(from);
    } else {
        medium.receptions.begin_among_others(now, from);
    }
    medium.sense(now, from);
}

/// An MSDU: when it comes in µs after the one before, from which radio to which, how long it is.
type Offer = (u64, usize, usize, u16);

/// A burst of the emitter: how long in µs after the one before it begins, and how long it is.
type Burst = (u64, u64);

/// A link that has one gain after the other, 2 ms each, and begins again.
#[derive(Clone, Debug)]
struct SteppedGains {
    gains: Vec<f64>,
    holds_until: Time,
}

impl SteppedGains {
    fn of(gains: Vec<f64>) -> SteppedGains {
        let holds_until = Time::ZERO;
        SteppedGains { gains, holds_until }
    }
}

impl Process for SteppedGains {
    fn gain(&mut self, at: Time) -> f64 {
        const TURN: u64 = 2_000_000;
        let turn = at.as_nanos() / TURN;
        self.holds_until = Time::from_nanos((turn + 1) * TURN);
        self.gains[turn as usize % self.gains.len()]
    }

    fn holds_until(&self) -> Time {
        self.holds_until
    }
}

/// Losses of each way between radios, links that vary, offers among the radios, those whose
/// receptions are all reported, frames that arrive damaged, and an emitter with its power at each
/// radio.
#[derive(Clone, Debug)]
struct Scene {
    loss: Vec<Vec<Db>>,
    varying: Vec<(usize, usize, SteppedGains)>,
    offers: Vec<Offer>,
    monitored: Vec<usize>,
    damaged: Vec<usize>,
    emitted: Vec<f64>,
    bursts: Vec<Burst>,
    capture: Capture,
    /// The radios that read OFDM.
    reads_ofdm: Vec<bool>,
    config: MacConfig,
}

/// What a scene does to a cell.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Offer(usize, Offer),
    Radiate,
    Cease,
    /// Nothing: all that is under way comes to its end.
    Wait,
}

const MOST_RADIOS: usize = 8;

fn any_config() -> impl Strategy<Value = MacConfig> {
    let thresholds = (256..=2346_u16, prop::sample::select(vec![0, 500, 2347_u16]));
    let preamble = prop::sample::select(vec![Preamble::Long, Preamble::Short]);
    let standard = prop::sample::select(vec![Standard::Dot11b, Standard::Dot11g]);
    let highest = standard.prop_flat_map(|standard| {
        let modes = standard.characteristics(Band::Ghz2_4, false).modes.to_vec();
        (Just(standard), prop::sample::select(modes))
    });
    let all = (thresholds, preamble, highest);
    all.prop_map(|(thresholds, preamble, (standard, highest))| MacConfig {
        standard,
        fragmentation_threshold: thresholds.0,
        rts_threshold: thresholds.1,
        preamble,
        rate: highest,
        rate_control: RateControlConfig::Fallback(fallback::Config {
            attempts_per_rate: 2,
        }),
        ..config()
    })
}

fn any_capture() -> impl Strategy<Value = Capture> {
    let all = vec![Until::Detection, Until::Ns3, Until::Header, Until::Payload];
    let until = prop::sample::select(all);
    let margins = (0.0..15.0_f64, 0.0..10.0_f64);
    (until, margins)
        .prop_map(|(until, (margin, detection))| Capture::new(until, Db(margin), Db(detection)))
}

/// From 33 dB above the noise, where nothing errs, to 17 dB below it.
fn any_scene() -> impl Strategy<Value = Scene> {
    let scene = |radios: usize| {
        // In half of the scenes nearly all sense nearly all, so that many sense the same.
        let farthest = prop::sample::select(vec![111.5, 125.0]);
        let loss =
            farthest.prop_flat_map(move |far| prop::collection::vec(75.0..far, radios * radios));
        // The last of the receivers stands for everybody.
        let offer = (0..3000_u64, 0..radios, 0..=radios, 30..=1500_u16);
        let offers = prop::collection::vec(offer, 1..40);
        let monitored = prop::collection::vec(0..radios, 0..2);
        let damaged = prop::collection::vec(0..60_usize, 0..5);
        let emitted = prop::collection::vec(-110.0..-50.0_f64, radios);
        let bursts = prop::collection::vec((0..20_000_u64, 1..5000_u64), 0..5);
        let emitter = (emitted, bursts);
        // From 20 dB below to 10 dB above.
        let gains = prop::collection::vec((-20..=10_i32).prop_map(|db| f64::powi(1.25, db)), 1..6);
        let varying = (0..radios, 0..radios, gains.prop_map(SteppedGains::of));
        let varying = prop_oneof![Just(Vec::new()), prop::collection::vec(varying, 1..4),];
        let links = (loss, varying);
        let ears = (any_capture(), prop::collection::vec(any::<bool>(), radios));
        let rest = (monitored, damaged, emitter, ears, any_config());
        (links, offers, rest).prop_map(
            move |((loss, varying), offers, (monitored, damaged, emitter, ears, config))| Scene {
                varying,
                capture: ears.0,
                reads_ofdm: ears.1,
                loss: loss
                    .chunks(radios)
                    .map(|row| row.iter().copied().map(Db).collect())
                    .collect(),
                offers,
                monitored,
                damaged,
                emitted: emitter.0,
                bursts: emitter.1,
                config,
            },
        )
    };
    (2..=MOST_RADIOS).prop_flat_map(scene)
}

impl Scene {
    fn cell(&self, begin: crate::tests::cell::Begin, shared_from: usize) -> Cell {
        let transmit = vec![Dbm(15.0); self.loss.len()];
        let mut budget = LinkBudget::new(&transmit, &self.loss, Dbm(-96.0), Dbm(-93.0))
            .detecting_energy(Dbm(-70.0))
            .reading_ofdm(&self.reads_ofdm);
        for (one, other, turns) in self.varying.iter().filter(|(one, other, _)| one != other) {
            budget.vary([*one, *other], Box::new(turns.clone()));
        }
        let mut at = Time::ZERO;
        let bursts = self.bursts.iter().map(|&(after, long)| {
            let begin = at + Duration::from_micros(after);
            at = begin + Duration::from_micros(long);
            [begin, at]
        });
        let emitted = self.emitted.iter();
        let received = emitted.map(|&power| ReceivedEmission::new(Dbm(power), Dbm(-70.0)));
        let emitter = Emitter::new(received, Arc::new(Bursts(bursts.collect())));
        let make = |budget, stations: &mut dyn Iterator<Item = _>| {
            Medium::grouped(budget, vec![emitter], stations, shared_from).capturing(self.capture)
        };
        let mut cell = Cell::made(budget, &self.config, begin, make);
        for &radio in &self.monitored {
            cell.medium.monitor(radio);
        }
        cell.damaged.clone_from(&self.damaged);
        cell
    }

    /// Returns what is done, and when.
    fn deeds(&self) -> Vec<(Time, Deed)> {
        let mut deeds = Vec::new();
        let mut at = Time::ZERO;
        for (number, &offer) in self.offers.iter().enumerate() {
            at += Duration::from_micros(offer.0);
            deeds.push((at, Deed::Offer(number, offer)));
        }
        deeds.push((at + Duration::from_millis(200), Deed::Wait));
        at = Time::ZERO;
        for &(after, long) in &self.bursts {
            at += Duration::from_micros(after);
            deeds.push((at, Deed::Radiate));
            at += Duration::from_micros(long);
            deeds.push((at, Deed::Cease));
        }
        deeds.sort_by_key(|&(at, _)| at);
        deeds
    }

    fn do_to(cell: &mut Cell, deed: Deed) {
        match deed {
            Deed::Offer(number, offer) => Scene::offer(cell, number, offer),
            Deed::Radiate => cell.radiate(),
            Deed::Cease => cell.cease(),
            Deed::Wait => {}
        }
    }

    fn offer(cell: &mut Cell, number: usize, (_, from, to, bytes): Offer) {
        let everybody = cell.medium.receptions.budget.radios();
        let to = match to {
            to if to == everybody => Address::BROADCAST,
            to => Address(to as u16),
        };
        if to != Address(from as u16) {
            cell.enqueue(from, number as u32, to, bytes);
        }
    }
}

/// All that can be seen of a channel between two events.
fn state(cell: &mut Cell) -> String {
    let next = Some(cell.medium.next_act()).filter(|&(at, _)| at != Time::NEVER);
    let random: Vec<_> = cell.members.macs.iter().map(|(_, random)| random).collect();
    let happened = cell.members.happened.len();
    format!("{next:?} {random:?} {happened} {:?}", cell.concluded.last())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_frame_alone_on_the_air_fares_as_among_others(scene in any_scene()) {
        let mut short = scene.cell(Medium::begin, usize::MAX);
        let mut general = scene.cell(begin_as_among_others, usize::MAX);
        let mut in_step = scene.cell(Medium::begin, 2);
        let mut were_alone = 0;
        for (now, deed) in scene.deeds() {
            while short.next_at() <= now {
                for other in [&mut general, &mut in_step] {
                    prop_assert!(other.next_at() <= now);
                    other.step();
                }
                short.step();
                let alone = |cell: &Cell| {
                    let sent = &cell.medium.receptions.sent;
                    (0..scene.loss.len()).any(|radio| sent.domain(radio).alone.is_some())
                };
                prop_assert!(!alone(&general));
                were_alone += u32::from(alone(&short));
                let expected = state(&mut short);
                prop_assert_eq!(&expected, &state(&mut general));
                prop_assert_eq!(&expected, &state(&mut in_step));
            }
            for cell in [&mut short, &mut general, &mut in_step] {
                cell.run(now);
                Scene::do_to(cell, deed);
            }
            let expected = state(&mut short);
            prop_assert_eq!(&expected, &state(&mut general));
            prop_assert_eq!(&expected, &state(&mut in_step));
        }
        prop_assert_eq!(&short.members.happened, &general.members.happened);
        let by_radio = |cell: &Cell| {
            let mut happened = cell.members.happened.clone();
            happened.sort_by_key(|&(at, radio, _)| (at, radio));
            happened
        };
        prop_assert_eq!(by_radio(&short), by_radio(&in_step));
        prop_assert_eq!(short.concluded.len(), general.concluded.len());
        let is_plain = scene.damaged.is_empty() && scene.bursts.is_empty();
        prop_assert!(were_alone > 0 || short.concluded.is_empty() || !is_plain);
    }

    #[test]
    fn a_link_that_varies_by_nothing_is_as_one_that_does_not(scene in any_scene()) {
        let radios = 0..scene.loss.len();
        let links = radios.clone().flat_map(|one| (0..one).map(move |other| (one, other)));
        let still = links.map(|(one, other)| (one, other, SteppedGains::of(vec![1.0])));
        let [fixed, varying] = [Vec::new(), still.collect()];
        let of = |varying| Scene { varying, ..scene.clone() }.cell(Medium::begin, 2);
        let (mut fixed, mut varying) = (of(fixed), of(varying));
        for (now, deed) in scene.deeds() {
            for cell in [&mut fixed, &mut varying] {
                cell.run(now);
                Scene::do_to(cell, deed);
            }
            prop_assert_eq!(&state(&mut fixed), &state(&mut varying));
        }
    }
}
