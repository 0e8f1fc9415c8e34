//! What is measured of stations that look for their access points themselves.

use units::Duration;
use units::declaration::{Declared, Metric};

use super::cut::{AssociationCut, RunPart};
use super::declared::{MetricPlace, MetricScope, Taker};
use crate::plan::Plan;
use crate::rows::RoamParts;

/// A station's associations in a part of a run.
pub struct AssociationCounts {
    roams: u64,
    outage: Duration,
    deauthenticated: u64,
    management: u64,
    dropped: u64,
    /// Changes that were over, and what each was made of at the beginning and at the end.
    over: u64,
    parts: [RoamParts; 2],
}

/// What is given of a station's associations.
pub const ASSOCIATION: &[Declared<AssociationCounts>] = &[
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
            name: "deauthentications",
            label: "Deauthentications",
            unit: "",
            about: "times that the station's access point sent it away",
        },
        value: |of| Some(of.deauthenticated as f64),
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
    Declared {
        metric: Metric {
            name: "roam_unheard_s",
            label: "Unheard",
            unit: "s",
            about: "from the last frame heard of the old access point until it was left, averaged over the changes of access point that were over",
        },
        value: |of| of.mean(|parts| parts.unheard),
    },
    Declared {
        metric: Metric {
            name: "roam_scan_s",
            label: "Scan",
            unit: "s",
            about: "from leaving until another access point was found, averaged over the changes of access point that were over",
        },
        value: |of| of.mean(|parts| parts.scan),
    },
    Declared {
        metric: Metric {
            name: "roam_join_s",
            label: "Authentication and association",
            unit: "s",
            about: "from finding until the station was associated, averaged over the changes of access point that were over",
        },
        value: |of| of.mean(|parts| parts.join),
    },
    Declared {
        metric: Metric {
            name: "roam_register_s",
            label: "Registration",
            unit: "s",
            about: "from the association until Mobile IP had registered it; 0 without, averaged over the changes of access point that were over",
        },
        value: |of| of.mean(|parts| parts.register),
    },
    Declared {
        metric: Metric {
            name: "roam_resume_s",
            label: "First packet",
            unit: "s",
            about: "from there until the first packet had come through, averaged over the changes of access point that were over",
        },
        value: |of| of.mean(|parts| parts.resume),
    },
];

impl AssociationCounts {
    fn of(part: &RunPart<'_>, index: usize) -> AssociationCounts {
        let [first, last] = [part.first(), part.last()].map(|cut| &cut.associations[index]);
        AssociationCounts {
            roams: last.roams - first.roams,
            outage: last.outage - first.outage,
            deauthenticated: last.deauthenticated - first.deauthenticated,
            management: last.management - first.management,
            dropped: last.dropped - first.dropped,
            over: last.over.0 - first.over.0,
            parts: [first.over.1, last.over.1],
        }
    }

    /// One part of a change, if there was any.
    fn mean(&self, part: fn(&RoamParts) -> Duration) -> Option<f64> {
        let [first, last] = self.parts.each_ref().map(part);
        (self.over > 0).then(|| (last - first).as_secs_f64() / self.over as f64)
    }
}

/// Gives what is measured of every such station, by its node's name.
pub fn give(part: &RunPart<'_>, plan: &Plan, into: &mut impl Taker) {
    for (index, &AssociationCut { node, .. }) in part.first().associations.iter().enumerate() {
        let place = MetricPlace::of(MetricScope::Node, &plan.nodes[node.index()].name);
        place.declared(ASSOCIATION, &AssociationCounts::of(part, index), into);
    }
}
