"""Timing records of applications that have transactions: what a console of IxChariot shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from anechoic.campaign.replication import half_width
from anechoic.tables.table import Floats

NS_PER_S = 1e9


@dataclass(frozen=True, slots=True)
class Records:
    """The timing records of a flow, in the order in which they were completed."""

    start_s: Floats
    elapsed_s: Floats
    bytes: Floats
    transactions: Floats

    @classmethod
    def of(cls, told: Sequence[Mapping[str, Any]], lead_s: float) -> "Records":
        """Take those that an end told, which counted time before the run began."""
        rows = [
            (each["start_ns"], each["elapsed_ns"], each["bytes"], each["transactions"])
            for each in told
        ]
        starts, elapsed, sizes, transactions = numpy.array(rows, float).reshape(-1, 4).T
        return cls(starts / NS_PER_S - lead_s, elapsed / NS_PER_S, sizes, transactions)

    def __len__(self) -> int:
        """Count them."""
        return len(self.start_s)

    def within(self, begin_s: float, end_s: float) -> "Records":
        """Give those that were completed after an instant and by another."""
        completed = self.start_s + self.elapsed_s
        kept = (completed > begin_s) & (completed <= end_s)
        columns = (self.start_s, self.elapsed_s, self.bytes, self.transactions)
        return Records(*(column[kept] for column in columns))

    def metrics(self) -> dict[str, float]:
        """Give what a simulation says of its own, by the same names."""
        if not len(self):
            return {"records": 0.0}
        mbps = self.bytes * 8 / 1e6 / self.elapsed_s
        lasted, transactions = float(self.elapsed_s.sum()), float(self.transactions.sum())
        values = {
            "records": float(len(self)),
            "record_mbps_mean": float(mbps.mean()),
            "record_mbps_min": float(mbps.min()),
            "record_mbps_max": float(mbps.max()),
            "transactions_per_s": transactions / lasted,
            "response_ms_mean": lasted * 1e3 / transactions,
            "response_ms_max": float((self.elapsed_s / self.transactions).max()) * 1e3,
        }
        if len(self) > 1:
            values["record_mbps_sd"] = float(mbps.std(ddof=1))
            half = half_width(self.elapsed_s.tolist())
            values["relative_precision"] = 100 * half / float(self.elapsed_s.mean())
        return values
