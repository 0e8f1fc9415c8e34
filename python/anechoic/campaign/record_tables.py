"""The record of a replication as tables, one for each kind of what it holds."""

from collections.abc import Mapping

from anechoic.campaign.steps import listed
from anechoic.scenario.core import Column, Record
from anechoic.tables.table import Table, Texts, column_of, reals

SERIES = "series"


def metrics_table(metrics: Mapping[str, float], about: Mapping[str, str]) -> Table:
    """Give a row for each metric, and say whose they are."""
    names, values = Texts.of(list(metrics)), reals(metrics.values())
    return Table({"metric": names, "value": values}, about=about)


def tables_beside(record: Record) -> dict[str, Table]:
    """Give by its name each table that the record has rows for."""
    return {name: _table(name, columns) for name, columns in record.tables().items()}


def _table(name: str, columns: Mapping[str, Column]) -> Table:
    found = {each: column_of(*column) for each, column in columns.items()}
    return listed(found) if name == SERIES else Table(found)
