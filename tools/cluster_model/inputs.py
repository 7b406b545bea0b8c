"""The files of a simulated world: cluster, workload, scheduler configuration and draws (docs/cluster.md).

Durations are integers of nanoseconds. Amounts of resources are integers of the resource's smallest unit: thousandths
of a core for cpu, one for all others. The model takes files to be valid; validation is no part of it.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import yaml

MILLISECOND = 1_000_000
SECOND = 1_000_000_000
HOUR = 3600 * SECOND

CPU = "cpu"
MEMORY = "memory"
GPU = "nvidia.com/gpu"
# Amounts of one world have the same keys, so that they can be added and compared key by key.
RESOURCES = (CPU, MEMORY, GPU, "ephemeral-storage")

Amounts = dict[str, int]

_UNITS = {"ns": 1, "us": 1_000, "µs": 1_000, "ms": MILLISECOND, "s": SECOND, "m": 60 * SECOND, "h": HOUR}
_SUFFIXES = {
    "": 1,
    "m": Fraction(1, 1000),
    "k": 10**3,
    "M": 10**6,
    "G": 10**9,
    "T": 10**12,
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
    "Ti": 2**40,
}


def duration(value: Any) -> int:
    """Nanoseconds of a Go duration such as `1h30m`, or of `{seconds, nanos}`."""
    if value is None:
        return 0
    if isinstance(value, dict):
        return int(value.get("seconds", 0)) * SECOND + int(value.get("nanos", 0))
    text = str(value)
    if text == "0":
        return 0
    total = Fraction(0)
    rest = text
    while rest:
        match = re.match(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)", rest)
        if match is None:
            raise ValueError(f"not a duration: {text!r}")
        total += Fraction(match.group(1)) * _UNITS[match.group(2)]
        rest = rest[match.end() :]
    return int(total)


def quantity(resource: str, value: Any) -> int:
    """The amount of a Kubernetes quantity, rounded up to the smallest unit of its resource."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([A-Za-z]*)", str(value))
    if match is None:
        raise ValueError(f"not a quantity: {value!r}")
    exact = Fraction(match.group(1)) * _SUFFIXES[match.group(2)]
    return math.ceil(exact * (1000 if resource == CPU else 1))


def amounts(values: dict[str, Any] | None) -> Amounts:
    """Amounts of all known resources; those that are not given are 0."""
    result = dict.fromkeys(RESOURCES, 0)
    for resource, value in (values or {}).items():
        if resource in result:
            result[resource] = quantity(resource, value)
    return result


def plus(left: Amounts, right: Amounts) -> Amounts:
    return {key: left[key] + right[key] for key in left}


def minus(left: Amounts, right: Amounts) -> Amounts:
    return {key: left[key] - right[key] for key in left}


def fits(need: Amounts, free: Amounts) -> bool:
    return all(need[key] <= free[key] for key in need)


@dataclass
class NodeTemplate:
    """Equal nodes, and how they fail (docs/cluster-failures.md)."""

    cluster: str
    node_ids: list[str]
    total: Amounts
    labels: dict[str, str]
    taints: list[dict[str, str]]
    fails: bool
    gpu_mtbf: int | None
    spot: bool
    spot_warning: int
    spot_replaced: bool


@dataclass
class Cause:
    """A cause for which attempts of a job template fail (docs/cluster-failures.md)."""

    name: str
    per_attempt: bool
    first_attempt: float | None
    need_memory: bool
    hazard: bool
    sticks_probability: float | None
    sticks_for: int
    exit_code: int
    reason: str | None
    message: str | None
    category: str | None
    subcategory: str | None


@dataclass
class Checkpoint:
    interval: int
    cost: int
    restart: int


@dataclass
class JobTemplate:
    """A template of jobs, after `repeat`."""

    id: str
    # The id before `repeat`, which all copies share.
    origin: str
    queue: str
    number: int
    class_name: str
    queue_priority: int
    request: Amounts
    selector: dict[str, str]
    tolerations: list[dict[str, Any]]
    annotations: dict[str, str]
    dependencies: list[str]
    earliest: int
    earliest_from_dependencies: int
    cardinality: int
    uniformity_label: str
    causes: list[Cause]
    checkpoint: Checkpoint | None
    deadline: int | None
    grace: int
    exits_later: bool


@dataclass
class PriorityClass:
    priority: int
    preemptible: bool


