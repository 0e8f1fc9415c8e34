"""A notebook, run by the kernel that Jupyter runs: a bar, tables, figures, links and errors."""

from collections import Counter
from html.parser import HTMLParser
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

SCENARIO = """
title = "A note"
run.duration = "2 s"
host.server.stack = "windows-2000"
ap.office.profile = "vendor-a"
sta.laptop = { ap = "office", stack = "windows-xp" }
wire.lan.between = ["server", "office"]
air.loss = "60 dB"
traffic.download = { app = "bulk", from = "server", to = "laptop" }
tap.lan.at = "wire.lan"
sweep = [{ "ap.office.fragmentation_threshold" = [256, 2346] }]
"""

CELLS = {
    "run": 'import anechoic as an\nresults = an.run("note.toml", reps=3)',
    "show": "results",
    "again": "results",
    "plot": "results.plot()",
    "analyse": 'an.analyse(next(results.out.rglob("*.pcapng")))',
    "compare": "an.compare(results, results)",
    "mistyped": 'an.run("note.toml", set={"sta.laptop.stak": "rfc"})',
    "no such figure": 'results.plot("Goodptu")',
    "no such cell": "results.select({'queue': 3})",
}


class Page(HTMLParser):
    """What a browser would find in a piece of HTML."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.heads: list[str] = []
        self.bars: list[dict[str, str | None]] = []
        self._in_head = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids += [found["id"] or ""] if "id" in found else []
        self.links += [found["href"] or ""] if "href" in found else []
        self.bars += [found] if tag == "progress" else []
        if tag == "th":
            self._in_head = True
            self.heads.append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_head = self._in_head and tag != "th"

    def handle_data(self, data: str) -> None:
        if self._in_head:
            self.heads[-1] += data


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """Run the notebook, and give what stands below each cell."""
    folder = tmp_path_factory.mktemp("notebook")
    (folder / "note.toml").write_text(SCENARIO, encoding="utf-8")
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS.values()]
    notebook = nbformat.v4.new_notebook(cells=cells)
    where = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=120, allow_errors=True, resources=where).execute()
    return {name: cell.outputs for name, cell in zip(CELLS, notebook.cells, strict=True)}


def html(outputs: list[Any]) -> Page:
    [output] = outputs
    return Page(output["data"]["text/html"])


def test_progress_is_a_bar_that_ends_full(outputs: dict[str, list[Any]]) -> None:
    [bar] = html(outputs["run"]).bars
    assert bar == {"value": "6", "max": "6"}


def test_results_have_heads_that_stand_apart_from_their_units(
    outputs: dict[str, list[Any]],
) -> None:
    heads = html(outputs["show"]).heads
    assert heads[:2] == ["Fragmentation threshold, office (bytes)", "n"]
    assert "Total goodput Mbit/s" in heads


def test_figures_hold_their_whole_title_and_no_tex(outputs: dict[str, list[Any]]) -> None:
    [output] = outputs["show"]
    text = output["data"]["text/html"]
    assert "Goodput over time, all cells, mean</text>" in text
    assert "Service time in the MAC, distribution," in text and "mathdefault" not in text


def test_a_figure_is_a_picture_without_any_setting(outputs: dict[str, list[Any]]) -> None:
    [output] = outputs["plot"]
    assert output["metadata"]["image/png"] == {"width": 695, "height": 370}
    assert output["data"]["image/png"]


def test_what_is_shown_links_to_what_is_there_and_shares_no_name(
    outputs: dict[str, list[Any]],
) -> None:
    pages = [html(outputs[name]) for name in ("show", "again", "analyse", "compare")]
    ids = Counter(each for page in pages for each in page.ids)
    assert [name for name, times in ids.items() if times > 1] == []
    links = {link for page in pages for link in page.links}
    assert [link for link in links if link.removeprefix("#") not in ids] == []


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ("mistyped", 'ScenarioError: note.toml: sta.laptop.stak: there is no "stak"'),
        ("no such figure", 'MissingName: results.plot: there is no figure "Goodptu"'),
        ("no such cell", "MissingName: results: 0 cells have queue = 3, one was asked for"),
    ],
)
def test_a_mistake_is_told_in_one_line(outputs: dict[str, list[Any]], cell: str, told: str) -> None:
    [output] = outputs[cell]
    [line] = output["traceback"]
    assert line.startswith(told)
