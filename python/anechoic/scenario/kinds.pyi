"""The kinds of things that the core declares. `make docs` writes this file: edit it there."""

from typing import Literal

from anechoic.scenario.base import Part
from anechoic.scenario.fading import Fading
from anechoic.scenario.impairments import Impairment
from anechoic.scenario.movements import Movement
from anechoic.scenario.noise import Noise
from anechoic.scenario.propagations import Propagation
from anechoic.scenario.queues import Queue
from anechoic.scenario.rate_controls import RateControl
from anechoic.scenario.traffic import Connection, Flow

__all__ = [
    "Aarf",
    "ApplicationLimited",
    "Arf",
    "Attenuator",
    "BadFcs",
    "BitError",
    "Blockage",
    "Bluetooth",
    "Bulk",
    "Bursts",
    "ChariotThroughput",
    "Circular",
    "Codel",
    "Confirm",
    "Connect",
    "ConstantNoise",
    "Delay",
    "Disconnect",
    "Drop",
    "DropTail",
    "Duplicate",
    "EmpiricalDelay",
    "EndLoop",
    "EndTimer",
    "Fades",
    "Fallback",
    "Film",
    "Fixed",
    "FqCodel",
    "FreeSpace",
    "Ftp",
    "Game",
    "Gentragen",
    "GilbertElliott",
    "ItuIndoor",
    "LevelTrace",
    "LogDistance",
    "Loop",
    "Mac80211",
    "MicrowaveOven",
    "Minstrel",
    "MinstrelHt",
    "MultiWall",
    "Nakagami",
    "NormalDelay",
    "Nttcp",
    "OnOff",
    "ParetoDelay",
    "PerFrame",
    "Pie",
    "Ping",
    "Poisson",
    "Priority",
    "RandomWaypoint",
    "Rate",
    "Rayleigh",
    "Receive",
    "Recorded",
    "Red",
    "Reorder",
    "Rician",
    "RoundRobin",
    "SampleRate",
    "Script",
    "Send",
    "Shadowing",
    "SignalGenerator",
    "Sleep",
    "StartTimer",
    "SteadyShadow",
    "StickyFallback",
    "TokenBucket",
    "Transaction",
    "TwoRay",
    "TwoWay",
    "Udp",
    "UniformDelay",
    "VideoCall",
    "Voip",
    "Waypoints",
    "Web",
]

class Aarf(RateControl):
    """ARF whose number of successes doubles with each probe that fails."""

    kind: Literal["aarf"] = "aarf"
    successes_min: int = 10
    """acknowledged attempts in a row before the next higher rate is tried, at first"""
    successes_max: int = 50
    """the same, at most"""
    failures: int = 2
    """failed attempts in a row before the next lower rate is taken"""

class ApplicationLimited(Connection):
    """One TCP connection whose application writes at a constant rate."""

    app: Literal["application-limited"] = "application-limited"
    rate: str
    """rate at which the application has bytes to write"""
    write_size: int | str = 1460
    """bytes of one write"""
    bytes: int | str | None = None
    """bytes to send; absent: until the run ends"""

class Arf(RateControl):
    """The rate rises after successes in a row and falls after failures in a row."""

    kind: Literal["arf"] = "arf"
    successes: int = 10
    """acknowledged attempts in a row before the next higher rate is tried"""
    failures: int = 2
    """failed attempts in a row before the next lower rate is taken"""
    timer_attempts: int = 15
    """attempts at a rate after which the next higher one is tried with the next success"""

class Attenuator(Fading):
    """An attenuator that is raised step by step, and lowered again, over and over."""

    kind: Literal["attenuator"] = "attenuator"
    depth: str
    """how far it is raised above the link's loss"""
    dwell: str
    """how long it stays at each step"""
    step: str = "1 dB"
    """from one step to the next; the last is as high as is left"""

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

class Blockage(Fading):
    """Something stands in the way at times that know nothing of those before."""

    kind: Literal["blockage"] = "blockage"
    depth: str
    """what it costs while it is there"""
    blocked: str
    """how long it stays on average"""
    clear: str
    """how long it is away on average"""

