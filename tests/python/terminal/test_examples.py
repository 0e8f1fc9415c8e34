"""The scenarios that ship as examples, and what each of them shows."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import anechoic as an
from anechoic.cli import cli
from anechoic.examples import examples, line_tests
from anechoic.measuring.api import measure


def anechoic(*words: str) -> Result:
    return CliRunner().invoke(cli, words, prog_name="anechoic")


def bufferbloat(results: an.Results) -> None:
    rtt = "flow.probe-1.rtt_ms_mean@loaded"
    full, managed = results.cell(queue="drop-tail"), results.cell(queue="fq-codel")
    assert full[rtt].mean > 10 * managed[rtt].mean


def airtime(results: an.Results) -> None:
    """The slow station leaves the others their airtime, and a ping does not wait behind it."""
    rtt, slow = "flow.probe-1.rtt_ms_p50", "node.slow.airtime_share"
    fifo, *_, airtime = results.cells
    assert fifo[rtt].mean > 10 * airtime[rtt].mean
    assert fifo[slow].mean > 0.75 and airtime[slow].mean < 0.36
    assert airtime["goodput_mbps"].mean > 3.5 * fifo["goodput_mbps"].mean


def anomaly(results: an.Results) -> None:
    near = [cell["flow.near-1.goodput_mbps"].mean for cell in results.cells]
    assert near == sorted(near, reverse=True)
    assert near[-1] < near[0] / 3


def garden(results: an.Results) -> None:
    """A slow station takes the airtime of the others, unless stations have turns of airtime."""
    near, *far = (
        results.cell(queue=queue)["flow.desk-1.goodput_mbps"].mean
        for queue in ("mac80211, all near", "FQ-CoDel", "mac80211")
    )
    assert far[0] < 0.25 * near
    assert far[1] > 0.8 * near
    assert any(
        finding.about == "airtime" and finding.text.startswith("Data to and from garden took")
        for finding in results.in_short()
    )


def hidden(results: an.Results) -> None:
    apart, asked, together = (cell["collision_probability"].mean for cell in results.cells)
    assert apart > asked > together


FIXED = ("6 Mbit/s", "24 Mbit/s", "54 Mbit/s")


def range_(results: an.Results) -> None:
    goodput = {tuple(cell.parameters.values()): cell["goodput_mbps"].mean for cell in results.cells}
    assert goodput["54 Mbit/s", "70 dB"] > goodput["6 Mbit/s", "70 dB"]
    assert goodput["54 Mbit/s", "94 dB"] < goodput["6 Mbit/s", "94 dB"]
    # What chooses its rate goes down the stairs, and reaches further than the fixed rates.
    losses = ["70 dB", "86 dB", "92 dB", "98 dB", "104 dB", "108 dB"]
    stairs = [goodput["sample-rate", loss] for loss in losses]
    assert stairs == sorted(stairs, reverse=True)
    assert all(
        goodput["sample-rate", loss] > 0.95 * max(goodput[rate, loss] for rate in FIXED)
        for loss in losses
    )
    assert stairs[-1] > 0.3 > goodput["6 Mbit/s", "108 dB"]
    assert goodput["sample-rate", "110 dB"] == 0


def crowd(results: an.Results) -> None:
    assert sum(name.endswith(".goodput_mbps") for name in results.cells[0].metrics) >= 100


def roaming(results: an.Results) -> None:
    outage = "node.walker.outage_s"
    walk = {"speed": "4.16 m/s"}
    patient, eager = (results.cell(station=name, **walk) for name in ("patient", "eager"))
    assert eager[outage].mean < patient[outage].mean


def rrul_wifi(results: an.Results) -> None:
    rtt = "flow.probe-1.rtt_ms_mean@loaded"
    full, _, managed = results.cells
    assert full[rtt].mean > 2.5 * managed[rtt].mean


def wifi6(results: an.Results) -> None:
    goodput = "goodput_mbps"
    alone, of_20 = (results.cell(stations=n, data="down")[goodput].mean for n in (1, 20))
    assert 0.6 * alone < of_20 < 0.8 * alone, "acknowledgments contend"
    bare, asked = (
        results.cell(stations=20, data=data)[goodput].mean for data in ("up", "up, behind RTS")
    )
    assert asked > bare


def starved(results: an.Results) -> None:
    weak, strong = "flow.weak-1.goodput_mbps", "flow.strong-1.goodput_mbps"
    for cell in results.cells:
        is_starved = cell[weak].mean < 0.1 * cell[strong].mean
        assert is_starved == (cell.parameters == {"data": "up", "rivals": "do not hear it"})


SHOWN: dict[str, Callable[[an.Results], None]] = {
    "airtime": airtime,
    "anomaly": anomaly,
    "bufferbloat": bufferbloat,
    "crowd": crowd,
    "garden": garden,
    "hidden": hidden,
    "range": range_,
    "roaming": roaming,
    "rrul-wifi": rrul_wifi,
    "starved": starved,
    "wifi6": wifi6,
}


def rrul(results: an.Results) -> None:
    """Flows of all classes fill the line both ways, and pings wait behind them."""
    (cell,) = results.cells
    assert cell.metrics["goodput_mbps@loaded"].mean > 15
    assert cell.metrics["flow.ping-1.rtt_ms_mean@loaded"].mean > 60, "20 ms without a load"


def rtt_fair(results: an.Results) -> None:
    """Whoever is near gets more than who is far, of the same class."""
    (cell,) = results.cells
    near, far = (cell.metrics[f"flow.down-{n}-1.goodput_mbps@loaded"].mean for n in (1, 2))
    assert near > far


def bursts(results: an.Results) -> None:
    (cell,) = results.cells
    assert cell.metrics["flow.ping-1.rtt_ms_max"].mean > 60, "20 ms between bursts"


LINE_TESTS: dict[str, Callable[[an.Results], None]] = {
    "bursts": bursts,
    "rtt_fair": rtt_fair,
}


@pytest.mark.parametrize("name", LINE_TESTS)
def test_what_measures_a_line_is_simulated_as_well(name: str, tmp_path: Path) -> None:
    LINE_TESTS[name](an.run(name, reps=1, out=tmp_path / "out", progress=False))


@pytest.mark.parametrize("name", line_tests())
def test_what_measures_a_line_lacks_nothing_but_endpoints(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(an.ScenarioError) as refused:
        measure(line_tests()[name], out=tmp_path / "out")
    assert all("no endpoint" in line for line in str(refused.value).splitlines())


@pytest.mark.parametrize("name", SHOWN)
def test_an_example_shows_what_its_title_says(name: str, tmp_path: Path) -> None:
    SHOWN[name](an.run(name, reps=2, out=tmp_path / "out", progress=False))


def test_every_example_is_listed_and_tried() -> None:
    names = [*SHOWN, *line_tests()]
    assert list(examples()) == names
    shown = anechoic("examples").stdout
    assert all(name in shown for name in names)
    assert list(json.loads(anechoic("examples", "--json").stdout)) == names


def test_new_writes_one_to_begin_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = anechoic("new", "hidden")
    assert done.stdout == "hidden.toml is written; anechoic run hidden.toml runs it\n"
    assert anechoic("check", "hidden.toml").stdout == "hidden.toml: fine, 3 cells\n"
    again = anechoic("new", "hidden")
    assert (again.exit_code, again.stderr) == (
        2,
        "anechoic: hidden.toml: it is there already; allowed: the name of a new file\n",
    )
    assert anechoic("new", "hidden", "mine.toml").exit_code == 0
    assert "did you mean hidden?" in anechoic("new", "hiddn").stderr
