"""What is wrong with a claims file is said in one line, before anything runs."""

from pathlib import Path

import pytest

from anechoic.papers.claim import read_claims
from anechoic.papers.judging import needed
from anechoic.papers.study import Study
from anechoic.scenario.errors import ScenarioError

pytestmark = pytest.mark.usefixtures("core")

FALLS = """\
[swept-a]
text = "Goodput falls."
check = { falls = "goodput_mbps", along = "connections" }
"""


def study_of(swept: Path, claims: str) -> Study:
    """Give a study of the scenario of three cells and these claims."""
    file = swept.with_name("claims.toml")
    file.write_text(claims, encoding="utf-8")
    return Study(file.parent, file)


def refusal(swept: Path, claims: str) -> str:
    with pytest.raises(ScenarioError) as refused:
        study = study_of(swept, claims)
        needed(study, study.claims)
    first = refused.value.problems[0].message(refused.value.source)
    return first.removeprefix(f"{swept.parent}/")


def test_a_claim_says_what_decides_it_and_the_evidence(swept: Path) -> None:
    why = 'mechanism = "airtime"\nbecause = "The ledger says so."\n'
    explained, repeated = study_of(swept, FALLS + why + '[swept-b]\nlike = "swept-a"').claims
    assert explained.explanation.mechanisms == ("airtime",)
    assert explained.explanation.because == "The ledger says so."
    assert repeated.explanation.because == "", "each experiment has evidence of its own"
    unknown = refusal(swept, FALLS + why.replace("airtime", "airtimes"))
    assert unknown.startswith('claims.toml: swept-a.mechanism: there is no mechanism named "air')
    assert unknown.endswith("did you mean airtime?")
    alone = refusal(swept, FALLS + 'mechanism = "airtime"')
    assert alone.startswith("claims.toml: swept-a.because: missing; allowed: a mechanism and")


