"""A shell, or another command, in a node of an emulation that runs."""

import os
import pty
import selectors
import signal
import socket
import struct
import sys
import termios
import tty
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from fcntl import ioctl
from pathlib import Path
from typing import Any

from anechoic.emulating.console import EmulationRefused, Messages, Program, start_request
from anechoic.scenario.errors import Problem, ScenarioError

PREFIX = "anechoic"
CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class Running:
    """An emulation that runs on this machine: its process, and the name of its scenario."""

    process: int
    scenario: str

    @property
    def address(self) -> str:
        """Give the name of the socket that it listens at, which stands in no folder."""
        return f"\0{PREFIX}/{os.getuid()}/{self.process}/{self.scenario}"


def running() -> list[Running]:
    """Find the emulations of this user."""
    found = set()
    for line in Path("/proc/net/unix").read_text().splitlines():
        prefix, user, process, name, *rest = [*line.split()[-1].split("/", 3), *[""] * 4][:5]
        if (
            prefix == f"@{PREFIX}"
            and user == str(os.getuid())
            and process.isdigit()
            and not rest[0]
        ):
            found.add(Running(int(process), name))
    return sorted(found, key=lambda each: each.process)


def enter(node: str, command: Sequence[str], process: int | None) -> int:
    """Run a command in a node, a shell if there is none, and give its status.

    ``process`` is that of the emulation, where several run.
    """
    chosen = _chosen(node, process)
    end = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with end:
        end.connect(chosen.address)
        _check_user(end, chosen)
        messages = Messages(end)
        words = list(command)[1:] if command[:1] == ("--",) else list(command)
        arguments = words or [os.environ.get("SHELL", "/bin/sh")]
        has_terminal = not words and all(map(os.isatty, (0, 1)))
        request = start_request(node, arguments, has_terminal=has_terminal)
        try:
            if has_terminal:
                return _in_terminal(messages, request)
            return Program(messages, *messages.start(request, [0, 1, 2])).wait()
        except EmulationRefused as error:
            raise ScenarioError(node, [Problem("", str(error), "a real node")]) from None


def _chosen(node: str, process: int | None) -> Running:
    found = running()
    listed = ", ".join(f"{each.process} ({each.scenario})" for each in found)
    if process is None and len(found) == 1:
        return found[0]
    if process is None and found:
        what = f"{len(found)} emulations run"
        raise ScenarioError(node, [Problem("--run", what, f"one of {listed}")])
    for each in found:
        if each.process == process:
            return each
    what = "no emulation runs" if not found else f"no emulation has the process {process}"
    allowed = listed or "one that `anechoic emulate FILE` has begun"
    raise ScenarioError(node, [Problem("", what, allowed)])


def _check_user(end: socket.socket, chosen: Running) -> None:
    """Pass no terminal to a stranger who took the name of an emulation."""
    size = struct.calcsize("3i")
    process, user, _ = struct.unpack(
        "3i", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    )
    if user != os.getuid() or process != chosen.process:
        what = f"process {process} of user {user} listens in its place"
        raise ScenarioError(chosen.scenario, [Problem("", what, "an emulation of your own")])


def _in_terminal(messages: Messages, request: dict[str, Any]) -> int:
    ours, theirs = pty.openpty()
    with ExitStack() as stack:
        stack.callback(os.close, ours)
        _pass_size(ours)
        try:
            program = Program(messages, *messages.start(request, [theirs, theirs, theirs]))
        finally:
            os.close(theirs)
        before = termios.tcgetattr(0)
        stack.callback(termios.tcsetattr, 0, termios.TCSAFLUSH, before)
        previous = signal.signal(signal.SIGWINCH, lambda *_: _pass_size(ours))
        stack.callback(signal.signal, signal.SIGWINCH, previous)
        tty.setraw(0)
        _copy(ours)
        return program.wait()


def _pass_size(terminal: int) -> None:
    size = ioctl(sys.stdout.fileno(), termios.TIOCGWINSZ, b"\0" * 8)
    ioctl(terminal, termios.TIOCSWINSZ, size)


def _copy(terminal: int) -> None:
    """Pass on what is typed, and what is answered, until the program has closed its terminal."""
    with selectors.DefaultSelector() as selector:
        selector.register(0, selectors.EVENT_READ, terminal)
        selector.register(terminal, selectors.EVENT_READ, 1)
        while True:
            for key, _ in selector.select():
                try:
                    data = os.read(key.fd, CHUNK)
                except OSError:
                    data = b""
                if not data and key.fd == terminal:
                    return
                if not data:
                    selector.unregister(0)
                else:
                    os.write(key.data, data)
