"""What is recorded of radios, from what endpoints told of them."""

import json
import struct
from collections.abc import Mapping, Sequence
from math import isnan, nan
from pathlib import Path
from typing import Any

import numpy
import pytest

import anechoic as an
from anechoic import _core
from anechoic.measuring.api import measure
from anechoic.measuring.placing import Endpoint
from anechoic.measuring.radio_tables import radio_tables
from anechoic.measuring.radios import Radio, radios_of
from anechoic.report.page import write
from anechoic.report.series import over_time
from anechoic.scenario.catalogue import radio_columns, table_columns

LEAD_S, LASTED_S = 2.0, 10.0
WINDOW = (0.0, LASTED_S)


def rows(table: str, *told: Mapping[str, float | str]) -> bytes:
    """Give rows as an endpoint writes them: all that is not told is not a number."""
    columns = radio_columns(table)
    values = []
    for row in told:
        given = {"interface": 0.0, **row}
        if "event" in row:
            words = next(each.words for each in columns if each.name == "event")
            given["event"] = words.index(str(row["event"]))
        values += [float(given.get(each.name, nan)) for each in columns]
    return struct.pack(f"<{len(values)}d", *values)


def at(time_s: float, station: int = 0, **told: float) -> dict[str, float]:
    """Give a row of an access point's signal at a time of the run."""
    return {"time_s": LEAD_S + time_s, "station": station, "is_access_point": 1.0, **told}


def event(time_s: float, what: str, station: float = nan, **told: float) -> dict[str, Any]:
    row = {"time_s": LEAD_S + time_s, "event": what, "station": station, "is_by_other": 0.0}
    return {**row, **told}


def radio(
    stations: Sequence[Mapping[str, float]] = (),
    surveys: Sequence[Mapping[str, float]] = (),
    events: Sequence[Mapping[str, Any]] = (),
    *,
    hears_events: bool = True,
) -> Radio:
    logs = rows("stations", *stations), rows("surveys", *surveys), rows("radio_events", *events)
    told = {"hears_events": hears_events, **{n: {"lost": 0} for n in ("stations", "surveys")}}
    told["events"] = {"lost": 0}
    (found,) = radios_of(["laptop"], [told], [logs], (LEAD_S, LASTED_S))
    return found


def test_a_machine_without_a_radio_records_nothing() -> None:
    told = {"hears_events": False, **{n: {"lost": 0} for n in ("stations", "surveys", "events")}}
    assert radios_of(["server"], [told], [(b"", b"", b"")], (LEAD_S, LASTED_S)) == []


def test_levels_are_those_of_the_window_and_counts_those_since_its_beginning() -> None:
    found = radio(
        [
            at(0, signal_dbm=-40, rate_mbps=54, retries=100, failed=3),
            at(4, signal_dbm=-60, rate_mbps=24, retries=160, failed=3),
            at(10, signal_dbm=-70, rate_mbps=12, retries=200, failed=5),
        ]
    )
    values = found.metrics((2.0, 10.0))
    assert values["node.laptop.signal_dbm_mean"] == -65
    assert values["node.laptop.signal_dbm_min"] == -70
    assert values["node.laptop.rate_mbps_max"] == 24
    # In proportion between two looks: 130 at 2 s.
    assert values["node.laptop.retries"] == pytest.approx(70)
    assert values["node.laptop.drops_retry_limit"] == pytest.approx(2)


def test_what_a_driver_does_not_tell_is_no_metric() -> None:
    found = radio([at(0, signal_dbm=-50), at(10, signal_dbm=-50)], hears_events=False)
    values = found.metrics(WINDOW)
    assert set(values) == {f"node.laptop.signal_dbm_{each}" for each in ("mean", "min", "max")}
    series = found.series(numpy.array([0.0, 5.0, 10.0]))
    assert set(series) == {"node.laptop.signal_dbm"}


def test_counts_that_begin_anew_go_on_and_those_of_a_new_access_point_count_whole() -> None:
    found = radio(
        [
            at(0, 0, retries=50),
            at(2, 0, retries=60),
            # Associated anew: its kernel counts from zero.
            at(4, 0, retries=5),
            at(6, 1, retries=7),
            at(8, 1, retries=9),
        ]
    )
    assert found.metrics(WINDOW)["node.laptop.retries"] == 10 + 5 + 9


