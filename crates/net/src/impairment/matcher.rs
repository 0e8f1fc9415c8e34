//! Filters at work: what a stage has to remember to tell its packets from others.

use std::collections::BTreeSet;

use units::Time;

use super::{Facts, Filter, Protocol};

/// A filter, and the connections that have come by.
#[derive(Clone, Debug)]
pub struct Matcher {
    filter: Filter,
    connections: Option<Connections>,
}

/// Counts connections until the one that is meant comes.
#[derive(Clone, Debug)]
struct Connections {
    /// How many come before it.
    before: usize,
    /// Those that have come, until it has.
    passed: BTreeSet<u32>,
    meant: Option<u32>,
}

impl Matcher {
    /// A filter that no packet has come to.
    pub fn new(filter: &Filter) -> Self {
        let connections = filter.connection.map(|number| Connections {
            before: number.get() as usize - 1,
            passed: BTreeSet::new(),
            meant: None,
        });
        Matcher {
            filter: filter.clone(),
            connections,
        }
    }

    /// Whether a packet that comes `now` is one of those that the stage is about.
    #[inline]
    pub fn matches(&mut self, now: Time, facts: &Facts) -> bool {
        if let Some(connections) = &mut self.connections
            && !(self.filter.is_of_flows(facts) && connections.are_led_to(facts))
        {
            return false;
        }
        self.filter.matches(now, facts)
    }
}

impl Connections {
    /// Whether a packet is of the connection that is meant. A connection counts from its first
    /// packet here on, whatever kinds, sizes and times the filter is about.
    fn are_led_to(&mut self, facts: &Facts) -> bool {
        if !matches!(facts.protocol, Protocol::Tcp { .. }) {
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

    use super::*;
    use crate::impairment::{Match, TcpFlags};

    fn segment(flow: u32, traffic: u16, payload: u32) -> Facts {
        let flags = TcpFlags(TcpFlags::ACK);
        Facts {
            flow,
            traffic: Some(traffic),
            ip_bytes: 40 + payload,
            protocol: Protocol::Tcp { payload, flags },
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
        let mut matches = |facts| second.matches(Time::ZERO, &facts);
        let datagram = Facts {
            protocol: Protocol::Udp,
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
    }
}
