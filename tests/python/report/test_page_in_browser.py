"""The page in a real browser: it is zoomed, hovered, toggled, turned dark, narrowed and printed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, chromium
from made import made

import anechoic as an
from anechoic.report import write
from anechoic.scenario.experiment import Figure

FIRST = "echarts.getInstanceByDom(document.querySelector('.picture'))"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a page with a line over a number and the airtime."""
    axes = {"connections": (2, 4, 8, 16), "vendor": ("a", "b")}
    return write(made(axes=axes), tmp_path_factory.mktemp("page"))


@pytest.fixture(autouse=True)
def fresh(browser: Browser, page: Path) -> Iterator[None]:
    """Begin with the page as it is opened; end without a word in the console."""
    browser.requests()
    browser.make_dark(dark=False)
    browser.open(page)
    yield
    assert browser.errors() == []
    assert {address.partition(":")[0] for address in browser.requests()} == {"file"}


def plot(browser: Browser) -> tuple[float, float, float, float]:
    """Give left, top, right and bottom of the first plot, in the window."""
    return plot_from(browser, 2, 16)


def plot_from(browser: Browser, least: float, most: float) -> tuple[float, float, float, float]:
    """Give the same between two places along x."""
    box = browser.run(
        f"const picture = {FIRST}; const room = picture.getDom().getBoundingClientRect();"
        f"const [left, top] = picture.convertToPixel({{gridIndex: 0}}, [{least}, 5]);"
        f"const [right, bottom] = picture.convertToPixel({{gridIndex: 0}}, [{most}, 0]);"
        "return [left + room.x, top + room.y, right + room.x, bottom + room.y]"
    )
    return tuple(box)


def test_every_figure_is_drawn_when_it_is_reached(browser: Browser) -> None:
    count = browser.value("document.querySelectorAll('figure.chart').length")
    browser.run("scrollTo(0, document.body.scrollHeight)")
    browser.wait(f"document.querySelectorAll('.picture svg').length >= {count}")


def test_dragging_zooms_and_a_double_click_goes_back(browser: Browser) -> None:
    left, top, right, bottom = plot(browser)
    y = (top + bottom) / 2
    zoom = f"(({FIRST}).getOption().dataZoom[0].end - ({FIRST}).getOption().dataZoom[0].start)"
    assert browser.value(zoom) == 100
    browser.drag((left + 0.2 * (right - left), y), (left + 0.6 * (right - left), y))
    browser.wait(f"{zoom} < 60")
    assert browser.value("document.querySelector('.back').hidden") is False
    browser.double_click((left + right) / 2, y)
    browser.wait(f"{zoom} === 100")
    assert browser.value("document.querySelector('.back').hidden") is True


def test_hovering_tells_every_value_with_its_interval(browser: Browser) -> None:
    _, top, right, bottom = plot(browser)
    told = "[...document.querySelectorAll('.picture > div')].map(e => e.innerText).join()"
    for x in (right - 30, right - 5):
        browser.mouse("mouseMoved", x, (top + bottom) / 2)
    browser.wait(f"{told}.includes('±')")
    text = browser.value(told)
    for said in ("16", "a 2.000 ± 0.046 Mbit/s", "b 1.500 ± 0.034"):
        assert said in text


def test_a_name_in_the_key_hides_its_line_and_a_double_click_the_others(browser: Browser) -> None:
    lines = f"({FIRST}).getOption().series.filter(s => s.type === 'line').map(s => s.name)"
    assert browser.value(lines) == ["a", "b"]
    browser.run("document.querySelector('.key button[data-label=a]').click()")
    assert browser.value(lines) == ["b"]
    pressed = "[...document.querySelectorAll('.key button[data-label]')].slice(0, 2)"
    assert browser.value(f"{pressed}.map(b => b.ariaPressed)") == ["false", "true"]
    browser.run("document.querySelector('.key button.all').click()")
    assert browser.value(lines) == ["a", "b"]
    browser.run(
        "document.querySelector('.key button[data-label=a]').dispatchEvent(new Event('dblclick'))"
    )
    assert browser.value(lines) == ["a"]


def test_a_scale_becomes_logarithmic(browser: Browser) -> None:
    kind = f"({FIRST}).getOption().yAxis[0].type"
    assert browser.value(kind) == "value"
    browser.run("document.querySelector('.controls input').click()")
    assert browser.value(kind) == "log"
    # From 1.5 to 5 Mbit/s there is no power of ten: 1, 2 and 5 are named, and nothing beyond.
    assert browser.value(f"({FIRST}).getOption().yAxis[0].axisLabel.customValues") == [1, 2, 5]
    assert browser.value(f"(o => [o.min, o.max])(({FIRST}).getOption().yAxis[0])") == [1, 5]


