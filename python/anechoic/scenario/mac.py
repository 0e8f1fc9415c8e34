"""From a radio's fields and its profile to the MAC the core runs."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from anechoic.scenario.cells import Cell
from anechoic.scenario.declared import planned
from anechoic.scenario.errors import Problem, shown
from anechoic.scenario.high_throughput import Amendment, mcs_of
from anechoic.scenario.kinds import QUEUES, RATE_CONTROLS
from anechoic.scenario.later_fields import LONGEST_PPDU_NS
from anechoic.scenario.profiles import PROFILES, Setting
from anechoic.scenario.quantities import bits_per_second, dbm, nanoseconds, size_in_bytes
from anechoic.scenario.queues import Queue
from anechoic.scenario.radio import Radio
from anechoic.scenario.rate_controls import RateControl
from anechoic.scenario.standards import BASIC_RATES, STANDARDS, Standard, rate_text


def resolved_radio(radio: Radio) -> dict[str, Setting]:
    """Give what a profile says of a radio but its rate control: that, or what the file says."""
    settings = {}
    for name, setting in PROFILES[radio.profile].items():
        if name.startswith("rate_control"):
            continue
        written = getattr(radio, name)
        if written is None:
            settings[name] = Setting(setting.value, f"profile {radio.profile}: {setting.source}")
        else:
            settings[name] = Setting(written, "file")
    return settings


def by_standard(radio: Radio, standard: Standard) -> dict[str, Setting]:
    """Give what a radio's amendment says of it: that, or what the file says."""
    usual = {
        "rate": Setting(
            rate_text(_highest(radio, standard)), f"the highest rate of {standard.name}"
        ),
        "basic_rates": Setting([rate_text(rate) for rate in standard.basic_rates], BASIC_RATES),
        "cw_min": Setting(standard.cw_min, standard.source),
        "cw_max": Setting(standard.cw_max, standard.source),
    }
    if standard.later is not None:
        usual["queue_packets"] = Setting(LATER_QUEUE_PACKETS, "txqueuelen of Linux")
    usual = {name: each for name, each in usual.items() if name not in _OF_PROFILES[radio.profile]}
    written = {name: getattr(radio, name) for name in usual}
    return {
        name: setting if written[name] is None else Setting(written[name], "file")
        for name, setting in usual.items()
    }


_OF_PROFILES = {name: given.keys() & {"cw_min", "cw_max"} for name, given in PROFILES.items()}
"""What a profile says instead of the amendment."""

LATER_QUEUE_PACKETS = 1000
"""Packets of a radio's queue from 802.11n on: a device of that time has room for aggregates."""


def queue_of(radio: Radio) -> Queue | None:
    """Give what waits in front of a radio's MAC: its own queue, or its profile's if it has none."""
    usual = PROFILES[radio.profile].get("queue")
    if radio.queue is not None or radio.queue_packets is not None or usual is None:
        return radio.queue
    return QUEUES[usual.value]()


def rate_control(radio: Radio) -> RateControl:
    """Give a radio's rate control; what is left out is the profile's, if it is of that kind."""
    own = radio.rate_control
    usual = PROFILES[radio.profile]["rate_control"].value
    kind = usual if own is None else own.kind
    values = {name: setting.value for name, setting in parameters(radio.profile, kind).items()}
    if own is not None:
        values |= {name: getattr(own, name) for name in own.model_fields_set}
    return RATE_CONTROLS[kind](**values)


def parameters(profile: str, kind: str) -> dict[str, Setting]:
    """Give what a profile says of a kind of rate control, the kind itself included."""
    settings = PROFILES[profile]
    if settings["rate_control"].value != kind:
        return {}
    own = {name: each for name, each in settings.items() if name.startswith("rate_control.")}
    return {
        "kind": settings["rate_control"],
        **{name.partition(".")[2]: each for name, each in own.items()},
    }


