"""The programs of an emulation: started when they are due, their output kept and shown."""

import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anechoic.emulating.console import Console, EmulationFailed, Program

Show = Callable[[str, str], None]
"""Takes the name of a node and a line that a program there wrote."""

CHUNK = 65_536


@dataclass(slots=True)
class Started:
    """A program that has run, or runs."""

    node: str
    command: str
    output: Path
    status: int | None = None


class Programs:
    """Starts the programs of a plan when they are due, and waits for their ends."""

    def __init__(
        self, console: Console, plan: Mapping[str, Any], folder: Path, show: Show | None
    ) -> None:
        """Take a plan's programs; their output goes to files in ``folder``, and to ``show``."""
        self._console = console
        self._show = show
        nodes = plan["nodes"]
        listed = sorted(plan["emulation"]["programs"], key=lambda each: int(each["start_ns"]))
        self.all = [
            Started(
                nodes[each["node"]]["name"],
                each["command"],
                folder / f"{nodes[each['node']]['name']}.{number}.txt",
            )
            for number, each in enumerate(listed, 1)
        ]
        self._starts = [each["start_ns"] / 1e9 for each in listed]
        self._began = time.monotonic()
        self._threads: list[threading.Thread] = []

    def run(self) -> None:
        """Start every program, and come back when all have ended or the emulation has."""
        for start, program in zip(self._starts, self.all, strict=True):
            delay = self._began + start - time.monotonic()
            if delay > 0:
                self._sleep(delay)
            if self._console.is_over():
                break
            self._start(program)
        for thread in self._threads:
            thread.join()

    def told(self) -> list[dict[str, Any]]:
        """Give each program, and its status: None of one that the end of the emulation ended."""
        return [
            {"node": each.node, "command": each.command, "status": each.status} for each in self.all
        ]

    def _sleep(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and not self._console.is_over():
            time.sleep(min(left, 0.05))

    def _start(self, program: Started) -> None:
        nothing = os.open(os.devnull, os.O_RDONLY)
        ours, theirs = os.pipe()
        try:
            running = self._console.start(
                program.node, program.command, stdin=nothing, stdout=theirs, stderr=theirs
            )
        except EmulationFailed:
            os.close(ours)
            return
        finally:
            os.close(nothing)
            os.close(theirs)
        threading.Thread(target=self._keep, args=(program, ours), daemon=True).start()
        thread = threading.Thread(target=self._await, args=(program, running), daemon=True)
        thread.start()
        self._threads.append(thread)

    def _keep(self, program: Started, output: int) -> None:
        with program.output.open("wb") as file, os.fdopen(output, "rb", buffering=0) as pipe:
            rest = b""
            while chunk := pipe.read(CHUNK):
                file.write(chunk)
                file.flush()
                *lines, rest = (rest + chunk).split(b"\n")
                if self._show is not None:
                    for line in lines:
                        self._show(program.node, line.decode(errors="replace"))

    def _await(self, program: Started, running: Program) -> None:
        status = running.wait()
        if running.ended_by_itself:
            program.status = status
