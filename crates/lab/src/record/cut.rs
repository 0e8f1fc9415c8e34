//! Cuts: what all counters stand at where two parts of a run meet.

use dot11::{GapStatistics, MacCounters};
use net::impairment::{Awaited, StageCounts};
use net::queue;
use net::segment::EthernetCounts as SegmentCounts;
use tcp::Counters as TcpCounters;
use traffic::{ApplicationCounts as AppCounts, TimingRecord};
use units::histogram::Distribution;
use units::{Duration, Time};

use crate::hosts::{Processor, Processors, Sockets, WorldFlow};
use crate::ids::{FlowId, NodeId, Side};
use crate::meters::absent_stations::Drops;
use crate::meters::{
    AbsentStations, Accesses, AirtimeUse, AllDiscards, Content, Discards, FlowDistributions,
    FlowMeter, Mark, Meter,
};
use crate::network::{SharedCable, WireDirection};
use crate::radios::{ChannelCounters, LossCounts, Radios, ServiceTimes, Spending};
use crate::rows::RoamParts;

/// All of a world that counts.
#[derive(Debug)]
pub struct WorldCounters<'a> {
    /// The time.
    pub now: Time,
    /// Both directions of each wire.
    pub links: &'a mut [WireDirection],
    /// The segments.
    pub segments: &'a mut [SharedCable],
    /// The radios, if there are any.
    pub radios: Option<&'a mut Radios>,
    /// The processors of machines that have a cost.
    pub processors: &'a mut Processors,
    /// Airtime by content.
    pub content: Content,
    /// What stations that look for their access points have done.
    pub associations: Vec<AssociationCut>,
    /// What machines have discarded.
    pub discards: &'a AllDiscards,
    /// What access points had for nobody.
    pub absent_stations: &'a AbsentStations,
    /// The flows.
    pub flows: &'a mut [WorldFlow],
    /// Their connections.
    pub sockets: &'a Sockets,
}

/// What all counters stand at, at one moment. What is largest or smallest is so since the cut
/// before.
#[derive(Clone, Debug)]
pub struct Cut {
    pub(super) at: Time,
    pub(super) links: Vec<LinkCut>,
    /// What each station of each segment has done.
    pub(super) segments: Vec<Vec<(SegmentCounts, QueueCut)>>,
    pub(super) content: Content,
    pub(super) associations: Vec<AssociationCut>,
    pub(super) discards: Vec<Discards>,
    pub(super) absent_stations: Vec<Drops>,
    pub(super) channel: ChannelCounters,
    pub(super) radios: Vec<RadioCut>,
    pub(super) processors: Vec<ProcessorCut>,
    /// What each list of frames to be lost has done.
    pub(super) losses: Vec<LossCounts>,
    pub(super) flows: Vec<FlowCut>,
}

/// One direction of a wire.
#[derive(Clone, Debug)]
pub(super) struct LinkCut {
    pub queue: QueueCut,
    /// What each stage has done.
    pub stages: Vec<StageCut>,
}

/// A queue.
#[derive(Clone, Debug)]
pub(super) struct QueueCut {
    pub counts: queue::QueueCounts,
    /// How long packets waited, where that is kept here.
    pub sojourns: Option<Distribution>,
}

/// A stage of a wire's impairments.
#[derive(Clone, Copy, Debug)]
pub(super) struct StageCut {
    pub counts: StageCounts,
    pub awaited: Awaited,
}

/// A radio.
#[derive(Clone, Debug)]
pub(super) struct RadioCut {
    pub mac: MacCounters,
    pub accesses: Accesses,
    pub gaps: GapStatistics,
    /// What its queue has done, if it has one of its own.
    pub interface_queue: Option<QueueCut>,
    /// How long packets waited for its MAC and were with it, if that is kept.
    pub times: Option<ServiceTimes>,
    /// Time that data frames from it or to it lasted, from 802.11n on.
    pub data_airtime: Option<Duration>,
    /// Packet-nanoseconds of its queue.
    pub area: u128,
    pub most: u32,
}

/// A station that looks for its access point.
#[derive(Clone, Copy, Debug)]
pub struct AssociationCut {
    /// The station.
    pub node: NodeId,
    /// How often it was associated anew.
    pub roams: u64,
    /// How often its access point sent it away.
    pub deauthenticated: u64,
    /// How long it was without association.
    pub outage: Duration,
    /// Management frames that it has sent.
    pub management: u64,
    /// Packets dropped for want of an association.
    pub dropped: u64,
    /// Changes that were over, and what all of them together were made of.
    pub over: (u64, RoamParts),
}

