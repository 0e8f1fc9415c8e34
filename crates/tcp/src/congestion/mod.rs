//! Congestion control: how much may be in flight.
//!
//! A controller is told of acknowledgements, losses and timeouts and answers with a window.
//! Which segments are lost, and what is retransmitted, is the business of [`crate::recovery`].
//! A new controller is one file beside this one and one line in the list below, which names a
//! second law where a stack that counts segments has its own. One that models
//! the path, as BBR does, is told of deliveries instead of acknowledgements, settles its window
//! in recovery, too, and says at what rate segments leave.

use units::{Duration, Time};

use crate::RecoveryPhase;
use crate::choices::choices;

mod bbr;
mod bbr3;
mod chance;
mod cubic;
mod hystart;
mod initial_window;
mod linux_cubic;
mod ns_2_vegas;
mod reno;
mod told;
mod usage;
mod vegas;
mod westwood;
mod windowed_max;

pub use initial_window::InitialWindow;
pub(crate) use told::{
    Acked, ConnectionStart, Delivery, Loss, LostSegment, RateSample, Restart, RoundTrip,
};
pub(crate) use usage::Usage;
pub use usage::WindowValidation;

/// Parameters from which every controller is built.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setup {
    /// SMSS: the payload of a full segment.
    pub mss: u64,
    /// IW in bytes.
    pub initial_window: u64,
    /// The most that the window may grow to, in bytes.
    pub window_max: u64,
    /// Unit that congestion avoidance counts.
    pub counting: CountingUnit,
    /// True if a loss leaves a share of the window, as in Linux, instead of FlightSize.
    pub reduces_window: bool,
    /// The most one acknowledgement adds in slow start: L of RFC 3465 §2.2, in bytes.
    pub slow_start_limit: u64,
}

/// Unit that congestion avoidance counts, and its arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CountingUnit {
    /// Acknowledgements, by RFC 5681 (3).
    Acknowledgements,
    /// Bytes acknowledged, as RFC 5681 §3.1 recommends.
    Bytes,
    /// Whole segments, by Linux's integers.
    Segments {
        /// True if slow start ends where the path seems full (HyStart).
        hystart: bool,
        /// The tick of the kernel's clock.
        jiffy: Duration,
    },
}

impl Setup {
    /// Returns what a loss leaves a share of.
    fn reduced(&self, window: u64, loss: &Loss) -> u64 {
        if self.reduces_window {
            window
        } else {
            loss.in_flight
        }
    }

    /// The same for segments of `mss` bytes.
    fn resized(&self, mss: u64) -> Setup {
        Setup {
            mss,
            initial_window: self.in_segments_of(mss, self.initial_window),
            window_max: self.in_segments_of(mss, self.window_max),
            slow_start_limit: self.in_segments_of(mss, self.slow_start_limit),
            ..*self
        }
    }

    /// As many segments of `mss` bytes as `bytes` are now.
    fn in_segments_of(&self, mss: u64, bytes: u64) -> u64 {
        match bytes {
            u64::MAX => u64::MAX,
            _ => bytes / self.mss * mss,
        }
    }

    /// Returns what an acknowledgement adds in slow start, `room` bytes below ssthresh.
    #[inline]
    fn slow_start_step(&self, acked: &Acked, room: u64) -> u64 {
        // RFC 3465 §2.3: after a timeout L is one segment, as an acknowledgement may cover
        // much that left the network long ago. A stack without any L knows no such care.
        let is_careful = acked.phase == RecoveryPhase::Timeout && self.slow_start_limit < u64::MAX;
        let limit = if is_careful {
            self.mss
        } else {
            self.slow_start_limit
        };
        acked.bytes.min(limit).min(room.max(self.mss))
    }
}

