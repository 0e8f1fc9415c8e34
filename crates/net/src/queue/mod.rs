//! Queue disciplines: which packets wait in front of a sender, in which order they leave, and
//! which are dropped or marked.
//!
//! A new discipline is a file with a declared `Config` and a type that implements [`Discipline`],
//! made by `new(&Config)`, its `mod` line, and a line in the list below. How much waits, how
//! long it waited and what was dropped for which cause is counted in the [`Buffer`] for all.

mod buffer;
pub mod codel;
mod counts;
pub mod drop_tail;
pub mod fq_codel;
pub mod mac80211;
pub mod pie;
pub mod priority;
pub mod red;
pub mod round_robin;
#[cfg(test)]
mod trial;

use units::{Duration, Time};

use crate::Chance;

pub use buffer::{Backlog, Buffer};
pub use counts::{QueueCounts, StationCounts};

/// A packet that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuedPacket {
    /// The owner's handle.
    pub handle: u32,
    /// Time that it occupies the sender, in byte times.
    pub bytes: u32,
    /// Time when it came.
    pub since: Time,
}

/// Further facts of a packet that a discipline may know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Class {
    /// Number that tells the packets of one conversation and direction from others.
    pub flow: u32,
    /// The next node it goes to.
    pub to: u16,
    /// Its differentiated services codepoint (RFC 2474), six bits.
    pub dscp: u8,
    /// The length of the IP packet.
    pub ip_bytes: u32,
}

/// Whose packets wait in a queue.
pub trait Owner {
    /// Returns what a packet is.
    fn class(&self, handle: u32) -> Class;

    /// A packet that the queue has accepted is dropped all the same.
    fn drop(&mut self, handle: u32, cause: QueueDropCause);

    /// Tells the addressee of a packet that it met congestion (CE, RFC 3168 §5); answers its
    /// handle from then on, or nothing where its sender does not know what that means.
    fn mark(&mut self, handle: u32) -> Option<u32>;
}

/// Why a packet is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueDropCause {
    /// There is no room for it.
    Full,
    /// As an early sign of congestion, as it comes.
    Early,
    /// Packets have waited for too long.
    Late,
}

impl QueueDropCause {
    /// All of them, in their order.
    pub const ALL: [QueueDropCause; 3] = [
        QueueDropCause::Full,
        QueueDropCause::Early,
        QueueDropCause::Late,
    ];
}

/// In which order packets leave a queue, and which of them do not.
///
/// It is told the time of whatever happens to it, and nothing happens to it in between: what
/// a discipline does periodically, as the drop probability of PIE every 15 ms (RFC 8033 §4.2), it
/// makes up for when it is called next.
pub trait Discipline {
    /// Offers a packet that comes now.
    ///
    /// One that is refused, be it for want of room or as an early sign of congestion, stays its
    /// owner's.
    fn enqueue(
        &mut self,
        packet: QueuedPacket,
        backlog: &mut Backlog<'_, impl Owner>,
        random: &mut impl Chance,
    ) -> Result<(), QueueDropCause>;

    /// Takes the packet to be sent next, at the time the sender is free for it.
    fn dequeue(&mut self, now: Time, backlog: &mut Backlog<'_, impl Owner>)
    -> Option<QueuedPacket>;

    /// The sender, a radio, has spent airtime on a node, or that on the radio; on sending so many bytes,
    /// or none.
    fn on_airtime(&mut self, _to: u16, _airtime: Duration, _bytes: u32) {}

    /// A node shall have so much of the airtime in proportion to others, which have 256.
    fn set_weight(&mut self, _to: u16, _weight: u32) {}

    /// The sender has done with a packet to a node, of so many bytes of IP.
    fn on_done(&mut self, _to: u16, _bytes: u32) {}

    /// Returns what it has done for a node, where it keeps account of each.
    fn counts_of(&self, _to: u16) -> Option<StationCounts> {
        None
    }

    /// Whether it is all the same to the discipline that a packet which finds the queue empty and
    /// the sender free never enters it (Linux calls this `TCQ_F_CAN_BYPASS`).
    fn can_be_bypassed(&self) -> bool;
}

units::kinds! {
    /// Discipline of a queue, and its parameters, as a plan has them.
    pub enum Config with each;

    /// First in, first out, of limited length.
    DropTail in drop_tail;
    /// The most urgent by DSCP first.
    Priority in priority;
    /// Stations take turns.
    RoundRobin in round_robin;
    /// Drops early, by the average length.
    Red in red;
    /// Drops what has waited for too long.
    Codel in codel;
    /// Flows take turns, and each drops what has waited for too long.
    FqCodel in fq_codel;
    /// Drops early, by the delay.
    Pie in pie;
    /// Stations take turns of airtime, and flows within each.
    Mac80211 in mac80211;
}

each! {
    /// A queue of any discipline, dispatched without indirection.
    #[derive(Clone, Debug)]
    pub enum Queue;
}

impl Queue {
    /// An empty queue.
    pub fn new(config: &Config) -> Queue {
        each!(Kind, match config { Config(config) => enum Queue(Kind::new(config)) })
    }
}

impl Discipline for Queue {
    #[inline(always)]
    fn enqueue(
        &mut self,
        packet: QueuedPacket,
        backlog: &mut Backlog<'_, impl Owner>,
        random: &mut impl Chance,
    ) -> Result<(), QueueDropCause> {
        each!(match self {
            Queue(queue) => queue.enqueue(packet, backlog, random),
        })
    }

    #[inline(always)]
    fn dequeue(
        &mut self,
        now: Time,
        backlog: &mut Backlog<'_, impl Owner>,
    ) -> Option<QueuedPacket> {
        each!(match self {
            Queue(queue) => queue.dequeue(now, backlog),
        })
    }

    fn on_airtime(&mut self, to: u16, airtime: Duration, bytes: u32) {
        each!(match self {
            Queue(queue) => queue.on_airtime(to, airtime, bytes),
        });
    }

    fn set_weight(&mut self, to: u16, weight: u32) {
        each!(match self {
            Queue(queue) => queue.set_weight(to, weight),
        });
    }

    fn on_done(&mut self, to: u16, bytes: u32) {
        each!(match self {
            Queue(queue) => queue.on_done(to, bytes),
        });
    }

    fn counts_of(&self, to: u16) -> Option<StationCounts> {
        each!(match self {
            Queue(queue) => queue.counts_of(to),
        })
    }

    #[inline]
    fn can_be_bypassed(&self) -> bool {
        each!(match self {
            Queue(queue) => queue.can_be_bypassed(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_names_the_discipline_as_its_declaration_does() {
        for kind in KINDS {
            let plan = format!(r#"{{"kind":"{}"}}"#, kind.name);
            let error = serde_json::from_str::<Config>(&plan).unwrap_err();
            assert!(error.to_string().starts_with("missing field"), "{error}");
        }
        let plan = r#"{"kind":"drop-tail","packets":50,"bytes":null}"#;
        let config: Config = serde_json::from_str(plan).unwrap();
        let expected = drop_tail::Config {
            packets: 50,
            bytes: None,
        };
        assert_eq!(config, Config::DropTail(expected));
    }

    #[test]
    fn a_parameter_of_another_discipline_is_refused() {
        let plan = r#"{"kind":"drop-tail","packets":50,"bytes":null,"target":5000000}"#;
        assert!(serde_json::from_str::<Config>(plan).is_err());
    }
}
