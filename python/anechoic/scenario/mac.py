"""From a radio's fields and its profile to the MAC the core runs."""

from typing import Any

from anechoic.scenario.declared import planned
from anechoic.scenario.errors import Problem, shown
from anechoic.scenario.kinds import RATE_CONTROLS
from anechoic.scenario.profiles import PROFILES, Setting
from anechoic.scenario.quantities import bits_per_second, dbm
from anechoic.scenario.radio import Radio
from anechoic.scenario.rate_controls import RateControl
from anechoic.scenario.standards import STANDARDS, Standard, rate_text


def resolved_radio(radio: Radio) -> dict[str, Setting]:
    """Give every radio value but the rate control, and its source: the file, or the profile."""
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


def mac_config(
    path: str, radio: Radio, standard_name: str, problems: list[Problem]
) -> dict[str, Any]:
    """Give the core's MacConfig for a radio."""
    standard = STANDARDS[standard_name]
    value = {name: setting.value for name, setting in resolved_radio(radio).items()}
    highest = _rate(f"{path}.rate", value["rate"], standard, problems)
    basic = [
        _rate(f"{path}.basic_rates[{place}]", text, standard, problems)
        for place, text in enumerate(value["basic_rates"])
    ]
    cw_min, cw_max = contention_windows(radio, standard)
    if cw_min > cw_max:
        what = f"{cw_min} slots are more than cw_max"
        problems.append(Problem(f"{path}.cw_min", what, f"at most {cw_max} slots"))
    return {
        "standard": standard.name,
        "preamble": value["preamble"],
        "basic_rates": [standard.modes[rate] for rate in sorted(set(basic))],
        "rate": standard.modes[highest],
        "rate_control": planned(rate_control(radio)),
        "rts_threshold": value["rts_threshold"],
        "fragmentation_threshold": value["fragmentation_threshold"],
        "short_retry_limit": value["short_retry_limit"],
        "long_retry_limit": value["long_retry_limit"],
        "queue_packets": value["queue_packets"],
        "cw_min": cw_min,
        "cw_max": cw_max,
    }


def contention_windows(radio: Radio, standard: Standard) -> tuple[int, int]:
    """Give a radio's CWmin and CWmax: its own, or the PHY's."""
    cw_min = standard.cw_min if radio.cw_min is None else radio.cw_min
    cw_max = standard.cw_max if radio.cw_max is None else radio.cw_max
    return cw_min, cw_max


def tx_power_dbm(radio: Radio) -> float:
    """Give a radio's transmit power."""
    return dbm(resolved_radio(radio)["tx_power"].value)


def _rate(path: str, text: str, standard: Standard, problems: list[Problem]) -> int:
    """Give a rate the standard has; for another, the nearest, beside the problem."""
    rate = bits_per_second(text)
    if rate in standard.modes:
        return rate
    nearest = min(standard.modes, key=lambda each: abs(each - rate))
    what = f"{shown(text)} is not a rate of {standard.name}"
    problems.append(Problem(path, what, standard.rates_text(), rate_text(nearest)))
    return nearest
