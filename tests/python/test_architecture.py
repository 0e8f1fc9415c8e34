"""The arrows between Python's packages, and between their modules, read from their imports.

A package may import those that its line in `HOUSE` names and no other of ours, and no module
stands on itself. Imports within functions and those for type checkers alone count too: whoever
names a type knows where it stands, and cannot be read without. `docs/architecture.md` says why
the house is as it is.
"""

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[2] / "python" / "anechoic"

HOUSE: dict[str, set[str]] = {
    # The ground: words and files.
    "files": set(),
    "saying": {"files"},
    "out_option": set(),
    "csv_text": set(),
    "fitting": {"saying"},
    "usage": {"saying"},
    "examples": set(),
    "mib": set(),
    # The rooms, from below.
    "calc": set(),
    "scenario": {"files", "fitting"},
    "libraries": {"scenario"},
    "tables": {"scenario", "libraries"},
    "campaign": {"tables", "scenario", "libraries", "csv_text", "files", "fitting", "saying"},
    "report": {"campaign", "tables", "scenario", "libraries", "files"},
    "exits": {"campaign", "scenario", "saying"},
    "captures": {
        *("campaign", "scenario", "report", "libraries", "csv_text"),
        *("exits", "out_option", "files", "fitting", "saying"),
    },
    "papers": {"captures", "campaign", "scenario", "libraries", "files", "saying"},
    "studies": {"papers", "calc", "scenario"},
    "scripts": {"scenario", "exits", "files"},
    # Where they meet.
    "running": {"papers", "captures", "report", "calc", "campaign", "scenario", "examples"},
    "checking": {"running", "campaign", "scenario", "files", "saying"},
    "calculating": {"running", "calc", "campaign", "scenario", "fitting"},
    "explaining": {"running", "campaign", "scenario", "fitting"},
    "debugfs": {"campaign", "scenario"},
    "completion": {"running", "papers", "scenario", "examples"},
    "predicting": {
        *("completion", "running", "calc", "campaign", "tables"),
        *("scenario", "exits", "fitting"),
    },
    "comparing": {
        *("completion", "campaign", "scenario", "report"),
        *("exits", "out_option", "files", "fitting", "saying"),
    },
    "set_option": {"completion", "scenario"},
    "beginning": {"completion", "scenario", "examples", "exits", "fitting"},
    "claims": {
        "completion",
        "running",
        "papers",
        "report",
        "campaign",
        "scenario",
        "exits",
        "libraries",
        "out_option",
        "files",
        "fitting",
        "saying",
    },
    "emulating": {
        *("completion", "running", "campaign", "report", "scenario"),
        *("exits", "out_option", "set_option", "saying", "mib"),
    },
    "measuring": {
        *("completion", "running", "campaign", "tables", "scenario", "examples", "libraries"),
        *("exits", "out_option", "set_option", "saying", "mib"),
    },
    "cli": {
        *(
            "running",
            "checking",
            "calculating",
            "explaining",
            "debugfs",
            "predicting",
            "beginning",
            "completion",
            "claims",
            "captures",
            "comparing",
            "emulating",
            "measuring",
            "scripts",
            "report",
            "campaign",
            "scenario",
        ),
        *("exits", "out_option", "set_option", "saying", "usage"),
    },
    "__init__": {
        *("running", "calculating", "explaining", "emulating"),
        *("captures", "comparing", "campaign", "scenario"),
    },
}
"""Which of our packages and modules each of them may import, from the ground upwards."""


def package_of(file: Path) -> str:
    """Name the package of a file, or the module where it stands in none."""
    return file.relative_to(ROOT).parts[0].removesuffix(".py")


def imported(file: Path) -> Iterator[str]:
    """Give every module of ours that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            # A module that is loaded by its name.
            yield node.value if node.value.startswith("anechoic.") else ""


def arrows() -> dict[str, set[str]]:
    """Give which packages each package imports."""
    found: dict[str, set[str]] = {name: set() for name in HOUSE}
    for file in sorted(ROOT.rglob("*.py")):
        own = found.setdefault(package_of(file), set())
        for module in imported(file):
            name, _, rest = module.partition(".")
            inner = rest.partition(".")[0]
            if name == "anechoic" and ((ROOT / inner).is_dir() or (ROOT / f"{inner}.py").is_file()):
                own.add(inner)
    return {name: below - {name} for name, below in found.items()}


def module_of(file: Path) -> str:
    """Name the module that a file holds; a package is the module of its own file."""
    path = file.relative_to(ROOT.parent).with_suffix("")
    return ".".join(path.parts).removesuffix(".__init__")


def module_arrows() -> dict[str, list[str]]:
    """Give which modules each module imports."""
    files = {module_of(file): file for file in sorted(ROOT.rglob("*.py"))}
    modules = {*files, "anechoic._core"}
    found: dict[str, list[str]] = {}
    for name, file in files.items():
        # What is imported is a module, or stands in one.
        below = {each if each in modules else each.rpartition(".")[0] for each in imported(file)}
        found[name] = sorted((below & modules) - {name})
    return found


def circle(below: Mapping[str, list[str]]) -> str:
    """Name the modules of a circle, each importing the next; none if there is no circle."""
    try:
        TopologicalSorter(below).prepare()
    except CycleError as error:
        return " → ".join(reversed(error.args[1]))
    return ""


def test_every_package_has_its_place_and_imports_only_what_may_be_below_it() -> None:
    wrong = {name: below - HOUSE.get(name, set()) for name, below in arrows().items()}
    assert {name: sorted(below) for name, below in wrong.items() if below} == {}
    assert set(arrows()) == set(HOUSE)


def test_the_house_names_no_arrow_that_is_not_there() -> None:
    found = arrows()
    unused = {name: sorted(allowed - found[name]) for name, allowed in HOUSE.items()}
    assert {name: below for name, below in unused.items() if below} == {}


def test_the_house_has_no_circle() -> None:
    """Each line names only what stands above it, so no arrow can turn."""
    above: set[str] = set()
    for name, allowed in HOUSE.items():
        assert allowed <= above, f"{name} stands on what stands on it"
        above.add(name)


def test_no_module_stands_on_itself() -> None:
    assert circle(module_arrows()) == ""


def test_a_circle_is_told_by_its_modules_in_their_order() -> None:
    below = {"page": ["table"], "table": ["row"], "row": ["cell", "table"], "cell": []}
    assert circle(below) in ("table → row → table", "row → table → row")
    assert circle({**below, "row": ["cell"]}) == ""


def test_what_the_design_keeps_apart_is_apart() -> None:
    found = arrows()
    assert found["campaign"].isdisjoint({"report", "papers"})
    assert "papers" not in found["report"]
    assert found["calc"] == set()
