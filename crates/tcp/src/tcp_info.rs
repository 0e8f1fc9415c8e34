//! A connection's state in the names and units of Linux's TCP_INFO (`struct tcp_info` in
//! `include/uapi/linux/tcp.h`), as scripts ask for it.
//!
//! Times are in microseconds, windows and counts in segments. Where the endpoint counts bytes,
//! segments are bytes divided by `tcpi_snd_mss`, a beginning one counted whole, windows rounded
//! down.

use units::table::{Column, Type};

use crate::State;

/// The sender's belief about the path: `enum tcp_ca_state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum CaState {
    /// Nothing dubious (TCP_CA_Open).
    Open = 0,
    /// Duplicates or SACKs have arrived, too few to speak for a loss (TCP_CA_Disorder).
    Disorder = 1,
    /// The window falls without a loss to mend (TCP_CA_CWR): after a mark, and for an instant when
    /// a tail loss probe has mended one.
    Cwr = 2,
    /// Fast recovery (TCP_CA_Recovery).
    Recovery = 3,
    /// After a timeout (TCP_CA_Loss).
    Loss = 4,
}

/// Declares the fields, and from each its column.
macro_rules! fields {
    ($($(#[doc = $about:literal])+ $field:ident: $of:ty, $unit:literal;)*) => {
        /// The fields of TCP_INFO: Linux's names and units, and the meanings of tcp(7) and ss(8).
        /// What it has and a simulation does not (pacing, delivery rate, busy times, ECN) is left
        /// out.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct TcpInfo {
            $($(#[doc = $about])+ pub $field: $of,)*
        }

        impl TcpInfo {
            /// All fields, as columns of a table.
            pub const COLUMNS: [Column; [$(stringify!($field)),*].len()] = [$(Column {
                name: stringify!($field),
                unit: $unit,
                about: concat!($($about),+).trim_ascii_start(),
                of: Type::Whole,
            }),*];

            /// The values of all fields, in the order of [`TcpInfo::COLUMNS`].
            pub fn values(&self) -> [u64; TcpInfo::COLUMNS.len()] {
                let TcpInfo { $($field),* } = *self;
                [$(u64::from($field)),*]
            }
        }
    };
}

fields! {
    /// connection state by Linux's number: 1 ESTABLISHED, 6 TIME-WAIT, 7 CLOSED
    tcpi_state: u32, "";
    /// 0 Open, 1 Disorder, 2 CWR, 3 Recovery, 4 Loss
    tcpi_ca_state: CaState, "";
    /// timeouts since the last new acknowledgement
    tcpi_retransmits: u32, "";
    /// unanswered window probes
    tcpi_probes: u32, "";
    /// how often the timeout has been doubled
    tcpi_backoff: u32, "";
    /// sum of the options in use: 1 timestamps, 2 SACK, 4 window scaling; of TCP Fast Open 32 data
    /// with the SYN acknowledged, 128 opened by them
    tcpi_options: u32, "";
    /// shift of the peer's window field
    tcpi_snd_wscale: u32, "bits";
    /// shift of its own
    tcpi_rcv_wscale: u32, "bits";
    /// retransmission timeout, backed off
    tcpi_rto: u32, "µs";
    /// delay of the delayed acknowledgement, as it stands
    tcpi_ato: u32, "µs";
    /// payload of a full segment sent
    tcpi_snd_mss: u32, "bytes";
    /// payload of the largest segment received, 536 before any
    tcpi_rcv_mss: u32, "bytes";
    /// sent and not acknowledged, SACKed ones included
    tcpi_unacked: u32, "segments";
    /// SACKed, or without SACK the duplicate acknowledgements
    tcpi_sacked: u32, "segments";
    /// believed lost
    tcpi_lost: u32, "segments";
    /// retransmitted and not yet acknowledged
    tcpi_retrans: u32, "segments";
    /// 0, as in Linux since 4.15
    tcpi_fackets: u32, "segments";
    /// smoothed round-trip time; 0 before the first measurement
    tcpi_rtt: u32, "µs";
    /// its variation, as the profile's estimator keeps it
    tcpi_rttvar: u32, "µs";
    /// least round-trip time
    tcpi_min_rtt: u32, "µs";
    /// slow start threshold; 2147483647 before the first loss
    tcpi_snd_ssthresh: u32, "segments";
    /// congestion window, without fast recovery's inflation
    tcpi_snd_cwnd: u32, "segments";
    /// the MSS announced
    tcpi_advmss: u32, "bytes";
    /// how many duplicates speak for a loss by now
    tcpi_reordering: u32, "segments";
    /// the receiver's estimate of the round trip; 0 where it makes none
    tcpi_rcv_rtt: u32, "µs";
    /// the most that was read in one round trip
    tcpi_rcv_space: u32, "bytes";
    /// the window it is willing to show
    tcpi_rcv_ssthresh: u32, "bytes";
    /// the peer's window, beyond what is acknowledged
    tcpi_snd_wnd: u32, "bytes";
    /// retransmitted in all, SYNs included
    tcpi_total_retrans: u32, "segments";
    /// acknowledged by the peer; in Linux with its own SYN and FIN
    tcpi_bytes_acked: u64, "bytes";
    /// received in order
    tcpi_bytes_received: u64, "bytes";
    /// payload sent, retransmissions included
    tcpi_bytes_sent: u64, "bytes";
    /// payload retransmitted
    tcpi_bytes_retrans: u64, "bytes";
    /// sent
    tcpi_segs_out: u32, "segments";
    /// received
    tcpi_segs_in: u32, "segments";
    /// sent with payload
    tcpi_data_segs_out: u32, "segments";
    /// received with payload
    tcpi_data_segs_in: u32, "segments";
    /// known to have arrived, the SYN and SACKed ones included
    tcpi_delivered: u32, "segments";
    /// DSACK reports received
    tcpi_dsack_dups: u32, "";
    /// whether reordering was seen (Linux counts how often)
    tcpi_reord_seen: u32, "";
    /// received out of order
    tcpi_rcv_ooopack: u32, "segments";
    /// written and never sent
    tcpi_notsent_bytes: u32, "bytes";
}

impl TcpInfo {
    /// TCPI_OPT_TIMESTAMPS.
    pub const OPT_TIMESTAMPS: u32 = 1;
    /// TCPI_OPT_SACK.
    pub const OPT_SACK: u32 = 2;
    /// TCPI_OPT_WSCALE.
    pub const OPT_WSCALE: u32 = 4;
    /// TCPI_OPT_ECN: both ends have agreed to it.
    pub const OPT_ECN: u32 = 8;
    /// TCPI_OPT_ECN_SEEN: data of a capable sender have come.
    pub const OPT_ECN_SEEN: u32 = 16;
    /// TCPI_OPT_SYN_DATA.
    pub const OPT_SYN_DATA: u32 = 32;
    /// TCPI_OPT_TFO_CHILD.
    pub const OPT_TFO_CHILD: u32 = 128;
    /// TCP_INFINITE_SSTHRESH: there has been no loss.
    pub const INFINITE_SSTHRESH: u32 = 0x7fff_ffff;
}

impl From<CaState> for u64 {
    fn from(state: CaState) -> u64 {
        state as u64
    }
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
