"""An emulation as a context of a Python program, such as a test."""

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from anechoic.emulating.api import prepared
from anechoic.emulating.console import Console, Program
from anechoic.emulating.outcome import is_valid, text_of
from anechoic.scenario.compile import compile_scenario

Command = str | Sequence[str]


class Node:
    """A real node of an emulation that runs."""

    def __init__(self, console: Console, name: str) -> None:
        """Tie a node to its emulation."""
        self._console = console
        self.name = name

    def run(
        self, command: Command, *, check: bool = False, timeout: float | None = None
    ) -> "subprocess.CompletedProcess[str]":
        """Run a command to its end and give what it wrote; a text is a line for the shell.

        With ``check`` a status other than 0 raises CalledProcessError; a command that has not
        ended after ``timeout`` seconds is killed, and TimeoutExpired raised.
        """
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            program = self.start(command, stdout=output.fileno(), stderr=errors.fileno())
            try:
                status = program.wait(timeout)
            except subprocess.TimeoutExpired:
                program.signal(9)
                raise subprocess.TimeoutExpired(command, timeout or 0) from None
            output.seek(0)
            errors.seek(0)
            done = subprocess.CompletedProcess(
                command,
                status,
                output.read().decode(errors="replace"),
                errors.read().decode(errors="replace"),
            )
        if check:
            done.check_returncode()
        return done

    def start(
        self, command: Command, *, stdout: int | None = None, stderr: int | None = None
    ) -> Program:
        """Start a command and come back at once; without a descriptor its output is dropped."""
        nowhere = os.open(os.devnull, os.O_RDWR)
        try:
            return self._console.start(
                self.name,
                command,
                stdin=nowhere,
                stdout=nowhere if stdout is None else stdout,
                stderr=nowhere if stderr is None else stderr,
            )
        finally:
            os.close(nowhere)


class Emulation:
    """Real kernels and programs on the air and the wires of a scenario, while it is entered.

    Its ``outcome`` says afterwards how late it was and whether its figures are the network's.
    """

    def __init__(self, plan: Mapping[str, Any], seed: int, name: str, folder: Path | None) -> None:
        """Take a plan; what it leaves goes to ``folder``, or nowhere."""
        self._plan, self._seed, self._name = plan, seed, name
        self._kept = folder
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._console: Console | None = None
        self.outcome: dict[str, Any] = {}
        self.metrics: dict[str, float] = {}

    def __enter__(self) -> Self:
        """Bring all nodes up."""
        import json

        if self._kept is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="anechoic-")
            folder = Path(self._temporary.name)
        else:
            folder = self._kept
            folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(self._plan)
        try:
            self._console = Console(text, self._seed, folder, name=self._name)
        except BaseException:
            self._forget()
            raise
        return self

    def _forget(self) -> None:
        if self._temporary is not None:
            self._temporary.cleanup()

    def __getitem__(self, name: str) -> Node:
        """Give a real node."""
        assert self._console is not None, "it is entered first"
        if name not in self._console.nodes:
            raise KeyError(f"{name} is no real node: {', '.join(self._console.nodes)}")
        return Node(self._console, name)

    @property
    def nodes(self) -> list[str]:
        """Name the real nodes."""
        assert self._console is not None, "it is entered first"
        return list(self._console.nodes)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End it: programs are asked to end, and ended two seconds later."""
        assert self._console is not None
        try:
            if not self._console.is_over():
                self._console.stop()
            self.outcome = self._console.wait()
            if self._console.record is not None:
                self.metrics = self._console.record.values
        finally:
            self._console.close()
            self._forget()

    @property
    def is_valid(self) -> bool:
        """Say whether this machine was fast enough for the figures to be the network's."""
        return is_valid(self.outcome)

    def __str__(self) -> str:
        """Say how it went."""
        return text_of(self.outcome) if self.outcome else f"emulation of {self._name}"


def emulate(
    source: str | Path,
    *,
    set: Mapping[str, Any] | None = None,  # noqa: A002 (as the command line calls it)
    real: Sequence[str] = (),
    length: str | None = None,
    seed: int | None = None,
    out: str | Path | None = None,
) -> Emulation:
    """Give an emulation of a scenario, to be entered by ``with``.

    ``real`` names nodes that are real beside those that say ``port = true``, NODE=INTERFACE one
    that is behind an interface of this machine; ``set`` replaces values by the path of their field;
    ``length`` ends it after a time, as "60 s"; what it leaves is
    kept in ``out`` if that is given. Raises ScenarioError for what is wrong with the scenario.
    """
    scenario = prepared(source, set=set, real=real, length=length, seed=seed)
    folder = None if out is None else Path(out)
    name = Path(scenario.source).stem
    return Emulation(compile_scenario(scenario), scenario.run.seed, name, folder)
