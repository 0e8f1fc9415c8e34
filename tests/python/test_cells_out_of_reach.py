"""A cell knows nothing of one that it cannot hear: no metric of it changes, and no draw."""

import math
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anechoic as an

CELL = """
[host.server{n}]
stack = "linux-6"
[ap.office{n}]
channel = {channel}
access = "{access}"
[sta.laptop{n}]
ap = "office{n}"
stack = "linux-6"
count = {stations}
rate_control = "{control}"
rts_threshold = {rts}
[wire.lan{n}]
between = ["server{n}", "office{n}"]
rate = "1 Gbit/s"
[traffic.up{n}]
app = "{app}"
from = "laptop{n}"
to = "server{n}"
{rate}
[traffic.down{n}]
app = "bulk"
from = "server{n}"
to = "laptop{n}"
"""
AIR = """
run = { duration = "300 ms", attempts = true }
[air]
standard = "STANDARD"
loss = "LOSS dB"
"""
RATES = {"bulk": "", "udp": 'rate = "3 Mbit/s"', "ping": 'interval = "20 ms"'}


Drawn = dict[str, str]


def cell(n: str, channel: int, drawn: Drawn) -> str:
    return CELL.format(n=n, channel=channel, rate=RATES[drawn["app"]], **drawn)


def walls(stations: int) -> str:
    """Put 200 dB between the cells."""
    one, other = (
        [f"office{n}", *(f"laptop{n}-{place + 1}" for place in range(stations))] for n in ("", "2")
    )
    links = [(first, second) for first in one for second in other]
    return "".join(
        f'[air.link.wall{number}]\nbetween = ["{first}", "{second}"]\nloss = "200 dB"\n'
        for number, (first, second) in enumerate(links)
    )


def metrics_of(folder: Path, text: str) -> dict[str, float]:
    """Give every metric of the first cell: of its nodes, flows and wire, and its ledger."""
    out = Path(tempfile.mkdtemp(dir=folder))
    (out / "lab.toml").write_text(text, encoding="utf-8")
    (ran,) = an.run(out / "lab.toml", reps=1, out=out / "out", progress=False).cells
    others = ("server2", "office2", "laptop2", "up2", "down2", "lan2")
    all_cells = {name: each.mean for name, each in ran.metrics.items()}
    own = {
        name: value
        for name, value in all_cells.items()
        if name.startswith(("node.", "flow.", "wire.")) and not any(on in name for on in others)
    }
    # A ledger that is the only one is the channel's.
    ledgers = [name for name in all_cells if name.startswith("airtime.")]
    if "node.office.airtime.payload_s" not in own:
        own |= {f"node.office.{name}": all_cells[name] for name in ledgers}
    assert len(own) > 100
    return own


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    standard=st.sampled_from(["802.11b", "802.11g"]),
    loss=st.integers(50, 95),
    is_far=st.booleans(),
    drawn=st.fixed_dictionaries(
        {
            "stations": st.sampled_from(["1", "2"]),
            "access": st.sampled_from(["dcf", "edca"]),
            "control": st.sampled_from(["fixed", "arf", "sample-rate"]),
            "rts": st.sampled_from(["2347", "500"]),
            "app": st.sampled_from(sorted(RATES)),
        }
    ),
)
def test_no_metric_of_a_cell_changes_by_one_that_it_cannot_hear(
    tmp_path: Path, standard: str, loss: int, is_far: bool, drawn: Drawn
) -> None:
    air = AIR.replace("STANDARD", standard).replace("LOSS", str(loss))
    alone = metrics_of(tmp_path, air + cell("", 1, drawn))
    second = cell("2", 1 if is_far else 11, drawn)
    second += walls(int(drawn["stations"])) if is_far else ""
    together = metrics_of(tmp_path, air + cell("", 1, drawn) + second)
    # What packets were made of is told of the whole channel alone.
    kept = alone.keys() & together.keys()
    missing = {name for name in alone.keys() ^ together.keys() if ".airtime." not in name}
    assert not missing
    changed = {name for name in kept if not same(alone[name], together[name])}
    assert not changed


def same(one: float, other: float) -> bool:
    return one == other or (math.isnan(one) and math.isnan(other))


TWO_CELLS = """
run = { duration = "2 s" }
host.server.stack = "linux-6"
switch.sw = {}
ap.a.channel = 1
ap.b.channel = CHANNEL
sta.x = { ap = "a", stack = "linux-6" }
sta.y = { ap = "b", stack = "linux-6" }
wire.s.between = ["server", "sw"]
wire.a.between = ["a", "sw"]
wire.b.between = ["b", "sw"]
air.standard = "802.11g"
air.loss = "LOSS dB"
traffic.x = { app = "bulk", from = "x", to = "server" }
traffic.y = { app = "bulk", from = "y", to = "server" }
"""


@pytest.mark.parametrize(
    ("channel", "loss", "walls"),
    [
        (11, "75", ""),
        (11, "45", ""),
        (6, "70", ""),
        # What crosses from cell to cell is part of the noise, and under what a preamble needs.
        (1, "60", "115 dB"),
        (1, "60", "200 dB"),
    ],
)
def test_what_other_channels_and_unheard_cells_send_is_no_collision(
    tmp_path: Path, channel: int, loss: str, walls: str
) -> None:
    """An uplink of TCP collides with its own acknowledgments alone, in 8 % of its exchanges.

    Who sends data and who acknowledges have the same collisions, in unlike numbers of exchanges.
    """
    text = TWO_CELLS.replace("CHANNEL", str(channel)).replace("LOSS", loss)
    for number, pair in enumerate(["ab", "xb", "ya", "xy"] if walls else []):
        between = f'between = ["{pair[0]}", "{pair[1]}"]'
        text += f'air.link.w{number} = {{ {between}, loss = "{walls}" }}\n'
    file = tmp_path / "lab.toml"
    file.write_text(text, encoding="utf-8")
    (found,) = an.run(file, reps=4, out=tmp_path / "out", progress=False).cells
    assert found["collision_probability"].mean == pytest.approx(0.08, abs=0.012)
    for pair in ("ax", "by"):
        collisions, exchanges = (
            [found[f"node.{radio}.{counted}"].mean for radio in pair]
            for counted in ("collisions", "exchanges")
        )
        assert collisions[0] == pytest.approx(collisions[1], rel=0.02)
        assert sum(collisions) / sum(exchanges) == pytest.approx(0.08, abs=0.012)
        for radio in pair:
            assert found[f"node.{radio}.collision_probability_hidden"].mean == 0
