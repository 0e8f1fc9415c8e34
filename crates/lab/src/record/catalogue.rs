//! The catalogue: every metric and every table that records can have, with their meanings.

use serde::Serialize;
use tcp::Counters as TcpCounters;
use traffic::applications;
use units::declaration::{CountedMetric, Declared, Metric};
use units::table::{Column, Row};

use super::declared::{MetricPlace, MetricScope};
use super::distributions::{DistributedQuantity, Distributions};
use super::{
    accesses, associations, channel, flows, losses, nodes, processors, queues, series, times,
    timing, transport, wires,
};
use crate::meters::{AirtimeUse, Content, Discards, absent_stations};
use crate::radios::{ChannelCounters, LossCounts};
use crate::rows::{
    Attempt, Handover, KnownRateRow, Roam, SentDatagram, StationQueueRow, TcpSample, TransferRow,
};

/// All that records can hold.
#[derive(Clone, Debug, Serialize)]
pub struct Catalogue {
    /// The metrics.
    pub metrics: Vec<CatalogueEntry>,
    /// The uses of airtime, which exclude each other and add up to the measured time.
    pub airtime: Vec<Metric>,
    /// What distributions are kept of.
    pub quantities: Vec<CatalogueEntry>,
    /// The tables besides that of the metrics.
    pub tables: Vec<TableEntry>,
}

/// A metric. What a scenario gives its names to stands in capitals: FLOW, NODE, WIRE, SEGMENT,
/// STAGE, END, LIST.
#[derive(Clone, Debug, Serialize)]
pub struct CatalogueEntry {
    /// Its name.
    pub name: String,
    /// What it is of.
    pub scope: MetricScope,
    /// What figures and tables call it.
    pub label: String,
    /// Its unit; empty for a ratio.
    pub unit: &'static str,
    /// What exactly it is.
    pub about: &'static str,
    /// The kinds of traffic whose flows have it; empty where it is of no flow.
    pub traffic: Vec<&'static str>,
}

/// A table.
#[derive(Clone, Debug, Serialize)]
pub struct TableEntry {
    /// Its name.
    pub name: &'static str,
    /// What its rows are.
    pub about: &'static str,
    /// Its columns.
    pub columns: Vec<ColumnEntry>,
}

/// A column. What a scenario gives its names to stands in capitals.
#[derive(Clone, Debug, Serialize)]
pub struct ColumnEntry {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// What it means.
    pub about: &'static str,
}

impl ColumnEntry {
    fn new(name: String, column: &Column) -> ColumnEntry {
        ColumnEntry {
            name,
            unit: column.unit,
            about: column.about,
        }
    }
}

/// Every metric and every table that records can have.
pub fn catalogue() -> Catalogue {
    let mut metrics = Vec::new();
    of_the_run(&mut metrics);
    of_the_channel(&mut metrics);
    of_flows(&mut metrics);
    of_nodes(&mut metrics);
    of_wires(&mut metrics);
    of_segments(&mut metrics);
    let mut quantities = Vec::new();
    for (list, quantity) in distributions(&wires::after("END")) {
        list.add(declared(quantity.percentiles), &mut metrics);
        list.add([&quantity.metric].into_iter(), &mut quantities);
    }
    Catalogue {
        metrics,
        quantities,
        airtime: AirtimeUse::ALL.to_vec(),
        tables: vec![
            series_entry(),
            distributions_entry(),
            TableEntry::of::<TcpSample>(),
            TableEntry::of::<timing::TimedRecord>(),
            TableEntry::of::<TransferRow>(),
            TableEntry::of::<SentDatagram>(),
            TableEntry::of::<Attempt>(),
            TableEntry::of::<Handover>(),
            TableEntry::of::<Roam>(),
            TableEntry::of::<KnownRateRow>(),
            TableEntry::of::<StationQueueRow>(),
        ],
    }
}

