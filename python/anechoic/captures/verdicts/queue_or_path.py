"""Whether a queue had no room for what was lost, or the path itself lost it.

A queue that drops what it has no room for does so when it is longest, and with it the round trips.
A path that loses by chance does not ask how long they are: of many such losses a half fall where
the sender's segments met shorter round trips than usual, and a half where they met longer ones. So
one loss at a long round trip tells nothing; that most of them stand there does.

Each loss has the rank of the round trip that the segment just before it met: the share of all
segments of its sender that met a shorter one. Of losses by chance the ranks lie evenly between 0
and 1.

- Below a half it was the path if the ranks there are spread as chance spreads them, as many below a
  quarter as above: as many segments met a longer queue, and it had room for them. What others send
  meanwhile may have filled it since the segment just before. So a rank a little below a half tells
  nothing, nor do few below a quarter where a queue drops.
- Above, it was the path if most losses there are by chance: of these as many stand below a half.
- Above, a queue was full if most losses there are not by chance, the ranks of the sender's losses
  are so high together as chance hardly makes them, and the round trip was noticeably longer than
  the shortest.
- All else is undecided, and so is what was sent when nothing was known of round trips.
"""

from collections.abc import Sequence
from math import comb, erfc, factorial, sqrt

_HARDLY = 0.001
"""So improbable is what chance hardly makes: it takes three losses or more at the longest round
trips."""
_MOST = 2 / 3
"""Such a part of the losses above a half is most of them (inferred: two to one)."""
_FEWEST = 4
"""Losses of a sender of which their spread is believed to be that of chance (inferred)."""
_OF_HALF = 1 / 3
"""Such a part of the ranks below a half stands below a quarter if they are spread: half of them by
chance, but few scatter (inferred)."""
_SCATTER = 1.1
"""Round trips of an idle path differ by as much as this (inferred)."""
_MOST_EXACT = 12
"""Ranks whose sum is told exactly: that of more is normal within a thousandth."""


def queue_or_path(
    ranks: Sequence[float | None], rtts_ms: Sequence[float | None], shortest_ms: float
) -> list[str]:
    """Say of each loss of a sender whether it was a full queue, the path, or is undecided."""
    known = [rank for rank in ranks if rank is not None]
    below = sum(rank < 0.5 for rank in known)
    far_below = sum(rank < 0.25 for rank in known)
    above = len(known) - below
    are_by_chance = below >= _MOST * above and len(known) >= _FEWEST
    prefer_long = bool(known) and _chance_of_sum(known) < _HARDLY
    are_of_a_queue = prefer_long and below <= (1 - _MOST) * above
    are_spread_below = below >= _FEWEST and far_below >= _OF_HALF * below

    def had_room(rank: float) -> bool:
        return are_spread_below or (rank < 0.25 and not prefer_long)

    def judged(rank: float | None, rtt_ms: float | None) -> str:
        if rank is None or rtt_ms is None:
            return "undecided"
        if are_by_chance:
            return "path"
        if rank < 0.5:
            return "path" if had_room(rank) else "undecided"
        is_long = rtt_ms > _SCATTER * shortest_ms
        return "full_queue" if are_of_a_queue and is_long else "undecided"

    return [judged(rank, rtt_ms) for rank, rtt_ms in zip(ranks, rtts_ms, strict=True)]


def _chance_of_sum(ranks: Sequence[float]) -> float:
    """Give how probable it is that so many even numbers from 0 to 1 have that sum, or a larger.

    That is the distribution of Irwin and Hall, by its symmetry from the other end.
    """
    count = len(ranks)
    rest = count - sum(ranks)
    if count > _MOST_EXACT:
        return erfc((count / 2 - rest) / sqrt(count / 6)) / 2
    whole = range(int(rest) + 1)
    terms = (pow(-1.0, k) * comb(count, k) * pow(rest - k, count) for k in whole)
    return sum(terms) / factorial(count)