def mac_config(path: str, radio: Radio, cell: Cell, problems: list[Problem]) -> dict[str, Any]:
    """Give the core's MacConfig for a radio."""
    standard = cell.standard
    settings = resolved_radio(radio) | by_standard(radio, standard)
    value = {name: setting.value for name, setting in settings.items()}
    if standard.later is None:
        highest = rate_in(f"{path}.rate", value["rate"], standard, problems)
    else:
        highest = _highest(radio, standard)
    before = replace(standard, modes=standard.basic_modes or standard.modes, later=None)
    basic = [
        rate_in(f"{path}.basic_rates[{place}]", text, before, problems)
        for place, text in enumerate(value["basic_rates"])
    ]
    if cell.needs_protection:
        problems += _unread(f"{path}.basic_rates", basic)
    lifetime = None if radio.msdu_lifetime is None else nanoseconds(radio.msdu_lifetime)
    cw_min, cw_max = value["cw_min"], value["cw_max"]
    if cw_min > cw_max:
        what = f"{cw_min} slots are more than cw_max"
        problems.append(Problem(f"{path}.cw_min", what, f"at most {cw_max} slots"))
    return {
        "standard": standard.name,
        "short_slot": cell.has_short_slot,
        "protection": value["protection"] if cell.needs_protection else "none",
        "preamble": value["preamble"],
        "basic_rates": [before.modes[rate] for rate in sorted(set(basic))],
        "rate": standard.modes[highest],
        "rate_control": planned(rate_control(radio)),
        "rts_threshold": value["rts_threshold"],
        "fragmentation_threshold": value["fragmentation_threshold"],
        "short_retry_limit": value["short_retry_limit"],
        "long_retry_limit": value["long_retry_limit"],
        "msdu_lifetime_ns": lifetime,
        "privacy": value["privacy"],
        "queue_packets": value["queue_packets"],
        "cw_min": cw_min,
        "cw_max": cw_max,
        **({} if standard.later is None else _later(radio, cell, standard.later)),
    }


def _later(radio: Radio, cell: Cell, later: Amendment) -> dict[str, Any]:
    """Give what there is from 802.11n on; data are of best effort if nothing else is said."""
    usual = PROFILES[radio.profile].get("txop_limit", NO_TXOP).value
    txop = usual if radio.txop_limit is None else radio.txop_limit
    return {
        "coding": cell.coding,
        "band": "2.4 GHz" if cell.frequency_mhz < 3000 else "5 GHz",
        "aggregation": aggregation(radio, later),
        "edca": {"category": "best-effort", "aifsn": 3, "txop_limit_ns": nanoseconds(txop)},
    }


def aggregation(radio: Radio, later: Amendment) -> dict[str, Any]:
    """Give how much goes at once, and how that is agreed on."""
    limit, amsdu, spacing = radio.ampdu_limit, radio.amsdu_limit, radio.mpdu_spacing
    lasts, buffer = radio.aggregate_limit, radio.reorder_buffer
    window = radio.block_ack_window or later.window
    usual = PROFILES[radio.profile].get("agreements", STANDING).value
    return {
        "ampdu_bytes": later.ampdu_bytes if limit is None else size_in_bytes(limit),
        "amsdu_bytes": 0 if amsdu is None else size_in_bytes(amsdu),
        "window": window,
        "spacing_ns": 0 if spacing is None else nanoseconds(spacing),
        "lasts_ns": LONGEST_PPDU_NS if lasts is None else nanoseconds(lasts),
        "patience_ns": nanoseconds(radio.reorder_timeout or "100 ms"),
        "agreements": radio.agreements or usual,
        "takes": window if buffer is None else buffer,
        "idle_ns": nanoseconds(radio.agreement_timeout or "0 s"),
    }


STANDING = Setting("standing", "agreements stand from the start, as closed forms have it")
NO_TXOP = Setting("0 s", "IEEE Std 802.11-2020, 9.4.2.29: none of best effort")


def _highest(radio: Radio, standard: Standard) -> int:
    """Give the highest rate in bit/s that a radio has, of an MCS that the standard allows."""
    if standard.later is None or radio.mcs is None:
        return standard.rates_bps[-1]
    at_most = [rate for rate, mode in standard.modes.items() if mcs_of(mode) <= radio.mcs]
    return at_most[-1]


def _unread(path: str, basic: list[int]) -> Iterator[Problem]:
    """Refuse basic rates that the cell's stations of 802.11b lack."""
    lacking = STANDARDS["802.11b"]
    for place, rate in enumerate(basic):
        if rate not in lacking.modes:
            what = f"{rate_text(rate)} is beyond the stations of 802.11b in this cell"
            yield Problem(f"{path}[{place}]", what, lacking.rates_text())


def tx_power_dbm(radio: Radio) -> float:
    """Give a radio's transmit power."""
    return dbm(resolved_radio(radio)["tx_power"].value)


def rate_of(radio: Radio, standard: Standard) -> int:
    """Give the rate of a radio in bit/s; what is wrong with one that is written was said."""
    if standard.later is not None:
        return _highest(radio, standard)
    return bits_per_second(radio.rate) if radio.rate else standard.rates_bps[-1]


def rate_in(path: str, text: str, standard: Standard, problems: list[Problem]) -> int:
    """Give a rate the standard has; for another, the nearest, beside the problem."""
    rate = bits_per_second(text)
    if rate in standard.modes:
        return rate
    nearest = min(standard.modes, key=lambda each: abs(each - rate))
    what = f"{shown(text)} is not a rate of {standard.name}"
    problems.append(Problem(path, what, standard.rates_text(), rate_text(nearest)))
    return nearest