class Bluetooth(Noise):
    """Two devices of Bluetooth that talk to each other on 79 channels, heedless of others."""

    kind: Literal["bluetooth"] = "bluetooth"
    load: float = 1.0
    """part of the slots that have a packet, by chance"""
    packet: str = "366 us"
    """how long a packet takes, in a slot of 625 µs"""

class Bulk(Connection):
    """One TCP connection that sends as much as it can."""

    app: Literal["bulk"] = "bulk"
    bytes: int | str | None = None
    """bytes to send; absent: until the run ends"""

class Bursts(Noise):
    """Something that radiates at stated times."""

    kind: Literal["bursts"] = "bursts"
    times: list[list[str]]
    """when it radiates: the beginning and the end of each burst, as times of the run"""

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

class Circular(Movement):
    """Round in a circle at a constant speed, from the place where it is."""

    kind: Literal["circular"] = "circular"
    centre: list[str]
    """the middle, whose distance from where it begins is the radius"""
    speed: str
    """how fast it goes along the circle"""
    clockwise: bool = False
    """the way round"""
    start: str = "0 s"
    """time of the run at which it leaves"""

class Codel(Queue):
    """First in, first out; drops or marks what has waited for too long (CoDel)."""

    kind: Literal["codel"] = "codel"
    target: str = "5 ms"
    """wait that is fine however long it lasts"""
    interval: str = "100 ms"
    """time that the wait may be longer before the first drop: a round trip at its longest"""
    ecn: bool = False
    """whether packets of TCP with ECN are marked where others are dropped"""
    packets: int = 1000
    """packets that may wait, besides the one being sent"""

class Confirm(Part):
    """Endpoint 2 confirms that it has received everything so far, endpoint 1 waits for that."""

    do: Literal["confirm"] = "confirm"
    size: int | str = 100
    """bytes of the confirmation, which are none of the timing record's"""

class Connect(Part):
    """Endpoint 1 opens a connection, endpoint 2 accepts it."""

    do: Literal["connect"] = "connect"

class ConstantNoise(Noise):
    """Noise all the time, as strong in every channel."""

    kind: Literal["constant-noise"] = "constant-noise"

class Delay(Impairment):
    """Packets are held, each for the same time; where that changes none overtakes another."""

    kind: Literal["delay"] = "delay"
    delay: str
    """how long"""
    changes: list[list[str]] | None = None
    """times of the run, each with how long from then on; absent: it never changes"""

class Disconnect(Part):
    """Endpoint 1 closes the connection, and endpoint 2 when it sees that."""

    do: Literal["disconnect"] = "disconnect"

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
    bytes: int | str | None = None
    """bytes of IP packets that may wait, besides the one being sent; absent: any number"""

class Duplicate(Impairment):
    """Packets are followed by copies of themselves, at once."""

    kind: Literal["duplicate"] = "duplicate"
    probability: float
    """chance of each packet to be copied"""
    copies: list[int] = [1, 1]
    """the least and the most copies of one packet, all numbers of them equally likely"""

class EmpiricalDelay(Impairment):
    """Packets are held, each for one of the times in a file, all equally likely."""

    kind: Literal["empirical-delay"] = "empirical-delay"
    delays: str
    """file of times: their unit, and below it a number in each line"""
    keep_order: bool = True
    """whether none leaves before the one that came before it"""

class EndLoop(Part):
    """The end of the loop that began last."""

    do: Literal["end-loop"] = "end-loop"

class EndTimer(Part):
    """The timing record is complete; what follows begins when the machine has kept it."""

    do: Literal["end-timer"] = "end-timer"

class Fades(Fading):
    """The level changes between two, each for a time between a shortest and a longest."""

    kind: Literal["fades"] = "fades"
    depth: str
    """how far the level falls in a fade"""
    faded: list[str]
    """how long fades last, from the middle of one transition to that of the next"""
    clear: list[str]
    """how long it is clear between them"""
    transition: str = "0 s"
    """how long the level takes from one to the other, evenly in decibels; no longer than either
    lasts
    """

class Fallback(RateControl):
    """Retries of one MSDU go at lower and lower rates; the next MSDU starts at the highest."""

    kind: Literal["fallback"] = "fallback"
    attempts_per_rate: int = 1
    """attempts at each rate before the next lower one is tried"""

