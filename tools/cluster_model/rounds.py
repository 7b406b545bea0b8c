"""One scheduling round of one pool as it landed in Armada (docs/scheduler.md, The order).

Free amounts are computed anew from the placements whenever they are asked for: slow, but there is no state that could
go out of step. Steps are those of that section.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable

from inputs import RESOURCES, Amounts, Settings, fits, minus, plus

# The lowest bucket counts all jobs of a node, evicted ones too; the next one all that are not evicted.
ALL_JOBS = -2
NOT_EVICTED = -1

FAIR_SHARE = "fairShare"
URGENCY = "urgency"
OTHER = "other"


@dataclass
class RoundNode:
    id: str
    index: int
    total: Amounts
    labels: dict[str, str]
    taints: list[dict[str, str]]
    # A spot node that is about to be lost takes no more jobs.
    takes_jobs: bool


@dataclass
class RoundJob:
    """A job that is queued, or running if it has a node."""

    id: str
    queue: str
    created: int
    priority: int
    preemptible: bool
    queue_priority: int
    request: Amounts
    selector: dict[str, str]
    tolerations: list[dict[str, Any]]
    avoided: frozenset[str]
    # Where the job is queued: before the jobs of its priority (-1) or among them (0).
    position: int
    submitted: int
    node: str | None = None
    started: int = 0
    gang: Any = None
    cardinality: int = 1
    uniformity_label: str = ""

    def shape(self) -> tuple[Any, ...]:
        """Single jobs of a shape that did not fit are not tried again in the round (step 6)."""
        return (
            self.priority,
            self.preemptible,
            tuple(self.request.items()),
            tuple(sorted(self.selector.items())),
            repr(self.tolerations),
            self.avoided,
        )


@dataclass
class RoundResult:
    scheduled: list[tuple[RoundJob, str]] = field(default_factory=list)
    preempted: list[tuple[RoundJob, str]] = field(default_factory=list)


def tolerates(job: RoundJob, node: RoundNode) -> bool:
    def tolerated(taint: dict[str, str]) -> bool:
        for toleration in job.tolerations:
            if toleration.get("key") not in (None, "", taint["key"]):
                continue
            if toleration.get("operator") == "Exists" or toleration.get("value", "") == taint.get(
                "value", ""
            ):
                return True
        return False

    return all(tolerated(taint) for taint in node.taints)


def suits(job: RoundJob, node: RoundNode) -> bool:
    """Whether the job may use the node at all, whatever is free on it."""
    if node.id in job.avoided or not tolerates(job, node):
        return False
    return all(node.labels.get(key) == value for key, value in job.selector.items())


class QueueIterator:
    """The gangs of one queue in their order; a single job is a gang of one (step 4)."""

    def __init__(
        self,
        jobs: list[RoundJob],
        wanted: Callable[[RoundJob], int],
        skip: Callable[[RoundJob], bool],
        evicted: Callable[[RoundJob], bool],
        lookback: int,
    ) -> None:
        self._jobs = list(jobs)
        self._wanted = wanted
        self._skip = skip
        self._evicted = evicted
        self._lookback = lookback
        self._seen = 0
        self._gangs: dict[tuple[bool, Any], list[RoundJob]] = {}
        self._head: list[RoundJob] | None = None
        self.only_evicted = False

    def peek(self) -> list[RoundJob] | None:
        if self._head and self.only_evicted and not self._evicted(self._head[0]):
            self._head = None
        while self._head is None and self._jobs:
            job = self._jobs.pop(0)
            if not self._evicted(job):
                self._seen += 1
                if self.only_evicted or (self._lookback and self._seen > self._lookback) or self._skip(job):
                    continue
            if job.gang is None:
                self._head = [job]
                break
            members = self._gangs.setdefault((self._evicted(job), job.gang), [])
            members.append(job)
            # A gang is yielded when its last member is reached.
            if len(members) == self._wanted(job):
                self._head = members
        return self._head

    def pop(self) -> None:
        self._head = None


class LandedRound:
    """One round. `active` are the queues that had jobs once, with their weights."""

    def __init__(
        self, nodes: list[RoundNode], jobs: list[RoundJob], active: dict[str, float], settings: Settings
    ) -> None:
        self._nodes = {node.id: node for node in nodes}
        self._jobs = jobs
        self._weights = dict(sorted(active.items()))
        self._settings = settings
        self._priorities = sorted({entry.priority for entry in settings.classes.values()})
        self._total = dict.fromkeys(RESOURCES, 0)
        for node in nodes:
            self._total = plus(self._total, node.total)
        # Jobs on nodes, evicted ones too.
        self._placed: dict[str, str] = {job.id: job.node for job in jobs if job.node is not None}
        self._evicted: set[str] = set()
        # Evicted jobs whose resources another job took; they cannot return.
        self._displaced: set[str] = set()
        # Nodes on which a job was placed by step 7.3.
        self._taken_by_urgency: set[str] = set()
        self._return_order: list[RoundJob] = []
        self._shapes_without_node: set[tuple[Any, ...]] = set()
        self._scheduled_new: list[RoundJob] = []
        self._allocated = {queue: dict.fromkeys(RESOURCES, 0) for queue in self._weights}
        for job in self._running():
            self._allocated[job.queue] = plus(self._allocated[job.queue], job.request)
        self._capped = self._demand_capped_shares()

    def run(self) -> RoundResult:
        first = self._evict_above_share()
        self._return_order = self._order_of_return(first)
        self._pass(first, include_queued=True)
        lost = {job.id: self._cause(job) for job in first if job.id in self._evicted}
        second = self._evict_from_oversubscribed(lost)
        self._pass(second, include_queued=False)
        result = RoundResult()
        for job in self._running():
            if job.id in lost:
                result.preempted.append((job, lost[job.id]))
            elif job.id in self._evicted:
                result.preempted.append((job, self._cause(job)))
        result.scheduled = [
            (job, self._placed[job.id]) for job in self._scheduled_new if job.id not in self._evicted
        ]
        return result

    def _running(self) -> list[RoundJob]:
        return [job for job in self._jobs if job.node is not None]

    def _cause(self, job: RoundJob) -> str:
        """To fair share if another job took its room in step 7.2, by urgency if one did in step 7.3."""
        if job.id in self._displaced:
            return FAIR_SHARE
        return URGENCY if self._placed[job.id] in self._taken_by_urgency else OTHER

    # Costs and shares (steps 1 and 2).

    def _cost(self, allocation: Amounts) -> float:
        return max(
            (allocation[r] / self._total[r] if self._total[r] else 0.0) for r in self._settings.considered
        )

    def _fair_share(self, queue: str) -> float:
        return self._weights[queue] / sum(self._weights.values())

    def _demand_capped_shares(self) -> dict[str, float]:
        demand = {queue: dict.fromkeys(RESOURCES, 0) for queue in self._weights}
        for job in self._jobs:
            demand[job.queue] = plus(demand[job.queue], job.request)
        caps = {queue: self._cost(amount) for queue, amount in demand.items()}
        weights = dict(self._weights)
        shares = dict.fromkeys(weights, 0.0)
        unallocated = 1.0
        for _ in range(10):
            total_weight = sum(weights.values())
            if unallocated <= 0.01 or total_weight == 0.0:
                break
            for queue, weight in weights.items():
                shares[queue] += weight / total_weight * unallocated
            unallocated = 0.0
            for queue in weights:
                if shares[queue] > caps[queue]:
                    unallocated += shares[queue] - caps[queue]
                    shares[queue] = caps[queue]
                    weights[queue] = 0.0
        return shares

    # Evictions (steps 3 and 9).

    def _evict_above_share(self) -> list[RoundJob]:
        chosen = []
        for job in self._running():
            share = max(self._capped[job.queue], self._fair_share(job.queue))
            above = (
                self._cost(self._allocated[job.queue]) / share > self._settings.protected if share else True
            )
            if job.preemptible and above:
                chosen.append(job)
        return self._evict(chosen)

    def _evict_from_oversubscribed(self, lost: dict[str, str]) -> list[RoundJob]:
        """Step 9: where a bucket is negative, the preemptible jobs that were scheduled at its priority go."""
        chosen = []
        for node in self._nodes.values():
            for priority in self._priorities:
                if min(self._free(node, priority).values()) >= 0:
                    continue
                chosen += [
                    job
                    for job in self._jobs
                    if self._placed.get(job.id) == node.id
                    and job.preemptible
                    and job.priority == priority
                    and job.id not in self._evicted
                    and job.id not in lost
                ]
        return self._evict(chosen)

    def _evict(self, chosen: list[RoundJob]) -> list[RoundJob]:
        """Evict these jobs and the rest of their gangs."""
        gangs = {job.gang for job in chosen if job.gang is not None}
        evicted = [
            job
            for job in self._jobs
            if job.id in self._placed
            and job.id not in self._evicted
            and (job in chosen or (job.gang is not None and job.gang in gangs))
        ]
        for job in evicted:
            self._evicted.add(job.id)
            self._allocated[job.queue] = minus(self._allocated[job.queue], job.request)
        return evicted

    # The order of jobs (steps 4 and 5).

    @staticmethod
    def _order_key(job: RoundJob) -> tuple[Any, ...]:
        running = job.node is not None
        return (
            not running,
            -job.priority,
            job.queue_priority,
            job.started if running else 0,
            job.position,
            job.submitted,
            job.created,
        )

    def _iterators(self, jobs: list[RoundJob], evicted: set[str]) -> dict[str, QueueIterator]:
        def wanted(job: RoundJob) -> int:
            if job.id in evicted:
                return sum(1 for other in jobs if other.id in evicted and other.gang == job.gang)
            return job.cardinality

        return {
            queue: QueueIterator(
                sorted(
                    (job for job in jobs if job.queue == queue),
                    key=lambda job: (job.id not in evicted, *self._order_key(job)),
                ),
                wanted,
                lambda job: job.shape() in self._shapes_without_node,
                lambda job: job.id in evicted,
                self._settings.lookback,
            )
            for queue in self._weights
        }

    def _next_queue(self, heads: dict[str, list[RoundJob]], allocated: dict[str, Amounts]) -> str:
        """The queue whose gang is next; higher priority classes first, then the smaller cost."""

        def key(queue: str) -> tuple[Any, ...]:
            gang = heads[queue]
            request = dict.fromkeys(RESOURCES, 0)
            for job in gang:
                request = plus(request, job.request)
            weight = self._weights[queue]
            priority = -min(job.priority for job in gang)
            proposed = self._cost(plus(allocated[queue], request)) / weight
            if not self._settings.large_first:
                return priority, proposed, queue
            current = self._cost(allocated[queue]) / weight
            if proposed <= self._capped[queue] / weight:
                size = self._cost(request) * weight
                return priority, 0, current, -size, queue
            return priority, 1, proposed, 0.0, queue

        return min(heads, key=key)

    def _order_of_return(self, evicted: list[RoundJob]) -> list[RoundJob]:
        """Step 7.2: the order in which evicted jobs would return if there were no others."""
        allocated = {queue: dict(amount) for queue, amount in self._allocated.items()}
        iterators = self._iterators(evicted, {job.id for job in evicted})
        order: list[RoundJob] = []
        while heads := {queue: head for queue, it in iterators.items() if (head := it.peek())}:
            queue = self._next_queue(heads, allocated)
            for job in heads[queue]:
                order.append(job)
                allocated[queue] = plus(allocated[queue], job.request)
            iterators[queue].pop()
        return order

    # Scheduling (steps 6 to 8).

    def _pass(self, evicted: list[RoundJob], include_queued: bool) -> None:
        jobs = evicted + ([job for job in self._jobs if job.node is None] if include_queued else [])
        iterators = self._iterators(jobs, {job.id for job in evicted})
        taken = dict.fromkeys(RESOURCES, 0)
        while heads := {queue: head for queue, it in iterators.items() if (head := it.peek())}:
            queue = self._next_queue(heads, self._allocated)
            gang = heads[queue]
            new = gang[0].id not in self._evicted
            if new and self._round_limit_exceeded(taken):
                for iterator in iterators.values():
                    iterator.only_evicted = True
                continue
            iterators[queue].pop()
            if self._place_gang(gang):
                for job in gang:
                    self._allocated[queue] = plus(self._allocated[queue], job.request)
                    if new:
                        self._scheduled_new.append(job)
                        taken = plus(taken, job.request)
            elif new and len(gang) == 1:
                self._shapes_without_node.add(gang[0].shape())

    def _round_limit_exceeded(self, taken: Amounts) -> bool:
        limits = self._settings.round_fraction
        return any(taken[r] > limits[r] * self._total[r] for r in limits if r in taken)

    def _place_gang(self, gang: list[RoundJob]) -> bool:
        """All members or none; new gangs on nodes that agree in the uniformity label (step 8)."""
        if gang[0].gang is None or gang[0].id in self._evicted:
            return self._place_all(gang, list(self._nodes)) is not None
        label = gang[0].uniformity_label
        values = list(
            dict.fromkeys(node.labels[label] for node in self._nodes.values() if label in node.labels)
        )
        best: tuple[float, list[str]] | None = None
        for value in values:
            nodes = [node.id for node in self._nodes.values() if node.labels.get(label) == value]
            before = self._save()
            score = self._place_all(gang, nodes)
            self._restore(before)
            if score is not None and (best is None or score < best[0]):
                best = (score, nodes)
            if score == ALL_JOBS:
                break
        return best is not None and self._place_all(gang, best[1]) is not None

    def _place_all(self, gang: list[RoundJob], nodes: list[str]) -> float | None:
        """Place all members; the mean priority at which they preempt, or nothing if one does not fit."""
        before = self._save()
        scores = []
        for job in gang:
            score = self._return(job) if job.id in self._evicted else self._place(job, nodes)
            if score is None:
                self._restore(before)
                return None
            scores.append(score)
        return sum(scores) / len(scores)

    def _save(self) -> tuple[Any, ...]:
        return dict(self._placed), set(self._evicted), set(self._displaced), set(self._taken_by_urgency)

    def _restore(self, saved: tuple[Any, ...]) -> None:
        placed, evicted, displaced, taken = saved
        self._placed, self._evicted = dict(placed), set(evicted)
        self._displaced, self._taken_by_urgency = set(displaced), set(taken)

    def _free(self, node: RoundNode, bucket: int) -> Amounts:
        """What is free beside the jobs that count at this bucket (step 7)."""
        free = node.total
        for job in self._jobs:
            if self._placed.get(job.id) != node.id or job.id in self._displaced:
                continue
            if job.id in self._evicted:
                counts = bucket == ALL_JOBS
            else:
                counts = not job.preemptible or job.priority >= bucket
            if counts:
                free = minus(free, job.request)
        return free

    def _return(self, job: RoundJob) -> int | None:
        """An evicted job can use its own node only."""
        if job.id in self._displaced:
            return None
        node = self._nodes[self._placed[job.id]]
        if not fits(job.request, self._free(node, job.priority)):
            return None
        self._evicted.discard(job.id)
        return ALL_JOBS

    def _place(self, job: RoundJob, node_ids: list[str]) -> int | None:
        """Step 7: the bucket at which a new job found its node."""
        nodes = [node for name in node_ids if (node := self._nodes[name]).takes_jobs and suits(job, node)]
        found = self._best_fit(job, nodes, ALL_JOBS)
        if found:
            self._placed[job.id] = found.id
            return ALL_JOBS
        if self._best_fit(job, nodes, job.priority) is None:
            return None
        taken = self._take_from_evicted(job, nodes)
        if taken is not None:
            return taken
        for bucket in [NOT_EVICTED, *(p for p in self._priorities if p <= job.priority)]:
            found = self._best_fit(job, nodes, bucket)
            if found:
                self._placed[job.id] = found.id
                self._taken_by_urgency.add(found.id)
                return bucket
        return None

    def _best_fit(self, job: RoundJob, nodes: list[RoundNode], bucket: int) -> RoundNode | None:
        """The node with the least free; equal nodes of one type by index, those of several types by name."""
        best_by_type: dict[Any, tuple[Any, ...]] = {}
        for node in nodes:
            free = self._free(node, bucket)
            floored = {r: free[r] // step * step for r, step in self._settings.indexed}
            if not fits(job.request, free) or any(job.request[r] > floored[r] for r in floored):
                continue
            exact = tuple(free[r] for r, _ in self._settings.indexed)
            candidate = (tuple(floored.values()), node.index, exact, node)
            kind = tuple(node.labels.get(label) for label in self._settings.indexed_labels)
            if kind not in best_by_type or candidate[:2] < best_by_type[kind][:2]:
                best_by_type[kind] = candidate
        candidates = [(exact, node.id, node) for _, _, exact, node in best_by_type.values()]
        return min(candidates, key=lambda entry: entry[:2])[2] if candidates else None

    def _take_from_evicted(self, job: RoundJob, nodes: list[RoundNode]) -> int | None:
        """Step 7.2: take resources from the evicted jobs that would return last."""
        allowed = {node.id: node for node in nodes}
        free = {node.id: self._free(node, ALL_JOBS) for node in nodes}
        victims: dict[str, list[RoundJob]] = {node.id: [] for node in nodes}
        for other in reversed(self._return_order):
            name = self._placed[other.id]
            if other.id not in self._evicted or other.id in self._displaced or other.priority > job.priority:
                continue
            if name not in allowed:
                continue
            free[name] = plus(free[name], other.request)
            victims[name].append(other)
            if fits(job.request, free[name]):
                self._displace(victims[name])
                self._placed[job.id] = name
                return max(victim.priority for victim in victims[name])
        return None

    def _displace(self, victims: list[RoundJob]) -> None:
        """These jobs are preempted, and the rest of their gangs with them."""
        gangs = {victim.gang for victim in victims if victim.gang is not None}
        self._displaced.update(
            job.id for job in self._jobs if job in victims or (job.gang in gangs and job.id in self._evicted)
        )
