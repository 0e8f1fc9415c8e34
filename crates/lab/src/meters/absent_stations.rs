//! What access points had for stations that were not with them.

use units::declaration::{CountedMetric, Metric};

use crate::ids::NodeId;
use crate::plan::Plan;

/// Packets of an access point for stations that had left it, or never came.
pub type Drops = u64;

/// What is reported of each access point of a world in which stations leave.
pub const METRICS: &[CountedMetric<Drops>] = &[CountedMetric {
    metric: Metric {
        name: "drops_no_station",
        label: "Dropped for want of the station",
        unit: "packets",
        about: "packets that an access point dropped because their station was not with it; where \
                stations associate or have Mobile IP",
    },
    count: |of| *of,
}];

/// What each machine had for absent stations.
#[derive(Clone, Debug, Default)]
pub struct AbsentStations(Vec<Drops>);

impl AbsentStations {
    /// Nothing so far, of every machine; of none where no station ever leaves.
    pub fn new(plan: &Plan) -> Self {
        let may_leave = plan.mobile_ip.is_some() || plan.associations.is_some();
        AbsentStations(vec![0; if may_leave { plan.nodes.len() } else { 0 }])
    }

    /// A machine has dropped a packet for a station that it knows nothing of.
    pub fn count_drop(&mut self, node: NodeId) {
        if let Some(drops) = self.0.get_mut(node.index()) {
            *drops += 1;
        }
    }

    /// Those of all machines, in order.
    pub fn all(&self) -> &[Drops] {
        &self.0
    }
}
