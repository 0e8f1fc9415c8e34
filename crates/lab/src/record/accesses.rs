//! What is measured of how radios had the medium: each, and all of them.

use units::declaration::{CountedMetric, Declared, Metric};

use super::channel;
use super::cut::RunPart;
use super::declared::{MetricPlace, MetricScope, Taker};
use crate::meters::Accesses;

/// The counts of a radio, or of several, that are reported.
pub const COUNTS: &[CountedMetric<Accesses>] = &[
    CountedMetric {
        metric: Metric {
            name: "exchanges",
            label: "Exchanges",
            unit: "frames",
            about: "frames that had the medium by contention: data, RTS and beacons that open an \
                    exchange; a frame right after its own station's success, its backoff zero \
                    slots, is not among them, because nothing could collide with it",
        },
        count: |of| of.contended,
    },
    CountedMetric {
        metric: Metric {
            name: "collisions",
            label: "Collisions",
            unit: "frames",
            about: "data and RTS frames that collided with another frame, as \
                    collision_probability counts it, and that their receiver did not decode",
        },
        count: |of| of.collisions,
    },
    CountedMetric {
        metric: Metric {
            name: "collisions_hidden",
            label: "Collisions with hidden stations",
            unit: "frames",
            about: "those of them that collided with a frame of a radio that their sender does not \
                    sense; the others began in the same slot",
        },
        count: |of| of.collisions_with_hidden,
    },
];

/// The ratios that people ask for.
pub const RATIOS: &[Declared<Accesses>] = &[
    Declared {
        metric: Metric {
            name: "collision_probability",
            label: "Collision probability",
            unit: "",
            about: "of the frames that had the medium by contention (exchanges), those that \
                    collided: with another frame of their own cell that their receiver notices, \
                    whichever of the two it decodes, which is p, the conditional collision \
                    probability, of Bianchi's model (2000); or with another cell's, if they were \
                    lost to that. What other cells and channels send without harm is none",
        },
        value: |of| Some(of.collided as f64 / of.contended as f64),
    },
    Declared {
        metric: Metric {
            name: "collision_probability_hidden",
            label: "Collision probability, hidden stations",
            unit: "",
            about: "the part of it that is owed to radios that the sender does not sense",
        },
        value: |of| Some(of.collided_with_hidden as f64 / of.contended as f64),
    },
];

/// Gives what is measured of every radio, by its node's name, and of all.
pub fn give(part: &RunPart<'_>, radios: &[&str], into: &mut impl Taker) {
    let mut all = Accesses::default();
    for (radio, name) in radios.iter().enumerate() {
        let [first, last] = [part.first(), part.last()].map(|cut| cut.radios[radio].accesses);
        let own = last.since(first);
        all = all.and(own);
        let place = MetricPlace::of(MetricScope::Node, name);
        place.counted(COUNTS, |count| count(&own) as f64, into);
        place.declared(RATIOS, &own, into);
    }
    let frames = MetricPlace::CHANNEL.before(channel::BEFORE);
    frames.counted(COUNTS, |count| count(&all) as f64, into);
    MetricPlace::CHANNEL.declared(RATIOS, &all, into);
}
