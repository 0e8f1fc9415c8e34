//! What one replication leaves.

mod accesses;
mod associations;
mod catalogue;
mod channel;
mod cut;
mod declared;
mod distributions;
mod flows;
mod gathered;
mod interval;
mod losses;
mod metrics;
mod nodes;
mod processors;
mod queues;
mod segments;
mod series;
mod times;
mod timing;
mod transport;
mod windows;
mod wires;

use crate::plan::Plan;
use crate::rows::{
    Attempt, Handover, KnownRateRow, Names, Roam, SentDatagram, StationQueueRow, Table, TcpSample,
    TransferRow,
};

pub use catalogue::{Catalogue, catalogue};
pub use cut::{AssociationCut, Cut, RunPart, WorldCounters};
use declared::Taker;
pub use distributions::Distributions;
pub use gathered::Gathered;
pub use metrics::Metrics;
pub use series::{Series, Sights};
pub use timing::TimedRecord;
pub use windows::RunWindows;

/// What one replication leaves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Named numbers, units in the names.
    pub metrics: Metrics,
    /// Time series: a column for each name, the first `time_s`; empty unless asked for.
    pub series: Vec<(String, Vec<f64>)>,
    /// How long what happened took, in buckets; empty unless asked for.
    pub distributions: Distributions,
    /// Timing records, by flow.
    pub timing_records: Vec<TimedRecord>,
    /// Both ends of every connection, those that have ended first, in the order of their ends.
    pub transfers: Vec<TransferRow>,
    /// Samples of TCP_INFO in the order of time, then of flows, those of the run's end last;
    /// empty unless asked for.
    pub tcp_info: Vec<TcpSample>,
    /// Datagrams and echo requests in the order of their sending; empty unless asked for.
    pub datagrams: Vec<SentDatagram>,
    /// Data frames and RTS in the order of their ends; empty unless asked for.
    pub attempts: Vec<Attempt>,
    /// Changes of mobile nodes' agents, in the order of time.
    pub handovers: Vec<Handover>,
    /// Each time that a station left its access point, in the order of time.
    pub roams: Vec<Roam>,
    /// What rate controls know at the end, where they keep account of each rate.
    pub known_rates: Vec<KnownRateRow>,
    /// What queues have and have done of each station, where they keep account of each.
    pub station_queues: Vec<StationQueueRow>,
    /// Tables whose rows were taken out of the world while it ran.
    pub taken: Vec<Table>,
    /// What the plan calls its flows and nodes.
    pub names: Names,
}

/// The name of the table of time series.
const SERIES: &str = "series";

impl Record {
    /// All but the metrics as tables, those without rows left out.
    pub fn tables(&self) -> Vec<Table> {
        let names = &self.names;
        let tables = [
            Table::of_reals(SERIES, &self.series),
            self.distributions.table(),
            Table::of(&self.timing_records, names),
            Table::of(&self.transfers, names),
            Table::of(&self.tcp_info, names),
            Table::of(&self.datagrams, names),
            Table::of(&self.attempts, names),
            Table::of(&self.handovers, names),
            Table::of(&self.roams, names),
            Table::of(&self.known_rates, names),
            Table::of(&self.station_queues, names),
        ];
        (tables.into_iter().chain(self.taken.iter().cloned()))
            .filter(|table| !table.is_empty())
            .collect()
    }
}

/// Gives every metric of a part of a run.
fn give(part: &RunPart<'_>, plan: &Plan, into: &mut impl Taker) {
    flows::give(part, plan, into);
    if plan.air.is_some() {
        let radios: Vec<&str> = (plan.radios().iter())
            .map(|at| at.radio.name.as_str())
            .collect();
        channel::give(part, into);
        accesses::give(part, &radios, into);
        nodes::give(part, &radios, into);
        losses::give(part, plan, into);
    }
    nodes::give_discards(part, plan, into);
    nodes::give_absent_stations(part, plan, into);
    processors::give(part, plan, into);
    associations::give(part, plan, into);
    wires::give(part, plan, into);
    segments::give(part, plan, into);
}
