//! How a world stands while it runs, for people who watch it.

use serde::Serialize;
use units::{Dbm, Duration};

use super::World;
use crate::ids::InterfaceId;
use crate::radios::Radio;

/// What has been counted so far: two of them tell what went on between.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LiveCounts {
    /// Every flow.
    pub flows: Vec<FlowStanding>,
    /// Every radio.
    pub radios: Vec<RadioStanding>,
    /// What airtime was spent on at the first vantage point, by its label; the last moments aside.
    pub airtime: Vec<(&'static str, Duration)>,
}

/// A flow.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowStanding {
    /// Its name.
    pub name: String,
    /// Application bytes delivered.
    pub bytes: u64,
    /// Round trips timed.
    pub rtt_count: u64,
    /// All of them together, in nanoseconds.
    pub rtt_sum_ns: u64,
}

/// A radio.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RadioStanding {
    /// The name of its node.
    pub name: String,
    /// With what power it receives its access point.
    pub signal_dbm: Option<Dbm>,
    /// Data frames sent, retries included.
    pub attempts: u64,
    /// The rates of all of them added up, in bit/s.
    pub rates_bps: u64,
    /// Data frames retransmitted.
    pub retries: u64,
    /// Packets waiting.
    pub queue: u32,
    /// How long it has sent.
    pub sent_ns: Duration,
}

impl World {
    /// Returns how it stands.
    pub fn standing(&mut self) -> LiveCounts {
        LiveCounts {
            flows: self.flow_standings(),
            radios: self.radio_standings(),
            airtime: (self.air.radios.as_ref())
                .map_or_else(Vec::new, |radios| radios.vantages.so_far()),
        }
    }

    fn flow_standings(&self) -> Vec<FlowStanding> {
        let named = self.plan.flows.iter().zip(&self.hosts.flows);
        named
            .map(|(planned, flow)| {
                let meter = &flow.account.meter;
                FlowStanding {
                    name: planned.name.clone(),
                    bytes: meter.bytes,
                    rtt_count: meter.rtt.count,
                    rtt_sum_ns: meter.rtt.sum,
                }
            })
            .collect()
    }

    fn radio_standings(&mut self) -> Vec<RadioStanding> {
        let Some(radios) = &mut self.air.radios else {
            return Vec::new();
        };
        let interfaces: Vec<_> = radios.each.iter().map(Radio::interface).collect();
        let standing = |(radio, interface): (usize, InterfaceId)| {
            let access_point = self.network.interface(interface).access_point;
            let signal = access_point.map(|from| radios.signal(from.address(), interface));
            let each = &radios.each[radio];
            let counters = each.mac().counters();
            RadioStanding {
                name: self.plan.nodes[each.node.index()].name.clone(),
                signal_dbm: signal,
                attempts: counters.attempts(),
                rates_bps: counters.rates_bps(),
                retries: counters.retries,
                queue: each.queue.length,
                sent_ns: each.sent,
            }
        };
        interfaces.into_iter().enumerate().map(standing).collect()
    }
}
