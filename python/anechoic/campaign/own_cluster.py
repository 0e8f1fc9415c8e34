"""A Dask cluster of this machine: a scheduler and workers as programs of their own.

They listen on the loopback interface alone, and only to whoever has the keys, which are made for
the run and never stand in a file that stays. They are of a session of their own, so that Ctrl-C
ends the campaign and not what it waits for; and they end with their parent, however that ends.
"""

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from functools import cached_property
from pathlib import Path
from typing import Any

from anechoic.campaign.keys import made

_NODE = "anechoic.campaign.silent_nodes"
_PREFIX = "anechoic-dask-"


class OwnCluster:
    """One scheduler, and so many workers of one thread."""

    def __init__(self, workers: int) -> None:
        """Start them; they have come up when a client has connected."""
        _clear_left()
        self.keys = made()
        self._folder = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-")
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._program(None)
        try:
            for _ in range(workers):
                self.start_worker()
        except BaseException:
            self.close()
            raise

    @cached_property
    def address(self) -> str:
        """Give the scheduler's address, once it has one."""
        assert self.scheduler.stdout is not None
        address = self.scheduler.stdout.readline().decode().strip()
        if not address:
            raise OSError(None, "the scheduler did not start", "dask")
        return address

    def start_worker(self) -> None:
        """Start one more worker."""
        self.workers.append(self._program(self.address))

    def are_dead(self) -> bool:
        """Say whether no worker is left."""
        return all(worker.poll() is not None for worker in self.workers)

    def close(self) -> None:
        """End them."""
        for program in (*self.workers, self.scheduler):
            assert program.stdin is not None
            program.stdin.close()
        for program in (*self.workers, self.scheduler):
            try:
                program.wait(5)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()
            if program.stdout is not None:
                program.stdout.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _program(self, scheduler: str | None) -> "subprocess.Popen[bytes]":
        program = subprocess.Popen(
            [sys.executable, "-m", _NODE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE if scheduler is None else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            # Dask would have a folder of a name that everybody knows, in the temporary one.
            # TLS has the keys in files for an instant, which go with the folder.
            env=os.environ | {"DASK_TEMPORARY_DIRECTORY": self._folder, "TMPDIR": self._folder},
        )
        assert program.stdin is not None
        asked: dict[str, Any] = {"scheduler": scheduler, "folder": self._folder, "keys": self.keys}
        program.stdin.write(f"{json.dumps(asked)}\n".encode())
        program.stdin.flush()
        return program


def _clear_left() -> None:
    """Remove the folders of clusters of ours of which everything was killed."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*-*"):
        process = path.name.removeprefix(_PREFIX).partition("-")[0]
        found = path.lstat()
        is_ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
        if is_ours and process.isdecimal() and not Path(f"/proc/{process}").exists():
            shutil.rmtree(path, ignore_errors=True)