/// A processor.
#[derive(Clone, Debug)]
pub(super) struct ProcessorCut {
    pub node: NodeId,
    pub busy: Duration,
    /// How long packets were with it.
    pub stays: Meter,
    /// Packet-nanoseconds of its queue.
    pub area: u128,
    pub most: u32,
    pub drops: u64,
}

/// A flow.
#[derive(Clone, Debug)]
pub(super) struct FlowCut {
    pub meter: FlowMeter,
    /// How long what happens to it took, if that is kept.
    pub times: Option<FlowDistributions>,
    /// What the connections of its ends have counted, the starting end's first.
    pub tcp: [TcpCounters; 2],
    /// What its application has counted.
    pub app: AppCounts,
    /// Timing records so far.
    pub records: usize,
}

impl Cut {
    /// Cuts the run now.
    pub fn take(world: &mut WorldCounters<'_>) -> Cut {
        let now = world.now;
        if let Some(radios) = &mut world.radios {
            radios.vantages.mark(now, Mark::Cut);
        }
        let losses = (world.radios.iter())
            .flat_map(|radios| radios.loss_counts())
            .collect();
        let flows = (0..).map(FlowId).zip(world.flows.iter_mut());
        let radios = world.radios.as_mut().map(|radios| &mut radios.each);
        Cut {
            at: now,
            losses,
            links: world.links.iter_mut().map(LinkCut::take).collect(),
            segments: world.segments.iter_mut().map(segment).collect(),
            content: world.content,
            associations: std::mem::take(&mut world.associations),
            discards: world.discards.all().to_vec(),
            absent_stations: world.absent_stations.all().to_vec(),
            flows: flows
                .map(|(id, flow)| FlowCut::take(now, id, flow, world.sockets))
                .collect(),
            radios: (radios.into_iter().flatten())
                .map(|radio| RadioCut {
                    gaps: radio.take_fragment_gaps(),
                    interface_queue: radio
                        .take_interface_queue_counts()
                        .map(QueueCut::without_sojourns),
                    times: radio.service_times(),
                    mac: radio.mac().counters().clone(),
                    accesses: radio.accesses,
                    data_airtime: radio.aggregates().then_some(radio.data_airtime),
                    area: radio.queue.area(now),
                    most: radio.queue.take_most(),
                })
                .collect(),
            processors: (world.processors.iter_mut())
                .map(|(node, processor)| ProcessorCut::take(now, node, processor))
                .collect(),
            channel: (world.radios.as_ref())
                .map_or_else(ChannelCounters::default, |radios| radios.counters),
        }
    }
}

impl Cut {
    /// Returns when it was made.
    pub fn at(&self) -> Time {
        self.at
    }

    /// As one that no connection had failed before: failures of the warm-up count.
    pub fn forgiving(mut self) -> Cut {
        for flow in &mut self.flows {
            flow.meter.failure = None;
        }
        self
    }
}

impl QueueCut {
    fn without_sojourns(counts: queue::QueueCounts) -> QueueCut {
        QueueCut {
            counts,
            sojourns: None,
        }
    }
}

/// Each station of a segment, and its queue.
fn segment(segment: &mut SharedCable) -> Vec<(SegmentCounts, QueueCut)> {
    let counts = segment.take_queue_counts().into_iter();
    let queues =
        (counts.zip(segment.sojourns())).map(|(counts, sojourns)| QueueCut { counts, sojourns });
    segment.counts().into_iter().zip(queues).collect()
}

impl LinkCut {
    fn take(link: &mut WireDirection) -> LinkCut {
        LinkCut {
            queue: QueueCut {
                counts: link.take_queue_counts(),
                sojourns: link.sojourns(),
            },
            stages: (link.counts().zip(link.awaited()))
                .map(|((_, counts), awaited)| StageCut { counts, awaited })
                .collect(),
        }
    }
}

impl ProcessorCut {
    fn take(now: Time, node: NodeId, processor: &mut Processor) -> ProcessorCut {
        ProcessorCut {
            node,
            busy: processor.busy(now),
            stays: processor.stays,
            area: processor.queue.area(now),
            most: processor.queue.take_most(),
            drops: processor.drops,
        }
    }
}

