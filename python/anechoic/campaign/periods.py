"""From when to when something was measured, as the scenario writes its times."""

from anechoic.scenario.model import Scenario

_FROM_THE_START = "0 s"


def measured(scenario: Scenario) -> str:
    """Give the time that is measured: all of the run but the warm-up."""
    # An emulation may end before with its programs.
    end = "the end" if scenario.run.backend == "emu" else scenario.run.duration
    return f"{scenario.run.warmup} to {end}"


def windows(scenario: Scenario) -> dict[str, str]:
    """Give of each window by its name the time that it is."""
    run = scenario.run
    return {
        name: f"{run.warmup if window.from_ == _FROM_THE_START else window.from_} to "
        f"{window.until or run.duration}"
        for name, window in scenario.window.items()
    }
