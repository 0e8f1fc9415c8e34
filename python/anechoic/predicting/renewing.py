"""Runs the survey again: `python -m anechoic.predicting.renewing` writes what is shipped."""

import argparse
import tempfile
from pathlib import Path

from anechoic.predicting.model import TABLE, fitted_table
from anechoic.predicting.survey import survey
from anechoic.tables.parquet import parquet


def main() -> None:
    """Run the survey and write its table."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--scenarios", type=int, default=2048)
    parser.add_argument("--table", type=Path, default=TABLE)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table = survey(asked.scenarios, Path(folder))
    asked.table.write_bytes(parquet(fitted_table(table)))


if __name__ == "__main__":
    main()
