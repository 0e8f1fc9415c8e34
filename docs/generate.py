"""Write the reference pages from the sources they describe: `make docs`."""

from pathlib import Path

from anechoic.captures import reference as captures
from anechoic.report import reference as metrics
from anechoic.scenario import reference as scenario

PAGES = {"scenario.md": scenario.page, "metrics.md": metrics.page, "captures.md": captures.page}
FOLDER = Path(__file__).parent / "reference"


def main() -> None:
    """Write every page."""
    FOLDER.mkdir(exist_ok=True)
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
