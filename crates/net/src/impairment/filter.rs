//! Filters: which packets a stage of a chain is about.

use units::serde::{Deserialize, Serialize};
use units::{Duration, Time};

use super::{Facts, Protocol, TcpFlags};

/// The packets a stage is about; those of any other kind or time pass it unseen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(crate = "units::serde")]
pub struct Filter {
    /// Packets of any of these kinds; empty for every packet.
    #[serde(rename = "match")]
    pub kinds: Vec<Match>,
    /// Those that come to the stage at this time of the run or later.
    #[serde(rename = "from_ns")]
    pub from: Duration,
    /// And before this time; absent: until the run ends.
    #[serde(rename = "until_ns")]
    pub until: Option<Duration>,
}

impl Filter {
    /// Whether a packet that comes `now` is one of them.
    #[inline(always)]
    pub fn matches(&self, now: Time, facts: &Facts) -> bool {
        let age = now - Time::ZERO;
        self.from <= age
            && self.until.is_none_or(|until| age < until)
            && (self.kinds.is_empty() || self.kinds.iter().any(|kind| kind.holds(facts)))
    }

    /// Whether it can match anything at all.
    pub fn check(&self) -> Result<(), String> {
        match self.until {
            Some(until) if until <= self.from => Err(format!(
                "until_ns: {} is not after from_ns, {}",
                until.as_nanos(),
                self.from.as_nanos()
            )),
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

            /// Whether a packet is of this kind.
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

/// What makes a segment without data more than an acknowledgment.
const CONTROL: u8 = TcpFlags::SYN | TcpFlags::FIN | TcpFlags::RST;

kinds! {
    /// every packet, ARP included
    All = "all": _,
    /// every TCP segment
    Tcp = "tcp": Protocol::Tcp { .. },
    /// TCP segments with data, retransmissions and window probes included
    TcpData = "tcp-data": Protocol::Tcp { payload: 1.., .. },
    /// TCP segments without data and without SYN, FIN or RST: acknowledgments and nothing else
    TcpAck = "tcp-ack": Protocol::Tcp { payload: 0, flags } if !flags.any_of(CONTROL),
    /// TCP segments with SYN: both that open a connection
    TcpSyn = "tcp-syn": Protocol::Tcp { flags, .. } if flags.any_of(TcpFlags::SYN),
    /// UDP datagrams
    Udp = "udp": Protocol::Udp,
    /// ICMP messages: echoes and errors
    Icmp = "icmp": Protocol::Icmp,
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACK: u8 = 0x10;

    fn words_for(protocol: Protocol) -> Vec<&'static str> {
        let facts = Facts {
            flow: 0,
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

    fn segment(payload: u32, flags: u8) -> Protocol {
        let flags = TcpFlags(flags);
        Protocol::Tcp { payload, flags }
    }

    #[test]
    fn a_packet_is_of_every_kind_that_describes_it() {
        let data = words_for(segment(1460, ACK));
        assert_eq!(data, ["all", "tcp", "tcp-data"]);
        assert_eq!(words_for(segment(0, ACK)), ["all", "tcp", "tcp-ack"]);
        let syn_ack = words_for(segment(0, ACK | TcpFlags::SYN));
        assert_eq!(syn_ack, ["all", "tcp", "tcp-syn"]);
        let fin = words_for(segment(0, ACK | TcpFlags::FIN));
        assert_eq!(fin, ["all", "tcp"], "it acknowledges, but not only");
        assert_eq!(words_for(Protocol::Udp), ["all", "udp"]);
        assert_eq!(words_for(Protocol::Icmp), ["all", "icmp"]);
        assert_eq!(words_for(Protocol::Arp), ["all"]);
    }

    fn between(from: u64, until: Option<u64>) -> Filter {
        Filter {
            kinds: vec![Match::Udp],
            from: Duration::from_nanos(from),
            until: until.map(Duration::from_nanos),
        }
    }

    #[test]
    fn the_time_at_which_a_filter_ends_is_no_longer_its_own() {
        let filter = between(10, Some(20));
        let datagram = Facts {
            flow: 0,
            ip_bytes: 100,
            protocol: Protocol::Udp,
        };
        let at = |nanos| filter.matches(Time::from_nanos(nanos), &datagram);
        assert_eq!([9, 10, 19, 20].map(at), [false, true, true, false]);
    }

    #[test]
    fn a_filter_that_ends_before_it_begins_is_refused() {
        assert_eq!(between(10, None).check(), Ok(()));
        assert_eq!(
            between(20, Some(20)).check(),
            Err("until_ns: 20 is not after from_ns, 20".to_owned())
        );
    }
}
