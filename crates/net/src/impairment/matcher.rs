//! Filters at work: what a stage has to remember to tell its packets from others.

use std::collections::BTreeSet;

use units::Time;

use super::{CarriedProtocol, Facts, Filter, Match};

/// A filter, and the connections that have come by.
#[derive(Clone, Debug)]
pub struct Matcher {
    is_for_all: bool,
    from: Time,
    until: Time,
    /// Any of these; empty for every packet.
    kinds: Vec<Match>,
    /// Conditions that few filters ask for, apart from what is looked at with every packet.
    narrow: Option<Box<Narrow>>,
}

/// Sizes, and whose the packets are.
#[derive(Clone, Debug)]
struct Narrow {
    min_bytes: u32,
    max_bytes: u32,
    flows: Option<BTreeSet<u16>>,
    connections: Option<ConnectionCounter>,
}

/// Counts connections until the one that is meant comes.
#[derive(Clone, Debug)]
struct ConnectionCounter {
    /// Number that come before it.
    before: usize,
    /// Those that have come, until it has.
    passed: BTreeSet<u32>,
    meant: Option<u32>,
}

impl Matcher {
    /// A filter that no packet has come to.
    pub fn new(filter: &Filter) -> Self {
        Matcher {
            is_for_all: is_for_all(filter),
            from: Time::ZERO + filter.from,
            until: filter.until.map_or(Time::NEVER, |until| Time::ZERO + until),
            kinds: filter.kinds.clone(),
            narrow: Narrow::new(filter).map(Box::new),
        }
    }

    /// Returns whether the owner has to tell of packets whose they are.
    pub fn asks_whose(&self) -> bool {
        (self.narrow.as_ref()).is_some_and(|narrow| narrow.flows.is_some())
    }

    /// Returns how many connections are still to come until the one that it is about, if it is
    /// about one.
    pub fn connections_awaited(&self) -> Option<u64> {
        let connections = self.narrow.as_ref()?.connections.as_ref()?;
        let left = connections.before + 1 - connections.passed.len();
        Some(connections.meant.map_or(left as u64, |_| 0))
    }

    /// Returns whether a packet that comes `now` is one of those that the stage is about.
    #[inline(always)]
    pub fn matches(&mut self, now: Time, facts: &Facts) -> bool {
        self.is_for_all || self.is_one(now, facts)
    }

    /// Apart from stages for every packet, which shall not look into it.
    #[inline(never)]
    fn is_one(&mut self, now: Time, facts: &Facts) -> bool {
        // Before all else: connections are counted whatever else the filter is about.
        let is_narrowed = self
            .narrow
            .as_mut()
            .is_none_or(|narrow| narrow.holds(facts));
        is_narrowed
            && self.from <= now
            && now < self.until
            && (self.kinds.is_empty() || self.kinds.iter().any(|kind| kind.holds(facts)))
    }
}

fn is_for_all(filter: &Filter) -> bool {
    let of_any_kind = Filter {
        kinds: Vec::new(),
        ..filter.clone()
    };
    let kinds = &filter.kinds;
    of_any_kind == Filter::default() && (kinds.is_empty() || kinds.contains(&Match::All))
}

impl Narrow {
    fn new(filter: &Filter) -> Option<Self> {
        let is_asked_for = filter.min_bytes.is_some()
            || filter.max_bytes.is_some()
            || filter.flows.is_some()
            || filter.connection.is_some();
        is_asked_for.then(|| Narrow {
            min_bytes: filter.min_bytes.unwrap_or(0),
            max_bytes: filter.max_bytes.unwrap_or(u32::MAX),
            flows: filter.flows.clone(),
            connections: filter.connection.map(|number| ConnectionCounter {
                before: number.get() as usize - 1,
                passed: BTreeSet::new(),
                meant: None,
            }),
        })
    }

    fn holds(&mut self, facts: &Facts) -> bool {
        self.is_of_flows(facts)
            && (self.connections.as_mut()).is_none_or(|all| all.are_led_to(facts))
            && (self.min_bytes..=self.max_bytes).contains(&facts.ip_bytes)
    }

