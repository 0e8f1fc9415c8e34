//! Windows: parts of the measured time, and the cuts where they meet.

use traffic::TimingRecord;
use units::Time;

use super::cut::{Cut, RunPart};
use crate::ids::FlowId;
use crate::plan::{Moment, Plan, WindowPlan};
use crate::radios::Spending;

/// The windows of a run, and the cuts so far; none before the end of the warm-up.
#[derive(Debug)]
pub struct RunWindows {
    plans: Vec<WindowPlan>,
    /// Of each window the cuts it begins and ends with.
    spans: Vec<[Option<usize>; 2]>,
    cuts: Vec<Cut>,
    /// When each flow starts, and whether it is over.
    flows: Vec<(Time, bool)>,
    /// The end of the run, which ends every window.
    end: Time,
}

impl RunWindows {
    /// The windows of a plan that has not run.
    pub fn new(plan: &Plan) -> RunWindows {
        RunWindows {
            plans: plan.windows.clone(),
            spans: vec![[None; 2]; plan.windows.len()],
            cuts: Vec::new(),
            flows: (plan.flows.iter())
                .map(|flow| (Time::ZERO + flow.start_ns, false))
                .collect(),
            end: Time::ZERO + plan.duration_ns,
        }
    }

    /// The times at which windows begin or end, later than `now`.
    pub fn times(&self, now: Time) -> Vec<Time> {
        let moments = self.plans.iter().flat_map(|plan| [&plan.from, &plan.until]);
        let mut times: Vec<Time> = moments
            .filter_map(|moment| self.time(moment))
            .filter(|&time| time > now)
            .collect();
        times.sort();
        times.dedup();
        times
    }

    /// A flow is over.
    pub fn on_over(&mut self, flow: FlowId) {
        self.flows[flow.index()].1 = true;
    }

    /// Returns whether the time is measured, and a window begins or ends now.
    pub fn is_cut_due(&self, now: Time) -> bool {
        let is_due = |(plan, span): (&WindowPlan, &[Option<usize>; 2])| {
            let is_missing =
                |moment, edge: Option<usize>| edge.is_none() && self.has_come(moment, now);
            is_missing(&plan.from, span[0]) || is_missing(&plan.until, span[1])
        };
        !self.cuts.is_empty() && self.plans.iter().zip(&self.spans).any(is_due)
    }

    /// The run is cut now.
    pub fn cut(&mut self, now: Time, cut: Cut) {
        for (index, plan) in self.plans.iter().enumerate() {
            for (edge, moment) in [&plan.from, &plan.until].into_iter().enumerate() {
                if self.spans[index][edge].is_none() && self.has_come(moment, now) {
                    self.spans[index][edge] = Some(self.cuts.len());
                }
            }
        }
        self.cuts.push(cut);
    }

    /// Returns whether the warm-up is over.
    pub fn is_measuring(&self) -> bool {
        !self.cuts.is_empty()
    }

    /// The whole measured time, which has no name, and the windows that have any time. `spending`
    /// is what airtime was spent on up to each cut.
    pub fn parts<'a>(
        &'a self,
        spending: &'a [Spending<'a>],
        records: &'a [Vec<TimingRecord>],
    ) -> impl Iterator<Item = (Option<&'a str>, RunPart<'a>)> {
        let last = self.cuts.len() - 1;
        let named = self
            .plans
            .iter()
            .zip(&self.spans)
            .filter_map(move |(plan, span)| {
                let (from, until) = (span[0]?, span[1].unwrap_or(last));
                let lasts = from < until && self.cuts[from].at() < self.cuts[until].at();
                lasts.then_some((Some(plan.name.as_str()), from, until))
            });
        std::iter::once((None, 0, last))
            .chain(named)
            .map(move |(name, from, until)| {
                let cuts = &self.cuts[from..=until];
                (name, RunPart::new(cuts, spending, (from, until), records))
            })
    }

    /// Returns when a moment comes, if that is known beforehand and before the end of the run.
    fn time(&self, moment: &Moment) -> Option<Time> {
        let time = match moment {
            Moment::AtNs(after) => Time::ZERO + *after,
            Moment::Start(flows) => flows.iter().map(|&flow| self.flows[flow].0).min()?,
            Moment::End(_) => return None,
        };
        (time < self.end).then_some(time)
    }

    fn has_come(&self, moment: &Moment, now: Time) -> bool {
        match moment {
            Moment::End(flows) => flows.iter().all(|&flow| self.flows[flow].1),
            _ => self.time(moment).is_some_and(|time| time <= now),
        }
    }
}
