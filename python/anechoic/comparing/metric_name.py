"""Metrics that what is compared has, for who types the name of one."""

import click
from click.types import StringParamType

from anechoic.completion import Offered, matching


class MetricName(StringParamType):
    """A metric that campaigns or measurements have that are named before it."""

    name = "metric"

    def shell_complete(self, ctx: click.Context, _param: click.Parameter, begun: str) -> Offered:
        """Offer those that one of them has."""
        from anechoic.comparing.side import side_of
        from anechoic.scenario.errors import ScenarioError

        known: dict[str, None] = {}
        for source in [*(ctx.params.get("sources") or ()), *ctx.args]:
            try:
                known |= side_of(str(source)).metrics()
            except ScenarioError:
                continue  # It is not written to its end, or is none.
        return matching(begun, known)
