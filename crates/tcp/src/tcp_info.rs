//! A connection's state in the names and units of Linux's TCP_INFO (`struct tcp_info` in
//! `include/uapi/linux/tcp.h`), as scripts ask for it.
//!
//! Times are in microseconds, windows and counts in segments. Where the endpoint counts bytes,
//! segments are bytes divided by `tcpi_snd_mss`, a beginning one counted whole, windows rounded
//! down.

use crate::State;

/// What the sender believes of the path: `enum tcp_ca_state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum CaState {
    /// Nothing dubious (TCP_CA_Open).
    Open = 0,
    /// Duplicates or SACKs have arrived, too few to speak for a loss (TCP_CA_Disorder).
    Disorder = 1,
    /// The window falls without a loss to mend (TCP_CA_CWR): for an instant, when a tail loss
    /// probe has mended one. There is no ECN.
    Cwr = 2,
    /// Fast recovery (TCP_CA_Recovery).
    Recovery = 3,
    /// After a timeout (TCP_CA_Loss).
    Loss = 4,
}

/// The fields of TCP_INFO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpInfo {
    /// Connection state by Linux's number: 1 is ESTABLISHED, 11 is CLOSING.
    pub tcpi_state: u32,
    /// State of loss recovery.
    pub tcpi_ca_state: CaState,
    /// Timeouts since the last new acknowledgement.
    pub tcpi_retransmits: u32,
    /// Unanswered window probes.
    pub tcpi_probes: u32,
    /// How often the timeout has been doubled.
    pub tcpi_backoff: u32,
    /// Options in use: a sum of the `OPT_` constants.
    pub tcpi_options: u32,
    /// The shift of the peer's window field.
    pub tcpi_snd_wscale: u32,
    /// The shift of ours.
    pub tcpi_rcv_wscale: u32,
    /// Retransmission timeout in µs, backed off.
    pub tcpi_rto: u32,
    /// The delayed acknowledgement's delay in µs, as it stands.
    pub tcpi_ato: u32,
    /// Payload of a full segment sent.
    pub tcpi_snd_mss: u32,
    /// Payload of the largest segment received, 536 before any.
    pub tcpi_rcv_mss: u32,
    /// Segments sent and not acknowledged (packets_out), the SACKed ones included.
    pub tcpi_unacked: u32,
    /// Segments SACKed, or without SACK duplicate acknowledgements that stand for them.
    pub tcpi_sacked: u32,
    /// Segments believed lost.
    pub tcpi_lost: u32,
    /// Segments sent again and not yet acknowledged.
    pub tcpi_retrans: u32,
    /// Always 0, as in Linux since 4.15.
    pub tcpi_fackets: u32,
    /// Smoothed round-trip time in µs.
    pub tcpi_rtt: u32,
    /// Its variation in µs, as the profile's estimator keeps it; Linux's is the mean deviation.
    pub tcpi_rttvar: u32,
    /// The least round-trip time in µs.
    pub tcpi_min_rtt: u32,
    /// Slow start threshold in segments; [`TcpInfo::INFINITE_SSTHRESH`] before the first loss.
    pub tcpi_snd_ssthresh: u32,
    /// Congestion window in segments, without fast recovery's inflation.
    pub tcpi_snd_cwnd: u32,
    /// The MSS announced.
    pub tcpi_advmss: u32,
    /// How many duplicates speak for a loss by now.
    pub tcpi_reordering: u32,
    /// The receiver's estimate of the round trip, in microseconds.
    pub tcpi_rcv_rtt: u32,
    /// The most bytes read in one round trip; the receive window where the buffer is not tuned.
    pub tcpi_rcv_space: u32,
    /// The window the receiver is willing to show, in bytes.
    pub tcpi_rcv_ssthresh: u32,
    /// The peer's window in bytes, beyond what is acknowledged.
    pub tcpi_snd_wnd: u32,
    /// Segments sent again in all, SYNs included.
    pub tcpi_total_retrans: u32,
    /// Bytes the peer has acknowledged.
    pub tcpi_bytes_acked: u64,
    /// Bytes received in order.
    pub tcpi_bytes_received: u64,
    /// Payload bytes sent, retransmissions included.
    pub tcpi_bytes_sent: u64,
    /// Payload bytes sent again.
    pub tcpi_bytes_retrans: u64,
    /// Segments sent.
    pub tcpi_segs_out: u32,
    /// Segments received.
    pub tcpi_segs_in: u32,
    /// Segments sent that carried payload.
    pub tcpi_data_segs_out: u32,
    /// Segments received that carried payload.
    pub tcpi_data_segs_in: u32,
    /// Segments known to have arrived, the SYN and the SACKed ones included.
    pub tcpi_delivered: u32,
    /// DSACK reports received.
    pub tcpi_dsack_dups: u32,
    /// Whether reordering has been seen (Linux counts how often).
    pub tcpi_reord_seen: u32,
    /// Segments received out of order.
    pub tcpi_rcv_ooopack: u32,
    /// Bytes written and never sent.
    pub tcpi_notsent_bytes: u32,
}

