"""Numbers that no measurement gives are refused in a line."""

import json
from pathlib import Path

import pytest

from anechoic.comparing.side import side_of
from anechoic.scenario.errors import ScenarioError

ENDLESS = ["Infinity", "-Infinity", "1e999", "1" + "0" * 400]


@pytest.mark.parametrize("number", ENDLESS)
def test_a_rate_without_end_is_none(number: str, tmp_path: Path) -> None:
    sums = {"sum_sent": {"bits_per_second": 0}, "sum_received": {"bits_per_second": 0}}
    text = json.dumps({"start": {}, "intervals": [], "end": sums})
    file = tmp_path / "iperf3.json"
    file.write_text(text.replace('"bits_per_second": 0', f'"bits_per_second": {number}'))
    with pytest.raises(ScenarioError, match=r"is no finite number|not whole"):
        side_of(file)
