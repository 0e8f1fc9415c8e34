//! Chains: stages that a packet passes one after the other.

use std::collections::VecDeque;

use units::Time;
use units::serde::{Deserialize, Serialize};

use super::waiting::{Held, HeldBack, Overtaken, Timed};
use super::{Config, Counts, Facts, Fate, Filter, Impairment, Machine};
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

/// The impairments of one direction of a link, in order.
///
/// The owner hands in each packet by [`Chain::on_packet`] and calls [`Chain::wake`] when
/// [`Chain::next_wake`] is due. After both it takes what has come of them with [`Chain::poll`],
/// unless it was told at once.
#[derive(Clone, Debug)]
pub struct Chain<L> {
    stages: Vec<Running<L>>,
    /// Packets that stages hold.
    held: usize,
    /// Packets on their way through the stages now, the next one last.
    moving: Vec<Moving>,
    leaving: VecDeque<Leaving>,
}

/// What has become of a packet that came to a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// It is through.
    Through,
    /// It is lost.
    Lost,
    /// The chain has taken it: it is told by [`Chain::poll`], now or later.
    Taken,
}

/// What leaves a chain; the owner's again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// A packet is through.
    Through(u32),
    /// A packet is lost.
    Lost(u32),
}

#[derive(Clone, Debug)]
struct Running<L> {
    name: String,
    filter: Filter,
    machine: Machine,
    luck: L,
    counts: Counts,
    timed: Timed,
    overtaken: Overtaken,
}

/// A packet that comes to a stage.
#[derive(Clone, Copy, Debug)]
struct Moving {
    held: Held,
    stage: usize,
}

impl<L: Chance> Chain<L> {
    /// A chain that no packet has passed, with a random stream of its own for each stage, so that
    /// one more stage changes no other's luck.
    pub fn new(stages: &[Stage], mut luck: impl FnMut(&Stage) -> L) -> Self {
        let running = |stage: &Stage| Running {
            name: stage.name.clone(),
            filter: stage.filter.clone(),
            machine: Machine::new(&stage.impairment),
            luck: luck(stage),
            counts: Counts::default(),
            timed: Timed::default(),
            overtaken: Overtaken::default(),
        };
        Chain {
            stages: stages.iter().map(running).collect(),
            held: 0,
            moving: Vec::new(),
            leaving: VecDeque::new(),
        }
    }

    /// A packet comes to the chain. Of one that is to be duplicated, `copy` makes a copy and
    /// answers its handle.
    ///
    /// As long as no stage holds a packet or has reason to, nothing is stored.
    #[inline]
    pub fn on_packet(
        &mut self,
        now: Time,
        handle: u32,
        facts: &Facts,
        copy: impl FnMut(u32) -> u32,
    ) -> Passage {
        let mut at = 0;
        if self.held == 0 {
            loop {
                let Some(stage) = self.stages.get_mut(at) else {
                    return Passage::Through;
                };
                match stage.on_packet(now, facts) {
                    Fate::Pass => at += 1,
                    Fate::Drop => return Passage::Lost,
                    fate => return self.take(now, (at, fate), handle, facts, copy),
                }
            }
        }
        self.follow(now, handle, facts, copy)
    }

    /// Lets go on what is due by `now`.
    ///
    /// Where packets are due in several stages, those go first that came first: they are in the
    /// later stages.
    pub fn wake(&mut self, now: Time, mut copy: impl FnMut(u32) -> u32) {
        for at in (0..self.stages.len()).rev() {
            while let Some(held) = self.stages[at].due(now) {
                self.held -= 1;
                self.go_on(at, held);
                self.move_all(now, &mut copy);
            }
        }
    }

    /// When to call [`Chain::wake`]; [`Time::NEVER`] when nothing waits for a time.
    pub fn next_wake(&self) -> Time {
        if self.held == 0 {
            return Time::NEVER;
        }
        let stages = self.stages.iter();
        let times = stages.map(|stage| stage.timed.next_at().min(stage.overtaken.next_at()));
        times.min().unwrap_or(Time::NEVER)
    }

    /// The next packet that leaves the chain now.
    #[inline]
    pub fn poll(&mut self) -> Option<Leaving> {
        self.leaving.pop_front()
    }

    /// Packets that stages hold.
    pub fn held(&self) -> usize {
        self.held
    }

    /// What each stage has done, by its name, in order.
    pub fn counts(&self) -> impl Iterator<Item = (&str, Counts)> {
        let counts = |stage: &'_ Running<L>| stage.counts;
        let names = self.stages.iter().map(|stage| stage.name.as_str());
        names.zip(self.stages.iter().map(counts))
    }

    /// A stage has reason to do more to a packet than let it pass or lose it.
    #[inline(never)]
    fn take(
        &mut self,
        now: Time,
        (stage, fate): (usize, Fate),
        handle: u32,
        facts: &Facts,
        mut copy: impl FnMut(u32) -> u32,
    ) -> Passage {
        let held = Held {
            handle,
            facts: *facts,
        };
        self.apply(now, fate, Moving { held, stage }, &mut copy);
        self.move_all(now, &mut copy);
        Passage::Taken
    }

