//! A frame alone on the air goes a shorter way: the same as the general one, as a property.

use dot11::rate_control::{RateControlConfig, fallback};
use dot11::{Address, Frame, MacConfig, Mode, Preamble};
use proptest::prelude::*;
use units::{Db, Dbm, Duration, Time};

use super::Medium;
use crate::tests::cell::{Cell, config};
use crate::{Emitter, LinkBudget};

/// As [`Medium::begin`], but no frame ever counts as alone.
fn begin_as_among_others(medium: &mut Medium, now: Time, from: usize, frame: Frame) {
    medium.sent.admit(now, from, frame);
    medium.next = Some(medium.begin_among_others(now, from));
}

/// An MSDU: when it comes in µs after the one before, from which radio to which, how long it is.
type Offer = (u64, usize, usize, u16);

/// A burst of the emitter: how long in µs after the one before it begins, and how long it is.
type Burst = (u64, u64);

/// Losses of each way between radios, offers among them, the radios whose receptions are all
/// reported, frames that arrive damaged, and an emitter with its power at each radio.
#[derive(Clone, Debug)]
struct Scene {
    loss: Vec<Vec<Db>>,
    offers: Vec<Offer>,
    monitored: Vec<usize>,
    damaged: Vec<usize>,
    emitted: Vec<f64>,
    bursts: Vec<Burst>,
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

const MOST_RADIOS: usize = 6;

fn any_config() -> impl Strategy<Value = MacConfig> {
    let thresholds = (256..=2346_u16, prop::sample::select(vec![0, 500, 2347_u16]));
    let preamble = prop::sample::select(vec![Preamble::Long, Preamble::Short]);
    let highest = prop::sample::select(Mode::ALL.to_vec());
    (thresholds, preamble, highest).prop_map(|(thresholds, preamble, highest)| MacConfig {
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

/// From 33 dB above the noise, where nothing errs, to 17 dB below it.
fn any_scene() -> impl Strategy<Value = Scene> {
    let scene = |radios: usize| {
        let loss = prop::collection::vec(75.0..125.0_f64, radios * radios);
        // The last of the receivers stands for everybody.
        let offer = (0..3000_u64, 0..radios, 0..=radios, 30..=1500_u16);
        let offers = prop::collection::vec(offer, 1..40);
        let monitored = prop::collection::vec(0..radios, 0..2);
        let damaged = prop::collection::vec(0..60_usize, 0..5);
        let emitted = prop::collection::vec(-110.0..-50.0_f64, radios);
        let bursts = prop::collection::vec((0..20_000_u64, 1..5000_u64), 0..5);
        let emitter = (emitted, bursts);
        (loss, offers, monitored, damaged, emitter, any_config()).prop_map(
            move |(loss, offers, monitored, damaged, (emitted, bursts), config)| Scene {
                loss: loss
                    .chunks(radios)
                    .map(|row| row.iter().copied().map(Db).collect())
                    .collect(),
                offers,
                monitored,
                damaged,
                emitted,
                bursts,
                config,
            },
        )
    };
    (2..=MOST_RADIOS).prop_flat_map(scene)
}

impl Scene {
    fn cell(&self, begin: crate::tests::cell::Begin) -> Cell {
        let transmit = vec![Dbm(15.0); self.loss.len()];
        let budget = LinkBudget::new(&transmit, &self.loss, Dbm(-96.0), Dbm(-93.0));
        let mut cell = Cell::new(budget, &self.config, begin);
        for &radio in &self.monitored {
            cell.medium.monitor(radio);
        }
        cell.damaged.clone_from(&self.damaged);
        cell
    }

    /// What is done, and when.
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

    fn do_to(cell: &mut Cell, emitter: &Emitter, deed: Deed) {
        match deed {
            Deed::Offer(number, offer) => Scene::offer(cell, number, offer),
            Deed::Radiate => cell.radiate(emitter),
            Deed::Cease => cell.cease(emitter),
            Deed::Wait => {}
        }
    }

    fn offer(cell: &mut Cell, number: usize, (_, from, to, bytes): Offer) {
        let everybody = cell.medium.budget().radios();
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
    let next = cell.medium.next_act();
    let radios =
        (cell.medium.listeners.iter()).map(|listener| (listener.contention, listener.wake_at));
    let radios: Vec<_> = radios.collect();
    let luck: Vec<_> = cell.members.macs.iter().map(|(_, luck)| luck).collect();
    format!("{next:?} {radios:?} {luck:?} {:?}", cell.concluded.last())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_frame_alone_on_the_air_fares_as_among_others(scene in any_scene()) {
        let mut short = scene.cell(Medium::begin);
        let mut general = scene.cell(begin_as_among_others);
        let emitter = Emitter::new(scene.emitted.iter().copied().map(Dbm), Dbm(-70.0));
        let mut were_alone = 0;
        for (now, deed) in scene.deeds() {
            while short.next_at() <= now {
                prop_assert!(general.next_at() <= now);
                short.step();
                general.step();
                prop_assert!(general.medium.alone.is_none());
                were_alone += u32::from(short.medium.alone.is_some());
                prop_assert_eq!(state(&mut short), state(&mut general));
            }
            for cell in [&mut short, &mut general] {
                cell.run(now);
                Scene::do_to(cell, &emitter, deed);
            }
            prop_assert_eq!(state(&mut short), state(&mut general));
        }
        prop_assert_eq!(&short.members.happened, &general.members.happened);
        prop_assert_eq!(short.concluded.len(), general.concluded.len());
        let is_plain = scene.damaged.is_empty() && scene.bursts.is_empty();
        prop_assert!(were_alone > 0 || short.concluded.is_empty() || !is_plain);
    }
}