class Film(Flow):
    """A film as it is played, over datagrams: the frames of a trace, or synthetic ones."""

    app: Literal["film"] = "film"
    trace: str | None = None
    """sizes of the frames, in the format of the TU Berlin's archive; absent: synthetic frames with
    the statistics of its MPEG-4 "Star Wars IV" at high quality
    """
    payload: int | str = 512
    """bytes of a datagram; the last one of a frame may have fewer"""
    buffer: str = "1 s"
    """time from the first packet's arrival to the first picture"""

class Fixed(RateControl):
    """Every data frame goes at the radio's rate."""

    kind: Literal["fixed"] = "fixed"

class FqCodel(Queue):
    """Flows send in turns, sparse ones first; each drops or marks as CoDel does (FQ-CoDel)."""

    kind: Literal["fq-codel"] = "fq-codel"
    target: str = "5 ms"
    """wait that is fine however long it lasts"""
    interval: str = "100 ms"
    """time that the wait may be longer before the first drop: a round trip at its longest"""
    quantum: int | str = 1514
    """bytes of Ethernet frames, without check sequence, of one turn"""
    flows: int = 1024
    """queues, to one of which each flow is assigned"""
    ecn: bool = True
    """whether packets of TCP with ECN are marked where others are dropped"""
    packets: int = 10_240
    """packets that may wait in all queues together, besides the one being sent"""

class FreeSpace(Propagation):
    """The loss of free space between isotropic antennas (Friis)."""

    kind: Literal["free-space"] = "free-space"

class Ftp(Connection):
    """FTP: files from a server, one after another; each is a timing record."""

    app: Literal["ftp"] = "ftp"
    size: int | str = "2 MB"
    """bytes of a file"""
    files: int | None = None
    """files; absent: until the run ends"""
    pause: str = "0 s"
    """time from the end of a file to the next"""

class Game(Flow):
    """A player's events and a game server's updates, each at a constant interval."""

    app: Literal["game"] = "game"
    event_payload: int | str = 42
    """bytes of a player's event"""
    event_interval: str = "60 ms"
    """time between a player's events"""
    update_payload: int | str = 200
    """bytes of a server's update"""
    update_interval: str = "50 ms"
    """time between a server's updates"""
    deadline: str = "75 ms"
    """age at which an event or an update comes too late"""

class Gentragen(Connection):
    """GenTraGen: transfers from a master to a slave, each of which is a timing record."""

    app: Literal["gentragen"] = "gentragen"
    trials: int | None = None
    """transfers of a slave, N_t; absent: until the run ends"""
    size: int | str = "1 MiB"
    """mean of a transfer's bytes, D"""
    size_distribution: Literal["constant", "exponential", "pareto"] = "constant"
    """how sizes vary, unless there are `sizes`"""
    sizes: str | None = None
    """sizes to draw from, all equally likely, instead of `size`"""
    off: str = "0 s"
    """mean time from the end of a transfer to the next request, T_off"""
    off_distribution: Literal["constant", "exponential", "pareto"] = "constant"
    """how these times vary, unless there are `offs`"""
    offs: str | None = None
    """times to draw from, all equally likely, instead of `off`"""
    shape: float = 1.5
    """of `pareto` sizes and times how fast large ones become rare"""
    lead: str = "1 s"
    """time from the start of the traffic to that which the master gives all slaves"""
    delay: str = "1 s"
    """longest delay of a slave from there to its first request, all delays equally likely"""

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

class ItuIndoor(Propagation):
    """The loss within a building by its kind and the floors between (ITU-R P.1238)."""

    kind: Literal["itu-indoor"] = "itu-indoor"
    power_loss_coefficient: float = 30.0
    """N, the distance power loss coefficient"""
    floors: int = 0
    """floors between the two, of an office: 15 dB for one and 4 dB for each one more"""

class LevelTrace(Fading):
    """As a file tells, of which each reading holds until the next."""

    kind: Literal["level-trace"] = "level-trace"
    file: str
    """the file"""
    reference: str | None = None
    """level in the file that stands for the link's own loss; a file of losses has none"""
    longest_gap: str | None = None
    """how long a reading may hold"""

