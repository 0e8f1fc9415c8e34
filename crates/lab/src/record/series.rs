//! Time series at a chosen step.

use units::table::{Column, Type};
use units::{Duration, Time};

use super::transport;
use crate::hosts::{SocketEnd, Sockets, WorldFlow};
use crate::ids::{FlowId, Side};
use crate::meters::{AirtimeUse, Meter, Spent};
use crate::network::{SharedCable, WireDirection};
use crate::packets::Packets;

use crate::plan::{FlowPlan, Plan};
use crate::radios::{Radio, Radios, Spending};

/// Series in the making. Each step adds a value to every column.
#[derive(Debug)]
pub struct Series {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
    last: Time,
    /// How many seconds each step was long.
    lengths: Vec<f64>,
    flows: Vec<FlowTotals>,
    /// How long each radio had sent, and how often it had changed its rate.
    radios: Vec<(Duration, u64)>,
    /// What airtime was spent on up to the last step that has been handed over.
    spent: Spent,
}

/// What a flow had counted at the last step.
#[derive(Clone, Copy, Debug)]
struct FlowTotals {
    bytes: u64,
    rtt: Meter,
    /// Segments retransmitted and timeouts, over TCP that can be seen.
    trouble: Option<[u64; 2]>,
}

/// What is looked at in each step.
#[derive(Debug)]
pub struct Sights<'a> {
    /// The flows.
    pub flows: &'a [WorldFlow],
    /// Their connections.
    pub sockets: &'a Sockets,
    /// The radios.
    pub radios: Option<&'a Radios>,
    /// Both directions of each wire.
    pub wires: &'a mut [WireDirection],
    /// The segments.
    pub segments: &'a [SharedCable],
    /// The packets, which their queues may drop.
    pub packets: &'a mut Packets,
}

impl Series {
    /// Series of a plan that has not run.
    pub fn new(plan: &Plan) -> Self {
        let names = column_names(plan);
        let flows = plan.flows.iter().map(|flow| FlowTotals {
            bytes: 0,
            rtt: Meter::default(),
            trouble: is_tcp_seen(plan, flow).then_some([0; 2]),
        });
        Series {
            columns: vec![Vec::new(); names.len()],
            names,
            last: Time::ZERO + plan.warmup_ns,
            lengths: Vec::new(),
            flows: flows.collect(),
            radios: vec![(Duration::ZERO, 0); plan.radios().len()],
            spent: [Duration::ZERO; AirtimeUse::ALL.len()],
        }
    }

    /// The first step begins now.
    pub fn begin(&mut self, flows: &[WorldFlow], sockets: &Sockets, radios: Option<&Radios>) {
        let numbered = (0..).map(FlowId).zip(self.flows.iter_mut().zip(flows));
        for (id, (counted, flow)) in numbered {
            counted.bytes = flow.account.meter.bytes;
            counted.rtt = flow.account.meter.rtt;
            if let Some(trouble) = &mut counted.trouble {
                *trouble = trouble_of(sockets, id);
            }
        }
        if let Some(radios) = radios {
            self.radios = radios.each.iter().map(counted_by).collect();
        }
    }

    /// Adds the step that ends now.
    pub fn step(&mut self, now: Time, seen: &mut Sights<'_>) {
        let seconds = (now - self.last).as_secs_f64();
        self.last = now;
        self.lengths.push(seconds);
        let mut row = vec![now.as_secs_f64()];
        let flows = (0..)
            .map(FlowId)
            .zip(seen.flows.iter().zip(&mut self.flows));
        for (id, (flow, before)) in flows {
            before.step(&mut row, seconds, id, flow, seen.sockets);
        }
        if let Some(radios) = seen.radios {
            for (radio, before) in radios.each.iter().zip(&mut self.radios) {
                let now = counted_by(radio);
                let before = std::mem::replace(before, now);
                row.push(f64::from(radio.queue.length));
                row.push((now.0 - before.0).as_secs_f64() / seconds);
                row.push((now.1 - before.1) as f64);
            }
            // What the time just before was spent on is known later.
            row.extend([f64::NAN; AirtimeUse::ALL.len()]);
        }
        row.extend(
            seen.wires
                .iter_mut()
                .map(|way| way.backlog(now, seen.packets) as f64),
        );
        for segment in seen.segments {
            row.extend((segment.members()).map(|member| f64::from(segment.backlog(member))));
        }
        debug_assert_eq!(row.len(), self.columns.len(), "a value for every column");
        for (column, value) in self.columns.iter_mut().zip(row) {
            column.push(value);
        }
    }