/// The seam between a connection and its congestion control.
pub(crate) trait CongestionControl {
    /// cwnd in bytes, at least one segment.
    fn window(&self) -> u64;
    /// ssthresh in bytes; `u64::MAX` until the first loss.
    fn ssthresh(&self) -> u64;
    /// New data were acknowledged.
    fn on_ack(&mut self, acked: &Acked);
    /// A duplicate acknowledgement: one more segment has left the network.
    fn on_duplicate_ack(&mut self) {}
    /// Fast retransmit: recovery begins.
    fn on_loss(&mut self, loss: &Loss);
    /// Recovery is over; a window above `burst_limit` would let a burst out (RFC 6582 §3.2).
    fn on_recovered(&mut self, burst_limit: u64);
    /// The timer expired; `again` if it is the same segment's second time or more.
    fn on_timeout(&mut self, loss: &Loss, again: bool);
    /// Nothing was sent for longer than the retransmission timeout (RFC 5681 §4.1).
    fn on_idle(&mut self);
    /// Recovery, or an undoing of it, has settled the window and ssthresh.
    fn set(&mut self, window: u64, ssthresh: u64);
    /// A round-trip time, before what it acknowledges counts.
    fn on_round_trip(&mut self, _trip: &RoundTrip) {}
    /// New data leave where nothing had been in flight.
    fn on_restart(&mut self, _restart: &Restart) {}
    /// The connection is established.
    fn begin(&mut self, _beginning: &ConnectionStart) {}
    /// A segment is marked lost where so many were delivered, for whoever has a
    /// [`Self::pacing_rate`].
    fn on_lost(&mut self, _now: Time, _delivered: u64, _segment: &LostSegment) {}
    /// Something was delivered, for whoever has a [`Self::pacing_rate`]. True if what is delivered
    /// next tells nothing of the path.
    fn on_rate(&mut self, _sample: &RateSample) -> bool {
        false
    }
    /// Returns what it was built from.
    fn setup(&mut self) -> &mut Setup;
    /// Segments carry `mss` bytes from now on; the window and ssthresh hold as many as before.
    fn resize(&mut self, mss: u64) {
        let before = *self.setup();
        let (window, ssthresh) = (self.window(), self.ssthresh());
        *self.setup() = before.resized(mss);
        self.set(
            before.in_segments_of(mss, window),
            before.in_segments_of(mss, ssthresh),
        );
    }
    /// Takes the loss of what was too long for the path, which tells nothing of congestion.
    fn on_long_lost(&mut self) {}
    /// Bytes per second at which segments leave; `None` where windows alone tell what may.
    fn pacing_rate(&self) -> Option<u64> {
        None
    }
    /// Returns how many segments leave at once at least, where so many may (ip-sysctl,
    /// tcp_min_tso_segs).
    fn piece_min(&self) -> u64 {
        2
    }
    /// A reduction has turned out to have been in vain.
    fn on_undo(&mut self) {}
    /// Returns whether it wants the round-trip time of every segment, or is content with one at a
    /// time.
    fn times_every_segment(&self) -> bool {
        false
    }
}