@dataclass
class Settings:
    """The keys of a scheduler configuration that the model knows (docs/scheduler.md)."""

    classes: dict[str, PriorityClass]
    default_class: str
    period: int = 10 * SECOND
    protected: float = 1.0
    large_first: bool = False
    lookback: int = 100_000
    round_fraction: dict[str, float] = field(default_factory=lambda: dict.fromkeys(RESOURCES, 1.0))
    gpu_weight: float = 1.0
    ram_weight: float = 0.0
    # The resources by which nodes are ordered, each with its resolution.
    indexed: tuple[tuple[str, int], ...] = ((GPU, 1), (CPU, 1000), (MEMORY, 2**20))
    considered: tuple[str, ...] = (CPU, MEMORY, GPU)
    indexed_labels: tuple[str, ...] = ("armadaproject.io/clusterName",)
    indexed_taints: tuple[str, ...] = ()
    default_deadline: int | None = None
    least_grace: int = SECOND
    retries_enabled: bool = True
    global_limit: int | None = None
    default_policy: str | None = None
    default_backoff: dict[str, Any] = field(default_factory=dict)


@dataclass
class Reload:
    at: int
    global_limit: int | None
    enabled: bool | None


@dataclass
class World:
    """Everything that a run depends on but the policies."""

    node_templates: list[NodeTemplate]
    weights: dict[str, float]
    templates: list[JobTemplate]
    grace_holds_node: bool
    reloads: list[Reload]
    settings: Settings


