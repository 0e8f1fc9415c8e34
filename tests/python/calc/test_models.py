"""The papers' models: what each says holds, computed by the functions of `anechoic.calc`."""

import statistics
import tomllib
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from anechoic.calc import geometry, interference, loss, spread, transactions, volume, window
from anechoic.calc.tcp_download import BACKOFF_ALONE, BACKOFF_SHARED, Transfer
from anechoic.calc.timing import Radio, frame_us, ip_msdu_bytes, plcp_us
from anechoic.campaign.replication import half_width, standard_deviation, t_quantile
from anechoic.papers.expression import jain
from anechoic.scenario.standards import STANDARDS

FILES = sorted((Path(__file__).parent / "models").glob("*.toml"))
MODELS: dict[str, dict[str, Any]] = {
    name: model
    for file in FILES
    for name, model in tomllib.loads(file.read_text(encoding="utf-8")).items()
}
ROOT = Path(__file__).parents[3]

SEGMENT = ip_msdu_bytes(1500)
BURSTS_PER_S = 1908


def near(found: float, expected: float, within: float) -> bool:
    """Compare with what a paper prints, to the digits that it prints."""
    return abs(found - expected) <= within


def fragments(threshold: int) -> tuple[int, ...]:
    """Give the MPDUs of a full segment."""
    return Radio(fragmentation_threshold=threshold).exchange(SEGMENT).lengths


def bounds(threshold: int, **settings: Any) -> tuple[float, float]:
    """Give the goodput of whoever counts its backoff alone, and together."""
    radio = Radio(fragmentation_threshold=threshold, **settings)
    alone, shared = (Transfer(radio, each).goodput_mbps for each in (BACKOFF_ALONE, BACKOFF_SHARED))
    return round(alone, 2), round(shared, 2)


def duplicated(part: float, acks: float) -> float:
    """Give goodput with duplicates over that without."""
    return Transfer().duplicated_mbps(part, acks) / Transfer().goodput_mbps


def bursts(mpdu_bytes: int, mode: str = "cck-11") -> float:
    """Give how many bursts of the interferer meet a frame."""
    length = interference.ofdm_burst_us()
    return interference.overlapping_bursts(frame_us(mpdu_bytes, mode), length, BURSTS_PER_S)


def around(deviation: float, n: int) -> list[float]:
    """Give so many values of this sample standard deviation."""
    reach = deviation * sqrt((n - 1) / n)
    return [reach if i % 2 else -reach for i in range(n)]


KNOWN = {
    "statistics": statistics,
    "geometry": geometry,
    "interference": interference,
    "loss": loss,
    "spread": spread,
    "transactions": transactions,
    "volume": volume,
    "window": window,
    "BACKOFF_SHARED": BACKOFF_SHARED,
    "Transfer": Transfer,
    "Radio": Radio,
    "frame_us": frame_us,
    "ip_msdu_bytes": ip_msdu_bytes,
    "plcp_us": plcp_us,
    "half_width": half_width,
    "standard_deviation": standard_deviation,
    "t_quantile": t_quantile,
    "jain": jain,
    "channel_frequency_mhz": STANDARDS["802.11b"].channels.__getitem__,
    "near": near,
    "fragments": fragments,
    "bounds": bounds,
    "duplicated": duplicated,
    "bursts": bursts,
    "around": around,
    "SEGMENT": SEGMENT,
    # franceschinis, Table II: Mbit/s of the four laptops with either window.
    "FRA_LARGE": [0.84, 0.93, 0.77, 1.00],
    "FRA_LIMITED": [0.78, 0.77, 0.72, 0.80],
}


def expressions() -> list[Any]:
    """Give every expression with the model that it belongs to."""
    return [
        pytest.param(text, id=f"{name}-{place}")
        for name, model in MODELS.items()
        for place, text in enumerate(model.get("holds", []), start=1)
    ]


@pytest.mark.parametrize("text", expressions())
def test_what_a_model_says_holds(text: str) -> None:
    assert eval(text, dict(KNOWN)) is True, text


def test_there_are_all_models_each_with_what_it_says_and_where_it_is_kept() -> None:
    assert len(MODELS) == 43
    for name, model in MODELS.items():
        assert set(model) in ({"says", "source", "holds"}, {"says", "source", "kept_by"}), name
        assert model["says"] and model["source"]
        assert model.get("holds") or (ROOT / model["kept_by"]).is_file(), name
