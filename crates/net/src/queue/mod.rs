//! Queue disciplines: which packets wait in front of a sender, in which order they leave, and
//! which are dropped.
//!
//! A new discipline is a file with a declared `Config` and a type that implements [`Discipline`],
//! made by `new(&Config)`, and a line in the list at the end of this file.

use units::Time;
use units::declaration::Kind;
use units::serde::{Deserialize, Serialize};

use crate::Chance;

/// A packet that waits, and what a discipline may know of it.
///
/// A discipline that marks a packet where another one drops it changes it here, and `dequeue`
/// hands out what has become of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The owner's handle.
    pub handle: u32,
    /// How long it occupies the sender, in byte times.
    pub bytes: u32,
    /// Whose it is.
    pub class: Class,
}

/// Among whom a discipline may be fair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Class {
    /// A packet's flow, for those that are fair between flows.
    pub flow: u32,
    /// The next node it goes to, for those that are fair between stations.
    pub to: u16,
}

/// The queue has no room for the packet that came, which is its owner's again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

/// A queue in front of a sender.
///
/// It is told the time of whatever happens to it, and nothing happens to it in between: what
/// a discipline does periodically, as the drop probability of PIE every 15 ms (RFC 8033 §4.2), it
/// makes up for when it is called next. It keeps the time a packet came where it needs to know
/// how long that has waited.
pub trait Discipline {
    /// Offers a packet.
    ///
    /// One that is refused, be it for want of room or as an early sign of congestion, stays its
    /// owner's. The handles of others that are dropped in its favour go to `dropped`.
    fn enqueue(
        &mut self,
        now: Time,
        packet: Waiting,
        luck: &mut impl Chance,
        dropped: &mut Vec<u32>,
    ) -> Result<(), Full>;

    /// Takes the packet to be sent next, at the time the sender is free for it.
    ///
    /// The handles of packets that have waited too long and are dropped instead go to `dropped`.
    fn dequeue(&mut self, now: Time, dropped: &mut Vec<u32>) -> Option<Waiting>;

    /// Packets that wait.
    fn len(&self) -> usize;

    /// Whether none waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the waiting packets occupy the sender for, in byte times.
    fn bytes(&self) -> u64;

    /// Whether it is all the same to the discipline that a packet which finds the queue empty and
    /// the sender free never enters it (Linux calls this `TCQ_F_CAN_BYPASS`).
    fn can_be_bypassed(&self) -> bool;
}

macro_rules! queues {
    ($($(#[$doc:meta])* $name:ident in $module:ident;)*) => {
        $(pub mod $module;)*

        /// Which discipline a queue has, and its parameters, as a plan has them.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "kebab-case", crate = "units::serde")]
        pub enum Config {
            $($(#[$doc])* $name($module::Config),)*
        }

        /// Every discipline, and what may be said of it.
        pub const KINDS: &[Kind] = &[$($module::Config::KIND),*];

        impl Config {
            /// Whether every value is within its limits; else the first that is not.
            pub fn check(&self) -> Result<(), String> {
                match self {
                    $(Config::$name(config) => config.check(),)*
                }
            }
        }

        /// A queue of any discipline, dispatched without indirection.
        #[derive(Clone, Debug)]
        pub enum Queue {
            $($(#[$doc])* $name($module::$name),)*
        }

        impl Queue {
            /// An empty queue.
            pub fn new(config: &Config) -> Queue {
                match config {
                    $(Config::$name(config) => Queue::$name($module::$name::new(config)),)*
                }
            }
        }

        impl Discipline for Queue {
            #[inline]
            fn enqueue(
                &mut self,
                now: Time,
                packet: Waiting,
                luck: &mut impl Chance,
                dropped: &mut Vec<u32>,
            ) -> Result<(), Full> {
                match self {
                    $(Queue::$name(queue) => queue.enqueue(now, packet, luck, dropped),)*
                }
            }

            #[inline]
            fn dequeue(&mut self, now: Time, dropped: &mut Vec<u32>) -> Option<Waiting> {
                match self {
                    $(Queue::$name(queue) => queue.dequeue(now, dropped),)*
                }
            }

            #[inline]
            fn len(&self) -> usize {
                match self {
                    $(Queue::$name(queue) => queue.len(),)*
                }
            }

            #[inline]
            fn bytes(&self) -> u64 {
                match self {
                    $(Queue::$name(queue) => queue.bytes(),)*
                }
            }

            #[inline]
            fn can_be_bypassed(&self) -> bool {
                match self {
                    $(Queue::$name(queue) => queue.can_be_bypassed(),)*
                }
            }
        }
    };
}

queues! {
    /// First in, first out, of limited length.
    DropTail in drop_tail;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_names_the_discipline_as_its_declaration_does() {
        let plan = r#"{"kind":"drop-tail","packets":50}"#;
        let config: Config = serde_json::from_str(plan).unwrap();
        assert_eq!(config, Config::DropTail(drop_tail::Config { packets: 50 }));
        assert!(KINDS.iter().any(|kind| kind.name == "drop-tail"));
    }

    #[test]
    fn a_parameter_of_another_discipline_is_refused() {
        let plan = r#"{"kind":"drop-tail","packets":50,"target":5000000}"#;
        assert!(serde_json::from_str::<Config>(plan).is_err());
    }
}
