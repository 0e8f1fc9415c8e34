"""A Dask cluster of this machine: a scheduler and workers as programs of their own.

They are of a session of their own, so that Ctrl-C ends the campaign and not what it waits for; and
they end by themselves a while after a client that was killed.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_START_S = 60
_IDLE_S = 60
"""Seconds without a client's task after which a scheduler ends, and its workers with it."""
_QUIET = ("--no-dashboard", "--host", "127.0.0.1")


class OwnCluster:
    """One scheduler, and so many workers of one thread."""

    def __init__(self, workers: int) -> None:
        """Start them; they have come up when a client has connected."""
        self._folder = tempfile.TemporaryDirectory(prefix="anechoic-dask-")
        self._scheduler_file = Path(self._folder.name) / "scheduler.json"
        idle = ("--idle-timeout", f"{_IDLE_S} s")
        self.scheduler = self._program("scheduler", "--port", "0", *idle)
        self.workers: list[subprocess.Popen[bytes]] = []
        for _ in range(workers):
            self.start_worker()

    @property
    def address(self) -> str:
        """Give the scheduler's address, once it has one."""
        deadline = time.monotonic() + _START_S
        while time.monotonic() < deadline and self.scheduler.poll() is None:
            try:
                document = json.loads(self._scheduler_file.read_text("utf-8"))
                return str(document["address"])
            except (OSError, ValueError):
                time.sleep(0.05)  # It is not written, or not whole.
        raise OSError(None, "the scheduler did not start")

    def start_worker(self) -> None:
        """Start one more worker."""
        one = ("--nthreads", "1", "--no-nanny", "--death-timeout", str(_IDLE_S))
        self.workers.append(self._program("worker", *one, "--local-directory", self._folder.name))

    def close(self) -> None:
        """End them."""
        for program in (*self.workers, self.scheduler):
            program.terminate()
        for program in (*self.workers, self.scheduler):
            try:
                program.wait(5)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()
        self._folder.cleanup()

    def _program(self, kind: str, *options: str) -> "subprocess.Popen[bytes]":
        found = ("--scheduler-file", str(self._scheduler_file))
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{kind}", *_QUIET, *found, *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
