//! The plan: a scenario compiled. No defaults, no units to parse, no names to resolve.
//!
//! It travels as JSON from whoever compiles scenarios. Unknown and missing
//! fields are refused, and [`Plan::parse`] checks what types cannot say, so that
//! a [`crate::World`] built from a plan has nothing left to refuse.

mod air;
mod association;
mod check;
mod emulation;
mod mobile_ip;
mod motion;
mod tables;
mod windows;

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::sync::Arc;

use ::air::noise::ListeningBand;
use dot11::{Address, MacConfig, ReceiverConfig};
use net::impairment::Stage;
use phy::ErrorModel;
use serde::{Deserialize, Serialize};
use tcp::Profile;
use traffic::VideoFrame;
use units::{Db, Dbm, Duration, Rate};

pub use air::{EmitterPlan, FadingPlan, LossPlan, ProcessPlan, ThresholdPlan};
pub use association::{AdmittingPlan, AssociationPlan, SeekingPlan};
pub use check::{MTU_MIN, PlanError};
pub use emulation::{EmulationLimits, EmulationPlan, ProgramPlan, RealPlan};
pub use mobile_ip::{AgentPlan, MobileIpPlan, MobilePlan};
pub use motion::{MotionPlan, PlacedPlan};
pub use tables::LongTables;
pub use windows::{Moment, WindowPlan};

use crate::ids::{InterfaceId, NodeId, Side};

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
    /// Shared media of cable.
    pub segments: Vec<SegmentPlan>,
    /// The shared channel, if any node has a radio.
    pub air: Option<AirPlan>,
    /// Mobile IP, if anybody has it.
    pub mobile_ip: Option<MobileIpPlan>,
    /// Associations that are made on the air, if any are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub associations: Option<AssociationPlan>,
    /// What of it is real, where it runs on the wall clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emulation: Option<EmulationPlan>,
    /// Whether machines and bridges know each other's addresses from the start; else they have to
    /// ask, and to learn.
    pub caches_filled: bool,
    /// Traces of frames of video by their names, which are made of their content.
    pub traces: BTreeMap<String, Arc<[VideoFrame]>>,
    /// Traffic.
    pub flows: Vec<FlowPlan>,
    /// Where frames are captured.
    pub taps: Vec<TapPlan>,
    /// Parts of the measured time with metrics of their own.
    pub windows: Vec<WindowPlan>,
    /// Which long tables are kept.
    pub tables: LongTables,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeRole {
    /// A machine that speaks for itself.
    Host,
    /// A machine that passes packets on between its networks.
    Router,
    /// A machine that bridges its wires.
    Switch,
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
    pub role: NodeRole,
    /// Its TCP, if it has one.
    pub stack: Option<Profile>,
    /// What joins it to media. The first one's address is what others know the node by; what an
    /// access point bridges has this address alone.
    pub interfaces: Vec<InterfacePlan>,
    /// The ways to other networks than those of its interfaces.
    pub routes: Vec<RoutePlan>,
    /// What its processor takes time for; nothing without it.
    pub cost: Option<CostPlan>,
    /// The interface, by its index, whose address stands for all that the router sends through it.
    pub nat: Option<usize>,
}

/// How long a machine's processor works, at one thing after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostPlan {
    /// At each packet that it receives, makes or passes on.
    pub per_packet_ns: Duration,
    /// At each connection that it opens or accepts.
    pub per_connection_ns: Duration,
    /// At each timing record that it keeps.
    pub per_record_ns: Duration,
    /// Packets that it has room for, the one in work included.
    pub queue_packets: u32,
}

/// What joins a node to a medium: a radio to the air, any other one to the wire that names it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InterfacePlan {
    /// IP address, unique.
    pub address: Ipv4Addr,
    /// How many bits of it the addresses of the whole network share.
    pub prefix_length: u8,
    /// Bytes of the longest IP packet that it carries.
    pub mtu: u16,
    /// Its radio, if it has one.
    pub radio: Option<RadioPlan>,
}

/// A way to a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoutePlan {
    /// An address of the network.
    pub to: Ipv4Addr,
    /// How many bits of it all of the network's addresses share; 0 for all other networks.
    pub prefix_length: u8,
    /// The router that knows more, by its address.
    pub gateway: Ipv4Addr,
    /// The interface it is reached through, by its index in the node.
    pub interface: usize,
}

