"""The kinds of things that the core declares. `make docs` writes this file: edit it there."""

from typing import Literal

from anechoic.scenario.base import Part
from anechoic.scenario.impairments import Impairment
from anechoic.scenario.queues import Queue
from anechoic.scenario.rate_controls import RateControl
from anechoic.scenario.traffic import Connection, Flow

__all__ = [
    "ApplicationLimited",
    "BadFcs",
    "BitError",
    "Bulk",
    "ChariotThroughput",
    "Drop",
    "DropTail",
    "Fallback",
    "Fixed",
    "GilbertElliott",
    "Ping",
    "Udp",
]

class ApplicationLimited(Connection):
    """One TCP connection whose application writes at a constant rate."""

    app: Literal["application-limited"] = "application-limited"
    rate: str
    """rate at which the application has bytes to write"""
    write_size: int | str = 1460
    """bytes of one write"""
    bytes: int | str | None = None
    """bytes to send; absent: until the run ends"""

class BadFcs(Impairment):
    """Frames get a wrong check sequence, and the next device drops them."""

    kind: Literal["bad-fcs"] = "bad-fcs"
    probability: float
    """chance of each frame, whatever happened to others"""

class BitError(Impairment):
    """Bits of frames are flipped."""

    kind: Literal["bit-error"] = "bit-error"
    ber: float
    """bit error rate: chance of each bit of a frame to be flipped, whatever happened to others"""
    fcs: Literal["recomputed", "wrong"] = "recomputed"
    """what the frame check sequence says of a frame that was hit: recomputed, it holds, and the
    checksums of IP and TCP decide; wrong, the next device drops the frame
    """

class Bulk(Connection):
    """One TCP connection that sends as much as it can."""

    app: Literal["bulk"] = "bulk"
    bytes: int | str | None = None
    """bytes to send; absent: until the run ends"""

class ChariotThroughput(Connection):
    """IxChariot's throughput script: files one after another, each confirmed by the receiver."""

    app: Literal["chariot-throughput"] = "chariot-throughput"
    file_size: int | str = 100_000
    """bytes of a transaction"""
    transactions_per_record: int = 16
    """transactions of a timing record"""
    timing_records: int | None = None
    """timing records after which a pair stops; absent: the run's duration ends it"""
    confirmation_size: int | str = 100
    """bytes of the receiver's confirmation"""
    write_size: int | str = "32 KiB"
    """bytes of one send call"""

class Drop(Impairment):
    """Packets get lost."""

    kind: Literal["drop"] = "drop"
    probability: float | None = None
    """chance of each packet to be lost, whatever happened to others; absent: none"""
    every: int | None = None
    """of so many packets that match, the last one is lost, always anew; absent: none"""
    packets: list[int] | None = None
    """packets that are lost, by number: 1 is the first that matches; absent: none"""

class DropTail(Queue):
    """First in, first out; what finds the queue full is dropped."""

    kind: Literal["drop-tail"] = "drop-tail"
    packets: int = 1000
    """packets that may wait, besides the one being sent"""

class Fallback(RateControl):
    """Retries of one MSDU go at lower and lower rates; the next MSDU starts at the highest."""

    kind: Literal["fallback"] = "fallback"
    attempts_per_rate: int = 1
    """attempts at each rate before the next lower one is tried"""

class Fixed(RateControl):
    """Every data frame goes at the radio's rate."""

    kind: Literal["fixed"] = "fixed"

class GilbertElliott(Impairment):
    """Packets get lost in bursts, by a channel that is good or bad: Gilbert and Elliott's."""

    kind: Literal["gilbert-elliott"] = "gilbert-elliott"
    to_bad: float
    """chance of a good channel to be bad for the next packet; it is good for the first"""
    to_good: float
    """chance of a bad channel to be good for the next packet"""
    loss_in_good: float = 0.0
    """chance of a packet to be lost in a good channel"""
    loss_in_bad: float = 1.0
    """chance of a packet to be lost in a bad channel"""

class Ping(Flow):
    """ICMP echo requests and their replies."""

    app: Literal["ping"] = "ping"
    payload: int | str = 56
    """bytes after the ICMP header"""
    interval: str = "1 s"
    """time between requests"""

class Udp(Flow):
    """Datagrams of one size at one rate."""

    app: Literal["udp"] = "udp"
    payload: int | str = 1472
    """application bytes of a datagram"""
    rate: str | None = None
    """rate of application bytes; absent: the sender's queue is never empty"""

Traffic = ChariotThroughput | Bulk | ApplicationLimited | Udp | Ping
Stage = Drop | GilbertElliott | BitError | BadFcs
WireQueue = DropTail
RadioRateControl = Fixed | Fallback

TRAFFIC: dict[str, type[Flow]]
QUEUES: dict[str, type[Queue]]
IMPAIRMENTS: dict[str, type[Impairment]]
RATE_CONTROLS: dict[str, type[RateControl]]

CHOICES: dict[str, dict[str, type[Part]]]
MODELS: dict[str, type[Part]]