    /// Hands over the steps of which all is known, as columns with their names. `spending` is what
    /// airtime was spent on up to the end of each step since this was called last, which is known a
    /// little later than all else; told is the mean of the access points.
    pub fn take(&mut self, spending: &[Spending<'_>]) -> Vec<(String, Vec<f64>)> {
        let access_points = spending.iter().filter(|each| each.is_access_point);
        let access_points: Vec<_> = access_points.map(|each| each.at_marks).collect();
        let known = access_points.iter().map(|spent| spent.len()).min();
        let steps = known.map_or(self.lengths.len(), |known| known.min(self.lengths.len()));
        if known.is_some() {
            self.share_airtime(&access_points, steps);
        }
        self.lengths.drain(..steps);
        let columns = self.columns.iter_mut();
        let taken = columns.map(|column| column.drain(..steps).collect());
        self.names.iter().cloned().zip(taken).collect()
    }

    /// Enters the shares of airtime in the first steps that are kept.
    fn share_airtime(&mut self, access_points: &[&[Spent]], steps: usize) {
        let count = access_points.len() as f64;
        let is_share = |name: &String| name.starts_with("airtime.");
        let shares = self.names.iter().zip(&mut self.columns);
        for (of, (_, column)) in shares.filter(|(name, _)| is_share(name)).enumerate() {
            for (step, share) in column[..steps].iter_mut().enumerate() {
                let each = access_points.iter().map(|spent| spent[step][of]);
                let all = each.fold(Duration::ZERO, |all, spent| all + spent);
                let spent = all - std::mem::replace(&mut self.spent[of], all);
                *share = spent.as_secs_f64() / (count * self.lengths[step]);
            }
        }
    }
}

impl FlowTotals {
    /// Adds the values of a flow in the step, as [`COLUMNS`] has them.
    fn step(
        &mut self,
        row: &mut Vec<f64>,
        seconds: f64,
        id: FlowId,
        flow: &WorldFlow,
        sockets: &Sockets,
    ) {
        let bytes =
            flow.account.meter.bytes - std::mem::replace(&mut self.bytes, flow.account.meter.bytes);
        row.push(bytes as f64 * 8.0 / 1e6 / seconds);
        row.push(mean_ms_since(&mut self.rtt, &flow.account.meter.rtt));
        let Some(before) = &mut self.trouble else {
            return;
        };
        let owner = id.end(Side::Initiator);
        let cwnd = |end: &SocketEnd| end.connection.info().cwnd_bytes as f64;
        row.push(sockets.of(owner).last().map_or(f64::NAN, cwnd));
        let now = trouble_of(sockets, id);
        let before = std::mem::replace(before, now);
        row.extend(
            now.iter()
                .zip(before)
                .map(|(now, before)| (now - before) as f64),
        );
    }
}

/// Returns whether a flow has TCP, both ends of it in the world.
fn is_tcp_seen(plan: &Plan, flow: &FlowPlan) -> bool {
    transport::is_for(flow.app.about()) && !transport::is_unseen(plan, flow)
}

/// Returns how long a radio has sent, and how often it has changed its rate.
fn counted_by(radio: &Radio) -> (Duration, u64) {
    (radio.sent, radio.mac().counters().rate_changes)
}

/// The segments that both ends of a flow have retransmitted, and their timeouts.
fn trouble_of(sockets: &Sockets, id: FlowId) -> [u64; 2] {
    let ends = Side::BOTH.map(|side| sockets.counters(id.end(side)));
    [
        ends.iter()
            .map(|end| end.fast_retransmissions + end.timeout_retransmissions)
            .sum(),
        ends.iter().map(|end| end.timeouts).sum(),
    ]
}

/// The columns by what they are of, in the order of [`Series::step`].
pub const COLUMNS: &[(Of, Column)] = &[
    column(
        Of::Run,
        "time_s",
        "s",
        "end of the step, from the start of the run",
    ),
    column(
        Of::Flow,
        "goodput_mbps",
        "Mbit/s",
        "application bytes received in the step",
    ),
    column(
        Of::Flow,
        "rtt_ms",
        "ms",
        "mean of the round-trip times of the step; NaN without any",
    ),
    column(
        Of::TcpFlow,
        "cwnd_bytes",
        "bytes",
        "the sender's congestion window at the end of the step (TCP); NaN before it opens",
    ),
    column(
        Of::TcpFlow,
        "retransmissions",
        "segments",
        "data segments that its ends retransmitted in the step (TCP)",
    ),
    column(
        Of::TcpFlow,
        "timeouts",
        "timeouts",
        "expiries of its retransmission timers in the step (TCP)",
    ),
    column(
        Of::Radio,
        "queue_packets",
        "packets",
        "interface queue at the end of the step, the packet in service included",
    ),
    column(
        Of::Radio,
        "airtime_share",
        "",
        "share of the step in which it sent",
    ),
    column(
        Of::Radio,
        "rate_changes",
        "changes",
        "how often its rate control changed the rate in the step",
    ),
    column(
        Of::Use,
        "share",
        "",
        "share of the step that the category took",
    ),
    column(
        Of::Way,
        "queue_packets_from",
        "packets",
        "packets of this end of the wire that wait or are being sent at the end of the step",
    ),
    column(
        Of::Member,
        "queue_packets_from",
        "packets",
        "packets that this node has not yet sent over the segment at the end of the step",
    ),
];

/// What a column is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// The run.
    Run,
    /// Each flow.
    Flow,
    /// Each flow over TCP.
    TcpFlow,
    /// Each radio.
    Radio,
    /// Each use of airtime.
    Use,
    /// Each direction of each wire.
    Way,
    /// Each node on each segment.
    Member,
}

