"""The programs of a Dask cluster of this machine: no HTTP server, and no life beyond their parent.

The parent writes a line to the standard input, what the node is and the keys of the run; the
scheduler answers with its address. When the input ends, the parent has, and so does the node.
"""

import asyncio
import json
import os
import shutil
import sys
from threading import Thread
from typing import Any

from distributed import Scheduler, Worker

from anechoic.campaign.keys import security

HOST = "127.0.0.1"


class SilentScheduler(Scheduler):
    """A scheduler without the HTTP server that Dask's has in any case, open to every user."""

    def start_http_server(self, *_arguments: Any, **_options: Any) -> None:
        """Start none."""


class SilentWorker(Worker):
    """A worker without that server."""

    def start_http_server(self, *_arguments: Any, **_options: Any) -> None:
        """Start none."""


async def _served(asked: dict[str, Any]) -> None:
    about: dict[str, Any] = {"host": HOST, "protocol": "tls", "dashboard": False}
    about["security"] = security(asked["keys"])
    if asked["scheduler"] is None:
        node: Any = await SilentScheduler(port=0, **about)
        print(node.address, flush=True)
    else:
        about |= {"nthreads": 1, "local_directory": asked["folder"]}
        node = await SilentWorker(asked["scheduler"], **about)
    await node.finished()


def _end_with_parent(folder: str) -> None:
    sys.stdin.read()
    # A parent that was killed removes nothing.
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


if __name__ == "__main__":
    asked = json.loads(sys.stdin.readline())
    Thread(target=_end_with_parent, args=(asked["folder"],), daemon=True).start()
    asyncio.run(_served(asked))
