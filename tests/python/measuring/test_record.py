"""The record of a measurement, from what two endpoints told."""

import struct
from typing import Any

import numpy
import pytest

from anechoic.campaign.elsewhere import Carried
from anechoic.measuring.asking import Schedule
from anechoic.measuring.logs import NO_CONNECTION
from anechoic.measuring.record import record_of

PLAN: dict[str, Any] = {
    "windows": [],
    "duration_ns": 3_000_000_000,
    "warmup_ns": 1_000_000_000,
    "series_step_ns": 1_000_000_000,
    "tcp_info_step_ns": None,
    "tables": {"distributions": True, "datagrams": False},
    "flows": [
        {"name": "load", "app": {"kind": "bulk"}, "from": 0, "to": 1},
        {"name": "probe", "app": {"kind": "ping"}, "from": 0, "to": 1},
    ],
}


TOLD = 104
"""Bytes that the kernel of Linux 2.6 tells."""
SCHEDULE = Schedule((), 0, 3000)


def _told(cwnd: int, retransmitted: int) -> bytes:
    """Give TCP_INFO of a connection with segments of a thousand bytes."""
    info = bytearray(TOLD)
    struct.pack_into("<I", info, 16, 1000)
    struct.pack_into("<I", info, 80, cwnd)
    struct.pack_into("<I", info, 100, retransmitted)
    return bytes(info)


def _row(at: float, delivered: int, state: tuple[int, int] | None) -> bytes:
    number, told = (NO_CONNECTION, b"") if state is None else (0, _told(*state))
    head = struct.pack("<QQII", int(at * 1e6), delivered, number, len(told))
    return head + told.ljust(TOLD, b"\0")


def _end(
    flow: int,
    end: str,
    samples: list[tuple[float, int, tuple[int, int] | None]],
    trips: list[tuple[float, float]] | None = None,
) -> tuple[dict[str, Any], tuple[bytes, bytes]]:
    told = {
        "flow": flow,
        "end": end,
        "samples": {"row": 24 + TOLD, "lost": 0},
        "round_trips": [(at * 1e6, took * 1e3) for at, took in trips or []],
        "records": [],
        "records_lost": 0,
        "stamps": {"row": 28, "lost": 0},
        "held_us": 600_000,
    }
    return told, (b"".join(_row(*each) for each in samples), b"")


ENDS = [
    _end(0, "initiator", [(1, 0, (20, 1)), (2, 0, (40, 3)), (3, 0, (30, 3))]),
    _end(0, "responder", [(0, 0, None), (1, 500_000, None), (3, 1_500_000, None)]),
    _end(1, "initiator", [(0, 0, None), (3, 56 * 3, None)], [(0.5, 9), (1.5, 2), (2.5, 4)]),
    _end(1, "responder", [(0, 0, None), (3, 0, None)]),
]


def _record(**changes: Any) -> Carried:
    told, logs = zip(*ENDS, strict=True)
    return record_of({**PLAN, **changes}, SCHEDULE, told, logs)


def test_the_warm_up_counts_in_no_metric() -> None:
    values = _record().metrics()
    assert values["flow.load.bytes"] == 1_000_000
    assert values["goodput_mbps"] == pytest.approx(4.0), "a megabyte in two seconds, and no ping"
    assert values["flow.probe.rtt_ms_mean"] == pytest.approx(3.0), "the first one was too early"
    assert values["flow.load.cwnd_bytes_max"] == 40_000


def test_what_is_unknown_is_absent() -> None:
    values = _record().metrics()
    assert "flow.load.rtt_ms_mean" not in values, "the kernel tells a smoothed one"
    assert "rtt_ms_mean" not in values, "TCP's are not known"
    assert "flow.probe.cwnd_bytes_mean" not in values


def test_a_step_of_the_series_tells_what_came_within_it() -> None:
    columns = _record().tables()["series"]
    read = {name: list(numpy.frombuffer(data)) for name, (_, data, _) in columns.items()}
    assert read["time_s"] == [2, 3]
    assert read["flow.load.goodput_mbps"] == pytest.approx([4, 4])
    assert read["flow.load.cwnd_bytes"] == [40_000, 30_000]
    assert read["flow.load.retransmissions"] == [2, 0]
    assert read["flow.probe.rtt_ms"] == pytest.approx([2, 4])


def test_a_ceiling_that_held_a_flow_back_counts_as_its_share_of_the_run() -> None:
    assert _record().metrics()["flow.load.ceiling_share"] == pytest.approx(0.2)


def test_what_the_kernel_told_is_a_table_decoded_and_as_it_was() -> None:
    assert "tcp_info" not in _record().tables()
    columns = _record(tcp_info_step_ns=10**9).tables()["tcp_info"]
    assert numpy.frombuffer(columns["time_s"][1]).tolist() == [1, 2, 3]
    assert numpy.frombuffer(columns["tcpi_snd_cwnd"][1], "<i8").tolist() == [20, 40, 30]
    assert columns["end"][2] == ["sender", "receiver"]
    kind, raw, _ = columns["raw"]
    assert (kind, raw[TOLD : 2 * TOLD]) == (f"bytes{TOLD}", _told(40, 3))
    assert "tcpi_pacing_rate" not in columns, "that kernel did not tell it"


def test_timing_records_are_those_completed_in_the_measured_time() -> None:
    told, logs = zip(*ENDS, strict=True)
    records = [
        {"start_ns": at, "elapsed_ns": took, "bytes": 100_000, "transactions": 2}
        for at, took in ((0, 500_000_000), (800_000_000, 400_000_000), (2_000_000_000, 200_000_000))
    ]
    sender = {**told[0], "records": records}
    plan = {**PLAN, "flows": [{**PLAN["flows"][0], "app": {"kind": "chariot-throughput"}}]}
    record = record_of(plan, SCHEDULE, [sender, told[1]], logs[:2])
    values = record.metrics()
    assert values["flow.load.records"] == 2, "the first one was over in the warm-up"
    assert values["flow.load.record_mbps_mean"] == pytest.approx(3.0)
    assert values["flow.load.record_mbps_max"] == pytest.approx(4.0)
    assert values["flow.load.response_ms_mean"] == pytest.approx(150.0)
    columns = record.tables()["timing"]
    assert list(numpy.frombuffer(columns["start_s"][1])) == [0.8, 2.0]
    assert "flow.probe.records" not in values
