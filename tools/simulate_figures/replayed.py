"""Which recorded runs a replay reaches and which retries it grants, from its decisions and the times of the records.

Written from docs/semantics.md and docs/jobs.md, docs/iris.md, docs/backendai.md and docs/airflow.md.
"""

from __future__ import annotations

import collections
from dataclasses import dataclass, field
from typing import Any

from recorded import Member, Run, read_time

# How far a record is replayed.
REACHED, CUT_OFF, NOT_REACHED = "reached", "cut off", "not reached"
# Decisions after which the next run of the same member follows.
RETRIES = {
    "armada": ("retry", "legacy_retry", "gang_rerun"),
    "job": ("retry", "retry_ignored"),
    "jobset": ("retry", "retry_ignored"),
    "iris": ("retry_failure", "retry_preemption", "retry_assigned"),
    "backendai": ("retry",),
    "airflow": ("retry", "retry_restarting", "reschedule"),
}
RESTARTS_OF_SET = ("restart_jobset", "restart_jobset_ignored")
RESTARTS_OF_JOB = ("restart_job", "restart_job_ignored")


@dataclass
class Grant:
    """A retry, from the run before it to the end of its wait, and on to the end of its run if that is recorded."""

    before: int | None
    wait_end: int | None
    run: Run | None = None
    # The decided run that it is counted by.
    after: Run | None = None
    # Whether a decision granted it; else it is a run of a member that runs again with its unit.
    is_own: bool = True


@dataclass
class MemberReplay:
    reach: list[str]
    grants: list[Grant] = field(default_factory=list)
    # Runs that follow although no retry was granted: those after the duplicate of a failure.
    continued: list[Grant] = field(default_factory=list)
    # The record whose failure ended it, and the decision.
    end: tuple[Run, dict[str, Any]] | None = None


@dataclass
class UnitReplay:
    members: list[MemberReplay]
    # The same of the unit, where the unit is the job, and whether a deadline passed there.
    end: tuple[Run, dict[str, Any]] | None = None
    is_past_deadline: bool = False


Decisions = list[dict[str, Any]]


def of_job(system: str, member: Member, decisions: Decisions) -> MemberReplay:
    """The replay of a job of Armada: each of its runs that is retried is followed by the next one."""
    replay = MemberReplay([NOT_REACHED] * len(member.records))
    of_run = {decision["runIndex"]: decision for decision in decisions}
    for place, run in enumerate(member.records):
        replay.reach[place] = REACHED
        decision = of_run.get(run.index)
        if decision is None or decision["decision"] not in RETRIES[system]:
            replay.end = decision and (run, decision)
            break
        following = member.records[place + 1] if place + 1 < len(member.records) else None
        is_own = decision["decision"] != "gang_rerun"
        replay.grants.append(Grant(run.time, read_time(decision["retryAfter"]), following, run, is_own))
    return replay


