"""A table of a claims file is told as it is written, however its heading is."""

from pathlib import Path

import pytest

from anechoic.papers.toml_file import table_of


@pytest.mark.parametrize("heading", ["[one]", "[one] # why", "  [ one ]", '["one"]', "['one']"])
def test_a_heading_may_be_written_in_any_way(heading: str, tmp_path: Path) -> None:
    file = tmp_path / "claims.toml"
    file.write_text(f'{heading}\ntext = "one"\n[one.check]\nx = 1\n\n# Of two.\n[two]\ny = 1\n')
    assert table_of(file, "one") == f'{heading}\ntext = "one"\n[one.check]\nx = 1'


@pytest.mark.parametrize("text", ['one = { text = "one" }\n', 'one.text = "one"\n'])
def test_a_table_without_a_heading_is_told_too(text: str, tmp_path: Path) -> None:
    file = tmp_path / "claims.toml"
    file.write_text(text)
    assert table_of(file, "one") == '[one]\ntext = "one"'
