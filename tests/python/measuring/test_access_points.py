"""Access points by SNMP: what agents answer, and the sweep that sets them, against a real snmpd."""

import json
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from machines import Machine, machines, paired
from snmp_agent import COMMUNITY, KEY, PRIVACY_KEY, USER, snmpd

import anechoic as an
from anechoic.measuring.access_points import AccessPoints
from anechoic.measuring.agents import Agent, known_agents
from anechoic.measuring.snmp import AgentFailed, get, put
from anechoic.scenario.errors import ScenarioError

HERE = Path(__file__).parent
OBJECTS = (1, 2, 840, 10036, 2, 1, 1)
RTS = (*OBJECTS, 2, 7)
VALUES = {"2": 2347, "3": 7, "4": 4, "5": 2346}


def configure(folder: Path, address: str) -> list[str]:
    """Write what snmpd reads; gives its command."""
    values = folder / "values.json"
    values.write_text(json.dumps(VALUES))
    return snmpd(folder, address, f"{HERE / 'access_point.py'} {values}")


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent]:
    """An access point's agent on this machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = configure(tmp_path, f"127.0.0.1:{port}")
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL) as process:
        found = Agent("office", "127.0.0.1", port, None, community=COMMUNITY)
        try:
            _await(found)
            yield found
        finally:
            process.terminate()


def _await(agent: Agent) -> None:
    deadline = time.monotonic() + 20
    while True:
        try:
            get(agent, [RTS])
            return
        except AgentFailed:
            assert time.monotonic() < deadline


def of_user(agent: Agent, key: str = KEY) -> Agent:
    secrets = {"authentication": ("SHA", key), "privacy": ("AES", PRIVACY_KEY)}
    return Agent("office", agent.host, agent.port, None, user=USER, **secrets)


@pytest.mark.parametrize("version", ["v2c", "v3"])
def test_what_is_set_is_read_back(agent: Agent, version: str) -> None:
    asked = of_user(agent) if version == "v3" else agent
    access_points = AccessPoints({"office": asked})
    access_points.check()
    settings = {"office": {"rts_threshold": 500, "fragmentation_threshold": 1024}}
    assert access_points.put(settings)
    assert not access_points.put(settings), "it stands already"
    assert dict(access_points.read(settings)) == {
        "node.office.rts_threshold": 500,
        "node.office.fragmentation_threshold": 1024,
    }
    assert get(asked, [RTS, (*OBJECTS, 99, 7)]) == [500, None]


def test_a_value_that_is_refused_is_told_in_one_line(agent: Agent) -> None:
    with pytest.raises(AgentFailed) as refused:
        AccessPoints({"office": agent}).put({"office": {"rts_threshold": 5000}})
    where = f"the agent of office at 127.0.0.1:{agent.port}"
    assert str(refused.value) == f"{where} refuses rts_threshold = 5000: wrongValue"
    with pytest.raises(AgentFailed, match=r"refuses: notWritable|refuses: noAccess"):
        put(agent, (*OBJECTS, 1, 7), 5)


def test_whoever_may_not_set_is_told(agent: Agent) -> None:
    reader = Agent("office", agent.host, agent.port, None, community="look")
    with pytest.raises(AgentFailed, match=r"refuses: noAccess"):
        put(reader, RTS, 100)
    with pytest.raises(AgentFailed, match="agent of office at"):
        get(of_user(agent, "another-phrase"), [RTS])


def test_a_silent_agent_is_told_in_one_line() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        port = silent.getsockname()[1]
        agent = Agent("office", "127.0.0.1", port, None, community="private")
        with pytest.raises(AgentFailed) as failed:
            AccessPoints({"office": agent}).check()
    assert str(failed.value) == f"the agent of office at 127.0.0.1:{port}: no answer in 5 s"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[office", "it is no TOML"),
        ('[office]\ncommunity = "x"', "office.address: it is missing"),
        ('[office]\naddress = "a:b"\ncommunity = "x"', 'office.address: "a:b" is no address'),
        ('[office]\naddress = "a"', "office: it is to have a community or a user"),
        ('[office]\naddress = "a"\ncomunity = "x"', "office.comunity: no such field"),
        ('[office]\naddress = "a"\nuser = "x"\nprivacy = "AES"', "office.privacy_key"),
        (
            '[office]\naddress = "a"\nuser = "x"\nauthentication = "CRC"\n'
            'authentication_key = "12345678"',
            'office.authentication: there is no "CRC"; allowed: MD5, SHA',
        ),
        ('office = "a"', "office:"),
    ],
)
def test_a_file_of_agents_that_is_wrong_is_told(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / ".config" / "anechoic" / "agents.toml"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(ScenarioError) as refused:
        known_agents(tmp_path)
    assert said in str(refused.value)


def test_keys_that_others_may_read_are_refused(tmp_path: Path) -> None:
    file = tmp_path / ".config" / "anechoic" / "agents.toml"
    file.parent.mkdir(parents=True)
    file.write_text('[office]\naddress = "a:1161"\ncommunity = "x"')
    file.chmod(0o644)
    with pytest.raises(ScenarioError, match="others may read its keys"):
        known_agents(tmp_path)
    file.chmod(0o600)
    assert known_agents(tmp_path)["office"].port == 1161
    assert known_agents(tmp_path / "elsewhere") == {}


SWEEP = """
run.duration = "1 s"
host.server.stack = "linux-6"
ap.office = {}
sta.laptop = { ap = "office", stack = "linux-6" }
wire.lan.between = ["server", "office"]
air = { loss = "50 dB", standard = "802.11g" }
traffic.down = { app = "bulk", from = "server", to = "laptop" }
[[sweep]]
name = "fragments"
"ap.office.fragmentation_threshold" = [2346, 256]
"""


def test_a_sweep_sets_the_access_point_of_each_cell_once(tmp_path: Path) -> None:
    file = tmp_path / "fragments.toml"
    file.write_text(SWEEP)
    with paired(tmp_path) as (desk, _, server):
        server.start(*configure(server.home, f"{server.address}:1161"))
        _name_agent(desk, f"{server.address}:1161")
        out = tmp_path / "out"
        done = desk.anechoic("measure", file, "--reps", "2", "--out", out)
        assert done.returncode == 0, done.stderr
        assert json.loads((server.home / "values.json").read_text())["sets"] == 2
    cells = an.Results.load(out).cells
    found = [cell.metrics["node.office.fragmentation_threshold"].mean for cell in cells]
    assert found == [2346, 256]


def test_a_sweep_that_changes_nothing_real_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "fragments.toml"
    file.write_text(SWEEP)
    with machines(tmp_path) as (desk, _):
        refused = desk.anechoic("measure", file, "--out", tmp_path / "out")
        assert refused.returncode == 2
        assert (
            "fragments = 2346 and fragments = 256 are the same on real machines" in refused.stderr
        )
        _name_agent(desk, f"{desk.address}:1")
        silent = desk.anechoic("measure", file, "--out", tmp_path / "out")
    assert silent.returncode == 2
    assert silent.stderr.count("\n") == 1
    assert "the agent of office at 10.39.0.1:1: " in silent.stderr


def test_a_refused_value_ends_the_sweep_in_one_line_and_keeps_what_was_measured(
    tmp_path: Path,
) -> None:
    file = tmp_path / "fragments.toml"
    file.write_text(SWEEP.replace("256]", "257]"))
    out = tmp_path / "out"
    with paired(tmp_path) as (desk, _, server):
        server.start(*configure(server.home, f"{server.address}:1161"))
        _name_agent(desk, f"{server.address}:1161")
        done = desk.anechoic("measure", file, "--reps", "1", "--out", out)
    assert done.returncode == 2
    where = f"the agent of office at {server.address}:1161"
    told = f"anechoic: {file}: {where} refuses fragmentation_threshold = 257: wrongValue"
    assert done.stderr.splitlines()[-1] == told
    assert "Traceback" not in done.stderr
    assert list((out / "records").glob("*/0000.*")), "the cell before it is kept"


def _name_agent(desk: Machine, address: str) -> None:
    file = desk.home / ".config" / "anechoic" / "agents.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f'[office]\naddress = "{address}"\ncommunity = "private"\n')
    file.chmod(0o600)
