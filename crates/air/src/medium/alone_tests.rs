//! A frame alone on the air goes a shorter way: the same as the general one, as a property.

use dot11::rate_control::{RateControlConfig, fallback};
use dot11::{Address, Frame, MacConfig, Mode, Preamble};
use proptest::prelude::*;
use units::{Db, Dbm, Duration, Time};

use super::Medium;
use crate::LinkBudget;
use crate::tests::cell::{Cell, config};

/// As [`Medium::begin`], but no frame ever counts as alone.
fn begin_as_among_others(medium: &mut Medium, now: Time, from: usize, frame: Frame) {
    medium.sent.admit(now, from, frame);
    medium.next = Some(medium.begin_among_others(now, from));
}

/// An MSDU: when it comes in µs after the one before, from which radio to which, how long it is.
type Offer = (u64, usize, usize, u16);

/// Losses of each way between radios, offers among them, and the radios whose receptions are
/// all reported.
#[derive(Clone, Debug)]
struct Scene {
    loss: Vec<Vec<Db>>,
    offers: Vec<Offer>,
    monitored: Vec<usize>,
    config: MacConfig,
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
        (loss, offers, monitored, any_config()).prop_map(
            move |(loss, offers, monitored, config)| Scene {
                loss: loss
                    .chunks(radios)
                    .map(|row| row.iter().copied().map(Db).collect())
                    .collect(),
                offers,
                monitored,
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
        cell
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
        let mut now = Time::ZERO;
        let mut were_alone = 0;
        let patience = [(200_000, 0, 0, 0)];
        for (number, &offer) in scene.offers.iter().chain(&patience).enumerate() {
            now += Duration::from_micros(offer.0);
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
                Scene::offer(cell, number, offer);
            }
        }
        prop_assert_eq!(&short.members.happened, &general.members.happened);
        prop_assert_eq!(short.concluded.len(), general.concluded.len());
        prop_assert!(were_alone > 0 || short.concluded.is_empty());
    }
}
