//! Impairments: what a link does to packets besides carrying them.
//!
//! A new impairment is a file with a declared `Config` and a type that implements [`Impairment`],
//! made by `new(&Config)`, its `mod` line, and a line in the list below. Which packets it is
//! about ([`Filter`]), how many it met and what it did to them ([`StageCounts`]), and where its random numbers
//! comes from is the same for all, and stands in the [`Chain`].

pub mod bad_fcs;
pub mod bit_error;
mod chain;
#[cfg(test)]
mod chain_tests;
mod counts;
mod damage;
pub mod delay;
pub mod drop;
pub mod duplicate;
pub mod empirical_delay;
mod facts;
mod filter;
pub mod gilbert_elliott;
mod matcher;
pub mod normal_delay;
mod order;
pub mod pareto_delay;
pub mod rate;
pub mod reorder;
mod stage;
pub mod token_bucket;
#[cfg(test)]
mod trial;
pub mod uniform_delay;
mod waiting;

use units::Time;
use units::declaration::Measure;
use units::serde::{Deserialize, Serialize};

use crate::Chance;

pub use chain::{Chain, ChainOutcome, Leaving};
pub use counts::StageCounts;
pub use damage::Damage;
pub use facts::{CarriedProtocol, Facts, SegmentFlags};
pub use filter::{Filter, Match};
pub use stage::{Awaited, Stage};

/// Fate of a packet at one stage of a chain.
///
/// One answer per packet is enough for whatever happens on a wire, so that no stage holds a
/// packet itself or hands one out later: that is done by the [`Chain`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageVerdict {
    /// It goes on.
    Pass,
    /// It is lost.
    Drop,
    /// It goes on damaged, maybe so that nobody notices.
    Damage(Damage),
    /// It goes on at this time.
    Hold(Time),
    /// It goes on when others have overtaken it.
    HoldBack(Overtaking),
    /// It goes on, and so many copies behind it.
    Copy(u32),
}

/// Distance that a packet is put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overtaking {
    /// Number of later packets that overtake it.
    pub by: u32,
    /// Those of them that count.
    pub within: Within,
    /// Time when it goes on all the same, though fewer have come.
    pub at_latest: Time,
}

/// Among which packets the order changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", crate = "units::serde")]
pub enum Within {
    /// All of the link's direction.
    Link,
    /// Those of the same flow and direction: one connection, unless its application opens several.
    Connection,
}

impl Within {
    /// The word for each, in plans and in scenarios.
    pub const WORDS: &[&str] = &["link", "connection"];
}

impl Measure for Within {
    fn measure(&self) -> Option<f64> {
        None
    }
}

/// Effect of a stage of a chain on the packets that its filter lets it see.
pub trait Impairment {
    /// True if it damages frames.
    const DAMAGES: bool = false;

    /// Decides about a packet, the `number`-th (from 1) of those it has seen.
    fn on_packet(
        &mut self,
        now: Time,
        number: u64,
        facts: &Facts,
        random: &mut impl Chance,
    ) -> StageVerdict;

    /// Returns how many of the packets that it waits for by number have not come; none where it
    /// waits for none.
    fn awaited(&self) -> Option<u64> {
        None
    }
}

units::kinds! {
    /// Impairment of a stage, and its parameters, as a plan has them.
    pub enum Config with each;

    /// Packets get lost.
    Drop in drop;
    /// Packets get lost in bursts.
    GilbertElliott in gilbert_elliott;
    /// Bits of frames are flipped.
    BitError in bit_error;
    /// Frames get a wrong check sequence.
    BadFcs in bad_fcs;
    /// Packets are held for the same time.
    Delay in delay;
    /// Packets are held for a time of uniform distribution.
    UniformDelay in uniform_delay;
    /// Packets are held for a time of normal distribution.
    NormalDelay in normal_delay;
    /// Packets are held for a time of Pareto distribution.
    ParetoDelay in pareto_delay;
    /// Packets are held for times that a file tells.
    EmpiricalDelay in empirical_delay;
    /// Packets are overtaken by later ones.
    Reorder in reorder;
    /// Packets are sent twice, at once.
    Duplicate in duplicate;
    /// Packets pass a sender of limited rate, with a queue.
    Rate in rate;
    /// Packets pass at a rate on average, with bursts.
    TokenBucket in token_bucket;
}

impl Config {
    /// Returns whether it damages frames.
    pub fn damages(&self) -> bool {
        each!(
            Kind,
            match self {
                Config(_) => Kind::DAMAGES,
            }
        )
    }
}

each! {
    /// An impairment of any kind, dispatched without indirection.
    ///
    /// The tag has a place of its own: it is asked for with every packet.
    #[derive(Clone, Debug)]
    #[repr(u8)]
    enum AnyImpairment;
}

impl AnyImpairment {
    fn new(config: &Config) -> AnyImpairment {
        each!(Kind, match config { Config(config) => enum AnyImpairment(Kind::new(config)) })
    }
}

impl Impairment for AnyImpairment {
    #[inline(always)]
    fn on_packet(
        &mut self,
        now: Time,
        number: u64,
        facts: &Facts,
        random: &mut impl Chance,
    ) -> StageVerdict {
        each!(match self {
            AnyImpairment(machine) => machine.on_packet(now, number, facts, random),
        })
    }

    fn awaited(&self) -> Option<u64> {
        each!(match self {
            AnyImpairment(machine) => machine.awaited(),
        })
    }
}
