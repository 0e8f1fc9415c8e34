"""A scenario file is laid over another, and every value keeps the file it stands in."""

from pathlib import Path
from typing import Any

import pytest
from conftest import SWEPT
from refused import refusal

import anechoic as an
from anechoic.campaign.sweep import cells_of
from anechoic.scenario.explain import explained

pytestmark = pytest.mark.usefixtures("core")

EXPERIMENT = """\
extends = "bench.toml"
title = "RTS on"

[ap.office]
rts_threshold = 0

[host.server.tcp]
sack = false

[[sweep]]
name = "loss"
"air.loss" = ["48 dB", "60 dB"]

[[figure]]
title = "Goodput"
x = "loss"
y = "goodput_mbps"
"""


@pytest.fixture
def experiment(tmp_path: Path) -> Path:
    """Give an experiment on the bench beside it."""
    return files(tmp_path, {"bench": SWEPT, "experiment": EXPERIMENT})


def files(folder: Path, texts: dict[str, str]) -> Path:
    """Write scenario files by name, and give the last."""
    for name, text in texts.items():
        folder.joinpath(f"{name}.toml").write_text(text, encoding="utf-8")
    return folder / f"{list(texts)[-1]}.toml"


def test_tables_are_merged_deeply(experiment: Path) -> None:
    scenario = an.load(experiment)
    assert scenario.title == "RTS on"
    assert (scenario.ap["office"].profile, scenario.ap["office"].rts_threshold) == ("vendor-a", 0)
    assert scenario.host["server"].tcp == {"data_retries": 500, "sack": False}


def test_lists_are_replaced(experiment: Path) -> None:
    assert [axis.title for axis in an.load(experiment).sweep] == ["loss"]


def test_an_extended_file_may_extend_another_in_another_folder(tmp_path: Path) -> None:
    (tmp_path / "lab").mkdir()
    files(tmp_path, {"lab/bench": SWEPT, "lab/wing": 'extends = "bench.toml"\nair.channel = 11'})
    last = files(tmp_path, {"experiment": 'extends = "lab/wing.toml"\ntitle = "far"'})
    scenario = an.load(last)
    assert scenario.air is not None
    assert (scenario.title, scenario.air.channel, scenario.air.loss) == ("far", 11, "48 dB")


