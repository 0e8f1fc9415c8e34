"""The record of a measurement, from what two endpoints told."""

from typing import Any

import pytest

from anechoic.measuring.record import record_of

PLAN: dict[str, Any] = {
    "duration_ns": 3_000_000_000,
    "warmup_ns": 1_000_000_000,
    "series_step_ns": 1_000_000_000,
    "tables": {"distributions": True},
    "flows": [
        {"name": "load", "app": {"kind": "bulk"}},
        {"name": "probe", "app": {"kind": "ping"}},
    ],
}


def _end(
    flow: int,
    end: str,
    samples: list[tuple[float, int, tuple[int, int] | None]],
    trips: list[tuple[float, float]] | None = None,
) -> dict[str, Any]:
    def tcp(state: tuple[int, int] | None) -> dict[str, int] | None:
        return state and {"cwnd_bytes": state[0], "retransmissions": state[1]}

    return {
        "flow": flow,
        "end": end,
        "samples": [
            {"at_us": at * 1e6, "delivered": delivered, "tcp": tcp(state)}
            for at, delivered, state in samples
        ],
        "round_trips": [(at * 1e6, took * 1e3) for at, took in trips or []],
    }


OUTCOME = {
    "ends": [
        _end(0, "initiator", [(1, 0, (20_000, 1)), (2, 0, (40_000, 3)), (3, 0, (30_000, 3))]),
        _end(0, "responder", [(0, 0, None), (1, 500_000, None), (3, 1_500_000, None)]),
        _end(1, "initiator", [(0, 0, None), (3, 56 * 3, None)], [(0.5, 9), (1.5, 2), (2.5, 4)]),
        _end(1, "responder", [(0, 0, None), (3, 0, None)]),
    ]
}


def test_the_warm_up_counts_in_no_metric() -> None:
    values = record_of(PLAN, OUTCOME).metrics()
    assert values["flow.load.bytes"] == 1_000_000
    assert values["goodput_mbps"] == pytest.approx(4.0), "a megabyte in two seconds, and no ping"
    assert values["flow.probe.rtt_ms_mean"] == pytest.approx(3.0), "the first one was too early"
    assert values["flow.load.cwnd_bytes_max"] == 40_000


def test_what_is_unknown_is_absent() -> None:
    values = record_of(PLAN, OUTCOME).metrics()
    assert "flow.load.rtt_ms_mean" not in values, "the kernel tells a smoothed one"
    assert "rtt_ms_mean" not in values, "TCP's are not known"
    assert "flow.probe.cwnd_bytes_mean" not in values


def test_a_step_of_the_series_tells_what_came_within_it() -> None:
    import numpy

    columns = record_of(PLAN, OUTCOME).tables()["series"]
    read = {name: list(numpy.frombuffer(data)) for name, (_, data, _) in columns.items()}
    assert read["time_s"] == [2, 3]
    assert read["flow.load.goodput_mbps"] == pytest.approx([4, 4])
    assert read["flow.load.cwnd_bytes"] == [40_000, 30_000]
    assert read["flow.load.retransmissions"] == [2, 0]
    assert read["flow.probe.rtt_ms"] == pytest.approx([2, 4])