class LogDistance(Propagation):
    """A loss that grows with a power of the distance, from a reference distance on."""

    kind: Literal["log-distance"] = "log-distance"
    exponent: float
    """the power: 2 in free space, 2.7 to 3.5 in cities"""
    reference_distance: str = "1 m"
    """distance from which on it grows; below it too, which holds in no room"""
    reference_loss: str | None = None
    """loss at that distance; absent: that of free space"""

class Loop(Part):
    """What follows, up to the `end-loop` of this loop, is done several times."""

    do: Literal["loop"] = "loop"
    times: int | None = None
    """how often; absent: until the run ends"""

class Mac80211(Queue):
    """Stations take turns by airtime, and their flows within each (Linux's mac80211)."""

    kind: Literal["mac80211"] = "mac80211"
    target: str = "20 ms"
    """wait that is fine however long it lasts"""
    interval: str = "100 ms"
    """time that the wait may be longer before the first drop"""
    quantum: int | str = 300
    """bytes of Ethernet frames of one turn of a flow"""
    ecn: bool = True
    """whether packets of TCP with ECN are marked where others are dropped"""
    packets: int = 8192
    """packets that may wait in all queues together"""
    fair: bool = True
    """whether stations take turns by airtime, and not by bytes"""
    airtime_limit: str = "5 ms"
    """airtime of a station's packets in the hardware that is fine at any time"""
    airtime_limit_idle: str = "12 ms"
    """the same while the hardware has little of all stations"""
    aggregates: int | None = None
    """aggregates that a driver which makes them itself has in the hardware, instead of the limits
    of airtime (ath9k: 2); absent: the firmware makes them
    """
    pacing_shift: int = 7
    """part of a second, 2 to the power of minus this, that the host's own TCP may have here"""
    airtime_of_all: str = "24 ms"
    """airtime of all stations' packets in the hardware that is little"""

class MicrowaveOven(Noise):
    """A microwave oven: a line that is on for half of each cycle of the mains, and may sweep."""

    kind: Literal["microwave-oven"] = "microwave-oven"
    mains: float = 60.0
    """frequency of the mains"""
    magnetrons: int = 1
    """bursts in a cycle of the mains, one of each magnetron"""
    burst: str | None = None
    """how long a burst lasts; absent: half a cycle, for which the rectifier lets a magnetron go"""
    frequency: int = 2450
    """its frequency in the middle of a burst"""
    sweep: int = 0
    """how far its frequency rises in a burst, at a constant pace"""

class Minstrel(RateControl):
    """That of Linux for 802.11b, g and a: what yields most, others being tried."""

    kind: Literal["minstrel"] = "minstrel"
    update_interval: str = "50 ms"
    """how often probabilities are renewed"""
    probe_interval: str = "20 ms"
    """least time between frames that try another rate"""

class MinstrelHt(RateControl):
    """That of Linux for 802.11n and later: what yields most, others being tried."""

    kind: Literal["minstrel-ht"] = "minstrel-ht"
    update_interval: str = "50 ms"
    """how often probabilities are renewed"""
    probe_interval: str = "20 ms"
    """least time between frames that try another rate"""

class MultiWall(Propagation):
    """Free space, and what each wall takes that stands between (COST 231)."""

    kind: Literal["multi-wall"] = "multi-wall"
    light_walls: list[list[list[str]]] | None = None
    """walls that carry nothing: plasterboard, chipboard, or less than 10 cm of light concrete"""
    heavy_walls: list[list[list[str]]] | None = None
    """walls that carry the house: concrete or brick of more than 10 cm"""
    light_loss: str = "3.4 dB"
    """loss of a light wall"""
    heavy_loss: str = "6.9 dB"
    """loss of a heavy wall"""

class Nakagami(Fading):
    """Less fading than Rayleigh's: Nakagami's distribution, as of the mean of m antennas."""

    kind: Literal["nakagami"] = "nakagami"
    m: int
    """how even the power is; 1 is Rayleigh's fading"""
    doppler: float
    """shift of a wave from straight ahead: the speed over the wavelength"""

