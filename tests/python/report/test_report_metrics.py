"""The names that people read for metrics and axes."""

import pytest

from anechoic.report.axes import axis_title
from anechoic.scenario.catalogue import metric, metric_of_each, metrics, scope_of


def test_every_metric_has_a_label_and_a_description() -> None:
    for described in metrics():
        assert described.label not in ("", described.name)
        assert described.description
        assert metric(described.name).label == described.label


def test_titles_carry_the_unit() -> None:
    assert metric("goodput_mbps").title == "Total goodput (Mbit/s)"
    assert metric("flow.pairs-1.rtt_ms_mean").title == "Mean RTT, pairs-1 (ms)"
    assert metric("airtime.backoff_s").title == "Backoff, airtime (s)"
    assert metric("mac.fragments_per_msdu").title == "Fragments per MSDU"


def test_what_a_scenario_names_stands_in_the_label() -> None:
    assert metric("wire.lan.drops_from.server").label == "Drops on lan from server"
    assert metric("wire.lan.loss.dropped_from.a").label == "Losses by loss on lan from a"
    assert metric("node.office.attempts_5_5mbps").label == "Attempts at 5.5 Mbit/s, office"
    assert metric("goodput_mbps@before").title == "Total goodput, before (Mbit/s)"
    assert metric_of_each("bytes@before").label == "Bytes, before"


def test_a_metric_has_a_scope() -> None:
    names = (
        "goodput_mbps",
        "mac.retries",
        "flow.a-1.bytes",
        "node.b.retries",
        "wire.c.drops_from.b",
    )
    assert [scope_of(name) for name in names] == ["run", "channel", "flow", "node", "wire"]


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
        ("loss", "Loss"),
    ],
)
def test_an_axis_is_called_by_its_name_or_by_its_field_and_whose_it_is(
    axis: str, title: str
) -> None:
    assert axis_title(axis) == title
