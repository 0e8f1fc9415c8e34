//! The end of the warm-up, the parts of the run behind it, the steps of the series and the samples
//! of TCP_INFO.

use dot11::FrameKind;
use traffic::TimingRecord;

use super::{World, WorldEvent};
use crate::ids::{FlowEnd, FlowId, PacketId};
use crate::meters::{DataOverhead, Mark};
use crate::plan::Plan;
use crate::radios::Radios;
use crate::record::{
    Cut, Distributions, Gathered, Metrics, Record, RunPart, Series, Sights, TimedRecord,
    WorldCounters,
};
use crate::rows::{
    Datagrams, KnownRateRow, LogPiece, Names, StationQueueRow, TcpSamples, TransferRow,
};

impl World {
    /// The warm-up is over.
    pub(super) fn measure(&mut self) {
        let now = self.now;
        for flow in &mut self.hosts.flows {
            flow.account.records.clear();
        }
        // What was largest in the warm-up is no longer.
        let _warm_up = self.cut();
        if let Some(radios) = &mut self.air.radios {
            radios.vantages.restart(now);
        }
        let first = self.cut().forgiving();
        self.observers.windows.cut(now, first);
        for time in self.observers.windows.times(now) {
            self.calendar.schedule(time, WorldEvent::Edge);
        }
        if let Some(step) = self.plan.series_step_ns {
            if let Some(series) = &mut self.observers.series {
                series.begin(
                    &self.hosts.flows,
                    &self.hosts.sockets,
                    self.air.radios.as_ref(),
                );
            }
            self.calendar.schedule(now + step, WorldEvent::Step);
        }
    }

    /// Cuts the run now.
    fn cut(&mut self) -> Cut {
        Cut::take(&mut self.counting())
    }

