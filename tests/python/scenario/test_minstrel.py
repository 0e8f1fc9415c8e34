"""Minstrel of 802.11b, g and a: how near it comes to the best fixed rate, where it is refused."""

from pathlib import Path

import pytest
from refused import refusal_of

import anechoic as an

CELL = """
run = {{ duration = "3 s", warmup = "1 s" }}
air = {{ standard = "{standard}", channel = {channel}, preamble_detection = "-100 dBm" }}
ap.office = {{ beacon_interval = "0 s" }}
sta.laptop = {{ ap = "office", stack = "linux-6" }}
host.server = {{ stack = "linux-6" }}
wire.lan = {{ between = ["server", "office"], rate = "10 Gbit/s" }}
[traffic.flood]
app = "udp"
from = "server"
to = "laptop"
payload = "1472 B"
rate = "100 Mbit/s"
[[sweep]]
name = "rate"
labels = {labels}
"ap.office.rate" = {rates}
"ap.office.rate_control" = {controls}
"""
OFDM = ["6 Mbit/s", "12 Mbit/s", "24 Mbit/s", "36 Mbit/s", "48 Mbit/s", "54 Mbit/s"]
DSSS = ["1 Mbit/s", "2 Mbit/s", "5.5 Mbit/s", "11 Mbit/s"]


@pytest.mark.parametrize(
    ("standard", "channel", "rates", "loss_db", "part"),
    [
        ("802.11a", 36, OFDM, 60, 0.95),
        ("802.11a", 36, OFDM, 92, 0.95),
        ("802.11g", 1, [*DSSS, *OFDM], 60, 0.95),
        ("802.11g", 1, [*DSSS, *OFDM], 95, 0.9),
        ("802.11b", 1, DSSS, 60, 0.95),
        # A try costs two milliseconds, and what fails goes on at the second best rate.
        ("802.11b", 1, DSSS, 103, 0.75),
    ],
)
def test_it_comes_near_the_best_fixed_rate(
    standard: str, channel: int, rates: list[str], loss_db: int, part: float, tmp_path: Path
) -> None:
    path = tmp_path / "cell.toml"
    controls = ["fixed"] * len(rates) + ["minstrel"]
    text = CELL.format(
        standard=standard,
        channel=channel,
        labels=[*rates, "minstrel"],
        rates=[*rates, rates[-1]],
        controls=controls,
    )
    path.write_text(text)
    settings = {"air.loss": f"{loss_db} dB"}
    told = an.run(path, set=settings, reps=1, out=tmp_path / "out", progress=False)
    *fixed, found = [cell.metrics["flow.flood-1.goodput_mbps"].mean for cell in told.cells]
    assert max(fixed) > 0
    assert found >= part * max(fixed)


def test_a_radio_of_802_11n_has_minstrel_ht(tmp_path: Path) -> None:
    text = """
air = { standard = "802.11n", channel = 36 }
host.server = {}
ap.office.rate_control = "minstrel"
sta.laptop = { ap = "office" }
wire.lan = { between = ["server", "office"], rate = "1 Gbit/s" }
traffic.download = { app = "bulk", from = "server", to = "laptop" }
"""
    message = (
        'ap.office.rate_control: "minstrel" is of 802.11b, g and a, and frames here are of '
        "802.11n; allowed: another kind; did you mean minstrel-ht?"
    )
    assert message in refusal_of(tmp_path, text)
