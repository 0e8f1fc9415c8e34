"""Access categories: what contends with what, and how much each brings through."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from refused import refusal_of

import anechoic as an
from anechoic.calc.access_categories import Category, SaturatedCategories
from anechoic.calc.saturation import Backoff, Contender

BENCH = """
run.duration = "10 s"
run.warmup = "1 s"
host.server = {}
ap.office.access = "edca"
ap.office.beacon_interval = "0 s"
wire.lan = { between = ["server", "office"], rate = "1 Gbit/s" }
air.loss = "50 dB"

[sta.marked]
ap = "office"
count = 4

[sta.plain]
ap = "office"
count = 4

[traffic.marked]
app = "udp"
from = "marked"
to = "server"
payload = "1000 bytes"
dscp = 8

[traffic.plain]
app = "udp"
from = "plain"
to = "server"
payload = "1000 bytes"

[ap.office.edca.video]
txop_limit = "0 s"
"""
CS1, AF41, EF = 8, 34, 46

# 802.11b with the long preamble: 1000 bytes with UDP, IP, LLC, QoS header and FCS at 11 Mbit/s,
# an ACK at 2 Mbit/s; a SIFS, AIFS of two or three slots, and EIFS with an ACK at 1 Mbit/s.
DATA, ACK, SIFS, SLOT, SLOW_ACK = 192 + 1064 * 8 / 11, 248, 10, 20, 304
BACKOFF = {
    CS1: (7, Backoff(32, 5, 7)),
    0: (3, Backoff(32, 5, 7)),
    AF41: (2, Backoff(16, 1, 7)),
}


def loaded(tmp_path: Path, text: str = BENCH) -> an.Scenario:
    file = tmp_path / "lab.toml"
    file.write_text(text, encoding="utf-8")
    return an.load(file)


def calculated(marked: int, plain: int, dscp: int) -> list[float]:
    """Give what a marked and a plain station bring through."""
    pairs = [(marked, BACKOFF[dscp]), (plain, BACKOFF[0])]
    space = SIFS + SLOT * min(aifsn for _, (aifsn, _) in pairs)
    success, collision = DATA + SIFS + ACK + space, DATA + SIFS + SLOW_ACK + space
    return SaturatedCategories(
        tuple(
            Category(Contender(backoff, success, collision, 8000, count), aifsn)
            for count, (aifsn, backoff) in pairs
        ),
        SLOT,
    ).goodputs_mbps()


@pytest.mark.parametrize(
    ("marked", "plain", "dscp"),
    [(4, 4, CS1), (1, 5, CS1), (1, 5, AF41)],
    ids=["4 of background", "1 of background", "1 of video"],
)
def test_categories_get_what_robinson_and_randhawa_say(
    marked: int, plain: int, dscp: int, tmp_path: Path
) -> None:
    scenario = loaded(tmp_path)
    changes = {"sta.marked.count": marked, "sta.plain.count": plain, "traffic.marked.dscp": dscp}
    results = an.run(scenario, set=changes, reps=12, out=tmp_path / "out", progress=False)
    found = [
        sum(
            summary.mean
            for name, summary in results.cells[0].metrics.items()
            if name.startswith(f"flow.{traffic}-") and name.endswith(".goodput_mbps")
        )
        / count
        for traffic, count in (("marked", marked), ("plain", plain))
    ]
    assert found == pytest.approx(calculated(marked, plain, dscp), rel=0.05)


def test_a_radio_is_four_in_the_order_of_urgency(tmp_path: Path) -> None:
    plan = an.compile_scenario(loaded(tmp_path))
    first = plan["nodes"][1]["interfaces"][0]["radio"]
    radios = [first, *first["categories"]]
    assert [radio["name"] for radio in radios] == [
        "office-voice",
        "office-video",
        "office-best-effort",
        "office-background",
    ]
    # IEEE Std 802.11-2007 Table 7-37, with CWmin 31 and CWmax 1023 of 802.11b.
    windows = [(radio["mac"]["cw_min"], radio["mac"]["cw_max"]) for radio in radios]
    assert windows == [(7, 15), (15, 31), (31, 1023), (31, 1023)]
    assert [radio["mac"]["edca"]["aifsn"] for radio in radios] == [2, 2, 3, 7]
    txop = [radio["mac"]["edca"]["txop_limit_ns"] for radio in radios]
    assert txop == [3_264_000, 0, 0, 0]


def functions(scenario: an.Scenario, node: int) -> list[tuple[int, int, int, float]]:
    """Give AIFSN, CWmin, CWmax and the milliseconds of a TXOP of a node's categories."""
    radio = an.compile_scenario(scenario)["nodes"][node]["interfaces"][0]["radio"]
    macs = [each["mac"] for each in (radio, *radio["categories"])]
    return [
        (mac["edca"]["aifsn"], mac["cw_min"], mac["cw_max"], mac["edca"]["txop_limit_ns"] / 1e6)
        for mac in macs
    ]


