"""Figures and pages of a campaign's results."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from anechoic.libraries import check_installed
from anechoic.report.emulations import EmulatedRun as EmulatedRun
from anechoic.report.judged import JudgedClaim as JudgedClaim
from anechoic.report.judged import ScoredClaim as ScoredClaim
from anechoic.report.judged import ScoredExperiment as ScoredExperiment
from anechoic.report.judged import ScoredNumber as ScoredNumber
from anechoic.report.judged import ScoredPaper as ScoredPaper
from anechoic.report.judged import ScoredPart as ScoredPart
from anechoic.report.judged import ScoredValue as ScoredValue
from anechoic.report.taps import Tapped as Tapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from anechoic.campaign.results import Results


def write(
    results: "Results",
    out: Path,
    claims: Sequence[JudgedClaim] = (),
    note: str = "",
    taps: Sequence[Tapped] = (),
    emulated: Sequence[EmulatedRun] = (),
) -> Path:
    """Write ``report.html`` into a folder, and give its path.

    ``claims`` are those that the results were judged by, ``note`` what is to be said of them,
    ``taps`` what was captured, ``emulated`` how the runs went that were emulations.
    """
    # What makes a page takes time to load, for which a command that writes none shall not wait.
    from anechoic.report.page import write as write_page

    return write_page(results, out, claims, note, taps, emulated)


def write_figures(results: "Results", out: Path) -> list[Path]:
    """Write what the report draws as PDF, SVG and PNG into ``figures/``; give the PDFs."""
    check_installed("figures", "matplotlib")
    from anechoic.report.papers import write_figures as write

    return write(results, out)


def first_figure(results: "Results") -> str:
    """Draw the first figure of a campaign as SVG; nothing if it has none."""
    from anechoic.report.scorecard import first_figure as draw

    return draw(results)


def scorecard_page(
    papers: Sequence[ScoredPaper],
    parts: Sequence[ScoredPart],
    meanings: Mapping[str, str],
    facts: Sequence[tuple[str, str]],
) -> str:
    """Give a page of claims with their verdicts; ``parts`` are counted at its top.

    ``meanings`` says what each mechanism is, ``facts`` what was judged.
    """
    from anechoic.report.scorecard import scorecard_page as page

    return page(papers, parts, meanings, facts)


def plot(results: "Results", title: str | None = None) -> "Figure":
    """Draw a figure of the report with matplotlib, by its title or else the first."""
    check_installed("results.plot", "matplotlib")
    from anechoic.report.notebook import plot as draw

    return draw(results, title)


def notebook_html(results: "Results") -> str:
    """Give the figures and the table of cells as one piece of HTML."""
    check_installed("a notebook's figures", "matplotlib")
    from anechoic.report.notebook import notebook_html as html

    return html(results)