class UnitWalk:
    """The replay of a unit of which the members run at the same time, one moment after another."""

    def __init__(
        self, system: str, members: list[Member], job: dict[str, Any], is_gang: bool, cascades: tuple[str, ...]
    ):
        self.system, self.members, self.job = system, members, job
        # Of Iris: whether the tasks are queued again together, and after which outcomes they end together.
        self.is_gang, self.cascades = is_gang, cascades
        self.replays = [MemberReplay([NOT_REACHED] * len(member.records)) for member in members]
        self.at = [0] * len(members)
        self.live = [True] * len(members)
        self.granted: list[Grant | None] = [None] * len(members)
        self.now: int | None = None
        self.decisions: dict[tuple[Any, ...], Decisions] = collections.defaultdict(list)
        for decision in job["decisions"]:
            self.decisions[self.key(decision), decision["runIndex"]].append(decision)
        self.left = len(job["decisions"])
        # The last decided run.
        self.last: Run | None = None
        # The last failure after which nothing runs again, and the decision about it.
        self.failure: tuple[Run, dict[str, Any]] | None = None

    def key(self, decision: dict[str, Any]) -> tuple[Any, ...]:
        names = {"job": ("podIndex",), "jobset": ("jobName", "podIndex"), "iris": ("task",)}.get(self.system, ())
        return tuple(decision.get(name) or 0 for name in names)

    def replay(self) -> UnitReplay:
        while (moment := self.next_moment()) and not self.is_past_deadline(moment):
            if self.judge(moment) and self.left == 0 and self.job["outcome"] == "Failed":
                break
            ended = [self.members[member].records[place] for member, place in moment]
            if self.job["outcome"] == "Cancelled" and any(run.ending == "cancelled" for run in ended):
                break
        for member in range(len(self.members)):
            self.stop(member)
        return UnitReplay(self.replays, self.failure, self.failure is not None and self.is_deadline(*self.failure))

    def is_deadline(self, run: Run, decision: dict[str, Any]) -> bool:
        """Whether a decision, or another one about the same run, is that a deadline has passed."""
        of_run = [one for one in self.job["decisions"] if one["runIndex"] == run.index and self.key(one) == self.key(decision)]
        return any(one["decision"] == "fail_deadline" for one in of_run)

    def is_later_deadline(self, decision: dict[str, Any], run: Run) -> bool:
        return decision["decision"] == "fail_deadline" and read_time(decision["failedAt"]) != run.time

    def is_past_deadline(self, moment: list[tuple[int, int]]) -> bool:
        """Whether a deadline ends the unit before a moment: the decision names a run that goes on then."""
        time = min(self.members[member].records[place].time or 0 for member, place in moment)
        for (key, index), decisions in self.decisions.items():
            for decision in decisions:
                deadline = read_time(decision["failedAt"])
                if decision["decision"] == "fail_deadline" and deadline is not None and deadline < time:
                    # The set decides about the deadline of its Job.
                    decision = [one for one in decisions if one["failedAt"] == decision["failedAt"]][-1]
                    [member] = [one for one in self.members if one.key == key]
                    run = next(one for one in member.records if one.index == index)
                    self.now, self.failure = deadline, (run, decision)
                    return True
        return False

    def next_moment(self) -> list[tuple[int, int]]:
        """The records that end next: those of a second together, but for Iris."""
        ends = []
        for member, recorded in enumerate(self.members):
            latest = None
            for place, run in enumerate(recorded.records):
                latest = max((time for time in (latest, run.time) if time is not None), default=None)
                is_next = self.live[member] and place == self.at[member]
                if run.outcome != "CANCEL_JOB":
                    if is_next:
                        ends.append((run.time is not None, run.time or 0, member, place))
                elif self.job["outcome"] == "Cancelled" and place >= self.at[member]:
                    ends.append((latest is not None, latest or 0, member, place))
        if not ends:
            return []
        ends.sort()
        has_time, time, member, place = ends[0]
        moment = [(member, place)]
        if has_time and self.system in ("job", "jobset"):
            moment = [(one, at) for timed, end, one, at in ends if timed and end // 10**9 == time // 10**9]
            time = max(end for timed, end, *_ in ends if timed and end // 10**9 == time // 10**9)
        if has_time:
            self.now = time if self.now is None else max(self.now, time)
        return sorted(moment)

    def judge(self, moment: list[tuple[int, int]]) -> bool:
        """Applies the decisions about ends. Returns whether there are any."""
        decided: list[tuple[int, Run, dict[str, Any]]] = []
        for member, place in moment:
            records = self.members[member].records
            run, self.at[member], self.live[member] = records[place], place, False
            self.replays[member].reach[place] = REACHED
            if grant := self.granted[member]:
                grant.run, self.granted[member] = run, None
            if run.outcome == "Running" and place + 1 < len(records):
                self.at[member], self.live[member] = place + 1, True
            key = self.members[member].key, run.index
            of_run = self.decisions.pop(key, [])
            # A deadline that passes while the member waits names the run before.
            self.decisions[key] = [one for one in of_run if self.is_later_deadline(one, run)]
            decided += [(member, run, one) for one in of_run if not self.is_later_deadline(one, run)]
        # Decisions about Jobs come before the one about their set.
        decided.sort(key=lambda one: self.job["decisions"].index(one[2]))
        self.left -= len(decided)
        is_over = self.left == 0 and self.job["outcome"] == "Failed"
        for member, run, decision in decided:
            self.last = run
            code, wait_end = decision["decision"], read_time(decision["retryAfter"])
            # A chain of sessions goes on after the duplicate of a failure, whatever is decided about it.
            if code in RETRIES[self.system] or self.system == "backendai" and not is_over:
                grant = Grant(run.time, wait_end, after=run)
                self.rerun(member, grant if code in RETRIES[self.system] else None)
                if self.is_gang:
                    self.rerun_others({member}, wait_end)
            elif code in RESTARTS_OF_SET + RESTARTS_OF_JOB:
                self.rerun(member, Grant(run.time, wait_end, after=run))
                name = self.members[member].key[0] if code in RESTARTS_OF_JOB else None
                others = (one for one, other in enumerate(self.members) if name not in (None, other.key[0]))
                self.rerun_others({member, *others}, wait_end)
            elif run.outcome in self.cascades and code.startswith("fail") and not is_over:
                for other in range(len(self.members)):
                    self.stop(other)
        if not decided:
            return False
        ending = [one for one in decided if one[2]["decision"] not in RETRIES[self.system]]
        failures = [one for one in ending if one[1].ending != "succeeded"]
        if failures:
            self.failure = failures[-1][1:]
        return True

    def rerun(self, member: int, grant: Grant | None) -> None:
        """The next run of a member follows, if it is recorded."""
        replay = self.replays[member]
        if grant is None:
            grant = Grant(None, None, after=self.last)
            replay.continued.append(grant)
        else:
            replay.grants.append(grant)
        self.at[member] += 1
        self.live[member] = self.at[member] < len(self.members[member].records)
        self.granted[member] = grant if self.live[member] else None

    def rerun_others(self, without: set[int], wait_end: int | None) -> None:
        """All other members run again with one. A run that begins no earlier is the one that follows."""
        for member in range(len(self.members)):
            is_known = self.at[member] < len(self.members[member].records)
            if member in without or not is_known or self.is_gang and not self.live[member]:
                continue
            if self.live[member] and self.is_upcoming(member):
                continue
            run = self.members[member].records[self.at[member]]
            before = self.now if self.live[member] else run.time
            self.stop(member)
            self.rerun(member, Grant(before, wait_end, after=self.last, is_own=False))

    def is_upcoming(self, member: int) -> bool:
        run = self.members[member].records[self.at[member]]
        is_event = run.outcome in ("CANCEL_JOB", "UNSCHEDULABLE")
        return is_event or None not in (run.started, self.now) and run.started >= self.now

    def stop(self, member: int) -> None:
        """A run that has begun is cut off; one that has not is not reached."""
        if self.live[member]:
            self.replays[member].reach[self.at[member]] = NOT_REACHED if self.is_upcoming(member) else CUT_OFF
        self.live[member] = False
