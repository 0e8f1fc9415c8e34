"""Replications on other machines, by Dask: a cluster of this machine, or one that is there.

The record of each is carried back as it ends and kept here, so that a client that is killed loses
only what is under way. A task whose worker dies goes to another.
"""

import logging
import time
from collections.abc import Mapping
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anechoic.campaign.elsewhere import Carried, ClusterGone, OtherBuild
from anechoic.campaign.executor import available_cores
from anechoic.campaign.keys import KeyFolder, Keys, made, security
from anechoic.campaign.measured import Measured
from anechoic.campaign.own_cluster import OwnCluster
from anechoic.campaign.task import Task
from anechoic.libraries import library
from anechoic.saying import say
from anechoic.scenario.core import build
from anechoic.scenario.errors import Problem, ScenarioError, shown

LOCAL = "dask"
QUEUES = {
    "slurm": "SLURMCluster",
    "pbs": "PBSCluster",
    "sge": "SGECluster",
    "lsf": "LSFCluster",
    "oar": "OARCluster",
    "htcondor": "HTCondorCluster",
}
"""Batch systems, and Dask's class for each; what a job is, stands in Dask's own configuration."""
PLACES = f'"{LOCAL}", the address of a scheduler such as tls://host:8786, {", ".join(QUEUES)}'

_CONNECT_S = 10
_START_S = 60
_AHEAD = 2
"""Tasks for each thread of a worker: one that runs, one that waits beside it for its turn."""
_MOST_DEATHS = 10
"""Workers that may die over a task, again and again, before it is the task that kills them."""
_LOGGERS = ("distributed", "distributed.client", "distributed.core", "distributed.comm", "tornado")
_AWAITED_S = 60.0
"""How long workers that have gone are waited for: others may come in their place."""
_FETCHED_S = 2.0
"""How long a record is on its way before it is asked whether there is still a client for it."""
_COUNTED_S = 1.0
"""How long a count of the workers holds."""


class Cluster:
    """The workers of a Dask cluster."""

    def __init__(self, place: str, client: Any, *owned: Any) -> None:
        """Use a client; close what is owned in the end."""
        self._place, self._client, self._owned = place, client, owned
        self._counted_at, self._jobs = -_COUNTED_S, 1
        self._alive_at: float | None = None

    @property
    def jobs(self) -> int:
        """Say how many tasks are under way at the same time, with the workers there are now."""
        self.check()
        return self._jobs

    def check(self) -> None:
        """Raise ClusterGone where what is under way will not end: nobody is left to run it."""
        now = time.monotonic()
        if now - self._counted_at < _COUNTED_S:
            return
        threads, self._counted_at = sum(self._threads().values()), now
        self._jobs = max(1, _AHEAD * threads)
        if threads:
            self._alive_at = now
        elif self._are_dead(now):
            raise ClusterGone(f"all workers of {self._place} have gone")

    def submit(self, task: Task) -> "Future[Measured]":
        """Begin a task."""
        done: Future[Measured] = Future()
        _Sent(self._place, self._client, task, done).send()
        return done

    def close(self, *, is_hurried: bool = False) -> None:  # noqa: ARG002 (nothing waits here)
        """Take no more tasks, and end what was begun for them."""
        for each in self._owned:
            each.close()

    def check_build(self) -> None:
        """Raise ScenarioError where a worker that is there has another build of the package."""
        try:
            found = self._client.run(_build)
        except Exception as error:
            raise _failed(self._place, error) from None
        for worker, theirs in found.items():
            if theirs != build():
                raise _refused(self._place, f"{worker} has build {theirs}, not {build()}", _SAME)

    def _are_dead(self, now: float) -> bool:
        """Say whether workers have gone that will not come again, as those of a queue may."""
        own = [each for each in self._owned if isinstance(each, OwnCluster)]
        if own:
            return own[0].are_dead()
        return self._alive_at is not None and now - self._alive_at >= _AWAITED_S

    def _threads(self) -> dict[str, int]:
        try:
            threads: dict[str, int] = self._client.nthreads()
        except (OSError, CancelledError, RuntimeError):
            raise ClusterGone(f"the scheduler at {self._place} has gone") from None
        return threads


@dataclass(slots=True)
class _Sent:
    """A task on its way, until its record is kept."""

    place: str
    client: Any
    task: Task
    done: "Future[Measured]"
    deaths: int = 0

    def send(self) -> None:
        # Not pure: the name of an earlier try would lead to what became of that.
        self.client.submit(self.task.work(), pure=False).add_done_callback(self._ended)

    def _ended(self, future: Any) -> None:
        from distributed import KilledWorker

        try:
            self.done.set_result(self.task.keep(self._fetched(future)))
        except KilledWorker:
            self._again()
        except CancelledError:
            self.done.set_exception(ClusterGone(f"the scheduler at {self.place} has gone"))
        except OSError as error:
            self.done.set_exception(error)
        except Exception as error:
            self.done.set_exception(_failed(self.place, error))

    def _fetched(self, future: Any) -> Carried:
        """Fetch what a task has ended with, unless its client is closed meanwhile.

        All clients of a process share the thread that this is called in: one that waited for a
        client that is gone would keep all later campaigns from hearing of theirs.
        """
        if future.status == "cancelled" or self.client.status in ("closing", "closed"):
            raise CancelledError
        while True:
            try:
                carried: Carried = future.result(timeout=_FETCHED_S)
            except TimeoutError:
                if future.status == "error":
                    raise
                if self.client.status != "running":
                    raise CancelledError from None
            else:
                return carried

    def _again(self) -> None:
        self.deaths += 1
        if self.deaths < _MOST_DEATHS:
            self.send()
        else:
            what = "workers die over a replication again and again; is their memory too small?"
            self.done.set_exception(ClusterGone(what))


