"""Types and modules have the field's names: none of the words that only we understood.

`docs/decisions/0011-the-field-s-words.md` says what each is called now.
"""

import re
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
    "Strays": "interferers",
    "LetGo": "released",
}
"""What stands for each of them."""

OPEN = {"air", "dot11", "endpoint", "lab"}
"""Crates whose names are still to change."""

_DEFINED = re.compile(r"^\s*(?:pub(?:\([a-z: ]+\))? )?(?:struct|enum|trait|type|union) (\w+)", re.M)
_MODULE = re.compile(r"^\s*(?:pub(?:\([a-z: ]+\))? )?mod (\w+)", re.M)


def sources(but: set[str]) -> list[Path]:
    crates = [path for path in (ROOT / "crates").iterdir() if path.name not in but]
    return sorted(path for crate in crates for path in crate.rglob("*.rs"))


def named(text: str) -> set[str]:
    modules = {"".join(part.title() for part in name.split("_")) for name in _MODULE.findall(text)}
    return {*_DEFINED.findall(text), *modules}


@pytest.mark.parametrize("word", sorted(PRIVATE))
def test_nothing_is_named_by_a_word_of_our_own(word: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}: {word}; say {PRIVATE[word]}"
        for path in sources(but=OPEN)
        if word in named(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_a_word_of_our_own_is_found() -> None:
    assert named("pub(super) struct Half {\nmod let_go;\n// struct Line") == {"Half", "LetGo"}


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
    files = sources(but=set())
    found = [comment for path in files for comment in comments(path.read_text("utf-8"))]
    asking = [comment for comment in found if ASKS.match(comment)]
    assert len(found) > 12_000
    assert len(asking) <= MOST * len(found), asking[:20]