def test_a_dark_page_keeps_hues_and_has_light_text(browser: Browser) -> None:
    line = f"({FIRST}).getOption().series[0].itemStyle.color"
    text = f"({FIRST}).getOption().textStyle.color"
    assert browser.value(f"[{line}, {text}]") == ["#0072b2", "#1f2328"]
    browser.make_dark(dark=True)
    browser.wait(f"{text} === '#e6edf3'")
    red, green, blue = (int(browser.value(line)[at : at + 2], 16) for at in (1, 3, 5))
    assert blue > green > red


@pytest.mark.parametrize("width", [360, 768, 1600])
def test_a_figure_fills_any_width_and_nothing_stands_out(browser: Browser, width: int) -> None:
    browser.resize(width)
    room = "document.querySelector('figure').getBoundingClientRect().width"
    browser.wait(f"Math.abs(({FIRST}).getWidth() - {room}) < 2")
    assert browser.value("document.documentElement.scrollWidth") <= width


def test_long_names_of_axes_are_broken_and_leave_the_plot_its_width(
    browser: Browser, tmp_path: Path
) -> None:
    long = "Application bytes that all receivers read from their connections (Mbit/s)"
    figure = Figure(
        title="Long", x="connections", y="goodput_mbps", x_label=long[::-1], y_label=long
    )
    browser.open(write(made(figures=[figure]), tmp_path), 360)
    names = f"(o => [o.xAxis[0].name, o.yAxis[0].name])(({FIRST}).getOption())"
    for name, whole in zip(browser.value(names), (long[::-1], long), strict=True):
        assert len(name.split("\n")) > 1
        assert name.replace("\n", " ") == whole
    left, _, right, _ = plot_from(browser, 2, 8)
    assert right - left > 200
    browser.resize(1600)
    browser.wait(f"({names})[1] === '{long}'")


def test_a_hidden_page_keeps_its_figures_as_they_are(browser: Browser) -> None:
    browser.run(
        "window.told = 0; document.body.style.display = 'none';"
        f"new ResizeObserver(() => {{ told += 1; }}).observe({FIRST}.getDom());"
    )
    browser.wait("told > 0 && document.querySelector('.pictures').clientWidth === 0")
    assert browser.value(f"({FIRST}).getWidth()") > 300


def test_a_print_shows_every_figure_on_white(browser: Browser) -> None:
    browser.make_dark(dark=True)
    browser.run(
        f"window.printedWith = []; addEventListener('beforeprint', () => printedWith.push("
        f"({FIRST}).getOption().textStyle.color, document.querySelectorAll('.picture svg').length))"
    )
    assert browser.printed().startswith(b"%PDF")
    assert browser.value("printedWith") == ["#1f2328", 2]
    browser.wait(f"({FIRST}).getOption().textStyle.color === '#e6edf3'")


OFFICE = """
run.duration = "4 s"
host.server = { stack = "linux-6" }
ap.office = {}
sta.laptop = { ap = "office", stack = "linux-6", count = 2 }
wire.lan.between = ["server", "office"]
air.loss = "60 dB"
traffic.down = { app = "bulk", from = "server", to = "laptop", count = 2 }
traffic.short = { app = "bulk", from = "server", to = "laptop", bytes = "20 kB", count = 3 }
tap.lan.at = "wire.lan"

[[figure]]
title = "Waits"
kind = "box"
each = "station"
y = "queue_ms"

[[figure]]
title = "Transfers"
kind = "points"
each = "station"
y = "transfer_s"
"""


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the page of two replications of ten flows to two stations, captured."""
    folder = tmp_path_factory.mktemp("office")
    (folder / "office.toml").write_text(OFFICE, encoding="utf-8")
    out = folder / "out"
    an.run(folder / "office.toml", reps=2, out=out, progress=False)
    return out / "report.html"


def test_a_reader_chooses_whose_values_and_which_replication(
    browser: Browser, office: Path
) -> None:
    browser.open(office)
    figure = (
        "[...document.querySelectorAll('figure.chart')]"
        ".find(f => f.querySelector('h3').innerText === 'Goodput over time')"
    )
    browser.run(f"{figure}.scrollIntoView()")
    browser.wait(f"{figure}.querySelector('.picture svg, .picture canvas') !== null")
    keys = f"[...{figure}.querySelectorAll('.key button[data-label]')].map(b => b.dataset.label)"
    assert browser.value(f"{keys}.length") == 10
    choose = (
        "const select = [...arguments[0].querySelectorAll('select')].find(s =>"
        " [...s.options].some(o => o.value === arguments[1]));"
        "select.value = arguments[1]; select.onchange();"
    )
    for wanted in ("Each station", "replication 1"):
        browser.run(choose, browser.value(figure), wanted)
    assert browser.value(keys) == ["laptop-1", "laptop-2"]
    shown = f"echarts.getInstanceByDom({figure}.querySelector('.picture')).getOption().series"
    shown = f"{shown}.filter(s => s.type === 'line')"
    table = an.Results.load(office.parent).series(an.Results.load(office.parent).cells[0], 1)
    flows = [name for name in table.column_names if name.endswith(".goodput_mbps")]
    total = sum(sum(table[name].to_pylist()) for name in flows)
    drawn = browser.value(f"{shown}.map(s => s.data.map(([_, y]) => y).reduce((a, b) => a + b))")
    points = browser.value(f"{shown}[0].data.length")
    assert sum(drawn) / points == pytest.approx(total / table.num_rows, rel=0.01)


def test_the_page_of_a_tap_links_its_captures_and_tells_of_them(
    browser: Browser, office: Path
) -> None:
    browser.open(office)
    links = browser.value("[...document.querySelectorAll('a[href$=pcapng]')].map(a => a.href)")
    (capture,) = links
    assert Path(capture.removeprefix("file://")).is_file()
    told = browser.value("[...document.querySelectorAll('details')].map(d => d.textContent).join()")
    assert "What happened in replication 0 at lan" in told
    assert "What the client sent:" in told


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the page of an example with windows and traffic that starts and stops."""
    example = Path(an.__file__).parent / "examples" / "bufferbloat.toml"
    out = tmp_path_factory.mktemp("loaded") / "out"
    an.run(example, reps=2, out=out, progress=False)
    return out / "report.html"


