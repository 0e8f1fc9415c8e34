"""The report of a campaign: one page that needs nothing else, and its figures as files."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from anechoic.campaign.results import Results
from anechoic.files import write_whole
from anechoic.report.airtime import draw_ledgers, has_ledger
from anechoic.report.axes import axis_title
from anechoic.report.claims import claims_table
from anechoic.report.connections import CELLS, FLOWS, draw_histories, has_samples
from anechoic.report.figures import caption, default_figures, draw, replication_note
from anechoic.report.html import document, figure_of, head, section, warning_list
from anechoic.report.judged import JudgedClaim
from anechoic.report.lines import NotDrawn
from anechoic.report.render import inline, save, slug_of
from anechoic.report.tables import airtime_table, cells_table
from anechoic.report.warnings import warnings

_HISTORY_NOTE = (
    "What TCP_INFO says at the senders, first replication; "
    f"drawn are the first {FLOWS} connections of the first {CELLS} cells."
)


def write(results: Results, out: Path, claims: Sequence[JudgedClaim] = (), note: str = "") -> Path:
    """Write ``report.html`` and ``figures/`` into a folder, and give the page's path.

    ``claims`` are those that the results were judged by, ``note`` what is to be said of them.
    """
    folder = out / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    figures, undrawn = _figures(results, folder)
    ledger = _ledger(results, folder)
    histories = _histories(results, folder)
    path = out / "report.html"
    said = [*warnings(results), *_of_claims(results, claims, note), *undrawn]
    write_whole(path, _page(results, figures + ledger + histories, said, claims).encode())
    return path


def _page(
    results: Results, figures: list[str], said: list[str], claims: Sequence[JudgedClaim]
) -> str:
    sections = [
        _head(results),
        warning_list(said),
        section("Figures", "\n".join(figures)),
        section("Cells", _cells(results)),
        _claims(claims),
        _scenario_text(results),
    ]
    return document(_title(results), sections, figures)


def _title(results: Results) -> str:
    return str(results.scenario.title or results.campaign.get("name") or "Campaign")


def _head(results: Results) -> str:
    run, campaign = results.scenario.run, results.campaign
    facts = [
        ("Scenario", str(campaign.get("file") or results.scenario.source)),
        ("Network", _network(results)),
        ("Traffic", _traffic(results)),
        ("Swept", _swept(results)),
        ("Replaced values", _overrides(results)),
        ("Each run", f"{run.duration} simulated, of which {run.warmup} warm-up left out"),
        (
            "Replications",
            f"{replication_note(results.cells)} {_rule(results)}",
        ),
        ("Seed", str(campaign.get("seed", run.seed))),
        ("Version", f"Anechoic {campaign.get('version', '')}".strip()),
    ]
    return head(_title(results), facts)


def _network(results: Results) -> str:
    scenario = results.scenario
    kinds = {
        "hosts": list(scenario.host),
        "access points": [f"{name} ({ap.profile})" for name, ap in scenario.ap.items()],
        "stations": [
            f"{name} × {s.count}" if s.count else name for name, s in scenario.sta.items()
        ],
        "groups": [f"{name} ({', '.join(g.members)})" for name, g in scenario.group.items()],
        "wires": [f"{name} ({w.rate}, {w.delay})" for name, w in scenario.wire.items()],
    }
    return "; ".join(f"{kind}: {', '.join(names)}" for kind, names in kinds.items() if names)


def _traffic(results: Results) -> str:
    return "; ".join(
        f"{name}: {flow.app} from {flow.from_} to {flow.to}"
        for name, flow in results.scenario.traffic.items()
    )


def _overrides(results: Results) -> str:
    return "; ".join(f"{path} = {value}" for path, value in results.scenario.overrides.items())


def _rule(results: Results) -> str:
    """Say the rule that was in force, which the command line may have fixed."""
    rule = results.campaign["replication"]
    if rule["precision"] is None:
        return "A fixed number was asked for."
    return (
        f"Rule: {rule['min']} to {rule['max']}, until the half-width for {rule['metric']} "
        f"is at most {100 * rule['precision']:g} % of the mean."
    )


def _swept(results: Results) -> str:
    return "; ".join(
        f"{axis_title(axis.name)}: {', '.join(map(str, axis.values))}" for axis in results.axes
    )


def _claims(claims: Sequence[JudgedClaim]) -> str:
    return section("Claims", claims_table(claims)) if claims else ""


def _of_claims(results: Results, claims: Sequence[JudgedClaim], note: str) -> list[str]:
    is_changed = bool(claims and results.scenario.overrides)
    changed = "Values of the file were replaced: the claims judge a changed experiment."
    return [*([changed] if is_changed else []), *([note] if note else [])]


def _figures(results: Results, folder: Path) -> tuple[list[str], list[str]]:
    drawn, undrawn = [], []
    used: set[str] = set()
    for figure in results.scenario.figure or default_figures(results):
        slug = _unused(slug_of(figure.title), used)
        try:
            text = save(draw(results, figure), folder, slug)
        except NotDrawn as reason:
            undrawn.append(f"The figure “{figure.title}” could not be drawn: {reason}.")
            continue
        drawing = inline(text, slug, escape(figure.title))
        drawn.append(figure_of(drawing, slug, caption(results, figure)))
    return drawn, undrawn


def _ledger(results: Results, folder: Path) -> list[str]:
    if not has_ledger(results):
        return []
    drawn = []
    for number, drawing in enumerate(draw_ledgers(results), start=1):
        slug = "airtime" if number == 1 else f"airtime-{number}"
        text = inline(save(drawing, folder, slug), slug, "Where the airtime went")
        drawn.append(figure_of(text, slug, "The parts of each bar add up to the measured time."))
    return drawn


def _histories(results: Results, folder: Path) -> list[str]:
    if not has_samples(results):
        return []
    drawn = []
    for number, (cell, drawing) in enumerate(draw_histories(results), start=1):
        slug = "connections" if number == 1 else f"connections-{number}"
        label = escape(f"Windows and RTT over time, {cell.name}")
        text = inline(save(drawing, folder, slug), slug, label)
        drawn.append(figure_of(text, slug, _HISTORY_NOTE))
    return drawn


def _unused(slug: str, used: set[str]) -> str:
    number = 1
    candidate = slug
    while candidate in used:
        number += 1
        candidate = f"{slug}-{number}"
    used.add(candidate)
    return candidate


def _cells(results: Results) -> str:
    note = f'<p class="faint">{replication_note(results.cells)}</p>'
    ledger = ""
    if has_ledger(results):
        ledger = f"<details><summary>Airtime</summary>{airtime_table(results)}</details>"
    return f"{note}\n{cells_table(results)}\n{ledger}"


def _scenario_text(results: Results) -> str:
    if not results.scenario.text:
        return ""
    text = f"<pre>{escape(results.scenario.text)}</pre>"
    return f"<details><summary>The scenario file</summary>{text}</details>"
