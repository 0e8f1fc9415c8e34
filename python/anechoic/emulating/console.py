"""The console of an emulation: it begins one, starts programs in its nodes, and ends it."""

import array
import errno
import json
import os
import pickle
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from anechoic.campaign.elsewhere import Carried
from anechoic.emulating.process import OUTCOME, RECORD, REQUEST

PLAN, LOG = "plan.json", "arrivals.lz4"

MOST_BYTES = 128 * 1024
"""The longest message."""

Reply = Mapping[str, Any]


class EmulationRefused(Exception):
    """An emulation, or something within it, cannot be done here; the message has the remedy."""


class EmulationFailed(OSError):
    """An emulation ended before its time."""


class Messages:
    """A connection to an emulation: requests, and the replies to them in their order."""

    def __init__(self, end: socket.socket) -> None:
        """Take one end of a connection, and hear what comes from the other."""
        self._end = end
        self._asked: deque[SimpleQueue[Reply]] = deque()
        self._programs: dict[int, SimpleQueue[Reply]] = {}
        self._lock = threading.Lock()
        self.ready: SimpleQueue[Reply] = SimpleQueue()
        self._reader = threading.Thread(target=self._read, name="emulation", daemon=True)
        self._reader.start()

    def ask(self, request: Reply, descriptors: Sequence[int] = ()) -> Reply:
        """Ask for something and wait for the reply."""
        reply: SimpleQueue[Reply] = SimpleQueue()
        with self._lock:
            self._asked.append(reply)
            self._send(request, descriptors)
        return _granted(reply.get())

    def tell(self, request: Reply) -> None:
        """Say something that has no reply."""
        with self._lock:
            self._send(request, ())

    def start(self, request: Reply, descriptors: Sequence[int]) -> tuple[int, SimpleQueue[Reply]]:
        """Start a program: its number, and where its end will be told."""
        program = int(self.ask(request, descriptors)["started"]["program"])
        with self._lock:
            return program, self._programs.setdefault(program, SimpleQueue())

    def close(self) -> None:
        """Hang up."""
        self._end.close()

    def _send(self, request: Reply, descriptors: Sequence[int]) -> None:
        rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))
        try:
            self._end.sendmsg([json.dumps(request).encode()], [rights] if descriptors else [])
        except OSError as error:
            raise EmulationFailed(error.errno, "the emulation has ended") from None

    def _read(self) -> None:
        while text := self._receive():
            reply = json.loads(text)
            if "ready" in reply:
                self.ready.put(reply)
            elif "ended" in reply:
                with self._lock:
                    known = self._programs.setdefault(reply["ended"]["program"], SimpleQueue())
                known.put(reply)
            elif self._asked:
                self._asked.popleft().put(reply)
        gone = {"gone": True}
        self.ready.put(gone)
        with self._lock:
            waiting = [*self._asked, *self._programs.values()]
        for each in waiting:
            each.put(gone)

    def _receive(self) -> bytes:
        try:
            return self._end.recv(MOST_BYTES)
        except OSError:
            return b""


def _granted(reply: Reply) -> Reply:
    if "refused" in reply:
        raise EmulationRefused(reply["refused"]["reason"])
    if "gone" in reply:
        raise EmulationFailed(errno.ESRCH, "the emulation has ended")
    return reply