def load_yaml(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def read_world(cluster: Path, workload: Path, config: Path | None, scheduler: str) -> World:
    """Read the files of a world."""
    cluster_file, workload_file = load_yaml(cluster), load_yaml(workload)
    settings = _settings(load_yaml(config) if config else None, scheduler)
    templates: list[JobTemplate] = []
    for queue in workload_file["queues"]:
        for index, raw in enumerate(queue.get("jobTemplates", [])):
            templates.extend(_job_templates(queue["name"], index, raw, settings))
    if scheduler == "seed":
        _default_deadlines_of_design(templates)
    reloads = [
        Reload(duration(event["at"]), event["reload"].get("globalMaxRetries"), event["reload"].get("enabled"))
        for event in workload_file.get("events", [])
    ]
    return World(
        node_templates=[
            _node_template(cluster, index, raw)
            for cluster in cluster_file["clusters"]
            for index, raw in enumerate(cluster["nodeTemplates"])
        ],
        weights={queue["name"]: float(queue["weight"]) for queue in workload_file["queues"]},
        templates=templates,
        grace_holds_node=workload_file.get("graceHoldsNode", True),
        reloads=reloads,
        settings=settings,
    )


def _default_deadlines_of_design(templates: list[JobTemplate]) -> None:
    """`seed` gives jobs without a deadline 3 days, 14 with GPUs (docs/cluster-failures.md)."""
    for template in templates:
        if template.deadline is None:
            template.deadline = (14 if template.request[GPU] else 3) * 24 * HOUR


def _settings(document: dict[str, Any] | None, scheduler: str) -> Settings:
    """Read a configuration; what it leaves out has the defaults of `explain scheduling`."""
    document = document or {}
    raw = document.get("scheduling", document)
    landed = scheduler == "landed"
    classes = {
        "armada-default": PriorityClass(1000 if landed else 30000, False),
        "armada-preemptible": PriorityClass(1000 if landed else 20000, True),
    }
    if "priorityClasses" in raw:
        classes = {
            name: PriorityClass(entry.get("priority", 0), entry.get("preemptible", False))
            for name, entry in raw["priorityClasses"].items()
        }
    settings = Settings(classes, raw.get("defaultPriorityClassName", "armada-default"))
    if "schedulePeriod" in raw:
        settings.period = duration(raw["schedulePeriod"])
    settings.protected = float(raw.get("protectedFractionOfFairShare", 1.0))
    settings.large_first = raw.get("enablePreferLargeJobOrdering", False)
    settings.lookback = raw.get("maxQueueLookback", settings.lookback)
    settings.round_fraction = raw.get("maximumResourceFractionToSchedule", settings.round_fraction)
    settings.gpu_weight = float(raw.get("seed", {}).get("gpuWeight", 1.0))
    settings.ram_weight = float(raw.get("seed", {}).get("ramWeight", 0.0))
    submission = document.get("submission", {})
    if "defaultActiveDeadline" in submission:
        settings.default_deadline = duration(submission["defaultActiveDeadline"])
    if "minTerminationGracePeriod" in submission:
        settings.least_grace = duration(submission["minTerminationGracePeriod"])
    retry = raw.get("retryPolicy", {})
    # With a file the engine is off unless the file enables it (docs/semantics.md, section 2).
    settings.retries_enabled = retry.get("enabled", False) if document else True
    settings.global_limit = retry.get("globalMaxRetries")
    settings.default_policy = retry.get("defaultPolicyName")
    settings.default_backoff = retry.get("defaultBackoff", {})
    return settings


def _node_template(cluster: dict[str, Any], index: int, raw: dict[str, Any]) -> NodeTemplate:
    failure = raw.get("failure", {})
    spot = failure.get("spot")
    name = cluster["name"]
    return NodeTemplate(
        cluster=name,
        node_ids=[f"{name}-{index}-{number}" for number in range(raw["number"])],
        total=amounts(raw["totalResources"]["resources"]),
        labels={**raw.get("labels", {}), "armadaproject.io/clusterName": name},
        taints=raw.get("taints", []),
        fails="up" in failure,
        gpu_mtbf=duration(failure["gpuMtbf"]) if "gpuMtbf" in failure else None,
        spot=spot is not None,
        spot_warning=duration(spot.get("warning")) if spot else 0,
        spot_replaced=bool(spot) and "replaceAfter" in spot,
    )


def _job_templates(queue: str, index: int, raw: dict[str, Any], settings: Settings) -> list[JobTemplate]:
    """One template, or its copies by `repeat`."""
    repeat = raw.get("repeat")
    name = raw.get("id") or f"{queue}-{index}"
    copies = [(name, 0)]
    if repeat:
        copies = [(f"{name}-repeat-{i}", i * duration(repeat["period"])) for i in range(repeat["numTimes"])]
    return [_job_template(queue, name, copy, later, raw, settings) for copy, later in copies]


def _job_template(
    queue: str, origin: str, name: str, later: int, raw: dict[str, Any], settings: Settings
) -> JobTemplate:
    requirements = raw["requirements"]
    checkpoint = raw.get("checkpoint")
    deadline = duration(raw["activeDeadline"]) if "activeDeadline" in raw else settings.default_deadline
    class_name = raw.get("priorityClassName", "")
    return JobTemplate(
        id=name,
        origin=origin,
        queue=queue,
        number=raw["number"],
        class_name=class_name if class_name in settings.classes else settings.default_class,
        queue_priority=raw.get("queuePriority", 0),
        request=amounts(requirements["resourceRequirements"].get("requests")),
        selector=requirements.get("nodeSelector", {}),
        tolerations=requirements.get("tolerations", []),
        annotations=requirements.get("annotations", {}),
        dependencies=raw.get("dependencies", []),
        earliest=duration(raw.get("earliestSubmitTime")) + later,
        earliest_from_dependencies=duration(raw.get("earliestSubmitTimeFromDependencyCompletion")),
        cardinality=max(1, raw.get("gangCardinality", 1)),
        uniformity_label=raw.get("gangNodeUniformityLabel", "armadaproject.io/clusterName"),
        causes=[_cause(cause) for cause in raw.get("failures", [])],
        checkpoint=Checkpoint(
            duration(checkpoint["interval"]),
            duration(checkpoint.get("cost")),
            duration(checkpoint.get("restart")),
        )
        if checkpoint
        else None,
        deadline=deadline,
        grace=duration(raw.get("terminationGracePeriod")) or settings.least_grace,
        exits_later="exitAfterSignal" in raw,
    )


def _cause(raw: dict[str, Any]) -> Cause:
    sticks = raw.get("sticksToNode")
    reason = raw.get("reason")
    return Cause(
        name=raw["name"],
        per_attempt="perAttempt" in raw,
        first_attempt=raw.get("firstAttempt"),
        need_memory="memory" in raw.get("need", {}),
        hazard="hazardPerHour" in raw,
        sticks_probability=sticks["probability"] if sticks else None,
        sticks_for=duration(sticks["for"]) if sticks else 0,
        exit_code=raw.get("exitCode", 137 if reason == "OOMKilled" else 1),
        reason=reason,
        message=raw.get("message"),
        category=raw.get("category"),
        subcategory=raw.get("subcategory"),
    )


class MissingDraw(Exception):
    """The file of draws does not reach far enough; print it again with more attempts or periods."""


class Draws:
    """All random numbers of a world, from a file of JSON Lines (the key fields of a draw, then its value)."""

    _KEYS = ("template", "cause", "job", "attempt", "node", "period", "loss")
    _VALUES = ("nanoseconds", "probability", "number", "factor", "exponential", "nodes")

    def __init__(self, lines: list[str]) -> None:
        self._values: dict[tuple[Any, ...], Any] = {}
        for line in lines:
            raw = json.loads(line)
            key = tuple((name, raw[name]) for name in self._KEYS if name in raw)
            self._values[(raw["draw"], key)] = next(raw[name] for name in self._VALUES if name in raw)

    def get(self, draw: str, **keys: Any) -> Any:
        key = tuple((name, keys[name]) for name in self._KEYS if name in keys)
        if (draw, key) not in self._values:
            raise MissingDraw(f"{draw} {keys}")
        return self._values[(draw, key)]
