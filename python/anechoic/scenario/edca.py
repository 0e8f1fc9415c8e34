"""Enhanced distributed channel access: what each access category contends with."""

from typing import Annotated, Any, Literal

from pydantic import Field

from anechoic.scenario.base import Part, about
from anechoic.scenario.quantities import Duration
from anechoic.scenario.standards import Standard

CATEGORIES = ("voice", "video", "best-effort", "background")
"""As the core names them, the most urgent first."""

Defaults = Literal["802.11-2007", "802.11-2020", "hostapd"]
"""Whose values categories have where a scenario says nothing."""

_TABLE = "IEEE Std 802.11-2007 Table 7-37"


class AccessCategory(Part):
    """What one access category contends with; what is absent is the standard's."""

    aifsn: Annotated[
        int | None,
        about(
            "slots behind a SIFS for which the medium must be idle",
            unit="slots",
            source=f"2 of voice and video, 3 of best effort, 7 of background: {_TABLE}; of "
            "hostapd's own 1 of voice and video",
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
            source=f"half of the amendment's CWmin for voice, that for video: {_TABLE}; of "
            "hostapd's own best effort 63",
            ge=0,
            le=32767,
        ),
    ] = None
    txop_limit: Annotated[
        Duration | None,
        about(
            "how long it may go on once it has the medium; 0 s for one MSDU",
            source=f"3.264 ms of voice and 6.016 ms of video with 802.11b, else 1.504 and 3.008 "
            f"ms; none of the others: {_TABLE}; see [defaults]"
            "(../scenarios.md#access-categories)",
        ),
    ] = None


class Edca(Part):
    """What the access categories of a cell contend with."""

    defaults: Annotated[
        Defaults | None,
        about(
            "whose values they have where nothing else is said",
            source="hostapd of access points whose profile is of Linux, else 802.11-2007",
        ),
    ] = None
    voice: Annotated[AccessCategory, Field(description="of EF, CS6 and CS7")] = AccessCategory()
    video: Annotated[AccessCategory, Field(description="of AF3x, AF4x, CS3, CS4 and CS5")] = (
        AccessCategory()
    )
    best_effort: Annotated[AccessCategory, Field(description="of all else")] = AccessCategory()
    background: Annotated[AccessCategory, Field(description="of CS1")] = AccessCategory()


def usual(
    standard: Standard, defaults: Defaults, *, of_access_point: bool
) -> dict[str, dict[str, Any]]:
    """Give what each category contends with where a scenario says nothing.

    What hostapd announces to stations is what 802.11-2007 has of OFDM, and Linux's stations have it
    by themselves; its own queues are other ones.
    """
    if defaults == "hostapd":
        rows = _OF_HOSTAPD if of_access_point else _ANNOUNCED_BY_HOSTAPD
    else:
        rows = _of_standard(standard, _TXOPS[defaults][standard.name == "802.11b"])
    return {
        name: {"aifsn": aifsn, "cw_min": least, "cw_max": most, "txop_limit": f"{txop:g} ms"}
        for name, (aifsn, least, most, txop) in zip(CATEGORIES, rows, strict=True)
    }


_Row = tuple[int, int, int, float]
"""AIFSN, CWmin, CWmax, and the limit of a transmission opportunity in milliseconds."""


def _of_standard(standard: Standard, txops: tuple[float, ...]) -> tuple[_Row, ...]:
    low, high = standard.cw_min, standard.cw_max
    half, quarter = (low + 1) // 2 - 1, (low + 1) // 4 - 1
    voice, video, best_effort, background = txops
    return (
        (2, quarter, half, voice),
        (2, half, low, video),
        (3, low, high, best_effort),
        (7, low, high, background),
    )


_TXOPS = {
    "802.11-2007": ((1.504, 3.008, 0, 0), (3.264, 6.016, 0, 0)),
    "802.11-2020": ((2.08, 4.096, 2.528, 2.528), (3.264, 6.016, 3.264, 3.264)),
}
"""With OFDM, and with 802.11b (802.11-2007, Table 7-37; 802.11-2020, Table 9-155)."""

_OF_HOSTAPD: tuple[_Row, ...] = (
    (1, 3, 7, 1.504),
    (1, 7, 15, 3.008),
    (3, 15, 63, 0),
    (7, 15, 1023, 0),
)
"""tx_queue_data0 to 3 of hostapd.conf; bursts of 1.5 and 3.0 ms in units of 32 µs."""

_ANNOUNCED_BY_HOSTAPD: tuple[_Row, ...] = (
    (2, 3, 7, 1.504),
    (2, 7, 15, 3.008),
    (3, 15, 1023, 0),
    (7, 15, 1023, 0),
)
"""wmm_ac_vo to wmm_ac_bk of hostapd.conf."""
