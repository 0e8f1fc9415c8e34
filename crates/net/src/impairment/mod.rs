//! Impairments: what a link does to packets besides carrying them.
//!
//! A new impairment is a file with a declared `Config` and a type that implements [`Impairment`],
//! made by `new(&Config)`, and a line in the list at the end of this file. Which packets it is
//! about ([`Filter`]), how many it met and what it did to them ([`Counts`]), and where its luck
//! comes from is the same for all, and stands in the [`Chain`].

mod chain;
mod damage;
mod facts;
mod filter;
mod matcher;

use units::Time;
use units::declaration::Kind;
use units::serde::{Deserialize, Serialize};

use crate::Chance;

pub use chain::{Chain, Counts, Stage};
pub use damage::Damage;
pub use facts::{Facts, Protocol, TcpFlags};
pub use filter::{Filter, Match};

/// What becomes of a packet at one stage of a chain.
///
/// One answer per packet is enough for whatever happens on a wire, so that no stage holds a
/// packet itself or hands one out later:
///
/// - loss, by chance, by number or in bursts (a chain of Markov in the stage): `Drop`;
/// - bit errors: `Damage`, by who will notice;
/// - delay and jitter: a variant with the time until which the packet is held, after which it
///   goes on at the next stage;
/// - reordering: the same, for those that others shall overtake;
/// - a limited rate: the same, with the time at which the stage, which knows when it has let the
///   last one go, has room; or `Drop` where too many wait;
/// - duplication: a variant with the number of copies that go on beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It goes on.
    Pass,
    /// It is lost.
    Drop,
    /// It goes on damaged, maybe so that nobody notices.
    Damage(Damage),
}

/// What a stage of a chain does to the packets that its filter lets it see.
pub trait Impairment {
    /// Whether it damages frames.
    const DAMAGES: bool = false;

    /// Decides about a packet, the `number`-th (from 1) of those it has seen.
    fn on_packet(&mut self, now: Time, number: u64, facts: &Facts, luck: &mut impl Chance) -> Fate;

    /// How many of the packets that it waits for by number have not come; none where it waits for
    /// none.
    fn awaited(&self) -> Option<u64> {
        None
    }
}

macro_rules! impairments {
    ($($(#[$doc:meta])* $name:ident in $module:ident;)*) => {
        $(pub mod $module;)*

        /// Which impairment a stage is, and its parameters, as a plan has them.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "kebab-case", crate = "units::serde")]
        pub enum Config {
            $($(#[$doc])* $name($module::Config),)*
        }

        /// Every impairment, and what may be said of it.
        pub const KINDS: &[Kind] = &[$($module::Config::KIND),*];

        impl Config {
            /// Whether every value is within its limits; else the first that is not.
            pub fn check(&self) -> Result<(), String> {
                match self {
                    $(Config::$name(config) => config.check(),)*
                }
            }

            /// Whether it damages frames.
            pub fn damages(&self) -> bool {
                match self {
                    $(Config::$name(_) => $module::$name::DAMAGES,)*
                }
            }
        }

        /// An impairment of any kind, dispatched without indirection.
        #[derive(Clone, Debug)]
        enum Machine {
            $($name($module::$name),)*
        }

        impl Machine {
            fn new(config: &Config) -> Machine {
                match config {
                    $(Config::$name(config) => Machine::$name($module::$name::new(config)),)*
                }
            }
        }

        impl Impairment for Machine {
            #[inline]
            fn on_packet(
                &mut self,
                now: Time,
                number: u64,
                facts: &Facts,
                luck: &mut impl Chance,
            ) -> Fate {
                match self {
                    $(Machine::$name(machine) => machine.on_packet(now, number, facts, luck),)*
                }
            }

            fn awaited(&self) -> Option<u64> {
                match self {
                    $(Machine::$name(machine) => machine.awaited(),)*
                }
            }
        }
    };
}

impairments! {
    /// Packets get lost.
    Drop in drop;
    /// Packets get lost in bursts.
    GilbertElliott in gilbert_elliott;
    /// Bits of frames are flipped.
    BitError in bit_error;
    /// Frames get a wrong check sequence.
    BadFcs in bad_fcs;
}