/// A radio and the MAC behind it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RadioPlan {
    /// What its metrics are named by, unique among radios: the node's name where it has one alone.
    pub name: String,
    /// Settings of the MAC.
    pub mac: MacConfig,
    /// Centre frequency of its channel.
    pub frequency_mhz: u16,
    /// What waits in front of the MAC, which then holds the packet in service alone; without it
    /// packets wait in the MAC's own queue, drop-tail.
    pub queue: Option<net::queue::Config>,
    /// Transmit power.
    pub tx_power_dbm: Dbm,
    /// Time between beacons; none are sent without it.
    pub beacon_interval_ns: Option<Duration>,
    /// A station's access point: the radio at its other end.
    pub access_point: Option<EndPlan>,
    /// Level of its access point below which its node's TCP tells its peers of no window; never
    /// without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freeze_below_dbm: Option<Dbm>,
    /// What the ledger of airtime is called that is kept at it; none is kept without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<String>,
    /// Those for whom it has a rate, a rate control and retry limits of their own; none without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub receivers: Vec<ReceiverPlan>,
    /// With EDCA this is the access function of voice, and these are those of video, best effort
    /// and background; none without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<RadioPlan>,
}

/// What a radio has for one receiver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceiverPlan {
    /// The radio that it is for.
    pub at: EndPlan,
    /// Settings of the MAC.
    pub mac: ReceiverConfig,
    /// Weight by which it gets airtime from the radio's queue, beside others with 256; as
    /// they do without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub airtime_weight: Option<u32>,
}

impl RadioPlan {
    /// Returns what it listens to.
    pub fn band(&self) -> ListeningBand {
        ListeningBand {
            centre_mhz: self.frequency_mhz,
            bandwidth_hz: self.mac.phy().bandwidth_hz,
        }
    }
}

/// An interface of a node, such as one end of a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EndPlan {
    /// The node, by index.
    pub node: usize,
    /// Its interface, by index in the node.
    pub interface: usize,
}

/// A full-duplex point-to-point link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WirePlan {
    /// Unique name.
    pub name: String,
    /// The two interfaces it joins.
    pub ends: [EndPlan; 2],
    /// Bit rate, each way.
    pub rate_bps: Rate,
    /// One-way delay.
    pub delay_ns: Duration,
    /// What waits at the first end, and at the other.
    pub queue: [net::queue::Config; 2],
    /// What becomes of packets on their way from the first end, and to it, in order.
    pub impair: [Vec<Stage>; 2],
}

/// A half-duplex Ethernet (IEEE 802.3-2018 clause 4), as around a hub.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SegmentPlan {
    /// Unique name.
    pub name: String,
    /// The interfaces that share it.
    pub members: Vec<EndPlan>,
    /// Bit rate.
    pub rate_bps: Rate,
    /// Propagation delay between any two.
    pub delay_ns: Duration,
    /// What waits at each of them.
    pub queue: net::queue::Config,
}

/// What radios share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AirPlan {
    /// Network name in beacons.
    pub ssid: String,
    /// Receivers' noise figure.
    pub noise_figure_db: Db,
    /// Weakest frame whose preamble is detected: it is sensed, and may be received.
    pub preamble_detection_dbm: Dbm,
    /// Weakest power that holds the channel busy, whatever it is.
    pub energy_detection_dbm: Dbm,
    /// How much stronger than all that is on the air already a frame has to be for its preamble to
    /// be detected.
    pub detection_margin_db: Db,
    /// Until when a receiver leaves a frame for a stronger one.
    pub capture: ::air::Until,
    /// How much stronger that has to be, once the first has been detected.
    pub capture_margin_db: Db,
    /// Model by which frames err.
    pub error_model: ErrorModel,
    /// What decides whether a frame is decoded; the error model without.
    pub thresholds: Option<ThresholdPlan>,
    /// Loss from each node (row) to each node (column); entries of nodes without radio are not read.
    pub loss_db: Vec<Vec<Db>>,
    /// What moves, and what that does to losses; `loss_db` has those of the beginning.
    pub motion: Option<MotionPlan>,
    /// What lets losses change with time.
    pub fading: Vec<FadingPlan>,
    /// Levels over time that processes of fading have from files, by names made of their content.
    pub levels: BTreeMap<String, Arc<[::air::fading::level_trace::LevelReading]>>,
    /// What radiates and is no station.
    pub emitters: Vec<EmitterPlan>,
    /// Frames that get lost, in lists that are asked in order.
    pub lose: Vec<LossPlan>,
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
    /// When it starts, or could first.
    pub start_ns: Duration,
    /// It starts at random within so long from then, at any time as likely.
    pub start_within_ns: Duration,
    /// It starts up to so much later, at random, and its sources of constant interval anywhere in
    /// their period; zero: all at exact times.
    pub start_jitter_ns: Duration,
    /// What it does by the clock comes up to so much late, at random each time.
    pub jitter_ns: Duration,
    /// When it stops: from then on it opens nothing and sends nothing new; with the run without it.
    pub stop_ns: Option<Duration>,
    /// The differentiated services codepoint of its packets.
    pub dscp: u8,
    /// The TCP of its two ends, the sender's first, where it is not their node's.
    pub stacks: [Option<Profile>; 2],
    /// The end that opens all its connections, or sends the first datagram, instead of the one
    /// whose application would; without it, each does as its application has it.
    pub opener: Option<Side>,
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
    /// On a segment, where every frame has arrived.
    Segment(usize),
    /// At a radio's antenna: what it sends and decodes.
    Air(EndPlan),
    /// At a radio's driver: not frames, but a text of the levels that it has measured and the
    /// frames that it has given up.
    Events(EndPlan),
    /// At a node's IP, as tcpdump on it: packets it sends, and takes from its interfaces.
    Stack(usize),
    /// Not what passes, but what a node drops, with the cause.
    Drops(usize),
}