impl TcpInfo {
    /// TCPI_OPT_TIMESTAMPS.
    pub const OPT_TIMESTAMPS: u32 = 1;
    /// TCPI_OPT_SACK.
    pub const OPT_SACK: u32 = 2;
    /// TCPI_OPT_WSCALE.
    pub const OPT_WSCALE: u32 = 4;
    /// TCP_INFINITE_SSTHRESH: there has been no loss.
    pub const INFINITE_SSTHRESH: u32 = 0x7fff_ffff;
}

impl From<CaState> for u64 {
    fn from(state: CaState) -> u64 {
        state as u64
    }
}

/// The fields by name. That none is left out is checked by taking the whole structure apart.
macro_rules! named {
    ($($field:ident)*) => {
        impl TcpInfo {
            /// The names of all fields.
            pub const NAMES: [&'static str; [$(stringify!($field)),*].len()] =
                [$(stringify!($field)),*];

            /// The values of all fields, in the order of [`TcpInfo::NAMES`].
            pub fn values(&self) -> [u64; TcpInfo::NAMES.len()] {
                let TcpInfo { $($field),* } = *self;
                [$(u64::from($field)),*]
            }
        }
    };
}

named! {
    tcpi_state tcpi_ca_state tcpi_retransmits tcpi_probes tcpi_backoff tcpi_options
    tcpi_snd_wscale tcpi_rcv_wscale tcpi_rto tcpi_ato tcpi_snd_mss tcpi_rcv_mss tcpi_unacked
    tcpi_sacked tcpi_lost tcpi_retrans tcpi_fackets tcpi_rtt tcpi_rttvar tcpi_min_rtt
    tcpi_snd_ssthresh tcpi_snd_cwnd tcpi_advmss tcpi_reordering tcpi_rcv_rtt tcpi_rcv_space
    tcpi_rcv_ssthresh tcpi_snd_wnd tcpi_total_retrans tcpi_bytes_acked tcpi_bytes_received
    tcpi_bytes_sent tcpi_bytes_retrans tcpi_segs_out tcpi_segs_in tcpi_data_segs_out
    tcpi_data_segs_in tcpi_delivered tcpi_dsack_dups tcpi_reord_seen tcpi_rcv_ooopack
    tcpi_notsent_bytes
}

/// Linux's numbers (`include/net/tcp_states.h`).
pub(crate) const fn state_number(state: State) -> u32 {
    match state {
        State::Established => 1,
        State::SynSent => 2,
        State::SynReceived => 3,
        State::FinWait1 => 4,
        State::FinWait2 => 5,
        State::TimeWait => 6,
        State::Closed => 7,
        State::CloseWait => 8,
        State::LastAck => 9,
        State::Listen => 10,
        State::Closing => 11,
    }
}
