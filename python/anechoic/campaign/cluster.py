"""Replications on other machines, by Dask: a cluster of this machine, or one that is there.

The record of each is carried back as it ends and kept here, so that a client that is killed loses
only what is under way. A task whose worker dies goes to another.
"""

import logging
import time
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from anechoic.campaign.elsewhere import Carried, ClusterGone, OtherBuild
from anechoic.campaign.executor import available_cores
from anechoic.campaign.measured import Measured
from anechoic.campaign.own_cluster import OwnCluster
from anechoic.campaign.task import Task
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
PLACES = f'"{LOCAL}", the address of a scheduler such as tcp://host:8786, {", ".join(QUEUES)}'

_CONNECT_S = 10
_AHEAD = 2
"""Tasks for each thread of a worker: one that runs, one that waits beside it for its turn."""
_MOST_DEATHS = 10
"""Workers that may die over a task, again and again, before it is the task that kills them."""
_LOGGERS = ("distributed", "distributed.client", "distributed.core", "distributed.comm", "tornado")
_COUNTED_S = 1.0
"""How long a count of the workers holds."""


class Cluster:
    """The workers of a Dask cluster."""

    def __init__(self, place: str, client: Any, *owned: Any) -> None:
        """Use a client; close what is owned in the end."""
        self._place, self._client, self._owned = place, client, owned
        self._counted_at, self._jobs = -_COUNTED_S, 1

    @property
    def jobs(self) -> int:
        """Say how many tasks are under way at the same time, with the workers there are now."""
        if time.monotonic() - self._counted_at >= _COUNTED_S:
            self._jobs = max(1, _AHEAD * sum(self._threads().values()))
            self._counted_at = time.monotonic()
        return self._jobs

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
            carried: Carried = future.result()
            self.done.set_result(self.task.keep(carried))
        except KilledWorker:
            self._again()
        except CancelledError:
            self.done.set_exception(ClusterGone(f"the scheduler at {self.place} has gone"))
        except OSError as error:
            self.done.set_exception(error)
        except Exception as error:
            self.done.set_exception(_failed(self.place, error))

    def _again(self) -> None:
        self.deaths += 1
        if self.deaths < _MOST_DEATHS:
            self.send()
        else:
            what = "workers die over a replication again and again; is their memory too small?"
            self.done.set_exception(ClusterGone(what))


def cluster_at(place: Any, jobs: int | None) -> Cluster:
    """Give the cluster of this name, address or client; raise ScenarioError if there is none."""
    distributed = _library("distributed")
    for name in _LOGGERS:
        # What concerns the campaign we say ourselves, in a line.
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if isinstance(place, distributed.Client):
        cluster = Cluster(place.scheduler.address, place)
    elif place == LOCAL:
        own = OwnCluster(jobs or available_cores())
        client = distributed.Client(own.address, timeout=_CONNECT_S)
        cluster = Cluster(LOCAL, client, client, own)
        client.wait_for_workers(1, timeout=60)
    elif isinstance(place, str) and place in QUEUES:
        queue = _queue(place, jobs)
        client = distributed.Client(queue)
        cluster = Cluster(place, client, client, queue)
    else:
        client = _client(distributed, place)
        cluster = Cluster(place, client, client)
    cluster.check_build()
    return cluster


def check_place(place: Any) -> None:
    """Raise ScenarioError for what cannot be a place to run on, before anything else is done."""
    if isinstance(place, str) and place != LOCAL and place not in QUEUES and "://" not in place:
        raise _refused(place, "there is no such place to run on", PLACES)


def _client(distributed: Any, place: Any) -> Any:
    try:
        client = distributed.Client(place, timeout=_CONNECT_S)
    except (OSError, ValueError, TypeError) as error:
        what = f"no scheduler answers: {str(error).splitlines()[0]}"
        raise _refused(shown(place), what, "the address that `dask scheduler` tells") from None
    if not client.nthreads():
        say(f"there is no worker at {place} yet; `dask worker {place}` starts one")
    return client


def _queue(place: str, jobs: int | None) -> Any:
    kind = getattr(_library("dask_jobqueue"), QUEUES[place])
    needs = ("cores", "memory", *(("disk",) if place == "htcondor" else ()))
    settings = _library("dask").config.get(f"jobqueue.{place}", {})
    missing = [f"jobqueue.{place}.{field}" for field in needs if not settings.get(field)]
    if missing:
        what = f"Dask's configuration does not say {', '.join(missing)}"
        raise _refused(place, what, "what a job is, in ~/.config/dask/jobqueue.yaml")
    queue = kind()
    queue.scale(jobs=jobs or 1)
    say(f"waiting for the workers that {place} starts; their number is --jobs, {jobs or 1}")
    return queue


def _build() -> str:
    return build()


_SAME = "workers with the package of this build installed"


def _failed(place: str, error: Exception) -> ScenarioError:
    if isinstance(error, OtherBuild):
        return _refused(place, str(error), _SAME)
    what = f"a worker failed: {type(error).__name__}: {(str(error) or '?').splitlines()[0]}"
    return _refused(place, what, _SAME)


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        library = name.replace("_", "-")
        how = "pip install 'anechoic[dask]' installs it"
        raise _refused(library, "the library is not installed", how) from None


def _refused(place: str, what: str, allowed: str) -> ScenarioError:
    return ScenarioError(f"--on {place}", [Problem("", what, allowed)])
