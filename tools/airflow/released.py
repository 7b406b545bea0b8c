"""Airflow's own retry functions, taken out of a release's wheel as they are.

Only the functions asked for are compiled, so that nothing of Airflow has to be installed; what
they ask of a task instance stands in for one.
"""

import ast
import hashlib
import math
import sys
import types
import zipfile
from datetime import datetime, timedelta
from types import SimpleNamespace

SOURCE = "airflow/models/taskinstance.py"
METHODS = {"next_retry_datetime", "is_eligible_to_retry", "try_number"}
FUNCTIONS = {"_get_try_number", "_is_eligible_to_retry"}
CEILINGS = ("airflow.models.abstractoperator", "airflow.sdk.definitions._internal.abstractoperator")
END = datetime(2026, 1, 1)


class State(str):
    """A state's name. 2.9 writes RUNNING.RUNNING."""

    RUNNING = property(lambda self: self)


STATES = SimpleNamespace(
    RUNNING=State("running"), RESTARTING=State("restarting"), UP_FOR_RETRY=State("up_for_retry"),
)


def methods(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    """The first definition of each: later ones of a property are its setter and the like."""
    owner = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "TaskInstance")
    found = {}
    for node in owner.body:
        if isinstance(node, ast.FunctionDef) and node.name in METHODS:
            found.setdefault(node.name, node)
    return found


def task_instance(wheel: str) -> type:
    """A class with the release's retry functions and nothing else; `installed`: those of the
    Airflow that is installed."""
    if wheel == "installed":
        from airflow.models.taskinstance import TaskInstance
        return type("TaskInstance", (), {name: vars(TaskInstance)[name] for name in METHODS - {"try_number"}})
    with zipfile.ZipFile(wheel) as archive:
        tree = ast.parse(archive.read(SOURCE))
    found = methods(tree)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in FUNCTIONS]
    for node in [*found.values(), *functions]:
        node.decorator_list = []
    future = ast.parse("from __future__ import annotations").body
    module = ast.Module(body=[*future, *functions, *found.values()], type_ignores=[])
    scope = {
        "math": math, "hashlib": hashlib, "timedelta": timedelta, "TYPE_CHECKING": False,
        "State": STATES, "TaskInstanceState": STATES,
    }
    exec(compile(module, wheel, "exec"), scope)
    members = {name: scope[name] for name in found}
    # From 3.4 on the row of a task that waits has the number of its next try.
    members["counts_ahead"] = "UP_FOR_RETRY" in ast.unparse(found["next_retry_datetime"])
    if "try_number" in members:
        members["try_number"] = property(members["try_number"])
    return type("TaskInstance", (), members)


def install_ceiling(seconds: int) -> None:
    """The modules that the functions import the ceiling from."""
    for name in CEILINGS:
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            sys.modules.setdefault(".".join(parts[:end]), types.ModuleType(".".join(parts[:end])))
        sys.modules[name].MAX_RETRY_DELAY = seconds


def answer(kind: type, case: dict, backoff: bool | float) -> dict:
    """What the release says of a case; no delay where it raises OverflowError."""
    instance = kind()
    column = "_try_number" if isinstance(getattr(kind, "try_number", None), property) else "try_number"
    setattr(instance, column, case["try_number"])
    date, cap = case["logical_date"], case["max_retry_delay"]
    task = SimpleNamespace(
        retries=case["retries"],
        retry_delay=timedelta(seconds=case["retry_delay"]),
        retry_exponential_backoff=backoff,
        max_retry_delay=None if cap is None else timedelta(seconds=cap),
    )
    instance.dag_id, instance.task_id, instance.max_tries = case["dag_id"], case["task_id"], case["max_tries"]
    instance.logical_date = instance.execution_date = None if date is None else datetime.fromisoformat(date)
    instance.retry_delay_override, instance.end_date = case["retry_delay_override"], END
    instance.log = SimpleNamespace(warning=lambda *_: None)
    # A task whose DAG cannot be loaded is not there; its delay is asked all the same.
    instance.state, instance.task = State(case["state"]), None if case["retries"] is None else task
    eligible = bool(instance.is_eligible_to_retry())
    instance.state, instance.task = State("up_for_retry"), task
    if getattr(kind, "counts_ahead", False):
        instance.try_number = case["try_number"] + 1
    install_ceiling(case["max_task_retry_delay"])
    try:
        micros = (instance.next_retry_datetime() - END) // timedelta(microseconds=1)
    except OverflowError:
        micros = None
    return {"micros": micros, "eligible": eligible}
