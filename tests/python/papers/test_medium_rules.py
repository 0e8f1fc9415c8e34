"""Rules on frames at an antenna, on a few rows each: what keeps them, and what breaks them."""

from collections.abc import Sequence
from math import nan
from typing import Any

import pyarrow
import pytest

from anechoic.papers.access_rules import (
    answers_follow_sifs,
    backoffs_are_counted_down,
    difs_is_kept,
    given_up_at,
    idle_medium_is_taken_at_once,
    rates_step_down,
    retries_are_marked,
)
from anechoic.papers.fragment_rules import (
    bursts_keep_sifs,
    delivered_when_whole,
    fragments_are_numbered,
    pending_fragments_contend_again,
    the_rest_is_discarded,
)
from anechoic.papers.medium import Frame, heard
from anechoic.papers.verdict import Status, Verdict

ME, AP = "02:00:00:00:00:01", "02:00:00:00:00:09"
DIFS, SIFS, SLOT = 50, 10, 20
LASTS = {"data": 1000, "ack": 200}


class Medium:
    """Frames one after another, each after a silence in microseconds."""

    def __init__(self) -> None:
        self.now, self.rows = 0.0, list[dict[str, Any]]()

    def data(self, idle: float, sequence: int, sender: str = ME, **more: Any) -> "Medium":
        """Send a data frame of 1 ms; retry bit, rate and fragment are those of a first attempt."""
        receiver = AP if sender == ME else ME
        first = {"rate_kbps": 11_000, "is_retry": False, "fragment": 0, "has_more_fragments": False}
        row = {**first, "sequence": sequence, **more}
        return self._add("data", idle, sender, sender, receiver, row)

    def ack(self, idle: float = SIFS, to: str = ME) -> "Medium":
        """Answer it by an ACK of 200 µs, which names its receiver alone."""
        row = {"rate_kbps": 2_000, "is_retry": False, "sequence": None}
        row |= {"fragment": None, "has_more_fragments": None}
        return self._add("ack", idle, AP if to == ME else ME, None, to, row)

    def heard(self) -> list[Frame]:
        """Give what the station hears."""
        return heard(pyarrow.Table.from_pylist(self.rows))

    def _add(
        self,
        kind: str,
        idle: float,
        sender: str,
        named: str | None,
        receiver: str,
        row: dict[str, Any],
    ) -> "Medium":
        start = self.now + idle
        self.now = start + LASTS[kind]
        times = {"time_ns": start, "start_ns": start, "end_ns": self.now}
        self.rows.append(
            {
                "kind": kind,
                "transmitter": named,
                "receiver": receiver,
                "signal_dbm": None if sender == ME else -40.0,
                **{name: round(1_000 * time) for name, time in times.items()},
                **row,
            }
        )
        return self


def is_kept(verdict: Verdict) -> bool:
    return verdict.status is Status.AGREES


@pytest.mark.parametrize(("idle", "kept"), [(DIFS, True), (DIFS + 7 * SLOT, True), (40, False)])
def test_an_exchange_begins_after_difs(idle: float, kept: bool) -> None:
    frames = Medium().data(DIFS, 1).ack().data(idle, 2).ack().heard()
    assert is_kept(difs_is_kept(frames, "by hand")) is kept


@pytest.mark.parametrize(("late", "kept"), [(0, True), (SLOT, False)])
def test_on_an_idle_medium_a_packet_is_sent_as_it_comes(late: float, kept: bool) -> None:
    medium = Medium().data(DIFS, 1).ack()
    medium.data(10_000 - medium.now + late, 2).ack()
    verdict = idle_medium_is_taken_at_once(medium.heard(), 10_000_000, 50_000_000, "by hand")
    assert is_kept(verdict) is kept


def saturated(slots: Sequence[float]) -> list[Frame]:
    medium = Medium().data(DIFS, 0).ack()
    for number, each in enumerate(slots, 1):
        medium.data(DIFS + each * SLOT, number).ack()
    return medium.heard()


def test_a_backoff_is_a_whole_number_of_slots_evenly_drawn() -> None:
    even = [each % 32 for each in range(320)]
    assert is_kept(backoffs_are_counted_down(saturated(even), 0, "by hand"))
    assert not is_kept(backoffs_are_counted_down(saturated([*even, 2.5]), 0, "by hand"))
    assert not is_kept(backoffs_are_counted_down(saturated([*even, 32]), 0, "by hand"))
    assert not is_kept(backoffs_are_counted_down(saturated([3] * 320), 0, "by hand"))


def test_a_backoff_goes_on_behind_what_others_send() -> None:
    def interrupted(rest: float) -> list[Frame]:
        medium = Medium().data(DIFS, 0).ack()
        medium.data(DIFS + 4 * SLOT, 7, sender=AP).ack(to=AP)
        return medium.data(DIFS + rest * SLOT, 1).ack().heard()

    assert is_kept(backoffs_are_counted_down(interrupted(20), 0, "by hand"))
    assert not is_kept(backoffs_are_counted_down(interrupted(29), 0, "by hand"))


@pytest.mark.parametrize(("idle", "kept"), [(SIFS, True), (SIFS + SLOT, False)])
def test_what_comes_is_acknowledged_after_sifs(idle: float, kept: bool) -> None:
    frames = Medium().data(DIFS, 1, sender=AP).ack(idle, to=AP).heard()
    assert is_kept(answers_follow_sifs(frames, "by hand")) is kept