impl NodeRole {
    /// Returns whether it passes frames on between its interfaces.
    pub fn bridges(self) -> bool {
        matches!(self, NodeRole::Switch | NodeRole::Ap)
    }
}

impl NodePlan {
    /// The address that others know it by.
    pub fn address(&self) -> Ipv4Addr {
        self.interfaces[0].address
    }

    /// Its radios, in the order of its interfaces.
    pub fn radios(&self) -> impl Iterator<Item = &RadioPlan> {
        self.interfaces
            .iter()
            .filter_map(|each| each.radio.as_ref())
    }
}

/// A radio, and where it is.
pub(crate) struct PlacedRadio<'a> {
    /// Its node, by index.
    pub node: usize,
    /// Its interface, by its number among those of all nodes.
    pub interface: InterfaceId,
    /// What frames name it by: the interface's number, and for access functions other than the
    /// first one behind those of all interfaces.
    pub address: Address,
    /// The radio.
    pub radio: &'a RadioPlan,
}

impl Plan {
    /// The plan format this version runs.
    pub const VERSION: u32 = 2;

    /// The TCP of a flow's two ends, the sender's first: its own, or else its node's.
    pub(crate) fn stacks<'a>(&'a self, flow: &'a FlowPlan) -> [Option<&'a Profile>; 2] {
        let [from, to] = &flow.stacks;
        [(from, flow.from), (to, flow.to)]
            .map(|(own, node)| own.as_ref().or(self.nodes[node].stack.as_ref()))
    }

    /// Returns whether what speaks under a node's address is outside the world: all of a port, and
    /// the machine within an access point that is real.
    pub(crate) fn is_port(&self, node: usize) -> bool {
        let real = self.emulation.iter().flat_map(|emulation| &emulation.real);
        self.nodes[node].role == NodeRole::Port || real.into_iter().any(|each| each.node == node)
    }

    /// Returns whether an end of a flow is outside the world.
    pub(crate) fn is_outside(&self, flow: &FlowPlan) -> bool {
        self.is_port(flow.from) || self.is_port(flow.to)
    }

    /// Returns whether a flow begins outside the world: programs there do what it says, or do not,
    /// and an end in the world answers them.
    pub(crate) fn begins_outside(&self, flow: &FlowPlan) -> bool {
        let opener = match flow.opener {
            Some(Side::Responder) => flow.to,
            Some(Side::Initiator) | None => flow.from,
        };
        self.is_port(flow.from) || self.is_port(opener)
    }

    /// All radios, in the order of their interfaces' numbers; access functions of one as radios of
    /// their own, the most urgent first.
    pub(crate) fn radios(&self) -> Vec<PlacedRadio<'_>> {
        let mut all = Vec::new();
        let numbers = self.interface_numbers();
        let mut next = numbers.concat().len() as u16;
        for (node, numbers) in numbers.into_iter().enumerate() {
            for (each, interface) in self.nodes[node].interfaces.iter().zip(numbers) {
                let Some(radio) = &each.radio else {
                    continue;
                };
                let others = (next..).map(Address).zip(&radio.categories);
                next += radio.categories.len() as u16;
                let functions = std::iter::once((interface.address(), radio)).chain(others);
                all.extend(functions.map(|(address, radio)| PlacedRadio {
                    node,
                    interface,
                    address,
                    radio,
                }));
            }
        }
        all.sort_by_key(|at| at.interface);
        all
    }

    /// The radio of an interface, if there is one.
    pub(crate) fn radio_at(&self, at: EndPlan) -> Option<&RadioPlan> {
        let interface = self.nodes.get(at.node)?.interfaces.get(at.interface)?;
        interface.radio.as_ref()
    }

    /// Numbers for all interfaces, by node: a node's first has the node's own, the others follow
    /// behind those of all nodes.
    pub fn interface_numbers(&self) -> Vec<Vec<InterfaceId>> {
        let mut next = self.nodes.len() as u16;
        let mut numbers = Vec::with_capacity(self.nodes.len());
        for (node, plan) in self.nodes.iter().enumerate() {
            let mut own = vec![NodeId::at(node).first_interface()];
            let further = next..next + plan.interfaces.len().saturating_sub(1) as u16;
            own.extend(further.map(InterfaceId));
            next += plan.interfaces.len().saturating_sub(1) as u16;
            numbers.push(own);
        }
        numbers
    }
}