def test_a_claim_names_its_experiment_by_its_id_or_says_it(swept: Path) -> None:
    study = study_of(swept, FALLS + '[fall]\nexperiment = "swept"\nlike = "swept-a"\ncite = "p. 3"')
    first, second = study.claims
    assert (first.experiment, first.text, first.tier, first.cite) == (
        "swept",
        "Goodput falls.",
        1,
        "",
    )
    assert (second.experiment, second.text, second.cite) == ("swept", "Goodput falls.", "p. 3")
    assert second.check == first.check
    assert needed(study, study.claims).experiments == ["swept"]


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ("", "claims.toml: the file is empty; allowed: claims"),
        ("[swept-a", "claims.toml: not TOML: "),
        (
            "swept-a = 3",
            "claims.toml: swept-a: 3 is no claim; allowed: a table with text and check",
        ),
        ('[swept-a]\ntext = "x"', "claims.toml: swept-a.check: missing"),
        (
            FALLS.replace("swept-a", "fall"),
            "claims.toml: fall.experiment: missing, and no experiment's name stands before a - in ",
        ),
        (
            FALLS.replace('falls = "goodput_mbps"', 'falls = "sum(flow.*.goodput_mpbs)"'),
            "claims.toml: swept-a.check.falls: no metric of swept is of the form ",
        ),
        ('[swept-a]\ntext = "x"\ncheck = 3', "claims.toml: swept-a.check: 3 is no check"),
        (
            '[swept-a]\ntxt = "x"',
            "claims.toml: swept-a.txt: unknown field; allowed: text, cite, tier, experiment, "
            "check, like, if-run, leaves-out, mechanism, because, input, missing, flipped-by; "
            "did you mean text?",
        ),
        (
            FALLS.replace("falls =", "fals ="),
            'claims.toml: swept-a.check: no kind of check among ["fals", "along"]; allowed: fal',
        ),
        (
            FALLS.replace("along", 'rises = "goodput_mbps", along'),
            "claims.toml: swept-a.check: falls and rises are kinds of check",
        ),
        (
            FALLS.replace(", along", ", disjont = true, along"),
            "claims.toml: swept-a.check.disjont: unknown field; allowed: of, where, ",
        ),
        (
            FALLS.replace(", along", ", tolerance = 2, along"),
            "claims.toml: swept-a.check.tolerance: 2 is out of range",
        ),
        (
            FALLS.replace('"connections"', '"conections"'),
            'claims.toml: swept-a.check.along: there is no axis of swept "conections"; '
            "allowed: connections; did you mean connections?",
        ),
        (
            FALLS.replace("goodput_mbps", "goodput_mbs"),
            "claims.toml: swept-a.check.falls: there is no metric, axis or term in swept "
            '"goodput_mbs"; allowed: ',
        ),
        (
            FALLS.replace("goodput_mbps", "goodput_mbps@during"),
            'claims.toml: swept-a.check.falls: there is no metric, axis or term in swept "goodput_',
        ),
        (
            FALLS.replace("goodput_mbps", "sum(flow.*.goodput)"),
            "claims.toml: swept-a.check.falls: no metric of swept is of the form flow.*.goodput; ",
        ),
        (
            FALLS.replace('"goodput_mbps"', '"goodput_mbps +"'),
            'claims.toml: swept-a.check.falls: "goodput_mbps +" is refused: it cannot be read',
        ),
        (
            FALLS.replace(", along", ', of = "sweept", along'),
            'claims.toml: swept-a.check.of: there is no experiment "sweept"; allowed: swept; '
            "did you mean swept?",
        ),
        (
            FALLS.replace("swept-a", "sweept-a"),
            'claims.toml: sweept-a.experiment: there is no experiment "sweept"; allowed: swept; ',
        ),
        (
            FALLS.replace("check =", 'if-run = ["other"]\ncheck ='),
            'claims.toml: swept-a.if-run: there is no experiment "other"',
        ),
        (
            '[swept-a]\ntext = "x"\ncheck = { all-of = [{ band = "goodput_mbps", to = 9, each = '
            '"connections" }, { band = "goodput_mbps", to = 9, where = { connections = 3 } }] }',
            'claims.toml: swept-a.check.all-of[1].where: there is no value of connections "3"; '
            "allowed: 2, 4, 8",
        ),
        (
            '[swept-a]\ntext = "x"\ncheck = { band = "goodput_mbps", each = "connections" }',
            "claims.toml: swept-a.check: the band has no end; allowed: from, to or both",
        ),
        (
            FALLS.replace(", along", ", where = { connections = [] }, along"),
            "claims.toml: swept-a.check.where.connections: [] is refused: it is no choice of val",
        ),
        (
            FALLS.replace(", along", ", where = { connections = [2] }, along"),
            "claims.toml: swept-a.check.along: one value is no line; allowed: two values",
        ),
        (
            FALLS.replace(
                'falls = "goodput_mbps", along', 'probability = "goodput_mbps", to = 1, each'
            ),
            'claims.toml: swept-a.check.probability: "goodput_mbps" is neither true nor false',
        ),
        (
            FALLS.replace(
                'falls = "goodput_mbps", along', 'equal = "goodput_mbps", within = 0.1, each'
            ),
            "claims.toml: swept-a.check: there is nothing to compare with; allowed: along or with",
        ),
        (
            FALLS.replace('{ falls = "goodput_mbps", along = "connections" }', "{ readings = {} }"),
            "claims.toml: swept-a.check.readings: no reading; allowed: two or more checks by name",
        ),
        ('[swept-a]\nlike = "swept-b"', "claims.toml: swept-a.like: there is no claim further up"),
        (
            FALLS + '[swept-b]\nlike = "swept-a"\ntext = "x"',
            "claims.toml: swept-b.text: like = … says this too; allowed: one of the two",
        ),
        (
            '[terms]\na = "b +"\n' + FALLS,
            'claims.toml: terms.a: "b +" is refused: it cannot be read; ',
        ),
        ('[terms]\na = "b"\nb = "a"\n' + FALLS, "claims.toml: terms.a: b is not yet known here"),
        (
            '[terms]\ngoodput_mbps = "3"\n' + FALLS,
            "claims.toml: terms.goodput_mbps: it is the name of a metric, which it would hide; "
            "allowed: a name of its own",
        ),
        ("[terms]\na = []\n" + FALLS, "claims.toml: terms.a: [] is no expression"),
        (
            FALLS.replace(
                '{ falls = "goodput_mbps", along = "connections" }', '{ mechanism = "m" }'
            ),
            "claims.toml: swept-a.check.mechanism: there is no mechanisms.py beside the claims",
        ),
    ],
)
def test_a_wrong_claim_is_refused(claims: str, said: str, swept: Path) -> None:
    assert refusal(swept, claims).startswith(said)


def test_every_wrong_claim_is_told_at_once(swept: Path) -> None:
    wrong = FALLS.replace("goodput_mbps", "goodput") + "[swept-b]\nlike = 'swept-a'"
    study = study_of(swept, wrong)
    with pytest.raises(ScenarioError) as refused:
        needed(study, study.claims)
    assert [each.path.split(".")[0] for each in refused.value.problems] == ["swept-a", "swept-b"]


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="cannot be read: No such file"):
        read_claims(tmp_path / "claims.toml")
