"""What a prediction is asked about, for who types it."""

import click

from anechoic.completion import Offered, ScenarioName, matching


class Condition(ScenarioName):
    """What a prediction is asked about: a scenario, or NAME=VALUE of a condition or a setting."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, begun: str) -> Offered:
        """Offer scenarios, conditions, and the values of one that is a choice."""
        from anechoic.predicting.factors import FACTORS, Choice

        name, equals, _ = begun.partition("=")
        if not equals:
            found = matching(begun, [f"{name}=" for name in FACTORS])
            return [*super().shell_complete(ctx, param, begun), *found]
        kind = FACTORS[name].kind if name in FACTORS else None
        values = kind.values if isinstance(kind, Choice) else ()
        return matching(begun, [f"{name}={value}" for value in values])
