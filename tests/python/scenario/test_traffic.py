"""Every application can be run as its page shows it, and wrong traffic is refused."""

import re
from pathlib import Path
from typing import Any

import pytest
from refused import refusal

import anechoic as an
from anechoic.scenario.compile import compile_scenario
from anechoic.scenario.kinds import TRAFFIC

PAGE = (Path(__file__).parents[3] / "docs/traffic.md").read_text("utf-8")
BASE, *SHOWN = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
TRACE = "1 I 0 4300\n2 P 120 2100\n3 B 40 900\n4 B 80 950\n"


def save(folder: Path, text: str) -> Path:
    (folder / "table.toml").write_text(BASE, encoding="utf-8")
    (folder / "short.dat").write_text(TRACE, encoding="utf-8")
    path = folder / "shown.toml"
    path.write_text(f'extends = "table.toml"\n{text}', encoding="utf-8")
    return path


def film(folder: Path, trace: str) -> Path:
    (folder / "own.dat").write_text(trace, encoding="utf-8")
    table = '[traffic.film]\napp = "film"\nfrom = "server"\nto = "laptop-1"\ntrace = "own.dat"\n'
    return save(folder, table)


@pytest.mark.parametrize("text", SHOWN)
def test_what_is_shown_runs_and_arrives(text: str, tmp_path: Path) -> None:
    path = save(tmp_path, text)
    results = an.run(path, set={"run.duration": "4 s"}, reps=1, out=tmp_path / "r", progress=False)
    for name in re.findall(r"^\[traffic\.(\w+)\]", text, re.MULTILINE):
        for cell in results.cells:
            assert cell[f"flow.{name}-1.bytes"].mean > 0, name


def test_the_page_shows_every_application() -> None:
    shown = set(re.findall(r'^app = "([\w-]+)"', PAGE, re.MULTILINE))
    assert set(TRAFFIC) - shown == set()


def test_frames_leave_in_the_order_of_the_file_at_ascending_times(tmp_path: Path) -> None:
    plan = compile_scenario(an.load(film(tmp_path, TRACE)))
    [(name, frames)] = plan["traces"].items()
    milliseconds = [(time // 1_000_000, size) for time, size in frames]
    assert milliseconds == [(0, 4300), (40, 2100), (80, 900), (120, 950)]
    assert plan["flows"][-1]["app"]["trace"] == name


def test_two_who_replay_one_trace_share_it(tmp_path: Path) -> None:
    path = film(tmp_path, "0 I 500\n80 PB 300\n")
    both = {"traffic.film.to": "laptop"}
    plan: dict[str, Any] = compile_scenario(an.load(path, set=both))
    assert len(plan["traces"]) == 1 and len(plan["flows"]) == 3


@pytest.mark.parametrize(
    ("trace", "what"),
    [
        ("", "there are no frames"),
        ("# only a comment\n", "there are no frames"),
        ("1 I 0\n2 P 40 700\n", 'line 2: "2 P 40 700" has 4 columns'),
        ("1 I 0 soon\n", 'line 1: "soon" is not a number'),
        ("one I 0 900\n", 'line 1: "one" is not a number'),
        ("1 7 0 900\n", 'line 1: "7" is no type of a frame'),
        ("1 I 0 -3\n", "line 1: -3 is negative"),
        ("1 I 0 1e9\n", "line 1: 1e9 is too large"),
        ("1 I 0 900\n2 P 0 800\n", "all frames have the same time"),
    ],
)
def test_a_trace_that_is_none_is_refused(trace: str, what: str, tmp_path: Path) -> None:
    assert f"traffic.film.trace: own.dat: {what}" in refusal(film(tmp_path, trace))


@pytest.mark.parametrize(
    ("steps", "what"),
    [
        ('a = "connect"\nb = "conect"', 'steps.b: "conect" is not one of the values'),
        ('a = "start-timer"', "steps: there is no connection"),
        ('a = "confirm"\nb = "connect"', "steps.a: there is no connection"),
        ('a = "connect"\nb = "connect"', "steps.b: there is a connection already"),
        ('a = "connect"\nb = "end-loop"', "steps.b: no loop has begun"),
        ('a = "connect"\nb = "loop"\nc = "confirm"', "steps.b: this loop does not end"),
        ('a = "connect"\nb = "loop"\nc = "end-loop"', "steps.b: nothing takes time in this loop"),
        ('a = "loop"\nb = "connect"\nc = "end-loop"', "steps.c: the loop does not leave"),
        ('a = "connect"\nb = "end-timer"', "steps.b: no timer has started"),
        ('a = "connect"\nb = { do = "send" }', "steps.b.size: missing"),
    ],
)
def test_a_script_that_makes_no_sense_is_refused(steps: str, what: str, tmp_path: Path) -> None:
    table = '[traffic.own]\napp = "script"\nfrom = "server"\nto = "laptop-1"\n'
    assert f"traffic.own.{what}" in refusal(save(tmp_path, f"{table}[traffic.own.steps]\n{steps}"))


def test_the_script_of_ixchariot_written_out_gives_what_its_application_gives(
    tmp_path: Path,
) -> None:
    written = next(text for text in SHOWN if "next-record" in text)
    short = {"run.duration": "6 s"}

    def goodput(text: str) -> float:
        folder = tmp_path / str(len(text))
        folder.mkdir()
        results = an.run(save(folder, text), set=short, reps=1, out=folder / "r", progress=False)
        return results.cells[0]["flow.pair-1.goodput_mbps"].mean

    ends = '[traffic.pair]\nfrom = "server"\nto = "laptop-1"\n'
    assert goodput(written) == goodput(f'{ends}app = "chariot-throughput"\n')


def test_a_stop_before_the_start_is_refused(tmp_path: Path) -> None:
    message = refusal(save(tmp_path, '[traffic.download]\nstop = "1 s"\n'))
    assert 'traffic.download.stop: "1 s" is not after its start' in message


SPREAD = """
[traffic.download]
start_spread = "4 s"
start_pattern = "{}"
count = 4
"""


def flows(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = compile_scenario(an.load(path))["flows"]
    return found


def test_flows_start_at_even_distances_or_at_random(tmp_path: Path) -> None:
    even = flows(save(tmp_path, SPREAD.format("uniform")))
    assert [flow["start_ns"] / 1e9 for flow in even] == [2, 3, 4, 5]
    assert {flow["start_within_ns"] for flow in even} == {0}
    random = flows(save(tmp_path, SPREAD.format("poisson")))
    assert {(flow["start_ns"] / 1e9, flow["start_within_ns"] / 1e9) for flow in random} == {(2, 4)}


def test_random_starts_are_those_of_the_seed(tmp_path: Path) -> None:
    path = save(tmp_path, SPREAD.format("poisson"))
    results = an.run(path, reps=2, out=tmp_path / "r", progress=False)
    starts = [
        sorted(
            row["opened_s"]
            for row in results.transfers(results.cells[0], replication).to_pylist()
            if row["opener"]
        )
        for replication in (0, 1)
    ]
    assert all(2 <= each <= 6 for start in starts for each in start)
    assert len(set(starts[0])) == 4 and starts[0] != starts[1]


def test_a_spread_beyond_the_end_is_refused(tmp_path: Path) -> None:
    late = '[traffic.download]\nstop = "4 s"\nstart_spread = "3 s"\n'
    message = refusal(save(tmp_path, late))
    assert 'traffic.download.start_spread: "3 s" from 2 s on is beyond 4 s' in message
