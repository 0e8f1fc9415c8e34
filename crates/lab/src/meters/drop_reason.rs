//! Why packets and frames get lost, as captures of what is dropped say it.

use dot11::DropCause;
use net::queue;

/// What became of a packet that goes no further, or of a frame that its receiver has no use for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// A queue dropped it.
    Queue(queue::QueueDropCause),
    /// The MAC gave it up.
    GivenUp(DropCause),
    /// Sixteen collisions on a shared cable (IEEE 802.3 §4.2.3.2.5).
    ExcessiveCollisions,
    /// An impairment of the wire it came over.
    Impaired,
    /// The Ethernet frame's check sequence was wrong.
    CheckSequence,
    /// The Ethernet header was damaged: it was for nobody, or of no known type.
    Header,
    /// The checksum of IP, TCP, UDP or ICMP was wrong.
    Checksum,
    /// The machine's processor had no room for it.
    Processor,
    /// An access point's station has left.
    NoStation,
    /// A station belongs to no access point, or to another one.
    NotAssociated,
    /// Nobody has answered ARP.
    NoNeighbour,
    /// A packet that came later waits for the answer to ARP.
    Displaced,
    /// There is no route.
    NoRoute,
    /// Its time to live was over.
    Expired,
    /// It was longer than what the next network carries.
    TooLong,
    /// The router that translates has no port left.
    NoPort,
    /// Other frames overlapped it on the air.
    Overlapped,
    /// Nothing overlapped it, and it was not decoded.
    Undecoded,
    /// A list of the scenario has it damaged.
    Listed,
    /// It had been received before.
    Duplicate,
}

impl DropReason {
    /// The comment of its packet.
    pub fn said(self) -> &'static str {
        match self {
            DropReason::Queue(queue::QueueDropCause::Full) => "dropped: the queue was full",
            DropReason::Queue(queue::QueueDropCause::Early) => {
                "dropped: early, by the length of the queue"
            }
            DropReason::Queue(queue::QueueDropCause::Late) => {
                "dropped: it had waited for too long in the queue"
            }
            DropReason::GivenUp(DropCause::ShortRetryLimit) => "dropped: short retry limit",
            DropReason::GivenUp(DropCause::LongRetryLimit) => "dropped: long retry limit",
            DropReason::GivenUp(DropCause::Lifetime) => "dropped: lifetime of the MSDU",
            DropReason::ExcessiveCollisions => "dropped: sixteen collisions",
            DropReason::Impaired => "lost: impairment of the wire",
            DropReason::CheckSequence => "dropped: wrong check sequence",
            DropReason::Header => "dropped: damaged Ethernet header",
            DropReason::Checksum => "dropped: wrong checksum",
            DropReason::Processor => "dropped: the processor's queue was full",
            DropReason::NoStation => "dropped: the station is not with this access point",
            DropReason::NotAssociated => "dropped: not associated",
            DropReason::NoNeighbour => "dropped: nobody answers ARP",
            DropReason::Displaced => "dropped: displaced while waiting for ARP",
            DropReason::NoRoute => "dropped: no route",
            DropReason::Expired => "dropped: time to live exceeded",
            DropReason::TooLong => "dropped: longer than the next MTU",
            DropReason::NoPort => "dropped: no port left to translate to",
            DropReason::Overlapped => "lost: overlapped by another frame",
            DropReason::Undecoded => "lost: too weak, or noise",
            DropReason::Listed => "lost: by list",
            DropReason::Duplicate => "dropped: received before",
        }
    }
}
