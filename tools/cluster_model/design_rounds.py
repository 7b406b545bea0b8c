"""One scheduling round as it was designed: `--scheduler seed` (docs/scheduler.md)."""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import Any, Callable

from inputs import CPU, GPU, MEMORY, RESOURCES, Amounts, Settings, fits, minus, plus
from rounds import FAIR_SHARE, URGENCY, QueueIterator, RoundJob, RoundNode, RoundResult, suits

CLUSTER_LABEL = "armadaproject.io/clusterName"


class DesignRound:
    """One round of one pool. An evicted job that has not returned holds nothing on its node."""

    def __init__(
        self, nodes: list[RoundNode], jobs: list[RoundJob], active: dict[str, float], settings: Settings
    ) -> None:
        self._nodes = {node.id: node for node in nodes}
        self._jobs = jobs
        self._settings = settings
        queues = {job.queue for job in jobs}
        self._weights = {queue: weight for queue, weight in sorted(active.items()) if queue in queues}
        self._placed = {job.id: job.node for job in jobs if job.node is not None}
        # Evicted jobs that have not returned are in here and not in `_placed`.
        self._evicted: dict[str, str] = {}
        self._lost: dict[str, str] = {}
        self._refused: set[tuple[Any, ...]] = set()
        self._by_id = {job.id: job for job in jobs}

    def run(self) -> RoundResult:
        self._evict()
        self._fill()
        result = RoundResult()
        for job in self._jobs:
            if job.node is not None and job.id not in self._placed:
                result.preempted.append((job, self._lost[job.id]))
            elif job.node is None and job.id in self._placed:
                result.scheduled.append((job, self._placed[job.id]))
        return result

    def _evict(self) -> None:
        """All preemptible jobs of every node, as the probability is 1, and the rest of their gangs."""
        chosen = [job for job in self._jobs if job.node is not None and job.preemptible]
        gangs = {job.gang for job in chosen if job.gang is not None}
        for job in self._jobs:
            if job.node is not None and (job.preemptible or job.gang in gangs):
                self._evicted[job.id] = self._placed.pop(job.id)

    def _cost(self, amount: Amounts) -> Fraction:
        """Cores, GPUs and GiB, each with its weight."""
        settings = self._settings
        return (
            Fraction(amount[CPU], 1000)
            + Fraction(settings.gpu_weight) * amount[GPU]
            + Fraction(settings.ram_weight) * Fraction(amount[MEMORY], 2**30)
        )

    def _fill(self) -> None:
        iterators = {queue: self._iterator(queue) for queue in self._weights}
        while heads := {queue: head for queue, it in iterators.items() if (head := it.peek())}:
            queue = self._next_queue(heads)
            gang = heads[queue]
            iterators[queue].pop()
            if self._place_gang(gang):
                continue
            if gang[0].id in self._evicted or gang[0].id in self._lost:
                # What does not return at its turn is preempted, and holds nothing any more.
                for job in gang:
                    self._evicted.pop(job.id, None)
                    self._lost.setdefault(job.id, FAIR_SHARE)
            elif len(gang) == 1:
                self._refused.add(gang[0].shape())

    def _next_queue(self, heads: dict[str, list[RoundJob]]) -> str:
        """The smallest cost with the next job over weight, ties by name; that of the pool is the same for all."""
        costs = {queue: self._cost_with(queue, gang) for queue, gang in heads.items()}
        return min(heads, key=lambda queue: (costs[queue] / Fraction(self._weights[queue]), queue))

    def _cost_with(self, queue: str, gang: list[RoundJob]) -> Fraction:
        amount = dict.fromkeys(RESOURCES, 0)
        for job in self._jobs:
            if (job.queue == queue and job.id in self._placed) or job in gang:
                amount = plus(amount, job.request)
        return self._cost(amount)

    def _iterator(self, queue: str) -> QueueIterator:
        """Evicted jobs in the order they ran, then queued ones by priority and time of submission."""
        evicted = set(self._evicted)

        def key(job: RoundJob) -> tuple[Any, ...]:
            if job.id in evicted:
                return (0, job.started, job.queue_priority, job.position, job.submitted, job.created)
            return (1, 0, job.queue_priority, job.position, job.submitted, job.created)

        def wanted(job: RoundJob) -> int:
            if job.id in evicted:
                return sum(1 for other in self._jobs if other.id in evicted and other.gang == job.gang)
            return job.cardinality

        jobs = [job for job in self._jobs if job.queue == queue and (job.node is None or job.id in evicted)]
        return QueueIterator(
            sorted(jobs, key=key),
            wanted,
            lambda job: job.shape() in self._refused,
            lambda job: job.id in evicted,
            self._settings.lookback,
        )

    def _place_gang(self, gang: list[RoundJob]) -> bool:
        """All members or none; a new gang on the first cluster by name that takes all of it."""
        if gang[0].id in self._evicted or gang[0].gang is None:
            return self._place_all(gang, list(self._nodes.values()))
        clusters = sorted({node.labels[CLUSTER_LABEL] for node in self._nodes.values()})
        return any(
            self._place_all(
                gang, [node for node in self._nodes.values() if node.labels[CLUSTER_LABEL] == cluster]
            )
            for cluster in clusters
        )

    def _place_all(self, gang: list[RoundJob], nodes: list[RoundNode]) -> bool:
        saved = dict(self._placed), dict(self._evicted), dict(self._lost), set(self._refused)
        for job in gang:
            if not (self._return(job) if job.id in self._evicted else self._place(job, nodes)):
                self._placed, self._evicted, self._lost, self._refused = saved
                return False
        return True

    def _return(self, job: RoundJob) -> bool:
        """An evicted job can use its own node only, where it may preempt by urgency like a new one."""
        if job.id in self._lost:
            return False
        node = self._nodes[self._evicted[job.id]]
        if not fits(job.request, self._free(node)):
            victims = self._victims(job, node)
            if victims is None:
                return False
            self._preempt_all(victims)
        self._placed[job.id] = self._evicted.pop(job.id)
        return True

    def _on(self, node: RoundNode) -> list[RoundJob]:
        return [self._by_id[name] for name, place in self._placed.items() if place == node.id]

    def _free(self, node: RoundNode, priority: int | None = None) -> Amounts:
        """What is free; with a priority, beside the jobs of at least this priority only."""
        free = node.total
        for job in self._on(node):
            if priority is None or job.priority >= priority:
                free = minus(free, job.request)
        return free

    def _free_beside_evicted(self, node: RoundNode) -> Amounts:
        free = self._free(node)
        for name, place in self._evicted.items():
            if place == node.id:
                free = minus(free, self._by_id[name].request)
        return free

    def _place(self, job: RoundJob, nodes: list[RoundNode]) -> bool:
        """A node on which the job fits as it is goes before one that needs preemption."""
        suitable = [node for node in nodes if node.takes_jobs and suits(job, node)]
        # Taking the room of an evicted job preempts it too.
        for free in (self._free_beside_evicted, self._free):
            candidates = [node for node in suitable if fits(job.request, free(node))]
            if candidates:
                self._placed[job.id] = self._best(job, candidates, free).id
                return True
        victims = {node.id: found for node in suitable if (found := self._victims(job, node))}
        by_urgency = [node for node in suitable if node.id in victims]
        if not by_urgency:
            return False
        node = self._best(job, by_urgency, lambda node: self._free(node, job.priority))
        self._preempt_all(victims[node.id])
        self._placed[job.id] = node.id
        return True

    def _best(
        self, job: RoundJob, nodes: list[RoundNode], free_on: Callable[[RoundNode], Amounts]
    ) -> RoundNode:
        """Nodes that the queue uses alone, then unused, then shared ones; of each the one with the least free."""

        def key(node: RoundNode) -> tuple[Any, ...]:
            users = {other.queue for other in self._on(node)}
            tier = 1 if not users else 0 if users == {job.queue} else 2
            free = free_on(node)
            return tier, free[CPU], free[GPU], free[MEMORY], node.id

        return min(nodes, key=key)

    def _victims(self, job: RoundJob, node: RoundNode) -> list[RoundJob] | None:
        """Preemptible jobs of lower priority, the lowest first, then the latest started, as kube-scheduler does.

        It takes all of them off the node and puts back what fits beside the job, in the opposite order; the members of
        a gang together.
        """
        lower = [other for other in self._on(node) if other.priority < job.priority and other.preemptible]
        free = self._free(node)
        for other in lower:
            free = plus(free, other.request)
        if not fits(job.request, free):
            return None
        free = minus(free, job.request)
        # A job that was placed in this round started last.
        lower.sort(key=lambda other: (-other.priority, other.node is None, other.started, other.created))
        units: dict[Any, list[RoundJob]] = {}
        for other in lower:
            units.setdefault(other.id if other.gang is None else other.gang, []).append(other)
        victims = []
        for unit in units.values():
            left = functools.reduce(minus, (other.request for other in unit), free)
            if fits(dict.fromkeys(left, 0), left):
                free = left
            else:
                victims += unit
        return victims

    def _preempt_all(self, victims: list[RoundJob]) -> None:
        """Victims leave their node, and with them the rest of their gangs; a job that is new stays queued."""
        gangs = {victim.gang for victim in victims if victim.gang is not None}
        for job in self._jobs:
            if job in victims or job.gang in gangs:
                self._placed.pop(job.id, None)
                if job.node is not None:
                    self._lost[job.id] = URGENCY
        # With room that was not there before, shapes that were refused are tried again.
        self._refused.clear()
