"""What a radio may write of 802.11n and later, and what goes with what."""

from collections.abc import Iterator

from anechoic.scenario.errors import Problem, shown
from anechoic.scenario.high_throughput import (
    HIGHEST_OF_BCC,
    STREAMS_OF_BCC,
    WIDEST_OF_BCC_MHZ,
    Amendment,
    Choice,
)
from anechoic.scenario.profiles import OF_LATER
from anechoic.scenario.quantities import nanoseconds, size_in_bytes
from anechoic.scenario.radio import AccessPoint, Radio
from anechoic.scenario.standards import Standard

FIELDS = (
    "mcs",
    "streams",
    "width",
    "guard_interval",
    "ampdu_limit",
    "amsdu_limit",
    "block_ack_window",
    "agreements",
    "reorder_buffer",
    "reorder_timeout",
    "agreement_timeout",
    "mpdu_spacing",
    "coding",
    "aggregate_limit",
    "txop_limit",
)
"""What there is of a radio from 802.11n on, and before not."""

LONGEST_PPDU_NS = 5_484_000
"""The longest PPDU that the legacy signal field can tell of (IEEE Std 802.11-2020, 19.4.3)."""

LONGEST_AMSDU = 11_398
"""Bytes of an A-MSDU in the longest MPDU, of 11,454 (IEEE Std 802.11-2020, Table 9-34)."""


def later_problems(
    path: str, radio: Radio, standard: Standard, choice: Choice
) -> Iterator[Problem]:
    """Yield what is wrong with a radio's fields of 802.11n and later, or with their absence."""
    if radio.rate_control is not None:
        yield from control_problems(path, radio.rate_control.kind, standard)
    if standard.later is None:
        for name in FIELDS:
            value = getattr(radio, name, None)
            if value is not None:
                what = (
                    f"{shown(value)} is of 802.11n and later, and this radio is of {standard.name}"
                )
                yield Problem(f"{path}.{name}", what, "nothing, or another standard")
        if radio.profile in OF_LATER:
            what = f"{radio.profile} is of radios from 802.11n on, and this one of {standard.name}"
            yield Problem(f"{path}.profile", what, "another profile, or another standard", "plain")
        return
    later = standard.later
    if radio.rate is not None:
        what = f"{shown(radio.rate)} is of 802.11a, b and g: a rate of {standard.name} is an MCS"
        yield Problem(f"{path}.rate", what, f"mcs = 0 to {later.mcs}, with streams and width")
    if radio.fragmentation_threshold is not None:
        what = f"MPDUs of {standard.name} are not fragmented here"
        yield Problem(f"{path}.fragmentation_threshold", what, "nothing")
    yield from _beyond(path, radio, later)
    yield from _of_choice(path, radio, later, choice)
    if later.family == "he" and choice.coding == "bcc" and isinstance(radio, AccessPoint):
        yield from _of_bcc(path, choice)


def control_problems(path: str, kind: str, standard: Standard) -> Iterator[Problem]:
    """Yield what is wrong with a Minstrel that is for other radios."""
    if standard.later is None and kind == "minstrel-ht":
        what = f"{shown(kind)} is of 802.11n and later, and frames here are of {standard.name}"
        yield Problem(f"{path}.rate_control", what, "another kind", "minstrel")
    if standard.later is not None and kind == "minstrel":
        what = f"{shown(kind)} is of 802.11b, g and a, and frames here are of {standard.name}"
        yield Problem(f"{path}.rate_control", what, "another kind", "minstrel-ht")