macro_rules! controllers {
    ($($(#[$doc:meta])* $name:ident $text:literal = $type:path $(| $linux:ident = $linux_type:path)?,)*) => {
        choices! {
            /// The congestion controls there are.
            pub enum CongestionAlgorithm { $($(#[$doc])* $name = $text,)* }
        }

        /// The rules of each; dispatch is a branch, not a pointer.
        #[derive(Clone, Debug)]
        enum Law { $($name($type), $($linux($linux_type),)?)* }

        impl Law {
            fn new(algorithm: CongestionAlgorithm, setup: &Setup) -> Law {
                match (algorithm, setup.counting) {
                    $(
                        $((CongestionAlgorithm::$name, CountingUnit::Segments { hystart, jiffy }) => {
                            Law::$linux(<$linux_type>::new(setup, hystart, jiffy))
                        })?
                        (CongestionAlgorithm::$name, _) => Law::$name(<$type>::new(setup)),
                    )*
                }
            }

            /// For what happens seldom.
            fn rules(&mut self) -> &mut dyn CongestionControl {
                match self {
                    $(
                        Law::$name(c) => c,
                        $(Law::$linux(c) => c,)?
                    )*
                }
            }
        }

        impl Controller {
            #[inline]
            pub fn on_ack(&mut self, acked: &Acked) {
                match &mut self.law {
                    $(
                        Law::$name(c) => {
                            c.on_ack(acked);
                            (self.window, self.ssthresh) = (c.window(), c.ssthresh());
                        }
                        $(Law::$linux(c) => {
                            c.on_ack(acked);
                            (self.window, self.ssthresh) = (c.window(), c.ssthresh());
                        })?
                    )*
                }
                if self.window > self.window_max {
                    self.limit();
                }
            }
        }
    };
}

/// A controller. Its window is asked for with every segment and changes with acknowledgements
/// only, so it stands here and not behind a branch.
#[derive(Clone, Debug)]
pub(crate) struct Controller {
    window: u64,
    window_max: u64,
    ssthresh: u64,
    models_path: bool,
    law: Law,
}

impl Controller {
    pub fn new(algorithm: CongestionAlgorithm, setup: &Setup) -> Controller {
        let mut law = Law::new(algorithm, setup);
        let mut controller = Controller {
            window: setup.initial_window,
            window_max: setup.window_max,
            ssthresh: u64::MAX,
            models_path: law.rules().pacing_rate().is_some(),
            law,
        };
        if controller.window > controller.window_max {
            controller.limit();
        }
        controller
    }

    #[cold]
    fn limit(&mut self) {
        self.set(self.window_max, self.ssthresh);
    }

    /// Returns whether it wants the round-trip time of every segment, or is content with one at a
    /// time.
    pub fn times_every_segment(&mut self) -> bool {
        self.law.rules().times_every_segment()
    }

    /// A duplicate acknowledgement: one more segment has left the network.
    pub fn on_duplicate_ack(&mut self) {
        self.tell(|rules| rules.on_duplicate_ack());
    }

    /// Fast retransmit: recovery begins.
    pub fn on_loss(&mut self, loss: &Loss) {
        self.tell(|rules| rules.on_loss(loss));
    }

    /// Recovery is over.
    pub fn on_recovered(&mut self, burst_limit: u64) {
        self.tell(|rules| rules.on_recovered(burst_limit));
    }

    /// The timer expired.
    pub fn on_timeout(&mut self, loss: &Loss, again: bool) {
        self.tell(|rules| rules.on_timeout(loss, again));
    }

    /// Nothing was sent for long.
    pub fn on_idle(&mut self) {
        self.tell(|rules| rules.on_idle());
    }

    /// Recovery has settled the window and ssthresh.
    pub fn set(&mut self, window: u64, ssthresh: u64) {
        self.tell(|rules| rules.set(window, ssthresh));
    }

    /// A round-trip time.
    pub fn on_round_trip(&mut self, trip: &RoundTrip) {
        self.tell(|rules| rules.on_round_trip(trip));
    }

    /// New data leave where nothing had been in flight.
    pub fn on_restart(&mut self, restart: &Restart) {
        self.tell(|rules| rules.on_restart(restart));
    }

    /// Returns whether it goes by deliveries, says at what rate segments leave, and settles the
    /// window in recovery, too.
    #[inline]
    pub fn models_path(&self) -> bool {
        self.models_path
    }

    /// The connection is established.
    pub fn begin(&mut self, beginning: &ConnectionStart) {
        self.tell(|rules| rules.begin(beginning));
    }

    /// A segment is marked lost.
    pub fn on_lost(&mut self, now: Time, delivered: u64, segment: &LostSegment) {
        self.tell(|rules| rules.on_lost(now, delivered, segment));
    }

    /// Something was delivered. True if what is delivered next tells nothing of the path.
    pub fn on_rate(&mut self, sample: &RateSample) -> bool {
        let mut is_vain = false;
        self.tell(|rules| is_vain = rules.on_rate(sample));
        is_vain
    }

    /// Bytes per second at which segments leave, if it says so.
    pub fn pacing_rate(&mut self) -> Option<u64> {
        self.law.rules().pacing_rate()
    }

    /// Returns how many segments leave at once at least.
    pub fn piece_min(&mut self) -> u64 {
        self.law.rules().piece_min()
    }

    /// Segments carry `mss` bytes from now on.
    pub fn resize(&mut self, mss: u64) {
        let rules = self.law.rules();
        self.window_max = rules.setup().in_segments_of(mss, self.window_max);
        self.tell(|rules| rules.resize(mss));
    }

    /// Takes the loss of what was too long for the path.
    pub fn on_long_lost(&mut self) {
        self.tell(|rules| rules.on_long_lost());
    }

    /// A reduction has turned out to have been in vain.
    pub fn on_undo(&mut self) {
        self.tell(|rules| rules.on_undo());
    }

    /// RFC 2861 §3: after an idle time the window is halved for each timeout of it, down to the
    /// initial one, and ssthresh remembers three quarters of what it was (`tcp_cwnd_restart`).
    pub fn decay(&mut self, idle: Duration, rto: Duration, initial: u64, mss: u64) {
        let segments = self.window / mss;
        let ssthresh = self.ssthresh.max(((segments >> 1) + (segments >> 2)) * mss);
        let least = initial.min(self.window);
        let timeouts = (idle.as_nanos() - 1) / rto.as_nanos().max(1);
        let mut halved = segments;
        for _ in 0..timeouts.min(64) {
            if halved * mss > least {
                halved >>= 1;
            }
        }
        self.set((halved * mss).max(least), ssthresh);
    }

    fn tell(&mut self, what: impl FnOnce(&mut dyn CongestionControl)) {
        let rules = self.law.rules();
        what(rules);
        if rules.window() > self.window_max {
            rules.set(self.window_max, rules.ssthresh());
        }
        (self.window, self.ssthresh) = (rules.window(), rules.ssthresh());
    }

    /// cwnd in bytes, at least one segment.
    #[inline]
    pub fn window(&self) -> u64 {
        self.window
    }

    /// ssthresh in bytes; `u64::MAX` until the first loss.
    #[inline]
    pub fn ssthresh(&self) -> u64 {
        self.ssthresh
    }
}

controllers! {
    /// Slow start and congestion avoidance of RFC 5681, shared by Reno, NewReno and SACK.
    Reno "reno" = reno::Reno,
    /// The growth of RFC 9438, a cubic function of the time since the last loss.
    Cubic "cubic" = cubic::Cubic | LinuxCubic = linux_cubic::LinuxCubic,
    /// Vegas of Brakmo and Peterson (1995), which heeds the delay.
    Vegas "vegas" = vegas::Vegas,
    /// Vegas as ns-2 2.35's agent has it.
    Ns2Vegas "vegas-ns-2" = ns_2_vegas::Ns2Vegas,
    /// Westwood+ of Grieco and Mascolo (2004), which falls to the bandwidth it estimates.
    Westwood "westwood" = westwood::Westwood,
    /// BBR of Cardwell et al. (2016), version 1, which paces by a model of the path.
    Bbr "bbr" = bbr::Bbr,
    /// BBR, version 3, by draft-ietf-ccwg-bbr, which heeds losses, too.
    Bbr3 "bbr3" = bbr3::Bbr3,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_grows_to_its_limit_and_is_halved_from_there() {
        let setup = Setup {
            window_max: 5000,
            ..testing::setup()
        };
        for algorithm in [CongestionAlgorithm::Reno, CongestionAlgorithm::Cubic] {
            let mut controller = Controller::new(algorithm, &setup);
            let windows = (0..6).map(|_| {
                controller.on_ack(&testing::acked(Time::ZERO, 1000));
                controller.window()
            });
            let windows: Vec<u64> = windows.collect();
            assert_eq!(windows, [3000, 4000, 5000, 5000, 5000, 5000]);
            controller.on_loss(&Loss { in_flight: 5000 });
            assert!(controller.ssthresh() <= 3500, "{}", controller.ssthresh());
        }
    }
}

/// Parameters of the controllers' tests: segments of 1000 bytes, nothing unusual.
#[cfg(test)]
mod testing {
    use super::*;

    pub fn setup() -> Setup {
        Setup {
            mss: 1000,
            initial_window: 2000,
            window_max: u64::MAX,
            counting: CountingUnit::Bytes,
            reduces_window: false,
            slow_start_limit: 1000,
        }
    }

    pub fn acked(now: Time, bytes: u64) -> Acked {
        Acked {
            now,
            bytes,
            una: 0,
            max: 0,
            rtt: None,
            srtt: Duration::from_millis(100),
            limited: true,
            phase: RecoveryPhase::Open,
        }
    }
}
