//! Chains: stages that a packet passes one after the other.

use std::collections::VecDeque;

use units::Time;

use super::stage::{Running, Stage};
use super::waiting::Held;
use super::{Counts, Facts, Fate};
use crate::Chance;

/// The impairments of one direction of a link, in order.
///
/// The owner hands in each packet by [`Chain::on_packet`]. What the chain takes, and what it
/// holds back or copies, leaves by [`Chain::poll`], for which the owner asks right afterwards and
/// whenever [`Chain::next_wake`] is due.
#[derive(Clone, Debug)]
pub struct Chain<L> {
    stages: Vec<Running<L>>,
    /// When a stage wants to let the next packet go on, and which one: of several the last, since
    /// its packet came first.
    next: Wake,
    /// What leaves besides the packet that was asked about.
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

/// When a stage is to be asked for a packet. That may have been overtaken by then.
#[derive(Clone, Copy, Debug)]
struct Wake {
    at: Time,
    stage: usize,
}

impl<L: Chance> Chain<L> {
    /// A chain that no packet has passed, with a random stream of its own for each stage, so that
    /// one more stage changes no other's luck.
    pub fn new(stages: &[Stage], mut luck: impl FnMut(&Stage) -> L) -> Self {
        let running = |stage: &Stage| Running::new(stage, luck(stage));
        Chain {
            stages: stages.iter().map(running).collect(),
            next: Wake::NONE,
            leaving: VecDeque::new(),
        }
    }

    /// A packet comes to the chain. Of one that is to be duplicated, `copy` makes a copy and
    /// answers its handle.
    #[inline]
    pub fn on_packet(
        &mut self,
        now: Time,
        handle: u32,
        facts: &Facts,
        mut copy: impl FnMut(u32) -> u32,
    ) -> Passage {
        if self.next.at <= now {
            self.follow(now, handle, facts, &mut copy);
            return Passage::Taken;
        }
        match self.travel(now, 0, handle, facts, &mut copy) {
            Some(Leaving::Through(_)) => Passage::Through,
            Some(Leaving::Lost(_)) => Passage::Lost,
            None => Passage::Taken,
        }
    }

    /// Whether packets wait for [`Chain::poll`] already.
    #[inline]
    pub fn has_left(&self) -> bool {
        !self.leaving.is_empty()
    }

    /// The next packet that leaves the chain now.
    #[inline]
    pub fn poll(&mut self, now: Time, mut copy: impl FnMut(u32) -> u32) -> Option<Leaving> {
        if let Some(leaving) = self.leaving.pop_front() {
            return Some(leaving);
        }
        while self.next.at <= now {
            let stage = self.next.stage;
            let Some(held) = self.take_due(now) else {
                continue;
            };
            let leaving = self.travel(now, stage + 1, held.handle, &held.facts, &mut copy);
            if let Some(leaving) = leaving.or_else(|| self.leaving.pop_front()) {
                return Some(leaving);
            }
        }
        None
    }

    /// When to call [`Chain::poll`] next, though it may turn out that nothing leaves then;
    /// [`Time::NEVER`] when nothing waits for a time.
    #[inline]
    pub fn next_wake(&self) -> Time {
        self.next.at
    }

    /// Packets that stages hold.
    pub fn held(&self) -> usize {
        let stages = self.stages.iter();
        stages
            .map(|stage| stage.timed.len() + stage.overtaken.len())
            .sum()
    }

    /// What each stage has done, by its name, in order.
    pub fn counts(&self) -> impl Iterator<Item = (&str, Counts)> {
        let counts = |stage: &'_ Running<L>| stage.counts;
        let names = self.stages.iter().map(|stage| stage.name.as_str());
        names.zip(self.stages.iter().map(counts))
    }

    /// A packet comes when others are due, which came before it.
    #[cold]
    fn follow(&mut self, now: Time, handle: u32, facts: &Facts, copy: &mut impl FnMut(u32) -> u32) {
        while self.next.at <= now {
            let stage = self.next.stage;
            if let Some(due) = self.take_due(now) {
                self.travel_behind(now, stage + 1, due, copy);
            }
        }
        let facts = *facts;
        self.travel_behind(now, 0, Held { handle, facts }, copy);
    }

    /// Lets a packet go as far as it comes, from the stage `first` on, and tells what becomes of
    /// it now. Where others leave with it, it stands before them in what leaves.
    #[inline(always)]
    fn travel(
        &mut self,
        now: Time,
        first: usize,
        handle: u32,
        facts: &Facts,
        copy: &mut impl FnMut(u32) -> u32,
    ) -> Option<Leaving> {
        for (further, stage) in self.stages[first..].iter_mut().enumerate() {
            match stage.on_packet(now, facts) {
                Fate::Pass if !stage.overtaken.pass(facts) => {}
                Fate::Drop => return Some(Leaving::Lost(handle)),
                Fate::Hold(until) => {
                    let facts = *facts;
                    stage.timed.hold(until, Held { handle, facts });
                    self.ask(first + further, until);
                    return None;
                }
                fate => {
                    let facts = *facts;
                    self.apply(now, first + further, fate, Held { handle, facts }, copy);
                    return None;
                }
            }
        }
        Some(Leaving::Through(handle))
    }

    /// Lets a packet go behind all that leave already.
    #[inline(never)]
    fn travel_behind(
        &mut self,
        now: Time,
        first: usize,
        held: Held,
        copy: &mut impl FnMut(u32) -> u32,
    ) {
        let leaving = self.travel(now, first, held.handle, &held.facts, copy);
        self.leaving.extend(leaving);
    }

    /// Does what concerns more than the packet itself.
    #[inline(never)]
    fn apply(
        &mut self,
        now: Time,
        at: usize,
        fate: Fate,
        held: Held,
        copy: &mut impl FnMut(u32) -> u32,
    ) {
        if let Fate::HoldBack(until) = fate {
            self.stages[at].overtaken.hold(until, held);
            self.ask(at, until.at_latest);
            return;
        }
        self.travel_behind(now, at + 1, held, copy);
        if let Fate::Copy(copies) = fate {
            for _ in 0..copies {
                let handle = copy(held.handle);
                self.travel_behind(now, at + 1, Held { handle, ..held }, copy);
            }
        }
        while let Some(late) = self.stages[at].take_overtaken() {
            self.travel_behind(now, at + 1, late, copy);
        }
    }

    /// Has a stage asked for a packet at a time at the latest.
    #[inline]
    fn ask(&mut self, stage: usize, at: Time) {
        self.stages[stage].next_at = self.stages[stage].next_at.min(at);
        if (at, self.next.stage) < (self.next.at, stage) {
            self.next = Wake { at, stage };
        }
    }

    /// Asks the stage whose turn it is for the packet that is due.
    #[inline]
    fn take_due(&mut self, now: Time) -> Option<Held> {
        let due = self.stages[self.next.stage].take_due(now);
        self.next = Wake::NONE;
        for (stage, running) in self.stages.iter().enumerate() {
            if running.next_at <= self.next.at {
                self.next = Wake {
                    at: running.next_at,
                    stage,
                };
            }
        }
        due
    }
}

impl Wake {
    const NONE: Wake = Wake {
        at: Time::NEVER,
        stage: 0,
    };
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use units::Duration;

    use super::*;
    use crate::chance::tests::Loaded;
    use crate::impairment::{Config, Filter, Match, Protocol, TcpFlags, drop};

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
}
