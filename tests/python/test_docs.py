"""What the documentation shows is what happens: its scenarios, commands and Python are run.

On each page, the first block of TOML is a whole scenario; a page without one goes by
docs/scenarios.md. Later blocks are laid over it, unless they say themselves what they extend. What
the page has the reader save is saved under the name it says. Commands and Python run page by page,
in their order, in a folder of their own.
"""

import json
import re
import shlex
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import anechoic as an
from anechoic import _core
from anechoic.campaign.results import Results
from anechoic.campaign.sweep import cells_of
from anechoic.cli import cli, values_of
from anechoic.emulating.api import prepared
from anechoic.papers.calibration import INFERRED, inferred_of
from anechoic.papers.judging import judge, needed
from anechoic.papers.study import Study
from anechoic.papers.verdict import Status
from anechoic.running import located
from anechoic.scenario.compile import compile_scenario
from anechoic.scenario.kinds import CHOICES

ROOT = Path(__file__).parents[2]
PAGES = (
    "README.md",
    "docs/tutorial.md",
    "docs/guide.md",
    "docs/scenarios.md",
    "docs/terminal.md",
    "docs/wifi.md",
    "docs/traffic.md",
    "docs/results.md",
    "docs/tcp.md",
    "docs/captures.md",
    "docs/claims.md",
    "docs/calc.md",
    "docs/predicting.md",
    "docs/emulation.md",
)
EMULATING = ("emulate", "enter", "replay")
"""Commands that run for as long as they say, and need root or user namespaces: they are read."""
SHOWN = ("toml", "json", "text", "claims", "study", "inferred")
"""Languages of blocks that are no commands: scenarios, claims on the page's scenario, the file of
a study, documents, and what is only to be read."""
EVERY_PAGE = sorted(
    str(path.relative_to(ROOT))
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benches/**/*.md")]
)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SAVED = re.compile(
    r"Save\s+this\s+as\s+`([a-z]+\.toml)`.*?^```toml\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
SAVED_DATA = re.compile(
    r"Save\s+this\s+as\s+`([a-z]+\.(?:csv|dat|txt))`.*?^```text\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
LINK = re.compile(r"\](?:\(|: )([^)#\s]*)(?:#([^)\s]+))?(?:\)|$)", re.MULTILINE)
"""A link, or the definition of one in a line of its own."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    text: str
    line: int


def blocks(page: str) -> list[Block]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return [
        Block(match[1], match[2], text.count("\n", 0, match.start()) + 2)
        for match in BLOCK.finditer(text)
    ]


def scenarios_of(page: str) -> dict[str, str]:
    """Give the scenarios that a page has the reader save, by the names of their files."""
    text = (ROOT / page).read_text("utf-8")
    found = {match[1]: match[2] for match in SAVED.finditer(text)}
    assert found or "```toml" not in text, page
    return found or scenarios_of("docs/scenarios.md")


def save_all(page: str, folder: Path) -> list[str]:
    """Save what the page has the reader save, and give the names."""
    scenarios = scenarios_of(page)
    data = SAVED_DATA.findall((ROOT / page).read_text("utf-8"))
    for name, text in [*scenarios.items(), *data]:
        (folder / name).write_text(text, encoding="utf-8")
    return list(scenarios)


def written(text: str) -> str:
    """Give what a command wrote with its gaps made equal; runs repeat to the digit."""
    return re.sub(r"[\s─]+", " ", text).strip()


FRAGMENTS = [
    pytest.param(page, block, id=f"{page}:{block.line}")
    for page in PAGES
    for block in blocks(page)
    if block.language == "toml"
]


@pytest.mark.parametrize(("page", "block"), FRAGMENTS)
def test_every_scenario_shown_is_run(page: str, block: Block, tmp_path: Path) -> None:
    names = save_all(page, tmp_path)
    base = "" if "extends" in tomllib.loads(block.text) else f'extends = "{names[0]}"\n'
    (tmp_path / "shown.toml").write_text(base + block.text, encoding="utf-8")
    first, *_ = cells_of(an.load(tmp_path / "shown.toml"))
    assert _core.run(json.dumps(first.plan), 1).metrics()


def test_every_kind_of_box_and_generator_has_an_example() -> None:
    shown = "\n".join(
        block.text for page in PAGES for block in blocks(page) if block.language == "toml"
    )
    words = set(re.findall(r'"([a-z0-9-]+)"', shown))
    for name in ("Traffic", "ScriptStep", "Stage", "WireQueue", "RadioRateControl"):
        assert sorted(CHOICES[name].keys() - words) == [], name


@pytest.fixture(scope="module")
def judged_page(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Results]:
    """Save what docs/claims.md has the reader save, and run its scenario."""
    folder = tmp_path_factory.mktemp("claims")
    [(name, scenario)] = scenarios_of("docs/claims.md").items()
    (folder / name).write_text(scenario, encoding="utf-8")
    for file, language in (("mechanisms.py", "python"), ("study.toml", "study")):
        shown = [each.text for each in blocks("docs/claims.md") if each.language == language]
        (folder / file).write_text("\n".join(shown), encoding="utf-8")
    return folder, an.run(folder / name, out=folder / "out", progress=False)


CLAIMS = [block for block in blocks("docs/claims.md") if block.language == "claims"]


@pytest.mark.parametrize("block", CLAIMS, ids=lambda block: f"line {block.line}")
def test_every_claim_shown_is_decided(block: Block, judged_page: tuple[Path, Results]) -> None:
    folder, results = judged_page
    (folder / "claims.toml").write_text(block.text, encoding="utf-8")
    study = Study(folder, folder / "claims.toml")
    assert needed(study, study.claims).experiments == ["office"]
    verdicts = {claim.id: found for claim, found in judge(study, {"office": results})}
    unsure = ["office-readings"] if "office-readings" in verdicts else []
    not_met = [name for name, found in verdicts.items() if found.status is not Status.PASS]
    assert not_met == unsure, [verdicts[name].found for name in not_met]


def test_what_was_inferred_can_be_tried_as_shown(tmp_path: Path) -> None:
    names = save_all("docs/claims.md", tmp_path)
    [shown] = [block for block in blocks("docs/claims.md") if block.language == "inferred"]
    (tmp_path / INFERRED).write_text(shown.text, encoding="utf-8")
    swept, unswept = inferred_of(Study(tmp_path, tmp_path / "claims.toml"))
    assert swept.sweep is not None
    assert unswept.unswept
    columns = swept.sweep.columns.items()
    own, other = (
        compile_scenario(an.load(tmp_path / names[0], set={path: v[row] for path, v in columns}))
        for row in range(2)
    )
    assert own == compile_scenario(an.load(tmp_path / names[0])) != other


def test_the_page_on_claims_shows_every_kind_of_check() -> None:
    from anechoic.papers.claim import KINDS

    page = (ROOT / "docs/claims.md").read_text("utf-8")
    assert [kind for kind in KINDS if f"`{kind}`" not in page] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_command_and_every_line_of_python_shown_works(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    save_all(page, tmp_path)
    save_claims(page, tmp_path)
    names: dict[str, Any] = {}
    for block in blocks(page):
        where = f"{page}:{block.line}"
        if block.language == "python":
            exec(compile(block.text, where, "exec"), names)
        elif block.language == "console":
            try_commands(block.text, where)
        else:
            assert block.language in SHOWN, f"{where}: nothing runs {block.language}"


def save_claims(page: str, folder: Path) -> None:
    """Save a page's first claims, and again with the mistake that the page shows."""
    claims = next((block.text for block in blocks(page) if block.language == "claims"), None)
    if claims is not None:
        (folder / "claims.toml").write_text(claims, encoding="utf-8")
        wrong = claims.replace('along = "laptops"', 'along = "laptop"')
        (folder / "wrong.toml").write_text(wrong, encoding="utf-8")


def try_commands(text: str, where: str) -> None:
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        program, *words = shlex.split(command.removeprefix("sudo "))
        if program == "anechoic" and words[0] in EMULATING:
            check_emulation(*words)
            continue
        output = try_command(command, where, is_refused=shown.startswith("anechoic: "))
        assert not shown.strip() or written(shown) in written(output), f"{where}: {output}"


def try_command(command: str, where: str, *, is_refused: bool) -> str:
    words = shlex.split(command)
    if words[0] != "anechoic":
        done = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, check=False, timeout=60
        )
        assert done.returncode == 0, f"{where}: {done.stderr}"
        return done.stdout
    result = CliRunner().invoke(cli, words[1:], prog_name="anechoic")
    assert result.exit_code == (2 if is_refused else 0), f"{where}: {result.output}"
    return result.output


def check_emulation(name: str, *words: str) -> None:
    """Read a command of an emulation, and its scenario, and run neither."""
    given = cli.commands[name].make_context(name, list(words)).params
    if name == "emulate":
        scenario = prepared(
            located(given["file"])[0],
            set=values_of(given["values"]),
            real=given["real"],
            programs=[tuple(each.split("=", 1)) for each in given["programs"]],
        )
        for cell in cells_of(scenario):
            assert cell.plan


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_every_link_leads_somewhere(page: str) -> None:
    for target, anchor in LINK.findall((ROOT / page).read_text(encoding="utf-8")):
        if target.startswith("http"):
            continue
        file = (ROOT / page).parent / target if target else ROOT / page
        assert file.exists(), target
        if anchor:
            assert anchor in anchors(file), f"{target}#{anchor}"


def anchors(file: Path) -> set[str]:
    """Give the anchors that GitHub makes of a page's headings."""
    headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_json_document_shown_has_the_keys_of_a_real_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name, *_ = save_all("docs/results.md", tmp_path)
    real = an.run(name, set={"run.duration": "3 s"}, reps=2, progress=False).document()
    text = next(block.text for block in blocks("docs/results.md") if block.language == "json")
    shown = json.loads(text)
    assert list(shown) == list(real)
    assert list(shown["campaign"]) == list(real["campaign"])
    assert list(shown["campaign"]["replication"]) == list(real["campaign"]["replication"])
    [cell] = shown["cells"]
    assert list(cell) == list(real["cells"][0])
    for metric, summary in cell["metrics"].items():
        assert list(summary) == list(real["cells"][0]["metrics"][metric])


def test_the_documentation_names_only_targets_that_make_has() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for page in EVERY_PAGE:
        named = re.findall(r"(?:`|    )make ([a-z]+)", (ROOT / page).read_text("utf-8"))
        assert set(named) <= targets, page


def test_every_place_that_a_recipe_names_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    paths = re.findall(r"`((?:crates|python|docs|tests)/[^`]*)`", text)
    assert [path for path in paths if not (ROOT / path).exists()] == []
    named = re.findall(r"`(\w+)!?` in\s+`([^`]+)`", text)
    assert len(named) > 8
    lost = [
        (name, path)
        for name, path in named
        if not re.search(rf"\b{name}\b", (ROOT / path).read_text("utf-8"))
    ]
    assert lost == []
