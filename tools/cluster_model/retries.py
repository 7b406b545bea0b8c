"""What retry policies decide about a run that did not succeed (docs/semantics.md, sections 3 to 9)."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from inputs import MEMORY, Settings, duration, quantity

RETRY = "Retry"
FAIL = "Fail"


@dataclass
class RunRecord:
    """The record of an ended run as the engine sees it (docs/semantics.md, section 10)."""

    outcome: str
    node: str | None
    conditions: list[str] = field(default_factory=list)
    exit_code: int | None = None
    reason: str | None = None
    message: str | None = None
    category: str | None = None
    subcategory: str | None = None
    # Of preempted runs: the grace period, and the time until the pod was confirmed to be gone.
    grace: int = 0
    confirmed: int = 0

    @property
    def bare(self) -> bool:
        """Such runs have no container failure (docs/semantics.md, section 4)."""
        return self.outcome == "Preempted"

    def condition_names(self) -> set[str]:
        names = set(self.conditions)
        if self.outcome == "Preempted":
            names.add("Preempted")
        if self.reason == "OOMKilled" and not self.bare:
            names.add("OOMKilled")
        return names


@dataclass
class JobState:
    """What the engine keeps about a job."""

    annotations: dict[str, str]
    in_gang: bool = False
    # Granted retries by rule; a policy's default action has a count of its own.
    counts: dict[tuple[str, int | None], int] = field(default_factory=dict)
    total: int = 0
    # Failures that were evaluated, on which the backoff depends.
    failures: int = 0
    # Failed runs, which are the only count that v1beta1 knows.
    failed_runs: int = 0
    nodes: list[str] = field(default_factory=list)
    memory_kind: str | None = None
    memory_factor: float = 1.0
    memory_added: int = 0


@dataclass
class Decision:
    """A decision, with what a granted retry changes; nothing is charged before `Engine.charge`."""

    code: str
    retry: bool = False
    # The backoff, and the wait for the pod of a preempted run; the delay is the longer of both.
    wait: int = 0
    pod: int = 0
    avoided: list[str] = field(default_factory=list)
    counted: tuple[str, int | None] | None = None
    mutate: dict[str, Any] | None = None


@dataclass
class Rule:
    policy: "Policy"
    index: int
    raw: dict[str, Any]


class Policy:
    """A RetryPolicy document of either form."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.beta = document["apiVersion"].endswith("v1beta1")
        spec = document if self.beta else document["spec"]
        self.name = document["name"] if self.beta else document["metadata"]["name"]
        self.spec = spec
        # An absent limit of a v1beta1 document means 0 (docs/semantics.md, section 1).
        self.limit: int | None = spec.get("retryLimit", 0 if self.beta else None)
        self.default_action: str = spec.get("defaultAction", FAIL)
        self.rules = [Rule(self, index, raw) for index, raw in enumerate(spec.get("rules") or [])]


def read_policies(path: Path) -> dict[str, Policy]:
    documents = yaml.safe_load_all(path.read_text(encoding="utf-8"))
    policies = [Policy(document) for document in documents if document]
    return {policy.name: policy for policy in policies}


