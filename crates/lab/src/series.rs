//! Time series at a chosen step.

use traffic::Transport;
use units::{Duration, Time};

use crate::ledger::Use;
use crate::meters::DurationMeter;
use crate::plan::Plan;
use crate::sockets::{Endpoint, Owner, Side};
use crate::world::World;

/// Series in the making. Each step adds a value to every column.
#[derive(Debug)]
pub struct Series {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
    last: Time,
    bytes: Vec<u64>,
    rtt: Vec<DurationMeter>,
    spent: [Duration; Use::ALL.len()],
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
            rtt: vec![DurationMeter::default(); plan.flows.len()],
            spent: [Duration::ZERO; Use::ALL.len()],
        }
    }

    /// Adds the step that ends now.
    pub fn step(&mut self, world: &World) {
        let seconds = (world.now - self.last).as_secs_f64();
        self.last = world.now;
        let mut row = vec![world.now.as_secs_f64()];
        for (index, flow) in world.flows.iter().enumerate() {
            let bytes =
                flow.meter.bytes - std::mem::replace(&mut self.bytes[index], flow.meter.bytes);
            row.push(bytes as f64 * 8.0 / 1e6 / seconds);
            row.push(mean_ms_since(&mut self.rtt[index], &flow.meter.rtt));
            if world.plan.flows[index].app.about().transport == Transport::Tcp {
                let owner = Owner {
                    flow: index as u16,
                    side: Side::Initiator,
                };
                let cwnd = |end: &Endpoint| end.connection.info().cwnd_bytes as f64;
                row.push(world.sockets.of(owner).last().map_or(f64::NAN, cwnd));
            }
        }
        if let Some(radios) = &world.radios {
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

/// The names of the columns in the order of [`Series::step`].
fn column_names(plan: &Plan) -> Vec<String> {
    let mut names = vec!["time_s".to_owned()];
    for flow in &plan.flows {
        names.push(format!("flow.{}.goodput_mbps", flow.name));
        names.push(format!("flow.{}.rtt_ms", flow.name));
        if flow.app.about().transport == Transport::Tcp {
            names.push(format!("flow.{}.cwnd_bytes", flow.name));
        }
    }
    if plan.air.is_some() {
        let radios = plan.nodes.iter().filter(|node| node.radio().is_some());
        names.extend(radios.map(|node| format!("node.{}.queue_packets", node.name)));
        names.extend(
            Use::ALL
                .iter()
                .map(|(_, name)| format!("airtime.{name}_share")),
        );
    }
    names
}

/// The mean of what was added to `now` since `before`, which becomes `now`; not a number without any.
fn mean_ms_since(before: &mut DurationMeter, now: &DurationMeter) -> f64 {
    let count = now.count - before.count;
    let sum = now.sum - before.sum;
    *before = *now;
    sum.as_secs_f64() * 1e3 / count as f64
}
