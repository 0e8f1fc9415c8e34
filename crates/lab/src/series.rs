//! Time series at a chosen step.

use traffic::Transport;
use units::table::{Column, Type};
use units::{Duration, Time};

use crate::flows::Flow;
use crate::ledger::{Spent, Use};
use crate::meter::Meter;
use crate::plan::Plan;
use crate::radios::Radios;
use crate::sockets::{Endpoint, Owner, Side, Sockets};

/// Series in the making. Each step adds a value to every column.
#[derive(Debug)]
pub struct Series {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
    last: Time,
    bytes: Vec<u64>,
    rtt: Vec<Meter>,
    /// Which flows are over TCP.
    is_tcp: Vec<bool>,
    spent: Spent,
}

impl Series {
    /// Series of a plan that has not run.
    pub fn new(plan: &Plan) -> Self {
        let names = column_names(plan);
        Series {
            columns: vec![Vec::new(); names.len()],
            names,
            last: Time::ZERO + plan.warmup_ns,
            bytes: vec![0; plan.flows.len()],
            rtt: vec![Meter::default(); plan.flows.len()],
            is_tcp: (plan.flows.iter())
                .map(|flow| flow.app.about().transport == Transport::Tcp)
                .collect(),
            spent: [Duration::ZERO; Use::ALL.len()],
        }
    }

    /// The first step begins now.
    pub fn begin(&mut self, flows: &[Flow]) {
        self.bytes = flows.iter().map(|flow| flow.meter.bytes).collect();
        self.rtt = flows.iter().map(|flow| flow.meter.rtt).collect();
    }

    /// Adds the step that ends now.
    pub fn step(&mut self, now: Time, flows: &[Flow], sockets: &Sockets, radios: Option<&Radios>) {
        let seconds = (now - self.last).as_secs_f64();
        self.last = now;
        let mut row = vec![now.as_secs_f64()];
        for (index, flow) in flows.iter().enumerate() {
            let bytes =
                flow.meter.bytes - std::mem::replace(&mut self.bytes[index], flow.meter.bytes);
            row.push(bytes as f64 * 8.0 / 1e6 / seconds);
            row.push(mean_ms_since(&mut self.rtt[index], &flow.meter.rtt));
            if self.is_tcp[index] {
                let owner = Owner {
                    flow: index as u16,
                    side: Side::Initiator,
                };
                let cwnd = |end: &Endpoint| end.connection.info().cwnd_bytes as f64;
                row.push(sockets.of(owner).last().map_or(f64::NAN, cwnd));
            }
        }
        if let Some(radios) = radios {
            row.extend(
                radios
                    .each
                    .iter()
                    .map(|radio| f64::from(radio.queue.length)),
            );
            for (spent, before) in radios.ledger.spent().iter().zip(&mut self.spent) {
                row.push((*spent - std::mem::replace(before, *spent)).as_secs_f64() / seconds);
            }
        }
        debug_assert_eq!(row.len(), self.columns.len(), "a value for every column");
        for (column, value) in self.columns.iter_mut().zip(row) {
            column.push(value);
        }
    }

    /// The columns with their names.
    pub fn into_columns(self) -> Vec<(String, Vec<f64>)> {
        self.names.into_iter().zip(self.columns).collect()
    }
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
        Of::Radio,
        "queue_packets",
        "packets",
        "interface queue at the end of the step, the packet in service included",
    ),
    column(
        Of::Use,
        "share",
        "",
        "share of the step that the category took",
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
}

impl Of {
    /// The name of a column of this thing; in capitals where a plan gives the thing its name.
    pub fn name(self, of: &str, column: &Column) -> String {
        match self {
            Of::Run => column.name.to_owned(),
            Of::Flow | Of::TcpFlow => format!("flow.{of}.{}", column.name),
            Of::Radio => format!("node.{of}.{}", column.name),
            Of::Use => format!("airtime.{of}_{}", column.name),
        }
    }

    /// What stands for the name of the thing where there is no plan.
    pub fn placeholder(self) -> &'static str {
        match self {
            Of::Run => "",
            Of::Flow | Of::TcpFlow => "FLOW",
            Of::Radio => "NODE",
            Of::Use => "CATEGORY",
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
        if flow.app.about().transport == Transport::Tcp {
            all.extend(names(Of::TcpFlow, &flow.name));
        }
    }
    if plan.air.is_some() {
        let radios = plan.radios().into_iter();
        all.extend(radios.flat_map(|at| names(Of::Radio, &at.radio.name)));
        all.extend(Use::ALL.iter().flat_map(|of| names(Of::Use, of.name)));
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
