"""Every column and key that is written has a description, and every description is of one."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from click.testing import CliRunner
from downloads import download
from handmade import Conversation, save

from anechoic.captures.fields.alike import ALIKE
from anechoic.captures.fields.described import Field, described, names
from anechoic.captures.fields.reference import tables
from anechoic.cli import cli

OF_ONE = {
    name: described(name.partition("/1")[0])
    for name in (
        *("connections", "losses", "segments/1", "signal", "stations", "transfers"),
        *("wifi/bursts", "wifi/cells", "wifi/events", "wifi/ledger", "wifi/rates"),
        *("wifi/series", "wifi/stations"),
    )
}
OF_TWO = {
    "connections": described("pair/connections"),
    "losses": described("pair/packets"),
    "over_time": described("pair/over_time"),
    "packets": described("pair/packets"),
}
DOCUMENT, PAIR_DOCUMENT = described("document/document"), described("pair/document/document")
ONCE, TWICE = described("tstat/once"), described("tstat/twice")

Document = dict[str, Any]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """What is written of a capture from the edge of a cell, and of that and the wire's."""
    base = tmp_path_factory.mktemp("fields")
    far = download(base, {"air.loss": "103 dB", "air.preamble_detection": "-95 dBm"})
    log = base / "signal.csv"
    log.write_text("time,signal_dbm\n" + "".join(f"{at},-80\n" for at in range(6)))
    one, two = base / "one", base / "two"
    written(far.aired, "--out", one, "--signal", log)
    written(far.wired, far.aired, "--out", two)
    return one, two


def written(*arguments: object) -> None:
    done = CliRunner().invoke(cli, ["analyse", *map(str, arguments)])
    assert done.exit_code == 0, done.output


@pytest.fixture(scope="module")
def documents(
    folders: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory
) -> tuple[list[Document], list[Document]]:
    """Documents of one capture, and of two: a capture that was cut short gives warnings."""
    cut = save(tmp_path_factory.mktemp("cut") / "cut.pcap", Conversation().opened().data(0.1, 0))
    cut.write_bytes(cut.read_bytes()[:-1])
    written(cut, "--out", cut.with_suffix(".of"))
    one, two, short = (
        json.loads((folder / "analysis.json").read_text(encoding="utf-8"))
        for folder in (*folders, cut.with_suffix(".of"))
    )
    return [one, short], [two]


@pytest.mark.parametrize(
    ("which", "table", "fields"),
    [
        *((0, name, fields) for name, fields in OF_ONE.items()),
        *((1, name, fields) for name, fields in OF_TWO.items()),
    ],
)
def test_a_table_has_the_columns_that_are_described(
    folders: tuple[Path, Path], which: int, table: str, fields: Sequence[Field]
) -> None:
    schema = pyarrow.parquet.read_schema(folders[which] / f"{table}.parquet")
    assert [(each.name, type_of(each.type)) for each in schema] == [
        (field.name, field.type) for field in fields
    ]


def type_of(kind: pa.DataType) -> str:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return "list" if pa.types.is_list(kind) else str(kind)


def test_a_column_lacks_values_only_where_its_description_says_when(
    folders: tuple[Path, Path],
) -> None:
    lacking = [
        f"{name}: {field.name}"
        for folder, own in zip(folders, (OF_ONE, OF_TWO), strict=True)
        for name, fields in own.items()
        for field in fields
        if not field.empty and column(folder, name, field.name).null_count
    ]
    assert lacking == []


def column(folder: Path, table: str, name: str) -> pa.ChunkedArray:
    return pyarrow.parquet.read_table(folder / f"{table}.parquet", columns=[name])[name]


def test_no_table_is_without_descriptions(folders: tuple[Path, Path]) -> None:
    for folder, own in zip(folders, (OF_ONE, OF_TWO), strict=True):
        found = {str(path.relative_to(folder)) for path in folder.rglob("*.parquet")}
        assert found == {f"{name}.parquet" for name in own}


def test_the_log_of_tstat_has_the_columns_that_are_described(folders: tuple[Path, Path]) -> None:
    header, *_ = (folders[0] / "log_tcp_complete").read_text().splitlines()
    columns = [column.split(":")[0].lstrip("#") for column in header.split()]
    ends = [f"{end}_{name}" for end in "cs" for name in names(TWICE)]
    assert sorted(columns) == sorted([*names(ONCE), *ends])


def test_a_key_of_one_capture_is_described_or_a_column(
    documents: tuple[list[Document], list[Document]],
) -> None:
    known = set(names(DOCUMENT))
    columns = {path: set(names(fields)) for path, fields in ALIKE.items()}
    assert [
        key
        for document in documents[0]
        for key in keys(document)
        if key not in known and not is_column(key, columns)
    ] == []


def test_a_key_of_two_captures_is_described(
    documents: tuple[list[Document], list[Document]],
) -> None:
    known = set(names(PAIR_DOCUMENT))
    found = [key for document in documents[1] for key in keys(document) if key not in known]
    assert found == []


@pytest.mark.parametrize(("which", "fields"), [(0, DOCUMENT), (1, PAIR_DOCUMENT)])
def test_what_is_described_is_a_key(
    documents: tuple[list[Document], list[Document]], which: int, fields: Sequence[Field]
) -> None:
    """Or might be one: what stands above it is null or an empty list in one of the documents."""
    found = {key for document in documents[which] for key in keys(document)}
    nothing = {key for document in documents[which] for key in blank(document)}
    missing = [name for name in names(fields) if name not in found]
    assert [name for name in missing if not nothing & set(above(name))] == []
    assert len(missing) < len(fields) / 3


def test_every_table_stands_on_the_page() -> None:
    """In whole, or as its parts: `signal` beside `transfers`, an end of a connection once."""
    fields = [*OF_ONE.values(), *OF_TWO.values(), DOCUMENT, PAIR_DOCUMENT, ONCE, TWICE]
    there = [described(name) for name in tables()]
    parts = [described(name) for name in ("connections", "signal", "pair/connections")]
    assert [each for each in fields if each not in there and each not in parts] == []
    assert all(len(set(names(each))) == len(each) for each in there)


def keys(value: Any, path: str = "") -> Iterator[str]:
    """Give the paths of all values that are neither null nor an empty list."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from keys(part, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for part in value:
            yield from keys(part, f"{path}[]")
    elif value is not None:
        yield path


def blank(value: Any, path: str = "") -> Iterator[str]:
    """Give the paths of all that is null or an empty list."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from blank(part, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value:
        for part in value:
            yield from blank(part, f"{path}[]")
    elif value is None or value == []:
        yield path


def above(key: str) -> Iterator[str]:
    """Give the path itself and all that stand above it."""
    yield key
    while "." in key or key.endswith("[]"):
        key = key.removesuffix("[]") if key.endswith("[]") else key.rpartition(".")[0]
        yield key


def is_column(key: str, columns: dict[str, set[str]]) -> bool:
    return any(
        key.removeprefix(f"{path}.").replace(".", "_") in known
        for path, known in columns.items()
        if key.startswith(f"{path}.")
    )
