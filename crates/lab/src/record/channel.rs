//! What is measured of the radio channel: airtime, and frames.

use units::Duration;
use units::declaration::{CountedMetric, Metric};

use super::cut::RunPart;
use super::declared::{MetricPlace, MetricScope, Taker};
use crate::meters::{AirtimeUse, Content};
use crate::radios::ChannelCounters;

/// What the names of uses of airtime begin and end with: seconds, and shares.
pub const SECONDS: (&str, &str) = ("airtime.", "_s");
pub const SHARE: (&str, &str) = ("airtime.", "_share");

/// What the names of counts of frames begin with.
pub const BEFORE: &str = "mac.";

pub const fn airtime((before, after): (&'static str, &'static str)) -> MetricPlace<'static> {
    MetricPlace {
        scope: MetricScope::Channel,
        of: "",
        before,
        after,
    }
}

/// Gives the mean of the ledgers of the access points, and, where there are several vantage points,
/// that of each.
fn give_ledgers(part: &RunPart<'_>, into: &mut impl Taker) {
    let mut sum = [0.0; AirtimeUse::ALL.len()];
    for vantage in part.vantages() {
        let spent = part.spent(vantage);
        if part.vantages().len() > 1 {
            give_ledger(part, (MetricScope::Node, vantage.name), &spent, into);
        }
        if vantage.is_access_point {
            sum.iter_mut()
                .zip(spent)
                .for_each(|(sum, spent)| *sum += spent);
        }
    }
    let access_points = part.vantages().iter().filter(|each| each.is_access_point);
    let count = access_points.count() as f64;
    if count > 0.0 {
        give_ledger(
            part,
            (MetricScope::Channel, ""),
            &sum.map(|sum| sum / count),
            into,
        );
    }
}

/// Gives what so many seconds were spent on, and their shares.
fn give_ledger(part: &RunPart<'_>, of: (MetricScope, &str), spent: &[f64], into: &mut impl Taker) {
    for (metric, &spent) in AirtimeUse::ALL.iter().zip(spent) {
        let [seconds, share] = [SECONDS, SHARE].map(|each| airtime(each).name(metric));
        into.take(of.0, of.1, seconds, Some(spent));
        into.take(of.0, of.1, share, Some(spent / part.seconds()));
    }
}

/// Gives what is measured of the channel.
pub fn give(part: &RunPart<'_>, into: &mut impl Taker) {
    let (first, last) = (part.first(), part.last());
    give_ledgers(part, into);
    let content = |count: fn(&Content) -> u64| {
        let nanos = count(&last.content) - count(&first.content);
        Duration::from_nanos(nanos).as_secs_f64()
    };
    airtime(SECONDS).counted(Content::METRICS, content, into);
    let count = |count: fn(&ChannelCounters) -> u64| count(&last.channel) - count(&first.channel);
    let frames = MetricPlace::CHANNEL.before(BEFORE);
    frames.counted(ChannelCounters::METRICS, |of| count(of) as f64, into);
}

impl ChannelCounters {
    /// What is reported of them.
    pub const METRICS: &[CountedMetric<ChannelCounters>] = &[CountedMetric {
        metric: Metric {
            name: "data_msdus",
            label: "MSDUs",
            unit: "MSDUs",
            about: "MSDUs delivered over the air, each once",
        },
        count: |of| of.msdus,
    }];
}