    /// All that counts.
    fn counting(&mut self) -> WorldCounters<'_> {
        let associations = self.association_cuts();
        WorldCounters {
            now: self.now,
            links: &mut self.network.links,
            segments: &mut self.network.segments,
            radios: self.air.radios.as_mut(),
            processors: &mut self.hosts.processors,
            content: self.observers.content,
            associations,
            discards: &self.observers.discards,
            absent_stations: &self.observers.absent_stations,
            flows: &mut self.hosts.flows,
            sockets: &self.hosts.sockets,
        }
    }

    /// Cuts the run where a window begins or ends.
    pub(super) fn cut_if_due(&mut self) {
        if self.observers.windows.is_cut_due(self.now) {
            let cut = self.cut();
            self.observers.windows.cut(self.now, cut);
        }
    }

    /// Looks whether all that the starting end of a flow has opened is over.
    pub(super) fn look_whether_over(&mut self, owner: FlowEnd) {
        let is_done = self.hosts.flows[owner.flow.index()].is_done();
        if is_done && self.hosts.sockets.of(owner).all(|end| end.history.is_over) {
            self.observers.windows.on_over(owner.flow);
            self.cut_if_due();
        }
    }

    /// Hands over what has been gathered row by row since this was called last, and forgets it: so
    /// a world that runs for long keeps no more than the rows since then, and those that may still
    /// change. Timing records stay, as metrics of the whole run are made of them.
    ///
    /// [`Record::join`] puts the pieces together again.
    pub fn take_gathered(&mut self) -> Gathered {
        let observers = &mut self.observers;
        let series = match &mut observers.series {
            Some(series) => take_series(series, self.air.radios.as_mut()),
            None => Vec::new(),
        };
        Gathered {
            series,
            transfers: std::mem::take(&mut observers.transfers),
            tcp_info: (observers.tcp_samples.as_mut()).map_or_else(Vec::new, TcpSamples::hand_over),
            datagrams: (observers.datagrams.as_mut())
                .map_or_else(LogPiece::default, Datagrams::take),
            attempts: (observers.attempts.as_mut()).map_or_else(Vec::new, std::mem::take),
            handovers: observers.handovers.take(),
            roams: observers.roams.take(),
        }
    }

    /// Ends the measuring, and answers what was measured and has not been handed over.
    pub(super) fn conclude(mut self) -> Record {
        let (mut record, last) = self.conclude_in_pieces();
        record.join(last);
        record
    }

    /// The same in two parts: without what is gathered row by row, and the last piece of that.
    pub(super) fn conclude_in_pieces(&mut self) -> (Record, Gathered) {
        let now = self.now;
        if !self.observers.windows.is_measuring() {
            // Ended during the warm-up: nothing was measured.
            self.measure();
        }
        let last = self.cut();
        self.observers.windows.cut(now, last);
        self.close_ledgers();
        let records: Vec<_> = (self.hosts.flows.iter_mut())
            .map(|flow| std::mem::take(&mut flow.account.records))
            .collect();
        let record = self.measured(&records);
        let open = self
            .hosts
            .sockets
            .all()
            .map(|end| TransferRow::of(end, None));
        self.observers.transfers.extend(open);
        if let Some(samples) = &mut self.observers.tcp_samples {
            samples.finish(now, &self.hosts.sockets);
        }
        (record, self.take_gathered())
    }

    /// Returns what was measured of the whole run and of its windows.
    fn measured(&self, records: &[Vec<TimingRecord>]) -> Record {
        let vantages = self.air.radios.as_ref().map(|radios| &radios.vantages);
        let spent = vantages.map_or_else(Vec::new, |vantages| vantages.spending(Mark::Cut));
        let mut metrics = Metrics::default();
        for (name, part) in self.observers.windows.parts(&spent, records) {
            metrics.read(&part, &self.plan, name);
        }
        let (_, whole) = (self.observers.windows.parts(&spent, records).next())
            .expect("the measured time is the first part");
        let timing_records = (0..).map(FlowId).zip(records);
        let radios = self.air.radios.as_ref();
        Record {
            metrics,
            distributions: Distributions::read(&whole, &self.plan),
            timing_records: timing_records
                .flat_map(|(flow, records)| TimedRecord::of(flow, records))
                .collect(),
            known_rates: radios.map_or_else(Vec::new, KnownRateRow::of_all),
            station_queues: radios.map_or_else(Vec::new, StationQueueRow::of_all),
            names: Names::of(&self.plan),
            ..Record::default()
        }
    }

    fn close_ledgers(&mut self) {
        let Some(radios) = &mut self.air.radios else {
            return;
        };
        let packets = &self.packets;
        radios.close_ledgers(self.now, |frame| match frame.kind {
            FrameKind::Data => DataOverhead {
                headers: u32::from(packets.get(PacketId(frame.msdu)).headers_in_msdu()),
                lost: 0,
            },
            _ => DataOverhead::default(),
        });
    }

    pub(super) fn schedule_samples(&mut self) {
        if let Some(samples) = &self.observers.tcp_samples {
            (self.calendar).schedule(self.now + samples.step, WorldEvent::Sample);
        }
    }

    pub(super) fn sample_tcp_info(&mut self) {
        if let Some(samples) = &mut self.observers.tcp_samples {
            samples.take(self.now, &self.hosts.sockets);
        }
        self.schedule_samples();
    }

    pub(super) fn step(&mut self) {
        let Some(mut series) = self.observers.series.take() else {
            return;
        };
        let mut seen = Sights {
            flows: &self.hosts.flows,
            sockets: &self.hosts.sockets,
            radios: self.air.radios.as_ref(),
            wires: &mut self.network.links,
            segments: &self.network.segments,
            packets: &mut self.packets,
        };
        series.step(self.now, &mut seen);
        self.observers.series = Some(series);
        if let Some(radios) = &mut self.air.radios {
            radios.vantages.mark(self.now, Mark::Step);
        }
        if let Some(step) = self.plan.series_step_ns {
            self.calendar.schedule(self.now + step, WorldEvent::Step);
        }
    }
}

/// The names of all metrics that runs of a plan can give, those of its windows included.
pub fn metric_names(plan: &Plan) -> Vec<String> {
    let mut world = World::new(plan.clone(), 0);
    let cuts = [0, 1].map(|_| world.cut());
    let records = vec![Vec::new(); plan.flows.len()];
    let spent = world
        .air
        .radios
        .as_ref()
        .map(|radios| radios.vantages.spending(Mark::Cut));
    let spent = spent.unwrap_or_default();
    let part = RunPart::new(&cuts, &spent, (0, 1), &records);
    let windows = plan.windows.iter().map(|window| Some(window.name.as_str()));
    (std::iter::once(None).chain(windows))
        .flat_map(|window| Metrics::names(&part, plan, window))
        .collect()
}

/// Hands over the steps of which all is known, and lets the ledgers forget them.
fn take_series(series: &mut Series, radios: Option<&mut Radios>) -> Vec<(String, Vec<f64>)> {
    let Some(radios) = radios else {
        return series.take(&[]);
    };
    let columns = series.take(&radios.vantages.spending(Mark::Step));
    let steps = columns.first().map_or(0, |(_, values)| values.len());
    radios.vantages.forget_marks(Mark::Step, steps);
    columns
}