class NormalDelay(Impairment):
    """Packets are held, each for a time of normal distribution; one below zero is none."""

    kind: Literal["normal-delay"] = "normal-delay"
    mean: str
    """mean of the times"""
    deviation: str
    """their standard deviation"""
    keep_order: bool = True
    """whether none leaves before the one that came before it"""

class Nttcp(Connection):
    """TCP connections one after another, each of so many buffers; each is a timing record."""

    app: Literal["nttcp"] = "nttcp"
    buffers: int = 2048
    """buffers of a run"""
    buffer_size: int | str = 4096
    """bytes of a buffer, which are those of a write"""
    repetitions: int | None = None
    """runs, one after another; absent: until the run of the scenario ends"""
    pause: str = "0 s"
    """time from the end of a run to the beginning of the next"""

class OnOff(Flow):
    """Datagrams of one size at one rate, in bursts: the source is on and off in turn."""

    app: Literal["on-off"] = "on-off"
    payload: int | str = 1472
    """application bytes of a datagram"""
    rate: str
    """rate of application bytes while it is on"""
    on: str = "500 ms"
    """mean time for which it is on"""
    off: str = "500 ms"
    """mean time for which it is off"""
    distribution: Literal["constant", "exponential", "pareto"] = "exponential"
    """how both times vary"""
    shape: float = 1.5
    """of `pareto` times how fast long ones become rare: up to 2 the variance is infinite, and the
    sum of many sources self-similar (Willinger et al. 1997)
    """

class ParetoDelay(Impairment):
    """Packets are held, each for a time of Pareto distribution: few are long, but very long."""

    kind: Literal["pareto-delay"] = "pareto-delay"
    mean: str
    """mean of the times; with the shape, as in ns-2, it gives the shortest of them, the scale: mean
    (shape - 1) / shape
    """
    shape: float
    """how fast long ones become rare: a time is longer than x with probability (scale / x)^shape;
    up to 2 the variance is infinite
    """
    keep_order: bool = True
    """whether none leaves before the one that came before it"""

class PerFrame(Fading):
    """Levels that scatter normally from frame to frame, as in ns-2's shadowing model."""

    kind: Literal["per-frame"] = "per-frame"
    sigma: str
    """standard deviation"""

class Pie(Queue):
    """First in, first out; drops or marks by chance, by how long packets wait (PIE)."""

    kind: Literal["pie"] = "pie"
    target: str = "15 ms"
    """wait that the controller aims at"""
    update: str = "15 ms"
    """time between two adjustments of the probability"""
    alpha: float = 0.125
    """probability per second of wait above the target"""
    beta: float = 1.25
    """probability per second that the wait has grown"""
    max_burst: str = "150 ms"
    """time that a burst may last before packets are dropped"""
    ecn: bool = False
    """whether packets of TCP with ECN are marked where others are dropped"""
    ecn_limit: float = 0.1
    """probability from which packets of TCP with ECN are dropped like others"""
    packets: int = 1000
    """packets that may wait, besides the one being sent"""

class Ping(Flow):
    """ICMP echo requests and their replies."""

    app: Literal["ping"] = "ping"
    payload: int | str = 56
    """bytes after the ICMP header"""
    interval: str = "1 s"
    """time between requests"""
    flood: bool = False
    """whether a request also follows at once on a reply, and 10 ms on a request at the latest, as
    those of `ping -f` do
    """

class Poisson(Flow):
    """Datagrams of one size, each independent of the others in time."""

    app: Literal["poisson"] = "poisson"
    payload: int | str = 1472
    """application bytes of a datagram"""
    rate: str
    """mean rate of application bytes; the times between datagrams are exponential"""

class Priority(Queue):
    """Eight queues by the packets' DSCP; the most urgent that holds a packet always sends first."""

    kind: Literal["priority"] = "priority"
    packets: int = 1000
    """packets that may wait in each of the eight queues"""

class RandomWaypoint(Movement):
    """To a place drawn evenly from an area, at a speed drawn evenly, and so on after a pause."""

    kind: Literal["random-waypoint"] = "random-waypoint"
    area: list[str]
    """the corner of the area that is opposite to the origin"""
    speed: str
    """how fast it goes, at most"""
    speed_min: str | None = None
    """how fast it goes, at least; absent: always at the same speed"""
    pause: str = "0 s"
    """how long it stays at each place"""

