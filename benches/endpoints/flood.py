"""What ten thousand callers who show nothing take from the goodput of a test that runs."""

import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from machines import PORT, Machine, paired
from measuring import Row

from endpoints.bench import LIFE_S, measured

CALLERS = 10_000
ADDRESSES = range(20, 220)
MOST_LOSS = 0.02
MBPS = 100
SCENARIO = """
run = {{ duration = "{seconds} s", time_series = false, distributions = false }}
host.server.stack = "linux-6"
host.laptop.stack = "linux-6"
wire.lan.between = ["server", "laptop"]
traffic.load = {{ app = "bulk", from = "laptop", to = "server" }}
"""
FLOOD = """
import resource, socket, sys, time
resource.setrlimit(resource.RLIMIT_NOFILE, (20000, 20000))
to, many, first, last, seconds = sys.argv[1], *map(int, sys.argv[2:])
while f":{5302:04X} 01" not in open("/proc/net/tcp").read():
    time.sleep(0.1)
held = []
for number in range(many):
    end = socket.socket()
    end.bind((f"10.39.0.{first + number % (last - first)}", 0))
    end.settimeout(1)
    try:
        end.connect((to, 5301))
        if number % 2:
            end.send(bytes((22, 3, 1)))
    except OSError:
        pass
    held.append(end)
    time.sleep(seconds / many)
"""


def rows(seconds: int, rounds: int) -> Iterator[Row]:
    """Run with and without the flood in turns."""
    ceiling = ("--max-mbps", str(MBPS))
    with (
        tempfile.TemporaryDirectory() as name,
        paired(Path(name), options=[ceiling, ()], life_s=LIFE_S) as made,
    ):
        desk, laptop, server = made
        link = laptop.run("ip", "-o", "link", "show", "type", "veth").stdout.split()[1]
        for number in ADDRESSES:
            where = ["dev", link.split("@")[0]]
            laptop.run("ip", "address", "add", f"10.39.0.{number}/24", *where)
        shares = []
        for _ in range(rounds):
            alone = _goodput(desk, Path(name), seconds)
            flooding = laptop.start(*_flood(server, seconds))
            flooded = _goodput(desk, Path(name), seconds)
            flooding.kill()
            flooding.wait()
            shares.append(flooded / alone)
    share = statistics.median(shares)
    told = f"{share:.1%} of what it has alone"
    yield Row(f"goodput under {CALLERS} callers", told, "98 %", share >= 1 - MOST_LOSS)


def _goodput(desk: Machine, folder: Path, seconds: int) -> float:
    (cell,) = measured(desk, SCENARIO.format(seconds=seconds), folder).cells
    return cell.metrics["goodput_mbps"].mean


def _flood(server: Machine, seconds: int) -> list[str]:
    assert PORT == 5301
    numbers = (CALLERS, ADDRESSES.start, ADDRESSES.stop, seconds)
    return [sys.executable, "-c", FLOOD, server.address, *map(str, numbers)]