def _beyond(path: str, radio: Radio, later: Amendment) -> Iterator[Problem]:
    if radio.mcs is not None and radio.mcs > later.mcs:
        what = f"{later.name} has no MCS {radio.mcs}"
        yield Problem(f"{path}.mcs", what, f"0 to {later.mcs}", str(later.mcs))
    if radio.streams is not None and radio.streams > later.streams:
        what = f"{radio.streams} are more than {later.name} has"
        yield Problem(f"{path}.streams", what, f"1 to {later.streams}", str(later.streams))
    if radio.width is not None and int(radio.width.split()[0]) not in later.carriers:
        widths = ", ".join(f'"{width} MHz"' for width in later.carriers)
        what = f"{later.name} has no channels of {radio.width}"
        yield Problem(f"{path}.width", what, widths)
    guard = radio.guard_interval
    if guard is not None and nanoseconds(guard) not in later.guard_intervals_ns:
        allowed = ", ".join(f'"{each} ns"' for each in later.guard_intervals_ns)
        what = f"{later.name} has no guard interval of {guard}"
        yield Problem(f"{path}.guard_interval", what, allowed)
    limit = radio.ampdu_limit
    if limit is not None and size_in_bytes(limit) > later.ampdu_bytes:
        what = f"{limit} is longer than an A-MPDU of {later.name}"
        yield Problem(f"{path}.ampdu_limit", what, f"at most {later.ampdu_bytes} B")
    longest = 7935 if later.family == "ht" else LONGEST_AMSDU
    if radio.amsdu_limit is not None and size_in_bytes(radio.amsdu_limit) > longest:
        what = f"{radio.amsdu_limit} is longer than an A-MSDU of {later.name}"
        yield Problem(f"{path}.amsdu_limit", what, f"at most {longest} B")
    lasts = radio.aggregate_limit
    if lasts is not None and not 0 < nanoseconds(lasts) <= LONGEST_PPDU_NS:
        what = f"{lasts} is no time that an A-MPDU lasts"
        yield Problem(f"{path}.aggregate_limit", what, "above 0 s, up to 5.484 ms", "5.484 ms")
    for name, least in (("block_ack_window", 1), ("reorder_buffer", 0)):
        window = getattr(radio, name)
        if window is not None and window > later.window:
            what = f"{window} are more MPDUs than an agreement of {later.name} has"
            allowed = f"{least} to {later.window}"
            yield Problem(f"{path}.{name}", what, allowed, str(later.window))
    if radio.reorder_timeout is not None and nanoseconds(radio.reorder_timeout) == 0:
        what = f"{radio.reorder_timeout} is no time in which anything could come"
        yield Problem(f"{path}.reorder_timeout", what, "more than 0 s", "100 ms")


def _of_bcc(path: str, choice: Choice) -> Iterator[Problem]:
    what = "802.11ax has the convolutional code"
    if choice.width_mhz > WIDEST_OF_BCC_MHZ:
        width = f"{what} at 20 MHz alone, and this channel has {choice.width_mhz}"
        yield Problem(f"{path}.coding", width, '"ldpc", or width = "20 MHz"', "ldpc")
    if choice.streams > STREAMS_OF_BCC:
        streams = f"{what} for {STREAMS_OF_BCC} streams at most, and these are {choice.streams}"
        yield Problem(f"{path}.coding", streams, '"ldpc", or fewer streams', "ldpc")


def _of_choice(path: str, radio: Radio, later: Amendment, choice: Choice) -> Iterator[Problem]:
    if radio.mcs is None or radio.mcs > later.mcs or later.allows(choice, radio.mcs):
        return
    if later.family == "he":
        what = f"MCS {radio.mcs} of {later.name} is of LDPC, and its cell has bcc"
        yield Problem(f"{path}.mcs", what, f"0 to {HIGHEST_OF_BCC}", str(HIGHEST_OF_BCC))
    else:
        streams = f"{choice.streams} stream{'s' if choice.streams > 1 else ''}"
        what = f"{later.name} has no MCS {radio.mcs} with {choice.width_mhz} MHz and {streams}"
        nearest = next(mcs for mcs in range(radio.mcs, -1, -1) if later.allows(choice, mcs))
        yield Problem(f"{path}.mcs", what, "an MCS whose symbols divide evenly", str(nearest))
