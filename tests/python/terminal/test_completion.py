"""What the shell offers of a word that was begun."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from anechoic.cli import cli
from anechoic.completion import Bash

IPERF3 = {
    "start": {},
    "intervals": [],
    "end": {"sum_received": {"bits_per_second": 1e7}, "sum_sent": {"bits_per_second": 1e7}},
}


def offered(*words: str, kind: str = "plain") -> list[str]:
    """Give what is offered for the last word."""
    complete = Bash(cli, {}, "anechoic", "_ANECHOIC_COMPLETE")
    items = complete.get_completions(list(words[:-1]), words[-1])
    # Shells forget what stands before files.
    assert all(item.type == "plain" for item in items[1:])
    return [item.value for item in items if item.type == kind]


def test_experiments_examples_and_files_are_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("goal.toml").write_text("", "utf-8")
    assert offered("run", "buf") == ["bufferbloat"]
    assert offered("run", "goel-re") == ["goel-reorder", "goel-reorder-done"]
    assert offered("run", "goa") == ["goal.toml"]
    assert offered("new", "hi") == ["hidden"]
    assert offered("claims", "goel-1-a") == ["goel-1-a"]
    assert "show" in offered("claims", "sho")


@pytest.mark.parametrize(
    "words",
    [
        ("analyse", "off"),
        ("analyse", "a.pcap", "--signal", "off"),
        ("script", "off"),
        ("compare", "off"),
        ("run", "off"),
        ("claims", "off"),
    ],
    ids=" ".join,
)
def test_files_are_offered_by_the_shell_itself(words: tuple[str, ...]) -> None:
    assert offered(*words, kind="file") == ["off"]


def test_paths_of_the_scenario_are_offered() -> None:
    assert offered("run", "goel-1", "--set", "ap.office.r") == [
        "ap.office.rate=",
        "ap.office.reorder_buffer=",
        "ap.office.reorder_timeout=",
        "ap.office.rate_control=",
        "ap.office.rts_threshold=",
    ]
    assert "wire.lan.queue.packets" in offered("explain", "goel-1", "--path", "wire.lan.q")
    assert offered("run", "no-such-thing", "--set", "ap") == []


@pytest.mark.parametrize(
    ("begun", "whole"),
    [
        ("ap.office.preamble=", ["long", "short"]),
        ("run.time_series=t", ["true"]),
        ("host.server.stack=linux", ["linux-2.4", "linux-6"]),
        ("sta.laptop.tcp.congestion_control=c", ["cubic"]),
        ("wire.lan.queue=fq", ["fq-codel"]),
        ("sta.laptop.ap=", ["office"]),
        ("traffic.pairs.to=l", ["laptop"]),
        (
            "replication.metric=collision_probability",
            ["collision_probability", "collision_probability_hidden"],
        ),
        ("ap.office.rts_threshold=", []),
    ],
)
def test_values_are_offered_where_there_is_a_choice(begun: str, whole: list[str]) -> None:
    path = begun.partition("=")[0]
    assert offered("run", "goel-1", "--set", begun) == [f"{path}={value}" for value in whole]


def test_nodes_that_can_be_real_are_offered() -> None:
    assert offered("emulate", "roaming", "--real", "") == ["server", "walker", "west", "east"]
    assert offered("emulate", "roaming", "--exec", "s") == ["server="]


def test_metrics_are_offered_that_what_is_compared_has(tmp_path: Path) -> None:
    measured = tmp_path / "measured.json"
    measured.write_text(json.dumps(IPERF3), "utf-8")
    both = (str(measured), "not-there", "--metric", "good")
    assert offered("compare", *both) == ["goodput_mbps"]


def test_conditions_of_a_prediction_and_their_values_are_offered() -> None:
    assert offered("predict", "sta") == ["starved", "standard=", "stations="]
    assert offered("predict", "standard=") == ["standard=802.11b", "standard=802.11g"]
    assert offered("predict", "snr=") == []


def test_places_to_run_on_are_offered() -> None:
    assert offered("run", "goel-1", "--on", "s") == ["slurm", "sge"]


def test_a_swept_list_is_gone_on_with() -> None:
    assert offered("run", "goel-1", "--sweep", "wire.lan.queue=drop-tail,co") == [
        "wire.lan.queue=drop-tail,codel"
    ]


def loaded(shell: str) -> str:
    """Give what a shell is to load."""
    return subprocess.run(
        [sys.executable, "-m", "anechoic.cli"],
        env={"_ANECHOIC_COMPLETE": f"{shell}_source"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_bash_understands_what_it_is_to_load() -> None:
    assert "compopt -o nospace" in loaded("bash")
    subprocess.run(["bash", "-n"], input=loaded("bash"), text=True, check=True)


def test_a_path_is_written_on_in_zsh_and_a_list_in_fish() -> None:
    assert "compadd -U -S '' -V unsorted -a begun" in loaded("zsh")
    assert 'string split --max 1 ","' in loaded("fish")
