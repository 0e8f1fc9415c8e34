"""What is compared: a campaign, or what another tool measured."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import isinf, nan
from pathlib import Path

from anechoic.campaign.cells import Cell
from anechoic.campaign.manifest import MANIFEST
from anechoic.campaign.replication import Summary, summarise
from anechoic.campaign.results import Results
from anechoic.campaign.table import headline_metrics
from anechoic.comparing import crusader, flent, iperf3, irtt, ndt7
from anechoic.comparing.documents import Document, documents
from anechoic.comparing.round_trips import with_round_trips
from anechoic.files import read_file, readable
from anechoic.scenario.errors import Problem, ScenarioError, listing

_SUFFIXES = (".json", ".flent", ".gz", ".bz2")
_ALLOWED = (
    "the folder of a campaign, a file of iperf3 --json, Flent, irtt, crusader export or ndt7, or a "
    "folder of those"
)


@dataclass(frozen=True)
class _Tool:
    """Another tool, whose results are read."""

    name: str
    is_its: Callable[[Document], bool]
    metrics: Callable[[Document], dict[str, float]]
    tests: Callable[[Sequence[Document]], Sequence[Document]] = list
    """Gives the tests in a file."""


_TOOLS = (
    _Tool("iperf3", iperf3.is_iperf3, iperf3.metrics, iperf3.tests),
    _Tool("Flent", flent.is_flent, flent.metrics),
    _Tool("irtt", irtt.is_irtt, irtt.metrics),
    _Tool("crusader", crusader.is_crusader, crusader.metrics),
    _Tool("ndt7", ndt7.is_ndt7, ndt7.metrics, ndt7.tests),
)


@dataclass(frozen=True)
class Side:
    """One of the things that are compared: its cells, of which measurements have one."""

    name: str
    kind: str
    """A campaign, or the tool that measured it."""
    path: str
    cells: Sequence[Cell]
    headline: Sequence[str]
    """Metrics that matter to it."""
    seed: int | None = None
    """Of a campaign: simulated replications of one seed share their random numbers."""
    backend: str | None = None
    """Of a campaign: sim, emu or live."""

    @property
    def axes(self) -> list[str]:
        """Name what varies over its cells."""
        return list(self.cells[0].parameters)

    def metrics(self) -> dict[str, None]:
        """Name the metrics that it has."""
        return dict.fromkeys(chain.from_iterable(cell.metrics for cell in self.cells))


def side_of(source: "str | Path | Results") -> Side:
    """Read what is to be compared; raise ScenarioError where it cannot be."""
    if isinstance(source, Results):
        return _campaign(source, str(source.out or ""))
    path = Path(source)
    if (path / MANIFEST).exists():
        return _campaign(Results.load(path), str(path))
    if path.is_dir():
        files = sorted(each for each in path.iterdir() if each.suffix in _SUFFIXES)
        if not files:
            raise _refused(path, "there is no campaign in this folder, and no measurement")
        return _measured(path, files)
    return _measured(path, [path])


def _campaign(results: Results, path: str) -> Side:
    campaign = results.campaign
    name = Path(path).name or str(campaign.get("name"))
    headline = headline_metrics(results)
    cells = [with_round_trips(cell) for cell in results.cells]
    seed, backend = campaign["seed"], campaign.get("backend", "sim")
    return Side(readable(name), "campaign", readable(path), cells, headline, seed, backend)


def _measured(path: Path, files: Sequence[Path]) -> Side:
    found = [each for file in files for each in _read(file)]
    kinds = dict.fromkeys(kind for kind, _ in found)
    if len(kinds) > 1:
        raise _refused(path, f"files of {listing(list(kinds))} are mixed")
    names = dict.fromkeys(chain.from_iterable(metrics for _, metrics in found))
    if endless := [name for name in names if any(isinf(each.get(name, 0)) for _, each in found)]:
        raise _refused(path, f"{endless[0]} is no finite number")
    summaries: dict[str, Summary] = {
        name: summarise([metrics.get(name, nan) for _, metrics in found]) for name in names
    }
    cell = Cell({}, len(found), False, summaries)
    name, where = readable(path.name), readable(str(path))
    return Side(name, next(iter(kinds)), where, [cell], list(names))


def _read(file: Path) -> list[tuple[str, dict[str, float]]]:
    """Give what each measurement in a file is of, and its metrics."""
    try:
        return list(_measurements(documents(read_file(file))))
    except OSError as error:
        raise _refused(file, f"cannot be read: {error.strerror or error}") from None
    except (LookupError, TypeError, AttributeError, EOFError, OverflowError, RecursionError):
        raise _refused(file, "it is not whole, or of another version than is known") from None
    except ValueError as error:
        what = "it is no JSON" if isinstance(error, json.JSONDecodeError | UnicodeError) else error
        raise _refused(file, str(what)) from None


def _measurements(found: Sequence[Document]) -> Iterator[tuple[str, dict[str, float]]]:
    for tool in _TOOLS:
        if all(map(tool.is_its, found)):
            yield from ((tool.name.lower(), tool.metrics(each)) for each in tool.tests(found))
            return
    raise ValueError(f"it is of none of {', '.join(tool.name for tool in _TOOLS)}")


def _refused(path: Path, what: str) -> ScenarioError:
    return ScenarioError(str(path), [Problem("", what, _ALLOWED)])
