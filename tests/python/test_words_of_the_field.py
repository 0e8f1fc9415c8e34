"""Types, modules and sentences have the field's words: none of those that only we understood.

`docs/decisions/0011-the-field-s-words.md` says what each is called now.
"""

import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PRIVATE = {
    "Desk": "TestHost, of traffic's tests",
    "Room": "limits, or what has them",
    "Wish": "what is asked for",
    "Turn": "Train, of segments",
    "Turns": "Train, of segments; LoopState",
    "Luck": "Random, or a stream of the engine",
    "Line": "ClockLine, or the protocol's own",
    "Aether": "Air",
    "Half": "DirectionState",
    "Again": "Retransmission",
    "Way": "PathDirection, KernelRoute",
    "Fate": "StageVerdict, PacketOutcome, ResponseState",
    "Fates": "FrameTally, FrameOutcomes",
    "Strays": "interferers, or what deviates",
    "LetGo": "released",
}
"""What stands for each of them."""

SENTENCES = {
    r"(?:sent|sends?|sending) again": "retransmitted",
    r"in place of": "instead of",
    r"logarithmic": "log scale",
    r"luck": "random numbers, or chance",
    r"strays?": "deviates",
}
"""What sentences say nowhere, and what they say."""

OF_MANY = {"Config", "Initiator", "Responder", "Result", "Rate"}
"""Names that every file of a list of kinds gives to what it declares (CONTRIBUTING.md); that of a
module's own `Result`, as the standard library has them; and that of the impairment `rate`, which
plans write as its list of kinds does."""

_DEFINED = re.compile(r"^(?:pub(?:\([a-z: ]+\))? )?(?:struct|enum|trait|type|union) (\w+)", re.M)
_NESTED = re.compile(r"^ +(?:pub(?:\([a-z: ]+\))? )?(?:struct|enum|trait|union) (\w+)", re.M)
_MODULE = re.compile(r"^\s*(?:pub(?:\([a-z: ]+\))? )?mod (\w+)", re.M)
_TESTS = re.compile(r"^#\[cfg\(test\)\]\nmod \w+ \{", re.M)
_OF_TESTS = re.compile(r"/(?:tests|examples|benches|fuzz)/|tests\.rs$|/harness\.rs$")


def sources() -> list[Path]:
    return sorted((ROOT / "crates").rglob("*.rs"))


def types(text: str) -> list[str]:
    """Return the types that a file defines, associated types apart."""
    return [*_DEFINED.findall(text), *_NESTED.findall(text)]


def named(text: str) -> set[str]:
    modules = {"".join(part.title() for part in name.split("_")) for name in _MODULE.findall(text)}
    return {*types(text), *re.findall(r"^ +type (\w+)", text, re.M), *modules}


@pytest.mark.parametrize("word", sorted(PRIVATE))
def test_nothing_is_named_by_a_word_of_our_own(word: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}: {word}; say {PRIVATE[word]}"
        for path in sources()
        if word in named(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_a_word_of_our_own_is_found() -> None:
    text = "pub(super) struct Half {\nmod let_go;\n// struct Line\nimpl A {\n    type Luck = u8;"
    assert named(text) == {"Half", "LetGo", "Luck"}


def without_tests(text: str) -> str:
    """Return what stands before the tests of a file, which are its end."""
    return _TESTS.split(text)[0]


def test_a_type_s_name_is_given_once() -> None:
    where: dict[str, list[str]] = defaultdict(list)
    for path in sources():
        place = str(path.relative_to(ROOT))
        if not _OF_TESTS.search(place):
            for name in types(without_tests(path.read_text(encoding="utf-8"))):
                where[name].append(place)
    several = {name: places for name, places in where.items() if len(places) > 1}
    assert {name: places for name, places in several.items() if name not in OF_MANY} == {}
    assert set(several) == OF_MANY


def test_a_second_type_of_a_name_is_found() -> None:
    file = 'struct A;\n    pub struct Config = "a" {\nimpl B for A {\n    type Error = u8;\n}\n'
    assert types(file) == ["A", "Config"]
    assert types(without_tests(file + "#[cfg(test)]\nmod tests {\n    struct A;\n}\n")) == types(
        file
    )


def sentences() -> list[Path]:
    """Return the files with sentences that anybody reads, this one and its list apart."""
    own = {Path(__file__), ROOT / "docs/decisions/0011-the-field-s-words.md"}
    kinds = {".rs", ".py", ".md", ".toml", ".csv", ".js", ".html", ".pkt"}
    files = [path for path in ROOT.iterdir() if path.suffix in kinds]
    for folder in ("crates", "python", "docs", "tests", "benches", "tools"):
        files += [path for path in (ROOT / folder).rglob("*") if path.suffix in kinds]
    return sorted(set(files) - own)


def said(text: str, words: str) -> bool:
    """Say whether a text has these words, wherever its lines break."""
    gap = r"(?:\s|\\\n|\n\s*(?://[/!]?|#)\s)\s*"
    return re.search(rf"\b(?:{words.replace(' ', gap)})\b", text, re.IGNORECASE) is not None


@pytest.mark.parametrize("words", sorted(SENTENCES))
def test_no_sentence_has_words_of_our_own(words: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}: {words}; say {SENTENCES[words]}"
        for path in sentences()
        if said(path.read_text(encoding="utf-8"), words)
    ]
    assert found == []


def test_words_of_our_own_are_found_across_lines() -> None:
    assert said("/// A segment that is sent\n    /// again.", "sent again")
    assert not said("/// It is sent. Against all odds", "sent again")


ASKS = re.compile(r"^(?:What|Whether|How|When|Which)\b")
MOST = 0.06


def comments(text: str) -> list[str]:
    """Return the first line of each doc comment."""
    lines = [line.strip() for line in text.splitlines()]
    is_doc = [re.match(r"//[/!](?!/)", line) is not None for line in lines]
    return [
        line[3:].strip()
        for line, own, before in zip(lines, is_doc, [False, *is_doc], strict=False)
        if own and not before
    ]


def test_doc_comments_begin_with_a_noun_or_a_verb() -> None:
    files = sources()
    found = [comment for path in files for comment in comments(path.read_text("utf-8"))]
    asking = [comment for comment in found if ASKS.match(comment)]
    assert len(found) > 12_000
    assert len(asking) <= MOST * len(found), asking[:20]
