//! Inputs of controllers: acknowledgements, deliveries, losses, and where a connection begins.

use units::{Duration, Time};

use crate::RecoveryPhase;
use crate::tcp_info::CaState;

/// New data were acknowledged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acked {
    pub now: Time,
    /// Bytes acknowledged for the first time.
    pub bytes: u64,
    /// SND.UNA after it, and the highest offset sent: what a controller counts rounds with.
    pub una: u64,
    pub max: u64,
    /// The round-trip time it measured, if any: of the segment sent last among those
    /// acknowledged, so that no delayed acknowledgement is in it.
    pub rtt: Option<Duration>,
    /// The smoothed round-trip time.
    pub srtt: Duration,
    /// True if the window was what limited the sender: one that is not used is not tested,
    /// and does not grow (RFC 7661 §4).
    pub limited: bool,
    /// In fast recovery: measure, but do not grow. After a timeout: slow start is cautious.
    pub phase: RecoveryPhase,
}

impl Acked {
    #[inline]
    pub(super) fn may_grow(&self) -> bool {
        self.limited && self.phase != RecoveryPhase::Fast
    }
}

/// A round-trip time of the segment sent last among those an acknowledgement tells of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundTrip {
    pub now: Time,
    pub rtt: Duration,
    pub una: u64,
    pub max: u64,
    /// The sender's pacing rate.
    pub bytes_per_second: u64,
}

/// Rate sample of an acknowledgement, for whoever models the path. Segments are counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RateSample {
    pub now: Time,
    pub delivery: Option<Delivery>,
    /// Time when something was delivered last.
    pub delivered_at: Time,
    /// Delivered and lost since the connection began, and by this acknowledgement.
    pub delivered: u64,
    pub lost: u64,
    pub newly_delivered: u32,
    pub newly_lost: u32,
    /// In flight before the acknowledgement, and now.
    pub prior_in_flight: u32,
    pub in_flight: u32,
    /// The round-trip time it measured, and whether it may have been delayed.
    pub rtt: Option<Duration>,
    pub maybe_delayed: bool,
    pub srtt: Option<Duration>,
    /// Time when the next segment may leave, as far as that was settled.
    pub departs_at: Time,
    /// True if the window was full at some time in the last round trip.
    pub is_limited: bool,
    pub state: CaState,
}

/// Data delivered between the sending of a segment and its acknowledgement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delivery {
    /// Segments delivered when it left, and those since.
    pub prior_delivered: u64,
    pub delivered: u64,
    /// Time it took; `None` where it is less than a round trip can take.
    pub interval: Option<Duration>,
    /// The application, not the path, limited what was in flight.
    pub app_limited: bool,
    /// In flight when it had left, and lost since.
    pub in_flight: u32,
    pub lost: u64,
}

/// A segment is marked lost. What left at one instant counts as having left together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LostSegment {
    /// In flight when it had left, and lost since, itself included.
    pub in_flight: u32,
    pub lost: u64,
    /// The application, not the path, limited what was in flight.
    pub app_limited: bool,
    /// It does not follow in the stream on the one marked before it.
    pub begins_gap: bool,
}

/// The connection is established.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionStart {
    pub now: Time,
    pub srtt: Option<Duration>,
    pub least_rtt: Option<Duration>,
    /// A number that is not the same for all connections.
    pub chance: u32,
    /// True if SACK tells of more than one loss in a round trip.
    pub has_sack: bool,
}

/// New data leave where nothing had been in flight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Restart {
    pub now: Time,
    pub last_sent: Time,
    /// The application had not enough to send.
    pub app_limited: bool,
}

/// A loss was inferred, by duplicate acknowledgements or by the timer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loss {
    /// FlightSize: bytes outstanding, less those sent by limited transmit (RFC 5681 §3.2).
    pub in_flight: u64,
}