impl FlowCut {
    fn take(now: Time, id: FlowId, flow: &mut WorldFlow, sockets: &Sockets) -> FlowCut {
        flow.account.meter.advance(now);
        let meter = flow.account.meter;
        flow.account.meter.restart();
        FlowCut {
            meter,
            times: (flow.account.histograms.as_ref()).map(|histograms| histograms.distributions()),
            tcp: Side::BOTH.map(|side| sockets.counters(id.end(side))),
            app: flow.counts(),
            records: flow.account.records.len(),
        }
    }
}

/// A part of a run: from the first of these cuts to the last.
#[derive(Clone, Copy, Debug)]
pub struct RunPart<'a> {
    cuts: &'a [Cut],
    /// What airtime was spent on at each vantage point up to each cut of the run.
    spending: &'a [Spending<'a>],
    /// Which of those its own first and last cut are.
    span: (usize, usize),
    /// The timing records of each flow in the whole run.
    records: &'a [Vec<TimingRecord>],
}

impl<'a> RunPart<'a> {
    /// From the first of these cuts to the last, which are those of `span` in the whole run, as
    /// `spending` has them all; `records` has those of each flow in the whole measured time.
    pub fn new(
        cuts: &'a [Cut],
        spending: &'a [Spending<'a>],
        span: (usize, usize),
        records: &'a [Vec<TimingRecord>],
    ) -> RunPart<'a> {
        RunPart {
            cuts,
            spending,
            span,
            records,
        }
    }

    pub(super) fn first(&self) -> &'a Cut {
        &self.cuts[0]
    }

    pub(super) fn last(&self) -> &'a Cut {
        &self.cuts[self.cuts.len() - 1]
    }

    /// The ends of the pieces it is made of.
    pub(super) fn pieces(&self) -> &'a [Cut] {
        &self.cuts[1..]
    }

    pub(super) fn seconds(&self) -> f64 {
        (self.last().at - self.first().at).as_secs_f64()
    }

    /// Its vantage points.
    pub(super) fn vantages(&self) -> &'a [Spending<'a>] {
        self.spending
    }

    /// Returns how many seconds of it went where at a vantage point, in the order of the uses of
    /// airtime.
    pub(super) fn spent(&self, at: &Spending<'_>) -> [f64; AirtimeUse::ALL.len()] {
        let [before, now] = [self.span.0, self.span.1].map(|cut| at.at_marks.get(cut));
        let none = [Duration::ZERO; AirtimeUse::ALL.len()];
        let [before, now] = [before, now].map(|spent| spent.unwrap_or(&none));
        std::array::from_fn(|of| (now[of] - before[of]).as_secs_f64())
    }

    /// Returns what a flow's meters have metered in it.
    pub(super) fn meter(&self, flow: usize) -> FlowMeter {
        let of = |cut: &'a Cut| &cut.flows[flow].meter;
        let mut meter = of(self.last()).since(of(self.first()));
        for piece in self.pieces() {
            meter.add_largest(of(piece));
        }
        meter
    }

    /// Returns how long what happened to a flow in it took, if that is kept.
    pub(super) fn times(&self, flow: usize) -> Option<FlowDistributions> {
        let [first, last] = [self.first(), self.last()].map(|cut| cut.flows[flow].times.as_ref());
        Some(last?.since(first?))
    }

    /// Returns how long packets waited for a radio's MAC in it and were with it, if that is kept.
    pub(super) fn service_times(&self, radio: usize) -> Option<ServiceTimes> {
        let [first, last] = [self.first(), self.last()].map(|cut| cut.radios[radio].times.as_ref());
        Some(last?.since(first?))
    }

    /// Returns what a flow's connections have counted in it, the starting end's first.
    pub(super) fn tcp(&self, flow: usize) -> [TcpCounters; 2] {
        let [first, last] = [self.first(), self.last()].map(|cut| cut.flows[flow].tcp);
        [last[0] - first[0], last[1] - first[1]]
    }

    /// The timing records that a flow has completed in it.
    pub(super) fn records(&self, flow: usize) -> &'a [TimingRecord] {
        let [first, last] = [self.first(), self.last()].map(|cut| cut.flows[flow].records);
        &self.records[flow][first..last]
    }
}
