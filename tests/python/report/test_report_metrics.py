"""The names that people read for metrics and axes."""

import pytest

from anechoic.report.axes import axis_title
from anechoic.scenario.catalogue import metric
from anechoic.scenario.metrics import metric_names

PLAN = {
    "flows": [
        {"name": "pairs-1", "app": {"kind": "chariot-throughput"}},
        {"name": "probe", "app": {"kind": "ping"}},
    ],
    "nodes": [
        {"name": "server", "interfaces": [{"radio": None}]},
        {"name": "office", "interfaces": [{"radio": {}}, {"radio": None}]},
    ],
    "wires": [{"name": "lan", "ends": [{"node": 0}, {"node": 1}], "impair": [[], []]}],
    "air": {},
}


@pytest.mark.parametrize("name", metric_names(PLAN))
def test_every_metric_of_a_record_has_a_label_and_a_description(name: str) -> None:
    described = metric(name)
    assert described.label != name
    assert described.description


def test_titles_carry_the_unit() -> None:
    assert metric("goodput_mbps").title == "Total goodput (Mbit/s)"
    assert metric("flow.pairs-1.rtt_ms_mean").title == "Mean RTT, pairs-1 (ms)"
    assert metric("airtime.backoff_s").title == "Backoff, airtime (s)"
    assert metric("mac.fragments_per_msdu").title == "Fragments per MSDU"


def test_an_unknown_metric_is_called_by_its_name() -> None:
    assert metric("new.thing").title == "new.thing"


@pytest.mark.parametrize(
    ("axis", "title"),
    [
        ("AP queue", "AP queue"),
        ("RTS threshold", "RTS threshold"),
        ("vendor", "Vendor"),
        ("retry_limit", "Retry limit"),
        ("rts_threshold", "RTS threshold (bytes)"),
        ("ap.office.rts_threshold", "RTS threshold, office (bytes)"),
        ("sta.s.rate", "Rate, s"),
        ("host.server.tcp.data_retries", "Data retries, server"),
        ("air.link.wall.loss", "Path loss, wall"),
        ("air.loss", "Path loss"),
    ],
)
def test_an_axis_is_called_by_its_name_or_by_its_field_and_whose_it_is(
    axis: str, title: str
) -> None:
    assert axis_title(axis) == title
