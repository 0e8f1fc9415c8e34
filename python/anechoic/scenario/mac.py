"""From a radio's fields and its profile to the MAC the core runs."""

from typing import Any

from anechoic.scenario.errors import Problem, shown
from anechoic.scenario.profiles import PROFILES, Setting
from anechoic.scenario.quantities import bits_per_second, dbm
from anechoic.scenario.radio import Radio
from anechoic.scenario.standards import STANDARDS, Standard, rate_text


def resolved_radio(radio: Radio) -> dict[str, Setting]:
    """Give every radio value with where it comes from: the file, or the profile."""
    settings = {}
    for name, setting in PROFILES[radio.profile].items():
        written = getattr(radio, name)
        if written is None:
            settings[name] = Setting(setting.value, f"profile {radio.profile}: {setting.source}")
        else:
            settings[name] = Setting(written, "file")
    return settings


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
    return {
        "standard": standard.name,
        "preamble": value["preamble"],
        "basic_rates": [standard.modes[rate] for rate in sorted(set(basic))],
        "rate_control": _rate_control(value, standard.modes[highest]),
        "rts_threshold": value["rts_threshold"],
        "fragmentation_threshold": value["fragmentation_threshold"],
        "short_retry_limit": value["short_retry_limit"],
        "long_retry_limit": value["long_retry_limit"],
        "queue_packets": value["queue_packets"],
        "cw_min": standard.cw_min,
        "cw_max": standard.cw_max,
    }


def tx_power_dbm(radio: Radio) -> float:
    """Give a radio's transmit power."""
    return dbm(resolved_radio(radio)["tx_power"].value)


def _rate_control(value: dict[str, Any], highest: str) -> dict[str, Any]:
    if value["rate_control"] == "fixed":
        return {"algorithm": "fixed", "mode": highest}
    return {
        "algorithm": "fallback",
        "highest": highest,
        "attempts_per_rate": value["attempts_per_rate"],
    }


def _rate(path: str, text: str, standard: Standard, problems: list[Problem]) -> int:
    """Give a rate the standard has; for another, the nearest, beside the problem."""
    rate = bits_per_second(text)
    if rate in standard.modes:
        return rate
    nearest = min(standard.modes, key=lambda each: abs(each - rate))
    what = f"{shown(text)} is not a rate of {standard.name}"
    problems.append(Problem(path, what, standard.rates_text(), rate_text(nearest)))
    return nearest
