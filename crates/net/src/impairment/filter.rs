//! Filters: which packets a stage of a chain is about.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use units::Duration;
use units::serde::{Deserialize, Serialize};

use super::{CarriedProtocol, Facts, SegmentFlags};

/// The packets a stage is about, which all of these fields describe; any other passes it unseen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(crate = "units::serde")]
pub struct Filter {
    /// Packets of any of these kinds; empty for every packet.
    #[serde(rename = "match")]
    pub kinds: Vec<Match>,
    /// Those of these flows, by their index in the plan; absent: of any, and of none.
    pub flows: Option<BTreeSet<u16>>,
    /// Those of one TCP connection, by its number among those of these flows that come to the
    /// stage; absent: all.
    pub connection: Option<NonZeroU32>,
    /// Those of so many bytes at least, IP header included.
    pub min_bytes: Option<u32>,
    /// Those of so many bytes at most.
    pub max_bytes: Option<u32>,
    /// Those that come to the stage at this time of the run or later.
    #[serde(rename = "from_ns")]
    pub from: Duration,
    /// And before this time; absent: until the run ends.
    #[serde(rename = "until_ns")]
    pub until: Option<Duration>,
}

impl Filter {
    /// Returns whether it can match anything at all.
    pub fn check(&self) -> Result<(), String> {
        if let Some(until) = self.until.filter(|&until| until <= self.from) {
            let [until, from] = [until, self.from].map(Duration::as_nanos);
            return Err(format!("until_ns: {until} is not after from_ns, {from}"));
        }
        match (self.min_bytes, self.max_bytes) {
            (Some(least), Some(most)) if most < least => {
                Err(format!("max_bytes: {most} is less than min_bytes, {least}"))
            }
            _ => Ok(()),
        }
    }
}

macro_rules! kinds {
    ($(#[doc = $meaning:literal] $name:ident = $word:literal: $pattern:pat $(if $guard:expr)?,)*) => {
        /// A kind of packet.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(crate = "units::serde")]
        pub enum Match {
            $(#[doc = $meaning] #[serde(rename = $word)] $name,)*
        }

        impl Match {
            /// The word for each kind, and what exactly it means.
            pub const WORDS: &[(&str, &str)] = &[$(($word, $meaning.trim_ascii())),*];

            /// Returns whether a packet is of this kind.
            #[inline]
            pub fn holds(self, facts: &Facts) -> bool {
                match (self, facts.protocol) {
                    $((Match::$name, $pattern) $(if $guard)? => true,)*
                    _ => false,
                }
            }
        }
    };
}

/// Flags that make a segment without data more than an acknowledgment.
const CONTROL: u8 = SegmentFlags::SYN | SegmentFlags::FIN | SegmentFlags::RST;

kinds! {
    /// every packet, ARP included
    All = "all": _,
    /// every TCP segment
    Tcp = "tcp": CarriedProtocol::Tcp { .. },
    /// TCP segments with data, retransmissions and window probes included
    TcpData = "tcp-data": CarriedProtocol::Tcp { payload: 1.., .. },
    /// TCP segments without data and without SYN, FIN or RST: acknowledgments and nothing else
    TcpAck = "tcp-ack": CarriedProtocol::Tcp { payload: 0, flags } if !flags.any_of(CONTROL),
    /// TCP segments with SYN: both that open a connection
    TcpSyn = "tcp-syn": CarriedProtocol::Tcp { flags, .. } if flags.any_of(SegmentFlags::SYN),
    /// TCP segments with SYN and ACK: the answer to the one that opens a connection
    TcpSynAck = "tcp-syn-ack": CarriedProtocol::Tcp { flags, .. }
        if flags.all_of(SegmentFlags::SYN | SegmentFlags::ACK),
    /// TCP segments with FIN: the last of their sender, with data or without
    TcpFin = "tcp-fin": CarriedProtocol::Tcp { flags, .. } if flags.any_of(SegmentFlags::FIN),
    /// TCP segments with RST: resets
    TcpRst = "tcp-rst": CarriedProtocol::Tcp { flags, .. } if flags.any_of(SegmentFlags::RST),
    /// TCP segments with PSH: the last of what the application has written
    TcpPsh = "tcp-psh": CarriedProtocol::Tcp { flags, .. } if flags.any_of(SegmentFlags::PSH),
    /// UDP datagrams
    Udp = "udp": CarriedProtocol::Udp,
    /// ICMP messages: echoes and errors
    Icmp = "icmp": CarriedProtocol::Icmp,
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACK: u8 = SegmentFlags::ACK;

    fn words_for(protocol: CarriedProtocol) -> Vec<&'static str> {
        let facts = Facts {
            flow: 0,
            traffic: None,
            ip_bytes: 1500,
            protocol,
        };
        let is_one = |word: &&str| {
            let kind: Match = serde_json::from_str(&format!("\"{word}\"")).unwrap();
            kind.holds(&facts)
        };
        let words = Match::WORDS.iter().map(|&(word, _)| word);
        words.filter(is_one).collect()
    }

    fn segment(payload: u32, flags: u8) -> CarriedProtocol {
        let flags = SegmentFlags(flags);
        CarriedProtocol::Tcp { payload, flags }
    }

    #[test]
    fn a_packet_is_of_every_kind_that_describes_it() {
        let data = words_for(segment(1460, ACK));
        assert_eq!(data, ["all", "tcp", "tcp-data"]);
        assert_eq!(words_for(segment(0, ACK)), ["all", "tcp", "tcp-ack"]);
        let syn_ack = words_for(segment(0, ACK | SegmentFlags::SYN));
        assert_eq!(syn_ack, ["all", "tcp", "tcp-syn", "tcp-syn-ack"]);
        let syn = words_for(segment(0, SegmentFlags::SYN));
        assert_eq!(syn, ["all", "tcp", "tcp-syn"]);
        let fin = words_for(segment(0, ACK | SegmentFlags::FIN));
        let but_not_only = "it acknowledges, but not only";
        assert_eq!(fin, ["all", "tcp", "tcp-fin"], "{but_not_only}");
        let last = words_for(segment(100, ACK | SegmentFlags::FIN | SegmentFlags::PSH));
        assert_eq!(last, ["all", "tcp", "tcp-data", "tcp-fin", "tcp-psh"]);
        assert_eq!(
            words_for(segment(0, SegmentFlags::RST)),
            ["all", "tcp", "tcp-rst"]
        );
        assert_eq!(words_for(CarriedProtocol::Udp), ["all", "udp"]);
        assert_eq!(words_for(CarriedProtocol::Icmp), ["all", "icmp"]);
        assert_eq!(words_for(CarriedProtocol::Arp), ["all"]);
    }

    fn between(from: u64, until: Option<u64>) -> Filter {
        Filter {
            kinds: vec![Match::Udp],
            from: Duration::from_nanos(from),
            until: until.map(Duration::from_nanos),
            ..Filter::default()
        }
    }

    #[test]
    fn a_filter_that_ends_before_it_begins_is_refused() {
        assert_eq!(between(10, None).check(), Ok(()));
        assert_eq!(
            between(20, Some(20)).check(),
            Err("until_ns: 20 is not after from_ns, 20".to_owned())
        );
        let sizes = Filter {
            min_bytes: Some(41),
            max_bytes: Some(40),
            ..Filter::default()
        };
        let wrong = "max_bytes: 40 is less than min_bytes, 41";
        assert_eq!(sizes.check(), Err(wrong.to_owned()));
    }
}
