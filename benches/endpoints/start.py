"""How far apart five endpoints begin: when the kernel sees the first segment of each."""

import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from machines import PORT, Machine, machines
from measuring import Broken, Row

from endpoints.bench import LIFE_S, measured

COUNT = 5
GOAL_MS = 1.0
NAMES = [f"s{number}" for number in range(1, COUNT + 1)]


def rows(seconds: int, rounds: int) -> Iterator[Row]:
    """Begin so often together."""
    with (
        tempfile.TemporaryDirectory() as name,
        machines(Path(name), life_s=LIFE_S) as (laptop, field),
    ):
        desk = _gathered(laptop, field)
        spreads = sorted(_spreads(desk, laptop, Path(name), seconds, rounds))
    if not spreads:
        raise Broken("no five endpoints have begun")
    p99 = spreads[int(0.99 * (len(spreads) - 1))]
    figure = f"{p99:.3f} ms, median {spreads[len(spreads) // 2]:.3f} ms, of {len(spreads)}"
    yield Row("common start of five, 99th percentile", figure, f"{GOAL_MS} ms", p99 <= GOAL_MS)


def _gathered(laptop: Machine, field: Machine) -> Machine:
    """Run five endpoints at addresses of their own, and one more at the console's machine."""
    link = field.run("ip", "-o", "link", "show", "type", "veth").stdout.split()[1].split("@")[0]
    ends = [Machine("sink", laptop.address, laptop.home, laptop.process)]
    for number, name in enumerate(NAMES, 11):
        home = field.home / name
        home.mkdir()
        ends.append(Machine(name, f"10.39.0.{number}", home, field.process))
        field.run("ip", "address", "add", f"{ends[-1].address}/24", "dev", link)
    home = laptop.home / "desk"
    home.mkdir()
    desk = Machine("desk", laptop.address, home, laptop.process)
    keys, own = [each.key() for each in ends], desk.key()
    for end, key in zip(ends, keys, strict=True):
        end.anechoic("pair", own, "desk")
        desk.anechoic("pair", key, end.name, f"{end.address}:{PORT}")
        others = ends[:1] if end.name != "sink" else ends[1:]
        for other in others:
            known = keys[ends.index(other)]
            end.anechoic("pair", known, other.name, f"{other.address}:{PORT}")
        end.listen()
        # Whoever ends the machines ends them as well.
        (laptop if end.name == "sink" else field).running.extend(end.running)
    return desk


def _spreads(
    desk: Machine, laptop: Machine, folder: Path, seconds: int, rounds: int
) -> Iterator[float]:
    """Give how far apart, in milliseconds, the first segments of each run left."""
    ports = f"dst portrange {PORT + 1}-{PORT + COUNT}"
    asked = ["-i", "any", "-f", f"tcp[13] & 18 = 2 and {ports}", "-T", "fields"]
    words = laptop.command("tshark", "-l", *asked, "-e", "frame.time_epoch")
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as capture:
        time.sleep(3)
        measured(desk, _text(seconds), folder, rounds)
        time.sleep(1)
        capture.terminate()
        printed, _ = capture.communicate()
    times = sorted(float(line) for line in printed.split())
    if len(times) % COUNT:
        raise Broken(f"{len(times)} first segments of {rounds} runs")
    for at in range(0, len(times), COUNT):
        yield 1e3 * (times[at + COUNT - 1] - times[at])


def _text(seconds: int) -> str:
    app = 'app = "application-limited", rate = "80 kbit/s", start_jitter = "0 s", to = "sink"'
    ends = ["sink", *NAMES]
    return "\n".join(
        [
            f'run.duration = "{seconds} s"',
            *(f'host.{name}.stack = "linux-6"' for name in ends),
            f"segment.lan.members = {ends}".replace("'", '"'),
            *(f'traffic.{name} = {{ {app}, from = "{name}" }}' for name in NAMES),
        ]
    )
