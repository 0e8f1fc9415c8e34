//! What a plan's types cannot say, checked before it is run.

use dot11::Category;
use traffic::Transport;
use units::{Duration, Rate};

use super::{
    CostPlan, EndPlan, FlowPlan, InterfacePlan, NodePlan, NodeRole, Plan, SegmentPlan, TapPlan,
    TapPoint, WirePlan,
};

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

/// Every link carries as much (RFC 791 §3.2).
pub const MTU_MIN: u16 = 68;

/// What Ethernet carries (RFC 894).
const MTU_MAX: u16 = 1500;

impl Plan {
    /// Most nodes and flows: radios and flows are named by 16 bits.
    const MOST: usize = 16_000;

    /// Most interfaces, which are named by 16 bits, too.
    const MOST_INTERFACES: usize = 48_000;

    /// Most members of a segment: so many may hold a frame that is for all of them.
    const MOST_MEMBERS: usize = 100;

    /// Reads and checks a plan.
    pub fn parse(json: &str) -> Result<Plan, PlanError> {
        let mut plan: Plan =
            serde_json::from_str(json).map_err(|error| PlanError(error.to_string()))?;
        plan.hand_out_traces();
        if let Some(air) = &mut plan.air {
            air.hand_out_levels();
        }
        plan.check()?;
        Ok(plan)
    }

    /// Gives the flows that replay a trace its frames; a flow whose trace is missing has none.
    fn hand_out_traces(&mut self) {
        for flow in &mut self.flows {
            if let Some(trace) = flow.app.trace_mut()
                && let Some(frames) = self.traces.get(trace.name())
            {
                trace.fill(frames);
            }
        }
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
        let interfaces: usize = self.nodes.iter().map(|node| node.interfaces.len()).sum();
        let radios = self.nodes.iter().flat_map(NodePlan::radios);
        let categories: usize = radios.map(|radio| radio.categories.len()).sum();
        if interfaces + categories > Self::MOST_INTERFACES {
            return refuse(format!(
                "interfaces and categories: at most {}",
                Self::MOST_INTERFACES
            ));
        }
        for (index, node) in self.nodes.iter().enumerate() {
            self.check_node(node)
                .map_err(|PlanError(what)| PlanError(format!("nodes[{index}]: {what}")))?;
        }
        self.check_radio_names()?;
        for (index, wire) in self.wires.iter().enumerate() {
            self.check_wire(wire)
                .map_err(|PlanError(what)| PlanError(format!("wires[{index}]: {what}")))?;
        }
        for (index, segment) in self.segments.iter().enumerate() {
            self.check_segment(segment)
                .map_err(|PlanError(what)| PlanError(format!("segments[{index}]: {what}")))?;
        }
        for (index, flow) in self.flows.iter().enumerate() {
            self.check_flow(flow)
                .map_err(|PlanError(what)| PlanError(format!("flows[{index}]: {what}")))?;
        }
        for (index, tap) in self.taps.iter().enumerate() {
            self.check_tap(tap)
                .map_err(|PlanError(what)| PlanError(format!("taps[{index}]: {what}")))?;
        }
        if let Some(emulation) = &self.emulation {
            (emulation.check(self)).map_err(|what| PlanError(format!("emulation.{what}")))?;
        }
        self.check_joints()?;
        for window in &self.windows {
            let at = |what| PlanError(format!("windows.{}.{what}", window.name));
            window.check(self.flows.len()).map_err(at)?;
        }
        self.check_air()
    }

