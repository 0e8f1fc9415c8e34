"""The scenarios of the survey: one bench, and which of its values stand for a point."""

from collections.abc import Sequence
from typing import Any

from anechoic.predicting.factors import Point

BENCH = """\
title = "A survey of TCP over Wi-Fi"

[run]
duration = "20 s"
warmup = "4 s"
time_series = false

[host.server]
stack = "linux-6"

[ap.office]
profile = "plain"

[sta.laptop]
ap = "office"
stack = "linux-6"
profile = "plain"

[wire.lan]
between = ["server", "office"]
queue.packets = 100

[wire.lan.impair.lost]
kind = "drop"
probability = 0.0

[air]
loss = "60 dB"

[traffic.transfer]
app = "bulk"
from = "server"
to = "laptop"

[replication]
min = 2
max = 2
"""
NOISE_DBM = -93.6
"""Of a receiver of 802.11b and g with the usual noise figure; `anechoic explain --links` tells."""
POWER_DBM = 15.0
NO_FRAGMENTS, NO_RTS, RTS = 2346, 2347, 400


def columns_of(points: Sequence[Point]) -> dict[str, list[Any]]:
    """Give the values of a scenario, by their paths, that stand for each point."""

    def column(name: str) -> list[Any]:
        return [point[name] for point in points]

    directions = {"down": ("server", "laptop"), "up": ("laptop", "server")}
    ends = [directions[str(value)] for value in column("direction")]
    radios = {
        "rate_control": column("rate_control"),
        "rts_threshold": [RTS if value == "on" else NO_RTS for value in column("rts")],
        "fragmentation_threshold": [int(value) for value in column("fragments")],
        "short_retry_limit": [int(value) for value in column("retries")],
        "long_retry_limit": [int(value) for value in column("retries")],
    }
    return {
        "air.standard": column("standard"),
        "sta.laptop.count": [int(value) for value in column("stations")],
        "traffic.transfer.from": [source for source, _ in ends],
        "traffic.transfer.to": [sink for _, sink in ends],
        "traffic.transfer.count": [int(value) for value in column("connections")],
        "air.loss": [f"{POWER_DBM - NOISE_DBM - float(value):.3f} dB" for value in column("snr")],
        "wire.lan.delay": [f"{value:.4f} ms" for value in column("delay")],
        "wire.lan.rate": [f"{value:.4f} Mbit/s" for value in column("rate")],
        "wire.lan.impair.lost.probability": [float(value) / 100 for value in column("loss")],
        "ap.office.queue.kind": column("queue"),
        "ap.office.queue.packets": [int(value) for value in column("queue_packets")],
        "traffic.transfer.tcp.congestion_control": column("congestion_control"),
        **{
            f"{radio}.{field}": values
            for radio in ("ap.office", "sta.laptop")
            for field, values in radios.items()
        },
    }