def test_airtime_is_a_share_of_the_time_and_in_a_step_of_what_was_sent() -> None:
    found = radio(
        [
            at(0, tx_airtime_s=1.0, rx_airtime_s=5.0),
            at(10, tx_airtime_s=3.0, rx_airtime_s=6.0),
        ]
    )
    assert found.metrics(WINDOW)["node.laptop.airtime_share"] == pytest.approx(0.3)
    series = found.series(numpy.array([0.0, 5.0, 10.0]))
    assert series["node.laptop.airtime_share"].tolist() == pytest.approx([0.2, 0.2])


def test_a_channel_is_busy_for_a_share_of_the_time_that_its_radio_listened() -> None:
    found = radio(
        [at(0), at(10)],
        [
            {"time_s": LEAD_S, "frequency_mhz": 2412, "active_s": 100, "busy_s": 20},
            {
                "time_s": LEAD_S + 10,
                "frequency_mhz": 2412,
                "noise_dbm": -95,
                "active_s": 108,
                "busy_s": 26,
            },
        ],
    )
    values = found.metrics(WINDOW)
    assert values["node.laptop.busy_share"] == pytest.approx(0.75)
    assert values["node.laptop.noise_dbm_mean"] == -95


def test_a_step_has_what_was_last_told_unless_that_is_long_ago() -> None:
    found = radio([at(0.5, signal_dbm=-40), at(1.4, signal_dbm=-45)])
    series = found.series(numpy.array([0.0, 1.0, 2.0, 3.0]))
    signal = series["node.laptop.signal_dbm"].tolist()
    assert signal[:2] == [-40, -45]
    assert isnan(signal[2])


def test_several_stations_of_an_access_point_have_no_signal_together() -> None:
    stations = [
        {**at(time_s, number, signal_dbm=-50, retries=10.0 * time_s), "is_access_point": 0.0}
        for number in (0, 1)
        for time_s in (0, 10)
    ]
    values = radio(stations).metrics(WINDOW)
    assert "node.laptop.signal_dbm_mean" not in values
    assert values["node.laptop.retries"] == 200
    assert "node.laptop.associations" not in values, "an access point is not associated"
    alone = radio(stations[:2]).metrics(WINDOW)
    assert alone["node.laptop.signal_dbm_mean"] == -50


ROAMED = [
    # A supplicant that roams by itself: the old access point is told off late.
    event(3.0, "authenticated", 1, status=0),
    event(3.2, "associated", 1, status=0),
    event(3.2, "connected", 1, status=0),
    event(3.3, "deauthenticated", 0, reason=3),
    # Sent away, and let in again.
    event(5.0, "deauthenticated", 1, reason=5, is_by_other=1),
    event(5.4, "authenticated", 1, status=0),
    event(5.5, "associated", 1, status=0),
    # Not heard any more, and refused elsewhere.
    event(8.0, "beacons-lost"),
    event(8.5, "disconnected", reason=4),
    event(9.0, "authenticated", 2, status=17),
]


def test_changes_of_access_point_are_told_as_those_of_a_simulation() -> None:
    found = radio([at(0), at(10)], events=ROAMED)
    values = found.metrics(WINDOW)
    assert values["node.laptop.associations"] == 2
    assert values["node.laptop.deauthentications"] == 1
    assert values["node.laptop.outage_s"] == pytest.approx(0.2 + 0.5 + 1.5)
    assert found.metrics((5.2, 8.0))["node.laptop.outage_s"] == pytest.approx(0.3)
    tables = dict(radio_tables([found]))
    roams = tables["roams"]
    assert list(roams) == [column.name for column in table_columns("roams")]
    told = {name: _read(column) for name, column in roams.items()}
    assert told["from"] == ["access-point-0", "access-point-1", "access-point-1"]
    assert told["to"] == ["access-point-1", "access-point-1", "access-point-1"]
    assert told["why"] == ["unknown", "deauthenticated", "beacons-missed"]
    assert told["left_s"] == pytest.approx([3.0, 5.0, 8.5])
    assert told["associated_s"][:2] == pytest.approx([3.2, 5.5])
    assert isnan(told["associated_s"][2])