class Rate(Impairment):
    """Packets leave one after the other at a rate; what finds the queue full is dropped."""

    kind: Literal["rate"] = "rate"
    rate: str
    """how much leaves"""
    changes: list[list[str]] | None = None
    """times of the run, each with the rate from then on; absent: it never changes"""
    packets: int = 1000
    """packets that may wait, besides the one being sent"""
    bytes: int | str | None = None
    """bytes of IP packets that may wait, besides the one being sent; absent: any number"""
    counts: Literal["frames", "packets"] = "frames"
    """what takes its time of the rate: the Ethernet frame with preamble and gap, or, as in
    dummynet, the IP packet alone
    """

class Rayleigh(Fading):
    """Many paths and none that stands out: Rayleigh's distribution with Jakes' spectrum."""

    kind: Literal["rayleigh"] = "rayleigh"
    doppler: float
    """shift of a wave from straight ahead: the speed over the wavelength, 8 Hz for 1 m/s at 2.4
    GHz; at 0 the link keeps the power that it is dealt
    """

class Receive(Part):
    """Endpoint 2 sends, endpoint 1 receives; bytes of the timing record."""

    do: Literal["receive"] = "receive"
    size: int | str
    """bytes received"""
    write_size: int | str = "32 KiB"
    """bytes of one send call"""

class Recorded(Movement):
    """As a file tells, of ns-2 (`setdest`) or of BonnMotion; before and after that it stays."""

    kind: Literal["recorded"] = "recorded"
    file: str
    """the file"""
    node: int = 0
    """which of the file's nodes it is, counted from 0"""

class Red(Queue):
    """First in, first out; drops or marks by chance, by the average length (RED)."""

    kind: Literal["red"] = "red"
    min_threshold: float = 5.0
    """average length from which packets are dropped"""
    max_threshold: float = 15.0
    """average length at which the probability has become max_probability"""
    max_probability: float = 0.1
    """probability of a drop at max_threshold"""
    weight: float = 0.002
    """weight of each new length in the average"""
    gentle: bool = True
    """whether the probability rises on to 1 at twice max_threshold, instead of being 1 from
    max_threshold on
    """
    packet_time: str = "0.8 ms"
    """time of one packet: while there is none, the average falls as if one in such a time had found
    the queue empty
    """
    ecn: bool = False
    """whether packets of TCP with ECN are marked below max_threshold (with gentle, below twice
    that) where others are dropped
    """
    packets: int = 1000
    """packets that may wait, besides the one being sent"""

class Reorder(Impairment):
    """Packets are held until later ones have overtaken them."""

    kind: Literal["reorder"] = "reorder"
    probability: float
    """chance of each packet to be overtaken"""
    displacement: list[int] = [1, 7]
    """the fewest and the most that overtake it, all numbers of them equally likely"""
    within: Literal["link", "connection"] = "link"
    """which later packets count: all on the link in its direction, or those of its own flow"""
    longest_wait: str = "100 ms"
    """time after which it goes on all the same, so that none is lost where traffic stops"""

class Rician(Fading):
    """Many paths and one that stands out, the straight one: Rice's distribution."""

    kind: Literal["rician"] = "rician"
    k: str
    """power of the path that stands out over that of all others"""
    doppler: float
    """shift of a wave from straight ahead: the speed over the wavelength"""

class RoundRobin(Queue):
    """A queue for each station that packets go to next; the queues send in turns, a packet each."""

    kind: Literal["round-robin"] = "round-robin"
    packets: int = 100
    """packets that may wait for each station"""

class SampleRate(RateControl):
    """The rate with the least average time per delivered frame, others being sampled."""

    kind: Literal["sample-rate"] = "sample-rate"
    window: str = "10 s"
    """how long results count"""
    sample_every: int = 10
    """one MSDU in so many samples another rate"""
    failures: int = 4
    """failed MSDUs in a row after which a rate is left alone"""

class Script(Connection):
    """A script of IxChariot's verbs: what two endpoints do in turn, and what of it is timed."""

    app: Literal["script"] = "script"
    steps: dict[str, ScriptStep]
    """its steps, in their order"""

