"""What does not fit the rest of a scenario is refused: sweeps, figures, metrics, taps."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from conftest import SWEPT
from refused import refusal_of

import anechoic as an
from anechoic.campaign.sweep import cells_of, with_sweep
from anechoic.scenario.load import from_data, with_overrides

pytestmark = pytest.mark.usefixtures("core")

# What is added to the swept baseline, and what is said.
ADDITIONS = {
    "unknown metric of the stopping rule": (
        '[replication]\nmetric = "goodput_mpbs"',
        'replication.metric: there is no metric "goodput_mpbs"',
        "did you mean goodput_mbps?",
    ),
    "unknown metric of a figure": (
        '[[figure]]\ntitle = "x"\nx = "connections"\ny = "flow.pairs-3.goodput_mbps"',
        'figure[1].y: there is no metric "flow.pairs-3.goodput_mbps"',
        "did you mean flow.pairs-2.goodput_mbps?",
    ),
    "unknown axis of a figure": (
        '[[figure]]\ntitle = "x"\nx = "conections"\ny = "goodput_mbps"',
        'figure[1].x: there is no axis of the sweep "conections"; allowed: connections',
        "did you mean connections?",
    ),
    "unknown metric in a list": (
        '[[figure]]\ntitle = "x"\nx = "connections"\ny = ["goodput_mbps", "rtt_ms"]',
        'figure[1].y[1]: there is no metric "rtt_ms"',
        "did you mean rtt_ms_p99?",
    ),
    "a metric twice": (
        '[[figure]]\ntitle = "x"\nx = "connections"\ny = ["goodput_mbps", "goodput_mbps"]',
        'figure[1].y[1]: "goodput_mbps" stands twice',
        "allowed: each metric once",
    ),
    "metrics of three units": (
        '[[figure]]\ntitle = "x"\nx = "connections"\n'
        'y = ["goodput_mbps", "rtt_ms_mean", "mac.retries", "mac.attempts"]',
        "figure[1].y: metrics of 3 units: Mbit/s, ms, frames",
        "allowed: metrics of one unit, or of two",
    ),
    "no metric": (
        '[[figure]]\ntitle = "x"\nx = "connections"\ny = []',
        "figure[1].y: [] is refused: no name of a metric",
        "allowed: the name of a metric, or a list of them",
    ),
    "a figure without an axis": (
        '[[figure]]\ntitle = "x"\ny = "goodput_mbps"',
        "figure[1].x: missing",
        "allowed: an axis of the sweep, or each",
    ),
    "unknown metric of each flow": (
        '[[figure]]\ntitle = "x"\neach = "flow"\ny = "goodput"',
        'figure[1].y: there is no metric of a flow "goodput"; allowed: goodput_mbps, ',
        "did you mean goodput_mbps?",
    ),
    "a node's metric of each flow": (
        '[[figure]]\ntitle = "x"\neach = "flow"\ny = "queue_mean_packets"',
        'figure[1].y: there is no metric of a flow "queue_mean_packets"',
        " in all)",
    ),
    "each group where there is none": (
        '[[figure]]\ntitle = "x"\neach = "group"\ny = "goodput_mbps"',
        "figure[1].each: there is no group in the scenario",
        "",
    ),
    "each of what there is none": (
        '[[figure]]\ntitle = "x"\neach = "flows"\ny = "goodput_mbps"',
        'figure[1].each: "flows" is not one of the values; allowed: "flow", "traffic", '
        '"station", "group"',
        "did you mean flow?",
    ),
    "fewer replications at most than at least": (
        "[replication]\nmin = 12\nmax = 6",
        "replication.min: 12 is more than replication.max, 6",
        "allowed: at most 6",
    ),
    "sweep of an unknown field": (
        '[[sweep]]\n"ap.office.rts_treshold" = [0, 2347]',
        'sweep[1].ap.office.rts_treshold: there is no "rts_treshold" in ap.office',
        "did you mean ap.office.rts_threshold?",
    ),
    "sweep of a node that is not there": (
        '[[sweep]]\n"ap.ofice.rts_threshold" = [0, 2347]',
        'sweep[1].ap.ofice.rts_threshold: there is no "ofice" in ap',
        "did you mean ap.office?",
    ),
    "sweep of a table": (
        '[[sweep]]\n"ap.office" = [1, 2]',
        "sweep[1].ap.office: this is a table, not a value",
        "rts_threshold, fragmentation_threshold, short_retry_limit, … (44 in all)",
    ),
    "sweep of what is the same for all": (
        '[[sweep]]\n"run.seed" = [1, 2]',
        "sweep[1].run.seed: this is the same for all cells",
        "",
    ),
    "columns of different length": (
        '[[sweep]]\n"ap.office.rts_threshold" = [0, 2347]\n"ap.office.preamble" = ["long"]',
        "sweep[1]: columns of different length: ap.office.rts_threshold has 2, "
        "ap.office.preamble has 1",
        "allowed: columns of one length, taken row by row",
    ),
    "a column without values": (
        '[[sweep]]\n"ap.office.rts_threshold" = []',
        "sweep[1].ap.office.rts_threshold: [] is too short",
        "at least 1 values",
    ),
    "two axes of one name": (
        '[[sweep]]\nname = "connections"\n"ap.office.rts_threshold" = [0]',
        'sweep[1].name: "connections" names two axes',
        "",
    ),
    "one field in two axes": (
        '[[sweep]]\nname = "again"\n"traffic.pairs.count" = [3]',
        "sweep[1].traffic.pairs.count: another axis sweeps this too",
        "",
    ),
    "a value twice": (
        '[[sweep]]\n"ap.office.rts_threshold" = [256, 256]',
        "sweep[1]: a value stands twice in [256, 256]",
        "allowed: each value once, or labels that tell the rows apart",
    ),
    "a label too many": (
        '[[sweep]]\nlabels = ["on", "off", "on demand"]\n"ap.office.rts_threshold" = [0, 2347]',
        "sweep[1].labels: 3 labels for 2 rows",
        "allowed: a label for each row",
    ),
    "a label too few": (
        '[[sweep]]\nlabels = []\n"ap.office.rts_threshold" = [0, 2347]',
        "sweep[1].labels: 0 labels for 2 rows",
        "allowed: a label for each row",
    ),
    "a label twice": (
        '[[sweep]]\nlabels = ["RTS", "RTS"]\n"ap.office.rts_threshold" = [0, 2347]',
        'sweep[1].labels: a label stands twice in ["RTS", "RTS"]',
        "allowed: each label once",
    ),
    "a label that is no text": (
        '[[sweep]]\nlabels = ["off", 1]\n"ap.office.rts_threshold" = [0, 2347]',
        "sweep[1].labels[1]: 1 is not a text",
        "",
    ),
    "labels that are no list": (
        '[[sweep]]\nlabels = "RTS"\n"ap.office.rts_threshold" = [0, 2347]',
        'sweep[1].labels: "RTS" is not a list',
        "",
    ),
    "a swept value that no cell can have": (
        '[[sweep]]\n"ap.office.fragmentation_threshold" = [256, 100]',
        "ap.office.fragmentation_threshold: 100 is out of range (in the cell connections = 2, "
        "ap.office.fragmentation_threshold = 100)",
        "allowed: 256 to 2346 bytes",
    ),
    "a tap on nothing": (
        '[tap.air]\nat = "sta.labtop"',
        'tap.air.at: there is no point to tap "sta.labtop"; allowed: wire.uplink, ap.office, '
        "sta.laptop",
        "did you mean sta.laptop?",
    ),
    "a loss between what is no radio": (
        '[air.link.x]\nbetween = ["laptop", "server"]\nloss = "60 dB"',
        'air.link.x.between: "server" is a host; allowed: an access point, a station or a router: ',
        "office, laptop",
    ),
    "a loss between a radio and itself": (
        '[air.link.x]\nbetween = ["laptop", "laptop"]\nloss = "60 dB"',
        'air.link.x.between: both ends are "laptop"',
        "allowed: two radios",
    ),
    "a frame listed twice": (
        '[air.lose.x]\nsender = "laptop"\nmsdu = [3, 3]',
        "air.lose.x.msdu: [3, 3] is refused: a number stands twice",
        "allowed: a whole number from 1 on, or a list of them",
    ),
    "frames from a station to a station": (
        '[air.lose.x]\nsender = "laptop"\nreceiver = "laptop"',
        "air.lose.x.receiver: it can match nothing: frames go between an access point and its "
        "stations",
        "allowed: a station of the sender, or its access point",
    ),
    "a misspelt key of an axis": (
        '[[sweep]]\nlabel = ["a", "b"]\n"air.loss" = ["50 dB", "60 dB"]',
        'sweep[1].label: there is no "label" in a scenario',
        "did you mean labels?",
    ),
    "a single label": (
        '[[sweep]]\nlabel = "a"\n"air.loss" = ["50 dB"]',
        'sweep[1].label: "a" is not a list',
        "did you mean labels?",
    ),
    "an empty label": (
        '[[sweep]]\nlabels = ["", "b"]\n"air.loss" = ["50 dB", "60 dB"]',
        'sweep[1].labels[0]: "" is too short',
        "allowed: at least 1 characters",
    ),
    "more flows than anyone wants": (
        '[sta.crowd]\nap = "office"\ncount = 1000\n'
        '[traffic.flood]\napp = "udp"\nfrom = "crowd"\nto = "server"\ncount = 1000',
        "traffic.flood: makes 1000000 flows",
        "allowed: at most 16000",
    ),
    "a datagram larger than a frame": (
        '[traffic.flood]\napp = "udp"\nfrom = "server"\nto = "laptop"\npayload = 9000',
        "traffic.flood.payload: 9000 is refused: too large",
        "(units: B, bytes, kB, KiB, MB, MiB, GB, GiB), more than zero, at most 1472 B",
    ),
}


@pytest.mark.parametrize("case", ADDITIONS)
def test_a_wrong_addition_is_refused(case: str, tmp_path: Path) -> None:
    addition, beginning, end = ADDITIONS[case]
    message = refusal_of(tmp_path, f"{SWEPT}\n{addition}\n")
    assert "\n" not in message
    assert message.startswith(f"lab.toml: {beginning}")
    assert message.endswith(end)


def test_a_swept_value_is_said_once_however_many_cells_have_it(tmp_path: Path) -> None:
    sweep = '[[sweep]]\n"ap.office.rate" = ["54 Mbit/s"]\n'
    assert len(refusal_of(tmp_path, SWEPT + sweep).splitlines()) == 1


def test_of_many_names_the_nearest_few_are_listed() -> None:
    scenario = from_data(tomllib.loads(SWEPT), "lab.toml")
    with pytest.raises(an.ScenarioError) as caught:
        cells_of(with_overrides(scenario, {"replication.metric": "tcp.timeout"}))
    said = str(caught.value)
    assert 'there is no metric "tcp.timeout"; allowed: tcp.timeouts, ' in said
    assert said.count(",") == 6
    assert said.endswith(" in all); did you mean tcp.timeouts?")


SET = {
    "ap.office.rts_treshold": 'there is no "rts_treshold" in ap.office',
    "wlan.office.rate": 'there is no "wlan" in a scenario',
    "run": "this is a table, not a value",
    "run.seed.x": "run.seed is a value, not a table",
    "port.x.address": 'there is no "x" in port; allowed: nothing',
}


@pytest.mark.parametrize("path", SET)
def test_setting_an_unknown_path_is_refused(path: str, baseline: Path) -> None:
    with pytest.raises(an.ScenarioError) as caught:
        an.load(baseline, set={path: 1})
    assert f"baseline.toml: {path}: {SET[path]}" in str(caught.value)


def test_setting_a_wrong_value_is_refused(baseline: Path) -> None:
    values: dict[str, Any] = {"ap.office.fragmentation_threshold": 100}
    with pytest.raises(an.ScenarioError, match="100 is out of range; allowed: 256 to 2346 bytes"):
        an.load(baseline, set=values)


def test_sweeping_an_unknown_path_from_outside_is_refused(baseline: Path) -> None:
    with pytest.raises(an.ScenarioError, match=r"--sweep ap\.office\.rts: there is no"):
        with_sweep(an.load(baseline), {"ap.office.rts": [1, 2]})
