"""Whatever a scenario file may hold can also be built from typed objects."""

from pathlib import Path

import pytest

import anechoic as an
from anechoic.campaign.sweep import cells_of

pytestmark = pytest.mark.usefixtures("core")

IN_TOML = """
title = "Guests beside an office"

[run]
duration = "60 s"
warmup = "5 s"
series_step = "1 s"
tcp_info_step = "1 s"
seed = 3

[host.server]
stack = "windows-2000"
tcp.data_retries = 500

[router.gate.radio.uplink]
ap = "office"

[switch.closet]

[ap.office]
profile = "vendor-a"
rate_control = { kind = "fallback", attempts_per_rate = 3 }
basic_rates = ["1 Mbit/s"]

[sta.laptop]
ap = "office"
count = 2
stack = "windows-xp"

[sta.phone]
ap = "office"
stack = "windows-xp"

[port.monitor]
address = "10.0.0.99"

[group.guests]
members = ["phone", "laptop-2"]

[wire.lan]
between = ["server", "office"]
delay = "1 ms"

[wire.lan.impair.loss]
kind = "drop"
towards = "office"
match = ["tcp-data", "icmp"]
probability = 0.01
from = "10 s"
until = "20 s"

[wire.lan.impair.first]
kind = "drop"
packets = [1]

[wire.mirror]
between = ["office", "monitor"]

[wire.uplink]
between = ["server", "gate"]
queue.packets = 50

[segment.hub]
members = ["closet", "gate"]

[air]
loss = "60 dB"

[air.link.wall]
between = ["guests", "office"]
loss = "80 dB"

[air.lose.second]
frame = "ack"
msdu = [2]

[noise.generator]
tx_power = "10 dBm"
times = [["10 ms", "12 ms"]]

[traffic.download]
app = "bulk"
from = "server"
to = "laptop"
sender.tcp.sack = false

[traffic.script]
app = "chariot-throughput"
from = "server"
to = "guests"
receiver = { stack = "windows-2000" }

[traffic.flood]
app = "udp"
from = "phone"
to = "server"
rate = "1 Mbit/s"

[traffic.probe]
app = "ping"
from = "guests"
to = "server"
interval = "100 ms"

[program.fetch]
node = "server"
command = "curl http://10.0.0.3"

[emulation]
stall = "20 ms"

[tap.air]
at = "ap.office"
snap = 256

[window.rest]
from = "start of traffic.download"
until = "50 s"

[replication]
metric = "flow.probe-1.rtt_ms_mean"
min = 4

[[sweep]]
name = "tcp"
labels = ["no SACK", "SACK", "SACK, slow"]
"host.server.tcp.sack" = [false, true, true]
"host.server.tcp.rto_min_ms" = [300, 300, 1000]

[[sweep]]
"air.link.wall.loss" = ["80 dB", "90 dB"]

[[figure]]
title = "Who waits"
x = "tcp"
y = ["goodput_mbps", "rtt_ms_mean"]
panel = "air.link.wall.loss"

[[figure]]
title = "Retries"
each = "group"
y = "retries"
"""


def in_python() -> an.Scenario:
    """Build the same from objects."""
    return an.Scenario(
        title="Guests beside an office",
        run=an.Run(duration="60 s", warmup="5 s", series_step="1 s", tcp_info_step="1 s", seed=3),
        host={"server": an.Host(stack="windows-2000", tcp={"data_retries": 500})},
        router={"gate": an.Router(radio={"uplink": an.Client(ap="office")})},
        switch={"closet": an.Switch()},
        ap={
            "office": an.AccessPoint(
                profile="vendor-a",
                rate_control=an.Fallback(attempts_per_rate=3),
                basic_rates=["1 Mbit/s"],
            )
        },
        sta={
            "laptop": an.Station(ap="office", count=2, stack="windows-xp"),
            "phone": an.Station(ap="office", stack="windows-xp"),
        },
        port={"monitor": an.Port(address="10.0.0.99")},
        group={"guests": an.Group(members=["phone", "laptop-2"])},
        wire={
            "lan": an.Wire(
                between=["server", "office"],
                delay="1 ms",
                impair={
                    "loss": an.Drop(
                        towards="office",
                        match=["tcp-data", "icmp"],
                        probability=0.01,
                        from_="10 s",
                        until="20 s",
                    ),
                    "first": an.Drop(packets=[1]),
                },
            ),
            "mirror": an.Wire(between=["office", "monitor"]),
            "uplink": an.Wire(between=["server", "gate"], queue=an.DropTail(packets=50)),
        },
        segment={"hub": an.Segment(members=["closet", "gate"])},
        air=an.Air(
            loss="60 dB",
            link={"wall": an.AirLink(between=["guests", "office"], loss="80 dB")},
            lose={"second": an.LostFrames(frame="ack", msdu=[2])},
        ),
        noise={"generator": an.Bursts(tx_power="10 dBm", times=[["10 ms", "12 ms"]])},
        traffic={
            "download": an.Bulk(
                from_="server", to="laptop", sender=an.ConnectionEnd(tcp={"sack": False})
            ),
            "script": an.ChariotThroughput(
                from_="server", to="guests", receiver=an.ConnectionEnd(stack="windows-2000")
            ),
            "flood": an.Udp(from_="phone", to="server", rate="1 Mbit/s"),
            "probe": an.Ping(from_="guests", to="server", interval="100 ms"),
        },
        program={"fetch": an.Program(node="server", command="curl http://10.0.0.3")},
        emulation=an.EmulationLimits(stall="20 ms"),
        tap={"air": an.Tap(at="ap.office", snap=256)},
        window={"rest": an.Window(from_="start of traffic.download", until="50 s")},
        replication=an.Replication(metric="flow.probe-1.rtt_ms_mean", min=4),
        sweep=[
            an.Sweep(
                name="tcp",
                labels=["no SACK", "SACK", "SACK, slow"],
                columns={
                    "host.server.tcp.sack": [False, True, True],
                    "host.server.tcp.rto_min_ms": [300, 300, 1000],
                },
            ),
            an.Sweep(columns={"air.link.wall.loss": ["80 dB", "90 dB"]}),
        ],
        figure=[
            an.Figure(
                title="Who waits",
                x="tcp",
                y=["goodput_mbps", "rtt_ms_mean"],
                panel="air.link.wall.loss",
            ),
            an.Figure(title="Retries", each="group", y="retries"),
        ],
    )


def test_a_bench_of_typed_objects_is_the_one_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "bench.toml"
    path.write_text(IN_TOML, encoding="utf-8")
    read = an.load(path)
    assert in_python().document() == read.document()
    assert cells_of(in_python()) == cells_of(read)


def test_the_bench_holds_every_table_there_is() -> None:
    assert set(in_python().document()) == set(an.Scenario.model_fields)
