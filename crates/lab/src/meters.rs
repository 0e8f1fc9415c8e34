//! What is counted while a world runs.

use tcp::Failure;
use units::Time;

use crate::datagram_meter::DatagramMeter;
use crate::meter::Meter;

/// A queue's length over time.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueMeter {
    /// Packets in it now, the one in service included.
    pub length: u32,
    /// The most it held since that was asked for last.
    most: u32,
    /// Packet-nanoseconds up to `since`.
    area: u128,
    since: Time,
}

impl QueueMeter {
    /// A packet enters; answers whether it is the first.
    #[inline]
    pub fn push(&mut self, now: Time) -> bool {
        self.advance(now);
        self.length += 1;
        self.most = self.most.max(self.length);
        self.length == 1
    }

    /// A packet leaves; answers whether it was the last.
    #[inline]
    pub fn pop(&mut self, now: Time) -> bool {
        self.advance(now);
        self.length -= 1;
        self.length == 0
    }

    /// The most it held since this was asked for last.
    pub fn take_most(&mut self) -> u32 {
        std::mem::replace(&mut self.most, self.length)
    }

    /// Packet-nanoseconds up to `now`: a mean length is their difference over the time between.
    pub fn area(&mut self, now: Time) -> u128 {
        self.advance(now);
        self.area
    }

    #[inline]
    fn advance(&mut self, now: Time) {
        self.area += u128::from((now - self.since).as_nanos()) * u128::from(self.length);
        self.since = now;
    }
}

/// How long something lasts; of several at a time each counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stopwatch {
    running: u64,
    nanos: u64,
    since: Time,
}

impl Stopwatch {
    /// It begins, or has begun at `since`.
    pub fn start(&mut self, since: Time, now: Time) {
        self.advance(now);
        self.running += 1;
        self.nanos += (now - since).as_nanos();
    }

    /// It ends.
    pub fn stop(&mut self, now: Time) {
        self.advance(now);
        self.running -= 1;
    }

    /// How many nanoseconds it has lasted, up to where it was brought last.
    pub fn nanos(&self) -> u64 {
        self.nanos
    }

    fn advance(&mut self, now: Time) {
        self.nanos += self.running * (now - self.since).as_nanos();
        self.since = now;
    }
}

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
    /// What came since `earlier`. Stopwatches of both are to have been read at their time.
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
    fn a_mean_queue_weighs_each_length_by_its_time() {
        let at = Time::from_nanos;
        let mut queue = QueueMeter::default();
        queue.push(at(100));
        queue.push(at(200));
        queue.pop(at(500));
        assert_eq!(queue.area(at(1000)), 100 + 2 * 300 + 500);
        assert_eq!((queue.take_most(), queue.take_most()), (2, 1));
    }

    #[test]
    fn a_stopwatch_counts_what_has_lasted_before_it_was_noticed() {
        let at = Time::from_nanos;
        let mut stalled = Stopwatch::default();
        stalled.start(at(100), at(300));
        stalled.start(at(400), at(400));
        stalled.stop(at(500));
        stalled.advance(at(600));
        assert_eq!(stalled.nanos(), 600);
    }

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
