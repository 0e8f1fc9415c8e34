//! What is measured of stations that look for their access points themselves.

use units::Duration;
use units::declaration::{Declared, Metric};

use super::cut::{AssociationCut, Part};
use super::declared::{Place, Scope, Taker};
use crate::plan::Plan;

/// A station's associations in a part of a run.
pub struct Associations {
    roams: u64,
    outage: Duration,
    management: u64,
    dropped: u64,
}

/// What is given of a station's associations.
pub const ASSOCIATION: &[Declared<Associations>] = &[
    Declared {
        metric: Metric {
            name: "associations",
            label: "Associations",
            unit: "",
            about: "times that the station was associated anew, with the same access point or \
                    another; of stations with a table association",
        },
        value: |of| Some(of.roams as f64),
    },
    Declared {
        metric: Metric {
            name: "outage_s",
            label: "Time without association",
            unit: "s",
            about: "time in which the station belonged to no access point",
        },
        value: |of| Some(of.outage.as_secs_f64()),
    },
    Declared {
        metric: Metric {
            name: "management_frames",
            label: "Management frames",
            unit: "frames",
            about: "management frames that the station sent, repeated ones included",
        },
        value: |of| Some(of.management as f64),
    },
    Declared {
        metric: Metric {
            name: "drops_unassociated",
            label: "Drops without association",
            unit: "packets",
            about: "packets of the station or for it that were dropped because it did not belong \
                    to an access point, or to another one",
        },
        value: |of| Some(of.dropped as f64),
    },
];

impl Associations {
    fn of(part: &Part<'_>, index: usize) -> Associations {
        let [first, last] = [part.first(), part.last()].map(|cut| &cut.associations[index]);
        Associations {
            roams: last.roams - first.roams,
            outage: last.outage - first.outage,
            management: last.management - first.management,
            dropped: last.dropped - first.dropped,
        }
    }
}

/// Gives what is measured of every such station, by its node's name.
pub fn give(part: &Part<'_>, plan: &Plan, into: &mut impl Taker) {
    for (index, &AssociationCut { node, .. }) in part.first().associations.iter().enumerate() {
        let place = Place::of(Scope::Node, &plan.nodes[usize::from(node)].name);
        place.declared(ASSOCIATION, &Associations::of(part, index), into);
    }
}
