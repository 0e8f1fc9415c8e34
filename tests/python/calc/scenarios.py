"""Small cells for tests of whole plans."""

from pathlib import Path
from typing import Any

from anechoic.scenario.load import from_data
from anechoic.scenario.model import Scenario


def cell(traffic: dict[str, Any], **parts: Any) -> Scenario:
    """Give one access point without beacons, a server behind it, and this traffic."""
    data: dict[str, Any] = {
        "run": {"duration": "20 s", "warmup": "1 s"},
        "host": {"server": {"stack": "windows-2000"}},
        "ap": {"office": {"beacon_interval": "0 s"}},
        "sta": {"laptop": {"ap": "office", "stack": "windows-xp"}},
        "wire": {"lan": {"between": ["server", "office"]}},
        "air": {"loss": "60 dB"},
        "traffic": traffic,
    }
    for name, part in parts.items():
        data[name] = {**data.get(name, {}), **part}
    return from_data(data, "cell")


def udp(**fields: Any) -> dict[str, Any]:
    """Give a saturated sender towards the server."""
    return {"app": "udp", "from": "laptop", "to": "server", **fields}


def download(**fields: Any) -> dict[str, Any]:
    """Give a download through the access point."""
    return {"app": "bulk", "from": "server", "to": "laptop", **fields}


def ping(**fields: Any) -> dict[str, Any]:
    """Give pings of the server."""
    return {"app": "ping", "from": "laptop", "to": "server", **fields}


def written(folder: Path, text: str) -> Path:
    """Write a scenario file."""
    file = folder / "scenario.toml"
    file.write_text(text, encoding="utf-8")
    return file
