"""Which flows of a cell are pings, by the metrics that they have."""

import pytest

from anechoic.campaign.cells import Cell, is_ping
from anechoic.campaign.replication import summarise


@pytest.mark.parametrize(
    ("metrics", "expected"),
    [
        ({"rtt_ms_mean", "goodput_mbps", "replies"}, True),
        ({"rtt_ms_mean"}, True),
        ({"rtt_ms_mean", "goodput_mbps", "timeouts"}, False),
        ({"rtt_ms_mean", "goodput_mbps"}, False),
        ({"goodput_mbps"}, False),
    ],
    ids=["echoes", "another tool's pings", "TCP", "TCP of a kernel outside", "datagrams"],
)
def test_a_ping_is_what_is_echoed_or_timed_without_data(metrics: set[str], expected: bool) -> None:
    found = {f"flow.x-1.{name}": summarise([1.0]) for name in metrics}
    assert is_ping(Cell({}, 1, False, found), "x-1") is expected