def test_what_comes_without_an_answer_is_told() -> None:
    frames = Medium().data(DIFS, 1, sender=AP).data(DIFS, 2, sender=AP).ack(to=AP).heard()
    assert not is_kept(answers_follow_sifs(frames, "by hand"))


def tries(*rates: int, marked: bool = True) -> list[Frame]:
    """Try a frame at rates in Mbit/s without an ACK, and go on with the next."""
    medium = Medium()
    for at, rate in enumerate(rates):
        medium.data(DIFS, 1, rate_kbps=1_000 * rate, is_retry=marked and at > 0)
    return medium.data(DIFS, 2).ack().heard()


def test_a_frame_is_given_up_after_as_many_attempts_as_allowed() -> None:
    assert is_kept(given_up_at(4, tries(11, 11, 11, 11), "by hand"))
    assert not is_kept(given_up_at(4, tries(11, 11, 11), "by hand"))
    assert not is_kept(given_up_at(4, tries(11, 11, 11, 11, 11), "by hand"))


def test_retries_have_the_retry_bit() -> None:
    assert is_kept(retries_are_marked(4, tries(11, 11, 11), "by hand"))
    assert not is_kept(retries_are_marked(4, tries(11, 11, 11, marked=False), "by hand"))
    assert not is_kept(retries_are_marked(2, tries(11, 11, 11), "by hand"))


def test_rates_step_down_and_never_up() -> None:
    assert is_kept(rates_step_down(tries(11, 5, 5, 2), 11_000, "by hand"))
    assert not is_kept(rates_step_down(tries(11, 5, 11), 11_000, "by hand"))
    assert not is_kept(rates_step_down(tries(5, 2), 11_000, "by hand"))


def burst(idle: float = SIFS, sequence: int = 1, numbers: Sequence[int] = (0, 1, 2)) -> Medium:
    """Send three fragments of an MSDU, each behind the ACK of the one before."""
    medium = Medium()
    for at, number in enumerate(numbers):
        more = at < len(numbers) - 1
        medium.data(idle if at else DIFS, sequence, fragment=number, has_more_fragments=more).ack()
    return medium


def test_fragments_follow_after_sifs() -> None:
    assert is_kept(bursts_keep_sifs(burst().heard(), "by hand"))
    assert not is_kept(bursts_keep_sifs(burst(SIFS + SLOT).heard(), "by hand"))
    apart = burst().data(DIFS, 2, fragment=1).ack()
    assert not is_kept(bursts_keep_sifs(apart.heard(), "by hand"))


def test_fragments_are_counted_from_0_on() -> None:
    assert is_kept(fragments_are_numbered(burst().data(DIFS, 2).ack().heard(), "by hand"))
    assert not is_kept(fragments_are_numbered(burst(numbers=(0, 2)).heard(), "by hand"))
    unfinished = Medium().data(DIFS, 1, has_more_fragments=True).ack().data(DIFS, 2).ack()
    assert not is_kept(fragments_are_numbered(unfinished.heard(), "by hand"))


def test_a_packet_is_received_with_its_last_missing_fragment() -> None:
    medium = Medium().data(DIFS, 1, sender=AP, has_more_fragments=True).ack(to=AP)
    medium.data(SIFS, 1, sender=AP, fragment=1)
    whole_s = medium.now / 1e6
    medium.ack(to=AP).data(DIFS, 2, sender=AP, has_more_fragments=True).ack(to=AP)
    frames = medium.heard()
    assert is_kept(delivered_when_whole(frames, [whole_s, nan], "by hand"))
    assert not is_kept(delivered_when_whole(frames, [whole_s + 0.001, nan], "by hand"))
    assert not is_kept(delivered_when_whole(frames, [whole_s, whole_s + 0.005], "by hand"))


def lost_once(idle: float, fragment: int = 1) -> list[Frame]:
    """Lose the second fragment of a burst, and go on with one after a silence."""
    medium = Medium().data(DIFS, 1, has_more_fragments=True).ack()
    medium.data(SIFS, 1, fragment=1, has_more_fragments=True)
    return medium.data(idle, 1, fragment=fragment, is_retry=True).ack().heard()


def test_behind_a_missing_ack_the_pending_fragment_alone_contends_again() -> None:
    assert is_kept(pending_fragments_contend_again(lost_once(364 + 3 * SLOT), "by hand"))
    assert not is_kept(pending_fragments_contend_again(lost_once(SIFS), "by hand"))
    assert not is_kept(pending_fragments_contend_again(lost_once(364, 0), "by hand"))
    again = Medium().data(DIFS, 1).ack().data(DIFS, 1, is_retry=True)
    assert not is_kept(pending_fragments_contend_again(again.heard() + lost_once(364), "by hand"))


def test_a_fragment_that_is_given_up_takes_the_rest_with_it() -> None:
    def given_up(attempts: int, *, goes_on: bool = False) -> list[Frame]:
        medium = Medium().data(DIFS, 1, has_more_fragments=True).ack()
        for at in range(attempts):
            medium.data(SIFS if at == 0 else DIFS, 1, fragment=1, has_more_fragments=True)
        if goes_on:
            medium.data(DIFS, 1, fragment=2)
        return medium.data(DIFS, 2).ack().heard()

    assert is_kept(the_rest_is_discarded(4, given_up(4), "by hand"))
    assert not is_kept(the_rest_is_discarded(4, given_up(3), "by hand"))
    assert not is_kept(the_rest_is_discarded(4, given_up(4, goes_on=True), "by hand"))