def test_of_several_files_each_is_laid_over_those_before_it(tmp_path: Path) -> None:
    texts = {
        "bench": SWEPT,
        "long": '[wire.uplink]\ndelay = "5 ms"\nmtu = 1000',
        "longer": 'extends = "long.toml"\nwire.uplink.delay = "7 ms"',
        "lab": 'extends = ["bench.toml", "longer.toml"]\ntitle = "far away"',
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    scenario = an.load(tmp_path / "lab.toml")
    (wire,) = scenario.wire.values()
    assert (scenario.title, wire.delay, wire.mtu) == ("far away", "7 ms", 1000)
    assert scenario.origin.file_of("wire.uplink.mtu").endswith("long.toml")


def test_the_base_s_tables_come_first_and_new_ones_after_them(tmp_path: Path) -> None:
    over = 'extends = "bench.toml"\n[host.first]\n[host.server]\nstack = "windows-xp"\n'
    scenario = an.load(files(tmp_path, {"bench": SWEPT, "over": over}))
    assert list(scenario.host) == ["server", "first"]


def test_explain_names_the_file_of_every_value(experiment: Path) -> None:
    scenario = an.load(experiment, set={"air.channel": 11})
    origins = {line.path: line.origin for line in explained(scenario)}
    assert origins["ap.office.rts_threshold"] == "experiment.toml"
    assert origins["ap.office.profile"] == "bench.toml"
    assert origins["host.server.tcp.sack"] == "experiment.toml"
    assert origins["host.server.tcp.data_retries"] == "bench.toml"
    assert origins["air.channel"] == "--set"
    assert origins["air.loss"] == "sweep"
    assert origins["run.seed"] == "default"


def test_explain_says_only_file_where_there_is_one(swept: Path) -> None:
    origins = {line.path: line.origin for line in explained(an.load(swept))}
    assert origins["ap.office.profile"] == "file"


def test_all_texts_are_kept_with_the_results_which_need_no_other_file(experiment: Path) -> None:
    out = experiment.parent / "out"
    first = an.run(experiment, reps=2, out=out, progress=False)
    for file in experiment.parent.glob("*.toml"):
        file.unlink()
    again = an.Results.load(out)
    assert again.scenario.document() == first.scenario.document()
    assert again.scenario.text is not None
    assert again.scenario.text.startswith("# experiment.toml ──")
    assert EXPERIMENT in again.scenario.text
    assert SWEPT in again.scenario.text


BASES: dict[str, tuple[dict[str, str], str]] = {
    "not a text": (
        {"lab": "extends = 5"},
        "lab.toml: extends: 5 is no text, nor a list of texts; allowed: the path of a scenario "
        "file, from the folder of this one, or a list of them",
    ),
    "a list of none": (
        {"lab": "extends = []"},
        "lab.toml: extends: [] is no text, nor a list of texts; ",
    ),
    "one of several": (
        {"bench": SWEPT, "lab": 'extends = ["bench.toml", "lab.toml"]'},
        "lab.toml: extends: a circle: lab.toml → lab.toml; allowed: a file that does not lead back",
    ),
    "missing": (
        {"bench": SWEPT, "lab": 'extends = "bunch.toml"'},
        'lab.toml: extends: "bunch.toml": there is no such file; allowed: the path of a scenario '
        "file, from the folder of this one, or a list of them; did you mean bench.toml?",
    ),
    "no name of a file": (
        {"lab": 'extends = "\\u0000"'},
        'lab.toml: extends: "\\u0000": there is no such file; allowed: the path of a scenario '
        "file, from the folder of this one",
    ),
    "a folder": (
        {"lab": 'extends = "."'},
        'lab.toml: extends: ".": this is a directory; allowed: the path of a scenario file, from '
        "the folder of this one",
    ),
    "itself": (
        {"lab": 'extends = "lab.toml"'},
        "lab.toml: extends: a circle: lab.toml → lab.toml; allowed: a file that does not lead back",
    ),
    "a circle": (
        {
            "a": 'extends = "b.toml"',
            "b": 'extends = "./a.toml"',
            "lab": 'extends = "a.toml"',
        },
        "b.toml: extends: a circle: a.toml → b.toml → a.toml; allowed: a file that does not lead "
        "back",
    ),
    "empty": (
        {"bench": "# nothing\n", "lab": 'extends = "bench.toml"'},
        "bench.toml: the file is empty; allowed: a scenario",
    ),
    "not TOML": (
        {"bench": 'title = "x"\n[run\n', "lab": 'extends = "bench.toml"'},
        "bench.toml: line 2: the name of a table is not closed; allowed: [table]",
    ),
    "an unknown field": (
        {"bench": SWEPT.replace("profile", "profil"), "lab": 'extends = "bench.toml"'},
        "bench.toml: ap.office.profil: unknown field; allowed: standard, profile, ",
    ),
    "nothing of that name": (
        {"bench": SWEPT, "lab": 'extends = "bench.toml"\ntraffic.pairs.to = "labtop"'},
        'lab.toml: traffic.pairs.to: there is no node "labtop"; ',
    ),
    "what does not fit the bench": (
        {"bench": SWEPT, "lab": 'extends = "bench.toml"\nrun.duration = "5 s"'},
        'bench.toml: run.warmup: "10 s" leaves nothing to measure; ',
    ),
    "a swept value that cannot be": (
        {
            "bench": SWEPT,
            "lab": 'extends = "bench.toml"\nfigure = []\n[[sweep]]\n"air.loss" = ["48"]',
        },
        'lab.toml: air.loss: "48" is refused: a number without a unit (in the cell ',
    ),
    "a misspelt part": (
        {"bench": SWEPT, "lab": 'extends = "bench.toml"\n[wire.uplnk]\ndelay = "5 ms"'},
        "lab.toml: wire.uplnk.between: missing, the two nodes it connects; allowed: a list, "
        "each a name; did you mean wire.uplink?",
    ),
    "a misspelt extends": (
        {"bench": SWEPT, "lab": 'extend = "bench.toml"'},
        "lab.toml: extend: unknown field; ",
    ),
}


@pytest.mark.parametrize("case", BASES)
def test_what_cannot_be_extended_is_refused_once_and_by_its_file(case: str, tmp_path: Path) -> None:
    texts, said = BASES[case]
    (message, *_) = refusal(files(tmp_path, texts)).splitlines()
    assert message.startswith(said)


def test_a_part_written_in_python_extends_nothing() -> None:
    fields: dict[str, Any] = {"extends": "bench.toml"}
    with pytest.raises(an.ScenarioError, match="Scenario: extends: unknown field"):
        an.Scenario(**fields)


def test_every_cell_is_compiled_from_both_files(experiment: Path) -> None:
    plans = [cell.plan for cell in cells_of(an.load(experiment))]
    assert [plan["air"]["loss_db"][1][2] for plan in plans] == [48.0, 60.0]
    assert {len(plan["flows"]) for plan in plans} == {2}
