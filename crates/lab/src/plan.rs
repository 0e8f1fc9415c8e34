//! The plan: a scenario compiled. No defaults, no units to parse, no names to resolve.
//!
//! It travels as JSON from whoever compiles scenarios. Unknown and missing
//! fields are refused, and [`Plan::parse`] checks what types cannot say, so that
//! a [`crate::World`] built from a plan has nothing left to refuse.

use std::net::Ipv4Addr;

use dot11::MacConfig;
use net::impairment::Stage;
use serde::{Deserialize, Serialize};
use tcp::Profile;
use traffic::Transport;
use units::{Db, Dbm, Duration, Rate};

/// All that one run needs, besides its seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Version of this format; 1.
    pub version: u32,
    /// Simulated time.
    pub duration_ns: Duration,
    /// Time before measuring starts.
    pub warmup_ns: Duration,
    /// Step of the time series; none are kept without it.
    pub series_step_ns: Option<Duration>,
    /// Step of the samples of TCP_INFO; none are taken without it.
    pub tcp_info_step_ns: Option<Duration>,
    /// Machines; others name them by their index here.
    pub nodes: Vec<NodePlan>,
    /// Point-to-point links.
    pub wires: Vec<WirePlan>,
    /// The shared channel, if any node has a radio.
    pub air: Option<AirPlan>,
    /// Traffic.
    pub flows: Vec<FlowPlan>,
    /// Where frames are captured.
    pub taps: Vec<TapPlan>,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A machine on a wire.
    Host,
    /// An access point: bridges its wires and its radio.
    Ap,
    /// A station with a host in it.
    Sta,
    /// A place where frames are handed in and out, for machines outside the world.
    Port,
}

/// A machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodePlan {
    /// Unique name.
    pub name: String,
    /// What it is.
    pub role: Role,
    /// IP address, unique.
    pub address: Ipv4Addr,
    /// Its TCP, if it has one.
    pub stack: Option<Profile>,
    /// Its radio, if it has one.
    pub radio: Option<RadioPlan>,
}

/// A radio and the MAC behind it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RadioPlan {
    /// Settings of the MAC.
    pub mac: MacConfig,
    /// Transmit power.
    pub tx_power_dbm: Dbm,
    /// Time between beacons; none are sent without it.
    pub beacon_interval_ns: Option<Duration>,
    /// A station's access point, by node index.
    pub access_point: Option<usize>,
}

/// A full-duplex point-to-point link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WirePlan {
    /// Unique name.
    pub name: String,
    /// The two nodes it joins.
    pub ends: [usize; 2],
    /// Bit rate, each way.
    pub rate_bps: Rate,
    /// One-way delay.
    pub delay_ns: Duration,
    /// What waits at either end.
    pub queue: net::queue::Config,
    /// What becomes of packets on their way from the first end, and to it, in order.
    pub impair: [Vec<Stage>; 2],
}

/// The shared channel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AirPlan {
    /// Centre frequency.
    pub frequency_mhz: u16,
    /// Network name in beacons.
    pub ssid: String,
    /// Receivers' noise figure.
    pub noise_figure_db: Db,
    /// Weakest signal that carrier sense notices.
    pub carrier_sense_dbm: Dbm,
    /// Loss from each node (row) to each node (column); entries of nodes without radio are not read.
    pub loss_db: Vec<Vec<Db>>,
}

/// One connection, stream of datagrams or series of pings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowPlan {
    /// Unique name.
    pub name: String,
    /// The node that starts it and sends the data.
    pub from: usize,
    /// The node it goes to.
    pub to: usize,
    /// When it starts.
    pub start_ns: Duration,
    /// The TCP of its two ends, the sender's first, where it is not their node's.
    pub stacks: [Option<Profile>; 2],
    /// What it does.
    pub app: traffic::Config,
}

/// A capture point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TapPlan {
    /// Name, and stem of the file.
    pub name: String,
    /// Where.
    pub at: TapPoint,
    /// Bytes kept of each frame, at most.
    pub snap_bytes: u32,
}

/// Where a tap sits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TapPoint {
    /// At the first end of a wire, both directions.
    Wire(usize),
    /// At a node's antenna: what it sends and decodes.
    Air(usize),
}

/// Why a plan cannot be run: the field and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError(String);

impl std::fmt::Display for PlanError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PlanError {}

fn refuse<T>(what: String) -> Result<T, PlanError> {
    Err(PlanError(what))
}

impl Plan {
    /// The plan format this version runs.
    pub const VERSION: u32 = 1;

    /// Most nodes and flows: radios and flows are named by 16 bits.
    const MOST: usize = 16_000;

    /// Reads and checks a plan.
    pub fn parse(json: &str) -> Result<Plan, PlanError> {
        let plan: Plan =
            serde_json::from_str(json).map_err(|error| PlanError(error.to_string()))?;
        plan.check()?;
        Ok(plan)
    }