def test_windows_are_shaded_and_hidden_by_their_name(browser: Browser, loaded: Path) -> None:
    browser.open(loaded)
    figure = figure_named("Queues over time")
    browser.run(f"{figure}.scrollIntoView()")
    browser.wait(f"{figure}.querySelector('.picture svg, .picture canvas') !== null")
    shown = f"echarts.getInstanceByDom({figure}.querySelector('.picture')).getOption().series"
    shades = f"{shown}.flatMap(s => s.markArea?.data ?? []).map(([a, b]) => [a.xAxis, b.xAxis])"
    assert browser.value(shades) == [[6, 15]]
    moments = f"{shown}.flatMap(s => s.markLine?.data ?? []).map(m => [m.name, m.xAxis])"
    assert browser.value(moments) == [["upload starts", 5], ["upload stops", 15]]
    browser.run(f"{figure}.querySelector('.key button[data-label=\"window loaded\"]').click()")
    assert browser.value(shades) == []


def test_a_table_wider_than_the_page_says_so(browser: Browser) -> None:
    hint = "document.querySelector('.scroll:has(table)').previousElementSibling"
    assert browser.value(f"{hint}.hidden") is True
    browser.resize(300)
    browser.wait(f"{hint}.innerText.includes('scroll it sideways')")


def test_a_scale_of_values_begins_and_ends_at_round_numbers(browser: Browser, loaded: Path) -> None:
    browser.open(loaded)
    figure = figure_named("Time between losses, distribution")
    browser.run(f"{figure}.scrollIntoView()")
    browser.wait(f"{figure}.querySelector('.picture svg, .picture canvas') !== null")
    scale = f"echarts.getInstanceByDom({figure}.querySelector('.picture')).getOption().xAxis[0]"
    assert browser.value(f"[{scale}.min, {scale}.max]") == [0, 0.5]


def figure_named(title: str) -> str:
    return (
        "[...document.querySelectorAll('figure.chart')]"
        f".find(f => f.querySelector('h3').innerText === '{title}')"
    )


@pytest.mark.parametrize(
    ("title", "kind", "lines"),
    [("Waits", "boxplot", 1), ("Transfers", "scatter", 2), ("RTT, distribution", "line", 2)],
)
def test_boxes_points_and_distributions_are_drawn(
    browser: Browser, office: Path, title: str, kind: str, lines: int
) -> None:
    browser.open(office)
    figure = figure_named(title)
    browser.run(f"{figure}.scrollIntoView()")
    browser.wait(f"{figure}.querySelector('.picture svg, .picture canvas') !== null")
    shown = f"echarts.getInstanceByDom({figure}.querySelector('.picture')).getOption().series"
    assert browser.value(f"{shown}.map(s => s.type)") == [kind] * lines
    assert browser.value(f"{shown}.every(s => s.data.length > 0)")


def test_hovering_a_point_tells_whose_it_is(browser: Browser, office: Path) -> None:
    browser.open(office)
    figure = figure_named("Transfers")
    browser.run(f"{figure}.scrollIntoView()")
    browser.wait(f"{figure}.querySelector('.picture svg, .picture canvas') !== null")
    picture = f"echarts.getInstanceByDom({figure}.querySelector('.picture'))"
    browser.run(f"{picture}.dispatchAction({{type: 'showTip', seriesIndex: 0, dataIndex: 0}})")
    told = f"[...{figure}.querySelectorAll('.picture > div')].map(e => e.innerText).join()"
    browser.wait(f"/laptop-1 [0-9.]+ s/.test({told})")