impl Of {
    /// The name of a column of this thing; in capitals where a plan gives the thing its name.
    /// A direction is called by its wire or segment and the end that sends, with a dot between.
    pub fn name(self, of: &str, column: &Column) -> String {
        match self {
            Of::Run => column.name.to_owned(),
            Of::Flow | Of::TcpFlow => format!("flow.{of}.{}", column.name),
            Of::Radio => format!("node.{of}.{}", column.name),
            Of::Use => format!("airtime.{of}_{}", column.name),
            Of::Way | Of::Member => {
                let (cable, end) = of.split_once('.').unwrap_or((of, ""));
                let kind = if self == Of::Way { "wire" } else { "segment" };
                format!("{kind}.{cable}.{}.{end}", column.name)
            }
        }
    }

    /// Returns what stands for the name of the thing where there is no plan.
    pub fn placeholder(self) -> &'static str {
        match self {
            Of::Run => "",
            Of::Flow | Of::TcpFlow => "FLOW",
            Of::Radio => "NODE",
            Of::Use => "CATEGORY",
            Of::Way => "WIRE.END",
            Of::Member => "SEGMENT.END",
        }
    }
}

const fn column(
    of: Of,
    name: &'static str,
    unit: &'static str,
    about: &'static str,
) -> (Of, Column) {
    let of_reals = Column {
        name,
        unit,
        about,
        of: Type::Real,
    };
    (of, of_reals)
}

fn column_names(plan: &Plan) -> Vec<String> {
    let names = |of: Of, thing: &str| {
        let columns = COLUMNS.iter().filter(move |(each, _)| *each == of);
        let name = |(of, column): &(Of, Column)| of.name(thing, column);
        columns.map(name).collect::<Vec<_>>()
    };
    let mut all = names(Of::Run, "");
    for flow in &plan.flows {
        all.extend(names(Of::Flow, &flow.name));
        if is_tcp_seen(plan, flow) {
            all.extend(names(Of::TcpFlow, &flow.name));
        }
    }
    if plan.air.is_some() {
        let radios = plan.radios().into_iter();
        all.extend(radios.flat_map(|at| names(Of::Radio, &at.radio.name)));
        all.extend(
            AirtimeUse::ALL
                .iter()
                .flat_map(|of| names(Of::Use, of.name)),
        );
    }
    for wire in &plan.wires {
        for end in wire.ends {
            let way = format!("{}.{}", wire.name, plan.nodes[end.node].name);
            all.extend(names(Of::Way, &way));
        }
    }
    for segment in &plan.segments {
        for member in &segment.members {
            let end = format!("{}.{}", segment.name, plan.nodes[member.node].name);
            all.extend(names(Of::Member, &end));
        }
    }
    all
}

/// The mean of what was added to `now` since `before`, which becomes `now`; not a number without any.
fn mean_ms_since(before: &mut Meter, now: &Meter) -> f64 {
    let since = Meter {
        count: now.count - before.count,
        sum: now.sum - before.sum,
        most: now.most,
    };
    *before = *now;
    since.mean_ms().unwrap_or(f64::NAN)
}
