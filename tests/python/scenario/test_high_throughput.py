"""802.11n, ac and ax: what a scenario may ask for, and what a lone station gets through."""

from pathlib import Path
from typing import Any

import pytest
from refused import refusal_of

import anechoic as an
from anechoic.scenario.high_throughput import AC, AX, Amendment, Choice, N

CELL = """
run = { duration = "3 s", warmup = "1 s" }
air = { standard = "802.11ac", channel = 36, loss = "40 dB" }
ap.office.beacon_interval = "0 s"
ap.office.queue_packets = 1000
sta.laptop = { ap = "office", stack = "linux-6" }
host.server = { stack = "linux-6" }
wire.lan = { between = ["server", "office"], rate = "10 Gbit/s" }
[traffic.flood]
app = "udp"
from = "server"
to = "laptop"
payload = "1472 B"
rate = "3 Gbit/s"
"""


def goodput(folder: Path, **changed: Any) -> float:
    """Give what a lone station gets of a flood, in Mbit/s."""
    path = folder / "cell.toml"
    path.write_text(CELL)
    settings = {name.replace("__", "."): value for name, value in changed.items()}
    told = an.run(path, set=settings, reps=4, out=folder / "out", progress=False)
    return told.cells[0].metrics["flow.flood-1.goodput_mbps"].mean


def ap(**fields: Any) -> dict[str, Any]:
    """Give fields of the access point as settings."""
    return {f"ap__office__{name}": value for name, value in fields.items()}


# A cycle is AIFS of 43 µs, 7.5 slots in the mean, the PPDU, SIFS, and a BlockAck at 24 Mbit/s, or
# an ACK: with 28 MPDUs of 1538 bytes in MCS 7 of 802.11n, 43 + 67.5 + 5360 + 16 + 32 µs.
ONE = {"streams": 1, "guard_interval": "800 ns"}
LONE = [
    ("802.11n", {**ONE, "width": "20 MHz"}, 59.750),
    ("802.11n", {**ONE, "width": "20 MHz", "ampdu_limit": "8191 B"}, 51.356),
    ("802.11n", {**ONE, "width": "20 MHz", "ampdu_limit": "0 B"}, 30.787),
    ("802.11n", {**ONE, "width": "20 MHz", "ampdu_limit": "0 B", "amsdu_limit": "7935 B"}, 51.900),
    ("802.11n", {**ONE, "width": "20 MHz", "ampdu_limit": "0 B", "amsdu_limit": "3839 B"}, 41.283),
    ("802.11n", {**ONE, "width": "20 MHz", "rts_threshold": 1000}, 58.812),
    ("802.11n", {"width": "40 MHz"}, 256.199),
    ("802.11ac", {**ONE, "width": "20 MHz", "mcs": 8}, 71.670),
    ("802.11ac", ONE, 338.497),
    ("802.11ac", {}, 673.817),
    ("802.11ax", {"streams": 1, "block_ack_window": 64}, 495.538),
    ("802.11ax", {"block_ack_window": 64}, 861.035),
    ("802.11ax", {}, 1055.811),
]


@pytest.mark.parametrize(("standard", "fields", "mbps"), LONE)
def test_a_lone_station_gets_what_its_cycle_says(
    standard: str, fields: dict[str, Any], mbps: float, tmp_path: Path
) -> None:
    found = goodput(tmp_path, air__standard=standard, **ap(**fields))
    assert found == pytest.approx(mbps, rel=5e-3)


def test_a_cell_at_2_4_ghz_has_the_signal_extension_of_802_11g(tmp_path: Path) -> None:
    """Each frame is 6 µs longer, and a SIFS is as much shorter: the cycle is 6 µs longer."""
    fields = ap(**ONE, width="20 MHz")
    found = goodput(tmp_path, air__standard="802.11n", air__channel=6, **fields)
    assert found == pytest.approx(28 * 1472 * 8 / (5518.5 + 12 - 6 - 6), rel=5e-3)


def test_a_station_far_away_loses_some_mpdus_of_an_aggregate_and_not_others(
    tmp_path: Path,
) -> None:
    """Every tenth MPDU is lost; what is lost goes again in the next aggregate."""
    path = tmp_path / "cell.toml"
    path.write_text(CELL)
    settings = {"air.standard": "802.11n", "air.loss": "85.6 dB", "ap.office.width": "20 MHz"}
    settings |= {"ap.office.streams": 1, "ap.office.guard_interval": "800 ns"}
    told = an.run(path, set=settings, reps=1, out=tmp_path / "out", progress=False)
    metrics = told.cells[0].metrics
    lost = metrics["mac.retries"].mean / metrics["mac.attempts"].mean
    assert 0.02 < lost < 0.6
    whole = 59.75
    assert metrics["flow.flood-1.goodput_mbps"].mean == pytest.approx(whole * (1 - lost), rel=0.03)


@pytest.mark.parametrize(
    ("amendment", "choice", "mcs", "mbps"),
    [
        (N, Choice(20, 1, 400), 7, 72.2),
        (N, Choice(40, 2, 400), 7, 300.0),
        (AC, Choice(80, 2, 400), 9, 866.7),
        (AC, Choice(160, 8, 400), 9, 6933.3),
        (AX, Choice(20, 1, 3200), 0, 7.3),
        (AX, Choice(80, 2, 800), 11, 1201.0),
        (AX, Choice(160, 8, 800), 11, 9607.8),
    ],
)
def test_rates_are_those_that_vendors_print(
    amendment: Amendment, choice: Choice, mcs: int, mbps: float
) -> None:
    assert amendment.rate_bps(choice, mcs) / 1e6 == mbps


REFUSED = {
    "an MCS whose symbols do not divide": (
        'ap.office.mcs = 9\nap.office.width = "20 MHz"\n',
        "ap.office.mcs: 802.11ac has no MCS 9 with 20 MHz and 2 streams; allowed: an MCS whose "
        "symbols divide evenly; did you mean 8?",
    ),
    "a rate where there are MCS": (
        'ap.office.rate = "54 Mbit/s"\n',
        'ap.office.rate: "54 Mbit/s" is of 802.11a, b and g: a rate of 802.11ac is an MCS; '
        "allowed: mcs = 0 to 9, with streams and width",
    ),
    "a guard interval of another amendment": (
        'ap.office.guard_interval = "3200 ns"\n',
        "ap.office.guard_interval: 802.11ac has no guard interval of 3200 ns; allowed: "
        '"400 ns", "800 ns"',
    ),
    "an agreement larger than there is": (
        "ap.office.block_ack_window = 256\n",
        "ap.office.block_ack_window: 256 are more MPDUs than an agreement of 802.11ac has; "
        "allowed: 1 to 64; did you mean 64?",
    ),
    "a channel of the other band": (
        "ap.office.channel = 6\n",
        "ap.office.channel: 6 is not a channel of 802.11ac; allowed: 36 to 64 by 4, 100 to 140 "
        "by 4, 149 to 165 by 4; did you mean 36?",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_standard_has_not_is_refused(case: str, tmp_path: Path) -> None:
    addition, said = REFUSED[case]
    assert refusal_of(tmp_path, addition + CELL) == f"lab.toml: {said}"


def test_fields_of_later_amendments_are_none_of_802_11b(tmp_path: Path) -> None:
    text = CELL.replace("802.11ac", "802.11b").replace("channel = 36, ", "")
    said = (
        "lab.toml: ap.office.mcs: 7 is of 802.11n and later, and this radio is of 802.11b; "
        "allowed: nothing, or another standard"
    )
    assert refusal_of(tmp_path, "ap.office.mcs = 7\n" + text) == said
