"""Behind a router that translates all is opened from inside, whoever sends."""

from pathlib import Path
from typing import Any

import pytest
from recorded import tshark

import anechoic as an

HOME = """
run = { duration = "DURATION" }
host.server.stack = "linux-6"
router.gate.nat = "wire.dsl"
sta.laptop = { ap = "home", stack = "linux-6" }
ap.home = {}
air = { loss = "65 dB", standard = "802.11g" }
wire.lan = { between = ["gate", "home"], rate = "1 Gbit/s" }
wire.dsl = { between = ["gate", "server"], rate = "20 Mbit/s", delay = "10 ms" }
"""
STEPS = """
steps.open.do = "connect"
steps.ask = { do = "send", size = 100 }
steps.get = { do = "receive", size = 1_000_000 }
steps.close.do = "disconnect"
"""
GIVEN = STEPS.replace('"send", size = 100', '"receive", size = 100').replace(
    '"receive", size = 1_000_000', '"send", size = 1_000_000'
)


def ran(folder: Path, traffic: str, duration: str = "3 s") -> an.Cell:
    file = folder / "home.toml"
    file.write_text(HOME.replace("DURATION", duration) + traffic, encoding="utf-8")
    (cell,) = an.run(file, reps=2, out=folder / "out", progress=False).cells
    return cell


def down(what: str) -> str:
    return f"[traffic.d]\nfrom = 'server'\nto = 'laptop'\n{what}\n"


def test_a_download_fills_the_line(tmp_path: Path) -> None:
    """1448 of 1500 bytes of a packet, and those of 20 Mbit/s, less slow start and the handshake."""
    cell = ran(tmp_path, down("app = 'bulk'") + "[tap.outside]\nat = 'wire.dsl'")
    assert 17.5 < cell["goodput_mbps"].mean < 20 * 1448 / 1500
    capture = next((tmp_path / "out").rglob("*.pcapng"))
    syn = tshark(capture, "-Y", "tcp.flags.syn == 1", "-T", "fields", "-e", "tcp.flags.ack")
    assert len(syn) == 2, "one handshake"
    sources = tshark(capture, "-Y", "tcp.flags.syn == 1", "-T", "fields", "-e", "tcp.dstport")
    assert sources[0] == "5001", "it goes to the server"


@pytest.mark.parametrize(
    "what",
    [
        "app = 'web'\nreading = '100 ms'",
        "app = 'ftp'",
        "app = 'chariot-throughput'",
        "app = 'gentragen'",
        "app = 'two-way'",
        "app = 'application-limited'\nrate = '1 Mbit/s'",
        "app = 'udp'\nrate = '1 Mbit/s'",
        "app = 'poisson'\nrate = '1 Mbit/s'",
        "app = 'voip'",
        "app = 'film'",
        "app = 'game'",
        "app = 'video-call'",
        "app = 'ping'",
        f"app = 'script'{GIVEN}",
    ],
)
def test_whatever_comes_from_outside_is_opened_from_inside(what: str, tmp_path: Path) -> None:
    cell = ran(tmp_path, down(what))
    assert cell["flow.d-1.bytes"].min > 0
    if "flow.d-1.answers.datagrams_received" in cell.metrics:
        assert cell["flow.d-1.answers.datagrams_received"].min > 0


def test_what_comes_back_to_a_script_is_goodput(tmp_path: Path) -> None:
    script = f"[traffic.d]\nfrom = 'laptop'\nto = 'server'\napp = 'script'{STEPS}"
    assert ran(tmp_path, script)["flow.d-1.bytes"].mean == 1_000_100


@pytest.mark.parametrize("app", ["voip", "game", "video-call"])
def test_answers_find_the_way_back_in(app: str, tmp_path: Path) -> None:
    """Nobody outside knows an address inside, and answers go to where datagrams came from."""
    traffic = f"[traffic.d]\nfrom = 'laptop'\nto = 'server'\napp = '{app}'\n"
    cell = ran(tmp_path, traffic + "[tap.outside]\nat = 'wire.dsl'")
    assert cell["flow.d-1.answers.datagrams_received"].min > 0
    capture = next((tmp_path / "out").rglob("*.pcapng"))
    hosts = {*tshark(capture, "-Y", "udp", "-T", "fields", "-e", "ip.dst")}
    assert len(hosts) == 2, "the server and the gate"


def test_a_flow_of_datagrams_outlives_the_translator_s_memory(tmp_path: Path) -> None:
    """An entry is kept for 300 s (RFC 4787), and what comes in refreshes none."""
    cell = ran(tmp_path, down("app = 'udp'\nrate = '8 kbit/s'\npayload = 1000"), "400 s")
    assert cell["flow.d-1.datagram_loss"].mean == 0
    assert cell["flow.d-1.datagrams_received"].mean == pytest.approx(400, abs=3)


def test_who_opens_may_be_said_where_nothing_translates(tmp_path: Path) -> None:
    """The sender's data wait for one way more: SYN, SYN-ACK and ACK go by before the first."""

    def seconds(opens: str) -> float:
        text = HOME.replace('router.gate.nat = "wire.dsl"', "router.gate = {}")
        file = tmp_path / f"{opens}.toml"
        traffic = down(f"app = 'bulk'\nbytes = 1000\nopens = '{opens}'")
        file.write_text(text.replace("DURATION", "3 s") + traffic, encoding="utf-8")
        (cell,) = an.run(file, reps=2, out=tmp_path / opens, progress=False).cells
        return cell["flow.d-1.transfer_s_mean"].mean

    assert seconds("laptop") - seconds("server") == pytest.approx(0.01, abs=0.003)


def refused(folder: Path, traffic: str, **changed: Any) -> str:
    with pytest.raises(an.ScenarioError) as caught:
        file = folder / "home.toml"
        file.write_text(HOME.replace("DURATION", "3 s") + traffic, encoding="utf-8")
        an.explain(file, set=changed)
    return str(caught.value)


def test_what_nobody_can_open_is_refused(tmp_path: Path) -> None:
    outside = refused(tmp_path, down("app = 'bulk'\nopens = 'server'"))
    assert "traffic.d.opens: laptop is behind router.gate, which translates addresses" in outside
    neither = refused(tmp_path, down("app = 'bulk'\nopens = 'home'"))
    assert 'traffic.d.opens: "home" is not one of its two ends; allowed: server, laptop' in neither
    nobody = refused(tmp_path, down("app = 'bulk'\nopens = 'lapdog'"))
    assert "traffic.d.opens" in nobody and "laptop" in nobody