class Send(Part):
    """Endpoint 1 sends, endpoint 2 receives; bytes of the timing record."""

    do: Literal["send"] = "send"
    size: int | str
    """bytes sent"""
    write_size: int | str = "32 KiB"
    """bytes of one send call"""

class Shadowing(Fading):
    """What stands around costs decibels of normal distribution, mean 0, for some time."""

    kind: Literal["shadowing"] = "shadowing"
    sigma: str
    """standard deviation"""
    correlation_time: str
    """time after which the correlation has fallen to 1/e"""

class SignalGenerator(Noise):
    """A vector signal generator that sends frames at a constant rate, heedless of others."""

    kind: Literal["signal-generator"] = "signal-generator"
    rate: float
    """bursts a second; 0: none"""
    burst: str = "30 us"
    """from the beginning of a burst to its end; in the last 6 µs of a frame of OFDM, its signal
    extension, nothing radiates
    """
    frame: Literal["ofdm", "cck"] = "ofdm"
    """what a burst is: a frame of OFDM, mere energy to a station of 802.11b, or of CCK, whose
    preamble it detects and defers to, in a burst of at least 192 µs
    """
    frequency: int | None = None
    """centre of its spectrum; absent: that of every channel that receives it"""
    phase: str = "0 s"
    """time of the first burst"""

class Sleep(Part):
    """Endpoint 1 pauses."""

    do: Literal["sleep"] = "sleep"
    time: str
    """mean of the pauses"""
    distribution: Literal["constant", "exponential", "pareto"] = "constant"
    """how they vary"""
    shape: float = 1.5
    """of `pareto` pauses how fast long ones become rare"""

class StartTimer(Part):
    """A timing record begins."""

    do: Literal["start-timer"] = "start-timer"

class SteadyShadow(Fading):
    """A level apart from the distance's, drawn normally and kept for the whole run."""

    kind: Literal["steady-shadow"] = "steady-shadow"
    sigma: str
    """standard deviation"""

class StickyFallback(RateControl):
    """The rate falls after failures in a row, is remembered, and rises after successes or time."""

    kind: Literal["sticky-fallback"] = "sticky-fallback"
    counts: Literal["attempt", "fragment", "msdu"] = "attempt"
    """what fails or succeeds: each attempt; a fragment, which fails with any of its attempts; or an
    MSDU
    """
    failures: int = 1
    """failures in a row before the next lower rate is taken"""
    successes: int = 10
    """successes in a row before the next higher rate is taken"""
    recovery: str | None = None
    """time without a failure after which the next higher rate is taken all the same"""

class TokenBucket(Impairment):
    """Packets pass while there are tokens for their bytes, which come at a rate (Linux tbf)."""

    kind: Literal["token-bucket"] = "token-bucket"
    rate: str
    """rate at which tokens come, each for a byte of an Ethernet frame without check sequence"""
    burst: int | str
    """bytes of tokens that are kept; a longer frame never passes"""
    latency: str = "70 ms"
    """longest wait for tokens once the bucket is empty; the queue has room for what comes in this
    time, and for a burst
    """

class Transaction(Part):
    """A transaction of the timing record is complete."""

    do: Literal["transaction"] = "transaction"

class TwoRay(Propagation):
    """Free space near by, and beyond that the fourth power of the distance."""

    kind: Literal["two-ray"] = "two-ray"
    antenna_height: str = "1.5 m"
    """height of every antenna above the ground"""

class TwoWay(Connection):
    """One TCP connection over which both ends send as much as they can."""

    app: Literal["two-way"] = "two-way"
    bytes: int | str | None = None
    """bytes that each end sends; absent: until the run ends"""

class Udp(Flow):
    """Datagrams of one size at one rate."""

    app: Literal["udp"] = "udp"
    payload: int | str = 1472
    """application bytes of a datagram"""
    rate: str | None = None
    """rate of application bytes; absent: the sender's queue is never empty"""

class UniformDelay(Impairment):
    """Packets are held, each for a time of its own, all of a range equally likely."""

    kind: Literal["uniform-delay"] = "uniform-delay"
    delay: list[str]
    """the shortest and the longest time"""
    keep_order: bool = True
    """whether none leaves before the one that came before it"""

