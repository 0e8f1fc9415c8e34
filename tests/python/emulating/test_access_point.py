"""An emulated access point that is set by SNMP, through a real snmpd in it, while it works."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from snmp_agent import COMMUNITY, KEY, PRIVACY_KEY, USER, snmpd

import anechoic as an
from anechoic.emulating.access_point import AccessPoint, serve
from anechoic.emulating.cell import Node
from anechoic.emulating.replaying import replay

CELL = """
run.duration = "60 s"
host.server = { stack = "linux-6", port = true }
ap.office = { port = true }
sta.laptop = { ap = "office", stack = "linux-6", port = true }
wire.lan.between = ["server", "office"]
air = { loss = "60 dB", standard = "802.11g" }
traffic.down = { app = "bulk", from = "server", to = "laptop" }
"""
SETTING = """
import json, sys
from anechoic.measuring.access_points import AccessPoints
from anechoic.measuring.agents import Agent
from anechoic.measuring.snmp import AgentFailed

agent, settings = json.loads(sys.argv[1]), json.loads(sys.argv[2])
access_points = AccessPoints({"office": Agent("office", "office", 161, None, **agent)})
try:
    access_points.put({"office": settings})
except AgentFailed as failed:
    sys.exit(str(failed))
print(json.dumps(dict(access_points.read({"office": settings}))))
"""
V2C = {"community": COMMUNITY}
V3 = {"user": USER, "authentication": ["SHA", KEY], "privacy": ["AES", PRIVACY_KEY]}


def set_to(node: Node, agent: dict[str, Any], **settings: int) -> dict[str, int] | str:
    """Set the access point from a node; what it reads then, or why it does not."""
    done = node.run([sys.executable, "-c", SETTING, json.dumps(agent), json.dumps(settings)])
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr.strip()


def download_mbps(emulation: an.Emulation) -> float:
    emulation["server"].start("iperf3 -s -1")
    told = emulation["laptop"].run("sleep 0.5; iperf3 -c server -R -t 2 -J", check=True)
    return float(json.loads(told.stdout)["end"]["sum_received"]["bits_per_second"]) / 1e6


def simulated_mbps(file: Path, threshold: int) -> float:
    """Give what the simulator has of a file's access point that is set so from the start."""
    settings = {"run.duration": "3 s", "ap.office.fragmentation_threshold": threshold}
    results = an.run(file, set=settings, reps=2, out=file.parent / str(threshold), progress=False)
    return results.cells[0]["goodput_mbps"].mean


def test_what_snmp_sets_changes_the_mac_at_once_and_is_read_back(tmp_path: Path) -> None:
    file = tmp_path / f"set-{os.getpid()}.toml"
    file.write_text(CELL)
    (tmp_path / "agent").mkdir()
    with an.emulate(file, out=tmp_path / "run") as emulation:
        command = snmpd(tmp_path / "agent", "161", "-m anechoic.cli access-point")
        emulation["office"].start(command)
        whole = download_mbps(emulation)
        server, laptop = emulation["server"], emulation["laptop"]
        cut = {"fragmentation_threshold": 256, "rts_threshold": 2347}
        read = {f"node.office.{name}": value for name, value in cut.items()}
        assert set_to(server, V2C, **cut) == read
        in_fragments = download_mbps(emulation)
        limits = {"short_retry_limit": 255, "long_retry_limit": 1}
        read = {f"node.office.{name}": value for name, value in limits.items()}
        assert set_to(laptop, V3, **limits) == read, "over the air, too"
        where = "the agent of office at office:161"
        told = set_to(server, V2C, rts_threshold=2348)
        assert told == f"{where} refuses rts_threshold = 2348: wrongValue"
        set_to(server, V3, fragmentation_threshold=2346)
        again = download_mbps(emulation)
    assert whole == pytest.approx(simulated_mbps(file, 2346), rel=0.15)
    assert in_fragments == pytest.approx(simulated_mbps(file, 256), rel=0.15)
    assert again > 1.5 * in_fragments
    assert replay(tmp_path / "run").is_same, "the log has what was set, and when"


class Radio(AccessPoint):
    """Stands for an access point."""

    def __init__(self) -> None:
        """Begin with the standard's values."""
        self.put_values: dict[str, int] = {}

    def objects(self) -> dict[tuple[int, ...], tuple[str, str]]:
        """Give two objects."""
        table = (1, 2, 840, 10036, 2, 1, 1)
        return {(*table, 1, 3): ("octet", "02 00"), (*table, 2, 3): ("integer", "2347")}

    def put(self, name: str, value: int) -> bool:
        """Take what is even."""
        self.put_values[name] = value
        return value % 2 == 0


OF_TABLE = ".1.2.840.10036.2.1.1"


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("PING\n", ["PONG"]),
        (f"get\n{OF_TABLE}.2.3\n", [f"{OF_TABLE}.2.3\ninteger\n2347"]),
        (f"get\n{OF_TABLE}.2.4\n", ["NONE"]),
        ("getnext\n.1.2.840.10036\n", [f"{OF_TABLE}.1.3\noctet\n02 00"]),
        (f"getnext\n{OF_TABLE}.2.3\n", ["NONE"]),
        (f"set\n{OF_TABLE}.2.3\ninteger 500\n\nPING\n", ["DONE", "PONG"]),
        (f'set\n{OF_TABLE}.2.3\ninteger "500"\n', ["DONE"]),
        (f"set\n{OF_TABLE}.2.3\ninteger 501\n", ["wrong-value"]),
        (f"set\n{OF_TABLE}.2.3\ninteger -1\n", ["wrong-value"]),
        (f"set\n{OF_TABLE}.2.3\nstring 500\n", ["wrong-type"]),
        (f"set\n{OF_TABLE}.1.3\ninteger 500\n", ["not-writable"]),
    ],
)
def test_snmpd_is_answered_in_its_words(asked: str, answered: list[str]) -> None:
    said: list[str] = []
    serve(iter(io.StringIO(asked).readline, ""), said.append, Radio())
    assert said == answered


def test_the_command_elsewhere_says_where_it_belongs() -> None:
    words = [sys.executable, "-m", "anechoic.cli", "access-point"]
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and "in an ap with port = true" in done.stderr
