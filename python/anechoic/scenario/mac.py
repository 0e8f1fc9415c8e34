"""From a radio's fields and its profile to the MAC the core runs."""

from typing import Any

from anechoic.scenario.errors import Problem, shown
from anechoic.scenario.profiles import PROFILES, Setting
from anechoic.scenario.quantities import bits_per_second, dbm
from anechoic.scenario.radio import Radio
from anechoic.scenario.standards import STANDARDS, Standard


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
    rate = _rate(f"{path}.rate", value["rate"], standard, problems)
    basic = [
        _rate(f"{path}.basic_rates[{place}]", text, standard, problems)
        for place, text in enumerate(value["basic_rates"])
    ]
    return {
        "standard": standard.name,
        "preamble": value["preamble"],
        "basic_rates_mbps": [_mbps(each) for each in sorted(set(basic))],
        "rate_control": _rate_control(value, rate, standard),
        "rts_threshold_bytes": value["rts_threshold"],
        "fragmentation_threshold_bytes": value["fragmentation_threshold"],
        "short_retry_limit": value["short_retry_limit"],
        "long_retry_limit": value["long_retry_limit"],
        "queue_packets": value["queue_packets"],
        "cw_min": standard.cw_min,
        "cw_max": standard.cw_max,
    }


def tx_power_dbm(radio: Radio) -> float:
    """Give a radio's transmit power."""
    return dbm(resolved_radio(radio)["tx_power"].value)


def _rate_control(value: dict[str, Any], rate: int, standard: Standard) -> dict[str, Any]:
    if value["rate_control"] == "fixed":
        return {"kind": "fixed", "rate_mbps": _mbps(rate)}
    chain = sorted((each for each in standard.rates_bps if each <= rate), reverse=True)
    return {
        "kind": "fallback",
        "chain_mbps": [_mbps(each) for each in chain],
        "attempts_per_rate": value["attempts_per_rate"],
    }


def _rate(path: str, text: str, standard: Standard, problems: list[Problem]) -> int:
    rate = bits_per_second(text)
    if rate not in standard.rates_bps:
        nearest = min(standard.rates_bps, key=lambda each: abs(each - rate))
        problems.append(
            Problem(
                path,
                f"{shown(text)} is not a rate of {standard.name}",
                standard.rates_text(),
                f"{_mbps(nearest):g} Mbit/s",
            )
        )
    return rate


def _mbps(rate_bps: int) -> float:
    return rate_bps / 1e6