class VideoCall(Flow):
    """A video call, over datagrams in both directions: the frames of a trace, or synthetic ones."""

    app: Literal["video-call"] = "video-call"
    trace: str | None = None
    """sizes of the frames, in the format of the TU Berlin's archive; each end begins somewhere in
    it; absent: synthetic frames with the statistics of its H.263 "Lecture Room Cam"
    """
    payload: int | str = 512
    """bytes of a datagram; the last one of a frame may have fewer"""
    deadline: str = "150 ms"
    """age at which a frame comes too late"""

class Voip(Flow):
    """A telephone call, over datagrams in both directions: G.711 at 64 kbit/s, without pauses."""

    app: Literal["voip"] = "voip"
    packet_time: str = "20 ms"
    """time whose sound a datagram carries"""
    buffer: str | None = None
    """time for which the first packet to arrive waits before it is heard: the later ones may be
    later by that much, for all of the call; absent: the buffer adapts, to the age that 999 of
    the last 1000 packets did not exceed
    """

class Waypoints(Movement):
    """From one place to the next in straight lines, at a constant speed; at the last it stays."""

    kind: Literal["waypoints"] = "waypoints"
    points: list[list[str]]
    """the places, in order"""
    speed: str
    """how fast it goes"""
    start: str = "0 s"
    """time of the run at which it leaves"""
    pause: str = "0 s"
    """how long it stays at each place on the way"""

class Web(Connection):
    """Web pages from a server, one after another; each is a timing record."""

    app: Literal["web"] = "web"
    reading: str = "30 s"
    """mean time from the end of a page to the next request"""
    parsing: str = "130 ms"
    """mean time from the end of the main object to the requests for the embedded ones"""
    connections: int = 4
    """connections at a time, at most"""
    request_size: int | str = 350
    """bytes of a request"""
    pages: int | None = None
    """pages, one after another; absent: until the run ends"""

Traffic = (
    Script
    | ChariotThroughput
    | Bulk
    | ApplicationLimited
    | TwoWay
    | Gentragen
    | Ftp
    | Web
    | Udp
    | Poisson
    | OnOff
    | Game
    | Voip
    | VideoCall
    | Film
    | Nttcp
    | Ping
)
ScriptStep = (
    Connect
    | Disconnect
    | Send
    | Receive
    | Confirm
    | Sleep
    | Loop
    | EndLoop
    | StartTimer
    | Transaction
    | EndTimer
)
Stage = (
    Drop
    | GilbertElliott
    | BitError
    | BadFcs
    | Delay
    | UniformDelay
    | NormalDelay
    | ParetoDelay
    | EmpiricalDelay
    | Reorder
    | Duplicate
    | Rate
    | TokenBucket
)
LinkFading = (
    Fades
    | Blockage
    | Rayleigh
    | Rician
    | Nakagami
    | Shadowing
    | SteadyShadow
    | PerFrame
    | Attenuator
    | LevelTrace
)
RadioNoise = Bursts | ConstantNoise | SignalGenerator | Bluetooth | MicrowaveOven
WireQueue = DropTail | Priority | RoundRobin | Red | Codel | FqCodel | Pie | Mac80211
RadioRateControl = (
    Fixed | Fallback | StickyFallback | Arf | Aarf | SampleRate | Minstrel | MinstrelHt
)
AirPropagation = FreeSpace | LogDistance | TwoRay | ItuIndoor | MultiWall
RadioMovement = Waypoints | Circular | RandomWaypoint | Recorded

TRAFFIC: dict[str, type[Flow]]
STEPS: dict[str, type[Part]]
QUEUES: dict[str, type[Queue]]
IMPAIRMENTS: dict[str, type[Impairment]]
FADINGS: dict[str, type[Fading]]
NOISES: dict[str, type[Noise]]
RATE_CONTROLS: dict[str, type[RateControl]]
PROPAGATIONS: dict[str, type[Propagation]]
MOVEMENTS: dict[str, type[Movement]]

CHOICES: dict[str, dict[str, type[Part]]]
MODELS: dict[str, type[Part]]