class Engine:
    """Evaluates runs; `beta` selects the rules of v1beta1 (docs/semantics.md, section 1)."""

    def __init__(
        self, policies: dict[str, Policy], queue_policies: list[str], settings: Settings, beta: bool
    ) -> None:
        self._policies = policies
        self._queue_policies = queue_policies
        self._default_policy = settings.default_policy
        self._default_backoff = settings.default_backoff
        self._least_grace = settings.least_grace
        self.beta = beta
        self.enabled = settings.retries_enabled
        self.global_limit = settings.global_limit
        if self.global_limit is None:
            self.global_limit = 5 if beta else 20

    def reload(self, global_limit: int | None, enabled: bool | None) -> None:
        if global_limit is not None:
            self.global_limit = global_limit
        if enabled is not None:
            self.enabled = enabled

    def effective(self, state: JobState) -> list[Policy]:
        """Section 3: the policies of the queue, then those of the job."""
        names = list(self._queue_policies)
        if not self.beta:
            added = state.annotations.get("armadaproject.io/retry-policy", "")
            names += [name.strip() for name in added.split(",") if name.strip()]
        names = list(dict.fromkeys(names)) or ([self._default_policy] if self._default_policy else [])
        return [self._policies[name] for name in (names[:1] if self.beta else names)]

    def decide(self, state: JobState, run: RunRecord) -> Decision:
        """Section 5, in its order. Evaluation counts the failure, but grants nothing yet."""
        if run.node is not None and run.node not in state.nodes:
            state.nodes.append(run.node)
        if run.outcome == "Failed":
            state.failed_runs += 1
        policies = self.effective(state)
        if not self.enabled or not policies:
            return Decision("legacy_fail")
        fail_fast = state.annotations.get("armadaproject.io/failFast") == "true"
        # In v1beta1 preempted runs, gangs and failFast take the legacy path (section 1).
        if self.beta and (run.outcome == "Preempted" or state.in_gang or fail_fast):
            return Decision("legacy_fail")
        if fail_fast:
            return Decision("fail_fast")
        state.failures += 1
        total = max(0, state.failed_runs - 1) if self.beta else state.total
        if self.global_limit == 0 or total >= self.global_limit:
            return Decision("fail_global_limit")
        rule = next((rule for policy in policies for rule in policy.rules if self._matches(rule, run)), None)
        policy = rule.policy if rule else policies[0]
        action = rule.raw["action"] if rule else policy.default_action
        if action == FAIL:
            return Decision("fail_rule" if rule else "fail_default")
        identity = (policy.name, rule.index if rule else None)
        limit, source = self._limit(policy, rule)
        count = total if self.beta else state.counts.get(identity, 0)
        if count >= limit:
            return Decision(f"fail_{source}_limit")
        return Decision(
            "retry",
            True,
            self._wait(state, policy, rule),
            self._pod(run),
            self._avoided(state, policy, rule, run),
            identity,
            rule.raw.get("mutate") if rule and run.outcome == "Failed" else None,
        )

    def charge(self, state: JobState, decision: Decision) -> None:
        """Count a granted retry, and apply what it changes."""
        state.counts[decision.counted] = state.counts.get(decision.counted, 0) + 1
        state.total += 1
        memory = ((decision.mutate or {}).get("resources") or {}).get("memory")
        if not memory:
            return
        # One kind per job; the other is then skipped (section 7).
        kind = "factor" if "factor" in memory else "static"
        if state.memory_kind in (None, kind):
            state.memory_kind = kind
            if kind == "factor":
                state.memory_factor *= float(memory["factor"])
            else:
                state.memory_added += quantity(MEMORY, memory["static"])

    @staticmethod
    def memory(state: JobState, original: int) -> int:
        """The memory that a job has been granted."""
        if state.memory_kind == "factor":
            return math.ceil(original * state.memory_factor)
        return original + state.memory_added

    def _limit(self, policy: Policy, rule: Rule | None) -> tuple[int, str]:
        own = rule.raw.get("retryLimit") if rule else None
        if own is not None:
            return own, "rule"
        if policy.limit is not None:
            return policy.limit, "policy"
        return self.global_limit, "global"

    @staticmethod
    def _matches(rule: Rule, run: RunRecord) -> bool:
        """Section 4: every matcher of the rule has to hold."""
        raw = rule.raw
        container = not run.bare and (run.exit_code is not None or run.reason is not None)
        if "onExitCodes" in raw:
            matcher = raw["onExitCodes"]
            if not container or not run.exit_code or run.exit_code < 0:
                return False
            if (run.exit_code in matcher["values"]) != (matcher["operator"] == "In"):
                return False
        if "onConditions" in raw and not run.condition_names() & set(raw["onConditions"]):
            return False
        if "onTerminationMessage" in raw:
            if (
                run.bare
                or not run.message
                or not re.search(raw["onTerminationMessage"]["pattern"], run.message)
            ):
                return False
        if "onFailureCategory" in raw and run.category not in raw["onFailureCategory"]:
            return False
        if "onFailureSubcategory" in raw and run.subcategory not in raw["onFailureSubcategory"]:
            return False
        # In v1beta1 each is one name.
        if "onCategory" in raw and run.category != raw["onCategory"]:
            return False
        return not raw.get("onSubcategory") or run.subcategory == raw["onSubcategory"]

    def _pod(self, run: RunRecord) -> int:
        """Section 7: a preempted run also waits for its pod, until that is confirmed to be gone."""
        if self.beta or "Preempted" not in run.condition_names():
            return 0
        return min(run.grace or self._least_grace, run.confirmed)

    def _wait(self, state: JobState, policy: Policy, rule: Rule | None) -> int:
        """Section 6: the backoff."""
        if self.beta:
            return 0
        levels = [
            rule.raw.get("backoff") if rule else None,
            policy.spec.get("backoff"),
            self._default_backoff,
        ]

        def setting(name: str, built_in: Any) -> Any:
            return next((level[name] for level in levels if level and name in level), built_in)

        initial = duration(setting("initialDelay", "0s"))
        longest = duration(setting("maxDelay", "10m"))
        multiplier = float(setting("multiplier", 2.0))
        return int(min(initial * multiplier ** (state.failures - 1), longest)) if initial else 0

    def _avoided(self, state: JobState, policy: Policy, rule: Rule | None, run: RunRecord) -> list[str]:
        if self.beta:
            affinity = ((rule.raw.get("mutate") or {}).get("affinity") or {}) if rule else {}
            return list(state.nodes) if affinity.get("avoidSameNode") else []
        mode = (rule.raw.get("antiAffinity") if rule else None) or policy.spec.get("antiAffinity") or {}
        return [run.node] if mode.get("mode") == "node" and run.node else []
