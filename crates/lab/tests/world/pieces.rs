//! What a world gathers row by row can be taken out while it runs.

use crate::common::{bulk, flow};
use crate::{association, determinism, ping};
use lab::{Gathered, Plan, Record, World};
use proptest::prelude::*;
use units::{Duration, Time};

/// Every table that is gathered: series, samples, datagrams that are answered late or never,
/// attempts and transfers, and roams that are followed until packets come through again.
fn all_kept(mut plan: Plan) -> Plan {
    plan.series_step_ns = Some(Duration::from_millis(50));
    plan.tcp_info_step_ns = Some(Duration::from_millis(300));
    plan.tables.datagrams = true;
    plan.tables.attempts = true;
    let interval = Duration::from_millis(7);
    plan.flows.push(flow("echoes", 0, 2, ping(interval)));
    plan.flows.push(flow("file", 2, 0, bulk(Some(20_000))));
    plan
}

/// The record of a world whose rows are taken out at these times, and the pieces in their order.
fn in_pieces(plan: Plan, seed: u64, at_ms: &[u64]) -> (Record, Vec<Gathered>) {
    let mut world = World::new(plan, seed);
    let mut pieces = Vec::new();
    for &millis in at_ms {
        let at = Time::ZERO + Duration::from_millis(millis);
        world.run_until(at.min(world.ends_at()));
        pieces.push(world.take_gathered());
    }
    world.run_until(world.ends_at());
    let (record, last) = world.finish_in_pieces().expect("no files are written");
    pieces.push(last);
    (record, pieces)
}

fn joined((mut record, pieces): (Record, Vec<Gathered>)) -> String {
    pieces.into_iter().for_each(|piece| record.join(piece));
    // Numbers that do not exist (0/0) differ from themselves; their text does not.
    format!("{record:?}")
}

fn whole(plan: &Plan, seed: u64) -> String {
    format!("{:?}", lab::run(plan, seed, None).expect("no files"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn the_pieces_joined_are_the_record_of_a_run_that_keeps_all(
        seed in 0u64..100,
        mut at_ms in prop::collection::vec(0u64..4000, 1..12),
        roams: bool,
    ) {
        at_ms.sort_unstable();
        let plan = all_kept(match roams {
            true => association::between_two(true),
            false => determinism::everything(),
        });
        let pieces = in_pieces(plan.clone(), seed, &at_ms);
        prop_assert_eq!(joined(pieces), whole(&plan, seed));
    }
}

/// A second has as many rows at the end of a run as at its beginning: what was handed over is kept
/// no more.
#[test]
fn a_piece_has_what_is_new_and_nothing_else() {
    let plan = all_kept(determinism::everything());
    let (record, pieces) = in_pieces(plan, 1, &[1000, 2000, 3000]);
    assert!(record.series.is_empty() && record.attempts.is_empty());
    let attempts = pieces.iter().map(|piece| &piece.attempts);
    let ends: Vec<_> = attempts
        .map(|rows| [rows[0].end_s, rows[rows.len() - 1].end_s])
        .collect();
    let times = ends.as_flattened();
    assert!(times.is_sorted(), "{times:?}");
    for piece in &pieces {
        let changed = piece.datagrams.changed.iter();
        assert!(
            changed
                .clone()
                .all(|(_, datagram)| datagram.received_s.is_some())
        );
        let steps = piece.series.first().map_or(0, |(_, times)| times.len());
        assert!(
            steps <= 21,
            "a second has 20 steps, and one may have been open"
        );
    }
}
