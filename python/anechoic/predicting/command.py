"""The command that predicts."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

import click

from anechoic.completion import Condition
from anechoic.exits import guarded


class Prediction(click.Command):
    """The command, whose help lists what may be said before a ``=``, and what behind."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the options, then the conditions and settings."""
        from anechoic.predicting.factors import CONDITIONS, SETTINGS

        super().format_options(ctx, formatter)
        for title, factors in (("Conditions", CONDITIONS), ("Settings", SETTINGS)):
            with formatter.section(title):
                formatter.write_dl([(each.name, each.told) for each in factors])


@click.command("predict", cls=Prediction)
@click.argument("asked", nargs=-1, type=Condition(), metavar="[FILE | EXPERIMENT] [NAME=VALUE …]")
@click.option("--held-out", is_flag=True, help="Say how far off scenarios are that were held out.")
@click.option("--json", "is_json", is_flag=True, help="Write a document to stdout.")
def predict_command(asked: tuple[str, ...], held_out: bool, is_json: bool) -> None:
    """Predict goodput and round trips from a survey of scenarios, and say which settings do best.

    Of a scenario's file, or of conditions such as stations=5 snr=20 loss=1.
    """

    def predicted() -> None:
        if held_out:
            _tell_misses(is_json)
        else:
            documents = answers(asked)
            if is_json:
                click.echo(json.dumps(documents, indent=2, ensure_ascii=False))
            else:
                from anechoic.fitting import wrapped

                same = wrapped("\n".join(_not_told_apart(documents)))
                click.echo("\n\n".join(filter(None, [same, *map(_told, documents)])))

    guarded(predicted)


def answers(asked: Sequence[str]) -> list[dict[str, Any]]:
    """Predict a scenario, a document for each cell, or the point that words describe."""
    from anechoic.predicting.advice import advise
    from anechoic.predicting.asked import beyond
    from anechoic.predicting.model import predict

    documents = []
    for title, parameters, point, outside in _points(asked):
        documents.append(
            {
                "of": title,
                "parameters": parameters,
                "point": point,
                "goodput_mbps": asdict(predict([point], "goodput_mbps")[0]),
                "rtt_ms": asdict(predict([point], "rtt_ms")[0]),
                "outside": [*outside, *beyond(point)],
                "advice": [asdict(each) for each in advise(point)],
            }
        )
    return documents


def _points(
    asked: Sequence[str],
) -> list[tuple[str, dict[str, Any], dict[str, Any], list[str]]]:
    from anechoic.predicting.asked import point_of_plan, point_of_words

    words = [word for word in asked if "=" in word]
    files = [word for word in asked if "=" not in word]
    if not files:
        return [(" ".join(words) or "as usual", {}, point_of_words(words), [])]
    from anechoic.campaign.api import prepared
    from anechoic.campaign.options import source_name
    from anechoic.campaign.sweep import cells_of
    from anechoic.running import located
    from anechoic.scenario.emulation import check_is_simulated
    from anechoic.scenario.paths import parsed_value

    file, _ = located(files[0])
    values = dict(word.split("=", 1) for word in words)
    scenario = prepared(file, set={path: parsed_value(text) for path, text in values.items()})
    check_is_simulated(scenario, source_name(file))
    cells = cells_of(scenario)
    return [
        (
            ", ".join(f"{name} = {value}" for name, value in cell.parameters.items())
            or scenario.title
            or str(file),
            dict(cell.parameters),
            *point_of_plan(str(file), cell.plan),
        )
        for cell in cells
    ]


def _not_told_apart(documents: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Name the values of each axis between which no prediction differs, whatever the others are."""
    for axis in documents[0]["parameters"]:
        alike: dict[str, list[str]] = {}
        for value in dict.fromkeys(each["parameters"][axis] for each in documents):
            found = [
                (each["goodput_mbps"], each["rtt_ms"])
                for each in documents
                if each["parameters"][axis] == value
            ]
            alike.setdefault(repr(found), []).append(str(value))
        for values in alike.values():
            if len(values) > 1:
                yield f"not told apart by a prediction: {axis} = {'; '.join(values)}"


def _told(document: dict[str, Any]) -> str:
    from anechoic.fitting import filled, width
    from anechoic.predicting.factors import FACTORS

    goodput, rtt = document["goodput_mbps"], document["rtt_ms"]
    lines = [
        document["of"],
        f"  goodput     {_number(goodput)} Mbit/s",
        f"  round trip  {_number(rtt)} ms, in the median",
    ]
    for advice in document["advice"]:
        changes = ", ".join(
            f"{FACTORS[name].about} {value:g}"
            if isinstance(value, float)
            else f"{FACTORS[name].about} {value}"
            for name, value in advice["changes"].items()
        )
        lines.append(
            f"  {advice['aim']}: {_number(advice['goodput_mbps'])} Mbit/s, "
            f"{_number(advice['rtt_ms'])} ms"
        )
        change = f"with {changes}" if changes else "as it is"
        lines += [f"    {line}" for line in filled(change, width() - 4)]
    lines += [f"  outside the survey: {what}" for what in document["outside"]]
    return "\n".join(lines)


def _number(prediction: dict[str, float]) -> str:
    value, low, high = (
        f"{number:.0f}" if number >= 100 else f"{number:.3g}" for number in prediction.values()
    )
    return f"{value} ({low} to {high})"


def _tell_misses(is_json: bool) -> None:
    from anechoic.predicting.model import held_inside, held_out

    inside = held_inside()
    documents = {
        quantity: {
            "scenarios": len(misses),
            "median": median(misses),
            "nine_of_ten": sorted(misses)[int(0.9 * len(misses))],
            "inside": inside[quantity],
        }
        for quantity, misses in held_out().items()
    }
    if is_json:
        click.echo(json.dumps(documents, indent=2))
        return
    for quantity, told in documents.items():
        click.echo(
            f"{quantity}: {told['scenarios']} scenarios held out, missed by {told['median']:.1%} "
            f"in the median,\n    by {told['nine_of_ten']:.1%} at nine of ten; "
            f"{told['inside']:.1%} lie within their intervals"
        )
