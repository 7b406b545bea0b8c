"""Random small worlds: cluster, workload, scheduler configuration, policies and flags.

A world is a function of its seed, its stage and the switches. Durations have odd numbers of milliseconds and run times
are drawn, so that independent events rarely fall on one instant: which of several simultaneous ends comes first is
not the subject of the comparison.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

# The features of a world, by the stage from which on they occur.
STAGES: dict[int, set[str]] = {
    1: {
        "gangs",
        "pending",
        "dependencies",
        "repeat",
        "priorities",
        "avoidance",
        "hazard",
        "severalClusters",
        "config",
    },
    2: {
        "nodeFailures",
        "lemons",
        "spot",
        "spotAndUp",
        "gpuMtbf",
        "memory",
        "sticks",
        "checkpoints",
        "deadlines",
    },
    3: {
        "crowded",
        "preemption",
        "urgency",
        "grace",
        "graceFree",
        "largeFirst",
        "protected",
        "roundLimit",
        "lookback",
    },
    4: {"reloads", "noPolicies", "beta", "seed"},
}

# What `--without` can switch off.
FEATURES = sorted(set().union(*STAGES.values()))

CATEGORIES = ("user", "infra", "oom", "gpu")


@dataclass
class GeneratedWorld:
    cluster: dict[str, Any]
    workload: dict[str, Any]
    config: dict[str, Any] | None
    policies: list[dict[str, Any]]
    flags: dict[str, str]
    features: set[str] = field(default_factory=set)

    def write(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        for name, document in (
            ("cluster", self.cluster),
            ("workload", self.workload),
            ("config", self.config),
        ):
            if document is not None:
                (directory / f"{name}.yaml").write_text(_dump(document), encoding="utf-8")
        if self.policies:
            text = "---\n".join(_dump(policy) for policy in self.policies)
            (directory / "policies.yaml").write_text(text, encoding="utf-8")
        flags = " ".join(f"--{name} {value}" for name, value in self.flags.items())
        (directory / "flags").write_text(flags + "\n", encoding="utf-8")


def _dump(document: dict[str, Any]) -> str:
    return yaml.safe_dump(document, sort_keys=False, default_flow_style=None, width=110)


class Generator:
    """Makes the world of one seed. A feature occurs with its probability, if it is allowed at all."""

    def __init__(self, seed: int, allowed: set[str]) -> None:
        self._random = random.Random(seed)
        self._seed = seed
        self._allowed = allowed
        self._used: set[str] = set()
        self._node_sizes: list[tuple[str, int, int, int]] = []

    def world(self) -> GeneratedWorld:
        design = self._chance("seed", 0.3)
        no_policies = self._chance("noPolicies", 0.25)
        beta = not no_policies and self._chance("beta", 0.2)
        config = self._config(design)
        cluster = self._cluster()
        workload = self._workload(config, design)
        policies = [] if no_policies else self._policies(beta)
        flags = {"scheduler": "seed" if design else "landed", "seed": str(self._seed), "until": "12h"}
        if not no_policies:
            names = [policy["name"] if beta else policy["metadata"]["name"] for policy in policies]
            flags["queue-policies"] = ",".join(names)
            flags["requeue"] = self._random.choice(["original", "front", "back"])
            flags["engine"] = "v1beta1" if beta else "v1"
        return GeneratedWorld(cluster, workload, config, policies, flags, self._used)

    def _chance(self, feature: str, probability: float) -> bool:
        # The draw is made in any case, so that a switch changes little else.
        if self._random.random() >= probability or feature not in self._allowed:
            return False
        self._used.add(feature)
        return True

    def _odd(self, low: int, high: int) -> str:
        """A duration of seconds and an odd number of milliseconds."""
        return f"{self._random.randint(low, high)}.{self._random.randint(1, 499) * 2 + 1:03d}s"

    def _distribution(self, seconds: int) -> dict[str, Any]:
        kind = self._random.randrange(4)
        if kind == 0:
            return {"exponential": {"mean": f"{seconds}s"}}
        if kind == 1:
            return {"lognormal": {"median": f"{seconds}s", "sigma": 0.8}}
        if kind == 2:
            return {"weibull": {"shape": 0.8, "scale": f"{seconds}s"}}
        return {"uniform": [f"{seconds // 4}s", f"{seconds * 2}s"]}

    # Clusters.

    def _cluster(self) -> dict[str, Any]:
        clusters = []
        for number in range(2 if self._chance("severalClusters", 0.2) else 1):
            templates = [self._node_template(f"c{number}") for _ in range(self._random.choice([1, 1, 2]))]
            clusters.append({"name": f"c{number}", "pool": "default", "nodeTemplates": templates})
        result: dict[str, Any] = {"clusters": clusters}
        if self._chance("pending", 0.4):
            result["pendingDelayDistribution"] = {"minimum": self._odd(0, 5), "tailMean": "7s"}
        if self._random.random() < 0.4:
            result["workflowManagerDelayDistribution"] = {"minimum": self._odd(0, 20), "tailMean": "20s"}
        return result

    def _node_template(self, cluster: str) -> dict[str, Any]:
        count = self._random.randint(1, 3)
        cpu = self._random.choice([4, 6, 8])
        gpus = self._random.choice([0, 0, 2, 4])
        resources: dict[str, Any] = {"cpu": cpu, "memory": f"{cpu * 4}Gi"}
        if gpus:
            resources["nvidia.com/gpu"] = gpus
        self._node_sizes.append((cluster, count, cpu, gpus))
        template: dict[str, Any] = {"number": count, "totalResources": {"resources": resources}}
        failure: dict[str, Any] = {}
        if self._chance("nodeFailures", 0.5):
            failure["up"] = self._distribution(self._random.choice([600, 2400]))
            failure["repair"] = self._distribution(self._random.choice([60, 300]))
            if self._chance("lemons", 0.3):
                failure["lemons"] = {"fraction": 0.5, "rateShare": 0.8}
        if (not failure or "spotAndUp" in self._allowed) and self._chance("spot", 0.35):
            failure["spot"] = spot = {"hazardPerHour": self._random.choice([1.5, 6.0])}
            if self._random.random() < 0.6:
                spot["warning"] = self._odd(10, 200)
            if self._random.random() < 0.6:
                spot["batch"] = {"geometric": 0.5}
            if self._random.random() < 0.8:
                spot["replaceAfter"] = self._distribution(self._random.choice([100, 400]))
        if gpus and self._chance("gpuMtbf", 0.5):
            failure["gpuMtbf"] = "20m"
        if failure:
            template["failure"] = failure
        return template

    # Workloads.

    def _workload(self, config: dict[str, Any] | None, design: bool) -> dict[str, Any]:
        queues = []
        ids: list[str] = []
        self._crowded = self._chance("crowded", 0.6)
        for name in ("a", "b", "c")[: self._random.randint(2 if self._crowded else 1, 3)]:
            templates = [self._job_template(ids, config, design) for _ in range(self._random.randint(1, 2))]
            queues.append(
                {"name": name, "weight": self._random.choice([1, 1, 2, 3]), "jobTemplates": templates}
            )
        result: dict[str, Any] = {"queues": queues}
        if self._chance("graceFree", 0.3):
            result["graceHoldsNode"] = False
        if self._chance("reloads", 0.4):
            result["events"] = [
                {
                    "at": self._odd(60, 2000),
                    "reload": self._random.choice(
                        [
                            {"globalMaxRetries": 1},
                            {"globalMaxRetries": 0},
                            {"enabled": False},
                            {"enabled": True},
                            {"globalMaxRetries": 7, "enabled": True},
                        ]
                    ),
                }
                for _ in range(self._random.randint(1, 2))
            ]
            result["events"].sort(key=lambda event: float(event["at"][:-1]))
        return result

    def _job_template(self, ids: list[str], config: dict[str, Any] | None, design: bool) -> dict[str, Any]:
        gang = self._chance("gangs", 0.3)
        cluster, count, cpu, gpus = self._random.choice(self._node_sizes)
        request: dict[str, Any] = {
            "cpu": self._random.randint(1, cpu),
            "memory": f"{self._random.randint(1, cpu * 2)}Gi",
        }
        if gpus and self._random.random() < 0.5:
            request["nvidia.com/gpu"] = self._random.randint(1, gpus)
        name = f"t{len(ids)}"
        template: dict[str, Any] = {"id": name, "number": self._random.randint(1, 5)}
        if self._crowded and not gang:
            template["number"] = self._random.randint(3, 9)
            request["cpu"] = min(request["cpu"], self._random.randint(1, 3))
        if gang:
            cardinality = self._random.choice([2, 2, 3])
            if count * (cpu // request["cpu"]) < cardinality:
                request["cpu"] = 1
            # No more memory for each core than the nodes have, so that the gang fits on empty nodes.
            request["memory"] = f"{self._random.randint(1, request['cpu'] * 4)}Gi"
            if "nvidia.com/gpu" in request:
                request["nvidia.com/gpu"] = 1
                if count * gpus < cardinality:
                    del request["nvidia.com/gpu"]
            template["gangCardinality"] = cardinality
            template["number"] = cardinality * self._random.choice([1, 1, 2])
        template["requirements"] = {"resourceRequirements": {"requests": request}}
        self._class(template, config, design)
        runtime: dict[str, Any] = {"minimum": self._odd(*((100, 900) if self._crowded else (5, 400)))}
        if not gang:
            runtime["tailMean"] = f"{self._random.choice([20, 100, 400])}s"
        template["runtimeDistribution"] = runtime
        if self._random.random() < 0.5:
            template["earliestSubmitTime"] = self._odd(1, 600)
        if self._chance("priorities", 0.2):
            template["queuePriority"] = self._random.randint(0, 2)
        if ids and self._chance("dependencies", 0.15):
            template["dependencies"] = [self._random.choice(ids)]
            if self._random.random() < 0.5:
                template["earliestSubmitTimeFromDependencyCompletion"] = self._odd(1, 100)
        repeated = self._chance("repeat", 0.15)
        if repeated:
            template["repeat"] = {"numTimes": 2, "period": self._odd(50, 300)}
            if not gang:
                template["number"] = min(template["number"], 3)
        self._ends(template)
        ids.append(f"{name}-repeat-0" if repeated else name)
        if repeated:
            ids[-1] = f"{name}-repeat-{self._random.randint(0, 1)}"
        return template

    def _class(self, template: dict[str, Any], config: dict[str, Any] | None, design: bool) -> None:
        scheduling = (config or {}).get("scheduling", {})
        names = list(scheduling.get("priorityClasses", {"armada-default": 0, "armada-preemptible": 0}))
        if "preemption" not in self._allowed:
            return
        self._used.add("preemption")
        name = self._random.choice(names + ["armada-preemptible"] * (1 if design else 2))
        if name in names:
            template["priorityClassName"] = name

    def _ends(self, template: dict[str, Any]) -> None:
        """How attempts of the template fail and are preempted."""
        causes = []
        if self._random.random() < 0.6:
            cause: dict[str, Any] = {
                "name": "crash",
                "at": self._distribution(self._random.choice([20, 100])),
                "perAttempt": self._random.choice([0.3, 0.6, {"beta": [0.5, 0.5]}]),
            }
            if self._random.random() < 0.3:
                cause["firstAttempt"] = self._random.choice([0.1, 0.9])
            causes.append(self._sticking(self._described(cause)))
        if self._chance("memory", 0.3):
            cause = {
                "name": "oom",
                "need": {"memory": {"lognormal": {"median": 0.9, "sigma": 0.5}}},
                "at": self._distribution(50),
                "reason": "OOMKilled",
                "category": "oom",
            }
            causes.append(cause)
        if self._chance("hazard", 0.3):
            causes.append(
                self._sticking(
                    self._described({"name": "xid", "hazardPerHour": self._random.choice([5, 30])})
                )
            )
        if causes:
            template["failures"] = causes
        if self._chance("checkpoints", 0.35):
            template["checkpoint"] = point = {"interval": self._odd(10, 90)}
            if self._random.random() < 0.7:
                point["cost"] = self._odd(1, 8)
            if self._random.random() < 0.7:
                point["restart"] = self._odd(1, 20)
        if self._chance("deadlines", 0.2):
            template["activeDeadline"] = self._odd(60, 500)
        if self._chance("grace", 0.5):
            # No multiple of the period of rounds, so that no pod is gone at the instant of a round.
            template["terminationGracePeriod"] = f"{self._random.choice([5, 23, 45])}s"
            template["exitAfterSignal"] = self._random.choice(
                [{"uniform": ["1s", "30s"]}, {"exponential": {"mean": "12s"}}]
            )

    def _described(self, cause: dict[str, Any]) -> dict[str, Any]:
        if self._random.random() < 0.7:
            cause["exitCode"] = self._random.choice([1, 2, 74, 137])
        if self._random.random() < 0.6:
            cause["category"] = self._random.choice(CATEGORIES)
            if self._random.random() < 0.4:
                cause["subcategory"] = self._random.choice(["x", "y"])
        return cause

    def _sticking(self, cause: dict[str, Any]) -> dict[str, Any]:
        if self._chance("sticks", 0.4):
            cause["sticksToNode"] = {
                "probability": self._random.choice([0.5, 1.0]),
                "for": self._odd(60, 900),
                "again": self._distribution(self._random.choice([10, 60])),
            }
        return cause

    # Scheduler configuration and policies.

    def _config(self, design: bool) -> dict[str, Any] | None:
        if not self._chance("config", 0.6):
            return None
        scheduling: dict[str, Any] = {"retryPolicy": {"enabled": True}}
        if self._random.random() < 0.5:
            scheduling["retryPolicy"]["globalMaxRetries"] = self._random.choice([2, 5, 30])
        if self._random.random() < 0.3:
            scheduling["retryPolicy"]["defaultBackoff"] = {"initialDelay": self._odd(1, 40)}
        if self._chance("urgency", 0.6):
            scheduling["priorityClasses"] = {
                "low": {"priority": 1000, "preemptible": True},
                "mid": {"priority": 2000, "preemptible": True},
                "high": {"priority": 3000, "preemptible": self._random.random() < 0.4},
                "service": {"priority": self._random.choice([1000, 2000, 3000]), "preemptible": False},
            }
            scheduling["defaultPriorityClassName"] = self._random.choice(["low", "mid", "high"])
        if not design:
            if self._chance("largeFirst", 0.3):
                scheduling["enablePreferLargeJobOrdering"] = True
            if self._chance("protected", 0.4):
                scheduling["protectedFractionOfFairShare"] = self._random.choice([0, 0.5, 1.5])
            if self._chance("roundLimit", 0.15):
                scheduling["maximumResourceFractionToSchedule"] = {"cpu": 0.3, "memory": 0.3}
        if self._chance("lookback", 0.15):
            scheduling["maxQueueLookback"] = self._random.choice([1, 3])
        return {"scheduling": scheduling}

    def _policies(self, beta: bool) -> list[dict[str, Any]]:
        if beta:
            return [
                {
                    "apiVersion": "armadaproject.io/v1beta1",
                    "kind": "RetryPolicy",
                    "name": "p0",
                    **self._policy_spec(beta),
                }
            ]
        return [
            {
                "apiVersion": "armadaproject.io/v1",
                "kind": "RetryPolicy",
                "metadata": {"name": f"p{number}"},
                "spec": self._policy_spec(beta),
            }
            for number in range(self._random.randint(1, 2))
        ]

    def _policy_spec(self, beta: bool) -> dict[str, Any]:
        spec: dict[str, Any] = {"defaultAction": self._random.choice(["Retry", "Retry", "Fail"])}
        if self._random.random() < 0.7 or beta:
            spec["retryLimit"] = self._random.randint(1, 6)
        if not beta and self._random.random() < 0.5:
            spec["backoff"] = self._backoff()
        if not beta and self._chance("avoidance", 0.3):
            spec["antiAffinity"] = {"mode": "node"}
        spec["rules"] = [self._rule(beta) for _ in range(self._random.randint(0, 4))]
        return spec

    def _backoff(self) -> dict[str, Any]:
        backoff: dict[str, Any] = {"initialDelay": self._odd(1, 40)}
        if self._random.random() < 0.5:
            backoff["maxDelay"] = self._odd(41, 200)
        if self._random.random() < 0.5:
            backoff["multiplier"] = self._random.choice([1.0, 1.5, 3.0])
        return backoff

    def _rule(self, beta: bool) -> dict[str, Any]:
        rule: dict[str, Any] = {"action": self._random.choice(["Retry", "Retry", "Retry", "Fail"])}
        kind = 1 if beta else self._random.randrange(3)
        if kind == 0:
            rule["onExitCodes"] = {
                "operator": self._random.choice(["In", "NotIn"]),
                "values": self._random.sample([1, 2, 74, 137], 2),
            }
        elif kind == 1:
            values = self._random.sample([*CATEGORIES, "node-failure", "spot", "internal"], 3)
            rule["onCategory" if beta else "onFailureCategory"] = values[0] if beta else values
            if not beta and self._random.random() < 0.2:
                rule["onFailureSubcategory"] = ["x", "active-deadline"]
        else:
            rule["onConditions"] = self._random.sample(
                ["OOMKilled", "Evicted", "Preempted", "DeadlineExceeded"], 2
            )
        if not beta and self._random.random() < 0.5:
            rule["retryLimit"] = self._random.randint(0, 4)
        if not beta and self._random.random() < 0.4:
            rule["backoff"] = self._backoff()
        if not beta and self._chance("avoidance", 0.3):
            rule["antiAffinity"] = {"mode": self._random.choice(["node", "none"])}
        mutate: dict[str, Any] = {}
        if self._chance("memory", 0.4):
            memory = self._random.choice([{"factor": 1.5}, {"factor": 2.0}, {"static": "2Gi"}])
            mutate["resources"] = {"memory": memory}
        if beta and self._chance("avoidance", 0.4):
            mutate["affinity"] = {"avoidSameNode": True}
        if mutate and rule["action"] == "Retry":
            rule["mutate"] = mutate
        return rule


def generate(seed: int, stage: int, without: set[str]) -> GeneratedWorld:
    allowed = set().union(*(STAGES[number] for number in range(1, stage + 1))) - without
    return Generator(seed, allowed).world()
