"""What is said of scenarios that are refused."""

from pathlib import Path

import pytest

import anechoic as an
from anechoic.campaign.sweep import cells_of


def refusal(path: Path) -> str:
    """Give what is said about a file, with the file's folder left out."""
    with pytest.raises(an.ScenarioError) as caught:
        cells_of(an.load(path))
    return str(caught.value).replace(f"{path.parent}/", "")


def refusal_of(tmp_path: Path, text: str) -> str:
    """Give what is said about a text, written to lab.toml."""
    path = tmp_path / "lab.toml"
    path.write_text(text, encoding="utf-8")
    return refusal(path)
