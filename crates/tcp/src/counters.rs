//! What a connection has counted since it was made.

use core::ops::AddAssign;

use crate::{Kind, Segment};

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
    /// Segments sent again because of duplicate acknowledgements or SACK blocks.
    pub fast_retransmissions: u64,
    /// Segments sent again because the retransmission timer expired.
    pub timeout_retransmissions: u64,
    /// SYNs and SYN-ACKs sent again.
    pub syn_retransmissions: u64,
    /// Entries into fast recovery.
    pub fast_recoveries: u64,
    /// Expiries of the retransmission timer, those of the SYN included.
    pub timeouts: u64,
    /// Pure acknowledgements sent in order, delayed or not.
    pub acks_sent: u64,
    /// Acknowledgements sent by the delayed-acknowledgement timer.
    pub delayed_acks_expired: u64,
    /// Acknowledgements sent at once for a segment out of order or received before.
    pub duplicate_acks_sent: u64,
    /// Duplicate acknowledgements received (RFC 5681 §2, RFC 6675 §2).
    pub duplicate_acks_received: u64,
    /// Data segments received of which every byte was there before: the peer's spurious
    /// retransmissions and the network's duplicates.
    pub duplicate_segments_received: u64,
    /// Data segments received beyond a gap.
    pub out_of_order_received: u64,
    /// Window updates sent.
    pub window_updates_sent: u64,
    /// DSACK reports received: the peer had the segment already (RFC 2883).
    pub dsacks_received: u64,
    /// DSACK reports sent.
    pub dsacks_sent: u64,
    /// Recoveries and timeouts that turned out to be spurious and were undone.
    pub spurious_recoveries: u64,
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
            Kind::Data | Kind::Control => {}
            Kind::Ack => self.acks_sent += 1,
            Kind::FastRetransmission => {
                self.fast_retransmissions += 1;
                self.bytes_retransmitted += payload;
            }
            Kind::TimeoutRetransmission => {
                self.timeout_retransmissions += 1;
                self.bytes_retransmitted += payload;
            }
            Kind::DuplicateAck => self.duplicate_acks_sent += 1,
            Kind::WindowUpdate => self.window_updates_sent += 1,
            Kind::Probe => self.probes_sent += 1,
        }
    }
}

impl AddAssign for Counters {
    fn add_assign(&mut self, other: Counters) {
        self.segments_sent += other.segments_sent;
        self.segments_received += other.segments_received;
        self.data_segments_sent += other.data_segments_sent;
        self.data_segments_received += other.data_segments_received;
        self.bytes_sent += other.bytes_sent;
        self.bytes_retransmitted += other.bytes_retransmitted;
        self.bytes_acknowledged += other.bytes_acknowledged;
        self.bytes_received += other.bytes_received;
        self.fast_retransmissions += other.fast_retransmissions;
        self.timeout_retransmissions += other.timeout_retransmissions;
        self.syn_retransmissions += other.syn_retransmissions;
        self.fast_recoveries += other.fast_recoveries;
        self.timeouts += other.timeouts;
        self.acks_sent += other.acks_sent;
        self.delayed_acks_expired += other.delayed_acks_expired;
        self.duplicate_acks_sent += other.duplicate_acks_sent;
        self.duplicate_acks_received += other.duplicate_acks_received;
        self.duplicate_segments_received += other.duplicate_segments_received;
        self.out_of_order_received += other.out_of_order_received;
        self.window_updates_sent += other.window_updates_sent;
        self.dsacks_received += other.dsacks_received;
        self.dsacks_sent += other.dsacks_sent;
        self.spurious_recoveries += other.spurious_recoveries;
        self.probes_sent += other.probes_sent;
        self.rtt_samples += other.rtt_samples;
    }
}
