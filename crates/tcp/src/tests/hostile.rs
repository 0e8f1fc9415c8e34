//! A peer that sends anything at all.

use proptest::collection::vec;
use proptest::prelude::*;
use units::Duration;

use super::script::{MSS, OWN, PEER, Script, rfc, sender};
use crate::{
    CongestionAlgorithm, Flags, Options, RecoveryAlgorithm, SackBlock, SackBlocks, Segment, Seq,
    Timestamps,
};

/// Positions near the edges that matter, or anywhere.
fn near(base: Seq) -> impl Strategy<Value = Seq> {
    prop_oneof![
        4 => (0..12 * MSS as u32).prop_map(move |ahead| base + ahead),
        2 => (0..12u32).prop_map(move |n| base + 1 + n * MSS as u32),
        1 => (0..5u32).prop_map(move |behind| base + behind.wrapping_neg()),
        1 => any::<u32>().prop_map(Seq),
    ]
}

fn segments() -> impl Strategy<Value = Segment> {
    let block = (near(OWN), near(OWN)).prop_map(|(start, end)| SackBlock { start, end });
    let sack = vec(block, 0..5).prop_map(|blocks| {
        let mut sack = SackBlocks::default();
        blocks.into_iter().for_each(|block| sack.push(block));
        sack
    });
    let timestamps = prop::option::of(any::<(u32, u32)>())
        .prop_map(|t| t.map(|(value, echo)| Timestamps { value, echo }));
    let options = (sack, timestamps, any::<(Option<u16>, Option<u8>, bool)>()).prop_map(
        |(sack, timestamps, (mss, window_scale, sack_permitted))| Options {
            sack,
            timestamps,
            mss,
            window_scale,
            sack_permitted,
        },
    );
    // Mostly acknowledgements, so that the connection lives to see more than one.
    let flags = prop_oneof![20 => Just(Flags::ACK), 1 => any::<u8>().prop_map(Flags)];
    let payload = prop_oneof![Just(0), 1..3000u32];
    (
        near(PEER),
        near(OWN),
        payload,
        prop_oneof![Just(0), any::<u16>()],
        flags,
        options,
    )
        .prop_map(|(seq, ack, payload, window, flags, options)| Segment {
            seq,
            ack,
            payload,
            window,
            flags,
            options,
            ..Segment::default()
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    /// No arithmetic goes astray, and each input is answered by a bounded number of segments.
    #[test]
    fn anything_may_arrive_at_any_time(
        arrivals in vec((segments(), 0u64..1500, any::<bool>()), 1..40),
        algorithm in 0..4,
        helpers in any::<bool>(),
        timestamps in any::<bool>(),
    ) {
        let mut s = Script::established(&rfc(|p| {
            sender(p).recovery = [RecoveryAlgorithm::Reno, RecoveryAlgorithm::NewReno,
                RecoveryAlgorithm::Sack, RecoveryAlgorithm::Tahoe][algorithm as usize];
            (p.dsack, p.frto) = (helpers, helpers);
            sender(p).timestamp_undo = helpers;
            p.congestion_control = if helpers { CongestionAlgorithm::Vegas } else { CongestionAlgorithm::Reno };
            p.reordering_max = if helpers { 30 } else { 3 };
            p.timestamps = timestamps;
            p.receive_window_bytes = 9000;
        }));
        s.write(12);
        for (segment, pause, close) in arrivals {
            s.receive(segment);
            if close {
                s.connection.close(s.now);
            }
            let answer = s.sent();
            prop_assert!(answer.len() < 50, "{} segments in answer to one", answer.len());
            s.connection.read(s.now, 700);
            s.now += Duration::from_millis(pause);
            s.connection.on_timer(s.now);
            s.sent();
            s.connection.info();
        }
    }
}