class Program:
    """A program that runs in a node."""

    def __init__(self, messages: Messages, number: int, ended: "SimpleQueue[Reply]") -> None:
        """Tie a program's number and where its end is told."""
        self._messages = messages
        self._ended = ended
        self.number = number
        self.status: int | None = None
        self.ended_by_itself = False

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end and give its status, as a shell tells it; 128 + n of signal n."""
        if self.status is None:
            import queue

            try:
                reply = self._ended.get(timeout=timeout)
            except queue.Empty:
                raise subprocess.TimeoutExpired(str(self.number), timeout or 0) from None
            ended = reply.get("ended", {"status": 137, "by_itself": False})
            self.status, self.ended_by_itself = int(ended["status"]), bool(ended["by_itself"])
        return self.status

    def signal(self, number: int) -> None:
        """Send it a signal."""
        self._messages.tell({"signal": {"program": self.number, "signal": number}})


class Console:
    """An emulation that was begun here, until it is closed."""

    def __init__(
        self,
        plan: str,
        seed: int,
        folder: Path,
        *,
        name: str,
        captures: Path | None = None,
    ) -> None:
        """Begin an emulation of a plan, and wait until programs can be started.

        What it leaves is put into ``folder``: the plan, the log of what came in, how it went.
        Raises EmulationRefused for what cannot be done here.
        """
        self._folder = folder
        (folder / PLAN).write_text(plan)
        request = {
            "name": name,
            "plan": str((folder / PLAN).resolve()),
            "seed": seed,
            "captures": None if captures is None else str(captures.resolve()),
            "log": str((folder / LOG).resolve()),
        }
        (folder / REQUEST).write_text(json.dumps(request))
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "anechoic.emulating.process",
                    str(theirs.fileno()),
                    str(folder),
                ],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._messages = Messages(ours)
        self.outcome: dict[str, Any] | None = None
        self.record: Carried | None = None
        ready = self._messages.ready.get()
        if "gone" in ready:
            self._finish()
        self.nodes: list[str] = ready["ready"]["nodes"]

    def start(
        self,
        node: str,
        command: str | Sequence[str],
        *,
        stdin: int,
        stdout: int,
        stderr: int,
        folder: str | None = None,
        environment: Mapping[str, str] | None = None,
        has_terminal: bool = False,
    ) -> Program:
        """Start a program in a node; a text is a line for the shell."""
        request = start_request(node, command, folder, environment, has_terminal)
        return Program(self._messages, *self._messages.start(request, [stdin, stdout, stderr]))

    def status(self) -> Mapping[str, Any] | None:
        """Give the numbers so far; None before the first."""
        found: Mapping[str, Any] | None = self._messages.ask({"status": {}})["status"]
        return found

    def stop(self) -> None:
        """Ask the emulation to end, if it has not yet."""
        with suppress(EmulationFailed):
            self._messages.tell({"stop": {}})

    def wait(self) -> dict[str, Any]:
        """Wait for its end and say how it went."""
        self._process.wait()
        self._finish()
        assert self.outcome is not None
        return self.outcome

    def is_over(self) -> bool:
        """Say whether it has ended."""
        return self._process.poll() is not None

    def close(self) -> None:
        """End it at once, whatever it does, and leave nothing."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._messages.close()
        for name in (REQUEST, RECORD):
            (self._folder / name).unlink(missing_ok=True)

    def _finish(self) -> None:
        status = self._process.wait()
        try:
            outcome = json.loads((self._folder / OUTCOME).read_text())
        except (OSError, ValueError):
            outcome = {"failed": f"the emulator ended with status {status}"}
        if "refused" in outcome:
            self.close()
            raise EmulationRefused(outcome["refused"])
        if "failed" in outcome:
            self.close()
            raise EmulationFailed(errno.EIO, outcome["failed"])
        with (self._folder / RECORD).open("rb") as file:
            self.record = Carried(*pickle.load(file))
        self.outcome = outcome
        self.close()


def start_request(
    node: str,
    command: str | Sequence[str],
    folder: str | None = None,
    environment: Mapping[str, str] | None = None,
    has_terminal: bool = False,
) -> dict[str, Any]:
    """Give the request to start a program; a text is a line for the shell."""
    arguments = ["/bin/sh", "-c", command] if isinstance(command, str) else list(command)
    variables = dict(os.environ if environment is None else environment)
    return {
        "start": {
            "node": node,
            "arguments": arguments,
            "environment": list(variables.items()),
            "folder": folder or str(Path.cwd()),
            "has_terminal": has_terminal,
        }
    }
