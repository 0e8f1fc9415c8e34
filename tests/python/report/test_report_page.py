"""The report, one page that needs nothing else, and its figures as files for a paper."""

import hashlib
import re
from dataclasses import replace
from pathlib import Path

from made import made

import anechoic as an
from anechoic.report import JudgedClaim, notebook_html, write, write_figures
from anechoic.scenario.experiment import Figure
from anechoic.scenario.origin import Origin


def page_of(out: Path, **changes: object) -> str:
    return write(made(**changes), out).read_text(encoding="utf-8")


def test_the_page_is_one_file_with_a_figure_and_the_airtime(tmp_path: Path) -> None:
    path = write(made(), tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]
    page = path.read_text(encoding="utf-8")
    assert page.count("<figure") == 2
    assert "Where the airtime went" in page


def test_figures_for_a_paper_are_drawn_when_asked_for(tmp_path: Path) -> None:
    paths = write_figures(made(), tmp_path)
    assert [path.name for path in paths] == ["goodput.pdf", "airtime.pdf"]
    assert {path.name for path in (tmp_path / "figures").iterdir()} == {
        *("goodput.pdf", "goodput.svg", "goodput.png"),
        *("airtime.pdf", "airtime.svg", "airtime.png"),
    }
    first = paths[0].read_bytes()
    assert first.startswith(b"%PDF")
    write_figures(made(), tmp_path)
    assert paths[0].read_bytes() == first


def test_nothing_is_loaded_from_elsewhere(tmp_path: Path) -> None:
    page, _, library = page_of(tmp_path).partition("<script>\n\n/*")
    assert library
    assert not re.search(r"<(link|img|iframe|object)\b|@import", page)
    assert not re.search(r"<script[^>]*\bsrc=", page)


def test_the_library_that_draws_is_as_its_package_ships_it() -> None:
    """Of echarts 6.1.0; docs/decisions/0008 tells how it is renewed."""
    library = Path(an.__file__).parent / "report" / "echarts" / "echarts.min.js"
    digest = hashlib.sha256(library.read_bytes()).hexdigest()
    assert digest == "b66b25aeb4df84e33199dc21694014d336d222cbd9deb0e5a7c14bd6aa0d0fd0"


def test_identifiers_are_unique_in_the_page(tmp_path: Path) -> None:
    identifiers = re.findall(r'\bid="([^"]+)"', page_of(tmp_path))
    assert len(identifiers) == len(set(identifiers))


def test_the_page_says_what_was_run(tmp_path: Path) -> None:
    page = page_of(tmp_path)
    assert "<h1>Two &lt;vendors&gt; &amp; a bench</h1>" in page
    for fact in ("mine.toml", "<dd>7</dd>", "Anechoic 9.8", "s simulated</dd>", "12 to 60"):
        assert fact in page


def test_the_page_names_routers_and_what_stands_in_a_wire(tmp_path: Path) -> None:
    results = made()
    wire = an.Wire(
        between=["server", "gate"],
        delay="1 ms",
        impair={"lossy": an.Drop(probability=0.1), "far": an.Delay(delay="5 ms")},
    )
    scenario = results.scenario.model_copy(
        update={"router": {"gate": an.Router()}, "wire": {"line": wire}}
    )
    page = write(replace(results, scenario=scenario), tmp_path).read_text(encoding="utf-8")
    assert "routers: gate;" in page
    assert "wires: line (100 Mbit/s, 1 ms, lossy (drop), far (delay))" in page


def test_a_mean_stands_with_its_interval_and_n(tmp_path: Path) -> None:
    page = page_of(tmp_path)
    row = page[page.index('<td class="text word">2</td><td class="text word">a</td>') :]
    assert "<td>12</td><td>5.00 ± 0.11</td>" in row[:200]


def test_a_single_run_is_called_one(tmp_path: Path) -> None:
    page = page_of(tmp_path, replications=1)
    assert "5 (single run)" in page
    assert "4 of 4 cells ran once only" in page


def test_a_rule_that_ran_into_its_limit_is_said(tmp_path: Path) -> None:
    page = page_of(tmp_path, limit_reached=True)
    assert "4 of 4 cells ran into the limit" in page
    assert "12 (limit)" in page
    assert "ran into the limit" not in page_of(tmp_path)


def test_a_figure_that_cannot_be_drawn_is_a_warning(tmp_path: Path) -> None:
    wrong = Figure(title="Speed", x="connections", y="speed")
    page = page_of(tmp_path, figures=[wrong])
    assert "The figure “Speed” could not be drawn: the results hold no metric speed." in page


def test_figures_of_the_same_title_do_not_overwrite_each_other(tmp_path: Path) -> None:
    figure = Figure(title="Goodput", x="connections", y="goodput_mbps")
    write_figures(made(figures=[figure, figure]), tmp_path)
    assert (tmp_path / "figures" / "goodput-2.svg").is_file()


def test_claims_stand_with_their_verdicts_numbers_and_note(tmp_path: Path) -> None:
    claim = JudgedClaim("mine-a", "agrees", "It falls.", "it does", ("goodput = 5 ± 1 (n = 12)",))
    page = write(made(), tmp_path, [claim], "A word on the paper.").read_text(encoding="utf-8")
    for said in ("Claims", "mine-a", "It falls.", "it does", "1 number", "A word on the paper."):
        assert said in page
    assert "mine-a" not in page_of(tmp_path)


def test_claims_on_a_changed_experiment_are_called_that(tmp_path: Path) -> None:
    results = made()
    scenario = results.scenario.originating(Origin("mine.toml", overrides={"run.duration": "3 s"}))
    claim = JudgedClaim("mine-a", "agrees", "It falls.", "it does")
    page = write(replace(results, scenario=scenario), tmp_path, [claim]).read_text("utf-8")
    assert "the claims judge a changed experiment" in page


def test_the_page_is_the_same_each_time(tmp_path: Path) -> None:
    first = page_of(tmp_path / "first")
    assert page_of(tmp_path / "second") == first


def test_light_dark_and_print_are_provided_for(tmp_path: Path) -> None:
    page = page_of(tmp_path)
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page


def test_a_notebook_shows_figure_and_table() -> None:
    shown = notebook_html(made())
    assert shown.count("<svg ") == 1
    assert "5.00 ± 0.11" in shown
