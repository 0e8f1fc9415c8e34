"""What closed forms take of a stack: how often it acknowledges, and what its send buffer holds."""

import json
from typing import Any

import pytest

from anechoic import _core
from anechoic.calc.offers import segments_per_ack, send_buffer_bytes


def stack(name: str, **changed: Any) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(_core.stack_profile(name))
    return values | changed


@pytest.mark.parametrize(
    ("receiver", "segments"),
    [
        (stack("windows-xp"), 2),
        (stack("windows-xp", delayed_ack_ms=0), 1),
        (stack("freebsd-4.9"), 1.5),  # the second on its arrival, the third as it is read
        (stack("freebsd-4.9", delayed_ack_segments=1), 1),
        (stack("freebsd-4.9", delayed_ack_segments=3), 2),
        (stack("freebsd-4.9", window_update_segments=1000), 2),
        (stack("bsd-4.4"), 2),
    ],
)
def test_how_many_segments_an_acknowledgement_is_for(
    receiver: dict[str, Any], segments: float
) -> None:
    assert segments_per_ack(receiver) == segments


def test_linuxs_send_buffer_holds_less_than_its_memory() -> None:
    sender = stack("linux-2.4", send_buffer_bytes=32768)
    assert send_buffer_bytes(sender, 1448) == pytest.approx(32768 * 1448 / 1824)
    assert send_buffer_bytes(stack("windows-xp", send_buffer_bytes=32768), 1460) == 32768
