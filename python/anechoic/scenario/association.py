"""Associations made on the air: how a station looks for an access point, and how one admits it."""

from typing import Annotated, Literal

from pydantic import Field

from anechoic.scenario.base import Part, about
from anechoic.scenario.quantities import Duration, PositiveDuration, Power, Ratio

_KERNEL = "Linux's mac80211"
_SUPPLICANT = "wpa_supplicant"
QueueLeft = Annotated[
    Literal["dropped", "kept"],
    about(
        "what becomes of packets that wait for who is associated no more",
        source=f"{_KERNEL} drops them",
    ),
]


class Admission(Part):
    """How an access point admits stations that have a table association, and sends them away."""

    lost_packets: Annotated[
        int,
        about(
            "MSDUs given up one after the other after which it deauthenticates a station; 0: never",
            source=f"{_KERNEL} reports 50, and hostapd sends such a station away",
            ge=0,
            le=10_000,
        ),
    ] = 50
    queue: QueueLeft = "dropped"


class Association(Part):
    """How a station looks for an access point, joins it and leaves it, frame by frame."""

    scan: Annotated[
        Literal["active", "passive"],
        about(
            "how it finds out who is on a channel: by asking, or by waiting for beacons",
            source="IEEE Std 802.11-2007 §11.1.3",
        ),
    ] = "active"
    channels: Annotated[
        list[int] | None,
        about(
            "channels that it scans, in order",
            source="those of its amendment, up to 11 in the band of 2.4 GHz",
            min_length=1,
        ),
    ] = None
    probe_delay: Annotated[
        Duration,
        about("time on a channel before it asks", source=f"{_KERNEL}, 1/33 s"),
    ] = "30 ms"
    dwell: Annotated[
        PositiveDuration | None,
        about(
            "how long it listens on a channel",
            source=f"{_KERNEL}: 30 ms behind a question, 111 ms without one",
        ),
    ] = None
    beacons_missed: Annotated[
        int,
        about(
            "beacons missed in a row after which its access point is lost",
            source=_KERNEL,
            ge=1,
            le=1000,
        ),
    ] = 7
    roam_below: Annotated[
        Power | None,
        about(
            "level of its access point's beacons below which it looks for a better one; absent: "
            "it stays until that is lost",
        ),
    ] = None
    hysteresis: Annotated[
        Ratio,
        about(
            "by how much a better one has to be stronger",
            source=f"inferred: {_SUPPLICANT} asks for 1 to 5 dB, more the stronger its own is",
        ),
    ] = "5 dB"
    rescan: Annotated[
        PositiveDuration,
        about(
            "time between two scans for a better one",
            source=f"{_SUPPLICANT}'s example of background scans",
        ),
    ] = "30 s"
    rejoin_delay: Annotated[
        Duration,
        about("time from losing an access point to the scan", source=f"{_SUPPLICANT}: 0.1 s"),
    ] = "100 ms"
    pause: Annotated[
        PositiveDuration,
        about("time between scans that found nobody", source=f"{_SUPPLICANT}'s scan_interval"),
    ] = "5 s"
    timeout: Annotated[
        PositiveDuration, about("how long it waits for an answer", source=f"{_KERNEL}, 1/5 s")
    ] = "200 ms"
    tries: Annotated[
        int, about("how often it asks for each answer", source=_KERNEL, ge=1, le=20)
    ] = 3
    queue: QueueLeft = "dropped"


AssociationField = Annotated[
    Association | None,
    Field(
        description="lets it scan, join and leave access points by frames on the air; absent: it "
        "is associated for ever"
    ),
]
AdmissionField = Annotated[
    Admission, Field(description="how it admits stations that have a table association")
]