def test_firmware_that_roams_says_so_once() -> None:
    found = radio([at(0), at(10)], events=[event(4.0, "roamed", 1)])
    (change,) = found.changes()
    assert (change.left, change.joined, change.outage_s(0, 10)) == (0, 1, 0)


def test_all_that_was_told_is_a_table_with_its_node() -> None:
    found = radio([at(0, signal_dbm=-40), at(1)], events=ROAMED[:1])
    tables = dict(radio_tables([found]))
    stations = tables["stations"]
    assert list(stations) == ["node", *(column.name for column in radio_columns("stations"))]
    assert _read(stations["node"]) == ["laptop", "laptop"]
    assert _read(stations["time_s"]) == pytest.approx([0, 1])
    assert _read(tables["radio_events"]["event"]) == ["authenticated"]
    assert "surveys" not in tables


def _read(column: tuple[str, bytes, list[str] | None]) -> list[Any]:
    kind, data, words = column
    if words is not None:
        return [words[place] for place in numpy.frombuffer(data, "<u4")]
    return list(numpy.frombuffer(data, "<f8" if kind == "f64" else "<i8"))


SCENARIO = """
run.duration = "10 s"
run.series_step = "1 s"
ap.office = {}
sta.laptop = { ap = "office", stack = "linux-6" }
host.server.stack = "linux-6"
wire.lan.between = ["server", "office"]
air.loss = "60 dB"
traffic.down = { app = "bulk", from = "server", to = "laptop" }
"""


def _told(test_json: str) -> tuple[str, list[tuple[bytes, bytes]], list[tuple[bytes, ...]]]:
    """Stand for two endpoints, of which one has a radio."""
    test = json.loads(test_json)
    nodes = [each["node"] for each in test["endpoints"]]
    head = struct.Struct("<QQII")
    samples = b"".join(head.pack(s * 10**6, s * 10**6, 0xFFFF_FFFF, 0) for s in range(11))
    lost = {"row": head.size, "lost": 0}
    end = {
        "flow": 0,
        "samples": lost,
        "stamps": lost,
        "round_trips": [],
        "records": [],
        "records_lost": 0,
        "held_us": 0,
        "moved": 0,
        "counted": None,
        "failed": None,
    }
    ends = [{**end, "end": each} for each in ("initiator", "responder")]
    table = {"row": 8, "lost": 0}
    seen = {"hears_events": True, "stations": table, "surveys": table, "events": table}
    seconds = [
        {**at(s, signal_dbm=-50.0 - s, rate_mbps=54, retries=s * s), "time_s": float(s)}
        for s in range(11)
    ]
    roam = {**event(0, "roamed", 1), "time_s": 4.5}
    logs = rows("stations", *seconds), b"", rows("radio_events", roam)
    radios = [logs if node == "laptop" else (b"", b"", b"") for node in nodes]
    outcome = {"ends": ends, "radios": [seen for _ in nodes]}
    return json.dumps(outcome), [(b"", b""), (samples, b"")], radios


def test_the_page_shows_signal_rate_and_retries_over_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_core, "measure", _told)
    known = {node: Endpoint(node, "192.0.2.1:5301", "") for node in ("server", "laptop")}
    monkeypatch.setattr("anechoic.measuring.api.known_endpoints", lambda: known)
    file = tmp_path / "office.toml"
    file.write_text(SCENARIO)
    results = measure(file, reps=1, out=tmp_path / "out")
    (cell,) = results.cells
    assert cell.metrics["node.laptop.signal_dbm_mean"].mean == pytest.approx(-55.5)
    assert cell.metrics["node.laptop.retries"].mean == pytest.approx(100)
    assert "node.server.retries" not in cell.metrics
    loaded = an.Results.load(tmp_path / "out")
    assert loaded.stored(loaded.cells[0], 0, "stations")["signal_dbm"].tolist()[0] == -50
    charts = {chart.title: chart for chart in over_time(loaded)}
    for title in ("Signal over time", "Rates over time", "Retries over time"):
        (line,) = charts[title].views[0].panels[0].series
        assert line.label == "laptop"
        assert [marks.label for marks in line.marks] == ["roam"]
    page = write(loaded, tmp_path / "out").read_text()
    assert "Signal over time" in page
