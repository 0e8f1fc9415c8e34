//! The end of the warm-up, the steps of the series and the samples of TCP_INFO.

use super::{Event, World};
use crate::content::Content;
use crate::record::Snapshot;

impl World {
    pub(super) fn measure(&mut self) {
        let now = self.now;
        for flow in &mut self.flows {
            flow.meter.restart();
        }
        if let Some(radios) = &mut self.radios {
            radios.ledger.restart(now);
            for radio in &mut radios.each {
                radio.queue.restart(now);
            }
        }
        self.content = Content::default();
        self.start = Some(Box::new(Snapshot::of(self)));
        if let Some(step) = self.plan.series_step_ns {
            self.calendar.schedule(now + step, Event::Step);
        }
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
        series.step(self);
        self.series = Some(series);
        if let Some(step) = self.plan.series_step_ns {
            self.calendar.schedule(self.now + step, Event::Step);
        }
    }
}
