"""Frames lost by list, what radiates, and contention windows, as a scenario says them."""

from pathlib import Path

import pytest
from refused import refusal_of

import anechoic as an
from anechoic.campaign.table import text
from anechoic.report.warnings import warnings

BENCH = """
run.duration = "1 s"
host.server = {}
wire.lan.between = ["server", "office"]
air.loss = "60 dB"

[ap.office]
fragmentation_threshold = 800

[sta.laptop]
ap = "office"
count = 2

[traffic.stream]
app = "udp"
from = "laptop"
to = "server"
rate = "1 Mbit/s"

[air.lose.second]
sender = "laptop"
frame = "data"
msdu = 3
attempt = [1, 2]

[noise.generator]
tx_power = "20 dBm"
times = [["10 ms", "12 ms"], ["20 ms", "30 ms"]]

[air.link.near]
between = ["generator", "office"]
loss = "40 dB"
"""


def compiled(tmp_path: Path, text: str = BENCH) -> an.Plan:
    file = tmp_path / "lab.toml"
    file.write_text(text, encoding="utf-8")
    return an.compile_scenario(an.load(file))


def test_a_list_names_radios_and_numbers(tmp_path: Path) -> None:
    (lost,) = compiled(tmp_path)["air"]["lose"]
    assert (lost["name"], lost["senders"], lost["receivers"]) == ("second", [2, 3], [])
    assert (lost["frames"], lost["msdu"], lost["attempt"]) == (["data"], [3], [1, 2])


def test_a_noise_reaches_each_radio_over_its_loss(tmp_path: Path) -> None:
    (emitter,) = compiled(tmp_path)["air"]["emitters"]
    assert emitter["received_dbm"][1:] == [-20.0, -40.0, -40.0]
    assert emitter["times"] == [[10_000_000, 12_000_000], [20_000_000, 30_000_000]]


def test_a_window_of_zero_is_one(tmp_path: Path) -> None:
    text = BENCH.replace("[sta.laptop]", "[sta.laptop]\ncw_min = 0\ncw_max = 0")
    mac = compiled(tmp_path, text)["nodes"][2]["interfaces"][0]["radio"]["mac"]
    assert (mac["cw_min"], mac["cw_max"]) == (0, 0)


@pytest.mark.parametrize(
    ("found", "replacement", "said"),
    [
        (
            'sender = "laptop"',
            'sender = "laptp"',
            'air.lose.second.sender: there is no radio "laptp"; allowed: office, laptop; '
            "did you mean laptop?",
        ),
        (
            "msdu = 3",
            "fragment = 2",
            "air.lose.second.fragment: 2 can match nothing: no MSDU is cut into so many "
            "fragments; allowed: 1",
        ),
        (
            "attempt = [1, 2]",
            "attempt = 8",
            "air.lose.second.attempt: 8 can match nothing: a frame is given up before; "
            "allowed: 1 to 7",
        ),
        (
            "msdu = 3",
            "msdu = 0",
            "air.lose.second.msdu: 0 is refused: frames count from 1 on; allowed: a whole number "
            "from 1 on, or a list of them",
        ),
        (
            "attempt = [1, 2]",
            "attempt = []",
            "air.lose.second.attempt: [] is refused: an empty list names no frame; allowed: a "
            "whole number from 1 on, or a list of them",
        ),
        (
            "[noise.generator]",
            "[air.lose.empty]\n[noise.generator]",
            "air.lose.empty: it says of no frame what it has; allowed: one of sender, receiver, "
            "frame, msdu, fragment, attempt, number",
        ),
        (
            'frame = "data"',
            'frame = "rts"',
            'air.lose.second.frame: "rts" can match nothing: no frame is above its rts_threshold; '
            "allowed: data, ack or beacon",
        ),
        (
            '["20 ms", "30 ms"]',
            '["11 ms", "30 ms"]',
            'noise.generator.times[1]: "11 ms" is not after the end of the burst before; '
            "allowed: more than 12 ms",
        ),
        (
            '["20 ms", "30 ms"]',
            '["30 ms", "20 ms"]',
            'noise.generator.times[1]: "20 ms" is not after its beginning; allowed: more than '
            "30 ms",
        ),
        (
            '["20 ms", "30 ms"]',
            '["20 ms", "3 s"]',
            'noise.generator.times[1]: "3 s" is behind the end of the run; allowed: at most 1 s',
        ),
        (
            "[sta.laptop]",
            "[sta.laptop]\ncw_max = 15",
            "sta.laptop.cw_min: 31 slots are more than cw_max; allowed: at most 15 slots",
        ),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, found: str, replacement: str, said: str) -> None:
    assert refusal_of(tmp_path, BENCH.replace(found, replacement, 1)) == f"lab.toml: {said}"


def test_explain_shows_lists_and_bursts(tmp_path: Path) -> None:
    from anechoic.scenario.explain import explained

    file = tmp_path / "lab.toml"
    file.write_text(BENCH, encoding="utf-8")
    lines = {line.path: line.value for line in explained(an.load(file))}
    assert lines["air.lose.second.attempt"] == "1, 2"
    assert lines["noise.generator.times"] == "[10 ms, 12 ms], [20 ms, 30 ms]"


def test_table_and_report_say_what_was_listed_and_never_came(tmp_path: Path) -> None:
    file = tmp_path / "lab.toml"
    file.write_text(BENCH.replace("msdu = 3", "msdu = [3, 9999]"), encoding="utf-8")
    results = an.run(file, reps=2, out=tmp_path / "out", progress=False)
    said = "air.lose.second lists frames that never came."
    assert said in warnings(results) and said in text(results).replace("\n    ", " ")
