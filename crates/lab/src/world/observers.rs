//! What looks at a world while it runs, and gathers what its record tells.

use super::freezing::fade_monitors;
use crate::hosts::OutsideFlows;
use crate::meters::{AbsentStations, AllDiscards, Content};
use crate::network::Network;
use crate::plan::Plan;
use crate::record::{RunWindows, Series};
use crate::rows::{Attempt, Datagrams, Handovers, Roams, TcpSamples, TransferRow};
use crate::taps::Taps;

/// What looks at a world.
#[derive(Debug)]
pub struct Observers {
    /// Parts of the measured time.
    pub windows: RunWindows,
    /// Airtime by what frames carry.
    pub content: Content,
    /// What machines have discarded for damage.
    pub discards: AllDiscards,
    /// What access points have dropped for want of a station.
    pub absent_stations: AbsentStations,
    /// Connections that are over.
    pub transfers: Vec<TransferRow>,
    /// Every change of a mobile node's agent.
    pub handovers: Handovers,
    /// Every time that a station left its access point.
    pub roams: Roams,
    /// Time series, if they are kept.
    pub series: Option<Series>,
    /// Samples of TCP_INFO, if they are taken.
    pub tcp_samples: Option<TcpSamples>,
    /// Every datagram, if they are kept.
    pub datagrams: Option<Datagrams>,
    /// Every attempt of a MAC, if they are kept.
    pub attempts: Option<Vec<Attempt>>,
    /// Whether attempts are kept, a radio is tapped, or a station follows its access point's level:
    /// asked of every frame that ends.
    pub watch_frames: bool,
    /// The flows that real nodes take part in, if any do.
    pub outside_flows: Option<Box<OutsideFlows>>,
    /// Where frames are captured.
    pub taps: Taps,
}

impl Observers {
    /// Those that a plan asks for, at time zero.
    pub fn new(plan: &Plan, network: &Network) -> Observers {
        Observers {
            windows: RunWindows::new(plan),
            content: Content::default(),
            discards: AllDiscards::new(plan),
            absent_stations: AbsentStations::new(plan),
            transfers: Vec::new(),
            handovers: Handovers::default(),
            roams: Roams::default(),
            series: plan.series_step_ns.map(|_| Series::new(plan)),
            tcp_samples: plan.tcp_info_step_ns.map(TcpSamples::new),
            datagrams: (plan.tables.datagrams).then(|| Datagrams::new(plan.flows.len())),
            attempts: plan.tables.attempts.then(Vec::new),
            watch_frames: plan.tables.attempts || !fade_monitors(plan).is_empty(),
            outside_flows: OutsideFlows::new(plan, network),
            taps: Taps::default(),
        }
    }
}
