//! Properties that hold whatever comes.

use proptest::prelude::*;

use super::tests::endpoint;
use super::*;
use dissect::{ControlBits, SackRange};

/// A segment of one of a few connections with any numbers, near each other or not.
pub(super) fn any_segment() -> impl Strategy<Value = TcpSegment> {
    let number = prop_oneof![0_u32..50_000, any::<u32>()];
    let numbers = (
        number.clone(),
        number.clone(),
        prop_oneof![Just(0_u32), Just(1), 0_u32..3000],
    );
    let blocks = proptest::collection::vec((number.clone(), number), 0..4);
    let clock = proptest::option::of((any::<u32>(), any::<u32>()));
    (
        any::<bool>(),
        0_u16..3,
        numbers,
        any::<u8>(),
        prop_oneof![0_u64..2_000_000_000, any::<u64>()],
        blocks,
        clock,
        any::<u16>(),
    )
        .prop_map(
            |(back, port, (seq, ack, payload), flags, time_ns, blocks, clock, window)| {
                let mut ends = [endpoint(0), endpoint(1)];
                ends[0].port = port;
                let [source, destination] = if back { [ends[1], ends[0]] } else { ends };
                let mut options = dissect::HeaderOptions::default();
                options.timestamps = clock;
                for (left, right) in blocks {
                    options.push_sack(SackRange { left, right });
                }
                let ip_id = Some(window);
                TcpSegment {
                    time_ns,
                    source,
                    destination,
                    seq,
                    ack,
                    payload,
                    window,
                    flags: ControlBits(flags),
                    options,
                    ip_id,
                    ..TcpSegment::default()
                }
            },
        )
}

proptest! {
    /// Whatever comes, it is counted: every segment, and every segment out of sequence under
    /// exactly one cause; a probe of the window may repeat data or not.
    #[test]
    fn nothing_is_lost_in_the_books(segments in proptest::collection::vec(any_segment(), 0..300)) {
        let mut found = Vec::new();
        let mut tracker = Tracker::new(TrackerLimits { connections: 2 }, |summary| found.push(summary));
        tracker.take(&segments);
        tracker.finish();
        let directions = || found.iter().flat_map(|s: &Summary| [&s.client, &s.server]);
        prop_assert_eq!(directions().map(|d| d.counters.packets).sum::<u64>(), segments.len() as u64);
        for direction in directions() {
            let counters = &direction.counters;
            let again = counters.packets_retransmitted + counters.packets_out_of_order;
            let told: u64 = counters.causes.iter().sum();
            let others = told - counters.cause(Cause::WindowProbe);
            prop_assert!((others..=told).contains(&again));
            prop_assert!(counters.bytes_retransmitted <= counters.bytes);
        }
    }
}

type Telling<'a> = Tracker<&'a mut dyn FnMut(Summary)>;

proptest! {
    /// Segments may be taken in any portions.
    #[test]
    fn looking_ahead_changes_nothing(
        segments in proptest::collection::vec(any_segment(), 1..900),
        portions in proptest::collection::vec(1_usize..500, 1..9),
    ) {
        let told = |take: &dyn Fn(&mut Telling<'_>)| {
            let mut found = Vec::new();
            let mut sink = |summary: Summary| found.push(format!("{summary:?}"));
            let mut tracker: Telling<'_> = Tracker::new(TrackerLimits { connections: 3 }, &mut sink);
            take(&mut tracker);
            tracker.finish();
            found
        };
        let at_once = told(&|tracker| tracker.take(&segments));
        let one_by_one = told(&|tracker| {
            segments.iter().for_each(|one| tracker.take(std::slice::from_ref(one)));
        });
        let in_portions = told(&|tracker| {
            let mut rest = &segments[..];
            for portion in portions.iter().cycle() {
                let (now, later) = rest.split_at(rest.len().min(*portion));
                tracker.take(now);
                rest = later;
                if rest.is_empty() {
                    break;
                }
            }
        });
        prop_assert_eq!(&at_once, &one_by_one);
        prop_assert_eq!(at_once, in_portions);
    }
}
