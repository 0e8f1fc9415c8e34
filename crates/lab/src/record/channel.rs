//! What is measured of the radio channel: airtime, and frames.

use units::Duration;
use units::declaration::{Counted, Metric};

use super::cut::Part;
use super::declared::{Place, Scope, Taker};
use crate::content::Content;
use crate::ledger::Use;
use crate::radios::ChannelCounters;

/// What the names of uses of airtime begin and end with: seconds, and shares.
pub const SECONDS: (&str, &str) = ("airtime.", "_s");
pub const SHARE: (&str, &str) = ("airtime.", "_share");

/// The ratio of the counters that people ask for.
pub const COLLISION_PROBABILITY: Metric = Metric {
    name: "collision_probability",
    label: "Collision probability",
    unit: "",
    about: "of the frames that had the medium by contention (mac.exchanges), those that another \
            transmission overlapped: the conditional collision probability of Bianchi's model",
};

/// What the names of counts of frames begin with.
pub const BEFORE: &str = "mac.";

pub const fn airtime((before, after): (&'static str, &'static str)) -> Place<'static> {
    Place {
        scope: Scope::Channel,
        of: "",
        before,
        after,
    }
}

/// Gives what is measured of the channel.
pub fn give(part: &Part<'_>, into: &mut impl Taker) {
    let (first, last) = (part.first(), part.last());
    let [before, now] = [part.spent[0], part.spent[part.spent.len() - 1]];
    for (index, metric) in Use::ALL.iter().enumerate() {
        let spent = (now[index] - before[index]).as_secs_f64();
        let (seconds, share) = (airtime(SECONDS), airtime(SHARE));
        into.take(Scope::Channel, "", seconds.name(metric), Some(spent));
        let value = Some(spent / part.seconds());
        into.take(Scope::Channel, "", share.name(metric), value);
    }
    let content = |count: fn(&Content) -> u64| {
        let nanos = count(&last.content) - count(&first.content);
        Duration::from_nanos(nanos).as_secs_f64()
    };
    airtime(SECONDS).counted(Content::METRICS, content, into);
    let count = |count: fn(&ChannelCounters) -> u64| count(&last.channel) - count(&first.channel);
    let frames = Place::CHANNEL.before(BEFORE);
    frames.counted(ChannelCounters::METRICS, |of| count(of) as f64, into);
    let [attempts, overlapped] = [count(|of| of.attempts), count(|of| of.overlapped)];
    let value = Some(overlapped as f64 / attempts as f64);
    let name = Place::CHANNEL.name(&COLLISION_PROBABILITY);
    into.take(Scope::Channel, "", name, value);
}

impl ChannelCounters {
    /// What is reported of them.
    pub const METRICS: &[Counted<ChannelCounters>] = &[
        Counted {
            metric: Metric {
                name: "exchanges",
                label: "Exchanges",
                unit: "frames",
                about: "frames that had the medium by contention: data, RTS and beacons that open \
                        an exchange; a frame right after its own station's success, its backoff \
                        zero slots, is not among them, because nothing could collide with it",
            },
            count: |of| of.attempts,
        },
        Counted {
            metric: Metric {
                name: "collisions",
                label: "Collisions",
                unit: "frames",
                about: "data and RTS frames that another transmission overlapped and the receiver \
                        did not decode",
            },
            count: |of| of.collisions,
        },
        Counted {
            metric: Metric {
                name: "data_msdus",
                label: "MSDUs",
                unit: "MSDUs",
                about: "MSDUs delivered over the air, each once",
            },
            count: |of| of.msdus,
        },
    ];
}
