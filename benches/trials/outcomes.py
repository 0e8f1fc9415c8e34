"""What a trial looks at: how a command of ours ended, and what a folder holds."""

import contextlib
import io
import signal
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from anechoic.cli import cli

LIMIT_S = 60
"""Processor time; what takes more is not bounded, nor what takes ten times as long on the clock."""

SCENARIO = """
run = { duration = "2 s", warmup = "0.2 s", tcp_info_step = "1 s" }
host.server.stack = "linux-6"
ap.office.profile = "plain"
sta.laptop = { ap = "office", stack = "linux-6" }
wire.lan.between = ["server", "office"]
air.loss = "60 dB"
traffic.download = { app = "bulk", from = "server", to = "laptop" }

[tap.cable]
at = "wire.lan"
snap = "100 B"

[[sweep]]
"ap.office.rate" = ["1 Mbit/s", "11 Mbit/s"]
"""
"""Every kind of file that a store may hold, in little time."""


class TooLong(BaseException):
    """A command was not done in `LIMIT_S`."""


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    status: int
    said: str

    def complaint(self, allowed: Sequence[int] = (0, 2)) -> str | None:
        """Say what is wrong with it; None if it ended well, or with a message."""
        if "Traceback" in self.said or "panicked" in self.said:
            return f"a traceback: {self.said.strip().splitlines()[-1]}"
        if self.status not in allowed:
            return f"status {self.status}: {self.said.strip()[-200:]}"
        if self.status == 2 and not self.said.strip():
            return "refused without a word"
        return None


def ended(*words: str | Path) -> Outcome:
    """Run a command line in this process; a traceback is told as a shell would show it."""
    text = io.StringIO()
    status: int = 0
    with contextlib.redirect_stderr(text), contextlib.redirect_stdout(io.StringIO()):
        try:
            with _limited():
                cli.main([str(word) for word in words], standalone_mode=False)
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
        except TooLong:
            return Outcome(124, f"not done in {LIMIT_S} s")
        except BaseException as error:
            if type(error).__module__.startswith("click"):
                return Outcome(2, str(error))
            return Outcome(1, f"Traceback … {type(error).__name__}: {error}")
    return Outcome(status, text.getvalue())


def files_of(folder: Path) -> dict[str, bytes]:
    """Give every file of a folder."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """Give a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="anechoic-trial-") as folder:
        yield Path(folder)


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TooLong

    limits = ((signal.SIGPROF, signal.ITIMER_PROF, 1), (signal.SIGALRM, signal.ITIMER_REAL, 10))
    usual = [signal.signal(number, stop) for number, _, _ in limits]
    for _, timer, times in limits:
        signal.setitimer(timer, times * LIMIT_S)
    try:
        yield
    finally:
        for (number, timer, _), handler in zip(limits, usual, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)
