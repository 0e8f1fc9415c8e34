"""The scorecard in a real browser: it is filtered, turned dark, narrowed, and asks for nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, chromium
from made import made

from anechoic.report import (
    ScoredClaim,
    ScoredExperiment,
    ScoredPaper,
    ScoredPart,
    first_figure,
    scorecard_page,
)

CLAIMS = [
    ScoredClaim("one-a", "one", 1, "§1", "It <falls>.", "agrees", "a is below b", ["c = 3"]),
    ScoredClaim(
        "one-b",
        "one",
        2,
        "§2",
        "It rises.",
        "disagrees-unexplained",
        "no",
        (),
        ("airtime",),
        "The ledger.",
    ),
]
WIDE = '<svg viewBox="0 0 900 250" width="900pt" height="250pt"></svg>'
OTHER = [ScoredClaim("two-a", "two", 1, "§3", "It stays.", "not-run", "not run yet")]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    drawn = ScoredExperiment("Goodput", "mine/one/report.html", first_figure(made()))
    papers = [
        ScoredPaper("mine", "A. Author, A Paper", CLAIMS, {"one": drawn}),
        ScoredPaper("other", "", OTHER, {"two": ScoredExperiment("Delay", "two.html", WIDE)}),
    ]
    path = tmp_path_factory.mktemp("page") / "scorecard.html"
    counts = {"agrees": 1, "disagrees-unexplained": 1}
    parts = [ScoredPart("mine", counts, {"settled": "1 of 2 (50%)"})]
    text = scorecard_page(papers, parts, {"airtime": "a frame costs its time"}, [("Claims", "3")])
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def fresh(browser: Browser, page: Path) -> Iterator[None]:
    """Begin with the page as it is opened; end without a word in the console."""
    browser.requests()
    browser.make_dark(dark=False)
    browser.resize(1100)
    browser.driver.get(page.absolute().as_uri())
    browser.wait("document.querySelector('.filters output').textContent !== ''")
    yield
    assert browser.errors() == []
    assert {address.partition(":")[0] for address in browser.requests()} == {"file"}


def shown(browser: Browser) -> list[str]:
    found: list[str] = browser.value(
        "[...document.querySelectorAll('article')].filter((each) => each.offsetHeight)"
        ".map((each) => each.id)"
    )
    return found


def choose(browser: Browser, name: str, value: str) -> None:
    browser.run(
        "const field = document.querySelector(`.filters [name=${arguments[0]}]`);"
        "field.value = arguments[1];"
        "field.dispatchEvent(new Event('input', {bubbles: true}));",
        name,
        value,
    )


@pytest.mark.parametrize(
    ("name", "value", "left"),
    [
        ("paper", "other", ["two-a"]),
        ("tier", "1", ["one-a", "two-a"]),
        ("verdict", "disagrees-unexplained", ["one-b"]),
        ("mechanism", "airtime", ["one-b"]),
        ("words", "LEDGER", ["one-b"]),
    ],
)
def test_a_filter_leaves_what_is_like_it(
    browser: Browser, name: str, value: str, left: list[str]
) -> None:
    assert shown(browser) == ["one-a", "one-b", "two-a"]
    choose(browser, name, value)
    assert shown(browser) == left
    count = browser.value("document.querySelector('.filters output').textContent")
    assert count == f"{len(left)} of 3 claims"
    choose(browser, name, "")
    assert shown(browser) == ["one-a", "one-b", "two-a"]


def test_what_has_no_claim_left_is_hidden_and_nothing_is_said_to_be_so(browser: Browser) -> None:
    choose(browser, "paper", "other")
    assert browser.value("document.querySelector('.paper').offsetHeight") == 0
    choose(browser, "verdict", "agrees")
    assert shown(browser) == []
    assert browser.value("document.querySelector('.nothing').offsetHeight") > 0


@pytest.mark.parametrize("width", [360, 800, 1100])
def test_the_page_is_never_wider_than_the_window(browser: Browser, width: int) -> None:
    browser.resize(width)
    assert browser.value("document.documentElement.scrollWidth") <= width


def test_a_drawing_with_panels_side_by_side_stands_above_its_claims(browser: Browser) -> None:
    whole, *figures = browser.value(
        "['section', '.beside figure', '.above figure']"
        ".map((each) => document.querySelector(each).offsetWidth)"
    )
    assert [round(width / whole, 1) for width in figures] == [0.4, 1.0]


def test_a_dark_page_has_a_dark_figure(browser: Browser) -> None:
    ink = "getComputedStyle(document.querySelector('figure svg text')).fill"
    light = browser.value(ink)
    browser.make_dark(dark=True)
    browser.wait(f"{ink} !== '{light}'")
    assert browser.value("getComputedStyle(document.body).backgroundColor") == "rgb(13, 17, 23)"
