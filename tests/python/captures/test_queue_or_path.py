"""Whether a queue was full when a loss was sent, or the path itself lost it."""

import random

import pytest

from anechoic.captures.verdicts.queue_or_path import queue_or_path

BASE_MS, LONG_MS = 20.0, 45.0


def judged(ranks: list[float], rtt_ms: float = LONG_MS) -> list[str]:
    return queue_or_path(ranks, [rtt_ms] * len(ranks), BASE_MS)


def test_losses_that_stand_together_at_the_longest_round_trips_are_a_full_queues() -> None:
    assert judged([0.95, 0.97, 0.9]) == ["full_queue"] * 3


def test_one_loss_at_a_long_round_trip_tells_nothing() -> None:
    assert judged([0.98]) == ["undecided"]


def test_where_most_segments_met_a_longer_queue_it_had_room() -> None:
    assert judged([0.2]) == ["path"]
    assert judged([0.3]) == ["undecided"]


def test_others_may_have_filled_a_queue_since_the_segment_before() -> None:
    """Ranks of a sender that shares its queue with three others: it drops, and nothing else."""
    shared = [0.97, 0.92, 0.92, 0.92, 0.82, 0.73, 0.73, 0.73, 0.64, 0.55, 0.55, 0.55]
    below = [0.48, 0.48, 0.48, 0.38]
    assert judged([*shared, *shared, *below]) == ["full_queue"] * 24 + ["undecided"] * 4
    assert judged([*shared, *shared, 0.2]) == ["full_queue"] * 24 + ["undecided"]


def test_losses_by_chance_beside_a_full_queues_are_known_by_their_spread() -> None:
    ranks = [0.95] * 20 + [0.05, 0.15, 0.35, 0.45]
    assert judged(ranks) == ["full_queue"] * 20 + ["path"] * 4


def test_round_trips_that_are_hardly_longer_are_no_queue() -> None:
    assert judged([0.95, 0.97, 0.9], rtt_ms=21.0) == ["undecided"] * 3


def test_losses_of_both_kinds_at_long_round_trips_cannot_be_told_apart() -> None:
    """About four of the seven above a half are by chance, and nobody knows which."""
    ranks = [0.9, 0.95, 0.97, 0.92, 0.99, 0.96, 0.98, 0.1, 0.2, 0.3, 0.4]
    assert judged(ranks) == ["undecided"] * 7 + ["path"] * 4


def test_what_was_sent_without_a_round_trip_to_tell_is_undecided() -> None:
    assert queue_or_path([None, 0.2], [None, 20.0], BASE_MS) == ["undecided", "path"]
    assert queue_or_path([], [], BASE_MS) == []


@pytest.mark.parametrize("count", [1, 2, 5, 12, 13, 100])
def test_chance_is_hardly_ever_taken_for_a_queue(count: int) -> None:
    """One sender in a thousand, by what is allowed for; some are spared by the other conditions."""
    chance = random.Random(count)
    senders = [[chance.random() for _ in range(count)] for _ in range(3_000)]
    mistaken = sum("full_queue" in judged(ranks) for ranks in senders)
    assert mistaken <= 9


def test_many_losses_by_chance_are_the_paths() -> None:
    chance = random.Random(1)
    told = judged([chance.random() for _ in range(200)])
    assert set(told) == {"path"}
