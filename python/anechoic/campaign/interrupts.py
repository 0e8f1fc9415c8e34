"""Ctrl-C and SIGTERM as requests, taken note of where they do no harm."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self


class Interrupts:
    """Counts requests to stop while it is entered, instead of an end at any point of the work."""

    def __init__(self) -> None:
        """Begin with none."""
        self.count = 0
        self.signal = signal.SIGINT
        self._previous: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        """Take the place of the handlers there are, unless they ignore the signal altogether."""
        if threading.current_thread() is threading.main_thread():
            for each in (signal.SIGINT, signal.SIGTERM):
                # A handler not of Python's making, None, could not be put back.
                if signal.getsignal(each) not in (signal.SIG_IGN, None):
                    self._previous[each] = signal.signal(each, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Give way to the handlers there were."""
        for each, handler in self._previous.items():
            signal.signal(each, handler)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self.count += 1
        self.signal = signal.Signals(number)
