"""The report of a campaign: one page that needs nothing else."""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from anechoic.campaign.cells import quoted
from anechoic.campaign.periods import windows
from anechoic.campaign.results import Results
from anechoic.files import write_whole
from anechoic.report.airtime import has_ledger
from anechoic.report.answered import answered
from anechoic.report.axes import axis_title
from anechoic.report.chart import Chart
from anechoic.report.charts import parts_of
from anechoic.report.claims import claims_table
from anechoic.report.emulations import EmulatedRun, emulations, warnings_of
from anechoic.report.html import document, facts, paragraphs, section, warning_list
from anechoic.report.interactive import figure_of, script_of
from anechoic.report.judged import JudgedClaim
from anechoic.report.network import network
from anechoic.report.tables import airtime_table, cells_table, replication_note
from anechoic.report.taps import Tapped, captures
from anechoic.report.warnings import warnings
from anechoic.scenario.catalogue import metric
from anechoic.scenario.links import Wire
from anechoic.scenario.quantities import nanoseconds
from anechoic.scenario.traffic import Flow

_HOW_TO_READ = (
    '<p class="faint no-print">Drag across a figure to look closer, double-click to go back. A '
    "name in the key hides its series; a double click hides all others.</p>"
)
_FOR_PAPER = (
    '<p class="faint no-print">As files for a paper: <code>anechoic figures</code> and the '
    "folder of this page.</p>"
)


def write(
    results: Results,
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
    parts, undrawn = parts_of(results)
    out.mkdir(parents=True, exist_ok=True)
    path = out / "report.html"
    said = [
        *warnings_of(emulated),
        *warnings(results),
        *_of_claims(results, claims, note),
        *undrawn,
    ]
    judged = section("Claims", claims_table(claims)) if claims else ""
    ran = section("Emulation", emulations(emulated))
    captured = section("Captures", captures(taps))
    page = _page(results, parts, said, judged + ran + captured, _each_run(results, emulated))
    write_whole(path, page.encode())
    return path


def _page(
    results: Results,
    parts: Mapping[str, Sequence[Chart]],
    said: list[str],
    evidence: str,
    each_run: str,
) -> str:
    charts = [chart for part in parts.values() for chart in part]
    asked, *others = parts
    sections = [
        f"<h1>{escape(_title(results))}</h1>\n{answered(results)}",
        warning_list(said),
        section("In short", _in_short(results)),
        section("The experiment", facts(_facts(results, each_run))),
        section("The network", network(results)),
        section(
            asked, "\n".join([_HOW_TO_READ * bool(charts), _drawn(parts[asked]), _cells(results)])
        ),
        *(section(part, _drawn(parts[part])) for part in others),
        _FOR_PAPER * bool(charts),
        evidence,
        _scenario_text(results),
    ]
    return document(_title(results), sections, script=script_of(charts) if charts else "")


def _in_short(results: Results) -> str:
    """Give what was found; what failed stands among the warnings."""
    warned = ("failures", "starvation", "not_given")
    return paragraphs([each.text for each in results.in_short() if each.about not in warned])


def _title(results: Results) -> str:
    return str(results.scenario.title or results.campaign.get("name") or "Campaign")


def _facts(results: Results, each_run: str) -> list[tuple[str, str]]:
    campaign = results.campaign
    return [
        ("Scenario", _file(str(campaign.get("file") or results.scenario.source))),
        ("Network", _network(results)),
        ("Traffic", _traffic(results)),
        ("Swept", _swept(results)),
        ("Replaced values", _overrides(results)),
        ("Each run", each_run),
        (
            "Replications",
            f"{replication_note(results.cells)} {_rule(results)}",
        ),
        ("Seed", str(campaign.get("seed", results.scenario.run.seed))),
        ("Version", f"Anechoic {campaign.get('version', '')}".strip()),
    ]


def _file(name: str) -> str:
    """Give a file as it was named; one that ships lies anywhere."""
    return Path(name).name if Path(name).is_absolute() else name


def _each_run(results: Results, emulated: Sequence[EmulatedRun]) -> str:
    run = results.scenario.run
    warmup = f", of which {run.warmup} warm-up left out" if nanoseconds(run.warmup) else ""
    told = [f"window {name} from {when}" for name, when in windows(results.scenario).items()]
    length = f"{run.duration} {'measured' if run.backend == 'live' else 'simulated'}"
    if emulated:
        ran = [f"{find(each.seconds for each in emulated):.1f}" for find in (min, max)]
        length = f"{' to '.join(dict.fromkeys(ran))} s on the wall clock"
    return "; ".join([f"{length}{warmup}", *told])


def _network(results: Results) -> str:
    scenario = results.scenario
    kinds = {
        "hosts": list(scenario.host),
        "routers": list(scenario.router),
        "access points": [f"{name} ({ap.profile})" for name, ap in scenario.ap.items()],
        "stations": [
            f"{name} × {s.count}" if s.count else name for name, s in scenario.sta.items()
        ],
        "groups": [f"{name} ({', '.join(g.members)})" for name, g in scenario.group.items()],
        "wires": [_wire(name, wire) for name, wire in scenario.wire.items()],
    }
    return "; ".join(f"{kind}: {', '.join(names)}" for kind, names in kinds.items() if names)


def _wire(name: str, wire: Wire) -> str:
    stages = [f"{stage} ({each.kind})" for stage, each in wire.impair.items()]
    return f"{name} ({', '.join([wire.rate, wire.delay, *stages])})"


def _traffic(results: Results) -> str:
    return "; ".join(
        f"{name}{f' × {flow.count}' if flow.count > 1 else ''}: {flow.app} from {flow.from_} to "
        f"{flow.to}{_times(flow)}"
        for name, flow in results.scenario.traffic.items()
    )


def _times(flow: Flow) -> str:
    if flow.stop is not None:
        return f", writes from {flow.start} to {flow.stop}"
    return f", from {flow.start} on" if nanoseconds(flow.start) else ""


def _overrides(results: Results) -> str:
    return "; ".join(f"{path} = {value}" for path, value in results.scenario.overrides.items())


def _rule(results: Results) -> str:
    """Say the rule that was in force, which the command line may have fixed."""
    rule = results.campaign["replication"]
    if rule["precision"] is None or rule["min"] == rule["max"]:
        return "A fixed number was asked for."
    return (
        f"Rule: {rule['min']} to {rule['max']}, until that of {metric(rule['metric']).label} is at "
        f"most {100 * rule['precision']:g} % of the mean."
    )


def _swept(results: Results) -> str:
    return "; ".join(
        f"{axis_title(axis.name)}: {', '.join(quoted(value) for value in axis.values)}"
        for axis in results.axes
    )


def _of_claims(results: Results, claims: Sequence[JudgedClaim], note: str) -> list[str]:
    is_changed = bool(claims and results.scenario.overrides)
    changed = "Values of the file were replaced: the claims judge a changed experiment."
    return [*([changed] if is_changed else []), *([note] if note else [])]


def _drawn(charts: Sequence[Chart]) -> str:
    return "\n".join(figure_of(chart) for chart in charts)


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