    fn is_of_flows(&self, facts: &Facts) -> bool {
        let is_one = |flows: &BTreeSet<u16>| facts.traffic.is_some_and(|own| flows.contains(&own));
        self.flows.as_ref().is_none_or(is_one)
    }
}

impl ConnectionCounter {
    /// Returns whether a packet is of the connection that is meant. A connection counts from its
    /// first packet here on, whatever kinds, sizes and times the filter is about.
    fn are_led_to(&mut self, facts: &Facts) -> bool {
        if !matches!(facts.protocol, CarriedProtocol::Tcp { .. }) {
            return false;
        }
        if self.meant.is_none() && !self.passed.contains(&facts.flow) {
            if self.passed.len() == self.before {
                self.meant = Some(facts.flow);
                self.passed.clear();
            } else {
                self.passed.insert(facts.flow);
            }
        }
        self.meant == Some(facts.flow)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use units::Duration;

    use super::*;
    use crate::impairment::SegmentFlags;

    fn segment(flow: u32, traffic: u16, payload: u32) -> Facts {
        let flags = SegmentFlags(SegmentFlags::ACK);
        Facts {
            flow,
            traffic: Some(traffic),
            ip_bytes: 40 + payload,
            protocol: CarriedProtocol::Tcp { payload, flags },
        }
    }

    #[test]
    fn connections_are_counted_as_they_come_by_with_whatever_packet() {
        let mut second = Matcher::new(&Filter {
            kinds: vec![Match::TcpData],
            flows: Some([1].into()),
            connection: NonZeroU32::new(2),
            ..Filter::default()
        });
        assert_eq!(second.connections_awaited(), Some(2));
        let mut matches = |facts| second.matches(Time::ZERO, &facts);
        let datagram = Facts {
            protocol: CarriedProtocol::Udp,
            ..segment(7, 1, 0)
        };
        let packets = [
            datagram,
            segment(8, 0, 100),
            segment(10, 1, 100),
            segment(11, 1, 0),
            segment(12, 1, 100),
            segment(10, 1, 100),
            segment(11, 1, 100),
        ];
        assert_eq!(
            packets.map(&mut matches),
            [false, false, false, false, false, false, true],
            "11 came second of the traffic, with an acknowledgment"
        );
        assert_eq!(second.connections_awaited(), Some(0));
    }

    const DATAGRAM: Facts = Facts {
        flow: 0,
        traffic: Some(1),
        ip_bytes: 100,
        protocol: CarriedProtocol::Udp,
    };

    #[test]
    fn the_time_at_which_a_filter_ends_is_no_longer_its_own() {
        let mut matcher = Matcher::new(&Filter {
            from: Duration::from_nanos(10),
            until: Some(Duration::from_nanos(20)),
            ..Filter::default()
        });
        let at = |nanos| matcher.matches(Time::from_nanos(nanos), &DATAGRAM);
        assert_eq!([9, 10, 19, 20].map(at), [false, true, true, false]);
    }

    #[test]
    fn a_packet_of_the_smallest_or_largest_size_matches() {
        let mut matcher = Matcher::new(&Filter {
            min_bytes: Some(100),
            max_bytes: Some(200),
            ..Filter::default()
        });
        let sized = |ip_bytes| Facts {
            ip_bytes,
            ..DATAGRAM
        };
        let of = |bytes| matcher.matches(Time::ZERO, &sized(bytes));
        assert_eq!([99, 100, 200, 201].map(of), [false, true, true, false]);
    }

    #[test]
    fn what_is_of_no_known_flow_is_of_none_that_a_filter_names() {
        let mut matcher = Matcher::new(&Filter {
            flows: Some([1, 4].into()),
            ..Filter::default()
        });
        let owned = |traffic| Facts {
            traffic,
            ..DATAGRAM
        };
        let of = |traffic| matcher.matches(Time::ZERO, &owned(traffic));
        let matched = [Some(1), Some(2), Some(4), None].map(of);
        assert_eq!(matched, [true, false, true, false]);
    }
}
