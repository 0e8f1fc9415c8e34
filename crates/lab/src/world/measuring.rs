//! The end of the warm-up, the parts of the run behind it, the steps of the series and the samples
//! of TCP_INFO.

use dot11::FrameKind;

use super::{Event, World};
use crate::datagrams::Datagrams;
use crate::ledger::Mark;
use crate::plan::Plan;
use crate::record::{Counting, Cut, Distributions, Metrics, Part, Record, TimedRecord};
use crate::series::Sights;
use crate::sockets::Owner;
use crate::tables::Names;
use crate::transfers::Transfer;

impl World {
    /// The warm-up is over.
    pub(super) fn measure(&mut self) {
        let now = self.now;
        for flow in &mut self.flows {
            flow.account.records.clear();
        }
        // What was largest in the warm-up is no longer.
        let _warm_up = self.cut();
        if let Some(radios) = &mut self.radios {
            radios.vantages.restart(now);
        }
        let first = self.cut().forgiving();
        self.windows.cut(now, first);
        for time in self.windows.times(now) {
            self.calendar.schedule(time, Event::Edge);
        }
        if let Some(step) = self.plan.series_step_ns {
            if let Some(series) = &mut self.series {
                series.begin(&self.flows, &self.sockets, self.radios.as_ref());
            }
            self.calendar.schedule(now + step, Event::Step);
        }
    }

    /// Cuts the run now.
    fn cut(&mut self) -> Cut {
        // The ledger has a mark here.
        self.is_air_watched = true;
        Cut::take(&mut self.counting())
    }

    /// All that counts.
    fn counting(&mut self) -> Counting<'_> {
        let associations = self.association_cuts();
        Counting {
            now: self.now,
            links: &mut self.links,
            segments: &mut self.segments,
            radios: self.radios.as_mut(),
            processors: &mut self.processors,
            content: self.content,
            associations,
            discards: &self.discards,
            strays: &self.strays,
            flows: &mut self.flows,
            sockets: &self.sockets,
        }
    }

    /// Cuts the run where a window begins or ends.
    pub(super) fn cut_if_due(&mut self) {
        if self.windows.is_cut_due(self.now) {
            let cut = self.cut();
            self.windows.cut(self.now, cut);
        }
    }

    /// Looks whether all that the starting end of a flow has opened is over.
    pub(super) fn look_whether_over(&mut self, owner: Owner) {
        let is_done = self.flows[usize::from(owner.flow)].is_done();
        if is_done && self.sockets.of(owner).all(|end| end.history.is_over) {
            self.windows.on_over(owner.flow);
            self.cut_if_due();
        }
    }

    /// Ends the measuring, and answers what was measured.
    pub(super) fn conclude(mut self) -> Record {
        let now = self.now;
        if !self.windows.is_measuring() {
            // Ended during the warm-up: nothing was measured.
            self.measure();
        }
        let last = self.cut();
        self.windows.cut(now, last);
        self.close_ledgers();
        let records: Vec<_> = (self.flows.iter_mut())
            .map(|flow| std::mem::take(&mut flow.account.records))
            .collect();
        let spending = |of| {
            let vantages = self.radios.as_ref().map(|radios| &radios.vantages);
            vantages.map_or_else(Vec::new, |vantages| vantages.spending(of))
        };
        let spent = spending(Mark::Cut);
        let mut metrics = Metrics::default();
        for (name, part) in self.windows.parts(&spent, &records) {
            metrics.read(&part, &self.plan, name);
        }
        let (_, whole) = (self.windows.parts(&spent, &records).next())
            .expect("the measured time is the first part");
        let distributions = Distributions::read(&whole, &self.plan);
        let steps = spending(Mark::Step);
        let timing_records = (0..).zip(&records);
        let open = self.sockets.all().map(|end| Transfer::of(end, None));
        Record {
            metrics,
            distributions,
            timing_records: timing_records
                .flat_map(|(flow, records)| TimedRecord::of(flow, records))
                .collect(),
            transfers: self.transfers.iter().copied().chain(open).collect(),
            series: (self.series).map_or_else(Vec::new, |series| series.finish(&steps)),
            tcp_info: (self.tcp_samples)
                .map_or_else(Vec::new, |samples| samples.finish(now, &self.sockets)),
            datagrams: self.datagrams.map_or_else(Vec::new, Datagrams::into_rows),
            attempts: self.attempts.unwrap_or_default(),
            roams: (self.associations).map_or_else(Vec::new, |all| all.roams),
            handovers: self.mobile_ip.map_or_else(Vec::new, |each| each.handovers),
            names: Names::of(&self.plan),
        }
    }

    fn close_ledgers(&mut self) {
        let Some(radios) = &mut self.radios else {
            return;
        };
        let packets = &self.packets;
        radios.close_ledgers(self.now, |frame| match frame.kind {
            FrameKind::Data => packets.get(frame.msdu).headers_in_msdu(),
            _ => 0,
        });
    }

    pub(super) fn schedule_samples(&mut self) {
        if let Some(samples) = &self.tcp_samples {
            (self.calendar).schedule(self.now + samples.step, Event::Sample);
        }
    }

    pub(super) fn sample_tcp_info(&mut self) {
        if let Some(samples) = &mut self.tcp_samples {
            samples.take(self.now, &self.sockets);
        }
        self.schedule_samples();
    }

    pub(super) fn step(&mut self) {
        let Some(mut series) = self.series.take() else {
            return;
        };
        let mut seen = Sights {
            flows: &self.flows,
            sockets: &self.sockets,
            radios: self.radios.as_ref(),
            wires: &mut self.links,
            segments: &self.segments,
            packets: &mut self.packets,
        };
        series.step(self.now, &mut seen);
        self.series = Some(series);
        if let Some(radios) = &mut self.radios {
            self.is_air_watched = true;
            radios.vantages.mark(self.now, Mark::Step);
        }
        if let Some(step) = self.plan.series_step_ns {
            self.calendar.schedule(self.now + step, Event::Step);
        }
    }
}

/// The names of all metrics that runs of a plan can give, those of its windows included.
pub fn metric_names(plan: &Plan) -> Vec<String> {
    let mut world = World::new(plan.clone(), 0);
    let cuts = [0, 1].map(|_| world.cut());
    let records = vec![Vec::new(); plan.flows.len()];
    let spent = world
        .radios
        .as_ref()
        .map(|radios| radios.vantages.spending(Mark::Cut));
    let spent = spent.unwrap_or_default();
    let part = Part::new(&cuts, &spent, (0, 1), &records);
    let windows = plan.windows.iter().map(|window| Some(window.name.as_str()));
    (std::iter::once(None).chain(windows))
        .flat_map(|window| Metrics::names(&part, plan, window))
        .collect()
}
