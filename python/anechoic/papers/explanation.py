"""Why a claim's verdict is what it is: the mechanism that decides it by name, and the evidence.

A name is one of this list, so that all claims that one mechanism decides are found together. A
new one is a line here.
"""

from dataclasses import dataclass

MECHANISMS: dict[str, str] = {
    # In the air.
    "airtime": "a frame costs the air its time, and nothing else does",
    "collisions": "stations that hear each other begin in the same slot",
    "equal-turns": "the MAC gives stations equal turns, not equal time",
    "hidden-stations": "stations that do not hear each other overlap at the receiver",
    "capture": "the stronger of two frames that overlap arrives",
    "rts-cost": "RTS and CTS cost every exchange, and save what a collision would",
    "rate-control": "rate control chooses the rate, and takes other losses for a bad channel",
    "retry-limit": "how often the MAC sends a frame again decides what TCP sees of a loss",
    "fading": "the signal varies for longer than the MAC tries",
    "noise-at-whom": "noise hits ACKs where it reaches the sender, and data where the receiver",
    "noise-in-step": "bursts keep their place in what is repeated about as often",
    "noise-spectrum": "how much of the noise lies in the channel",
    "handover": "which access point or agent serves a station, and since when",
    "capacity": "the standard's air carries more than the bench did, which says not what slowed it",
    # In queues and hosts.
    "queue-overflow": "what the access point's queue drops, and how long it holds the rest",
    "host-cost": "what a packet takes in a machine, beside the air",
    # In TCP.
    "timer-backoff": "a retransmission timer that has backed off leaves the air idle",
    "resent-in-vain": "TCP resends what has arrived",
    "duplicate-acks": "at how many duplicate ACKs the sender resends",
    "cumulative-acks": "a later ACK covers one that was lost",
    "ack-clock": "ACKs let segments out in runs",
    "window": "the window, and not the network, limits what is under way",
    "slow-start": "how a connection begins, and begins again",
    # In the text.
    "wording": "the text has a word, and the check a number for it",
    "contradiction": "the text contradicts itself, or counts otherwise than its standard",
    "inferred-value": "a value that the text does not say, and that was chosen",
    "spread": "so few or so rare cases that the interval leaves it open",
}
"""What decides verdicts, by name."""


@dataclass(frozen=True)
class Explanation:
    """The mechanisms behind a verdict, and the evidence in a sentence or two."""

    mechanisms: tuple[str, ...] = ()
    because: str = ""

    @property
    def told(self) -> str:
        """Both in a line; empty if there is nothing to say."""
        return f"{', '.join(self.mechanisms)}: {self.because}" if self.because else ""


UNEXPLAINED = Explanation()
