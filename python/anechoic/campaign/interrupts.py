"""Ctrl-C as a request, taken note of where it does no harm."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self


class Interrupts:
    """Counts Ctrl-C while it is entered, in place of an exception at any point of the work."""

    def __init__(self) -> None:
        """Begin with none."""
        self.count = 0
        self._previous: Any = None

    def __enter__(self) -> Self:
        """Take the place of the handler there is, unless Ctrl-C is to be ignored altogether."""
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            self._previous = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Give way to the handler there was."""
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self.count += 1
