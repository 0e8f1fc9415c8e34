"""The kinds of things that the core declares. `make docs` writes this file: edit it there."""

from typing import Literal

from anechoic.scenario.base import Part
from anechoic.scenario.impairments import Impairment
from anechoic.scenario.queues import Queue
from anechoic.scenario.rate_controls import RateControl
from anechoic.scenario.traffic import Connection, Flow

__all__ = [
    "ApplicationLimited",
    "Bulk",
    "ChariotThroughput",
    "Drop",
    "DropTail",
    "Fallback",
    "Fixed",
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
Stage = Drop
WireQueue = DropTail
RadioRateControl = Fixed | Fallback

TRAFFIC: dict[str, type[Flow]]
QUEUES: dict[str, type[Queue]]
IMPAIRMENTS: dict[str, type[Impairment]]
RATE_CONTROLS: dict[str, type[RateControl]]

CHOICES: dict[str, dict[str, type[Part]]]
MODELS: dict[str, type[Part]]
