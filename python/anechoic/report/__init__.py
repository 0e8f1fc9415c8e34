"""Figures and pages of a campaign's results."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from anechoic.report.judged import JudgedClaim as JudgedClaim
from anechoic.report.taps import Tapped as Tapped

if TYPE_CHECKING:
    from anechoic.campaign.results import Results


def write(
    results: "Results",
    out: Path,
    claims: Sequence[JudgedClaim] = (),
    note: str = "",
    taps: Sequence[Tapped] = (),
) -> Path:
    """Write ``report.html`` into a folder, and give its path.

    ``claims`` are those that the results were judged by, ``note`` what is to be said of them,
    ``taps`` what was captured.
    """
    # What makes a page takes time to load, for which a command that writes none shall not wait.
    from anechoic.report.page import write as write_page

    return write_page(results, out, claims, note, taps)


def write_figures(results: "Results", out: Path) -> list[Path]:
    """Write what the report draws as PDF, SVG and PNG into ``figures/``; give the PDFs."""
    from anechoic.report.papers import write_figures as write

    return write(results, out)


def notebook_html(results: "Results") -> str:
    """Give the figures and the table of cells as one piece of HTML."""
    from anechoic.report.notebook import notebook_html as html

    return html(results)
