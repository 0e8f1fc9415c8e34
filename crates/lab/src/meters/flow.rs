//! What a flow has achieved.

use tcp::Failure;
use units::Time;

use super::{DatagramMeter, Meter, Stopwatch};

/// What a flow has achieved since the end of the warm-up.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlowMeter {
    /// Application bytes delivered.
    pub bytes: u64,
    /// Echo requests that the end sent which starts the flow.
    pub requests: u64,
    /// Datagrams from the end that starts the flow, and to it.
    pub datagrams: [DatagramMeter; 2],
    /// Round-trip times.
    pub rtt: Meter,
    /// Data segments that arrived again although the receiver had them.
    pub spurious: u64,
    /// The congestion window in bytes, at each segment that came to the starting end.
    pub congestion_window: Meter,
    /// The window in bytes that the other end advertised, at the same times.
    pub advertised_window: Meter,
    /// From the SYN of an active open to its end of the handshake.
    pub setup: Meter,
    /// From the SYN of an active open until the other end, or this one, had all data.
    pub transfers: Meter,
    /// How far segments came late, in segments.
    pub reordering: Meter,
    /// The timer has expired and nothing new is acknowledged since.
    pub stalled: Stopwatch,
    /// The application has data and the send buffer no room.
    pub blocked: Stopwatch,
    /// Why a connection ended before its time, the first that did, in the warm-up too.
    pub failure: Option<Failure>,
}

macro_rules! each_meter {
    ($($meter:ident),*) => {
        impl FlowMeter {
            /// Forgets what was largest.
            pub fn restart(&mut self) {
                $(self.$meter.most = 0;)*
                for meter in self.datagrams.iter_mut().flat_map(DatagramMeter::meters) {
                    meter.most = 0;
                }
            }

            /// Its values since `earlier`; the largest is still that since the last restart.
            fn meters_since(&mut self, earlier: &FlowMeter) {
                $(self.$meter = self.$meter.since(&earlier.$meter);)*
            }

            fn add_meters(&mut self, other: &FlowMeter) {
                $(
                    self.$meter.count += other.$meter.count;
                    self.$meter.sum += other.$meter.sum;
                )*
                self.add_largest(other);
            }

            /// Takes over what is larger in `other`.
            pub fn add_largest(&mut self, other: &FlowMeter) {
                $(self.$meter.most = self.$meter.most.max(other.$meter.most);)*
                let mut others = other.datagrams;
                let others = others.iter_mut().flat_map(DatagramMeter::meters);
                let own = self.datagrams.iter_mut().flat_map(DatagramMeter::meters);
                for (meter, other) in own.zip(others) {
                    meter.most = meter.most.max(other.most);
                }
            }
        }
    };
}

each_meter!(
    rtt,
    congestion_window,
    advertised_window,
    setup,
    transfers,
    reordering
);

impl FlowMeter {
    /// Returns what came since `earlier`. Stopwatches of both are to have been read at their time.
    pub fn since(&self, earlier: &FlowMeter) -> FlowMeter {
        let mut since = *self;
        since.bytes -= earlier.bytes;
        since.requests -= earlier.requests;
        since.spurious -= earlier.spurious;
        since.stalled.nanos -= earlier.stalled.nanos;
        since.blocked.nanos -= earlier.blocked.nanos;
        since.failure = self.failure.filter(|_| earlier.failure.is_none());
        for (since, earlier) in since.datagrams.iter_mut().zip(&earlier.datagrams) {
            *since = since.since(earlier);
        }
        since.meters_since(earlier);
        since
    }

    /// With another flow's; why that one failed is left out, and what became of its datagrams.
    pub fn add(&mut self, other: &FlowMeter) {
        self.bytes += other.bytes;
        self.requests += other.requests;
        self.spurious += other.spurious;
        self.stalled.nanos += other.stalled.nanos;
        self.blocked.nanos += other.blocked.nanos;
        self.add_meters(other);
    }

    /// Brings the stopwatches up to `now`.
    pub fn advance(&mut self, now: Time) {
        self.stalled.advance(now);
        self.blocked.advance(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_largest_is_so_within_its_part_of_the_run() {
        let mut meter = FlowMeter::default();
        meter.rtt.add(9);
        let first = meter;
        meter.restart();
        meter.rtt.add(4);
        let second = meter.since(&first);
        assert_eq!(
            (second.rtt.count, second.rtt.sum, second.rtt.most),
            (1, 4, 4)
        );
        let mut whole = first;
        whole.add(&second);
        assert_eq!((whole.rtt.sum, whole.rtt.most), (13, 9));
    }
}