fn declared<Of>(all: &'static [Declared<Of>]) -> impl Iterator<Item = &'static Metric> {
    all.iter().map(|each| &each.metric)
}

fn counted<Of>(all: &'static [CountedMetric<Of>]) -> impl Iterator<Item = &'static Metric> {
    all.iter().map(|each| &each.metric)
}

/// Where the entries of a list go.
struct CatalogueList<'a> {
    place: MetricPlace<'a>,
    /// What follows the label.
    label: &'a str,
    traffic: Vec<&'static str>,
}

impl CatalogueList<'_> {
    fn at(place: MetricPlace<'_>) -> CatalogueList<'_> {
        CatalogueList {
            place,
            label: "",
            traffic: Vec::new(),
        }
    }

    fn add(&self, metrics: impl Iterator<Item = &'static Metric>, to: &mut Vec<CatalogueEntry>) {
        to.extend(metrics.map(|metric| {
            let own = self.place.name(metric);
            CatalogueEntry {
                name: match self.place.scope.prefix() {
                    "" => own,
                    prefix => format!("{prefix}.{}.{own}", self.place.of),
                },
                scope: self.place.scope,
                label: format!("{}{}", metric.label, self.label),
                unit: metric.unit,
                about: metric.about,
                traffic: self.traffic.clone(),
            }
        }));
    }
}

/// Returns what distributions are kept of, and where.
fn distributions(after: &str) -> Vec<(CatalogueList<'_>, &'static DistributedQuantity)> {
    fn of<'a>(place: MetricPlace<'a>, label: &'a str) -> CatalogueList<'a> {
        CatalogueList {
            label,
            ..CatalogueList::at(place)
        }
    }
    let queue_of = |place, label| (of(MetricPlace { after, ..place }, label), &queues::SOJOURN);
    let node = MetricPlace::of(MetricScope::Node, "NODE");
    let mut all = vec![
        (of(node, ", NODE"), &queues::SOJOURN),
        (of(node, ", NODE"), &nodes::SERVICE),
        (
            CatalogueList::at(MetricPlace::CHANNEL.before(channel::BEFORE)),
            &nodes::SERVICE,
        ),
        queue_of(
            MetricPlace::of(MetricScope::Wire, "WIRE"),
            " on WIRE from END",
        ),
        queue_of(
            MetricPlace::of(MetricScope::Segment, "SEGMENT"),
            " on SEGMENT from END",
        ),
    ];
    for each in times::OF_FLOWS {
        let place = MetricPlace::RUN.before(each.before_of_all);
        all.push((of(place, each.whose), &each.quantity));
        let kinds = applications().filter(|(_, about)| (each.is_for)(about));
        let own = CatalogueList {
            traffic: kinds.map(|(kind, _)| kind.name).collect(),
            ..of(
                MetricPlace::of(MetricScope::Flow, "FLOW").before(each.before),
                each.whose_of_flow,
            )
        };
        all.push((own, &each.quantity));
    }
    all
}

fn of_the_run(to: &mut Vec<CatalogueEntry>) {
    CatalogueList::at(MetricPlace::RUN).add(declared(flows::ALL), to);
    let tcp = CatalogueList::at(MetricPlace::RUN.before(transport::BEFORE));
    tcp.add(counted(TcpCounters::METRICS), to);
    tcp.add(declared(transport::METRICS), to);
    CatalogueList::at(MetricPlace::RUN).add(declared(times::TRIPS), to);
}

fn of_the_channel(to: &mut Vec<CatalogueEntry>) {
    let labels = [", airtime", ", share of airtime"];
    airtime(MetricScope::Channel, "", labels, to);
    CatalogueList::at(channel::airtime(channel::SECONDS)).add(counted(Content::METRICS), to);
    let frames = CatalogueList::at(MetricPlace::CHANNEL.before(channel::BEFORE));
    frames.add(counted(ChannelCounters::METRICS), to);
    frames.add(counted(accesses::COUNTS), to);
    frames.add(counted(dot11::MacCounters::METRICS), to);
    frames.add(declared(nodes::MAC), to);
    CatalogueList::at(MetricPlace::CHANNEL).add(declared(accesses::RATIOS), to);
    let before = losses::before("LIST");
    let list = CatalogueList {
        label: " by LIST",
        ..CatalogueList::at(MetricPlace::CHANNEL.before(&before))
    };
    list.add(counted(LossCounts::METRICS), to);
    list.add(declared(losses::LIST), to);
}

/// A ledger: the seconds of each use, and its share.
fn airtime(scope: MetricScope, of: &str, labels: [&str; 2], to: &mut Vec<CatalogueEntry>) {
    let names = [channel::SECONDS, channel::SHARE];
    for ((names, label), unit) in names.into_iter().zip(labels).zip(["s", ""]) {
        let place = MetricPlace {
            scope,
            of,
            ..channel::airtime(names)
        };
        let list = CatalogueList {
            label,
            ..CatalogueList::at(place)
        };
        let first = to.len();
        list.add(AirtimeUse::ALL.iter(), to);
        to[first..].iter_mut().for_each(|entry| entry.unit = unit);
    }
}

fn of_flows(to: &mut Vec<CatalogueEntry>) {
    let list = |is_for: fn(&traffic::About) -> bool| {
        let kinds = applications().filter(move |(_, about)| is_for(about));
        CatalogueList {
            label: ", FLOW",
            traffic: kinds.map(|(kind, _)| kind.name).collect(),
            ..CatalogueList::at(MetricPlace::of(MetricScope::Flow, "FLOW"))
        }
    };
    for group in [flows::EVERY, flows::TRIPS] {
        list(group.is_for).add(declared(group.metrics), to);
    }
    list(flows::TRIPS.is_for).add(declared(times::TRIPS), to);
    list(flows::DATAGRAMS.is_for).add(declared(flows::DATAGRAMS.metrics), to);
    let answers = list(|about| (flows::DATAGRAMS.is_for)(about) && about.answers);
    CatalogueList {
        label: " of answers, FLOW",
        place: answers.place.before(flows::ANSWERS),
        ..answers
    }
    .add(declared(flows::DATAGRAMS.metrics), to);
    list(flows::RECORDS.is_for).add(declared(flows::RECORDS.metrics), to);
    let tcp = list(transport::is_for);
    tcp.add(counted(TcpCounters::METRICS), to);
    tcp.add(declared(transport::METRICS), to);
    for (kind, about) in applications() {
        let own = CatalogueList {
            traffic: vec![kind.name],
            ..list(|_| true)
        };
        own.add(declared(about.metrics), to);
    }
}

fn of_nodes(to: &mut Vec<CatalogueEntry>) {
    let list = CatalogueList {
        label: ", NODE",
        ..CatalogueList::at(MetricPlace::of(MetricScope::Node, "NODE"))
    };
    list.add(declared(nodes::QUEUE), to);
    queue(&list, nodes::INTERFACE_QUEUE, to);
    list.add(counted(accesses::COUNTS), to);
    list.add(declared(accesses::RATIOS), to);
    list.add(counted(dot11::MacCounters::METRICS), to);
    list.add(declared(nodes::MAC), to);
    list.add(counted(Discards::METRICS), to);
    list.add(counted(absent_stations::METRICS), to);
    list.add(declared(processors::PROCESSOR), to);
    list.add(declared(associations::ASSOCIATION), to);
    let labels = [", airtime at NODE", ", share of airtime at NODE"];
    airtime(MetricScope::Node, "NODE", labels, to);
}

fn of_wires(to: &mut Vec<CatalogueEntry>) {
    let after = wires::after("END");
    let place = MetricPlace {
        after: &after,
        ..MetricPlace::of(MetricScope::Wire, "WIRE")
    };
    let wire = CatalogueList {
        label: " on WIRE from END",
        ..CatalogueList::at(place)
    };
    queue(&wire, "", to);
    let stage = CatalogueList {
        label: " by STAGE on WIRE from END",
        ..CatalogueList::at(place.before("STAGE."))
    };
    stage.add(counted(net::impairment::StageCounts::METRICS), to);
    stage.add(declared(wires::STAGE), to);
}

fn queue(list: &CatalogueList<'_>, before: &str, to: &mut Vec<CatalogueEntry>) {
    let own = CatalogueList {
        place: list.place.before(before),
        label: list.label,
        traffic: Vec::new(),
    };
    own.add(counted(net::queue::QueueCounts::METRICS), to);
    own.add(declared(queues::WAITS), to);
}

fn of_segments(to: &mut Vec<CatalogueEntry>) {
    let after = wires::after("END");
    let place = MetricPlace {
        after: &after,
        ..MetricPlace::of(MetricScope::Segment, "SEGMENT")
    };
    let segment = CatalogueList {
        label: " on SEGMENT from END",
        ..CatalogueList::at(place)
    };
    queue(&segment, "", to);
    segment.add(counted(net::segment::EthernetCounts::METRICS), to);
}

fn series_entry() -> TableEntry {
    let columns = (series::COLUMNS.iter())
        .map(|(of, column)| ColumnEntry::new(of.name(of.placeholder(), column), column));
    TableEntry {
        name: "series",
        about: "Time series, from the end of the warm-up.",
        columns: columns.collect(),
    }
}

fn distributions_entry() -> TableEntry {
    let columns = Distributions::COLUMNS.map(|(name, about)| ColumnEntry {
        name: name.to_owned(),
        unit: "",
        about,
    });
    TableEntry {
        name: "distributions",
        about: Distributions::ABOUT,
        columns: columns.into(),
    }
}

impl TableEntry {
    fn of<R: Row>() -> TableEntry {
        let columns = R::columns();
        let entry = |column: &Column| ColumnEntry::new(column.name.to_owned(), column);
        TableEntry {
            name: R::TABLE,
            about: R::ABOUT,
            columns: columns.iter().map(entry).collect(),
        }
    }
}
