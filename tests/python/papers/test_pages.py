"""The pages on the papers: what each of them has to tell."""

import re
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[3] / "docs" / "papers"


@pytest.mark.parametrize(
    ("page", "known"),
    [
        ("franceschinis", 10),
        ("goel2006", 19),
        ("janevski", 10),
        ("nguyen-armitage", 12),
        ("vasudevan", 9),
    ],
)
def test_each_of_the_sixty_inconsistencies_has_the_reading_adopted_and_what_the_other_gives(
    page: str, known: int
) -> None:
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    [section] = re.findall(r"\n## .*(?:contradicts itself|inconsistencies)\n(.*)", text, re.DOTALL)
    table = section.partition("\n## ")[0]
    rows = [line.split("|")[1:-1] for line in table.splitlines() if line.startswith("|")][2:]
    assert len(rows) == known
    assert all(cell.strip() for row in rows for cell in row)
