"""What the live view shows of two looks at an emulation."""

from typing import Any

from rich.console import Console

from anechoic.emulating.live import view


def look(second: int, reasons: list[str]) -> dict[str, Any]:
    """A station that downloads at 12 Mbit/s, with frames of 54 Mbit/s, a tenth retransmitted."""
    spread = {"p50_ns": 25_000, "p99_ns": 80_000}
    return {
        "time_s": float(second),
        "end_s": 60.0,
        "lateness_out": spread,
        "lateness_in": spread,
        "stalls": 0,
        "reasons": reasons,
        "world": {
            "flows": [
                {
                    "name": "download-1",
                    "bytes": 1_500_000 * second,
                    "rtt_count": 10 * second,
                    "rtt_sum_ns": 10 * second * 58_000_000,
                }
            ],
            "radios": [
                {
                    "name": "office",
                    "signal_dbm": None,
                    "attempts": 1000 * second,
                    "rates_bps": 1000 * second * 54_000_000,
                    "retries": 100 * second,
                    "queue": 7,
                    "sent_ns": 300_000_000 * second,
                }
            ],
            "airtime": [["Payload", 600_000_000 * second], ["Idle", 400_000_000 * second]],
        },
    }


def shown(first: dict[str, Any], then: dict[str, Any]) -> str:
    console = Console(width=110)
    with console.capture() as capture:
        console.print(view(first, then))
    return capture.get()


def test_rates_are_those_between_two_looks() -> None:
    text = shown(look(1, []), look(3, []))
    assert "3 of 60 s" in text and "late out 25 µs (median), 80 µs (99 %)" in text
    assert "valid so far" in text and "not valid" not in text
    flow = next(line for line in text.splitlines() if line.startswith("download-1"))
    assert flow.split() == ["download-1", "12.00", "58.0"]
    radio = next(line for line in text.splitlines() if line.startswith("office"))
    assert radio.split() == ["office", "54.0", "10", "%", "7", "30", "%"]
    assert "airtime: Payload 60 %, Idle 40 %" in text


def test_what_speaks_against_the_run_is_said_at_once() -> None:
    text = shown(look(1, []), look(2, ["the emulator was kept from running"]))
    assert "not valid so far: the emulator was kept from running" in text
