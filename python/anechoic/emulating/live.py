"""The live view of an emulation in the terminal: what its network and its machine do just now."""

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from anechoic.emulating.console import EmulationFailed

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

Status = Mapping[str, Any]

STEP_S = 0.5
"""How often it is renewed."""

MOST_ROWS = 20
"""Rows of a table; more do not fit beside each other on a screen."""

SILENT_SHARE = 0.005
"""What takes less of the airtime is not shown."""


class LiveView:
    """Shows the numbers of an emulation while the context is entered, if there is a terminal."""

    def __init__(self, ask: Callable[[], Status | None]) -> None:
        """Take who knows the numbers: None where nothing runs just now."""
        self._ask = ask
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        """Begin to show them."""
        if sys.stderr is not None and sys.stderr.isatty():
            self._thread = threading.Thread(target=self._show, name="live view", daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Take the view away."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _show(self) -> None:
        from rich.console import Console
        from rich.live import Live

        before: Status | None = None
        with Live(console=Console(stderr=True), transient=True, auto_refresh=False) as live:
            while not self._over.wait(STEP_S):
                with suppress(EmulationFailed):
                    now = self._ask()
                    if now and before and now["time_s"] > before["time_s"]:
                        live.update(view(before, now), refresh=True)
                    before = now or None


def view(before: Status, now: Status) -> "Group":
    """Give what is shown of two looks at an emulation, one after the other."""
    from rich.console import Group

    seconds = now["time_s"] - before["time_s"]
    tables = [
        _flows(before["world"]["flows"], now["world"]["flows"], seconds),
        _radios(before["world"]["radios"], now["world"]["radios"], seconds),
    ]
    airtime = _airtime(before["world"]["airtime"], now["world"]["airtime"])
    return Group(*headline(now), *(each for each in tables if each.row_count), *airtime)


def headline(now: Status) -> list[str]:
    """Say how far it is, how late it was, and whether its figures are the network's so far."""
    late, entering = now["lateness_out"], now["lateness_in"]
    reasons = now["reasons"]
    return [
        f"{now['time_s']:.0f} of {now['end_s']:.0f} s   late out {late['p50_ns'] / 1e3:.0f} µs "
        f"(median), {late['p99_ns'] / 1e3:.0f} µs (99 %)   in {entering['p50_ns'] / 1e3:.0f}, "
        f"{entering['p99_ns'] / 1e3:.0f} µs   stalls {now['stalls']}",
        f"not valid so far: {reasons[0]}" if reasons else "valid so far",
    ]


def _table(*headings: str) -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column(headings[0])
    for heading in headings[1:]:
        table.add_column(heading, justify="right")
    return table


def _flows(before: Sequence[Status], now: Sequence[Status], seconds: float) -> "Table":
    table = _table("flow", "Mbit/s", "round trip, ms")
    for old, new in list(zip(before, now, strict=True))[:MOST_ROWS]:
        rate = (new["bytes"] - old["bytes"]) * 8 / seconds / 1e6
        timed = new["rtt_count"] - old["rtt_count"]
        trip = (new["rtt_sum_ns"] - old["rtt_sum_ns"]) / timed / 1e6 if timed else None
        table.add_row(new["name"], f"{rate:.2f}", "" if trip is None else f"{trip:.1f}")
    return table


def _radios(before: Sequence[Status], now: Sequence[Status], seconds: float) -> "Table":
    table = _table("radio", "dBm", "rate, Mbit/s", "retries", "queue", "sends")
    for old, new in list(zip(before, now, strict=True))[:MOST_ROWS]:
        frames = new["attempts"] - old["attempts"]
        rate = (new["rates_bps"] - old["rates_bps"]) / frames / 1e6 if frames else None
        share = (new["sent_ns"] - old["sent_ns"]) / seconds / 1e9
        signal = new["signal_dbm"]
        table.add_row(
            new["name"],
            "" if signal is None else f"{signal:.0f}",
            "" if rate is None else f"{rate:.1f}",
            f"{100 * (new['retries'] - old['retries']) / frames:.0f} %" if frames else "",
            str(new["queue"]),
            f"{100 * share:.0f} %",
        )
    return table


def _airtime(before: Sequence[Any], now: Sequence[Any]) -> list[str]:
    """Say what the airtime went to, the most first; nothing where there is no air."""
    spent = [(new[0], new[1] - old[1]) for old, new in zip(before, now, strict=True)]
    total = sum(each for _, each in spent)
    if not total:
        return []
    shares = sorted(((each / total, name) for name, each in spent), reverse=True)
    told = [f"{name} {100 * share:.0f} %" for share, name in shares if share > SILENT_SHARE]
    return [f"airtime: {', '.join(told)}"]
