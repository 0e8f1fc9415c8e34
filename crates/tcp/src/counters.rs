//! Counters of a connection since it was made.

use core::ops::{AddAssign, Sub};

use units::declaration::{CountedMetric, Metric};

use crate::{Segment, SendCause};

/// Totals of one connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Segments handed out, of every kind.
    pub segments_sent: u64,
    /// Segments handed in.
    pub segments_received: u64,
    /// Segments handed out that carried payload.
    pub data_segments_sent: u64,
    /// Segments handed in that carried payload.
    pub data_segments_received: u64,
    /// Payload bytes handed out, each retransmission counted again.
    pub bytes_sent: u64,
    /// Payload bytes handed out again.
    pub bytes_retransmitted: u64,
    /// Payload bytes the peer has acknowledged.
    pub bytes_acknowledged: u64,
    /// Payload bytes received in order, each once.
    pub bytes_received: u64,
    /// Segments retransmitted because of duplicate acknowledgements or SACK blocks.
    pub fast_retransmissions: u64,
    /// Segments retransmitted because the retransmission timer expired.
    pub timeout_retransmissions: u64,
    /// SYNs and SYN-ACKs retransmitted.
    pub syn_retransmissions: u64,
    /// Entries into fast recovery.
    pub fast_recoveries: u64,
    /// Expiries of the retransmission timer, those of the SYN included.
    pub timeouts: u64,
    /// Pure acknowledgements sent in order, delayed or not.
    pub acks_sent: u64,
    /// Segments with payload handed out that acknowledged what none before them had.
    pub acks_piggybacked: u64,
    /// Acknowledgements sent by the delayed-acknowledgement timer.
    pub delayed_acks_expired: u64,
    /// Acknowledgements sent at once for a segment out of order or received before.
    pub duplicate_acks_sent: u64,
    /// Duplicate acknowledgements received (RFC 5681 §2, RFC 6675 §2).
    pub duplicate_acks_received: u64,
    /// Data segments received of which every byte was there before: the peer's spurious
    /// retransmissions and the network's duplicates.
    pub duplicate_segments_received: u64,
    /// Segments with data, in Linux also with a FIN alone, received beyond a gap.
    pub out_of_order_received: u64,
    /// Window updates sent.
    pub window_updates_sent: u64,
    /// DSACK reports received: the peer had the segment already (RFC 2883).
    pub dsacks_received: u64,
    /// DSACK reports sent.
    pub dsacks_sent: u64,
    /// Recoveries and timeouts that turned out to be spurious and were undone.
    pub spurious_recoveries: u64,
    /// Data segments received that a queue on the way had marked (CE, RFC 3168).
    pub marked_segments_received: u64,
    /// Reductions of the congestion window because the peer told of marked segments.
    pub ecn_reductions: u64,
    /// Probes sent into a closed window or to a silent peer.
    pub probes_sent: u64,
    /// Round-trip times measured.
    pub rtt_samples: u64,
}

impl Counters {
    #[inline]
    pub(crate) fn on_sent(&mut self, segment: &Segment) {
        let payload = u64::from(segment.payload);
        self.segments_sent += 1;
        self.data_segments_sent += u64::from(payload > 0);
        self.bytes_sent += payload;
        match segment.kind {
            SendCause::Data | SendCause::Control => {}
            SendCause::Ack => self.acks_sent += 1,
            SendCause::FastRetransmission => {
                self.fast_retransmissions += 1;
                self.bytes_retransmitted += payload;
            }
            SendCause::TimeoutRetransmission => {
                self.timeout_retransmissions += 1;
                self.bytes_retransmitted += payload;
            }
            SendCause::DuplicateAck => self.duplicate_acks_sent += 1,
            SendCause::WindowUpdate => self.window_updates_sent += 1,
            SendCause::Probe => self.probes_sent += 1,
        }
    }
}

macro_rules! totals {
    ($($count:ident)*) => {
        impl AddAssign for Counters {
            fn add_assign(&mut self, other: Counters) {
                $(self.$count += other.$count;)*
            }
        }

        impl Sub for Counters {
            type Output = Counters;

            /// Returns what was counted since `earlier`.
            fn sub(self, earlier: Counters) -> Counters {
                Counters { $($count: self.$count - earlier.$count),* }
            }
        }
    };
}

totals! {
    segments_sent segments_received data_segments_sent data_segments_received bytes_sent
    bytes_retransmitted bytes_acknowledged bytes_received fast_retransmissions
    timeout_retransmissions syn_retransmissions fast_recoveries timeouts acks_sent
    acks_piggybacked delayed_acks_expired duplicate_acks_sent duplicate_acks_received
    duplicate_segments_received out_of_order_received window_updates_sent dsacks_received
    dsacks_sent spurious_recoveries marked_segments_received ecn_reductions probes_sent
    rtt_samples
}

impl Counters {
    /// Metrics that are reported of them.
    pub const METRICS: &[CountedMetric<Counters>] = &[
        CountedMetric {
            metric: Metric {
                name: "retransmissions",
                label: "TCP retransmissions",
                unit: "segments",
                about: "data segments retransmitted, fast or after a timeout",
            },
            count: |of| of.fast_retransmissions + of.timeout_retransmissions,
        },
        CountedMetric {
            metric: Metric {
                name: "retransmissions_fast",
                label: "Fast retransmissions",
                unit: "segments",
                about: "data segments retransmitted because of duplicate ACKs or SACK blocks",
            },
            count: |of| of.fast_retransmissions,
        },
        CountedMetric {
            metric: Metric {
                name: "retransmissions_timeout",
                label: "Timeout retransmissions",
                unit: "segments",
                about: "data segments retransmitted because the retransmission timer expired",
            },
            count: |of| of.timeout_retransmissions,
        },
        CountedMetric {
            metric: Metric {
                name: "segments_sent",
                label: "TCP data segments sent",
                unit: "segments",
                about: "segments with data sent by either end, resent ones included",
            },
            count: |of| of.data_segments_sent,
        },
        CountedMetric {
            metric: Metric {
                name: "duplicate_acks",
                label: "Duplicate TCP ACKs",
                unit: "segments",
                about: "ACKs sent at once for a segment out of order or received before",
            },
            count: |of| of.duplicate_acks_sent,
        },
        CountedMetric {
            metric: Metric {
                name: "pure_acks",
                label: "Pure TCP ACKs",
                unit: "segments",
                about: "ACKs without data, delayed or not, duplicate ones and window updates \
                        not counted",
            },
            count: |of| of.acks_sent,
        },
        CountedMetric {
            metric: Metric {
                name: "piggybacked_acks",
                label: "Piggybacked TCP ACKs",
                unit: "segments",
                about: "data segments that acknowledge what no segment before has acknowledged",
            },
            count: |of| of.acks_piggybacked,
        },
        CountedMetric {
            metric: Metric {
                name: "timeouts",
                label: "TCP timeouts",
                unit: "timeouts",
                about: "expiries of the retransmission timer, those of a SYN included",
            },
            count: |of| of.timeouts,
        },
        CountedMetric {
            metric: Metric {
                name: "marked_segments",
                label: "Marked TCP segments",
                unit: "segments",
                about: "data segments that came with a mark of congestion (CE)",
            },
            count: |of| of.marked_segments_received,
        },
        CountedMetric {
            metric: Metric {
                name: "reductions_by_marks",
                label: "Reductions by marks",
                unit: "reductions",
                about: "times that a congestion window was reduced because the peer told of marks",
            },
            count: |of| of.ecn_reductions,
        },
    ];
}