LATER = """
host.server = { stack = "linux-6" }
sta.laptop = { ap = "office", stack = "linux-6" }
wire.lan.between = ["server", "office"]
air = { standard = "802.11ac", channel = 36, loss = "50 dB" }
traffic.down = { app = "bulk", from = "server", to = "laptop" }
[ap.office]
access = "edca"
"""
AP, STATION = 1, 2
OF_2007 = [(2, 3, 7, 1.504), (2, 7, 15, 3.008), (3, 15, 1023, 0), (7, 15, 1023, 0)]
OF_2020 = [(2, 3, 7, 2.08), (2, 7, 15, 4.096), (3, 15, 1023, 2.528), (7, 15, 1023, 2.528)]
OF_HOSTAPD = [(1, 3, 7, 1.504), (1, 7, 15, 3.008), (3, 15, 63, 0), (7, 15, 1023, 0)]


@pytest.mark.parametrize(
    ("fields", "of_access_point", "of_station"),
    [
        ("", OF_2007, OF_2007),
        ('edca.defaults = "802.11-2020"', OF_2020, OF_2020),
        ('edca.defaults = "hostapd"', OF_HOSTAPD, OF_2007),
        ('profile = "linux-5"', OF_HOSTAPD, OF_2007),
        (
            'profile = "openwrt"',
            [*OF_HOSTAPD[:2], (3, 15, 63, 2.016), OF_HOSTAPD[3]],
            OF_2007,
        ),
        (
            'profile = "linux-5"\nedca.voice.aifsn = 4',
            [(4, 3, 7, 1.504), *OF_HOSTAPD[1:]],
            [(4, 3, 7, 1.504), *OF_2007[1:]],
        ),
    ],
    ids=["nothing said", "2020", "hostapd", "linux-5", "openwrt", "a field of its own"],
)
def test_categories_have_what_the_standard_or_hostapd_gives_them(
    fields: str, of_access_point: list[Any], of_station: list[Any], tmp_path: Path
) -> None:
    """hostapd announces to stations what 802.11-2007 has, and has other queues itself."""
    scenario = loaded(tmp_path, LATER + fields)
    assert functions(scenario, AP) == of_access_point
    assert functions(scenario, STATION) == of_station


@pytest.mark.parametrize(
    ("found", "replacement", "said"),
    [
        (
            "ap.office.beacon",
            "ap.office.cw_min = 15\nap.office.beacon",
            "ap.office.cw_min: 15 is of the DCF, and its cell contends by categories; allowed: "
            'nothing, or access = "dcf" of its access point',
        ),
        (
            'txop_limit = "0 s"',
            "cw_min = 63",
            "ap.office.edca.video.cw_min: 63 slots are more than cw_max; allowed: at most 31 slots",
        ),
        (
            "ap.office.edca.video",
            "ap.office.edca.vido",
            "ap.office.edca.vido: unknown field; allowed: defaults, voice, video, best_effort, "
            "background; "
            "did you mean video?",
        ),
    ],
    ids=["a window of the DCF", "a window above its largest", "a category that is none"],
)
def test_what_is_wrong(found: str, replacement: str, said: str, tmp_path: Path) -> None:
    assert refusal_of(tmp_path, BENCH.replace(found, replacement, 1)) == f"lab.toml: {said}"


def test_a_frame_says_its_priority(tmp_path: Path) -> None:
    text = BENCH.replace("dscp = 8", f"dscp = {EF}").replace("count = 4", "count = 1")
    scenario = loaded(tmp_path, text + '[tap.air]\nat = "ap.office"\n')
    an.run(scenario, set={"run.duration": "2 s"}, reps=1, out=tmp_path / "out", progress=False)
    (capture,) = (tmp_path / "out").glob("records/*/0000.captures/air.pcapng")
    fields = ["-T", "fields", "-e", "wlan.qos.priority", "-e", "_ws.malformed"]
    command = ["tshark", "-r", str(capture), "-Y", "wlan.fc.type == 2", *fields]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert set(said.splitlines()) == {"6\t", "0\t"}


CALL = """
run.duration = "6 s"
run.warmup = "2 s"
host.server.stack = "linux-6"
sta.laptop = { ap = "office", stack = "linux-6" }
wire.lan = { between = ["server", "office"], rate = "1 Gbit/s" }
air = { standard = "802.11ac", channel = 36, loss = "60 dB" }
traffic.download = { app = "bulk", from = "server", to = "laptop", count = 4 }
traffic.ping = { app = "ping", from = "server", to = "laptop", interval = "20 ms", dscp = 46 }

[ap.office]
access = "edca"
queue = { kind = "drop-tail", packets = 400 }
"""


def test_each_category_has_a_queue_of_its_own(tmp_path: Path) -> None:
    """A marked ping passes by a download's standing queue, and an unmarked one waits in it."""
    scenario = loaded(tmp_path, CALL)
    ping = "flow.ping-1.rtt_ms_mean"
    marked, plain = (
        an.run(
            scenario,
            set={"traffic.ping.dscp": dscp},
            reps=1,
            out=tmp_path / str(dscp),
            progress=False,
        )
        .cells[0]
        .metrics
        for dscp in (EF, 0)
    )
    assert plain["node.office-best-effort.queue.queue_ms_mean"].mean > 5
    assert plain[ping].mean > 4 * marked[ping].mean
