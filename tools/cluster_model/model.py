"""The simulated cluster: the event loop, attempts and their ends, nodes, and what a retry does.

The rules are those of docs/cluster.md and docs/cluster-failures.md. `python3 model.py --help` runs one world.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import json
import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Callable, Sequence

import design_rounds
import rounds
from inputs import (
    GPU,
    MEMORY,
    MILLISECOND,
    SECOND,
    Amounts,
    Cause,
    Draws,
    JobTemplate,
    NodeTemplate,
    World,
    fits,
    plus,
    read_world,
)
from retries import Decision, Engine, JobState, RunRecord, read_policies

QUEUED, LEASED, WAITING, SUCCEEDED, FAILED = "queued", "leased", "waiting", "succeeded", "failed"

# Names of causes that are no causes of a job template.
NODE_FAILURE, SPOT, GPU_FAILURE, DEADLINE = "node-failure", "spot", "gpu", "active-deadline"

UNPLACEABLE = "retry_unschedulable"


@dataclass
class Options:
    """The flags of a run."""

    scheduler: str = "landed"
    requeue: str = "original"
    engine: Engine | None = None
    until: int = 366 * 24 * 3600 * SECOND


@dataclass
class Pod:
    """The pod of a preempted run, which keeps its resources until it is gone (Failures, Grace)."""

    gone: int
    request: Amounts


@dataclass
class Node:
    id: str
    index: int
    template: NodeTemplate
    up: bool = True
    # How often the node has returned; draws of a node depend on it.
    period: int = 0
    gone_for_good: bool = False
    # Until when a cause fails attempts of a job template that start here.
    sticking: dict[tuple[str, str], int] = field(default_factory=dict)
    pods: list[Pod] = field(default_factory=list)


@dataclass
class Run:
    """One attempt of a job, from its lease on."""

    job: "Job"
    node: Node
    leased: int
    # When it has room on its node, and when it starts.
    holds_from: int | None = None
    start: int = 0
    started: bool = False
    ended: bool = False
    # How long it takes, and the work that was saved before it.
    length: int = 0
    restart: int = 0


@dataclass
class Gang:
    """The members of a gang in their current generation (docs/semantics.md, section 9)."""

    members: list["Job"]
    number: int
    decisions: dict[str, Decision] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    succeeded: set[str] = field(default_factory=set)


@dataclass
class Job:
    template: JobTemplate
    number: int
    gang: Gang | None = None
    state: str | None = None
    attempt: int = 0
    # The order of submissions; a job that is requeued at the back counts as submitted again.
    created: int = 0
    submitted: int = 0
    position: int = 0
    retry_after: int = 0
    # The end of the backoff, and when and where the pod of the preempted run is gone.
    waits_until: int = 0
    pod_until: int = 0
    pod_node: Node | None = None
    # The order in which retries were granted.
    decided: int = 0
    requeued_by: str = ""
    saved: int = 0
    avoided: frozenset[str] = frozenset()
    run: Run | None = None
    engine_state: JobState = None  # type: ignore[assignment]

    @property
    def id(self) -> str:
        return f"{self.template.id}-{self.number}"

    @property
    def over(self) -> bool:
        return self.state in (SUCCEEDED, FAILED)


class Model:
    """One run of a world. `events` has what `--events` would write, with times in nanoseconds."""

    def __init__(self, world: World, draws: Draws, options: Options) -> None:
        self.world = world
        self.draws = draws
        self.options = options
        self.engine = options.engine
        self.now = 0
        self.events: list[dict[str, Any]] = []
        self._heap: list[tuple[int, int, Callable[[], None]]] = []
        self._sequence = itertools.count()
        self._creation = itertools.count()
        self._gang_numbers = itertools.count()
        self.nodes: list[Node] = []
        for template in world.node_templates:
            for name in template.node_ids:
                self.nodes.append(Node(name, len(self.nodes), template))
        self._nodes_by_id = {node.id: node for node in self.nodes}
        self.jobs: dict[str, list[Job]] = {}
        self._active: dict[str, float] = {}
        self._planned_submissions = 0
        self._spot_losses: dict[str, list[tuple[int, list[str]]]] = {}
        for template in world.templates:
            self._make_jobs(template)

    # The event loop.

    def run(self) -> list[dict[str, Any]]:
        for reload in self.world.reloads:
            if self.engine:
                self._at(reload.at, lambda r=reload: self.engine.reload(r.global_limit, r.enabled))
        for template in self.world.templates:
            if not template.dependencies:
                self._plan_submission(template, template.earliest)
        for node in self.nodes:
            self._plan_failure(node)
        for template in self.world.node_templates:
            if template.spot:
                self._plan_spot_loss(template, 0)
        round_at, round_sequence = 0, next(self._sequence)
        while not self._all_over():
            if self._heap and self._heap[0][:2] < (round_at, round_sequence):
                time, _, action = heapq.heappop(self._heap)
                if time > self.options.until:
                    break
                self.now = time
                action()
                continue
            if round_at > self.options.until:
                break
            self.now = round_at
            # The next round is planned before this one acts, so that what this one makes comes after it.
            round_sequence = next(self._sequence)
            changed = self._round()
            round_at = self._next_round(changed)
            if round_at is None:
                break
        return self.events

    def _next_round(self, changed: bool) -> int | None:
        """A round that cannot change anything is left out; None if nothing will ever happen again."""
        period = self.world.settings.period
        if changed:
            return self.now + period
        if self._stalled():
            return None
        times = [job.retry_after for job in self._all_jobs() if job.state == WAITING]
        if self._heap:
            times.append(self._heap[0][0])
        if not times:
            return None
        return max(self.now + period, -(-min(times) // period) * period)

    def _stalled(self) -> bool:
        """Only queued jobs are left, and a round would start none of them on all nodes that can ever return."""
        if self._planned_submissions or any(job.state in (LEASED, WAITING) for job in self._all_jobs()):
            return False
        queued = [job for job in self._all_jobs() if job.state == QUEUED]
        views = [self._view(job) for job in sorted(queued, key=lambda job: job.created)]
        return not self._round_of(self._returning_nodes(), views).scheduled

    def _at(self, time: int, action: Callable[[], None]) -> None:
        heapq.heappush(self._heap, (time, next(self._sequence), action))

    def _all_over(self) -> bool:
        return self._planned_submissions == 0 and all(
            job.over or job.state is None for job in self._all_jobs()
        )

    def _all_jobs(self) -> list[Job]:
        return [job for jobs in self.jobs.values() for job in jobs]

    def _emit(
        self,
        event: str,
        job: Job | None = None,
        node: str | None = None,
        cause: str | None = None,
        decision: str | None = None,
    ) -> None:
        self.events.append(
            {
                "time": self.now,
                "event": event,
                "queue": job.template.queue if job else None,
                "template": job.template.id if job else None,
                "jobId": job.id if job else None,
                "runIndex": job.attempt if job else None,
                "node": node,
                "cause": cause,
                "decision": decision,
            }
        )

    # Submission and dependencies.

    def _make_jobs(self, template: JobTemplate) -> None:
        jobs = [
            Job(template, number, engine_state=JobState(template.annotations, template.cardinality > 1))
            for number in range(template.number)
        ]
        self.jobs[template.id] = jobs
        if template.cardinality > 1:
            for first in range(0, template.number, template.cardinality):
                members = jobs[first : first + template.cardinality]
                gang = Gang(members, next(self._gang_numbers))
                for job in members:
                    job.gang = gang

    def _plan_submission(self, template: JobTemplate, time: int) -> None:
        self._planned_submissions += 1

        def submit() -> None:
            self._planned_submissions -= 1
            for job in self.jobs[template.id]:
                self._submit(job)

        self._at(time, submit)

    def _submit(self, job: Job) -> None:
        job.state = QUEUED
        job.submitted = self.now
        job.created = next(self._creation)
        self._active[job.template.queue] = self.world.weights[job.template.queue]
        self._emit("Submitted", job)

    def _submit_dependents(self, finished: JobTemplate) -> None:
        """Dependents are submitted when all jobs of all their dependencies have succeeded."""
        for template in self.world.templates:
            if finished.id not in template.dependencies:
                continue
            needed = [job for name in template.dependencies for job in self.jobs[name]]
            if all(job.state == SUCCEEDED for job in needed):
                wait = max(template.earliest, template.earliest_from_dependencies)
                self._plan_submission(template, self.now + wait)

    # Rounds, and what they lead to.

    def _round(self) -> bool:
        self._queue_retries()
        jobs = [job for job in self._all_jobs() if job.state in (QUEUED, LEASED)]
        by_id = {job.id: job for job in jobs}
        nodes = [self._round_node(node, not self._about_to_be_lost(node)) for node in self.nodes if node.up]
        views = [self._view(job) for job in sorted(jobs, key=lambda job: job.created)]
        result = self._round_of(nodes, views)
        self._preempt([(by_id[view.id], cause) for view, cause in result.preempted])
        scheduled = [(by_id[view.id], self._nodes_by_id[node]) for view, node in result.scheduled]
        scheduled.sort(key=lambda entry: (entry[0].template.queue, entry[0].created))
        self._plan_starts([self._lease(job, node) for job, node in scheduled])
        return bool(result.preempted or result.scheduled)

    def _round_of(
        self, nodes: list[rounds.RoundNode], jobs: list[rounds.RoundJob], has_limits: bool = True
    ) -> rounds.RoundResult:
        settings = self.world.settings
        if not has_limits:
            settings = replace(settings, round_fraction={}, lookback=len(jobs))
        kind = rounds.LandedRound if self.options.scheduler == "landed" else design_rounds.DesignRound
        return kind(nodes, jobs, self._active, settings).run()

    def _queue_retries(self) -> None:
        """A round first takes up every job whose retryAfter has come."""
        due = [job for job in self._all_jobs() if job.state == WAITING and job.retry_after <= self.now]
        due.sort(key=lambda job: (job.retry_after, job.decided))
        for job in due:
            job.state = QUEUED
            job.position = -1 if self.options.requeue == "front" else 0
            if self.options.requeue == "back":
                # Behind those that are queued now, as if it were submitted now.
                job.submitted = self.now
                job.created = next(self._creation)
            self._emit("Requeued", job, decision=job.requeued_by)

    def _view(self, job: Job) -> rounds.RoundJob:
        template = job.template
        entry = self.world.settings.classes[template.class_name]
        run = job.run
        return rounds.RoundJob(
            id=job.id,
            queue=template.queue,
            created=job.created,
            priority=entry.priority,
            preemptible=entry.preemptible,
            queue_priority=template.queue_priority,
            request=self._request(job),
            selector=template.selector,
            tolerations=template.tolerations,
            avoided=job.avoided,
            position=job.position,
            submitted=job.submitted,
            node=run.node.id if run else None,
            started=run.leased if run else 0,
            gang=job.gang.number if job.gang else None,
            cardinality=template.cardinality,
            uniformity_label=template.uniformity_label,
        )

    def _request(self, job: Job) -> Amounts:
        """The template's request, with the memory that the policy has granted."""
        memory = Engine.memory(job.engine_state, job.template.request[MEMORY])
        return {**job.template.request, MEMORY: memory}

    def _lease(self, job: Job, node: Node) -> Run:
        run = Run(job, node, self.now)
        job.run = run
        job.state = LEASED
        self._emit("Leased", job, node.id)
        return run

    def _plan_starts(self, runs: list[Run]) -> None:
        """Runs start after the pending delay, which begins when there is room beside the pods of preempted runs."""
        for run in runs:
            run.holds_from = self._free_from(run)
            pending = self.draws.get(
                "pending", template=run.job.template.id, job=run.job.number, attempt=run.job.attempt
            )
            run.start = run.holds_from + pending
            self._at(run.start, lambda run=run: self._start(run))

    def _free_from(self, run: Run) -> int:
        """When the run has room on its node, then and later, beside pods and the runs that have room before it."""
        node, total = run.node, run.node.template.total
        times = sorted({self.now, *(pod.gone for pod in node.pods if pod.gone > self.now)})
        others = [
            job.run
            for job in self._all_jobs()
            if job.run and job.run.node is node and job.run is not run and job.run.holds_from is not None
        ]

        def room(time: int) -> bool:
            held = self._request(run.job)
            for other in others:
                if other.holds_from <= time:
                    held = plus(held, self._request(other.job))
            for pod in node.pods:
                if pod.gone > time:
                    held = plus(held, pod.request)
            return fits(held, total)

        return next(
            (time for time in times if all(room(later) for later in times if later >= time)), times[-1]
        )

    # Attempts and their ends.

    def _start(self, run: Run) -> None:
        if run.ended:
            return
        run.started = True
        job, template = run.job, run.job.template
        work = self._work(job)
        saves = 0
        if template.checkpoint:
            point = template.checkpoint
            run.restart = point.restart if job.saved else 0
            # There is no save at the end of the work.
            saves = max(0, -(-work // point.interval) - 1 - job.saved // point.interval)
            run.length = run.restart + work - job.saved + saves * point.cost
        else:
            run.length = work
        ends = [(run.length, self._succeed_action(run))]
        for cause in template.causes:
            ends += [
                (time, self._cause_action(run, cause, natural))
                for time, natural in self._cause_times(run, cause)
            ]
        count, mtbf = template.request[GPU], run.node.template.gpu_mtbf
        if count and mtbf:
            exponential = self.draws.get(
                "gpuFailure", template=template.id, job=job.number, attempt=job.attempt
            )
            time = math.ceil(exponential * mtbf / count / MILLISECOND) * MILLISECOND
            ends.append((time, self._fail_action(run, GPU_FAILURE, category="gpu")))
        if template.deadline is not None:
            record = {"category": "internal", "subcategory": "active-deadline"}
            ends.append(
                (template.deadline, self._fail_action(run, DEADLINE, ["DeadlineExceeded"], **record))
            )
        # At equal times the first in this order wins.
        time, action = min(ends, key=lambda end: end[0])
        self._at(self.now + time, lambda: None if run.ended else action())

    def _work(self, job: Job) -> int:
        attempt = 0 if self.engine else job.attempt
        return self.draws.get("runTime", template=job.template.id, job=job.number, attempt=attempt)

    def _cause_times(self, run: Run, cause: Cause) -> list[tuple[int, bool]]:
        """When the cause would fail the run, and whether by itself rather than by sticking to the node."""
        job = run.job
        keys = {"template": job.template.id, "cause": cause.name, "job": job.number}
        times = []

        def before_end(time: int) -> int:
            """A time past the end of the work means 1 ms before it."""
            return time if time <= run.length else max(0, run.length - MILLISECOND)

        if cause.hazard:
            times.append((self.draws.get("failureTime", **keys, attempt=job.attempt), True))
        elif self._occurs(job, cause, keys):
            times.append((before_end(self.draws.get("failureTime", **keys, attempt=job.attempt)), True))
        key = (job.template.origin, cause.name)
        if self.now <= run.node.sticking.get(key, -1):
            times.append((before_end(self.draws.get("failureAgain", **keys, attempt=job.attempt)), False))
        return times

    def _occurs(self, job: Job, cause: Cause, keys: dict[str, Any]) -> bool:
        if cause.need_memory:
            need = self.draws.get("memoryNeed", **keys) * job.template.request[MEMORY]
            return need > self._request(job)[MEMORY]
        if job.attempt == 0 and cause.first_attempt is not None:
            probability = cause.first_attempt
        elif cause.per_attempt:
            probability = self.draws.get("failureProbability", **keys)
        else:
            return False
        return self.draws.get("failure", **keys, attempt=job.attempt) < probability

    def _succeed_action(self, run: Run) -> Callable[[], None]:
        return lambda: self._succeed(run)

    def _fail_action(
        self, run: Run, cause: str, conditions: Sequence[str] = (), **record: Any
    ) -> Callable[[], None]:
        return lambda: self._end(
            run, "Failed", cause, RunRecord("Failed", run.node.id, list(conditions), **record)
        )

    def _cause_action(self, run: Run, cause: Cause, natural: bool) -> Callable[[], None]:
        def fail() -> None:
            job = run.job
            if natural and cause.sticks_probability is not None:
                number = self.draws.get(
                    "sticks", template=job.template.id, cause=cause.name, job=job.number, attempt=job.attempt
                )
                if number < cause.sticks_probability:
                    key = (job.template.origin, cause.name)
                    until = self.now + cause.sticks_for
                    run.node.sticking[key] = max(until, run.node.sticking.get(key, 0))
            self._end(
                run,
                "Failed",
                cause.name,
                RunRecord(
                    "Failed",
                    run.node.id,
                    exit_code=cause.exit_code,
                    reason=cause.reason,
                    message=cause.message,
                    category=cause.category,
                    subcategory=cause.subcategory,
                ),
            )

        return fail

    def _succeed(self, run: Run) -> None:
        job, gang = run.job, run.job.gang
        run.ended = True
        job.run = None
        job.state = SUCCEEDED
        self._emit("Succeeded", job, run.node.id)
        if gang:
            # If the gang runs again, so does this member, from its last save.
            self._keep_saves(run)
            gang.succeeded.add(job.id)
            if self.engine and len(gang.succeeded) < len(gang.members):
                self._judge_if_ended(gang)
                if job.state != SUCCEEDED:
                    return
        for member in gang.members if gang else [job]:
            if member.state != SUCCEEDED:
                return
        if all(other.state == SUCCEEDED for other in self.jobs[job.template.id]):
            self._submit_dependents(job.template)

    def _end(self, run: Run, outcome: str, cause: str, record: RunRecord) -> None:
        """A run ended without success: decide about it, or about its gang."""
        job = run.job
        self._release(run)
        if job.gang:
            self._end_of_member(job, run, outcome, cause, record)
            return
        if not self.engine:
            self._emit(outcome, job, run.node.id, cause)
            if outcome != "Preempted":
                job.state = FAILED
            return
        decision = self._decide(job, record)
        if decision.retry and not self._could_ever_run([job], [decision]):
            decision = Decision(UNPLACEABLE)
        self._emit(outcome, job, run.node.id, cause, decision.code)
        if decision.retry:
            self._retry(job, decision, run.node)
            self._set_retry_after([job])
        else:
            job.state = FAILED

    def _release(self, run: Run) -> None:
        """The run is over; what it has saved remains."""
        run.ended = True
        job = run.job
        job.run = None
        job.state = WAITING
        job.retry_after = self.options.until + 1
        self._keep_saves(run)

    def _keep_saves(self, run: Run) -> None:
        job, point = run.job, run.job.template.checkpoint
        if self.engine and point and run.started:
            running = self.now - run.start - run.restart
            if running > 0:
                last = (-(-self._work(job) // point.interval) - 1) * point.interval
                saved = job.saved + running // (point.interval + point.cost) * point.interval
                job.saved = max(job.saved, min(saved, last))

    # Retries.

    def _decide(self, job: Job, record: RunRecord) -> Decision:
        """The engine's decision, charged if it is a retry. That of a gang is settled by `_judge_if_ended`."""
        decision = self.engine.decide(job.engine_state, record)
        if decision.retry:
            self.engine.charge(job.engine_state, decision)
        return decision

    def _could_ever_run(self, jobs: list[Job], decisions: list[Decision]) -> bool:
        """Whether a round without limits would place the job, or the gang, on empty nodes that are not avoided.

        A retry that avoids nothing and has the memory of a first attempt is queued like one, whatever became of the
        nodes.
        """
        has_more_memory = any(self._request(job) != job.template.request for job in jobs)
        if not has_more_memory and not any(decision.avoided for decision in decisions):
            return True
        views = []
        for job, decision in sorted(zip(jobs, decisions), key=lambda entry: entry[0].created):
            view = self._view(job)
            view.node, view.avoided = None, frozenset(decision.avoided)
            views.append(view)
        return bool(self._round_of(self._returning_nodes(), views, has_limits=False).scheduled)

    def _returning_nodes(self) -> list[rounds.RoundNode]:
        """All nodes, but those that are gone for good."""
        return [self._round_node(node, True) for node in self.nodes if not node.gone_for_good]

    @staticmethod
    def _round_node(node: Node, takes_jobs: bool) -> rounds.RoundNode:
        return rounds.RoundNode(
            node.id, node.index, node.template.total, node.template.labels, node.template.taints, takes_jobs
        )

    def _retry(self, job: Job, decision: Decision, node: Node | None) -> None:
        job.state = WAITING
        job.attempt += 1
        job.waits_until = self.now + decision.wait
        job.pod_until = self.now + decision.pod
        job.pod_node = node
        job.decided = next(self._sequence)
        job.requeued_by = decision.code
        job.avoided = frozenset(decision.avoided)

    @staticmethod
    def _set_retry_after(jobs: list[Job]) -> None:
        """The retryAfter of a job, or the common one of the members of a gang."""
        last = max(max(job.waits_until, job.pod_until) for job in jobs)
        for job in jobs:
            job.retry_after = last

    def _end_of_member(self, job: Job, run: Run, outcome: str, cause: str, record: RunRecord) -> None:
        """A member that fails stops the others at that instant."""
        gang = job.gang
        stopped: list[tuple[Job, Run]] = []
        if outcome == "Failed":
            for other in gang.members:
                if other.run:
                    stopped.append((other, other.run))
                    self._release(other.run)
        if not self.engine:
            self._emit(outcome, job, run.node.id, cause)
            if outcome == "Preempted":
                return
            job.state = FAILED
            for other, other_run in stopped:
                other.state = FAILED
                self._emit("Stopped", other, other_run.node.id, cause)
            for other in gang.members:
                if other.state != SUCCEEDED:
                    other.state = FAILED
            return
        gang.decisions[job.id] = self._decide(job, record)
        gang.nodes[job.id] = run.node
        # The events carry the decision about the generation, so they are completed when it is judged.
        self._emit(outcome, job, run.node.id, cause)
        for other, other_run in stopped:
            self._emit("Stopped", other, other_run.node.id, cause)
        self._judge_if_ended(gang)

    def _judge_if_ended(self, gang: Gang) -> None:
        """Decide a generation when its last member has ended (docs/semantics.md, section 9)."""
        if any(job.run for job in gang.members) or not gang.decisions:
            return
        failing = any(not decision.retry for decision in gang.decisions.values())
        rerun = [gang.decisions.get(job.id, Decision("gang_rerun", True)) for job in gang.members]
        codes: dict[str, str | None] = {}
        if failing:
            for job in gang.members:
                own = gang.decisions.get(job.id)
                codes[job.id] = ("fail_gang" if own.retry else own.code) if own else None
        else:
            # A gang that should run again, but never could, has this decision in all of its members.
            failing = not self._could_ever_run(gang.members, rerun)
            for job, decision in zip(gang.members, rerun):
                codes[job.id] = UNPLACEABLE if failing else decision.code
        for event in self.events:
            if (
                event["time"] == self.now
                and event["event"] in ("Failed", "Preempted", "Stopped")
                and event["jobId"] in codes
            ):
                event["decision"] = codes[event["jobId"]]
        if not failing:
            for job, decision in zip(gang.members, rerun):
                self._retry(job, decision, gang.nodes.get(job.id))
            self._set_retry_after(gang.members)
        else:
            for job in gang.members:
                job.state = SUCCEEDED if job.id in gang.succeeded else FAILED
        gang.decisions, gang.nodes, gang.succeeded = {}, {}, set()

    # Preemption.

    def _preempt(self, preempted: list[tuple[Job, str]]) -> None:
        preempted.sort(key=lambda entry: (entry[0].template.queue, entry[0].created))
        for job, cause in preempted:
            run = job.run
            exit_after = self._exit_after(job)
            if self.world.grace_holds_node and exit_after:
                run.node.pods.append(Pod(self.now + exit_after, self._request(job)))
            self._end(
                run,
                "Preempted",
                cause,
                RunRecord("Preempted", run.node.id, grace=job.template.grace, confirmed=exit_after),
            )
        if not self.engine:
            self._resubmit([job for job, _ in preempted])

    def _exit_after(self, job: Job) -> int:
        """How long the pod of a preempted run remains; one that has not started is gone at once."""
        if not job.template.exits_later or not job.run.started:
            return 0
        drawn = self.draws.get("exit", template=job.template.id, job=job.number, attempt=job.attempt)
        return min(drawn, job.template.grace)

    def _resubmit(self, jobs: list[Job]) -> None:
        """Without policies preempted jobs are submitted again as new ones, and their gangs as new gangs."""
        for gang in {job.gang.number: job.gang for job in jobs if job.gang}.values():
            gang.number = next(self._gang_numbers)
        for job in jobs:
            delay = self.draws.get(
                "resubmission", template=job.template.id, job=job.number, attempt=job.attempt
            )
            self._at(self.now + delay, lambda job=job: self._submit_again(job))

    def _submit_again(self, job: Job) -> None:
        if job.state == WAITING:
            job.attempt += 1
            self._submit(job)

    # Nodes.

    def _plan_failure(self, node: Node) -> None:
        if not node.template.fails:
            return
        period = node.period
        up = self.draws.get("nodeUp", node=node.id, period=period)
        self._at(self.now + up, lambda: self._fail_node(node, period))

    def _fail_node(self, node: Node, period: int) -> None:
        if not node.up or node.period != period:
            return
        self._take_down(node, NODE_FAILURE, RunRecord("Failed", node.id, category=NODE_FAILURE))
        repair = self.draws.get("nodeRepair", node=node.id, period=period)
        self._at(self.now + repair, lambda: self._bring_up(node))

    def _take_down(self, node: Node, cause: str, record: RunRecord) -> None:
        node.up = False
        self._end_pods(node)
        self._emit("NodeDown", node=node.id, cause=cause)
        lost = [job for job in self._all_jobs() if job.run and job.run.node is node]
        for job in sorted(lost, key=lambda job: job.created):
            # A member that was stopped with its gang has ended already.
            if job.run and job.run.node is node:
                self._end(job.run, "Failed", cause, record)

    def _end_pods(self, node: Node) -> None:
        """Pods in their grace period are gone when their node fails, and no retry waits for them any more."""
        node.pods.clear()
        for job in self._all_jobs():
            if job.state == WAITING and job.pod_node is node and job.pod_until > self.now:
                job.pod_until = self.now
                self._set_retry_after(job.gang.members if job.gang else [job])

    def _bring_up(self, node: Node) -> None:
        node.up = True
        node.period += 1
        self._emit("NodeUp", node=node.id)
        self._plan_failure(node)

    def _loss(self, template: NodeTemplate, number: int) -> tuple[int, list[str]]:
        """The time of a loss, and the nodes that it takes."""
        first = template.node_ids[0]
        losses = self._spot_losses.setdefault(first, [])
        while len(losses) <= number:
            before = losses[-1][0] if losses else 0
            gap = self.draws.get("spotGap", node=first, loss=len(losses))
            losses.append((before + gap, self.draws.get("spotNodes", node=first, loss=len(losses))))
        return losses[number]

    def _plan_spot_loss(self, template: NodeTemplate, number: int) -> None:
        time, names = self._loss(template, number)

        def lose() -> None:
            # The next loss is known before this one, as its warning may begin earlier.
            self._plan_spot_loss(template, number + 1)
            lost = [self._nodes_by_id[name] for name in names if self._nodes_by_id[name].up]
            for node in lost:
                node.gone_for_good = not node.template.spot_replaced
            for node in lost:
                self._lose(node)

        self._at(max(self.now, time - template.spot_warning), lambda: None)
        self._at(time, lose)

    def _lose(self, node: Node) -> None:
        self._take_down(node, SPOT, RunRecord("Failed", node.id, ["Evicted"], category=SPOT))
        if node.gone_for_good:
            return

        def replace() -> None:
            # A replacement is a new node, to which no cause sticks.
            node.sticking.clear()
            self._bring_up(node)

        self._at(self.now + self.draws.get("replacement", node=node.id, period=node.period), replace)

    def _about_to_be_lost(self, node: Node) -> bool:
        template = node.template
        if not template.spot:
            return False
        for number in itertools.count():
            time, names = self._loss(template, number)
            if time - template.spot_warning > self.now:
                return False
            if time > self.now and node.id in names:
                return True
        return False


def main() -> None:
    parser = argparse.ArgumentParser(description="Run the model on one world and print its events.")
    parser.add_argument("--cluster", type=Path, required=True)
    parser.add_argument("--workload", type=Path, required=True)
    parser.add_argument("--draws", type=Path, required=True)
    parser.add_argument("--scheduler-config", type=Path)
    parser.add_argument("--policies", type=Path)
    parser.add_argument("--queue-policies", default="")
    parser.add_argument("--engine", default="v1")
    parser.add_argument("--scheduler", default="landed")
    parser.add_argument("--requeue", default=None)
    arguments = parser.parse_args()
    for event in run_files(arguments):
        print(json.dumps({**event, "time": event["time"] / SECOND}))


def run_files(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Run the model on files, with the flags of the command line."""
    world = read_world(arguments.cluster, arguments.workload, arguments.scheduler_config, arguments.scheduler)
    engine = None
    if arguments.policies:
        names = [name for name in arguments.queue_policies.split(",") if name]
        engine = Engine(
            read_policies(arguments.policies), names, world.settings, arguments.engine == "v1beta1"
        )
    requeue = arguments.requeue or ("front" if arguments.scheduler == "seed" else "original")
    draws = Draws(arguments.draws.read_text(encoding="utf-8").splitlines())
    return Model(world, draws, Options(arguments.scheduler, requeue, engine)).run()


if __name__ == "__main__":
    main()
