//! What machines have discarded because it was damaged.

use units::declaration::{CountedMetric, Metric};

use crate::ids::NodeId;
use crate::plan::Plan;

/// What a machine has discarded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Discards {
    /// Frames whose check sequence was wrong.
    pub fcs: u64,
    /// Frames for nobody, or of no known type.
    pub header: u64,
    /// Packets of which a checksum did not hold.
    pub checksum: u64,
}

impl Discards {
    /// What is reported of them, of each machine of a world in which frames are damaged.
    pub const METRICS: &[CountedMetric<Discards>] = &[
        CountedMetric {
            metric: Metric {
                name: "fcs_discards",
                label: "Discards by FCS",
                unit: "frames",
                about: "frames that came off a wire with a wrong check sequence and were dropped; \
                        of machines where a wire has bit errors or wrong check sequences",
            },
            count: |of| of.fcs,
        },
        CountedMetric {
            metric: Metric {
                name: "header_discards",
                label: "Discards by Ethernet header",
                unit: "frames",
                about: "frames dropped because a bit error had made their address nobody's, or \
                        their type or what they ask of ARP senseless",
            },
            count: |of| of.header,
        },
        CountedMetric {
            metric: Metric {
                name: "checksum_discards",
                label: "Discards by checksum",
                unit: "packets",
                about: "packets discarded because the checksum of their IP header did not hold, \
                        or, at the machine they were for, that of TCP, UDP or ICMP",
            },
            count: |of| of.checksum,
        },
    ];
}

/// What each machine has discarded.
#[derive(Clone, Debug, Default)]
pub struct AllDiscards(Vec<Discards>);

impl AllDiscards {
    /// Nothing so far, of every machine; of none where no frame is ever damaged.
    pub fn new(plan: &Plan) -> Self {
        let mut stages = plan
            .wires
            .iter()
            .flat_map(|wire| wire.impair.iter().flatten());
        let any = stages.any(|stage| stage.impairment.damages())
            || (0..plan.nodes.len()).any(|node| plan.is_port(node));
        AllDiscards(vec![
            Discards::default();
            if any { plan.nodes.len() } else { 0 }
        ])
    }

    /// Those of a machine of a world in which frames are damaged.
    pub fn of(&mut self, node: NodeId) -> &mut Discards {
        &mut self.0[node.index()]
    }

    /// Those of all machines, in order.
    pub fn all(&self) -> &[Discards] {
        &self.0
    }
}
