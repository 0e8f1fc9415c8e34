//! Congestion control: how much may be in flight.
//!
//! A controller is told of acknowledgements, losses and timeouts and answers with a window.
//! Which segments are lost, and what is sent again, is the business of [`crate::recovery`].
//! A new controller is one file beside this one and one line in the list below.

use serde::{Deserialize, Serialize};
use units::{Duration, Time};

mod reno;

/// New data were acknowledged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acked {
    #[expect(dead_code, reason = "for controllers that work by time, as CUBIC does")]
    pub now: Time,
    /// Bytes acknowledged for the first time.
    pub bytes: u64,
    /// Bytes outstanding before this acknowledgement.
    pub in_flight: u64,
    /// The round-trip time it measured, if any.
    #[expect(
        dead_code,
        reason = "for controllers that work by delay, as Vegas does"
    )]
    pub rtt: Option<Duration>,
    /// Whether loss recovery is going on: measure, but do not grow.
    pub recovering: bool,
}

/// A loss was inferred, by duplicate acknowledgements or by the timer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loss {
    #[expect(dead_code, reason = "for controllers that work by time, as CUBIC does")]
    pub now: Time,
    /// FlightSize: bytes outstanding, less those sent by limited transmit (RFC 5681 §3.2).
    pub in_flight: u64,
}

/// What every controller is built from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setup {
    /// SMSS: the payload of a full segment.
    pub mss: u64,
    /// IW in bytes.
    pub initial_window: u64,
    /// Whether congestion avoidance counts bytes or acknowledgements.
    pub byte_counting: bool,
}

/// The seam between a connection and its congestion control.
pub(crate) trait CongestionControl {
    /// cwnd in bytes, at least one segment.
    fn window(&self) -> u64;
    /// ssthresh in bytes; `u64::MAX` until the first loss.
    fn ssthresh(&self) -> u64;
    /// New data were acknowledged.
    fn on_ack(&mut self, acked: &Acked);
    /// Fast retransmit: recovery begins.
    fn on_loss(&mut self, loss: &Loss);
    /// Recovery is over; a window above `burst_limit` would let a burst out (RFC 6582 §3.2).
    fn on_recovered(&mut self, burst_limit: u64);
    /// The timer expired; `again` if it is the same segment's second time or more.
    fn on_timeout(&mut self, loss: &Loss, again: bool);
    /// Nothing was sent for longer than the retransmission timeout (RFC 5681 §4.1).
    fn on_idle(&mut self);
}

macro_rules! controllers {
    ($($(#[$doc:meta])* $name:ident = $type:path,)*) => {
        /// The congestion controls there are.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum CongestionAlgorithm { $($(#[$doc])* $name,)* }

        /// A controller; dispatch is a branch, not a pointer.
        #[derive(Clone, Debug)]
        pub(crate) enum Controller { $($name($type),)* }

        impl Controller {
            pub fn new(algorithm: CongestionAlgorithm, setup: &Setup) -> Controller {
                match algorithm {
                    $(CongestionAlgorithm::$name => Controller::$name(<$type>::new(setup)),)*
                }
            }
        }

        impl CongestionControl for Controller {
            #[inline]
            fn window(&self) -> u64 {
                match self { $(Controller::$name(c) => c.window(),)* }
            }
            #[inline]
            fn ssthresh(&self) -> u64 {
                match self { $(Controller::$name(c) => c.ssthresh(),)* }
            }
            #[inline]
            fn on_ack(&mut self, acked: &Acked) {
                match self { $(Controller::$name(c) => c.on_ack(acked),)* }
            }
            fn on_loss(&mut self, loss: &Loss) {
                match self { $(Controller::$name(c) => c.on_loss(loss),)* }
            }
            fn on_recovered(&mut self, burst_limit: u64) {
                match self { $(Controller::$name(c) => c.on_recovered(burst_limit),)* }
            }
            fn on_timeout(&mut self, loss: &Loss, again: bool) {
                match self { $(Controller::$name(c) => c.on_timeout(loss, again),)* }
            }
            fn on_idle(&mut self) {
                match self { $(Controller::$name(c) => c.on_idle(),)* }
            }
        }
    };
}

controllers! {
    /// Slow start and congestion avoidance of RFC 5681, shared by Reno, NewReno and SACK.
    Reno = reno::Reno,
}

/// The window a connection starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InitialWindow {
    /// RFC 5681 §3.1: four, three or two segments by their size.
    Rfc5681,
    /// RFC 6928 §2: ten segments, at most 14,600 bytes or two segments.
    Rfc6928,
    /// So many segments.
    Segments(u32),
}

impl InitialWindow {
    /// The window in bytes for segments of `mss` bytes.
    pub fn bytes(self, mss: u32) -> u64 {
        let mss = u64::from(mss);
        match self {
            InitialWindow::Rfc5681 if mss > 2190 => 2 * mss,
            InitialWindow::Rfc5681 if mss > 1095 => 3 * mss,
            InitialWindow::Rfc5681 => 4 * mss,
            InitialWindow::Rfc6928 => (10 * mss).min((2 * mss).max(14_600)),
            InitialWindow::Segments(segments) => u64::from(segments.max(1)) * mss,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_initial_window_of_rfc_5681_depends_on_the_segment_size() {
        let segments = |mss| InitialWindow::Rfc5681.bytes(mss) / u64::from(mss);
        assert_eq!(
            [536, 1095, 1096, 1460, 2190, 2191].map(segments),
            [4, 4, 3, 3, 3, 2]
        );
    }

    #[test]
    fn the_initial_window_of_rfc_6928_is_ten_segments_up_to_14600_bytes() {
        let bytes = |mss| InitialWindow::Rfc6928.bytes(mss);
        assert_eq!(
            [536, 1460, 4380, 9000].map(bytes),
            [5360, 14_600, 14_600, 18_000]
        );
    }
}
