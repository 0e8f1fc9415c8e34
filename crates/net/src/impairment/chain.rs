//! Chains: stages that a packet passes one after the other.

use units::Time;
use units::declaration::{Counted, Metric};
use units::serde::{Deserialize, Serialize};

use super::matcher::Matcher;
use super::{Config, Damage, Facts, Fate, Filter, Impairment, Machine};
use crate::Chance;

/// One stage of a chain, as a plan has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(crate = "units::serde")]
pub struct Stage {
    /// What scenarios call it.
    pub name: String,
    /// The packets it is about.
    #[serde(flatten)]
    pub filter: Filter,
    /// What it does to them.
    #[serde(flatten)]
    pub impairment: Config,
}

/// What a stage has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Packets its filter matched.
    pub matched: u64,
    /// Of them, those it dropped.
    pub dropped: u64,
    /// Of them, those it damaged.
    pub damaged: u64,
    /// Of these, those that nobody will notice.
    pub unnoticed: u64,
}

impl Counts {
    /// What is reported of them, of each stage.
    pub const METRICS: &[Counted<Counts>] = &[
        Counted {
            metric: Metric {
                name: "matched",
                label: "Packets met",
                unit: "packets",
                about: "packets that the stage's filter matched",
            },
            count: |of| of.matched,
        },
        Counted {
            metric: Metric {
                name: "dropped",
                label: "Losses",
                unit: "packets",
                about: "packets that the stage dropped",
            },
            count: |of| of.dropped,
        },
        Counted {
            metric: Metric {
                name: "damaged",
                label: "Damaged",
                unit: "frames",
                about: "frames of which the stage flipped bits or garbled the check sequence",
            },
            count: |of| of.damaged,
        },
        Counted {
            metric: Metric {
                name: "unnoticed",
                label: "Damaged unnoticed",
                unit: "frames",
                about: "of the damaged frames, those that no address, type, check sequence or \
                        checksum tells: the errors cancel, or are in padding or in the sender's \
                        address; they are handed on as they were",
            },
            count: |of| of.unnoticed,
        },
    ];
}

/// The impairments of one direction of a link, in order.
#[derive(Clone, Debug)]
pub struct Chain<L> {
    stages: Vec<Running<L>>,
}

#[derive(Clone, Debug)]
struct Running<L> {
    name: String,
    filter: Matcher,
    machine: Machine,
    luck: L,
    counts: Counts,
}

impl<L: Chance> Chain<L> {
    /// A chain that no packet has passed, with a random stream of its own for each stage, so that
    /// one more stage changes no other's luck.
    pub fn new(stages: &[Stage], mut luck: impl FnMut(&Stage) -> L) -> Self {
        let running = |stage: &Stage| Running {
            name: stage.name.clone(),
            filter: Matcher::new(&stage.filter),
            machine: Machine::new(&stage.impairment),
            luck: luck(stage),
            counts: Counts::default(),
        };
        Chain {
            stages: stages.iter().map(running).collect(),
        }
    }

    /// What becomes of a packet that enters the chain. One that a stage drops never comes to the
    /// next.
    #[inline]
    pub fn on_packet(&mut self, now: Time, facts: &Facts) -> Fate {
        let mut damage = Damage::NONE;
        for stage in &mut self.stages {
            match stage.on_packet(now, facts) {
                Fate::Pass => {}
                Fate::Drop => return Fate::Drop,
                Fate::Damage(more) => damage |= more,
            }
        }
        if damage.is_none() {
            Fate::Pass
        } else {
            Fate::Damage(damage)
        }
    }

    /// What each stage has done, by its name, in order.
    pub fn counts(&self) -> impl Iterator<Item = (&str, Counts)> {
        let counts = |stage: &'_ Running<L>| stage.counts;
        let names = self.stages.iter().map(|stage| stage.name.as_str());
        names.zip(self.stages.iter().map(counts))
    }

