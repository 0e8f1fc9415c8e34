"""What a bench of two captures and a card's log tells of a path, on losses that are scripted."""

from pathlib import Path

import pytest

import anechoic as an
from anechoic.papers.traces import Level, Trace, trace_of

STUDY = Path(an.__file__).parent / "studies" / "vasudevan"

# The twentieth data segment on the wire is lost. Three duplicate ACKs have it retransmitted, as the
# 39th, which is lost as well; then the timer has it sent.
SCENARIO = f"""
extends = "{STUDY / "bench.toml"}"
run = {{ duration = "6 s", warmup = "0 s" }}
traffic.download.bytes = "1 MB"
tap.first = {{ at = "stack.server" }}
tap.second = {{ at = "stack.terminal" }}
tap.card = {{ at = "events.terminal" }}

[wire.lan.impair.script]
kind = "drop"
towards = "airport"
match = "tcp-data"
packets = [20, 39]
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    folder = tmp_path_factory.mktemp("bench")
    (folder / "bench.toml").write_text(SCENARIO)
    an.run(folder / "bench.toml", reps=1, out=folder / "out", progress=False)
    (captures,) = (folder / "out").glob("records/*/0000.captures")
    names = ("first.pcapng", "second.pcapng", "card.iwevent")
    return trace_of(*(captures / name for name in names))


def test_what_the_second_capture_has_not_was_lost(trace: Trace) -> None:
    first, second = trace.losses
    assert (trace.sent - trace.received, trace.multiplicities) == (2, [2])
    assert (first.seq, first.copy, first.times, first.since_s) == (second.seq, 1, 2, None)
    assert (second.copy, second.times) == (2, 2)
    assert (first.cause, second.cause) == ("fast", "timeout")
    assert trace.multiple == [first]
    assert trace.single == []


def test_the_time_between_losses_and_what_was_sent_meanwhile(trace: Trace) -> None:
    first, second = trace.losses
    assert trace.intervals_s == [second.time_s - first.time_s]
    assert second.sent_since == 19


def test_the_card_tells_the_level_and_gave_nothing_up(trace: Trace) -> None:
    assert set(trace.level.dbm) == {-45.0}  # 15 dBm less 60 dB
    assert (trace.level.range_db, trace.level.crossings_s, trace.drops_s) == (0.0, [], [])


def test_a_fade_lasts_from_one_crossing_of_the_middle_to_the_next() -> None:
    level = Level([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [-70, -76, -76, -70, -70, -76])
    assert level.crossings_s == [1.0, 3.0, 5.0]
    assert level.fades_s == [2.0]  # the last is not there as a whole
    assert level.is_fading(1.5)
    assert not level.is_fading(3.5)


def test_a_level_that_hardly_varies_has_no_fades() -> None:
    assert Level([0.0, 1.0, 2.0], [-70, -71, -72]).crossings_s == []