def cluster_at(place: Any, jobs: int | None) -> Cluster:
    """Give the cluster of this name, address or client; raise ScenarioError if there is none."""
    distributed = library("distributed", f"--on {shown(place)}")
    for name in _LOGGERS:
        # What concerns the campaign we say ourselves, in a line.
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if isinstance(place, distributed.Client):
        cluster = Cluster(place.scheduler.address, place)
    elif place == LOCAL:
        cluster = _own(distributed, jobs or available_cores())
    elif isinstance(place, str) and place in QUEUES:
        cluster = queue_at(place, jobs)
    else:
        client = _client(distributed, place)
        cluster = Cluster(place, client, client)
    try:
        cluster.check_build()
    except BaseException:
        cluster.close()
        raise
    return cluster


def check_place(place: Any) -> None:
    """Raise ScenarioError for what cannot be a place to run on, before anything else is done."""
    if isinstance(place, str) and place != LOCAL and place not in QUEUES and "://" not in place:
        raise _refused(place, "there is no such place to run on", PLACES)


def _own(distributed: Any, workers: int) -> Cluster:
    library("cryptography", f"--on {LOCAL}")
    own = OwnCluster(workers)
    try:
        client = distributed.Client(own.address, timeout=_CONNECT_S, security=security(own.keys))
        client.wait_for_workers(1, timeout=_START_S)
    except BaseException as error:
        own.close()
        if isinstance(error, TimeoutError):
            raise _refused(LOCAL, "no worker has started", _SAME) from None
        raise
    return Cluster(LOCAL, client, client, own)


def _client(distributed: Any, place: Any) -> Any:
    try:
        client = distributed.Client(place, timeout=_CONNECT_S)
    except (OSError, ValueError, TypeError) as error:
        what = f"no scheduler answers: {str(error).splitlines()[0]}"
        raise _refused(shown(place), what, "the address that `dask scheduler` tells") from None
    if not client.nthreads():
        say(f"there is no worker at {place} yet; `dask worker {place}` starts one")
    return client


def queue_at(place: str, jobs: int | None) -> Cluster:
    """Start workers by a batch system, each behind the keys made for this run."""
    kind = getattr(library("dask_jobqueue", f"--on {place}"), QUEUES[place])
    needs = ("cores", "memory", *(("disk",) if place == "htcondor" else ()))
    settings = library("dask", f"--on {place}").config.get(f"jobqueue.{place}", {})
    missing = [f"jobqueue.{place}.{field}" for field in needs if not settings.get(field)]
    if missing:
        what = f"Dask's configuration does not say {', '.join(missing)}"
        raise _refused(place, what, "what a job is, in ~/.config/dask/jobqueue.yaml")
    library("cryptography", f"--on {place}")
    # The jobs read the keys there.
    shared = settings.get("shared-temp-directory") or Path.cwd()
    folder = KeyFolder(made(), Path(shared).expanduser())
    queue = kind(**_closed_to_others(settings, folder.keys))
    queue.scale(jobs=jobs or 1)
    say(f"waiting for the workers that {place} starts; their number is --jobs, {jobs or 1}")
    client = library("distributed", f"--on {place}").Client(queue)
    return Cluster(place, client, client, queue, folder)


def _closed_to_others(settings: Mapping[str, Any], keys: Keys) -> dict[str, Any]:
    """Give what keeps other users out: TLS, and no HTTP server that the network can reach."""
    from anechoic.campaign.silent_nodes import SilentScheduler

    silent = ["--no-dashboard", "--dashboard-address", "127.0.0.1:0"]
    return {
        "protocol": "tls://",
        "security": security(keys),
        "scheduler_cls": SilentScheduler,
        "scheduler_options": {"dashboard": False},
        "worker_extra_args": [*(settings.get("worker-extra-args") or []), *silent],
    }


def _build() -> str:
    return build()


_SAME = "workers with the package of this build installed"


def _failed(place: str, error: Exception) -> ScenarioError:
    if isinstance(error, OtherBuild):
        return _refused(place, str(error), _SAME)
    what = f"a worker failed: {type(error).__name__}: {(str(error) or '?').splitlines()[0]}"
    return _refused(place, what, _SAME)


def _refused(place: str, what: str, allowed: str) -> ScenarioError:
    return ScenarioError(f"--on {place}", [Problem("", what, allowed)])
