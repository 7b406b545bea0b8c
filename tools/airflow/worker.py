"""The worker's part in a failure, taken out of a release's task-sdk wheel as it is.

`retry_policy.py` and `exceptions.py` run whole; of `task_runner.py` the functions that decide about a
failure are compiled. What they ask of the rest of Airflow stands in for it, so that nothing of Airflow
has to be installed.
"""

import ast
import importlib
import sys
import types
import zipfile
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

FUNCTIONS = {
    "_evaluate_retry_policy", "_handle_current_task_failed", "_finalize_task_failure", "_reschedule_count",
    "_reschedule_limit_reached",
}
SHARED = "airflow/sdk/_shared/module_loading/__init__.py"


class Clock(datetime):
    """A `datetime` whose `now` is set."""

    instant = datetime(2026, 1, 1, tzinfo=timezone.utc)

    @classmethod
    def now(cls, tz: Any = None) -> datetime:
        return cls.instant


def module(name: str, **members: Any) -> types.ModuleType:
    """Registers a module, and those that hold it."""
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        path = ".".join(parts[:end])
        if path not in sys.modules:
            sys.modules[path] = types.ModuleType(path)
            sys.modules[path].__path__ = []
            if end > 1:
                setattr(sys.modules[".".join(parts[: end - 1])], parts[end - 1], sys.modules[path])
    vars(sys.modules[name]).update(members)
    return sys.modules[name]


class Silent:
    """A log, and counters, that nobody reads."""

    def __getattr__(self, _: str) -> Any:
        return lambda *_, **__: None


def whole(archive: zipfile.ZipFile, path: str, name: str) -> types.ModuleType:
    """Runs a file of the wheel as a module."""
    made = module(name)
    exec(compile(archive.read(path), path, "exec"), vars(made))
    return made


def picked(archive: zipfile.ZipFile, path: str, names: set[str], scope: dict) -> ast.Module:
    """Compiles some functions of a file; methods too, as functions."""
    tree = ast.parse(archive.read(path))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name in names]
    for node in found:
        node.decorator_list = []
    future = ast.parse("from __future__ import annotations").body
    exec(compile(ast.Module(body=[*future, *found], type_ignores=[]), path, "exec"), scope)
    return tree


class Worker:
    """The worker of a release."""

    def __init__(self, sdk: str, core: str) -> None:
        with zipfile.ZipFile(sdk) as archive:
            loading: dict = {"import_module": importlib.import_module}
            picked(archive, SHARED, {"import_string"}, loading)
            module("airflow.sdk.module_loading", import_string=loading["import_string"])
            module("airflow.sdk", TriggerRule=MagicMock())
            module("airflow.sdk._shared.configuration.exceptions", AirflowConfigException=Exception)
            module("airflow.sdk._shared.secrets_masker", redact=lambda text: text)
            self.exceptions = whole(archive, "airflow/sdk/exceptions.py", "airflow.sdk.exceptions")
            # `airflow.exceptions` passes these names on.
            module("airflow.exceptions", **{
                name: one for name, one in vars(self.exceptions).items() if isinstance(one, type)
            })
            name = "airflow.sdk.definitions.retry_policy"
            self.policies = whole(archive, f"{name.replace('.', '/')}.py", name)
            self.policies.log = Silent()
            self.scope: dict = {
                "datetime": Clock, "timezone": timezone, "UTC": timezone.utc, "timedelta": timedelta,
                "replace": replace, "cast": lambda _, value: value, "TYPE_CHECKING": False, "stats": Silent(),
                "Stats": Silent(), "log": Silent(), "Any": Any,
                "TaskInstanceState": SimpleNamespace(
                    FAILED="failed", UP_FOR_RETRY="up_for_retry", UP_FOR_RESCHEDULE="up_for_reschedule",
                ),
            }
            for message in ("TaskState", "RetryTask", "RescheduleTask"):
                self.scope[message] = SimpleNamespace
            runner = "airflow/sdk/execution_time/task_runner.py"
            tree = picked(archive, runner, FUNCTIONS | {"get_first_reschedule_date"}, self.scope)
            self.handlers = self._handlers(tree)
        with zipfile.ZipFile(core) as archive:
            states = SimpleNamespace(RESTARTING="restarting")
            scope: dict = {"TaskInstanceState": states}
            path = "airflow/api_fastapi/execution_api/routes/task_instances.py"
            picked(archive, path, {"_is_eligible_to_retry"}, scope)
            self.is_eligible = scope["_is_eligible_to_retry"]

    def _handlers(self, tree: ast.Module) -> list[tuple[tuple[type, ...], bool]]:
        """The `except` clauses around a task's execution: their classes, and whether they go on to the
        retry policy."""
        body = next(
            node for node in ast.walk(tree)
            if isinstance(node, ast.Try) and any("AirflowSensorTimeout" in ast.unparse(h.type) for h in node.handlers if h.type)
        )
        known = {**vars(self.exceptions), "SystemExit": SystemExit, "BaseException": BaseException}
        clauses = []
        for handler in body.handlers:
            names = [node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)]
            asks = any("_handle_current_task_failed" in ast.unparse(line) for line in handler.body)
            clauses.append((tuple(known[name] for name in names if name in known), asks))
        return clauses

    def fail(self, task: SimpleNamespace, row: SimpleNamespace, exception: BaseException) -> dict:
        """What the worker reports of a task that raised this."""
        asks = next(asks for classes, asks in self.handlers if isinstance(exception, classes))
        if not asks:
            return {"state": "failed", "reason": None, "delay": None, "reschedule": None}
        first = row.first_reschedule
        context = SimpleNamespace(
            max_tries=row.max_tries, task_reschedule_count=row.reschedules, first_task_reschedule_start_date=first,
            should_retry=self.is_eligible("queued", row.try_number, row.max_tries),
        )
        instance = SimpleNamespace(
            task=task, try_number=row.try_number, max_tries=row.max_tries, _ti_context_from_server=context,
            stats_tags={}, rendered_map_index=None, _failure_metrics_emitted=False,
        )
        if "get_first_reschedule_date" in self.scope:
            instance.get_first_reschedule_date = lambda context: self.scope["get_first_reschedule_date"](instance, context)
        counted = {"task_reschedule_count": row.reschedules}
        message, state = self.scope["_handle_current_task_failed"](instance, exception, Silent(), counted)
        due = getattr(message, "reschedule_date", None)
        return {
            "state": state,
            "reason": getattr(message, "retry_reason", None),
            "delay": getattr(message, "retry_delay_seconds", None),
            "reschedule": None if due is None else (due - Clock.instant) // timedelta(microseconds=1),
        }
