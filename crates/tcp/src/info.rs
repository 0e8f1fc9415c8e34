//! A snapshot of a connection, after Linux's TCP_INFO.

use units::Duration;

use crate::{RecoveryPhase, State};

/// A connection's state at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info {
    /// Connection state.
    pub state: State,
    /// Phase of its loss recovery.
    pub recovery: RecoveryPhase,
    /// Payload of a full segment sent.
    pub mss_bytes: u32,
    /// The congestion window in force, with fast recovery's inflation.
    pub cwnd_bytes: u64,
    /// The slow start threshold; `u64::MAX` until the first loss.
    pub ssthresh_bytes: u64,
    /// Bytes sent and not acknowledged.
    pub in_flight_bytes: u64,
    /// Room that the peer's window leaves beyond what is acknowledged.
    pub send_window_bytes: u64,
    /// The window last advertised, less what has arrived since.
    pub receive_window_bytes: u64,
    /// Bytes written and not acknowledged, sent or not.
    pub buffered_bytes: u64,
    /// Smoothed round-trip time, once there is a sample.
    pub srtt: Option<Duration>,
    /// Round-trip time variation.
    pub rttvar: Duration,
    /// The retransmission timeout in force, backed off.
    pub rto: Duration,
    /// Duplicate acknowledgements since the last new one.
    pub duplicate_acks: u32,
    /// Timeouts since the last new acknowledgement.
    pub retries: u32,
    /// True if both ends permit SACK.
    pub sack: bool,
    /// True if both ends use timestamps.
    pub timestamps: bool,
}
