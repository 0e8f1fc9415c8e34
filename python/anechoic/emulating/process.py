"""The process that an emulation runs in: the loop in real time, and nothing else.

It is started for one emulation, with the number of a descriptor that leads to its console and the
folder of the run. There it finds `request.json`, and leaves `outcome.json` and the record.
"""

import json
import pickle
import signal
import sys
from pathlib import Path

REQUEST = "request.json"
OUTCOME = "outcome.json"
RECORD = "record.pickle"


def main() -> None:
    """Run the emulation, and leave what it gave or why it gave nothing."""
    console, folder = int(sys.argv[1]), Path(sys.argv[2])
    # The console answers an interrupt from the terminal.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Only the core: what loads more would have threads, or take long.
    from anechoic._core import emulate

    request = (folder / REQUEST).read_text()
    try:
        record, outcome = emulate(request, console)
    except (ValueError, OSError) as error:
        said = {"refused" if isinstance(error, ValueError) else "failed": str(error)}
        (folder / OUTCOME).write_text(json.dumps(said))
        sys.exit(1)
    with (folder / RECORD).open("wb") as file:
        pickle.dump((record.metrics(), record.tables()), file)
    # Behind the seed it can be run again.
    told = {**json.loads(outcome), "seed": json.loads(request)["seed"]}
    (folder / OUTCOME).write_text(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
