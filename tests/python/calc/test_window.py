"""Windows over round trips, and what of them waits in a queue."""

import pytest

from anechoic.calc.window import (
    filling_bytes,
    loaded_rtt_s,
    queueing_s,
    throughput_mbps,
)


def test_the_round_trip_is_flat_until_the_window_fills_the_path() -> None:
    capacity, base = 4.0, 0.0026
    full = filling_bytes(capacity, base)
    assert full == pytest.approx(1300)
    assert loaded_rtt_s(base, full / 2, capacity) == base
    assert loaded_rtt_s(base, 10 * full, capacity) == pytest.approx(10 * base)
    assert throughput_mbps(10 * full, loaded_rtt_s(base, 10 * full, capacity)) == pytest.approx(4)


def test_windows_that_do_not_fill_the_path_do_not_wait() -> None:
    assert queueing_s([1000, 1000], [0.01, 0.02], 4.0) == 0


def test_a_shared_queue_makes_windows_over_round_trips_the_capacity() -> None:
    windows, bases = [16_384, 65_536], [0.003, 0.020]
    wait = queueing_s(windows, bases, 4.0)
    rates = [throughput_mbps(w, b + wait) for w, b in zip(windows, bases, strict=True)]
    assert sum(rates) == pytest.approx(4.0)