    /// Metrics of radios of one name would hide each other.
    fn check_radio_names(&self) -> Result<(), PlanError> {
        let radios = self.nodes.iter().flat_map(NodePlan::radios);
        let mut names: Vec<&str> = radios.map(|radio| radio.name.as_str()).collect();
        names.sort_unstable();
        match names.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => refuse(format!("nodes: {} is the name of two radios", pair[0])),
            None => Ok(()),
        }
    }

    /// An interface is at one cable at most, and frames that bridges pass on must not come back:
    /// there is no spanning tree.
    fn check_joints(&self) -> Result<(), PlanError> {
        let wires = self.wires.iter().map(|wire| (&wire.name, &wire.ends[..]));
        let segments = self.segments.iter();
        let segments = segments.map(|segment| (&segment.name, &segment.members[..]));
        let cables: Vec<_> = wires.chain(segments).collect();
        let ends: Vec<EndPlan> = (cables.iter())
            .flat_map(|(_, ends)| ends.iter().copied())
            .collect();
        if (0..ends.len()).any(|at| ends[..at].contains(&ends[at])) {
            return refuse("wires, segments: an interface is at one cable only".into());
        }
        let mut joined: Vec<usize> = (0..self.nodes.len() + cables.len()).collect();
        for (cable, (name, ends)) in cables.iter().enumerate() {
            let bridges = (ends.iter()).filter(|end| self.nodes[end.node].role.bridges());
            for end in bridges {
                let places = [end.node, self.nodes.len() + cable];
                let [a, b] = places.map(|place| root(&joined, place));
                if a == b {
                    return refuse(format!("wires, segments: {name} closes a loop of bridges"));
                }
                joined[a] = b;
            }
        }
        Ok(())
    }

    fn check_node(&self, node: &NodePlan) -> Result<(), PlanError> {
        if node.interfaces.is_empty() {
            return refuse("interfaces: a node has at least one".into());
        }
        if matches!(node.role, NodeRole::Ap | NodeRole::Sta) && node.radios().next().is_none() {
            return refuse("interfaces: an access point or station needs a radio".into());
        }
        if node.role == NodeRole::Switch && node.radios().next().is_some() {
            return refuse("interfaces: a switch has no radio".into());
        }
        for (index, interface) in node.interfaces.iter().enumerate() {
            (self.check_interface(node, interface))
                .map_err(|PlanError(what)| PlanError(format!("interfaces[{index}].{what}")))?;
        }
        for (index, route) in node.routes.iter().enumerate() {
            if route.prefix_length > 32 || route.interface >= node.interfaces.len() {
                return refuse(format!("routes[{index}]: no such prefix or interface"));
            }
        }
        if let Some(outside) = node.nat {
            if node.role != NodeRole::Router || outside >= node.interfaces.len() {
                return refuse("nat: an interface of a router".into());
            }
        }
        match &node.cost {
            Some(_) if node.role == NodeRole::Port => {
                refuse("cost: a port has no processor".into())
            }
            Some(cost) => cost.check(),
            None => Ok(()),
        }
    }

    fn check_interface(&self, node: &NodePlan, interface: &InterfacePlan) -> Result<(), PlanError> {
        if interface.prefix_length > 32 {
            return refuse("prefix_length: an address has 32 bits".into());
        }
        if !(MTU_MIN..=MTU_MAX).contains(&interface.mtu) {
            return refuse(format!("mtu: {MTU_MIN} to {MTU_MAX} bytes"));
        }
        let Some(radio) = &interface.radio else {
            return Ok(());
        };
        if radio.beacon_interval_ns == Some(Duration::ZERO) {
            return refuse("radio.beacon_interval_ns: must be longer than nothing".into());
        }
        let functions = std::iter::once(radio).chain(&radio.categories);
        for function in functions.clone() {
            (function.mac.check()).map_err(|what| PlanError(format!("radio.mac: {what}")))?;
            for receiver in &function.receivers {
                let interfaces = self
                    .nodes
                    .get(receiver.at.node)
                    .map(|node| &node.interfaces);
                let at = interfaces.and_then(|all| all.get(receiver.at.interface));
                if at.is_none_or(|at| at.radio.is_none()) {
                    return refuse("radio.receivers: no such radio".into());
                }
                let checked = receiver.mac.check(&function.mac);
                checked.map_err(|what| PlanError(format!("radio.receivers: {what}")))?;
                if receiver.airtime_weight == Some(0) {
                    return refuse("radio.receivers.airtime_weight: must be above zero".into());
                }
            }
        }
        let categories = functions
            .clone()
            .map(|each| each.mac.edca.map(|function| function.category));
        // From 802.11n on all data have a category.
        let alone = radio.mac.aggregation.map(|_| Category::BestEffort);
        if !categories.clone().eq([alone]) && !categories.eq(Category::ALL.map(Some)) {
            return refuse("radio.categories: voice, video, best effort and background".into());
        }
        if radio.categories.iter().any(|each| each.ledger.is_some()) {
            return refuse("radio.ledger: its categories keep one together".into());
        }
        for queue in functions.filter_map(|each| each.queue.as_ref()) {
            (queue.check()).map_err(|what| PlanError(format!("radio.queue.{what}")))?;
        }
        match (node.role, radio.access_point) {
            (NodeRole::Ap, None) => Ok(()),
            (NodeRole::Ap, Some(_)) => {
                refuse("radio.access_point: an access point has none".into())
            }
            (_, Some(ap)) if self.is_access_point(ap) => Ok(()),
            (_, _) => refuse("radio.access_point: must be an access point's radio".into()),
        }
    }

    fn is_access_point(&self, at: EndPlan) -> bool {
        self.radio_at(at).is_some() && self.nodes[at.node].role == NodeRole::Ap
    }

    fn is_wired(&self, end: &EndPlan) -> bool {
        (self.nodes.get(end.node))
            .and_then(|node| node.interfaces.get(end.interface))
            .is_some_and(|interface| interface.radio.is_none())
    }

    fn check_segment(&self, segment: &SegmentPlan) -> Result<(), PlanError> {
        if !segment.members.iter().all(|end| self.is_wired(end)) {
            return refuse("members: not all are wired interfaces".into());
        }
        if !(2..=Self::MOST_MEMBERS).contains(&segment.members.len()) {
            return refuse(format!("members: 2 to {}", Self::MOST_MEMBERS));
        }
        if ![10_000_000, 100_000_000]
            .map(Rate::from_bps)
            .contains(&segment.rate_bps)
        {
            return refuse("rate_bps: 10 or 100 Mbit/s".into());
        }
        if segment.delay_ns > net::segment::longest_delay(segment.rate_bps) {
            return refuse("delay_ns: a collision must be seen within a slot".into());
        }
        (segment.queue.check()).map_err(|what| PlanError(format!("queue.{what}")))
    }

    fn check_wire(&self, wire: &WirePlan) -> Result<(), PlanError> {
        let is_wired = |end: &EndPlan| self.is_wired(end);
        if !wire.ends.iter().all(is_wired) || wire.ends[0] == wire.ends[1] {
            return refuse("ends: not two wired interfaces".into());
        }
        if wire.rate_bps.as_bps() == 0 {
            return refuse("rate_bps: must be above zero".into());
        }
        for (end, queue) in wire.queue.iter().enumerate() {
            (queue.check()).map_err(|what| PlanError(format!("queue[{end}].{what}")))?;
        }
        for stage in wire.impair.iter().flatten() {
            let at = |what| PlanError(format!("impair.{}.{what}", stage.name));
            stage.filter.check().map_err(at)?;
            let flows = stage.filter.flows.iter().flatten();
            if flows
                .max()
                .is_some_and(|&last| usize::from(last) >= self.flows.len())
            {
                return refuse(format!("impair.{}.flows: no such flow", stage.name));
            }
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
        let ends = [flow.from, flow.to].into_iter().zip(self.stacks(flow));
        let lacks_stack =
            |(node, stack): (usize, Option<_>)| stack.is_none() && !self.is_port(node);
        if flow.app.about().transport == Transport::Tcp && ends.into_iter().any(lacks_stack) {
            return refuse(match self.is_outside(flow) {
                true => "app: its end in the world needs a TCP stack".into(),
                false => "app: both ends need a TCP stack".into(),
            });
        }
        if flow.dscp > 63 {
            return refuse("dscp: a codepoint has six bits".into());
        }
        (flow.app.check()).map_err(|what| PlanError(format!("app.{what}")))
    }

    fn check_tap(&self, tap: &TapPlan) -> Result<(), PlanError> {
        let exists = match tap.at {
            TapPoint::Wire(wire) => wire < self.wires.len(),
            TapPoint::Segment(segment) => segment < self.segments.len(),
            TapPoint::Air(at) | TapPoint::Events(at) => self.radio_at(at).is_some(),
            TapPoint::Stack(node) | TapPoint::Drops(node) => node < self.nodes.len(),
        };
        if exists {
            Ok(())
        } else {
            refuse("at: no such wire, radio or node".into())
        }
    }

    fn check_air(&self) -> Result<(), PlanError> {
        let radios = self.nodes.iter().any(|node| node.radios().next().is_some());
        if let Some(mobile_ip) = &self.mobile_ip {
            (mobile_ip.check(self)).map_err(|what| PlanError(format!("mobile_ip.{what}")))?;
        }
        if let Some(associations) = &self.associations {
            (associations.check(self)).map_err(|what| PlanError(format!("associations.{what}")))?;
        }
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
        if let Some(motion) = &air.motion {
            (motion.check(self)).map_err(|what| PlanError(format!("air.motion.{what}")))?;
        }
        let powers = air.thresholds.map(|of| [of.receive_dbm.0, of.capture_db.0]);
        if !powers.iter().flatten().all(|power| power.is_finite()) {
            return refuse("air.thresholds: must be finite numbers".into());
        }
        for (index, links) in air.fading.iter().enumerate() {
            (links.check(self)).map_err(|what| PlanError(format!("air.fading[{index}].{what}")))?;
        }
        for (index, emitter) in air.emitters.iter().enumerate() {
            (emitter.check(self))
                .map_err(|what| PlanError(format!("air.emitters[{index}].{what}")))?;
        }
        for (index, list) in air.lose.iter().enumerate() {
            (list.check(self)).map_err(|what| PlanError(format!("air.lose[{index}].{what}")))?;
        }
        Ok(())
    }
}

impl CostPlan {
    /// What takes longer than a second is a fault, and no cost.
    const MOST: Duration = Duration::from_secs(1);

    fn check(&self) -> Result<(), PlanError> {
        let costs = [
            self.per_packet_ns,
            self.per_connection_ns,
            self.per_record_ns,
        ];
        if costs.iter().any(|&cost| cost > CostPlan::MOST) {
            return refuse("cost: at most a second for each packet, connection and record".into());
        }
        if self.queue_packets == 0 {
            return refuse("cost.queue_packets: must be above zero".into());
        }
        Ok(())
    }
}

/// Who stands for all that a node is joined with.
fn root(joined: &[usize], mut node: usize) -> usize {
    while joined[node] != node {
        node = joined[node];
    }
    node
}
