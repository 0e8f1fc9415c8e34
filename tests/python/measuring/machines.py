"""Machines to measure between: namespaces of this one, joined by a pair of interfaces."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

PORT = 5301
PATIENCE_S = 20
LIFE_S = 300
"""What is left of a machine, should nobody end it, ends by itself."""


@dataclass
class Machine:
    """A namespace with a folder of keys, and what runs in it."""

    name: str
    address: str
    home: Path
    process: int
    running: list["subprocess.Popen[str]"] = field(default_factory=list)
    patience_s: float | None = 120
    """How long a command may take."""
    management: str | None = None
    """Its address in a network for the console alone, if there is one."""

    def command(self, *words: str | Path) -> list[str]:
        """Give the command that runs another one here."""
        enter = ["nsenter", "--target", str(self.process), "--net", "--time"]
        return [*enter, "env", f"HOME={self.home}", *map(str, words)]

    def run(self, *words: str | Path) -> "subprocess.CompletedProcess[str]":
        """Run a command to its end."""
        return subprocess.run(
            self.command(*words),
            capture_output=True,
            text=True,
            check=False,
            timeout=self.patience_s,
        )

    def anechoic(self, *words: str | Path) -> "subprocess.CompletedProcess[str]":
        """Run the command line to its end."""
        return self.run(*self.python(), *words)

    def python(self) -> list[str]:
        """Give the words that the command line begins with."""
        return [sys.executable, "-m", "anechoic.cli"]

    def start(self, *words: str | Path) -> "subprocess.Popen[str]":
        """Begin something that runs until the machine goes."""
        with (self.home / f"{len(self.running)}.log").open("w") as log:
            process = subprocess.Popen(
                self.command(*words), stdout=log, stderr=log, stdin=subprocess.DEVNULL, text=True
            )
        self.running.append(process)
        return process

    def pair(self, *words: str) -> str:
        """Let it know somebody; without words, give its own key."""
        command = ["env", f"HOME={self.home}", *self.python(), "pair", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def listen(self, *options: str) -> None:
        """Run an endpoint; wait until it listens."""
        where = f"{self.address if self.management is None else '0.0.0.0'}:{PORT}"
        endpoint = ["-m", "anechoic.cli", "endpoint", "--listen", where, *options]
        self.start(sys.executable, *endpoint)
        log = self.home / f"{len(self.running) - 1}.log"
        deadline = time.monotonic() + PATIENCE_S
        while "listening" not in log.read_text():
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)

    def log(self) -> str:
        """Give what all that runs has printed."""
        return "".join(each.read_text() for each in sorted(self.home.glob("*.log")))


def program_of(process: "subprocess.Popen[str]", name: str) -> int:
    """Give the process that a command at a machine has become, or begun: one of this name."""
    waiting = [process.pid]
    while waiting:
        number = waiting.pop(0)
        if Path(f"/proc/{number}/comm").read_text().startswith(name):
            return number
        children = Path(f"/proc/{number}/task/{number}/children").read_text()
        waiting += map(int, children.split())
    raise AssertionError(f"no {name} runs")


@contextmanager
def machines(
    folder: Path,
    names: Sequence[str] = ("laptop", "server"),
    ahead_s: Sequence[int] = (0, 0),
    life_s: int = LIFE_S,
) -> Iterator[list[Machine]]:
    """Make two machines; the clock of each that never steps is so many seconds ahead."""
    with ExitStack() as stack:
        made = []
        for number, (name, ahead) in enumerate(zip(names, ahead_s, strict=True), 1):
            home = folder / name
            home.mkdir()
            process = stack.enter_context(namespace(life_s, ahead))
            made.append(Machine(name, f"10.39.0.{number}", home, process))
        near, far = (f"m{os.getpid()}{end}" for end in "ab")
        set_link(f"link add {near} type veth peer name {far}")
        for machine, link in zip(made, (near, far), strict=True):
            set_link(f"link set {link} netns {machine.process}")
            machine.run("ip", "address", "add", f"{machine.address}/24", "dev", link)
            machine.run("ip", "link", "set", link, "up")
            machine.run("ip", "link", "set", "lo", "up")
            pings = "echo 0 2147483647 >/proc/sys/net/ipv4/ping_group_range"
            machine.run("sh", "-c", pings)
        stack.callback(end_all, made)
        yield made


@contextmanager
def paired(
    folder: Path,
    ahead_s: Sequence[int] = (0, 0),
    options: Sequence[Sequence[str]] = ((), ()),
    life_s: int = LIFE_S,
) -> Iterator[list[Machine]]:
    """Make two machines whose endpoints know each other; the first is the console as well."""
    with machines(folder, ahead_s=ahead_s, life_s=life_s) as made:
        console = made[0].home / "desk"
        console.mkdir()
        desk = Machine("desk", made[0].address, console, made[0].process)
        introduce(desk, made)
        for machine, each in zip(made, options, strict=True):
            machine.listen(*each)
        yield [desk, *made]


def introduce(desk: Machine, made: Sequence[Machine]) -> None:
    """Let the console and all machines know each other, and the first machine the others."""
    keys = [desk.pair(), *(each.pair() for each in made)]
    names = ["desk", *(each.name for each in made)]
    where = [f"{each.address}:{PORT}" for each in made]
    for number, (machine, address) in enumerate(zip(made, where, strict=True), 1):
        machine.pair(keys[0], names[0])
        desk.pair(keys[number], names[number], f"{machine.management or machine.address}:{PORT}")
        if number > 1:
            machine.pair(keys[1], names[1], where[0])
            made[0].pair(keys[number], names[number], address)


def end_all(made: Sequence[Machine]) -> None:
    """End what runs at machines."""
    for process in (process for machine in made for process in machine.running):
        process.kill()
        process.wait()


@contextmanager
def namespace(life_s: int, ahead_s: int = 0) -> Iterator[int]:
    """Hold network and clock of a machine; gives a process in them."""
    unshare = ["unshare", "--net", "--time", "--monotonic", str(ahead_s), "--fork"]
    with subprocess.Popen([*unshare, "--kill-child", "sleep", str(life_s)]) as outer:
        try:
            yield _child_of(outer.pid)
        finally:
            outer.kill()


def _child_of(process: int) -> int:
    children = Path(f"/proc/{process}/task/{process}/children")
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        for child in children.read_text().split():
            if Path(f"/proc/{child}/comm").read_text() == "sleep\n":
                return int(child)
        time.sleep(0.01)
    raise AssertionError("no namespace was made")


def set_link(command: str) -> None:
    """Change what `ip` changes on this machine."""
    subprocess.run(["ip", *command.split()], check=True)
