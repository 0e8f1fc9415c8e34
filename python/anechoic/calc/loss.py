"""What loss leaves of a TCP connection's rate, and how likely loss is.

M. Mathis, J. Semke, J. Mahdavi and T. Ott, "The Macroscopic Behavior of the TCP Congestion
Avoidance Algorithm", CCR 27(3), 1997. J. Padhye, V. Firoiu, D. Towsley and J. Kurose, "Modeling TCP
Throughput: a Simple Model and its Empirical Validation", SIGCOMM 1998.
"""

from math import inf, sqrt


def mathis_window(loss: float, segments_per_ack: float = 1) -> float:
    """Give the mean window in segments if every loss halves it and nothing else happens."""
    return inf if loss == 0 else sqrt(1.5 / (segments_per_ack * loss))


def mathis_per_second(loss: float, rtt_s: float, segments_per_ack: float = 1) -> float:
    """Give the segments a second of that window."""
    return mathis_window(loss, segments_per_ack) / rtt_s


def pftk_per_second(
    loss: float,
    rtt_s: float,
    timeout_s: float,
    segments_per_ack: float = 2,
    window: float = inf,
) -> float:
    """Give the segments a second with timeouts, by the approximation (equation 30).

    ``window`` is the receiver's, in segments.
    """
    if loss == 0:
        return window / rtt_s
    halving = rtt_s * sqrt(2 * segments_per_ack * loss / 3)
    timeouts = min(1.0, 3 * sqrt(3 * segments_per_ack * loss / 8))
    timeouts *= timeout_s * loss * (1 + 32 * loss**2)
    return min(window / rtt_s, 1 / (halving + timeouts))


def packet_loss(bit_error_rate: float, packet_bytes: int) -> float:
    """Give how likely a packet has an error if bits have, each for itself."""
    return 1 - (1 - bit_error_rate) ** (8 * packet_bytes)


def failed_attempts(loss: float, attempts: int, tries: int = 1) -> float:
    """Give how likely one of so many tries fails in all of its attempts."""
    return 1 - (1 - loss**attempts) ** tries


def loss_between(segments_per_s: float, seconds: float) -> float:
    """Give the part of the segments that are lost if a loss comes every so many seconds."""
    return 1 / (segments_per_s * seconds)


def timeouts_s(first_s: float, count: int) -> list[float]:
    """Give successive retransmission timeouts, each twice the one before (RFC 6298 §5.5)."""
    return [first_s * 2**k for k in range(count)]


def segments_between_losses(window: float, segments_per_ack: float) -> float:
    """Give the segments sent while a window grows from its half to its whole, by one each round.

    A segment for each of ``segments_per_ack`` rounds: (3/8) b W².
    """
    return 3 / 8 * segments_per_ack * window**2


def window_of_segments(between_losses: float, segments_per_ack: float) -> float:
    """Give the window at a loss if so many segments are sent between two losses."""
    return sqrt(8 / 3 * between_losses / segments_per_ack)