    /// A packet comes while stages hold others. What is due at the same time came before it.
    #[inline(never)]
    fn follow(
        &mut self,
        now: Time,
        handle: u32,
        facts: &Facts,
        mut copy: impl FnMut(u32) -> u32,
    ) -> Passage {
        self.wake(now, &mut copy);
        let held = Held {
            handle,
            facts: *facts,
        };
        self.moving.push(Moving { held, stage: 0 });
        self.move_all(now, &mut copy);
        Passage::Taken
    }

    /// Lets each packet go as far as it comes now, one after the other.
    fn move_all(&mut self, now: Time, copy: &mut impl FnMut(u32) -> u32) {
        while let Some(moving) = self.moving.pop() {
            match self.stages.get_mut(moving.stage) {
                None => self.leaving.push_back(Leaving::Through(moving.held.handle)),
                Some(stage) => {
                    let fate = stage.on_packet(now, &moving.held.facts);
                    self.apply(now, fate, moving, copy);
                }
            }
        }
    }

    fn apply(&mut self, now: Time, fate: Fate, moving: Moving, copy: &mut impl FnMut(u32) -> u32) {
        let Moving { held, stage: at } = moving;
        let stage = &mut self.stages[at];
        match fate {
            Fate::Pass => self.go_past(at, held),
            Fate::Drop => self.leaving.push_back(Leaving::Lost(held.handle)),
            Fate::Hold(until) if until <= now => self.go_past(at, held),
            Fate::Hold(until) => {
                stage.timed.hold(until, held);
                self.held += 1;
            }
            Fate::HoldBack(until) => {
                stage.overtaken.hold(until, held);
                self.held += 1;
            }
            Fate::Copy(copies) => {
                for _ in 0..copies {
                    let handle = copy(held.handle);
                    self.go_on(at, Held { handle, ..held });
                }
                self.go_on(at, held);
            }
        }
    }

    /// A packet goes on, and with it, behind it, those that enough others have now overtaken.
    #[inline]
    fn go_past(&mut self, at: usize, held: Held) {
        let first = self.moving.len();
        self.go_on(at, held);
        let stage = &mut self.stages[at];
        if stage.overtaken.is_empty() {
            return;
        }
        stage.overtaken.pass(&held.facts);
        while let Some(late) = self.stages[at].overtaken() {
            self.held -= 1;
            self.go_on(at, late);
        }
        self.moving[first..].reverse();
    }

    /// A packet comes to the stage after this one next.
    #[inline]
    fn go_on(&mut self, at: usize, held: Held) {
        let stage = at + 1;
        self.moving.push(Moving { held, stage });
    }
}

impl<L: Chance> Running<L> {
    #[inline]
    fn on_packet(&mut self, now: Time, facts: &Facts) -> Fate {
        if !self.filter.matches(now, facts) {
            return Fate::Pass;
        }
        self.counts.matched += 1;
        let number = self.counts.matched;
        let fate = (self.machine).on_packet(now, number, facts, &mut self.luck);
        match fate {
            Fate::Pass | Fate::HoldBack(_) => {}
            Fate::Drop => self.counts.dropped += 1,
            Fate::Hold(until) => {
                self.counts.delayed += u64::from(until > now);
                self.counts.add_delay(until.saturating_since(now));
            }
            Fate::Copy(copies) => {
                self.counts.duplicated += u64::from(copies > 0);
                self.counts.copies += u64::from(copies);
            }
        }
        fate
    }

    /// The next packet whose time has come.
    fn due(&mut self, now: Time) -> Option<Held> {
        if let Some(held) = self.timed.take(now) {
            return Some(held);
        }
        let late = self.overtaken.take(now)?;
        self.counts.waited_out += 1;
        Some(self.told(&late))
    }

    /// The next packet that enough others have overtaken.
    fn overtaken(&mut self) -> Option<Held> {
        let late = self.overtaken.take_overtaken()?;
        Some(self.told(&late))
    }

    fn told(&mut self, late: &HeldBack) -> Held {
        self.counts.reordered += u64::from(late.overtaken > 0);
        self.counts.displacement += u64::from(late.overtaken);
        late.held
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use units::Duration;

    use super::*;
    use crate::chance::tests::Loaded;
    use crate::impairment::{KINDS, Match, Protocol, TcpFlags, drop};

    fn drops(name: &str, kinds: &[Match], packets: &[u64]) -> Stage {
        Stage {
            name: name.to_owned(),
            filter: Filter {
                kinds: kinds.to_vec(),
                from: Duration::ZERO,
                until: None,
            },
            impairment: Config::Drop(drop::Config {
                probability: None,
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
        let mut pass = |payload| {
            let passage = chain.on_packet(Time::ZERO, 0, &segment(payload), |_| 0);
            passage == Passage::Through
        };
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
