"""Enhanced distributed channel access: what each access category contends with."""

from typing import Annotated, Any

from pydantic import Field

from anechoic.scenario.base import Part, about
from anechoic.scenario.quantities import Duration
from anechoic.scenario.standards import Standard

CATEGORIES = ("voice", "video", "best-effort", "background")
"""As the core names them, the most urgent first."""

_TABLE = "IEEE Std 802.11-2007 Table 7-37"


class AccessCategory(Part):
    """What one access category contends with; what is absent is the standard's."""

    aifsn: Annotated[
        int | None,
        about(
            "slots behind a SIFS for which the medium must be idle",
            unit="slots",
            source=f"2 of voice and video, 3 of best effort, 7 of background: {_TABLE}",
            ge=1,
            le=15,
        ),
    ] = None
    cw_min: Annotated[
        int | None,
        about(
            "CWmin",
            unit="slots",
            source=f"a quarter of the amendment's for voice, half of it for video: {_TABLE}",
            ge=0,
            le=32767,
        ),
    ] = None
    cw_max: Annotated[
        int | None,
        about(
            "CWmax",
            unit="slots",
            source=f"half of the amendment's CWmin for voice, that for video: {_TABLE}",
            ge=0,
            le=32767,
        ),
    ] = None
    txop_limit: Annotated[
        Duration | None,
        about(
            "how long it may go on once it has the medium; 0 s for one MSDU",
            source=f"3.264 ms of voice and 6.016 ms of video with 802.11b, else 1.504 and 3.008 "
            f"ms; none of the others: {_TABLE}",
        ),
    ] = None


class Edca(Part):
    """What the access categories of a cell contend with."""

    voice: Annotated[AccessCategory, Field(description="of EF, CS6 and CS7")] = AccessCategory()
    video: Annotated[AccessCategory, Field(description="of AF3x, AF4x, CS3, CS4 and CS5")] = (
        AccessCategory()
    )
    best_effort: Annotated[AccessCategory, Field(description="of all else")] = AccessCategory()
    background: Annotated[AccessCategory, Field(description="of CS1")] = AccessCategory()


def usual(standard: Standard) -> dict[str, dict[str, Any]]:
    """Give what the standard says of each category."""
    low, high = standard.cw_min, standard.cw_max
    video, voice = (6.016, 3.264) if standard.name == "802.11b" else (3.008, 1.504)
    half, quarter = (low + 1) // 2 - 1, (low + 1) // 4 - 1
    rows = ((2, quarter, half, voice), (2, half, low, video), (3, low, high, 0), (7, low, high, 0))
    return {
        name: {"aifsn": aifsn, "cw_min": least, "cw_max": most, "txop_limit": f"{txop:g} ms"}
        for name, (aifsn, least, most, txop) in zip(CATEGORIES, rows, strict=True)
    }