    /// How many of the packets that each stage waits for by number have not come, in order.
    pub fn awaited(&self) -> impl Iterator<Item = Option<u64>> {
        self.stages.iter().map(|stage| stage.machine.awaited())
    }
}

impl<L: Chance> Running<L> {
    fn on_packet(&mut self, now: Time, facts: &Facts) -> Fate {
        if !self.filter.matches(now, facts) {
            return Fate::Pass;
        }
        self.counts.matched += 1;
        let number = self.counts.matched;
        let fate = (self.machine).on_packet(now, number, facts, &mut self.luck);
        match fate {
            Fate::Pass => {}
            Fate::Drop => self.counts.dropped += 1,
            Fate::Damage(damage) => {
                self.counts.damaged += 1;
                self.counts.unnoticed += u64::from(damage.is_none());
            }
        }
        fate
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;
    use crate::chance::tests::Loaded;
    use crate::impairment::{KINDS, Match, Protocol, TcpFlags, drop};

    fn drops(name: &str, kinds: &[Match], packets: &[u64]) -> Stage {
        Stage {
            name: name.to_owned(),
            filter: Filter {
                kinds: kinds.to_vec(),
                ..Filter::default()
            },
            impairment: Config::Drop(drop::Config {
                probability: None,
                every: None,
                packets: packets
                    .iter()
                    .map(|&number| NonZeroU64::new(number))
                    .collect(),
            }),
        }
    }

    fn segment(payload: u32) -> Facts {
        let flags = TcpFlags(0x10);
        Facts {
            flow: 0,
            traffic: None,
            ip_bytes: 40 + payload,
            protocol: Protocol::Tcp { payload, flags },
        }
    }

    #[test]
    fn each_stage_counts_what_it_matches_and_sees_only_what_came_through_those_before() {
        let stages = [
            drops("data", &[Match::TcpData], &[2]),
            drops("any", &[], &[3]),
        ];
        let mut chain = Chain::new(&stages, |_| Loaded::with(&[]));
        let mut pass = |payload| chain.on_packet(Time::ZERO, &segment(payload)) == Fate::Pass;
        let passed = [1460, 0, 1460, 1460, 0].map(&mut pass);
        assert_eq!(
            passed,
            [true, true, false, false, true],
            "the second with data, then the third that came to the second stage"
        );
        let count = |matched, dropped| Counts {
            matched,
            dropped,
            ..Counts::default()
        };
        let counts: Vec<(&str, Counts)> = chain.counts().collect();
        assert_eq!(counts, [("data", count(3, 1)), ("any", count(4, 1))]);
    }

    const PLAN: &str = r#"{"kind":"drop","name":"loss","match":["tcp-data","udp"],"from_ns":0,
        "until_ns":null,"probability":0.01,"packets":null}"#;

    #[test]
    fn a_plan_holds_filter_and_parameters_side_by_side() {
        let stage: Stage = serde_json::from_str(PLAN).unwrap();
        assert_eq!(stage.name, "loss");
        assert_eq!(stage.filter.kinds, [Match::TcpData, Match::Udp]);
        let config = drop::Config {
            probability: Some(0.01),
            every: None,
            packets: None,
        };
        assert_eq!(stage.impairment, Config::Drop(config));
        assert_eq!(KINDS[0].name, "drop");
    }

    #[test]
    fn a_parameter_of_another_impairment_is_refused() {
        let plan = PLAN.replace("probability", "likelihood");
        let error = serde_json::from_str::<Stage>(&plan).unwrap_err();
        assert!(error.to_string().contains("likelihood"), "{error}");
    }

    #[test]
    fn the_first_packet_has_the_number_one() {
        let plan = PLAN.replace(r#""packets":null"#, r#""packets":[0]"#);
        let error = serde_json::from_str::<Stage>(&plan).unwrap_err();
        assert!(error.to_string().contains("nonzero"), "{error}");
    }
}
