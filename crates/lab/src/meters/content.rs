//! Airtime of data frames by what they carry, retransmissions by the MAC included.

use tcp::SendCause;
use units::Duration;
use units::declaration::{CountedMetric, Metric};

use crate::packets::{Body, Packet};

/// Airtime by content, over all stations. Overlapping frames count each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Content {
    /// TCP segments with data sent for the first time.
    pub tcp_data: Duration,
    /// TCP segments with data retransmitted by TCP.
    pub tcp_retransmission: Duration,
    /// TCP segments without data, duplicate acknowledgements aside.
    pub tcp_ack: Duration,
    /// Acknowledgements sent for a segment out of order or received before.
    pub tcp_duplicate_ack: Duration,
    /// All other packets.
    pub other: Duration,
}

impl Content {
    /// What is reported of it, each in nanoseconds.
    pub const METRICS: &[CountedMetric<Content>] = &[
        CountedMetric {
            metric: Metric {
                name: "tcp_data",
                label: "Airtime of TCP data",
                unit: "s",
                about: "data segments that TCP sent for the first time",
            },
            count: |of| of.tcp_data.as_nanos(),
        },
        CountedMetric {
            metric: Metric {
                name: "tcp_retransmission",
                label: "Airtime of resent TCP data",
                unit: "s",
                about: "data segments that TCP retransmitted",
            },
            count: |of| of.tcp_retransmission.as_nanos(),
        },
        CountedMetric {
            metric: Metric {
                name: "tcp_ack",
                label: "Airtime of TCP ACKs",
                unit: "s",
                about: "segments without data: in-order acknowledgements, window updates, SYN, \
                        FIN and RST",
            },
            count: |of| of.tcp_ack.as_nanos(),
        },
        CountedMetric {
            metric: Metric {
                name: "tcp_duplicate_ack",
                label: "Airtime of duplicate ACKs",
                unit: "s",
                about: "acknowledgements of data out of order or received before",
            },
            count: |of| of.tcp_duplicate_ack.as_nanos(),
        },
    ];

    /// Enters a frame of `airtime` that carried `packet` or a fragment of it.
    #[inline]
    pub fn add(&mut self, packet: &Packet, airtime: Duration) {
        let account = match packet.body {
            Body::Tcp(_, segment) => match segment.kind {
                SendCause::Data | SendCause::Probe => &mut self.tcp_data,
                SendCause::FastRetransmission | SendCause::TimeoutRetransmission => {
                    &mut self.tcp_retransmission
                }
                SendCause::Ack | SendCause::Control | SendCause::WindowUpdate => &mut self.tcp_ack,
                SendCause::DuplicateAck => &mut self.tcp_duplicate_ack,
            },
            _ => &mut self.other,
        };
        *account += airtime;
    }
}