    fn check(&self) -> Result<(), PlanError> {
        if self.version != Self::VERSION {
            return refuse(format!(
                "version: found {}, this build runs {}",
                self.version,
                Self::VERSION
            ));
        }
        if self.warmup_ns >= self.duration_ns {
            return refuse("warmup_ns: must be shorter than duration_ns".into());
        }
        if self.series_step_ns == Some(Duration::ZERO) {
            return refuse("series_step_ns: must be longer than nothing".into());
        }
        if self.tcp_info_step_ns == Some(Duration::ZERO) {
            return refuse("tcp_info_step_ns: must be longer than nothing".into());
        }
        if self.nodes.len() > Self::MOST || self.flows.len() > Self::MOST {
            return refuse(format!("nodes, flows: at most {} each", Self::MOST));
        }
        for (index, node) in self.nodes.iter().enumerate() {
            self.check_node(node)
                .map_err(|PlanError(what)| PlanError(format!("nodes[{index}]: {what}")))?;
        }
        for (index, wire) in self.wires.iter().enumerate() {
            self.check_wire(wire)
                .map_err(|PlanError(what)| PlanError(format!("wires[{index}]: {what}")))?;
        }
        for (index, flow) in self.flows.iter().enumerate() {
            self.check_flow(flow)
                .map_err(|PlanError(what)| PlanError(format!("flows[{index}]: {what}")))?;
        }
        for (index, tap) in self.taps.iter().enumerate() {
            self.check_tap(tap)
                .map_err(|PlanError(what)| PlanError(format!("taps[{index}]: {what}")))?;
        }
        self.check_air()
    }

    fn check_node(&self, node: &NodePlan) -> Result<(), PlanError> {
        let Some(radio) = &node.radio else {
            return match node.role {
                Role::Ap | Role::Sta => {
                    refuse("radio: an access point or station needs one".into())
                }
                Role::Host | Role::Port => Ok(()),
            };
        };
        if radio.beacon_interval_ns == Some(Duration::ZERO) {
            return refuse("radio.beacon_interval_ns: must be longer than nothing".into());
        }
        radio
            .mac
            .check()
            .map_err(|what| PlanError(format!("radio.mac: {what}")))?;
        match (node.role, radio.access_point) {
            (Role::Ap, None) => Ok(()),
            (Role::Sta | Role::Port, Some(ap)) if self.role(ap) == Some(Role::Ap) => Ok(()),
            (Role::Sta | Role::Port, _) => {
                refuse("radio.access_point: must name an access point".into())
            }
            (Role::Ap, Some(_)) => refuse("radio.access_point: an access point has none".into()),
            (Role::Host, _) => refuse("radio: a host on a wire has none".into()),
        }
    }

    fn role(&self, node: usize) -> Option<Role> {
        self.nodes.get(node).map(|node| node.role)
    }

    fn check_wire(&self, wire: &WirePlan) -> Result<(), PlanError> {
        let [a, b] = wire.ends;
        if a == b || a.max(b) >= self.nodes.len() {
            return refuse(format!(
                "ends: [{a}, {b}] are not two of the {} nodes",
                self.nodes.len()
            ));
        }
        if wire.rate_bps.as_bps() == 0 {
            return refuse("rate_bps: must be above zero".into());
        }
        (wire.queue.check()).map_err(|what| PlanError(format!("queue.{what}")))?;
        for stage in wire.impair.iter().flatten() {
            let at = |what| PlanError(format!("impair.{}.{what}", stage.name));
            stage.filter.check().map_err(at)?;
            stage.impairment.check().map_err(at)?;
        }
        Ok(())
    }

    fn check_flow(&self, flow: &FlowPlan) -> Result<(), PlanError> {
        if flow.from.max(flow.to) >= self.nodes.len() {
            return refuse("from, to: no such node".into());
        }
        if flow.from == flow.to {
            return refuse("from, to: the same node".into());
        }
        if flow.app.about().transport == Transport::Tcp && self.stacks(flow).contains(&None) {
            return refuse("app: both ends need a TCP stack".into());
        }
        (flow.app.check()).map_err(|what| PlanError(format!("app.{what}")))
    }

    /// The TCP of a flow's two ends, the sender's first: its own, or else its node's.
    pub(crate) fn stacks<'a>(&'a self, flow: &'a FlowPlan) -> [Option<&'a Profile>; 2] {
        let [from, to] = &flow.stacks;
        [(from, flow.from), (to, flow.to)]
            .map(|(own, node)| own.as_ref().or(self.nodes[node].stack.as_ref()))
    }

    fn check_tap(&self, tap: &TapPlan) -> Result<(), PlanError> {
        let exists = match tap.at {
            TapPoint::Wire(wire) => wire < self.wires.len(),
            TapPoint::Air(node) => self
                .nodes
                .get(node)
                .is_some_and(|node| node.radio.is_some()),
        };
        if exists {
            Ok(())
        } else {
            refuse("at: no such wire or radio".into())
        }
    }

    fn check_air(&self) -> Result<(), PlanError> {
        let radios = self.nodes.iter().any(|node| node.radio.is_some());
        let Some(air) = &self.air else {
            return if radios {
                refuse("air: there are radios but no air".into())
            } else {
                Ok(())
            };
        };
        let square = self.nodes.len();
        if air.loss_db.len() != square || air.loss_db.iter().any(|row| row.len() != square) {
            return refuse(format!("air.loss_db: must be {square} rows of {square}"));
        }
        if air.loss_db.iter().flatten().any(|loss| !loss.0.is_finite()) {
            return refuse("air.loss_db: every loss must be a finite number".into());
        }
        Ok(())
    }
}
