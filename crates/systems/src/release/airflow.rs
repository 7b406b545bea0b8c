//! Rows of Airflow: waits, retries and retry policies of tasks.
//!
//! Up to 2.11 `airflow/models/taskinstance.py` decides. From 3.0 on the worker does (`task_runner.py` of apache-airflow-task-sdk, with
//! `should_retry` of the execution API), the supervisor for a process that was killed, and the scheduler for a worker that died.
//! Read in wheels of apache-airflow 2.6.3 to 2.11.2, apache-airflow-core 3.0.0 to 3.4.0b2 and apache-airflow-task-sdk 1.0.0 to
//! 1.4.0b2. Waits of 28 of them agree with the borders of these rows.

use super::difference::{Difference, DifferenceKind, Example, Model, Needs};
use super::program::Program;
use super::version::Version;

const ROW: Difference = Difference::row_of(Program::Airflow);

const GROWING: &str = "{apiVersion: armadaproject.io/v1, kind: RetryProfile, metadata: {name: a}, spec: {system: airflow, \
                       policy: {retries: 3, retry_exponential_backoff: true}}}";

const THREE: &str = "{apiVersion: armadaproject.io/v1, kind: RetryProfile, metadata: {name: a}, spec: {system: airflow, policy: \
                     {retries: 3}}}";

/// A task of the DAG `etl` with a date, so that waits do not depend on the unit's name.
const LOAD: &str = r#"{"dagId": "etl", "taskId": "load", "logicalDate": "2026-01-01T00:00:00Z"}"#;

const POLICY: &[Needs] = &[Needs::in_document(&["spec.policy.retry_policy"])];

const TERMINATED: &str = r#"{"exceptions": ["airflow.exceptions.AirflowTaskTerminated"]}"#;

/// The rows, in the order of versions.
pub(super) const ROWS: &[Difference] = &[
    Difference {
        id: "exception-bases",
        from: Version::since(2, 8),
        sentence: "`AirflowTaskTimeout` is a BaseException. Before, it is an AirflowException. It is retried in all releases.",
        source: "apache-airflow 2.7.3 and 2.8.4: airflow/exceptions.py",
        ..ROW
    },
    Difference {
        id: "hash-number",
        from: Version::since(2, 10),
        kind: DifferenceKind::Decision,
        is_about_waits: true,
        sentence: "The jitter of a growing wait is hashed from the number of the failed try. Before, from that number plus 1.",
        source: "apache-airflow 2.6.3, 2.9.3, 2.10.0: airflow/models/taskinstance.py next_retry_datetime, try_number",
        failures: &[&[LOAD], &["{}"]],
        model: Model::Engine(Example {
            policy: GROWING,
            failures: &[LOAD],
            before: "471s",
            since: "519s",
        }),
        ..ROW
    },
    Difference {
        id: "queued-try",
        from: Version::since(2, 10),
        kind: DifferenceKind::Decision,
        sentence: "A task that fails while it is not running has as many retries as one that runs. Before, it has one less.",
        source: "apache-airflow 2.9.3 and 2.10.0: airflow/models/taskinstance.py is_eligible_to_retry, try_number",
        failures: &[&[r#"{"state": "queued"}"#]],
        model: Model::Engine(Example {
            policy: THREE,
            failures: &[r#"{"state": "queued", "tryNumber": 3}"#],
            before: "fail_tries_used_up",
            since: "retry",
        }),
        ..ROW
    },
    Difference {
        id: "stuck-in-queued",
        from: Version::patch(2, 10, 4),
        kind: DifferenceKind::Decision,
        sentence: "A task that stays queued too long is queued again at no cost, twice, and then fails whatever `retries` says. \
                   Before, each time uses a retry.",
        source: "apache-airflow 2.10.0, 2.10.5 to 3.4.0b2: airflow/jobs/scheduler_job_runner.py _maybe_requeue_stuck_ti",
        model: Model::NotModelled("a record does not have how often its task was queued again"),
        ..ROW
    },
    Difference {
        id: "killed-process-fails",
        from: Version::since(3, 0),
        until: Some(Version::patch(3, 1, 5)),
        kind: DifferenceKind::Decision,
        sentence: "A task whose process is killed (OOM) while its worker lives fails, though tries are left; 3.1.2 and 3.1.3 retry \
                   it if a signal ended it. In 2.x and from 3.1.5 on it is retried.",
        source: "apache-airflow-task-sdk 1.0.0, 1.0.6, 1.1.0 to 1.1.8, 1.2.2, 1.3.2, 1.4.0b2: \
                 airflow/sdk/execution_time/supervisor.py ActivitySubprocess.final_state; apache-airflow 2.6.3, 2.9.3, 2.11.2: \
                 handle_task_exit, _find_zombies",
        failures: &[&[r#"{"processExit": -9}"#]],
        model: Model::Engine(Example {
            policy: THREE,
            failures: &[r#"{"processExit": -9}"#],
            before: "retry",
            since: "fail_process_killed",
        }),
        ..ROW
    },
    Difference {
        id: "ceiling-ignored",
        from: Version::since(3, 0),
        until: Some(Version::patch(3, 0, 6)),
        kind: DifferenceKind::Decision,
        is_about_waits: true,
        sentence: "`core.max_task_retry_delay` and `core.default_task_retries` are not read: the longest wait is a day.",
        source: "apache-airflow-task-sdk 1.0.0, 1.0.1, 1.0.4, 1.0.6: airflow/sdk/definitions/_internal/abstractoperator.py \
                 MAX_RETRY_DELAY, DEFAULT_RETRIES",
        failures: &[&[LOAD], &["{}"]],
        model: Model::Engine(Example {
            policy: "{apiVersion: armadaproject.io/v1, kind: RetryProfile, metadata: {name: a}, spec: {system: airflow, policy: \
                     {retries: 9, retry_exponential_backoff: true, core.max_task_retry_delay: 400}}}",
            failures: &[LOAD],
            before: "400s",
            since: "519s",
        }),
        ..ROW
    },
    Difference {
        id: "dead-worker-callbacks",
        from: Version::since(3, 0),
        until: Some(Version::patch(3, 0, 4)),
        kind: DifferenceKind::Decision,
        sentence: "A task with callbacks whose worker died stays running: the scheduler sends the callback and does not handle \
                   the failure.",
        source: "apache-airflow-core 3.0.0 to 3.0.4: airflow/jobs/scheduler_job_runner.py process_executor_events; \
                 airflow/dag_processing/processor.py",
        model: Model::NotModelled("callbacks are not part of a profile"),
        ..ROW
    },
    Difference {
        id: "terminated",
        from: Version::since(3, 0),
        kind: DifferenceKind::Decision,
        sentence: "The exception AirflowTaskTerminated ends a task's tries. Before, it is retried.",
        source: "apache-airflow 2.9.0 and 2.11.2: airflow/models/taskinstance.py; apache-airflow-task-sdk 1.0.0 to 1.4.0b2: \
                 airflow/sdk/execution_time/task_runner.py run",
        failures: &[&[TERMINATED]],
        model: Model::Engine(Example {
            policy: THREE,
            failures: &[TERMINATED],
            before: "retry",
            since: "fail_forced",
        }),
        ..ROW
    },
    Difference {
        id: "eligible-by-max-tries",
        from: Version::since(3, 0),
        kind: DifferenceKind::Decision,
        sentence: "A task that fails while its worker lives is judged by `max_tries` of its instance alone. Before, and in the \
                   scheduler to this day, `retries` of the DAG must not be 0 either.",
        source: "apache-airflow 2.11.2: airflow/models/taskinstance.py is_eligible_to_retry; apache-airflow-core 3.0.0 to 3.4.0b2: \
                 airflow/api_fastapi/execution_api/routes/task_instances.py _is_eligible_to_retry",
        failures: &[&[r#"{"maxTries": 2}"#]],
        model: Model::Engine(Example {
            policy: "{apiVersion: armadaproject.io/v1, kind: RetryProfile, metadata: {name: a}, spec: {system: airflow, policy: \
                     {retries: 0}}}",
            failures: &[r#"{"maxTries": 2}"#],
            before: "fail_no_retries",
            since: "retry",
        }),
        ..ROW
    },
    Difference {
        id: "overflow",
        from: Version::patch(3, 0, 6),
        kind: DifferenceKind::Decision,
        sentence: "A growing wait that is too large for Python is the ceiling. Before, OverflowError ends the scheduler each time \
                   it considers the task.",
        source: "apache-airflow-core 3.0.4 and 3.0.6: airflow/models/taskinstance.py next_retry_datetime",
        failures: &[&[r#"{"tryNumber": 1020}"#]],
        model: Model::Engine(Example {
            policy: "{apiVersion: armadaproject.io/v1, kind: RetryProfile, metadata: {name: a}, spec: {system: airflow, policy: \
                     {retries: 2000, retry_exponential_backoff: true}}}",
            failures: &[r#"{"tryNumber": 1020}"#],
            before: "error_overflow",
            since: "retry",
        }),
        ..ROW
    },
    Difference {
        id: "startup-reschedule",
        from: Version::patch(3, 1, 8),
        sentence: "A worker that does not find the DAG reschedules the task up to 3 times, 60s apart, at no cost. Before, its \
                   process exits with 1.",
        source: "apache-airflow-task-sdk 1.1.7 and 1.1.8: airflow/sdk/execution_time/task_runner.py \
                 _maybe_reschedule_startup_failure",
        ..ROW
    },
    Difference {
        id: "backoff-number-refused",
        from: Version::since(3, 2),
        kind: DifferenceKind::Validation,
        sentence: "`retry_exponential_backoff` may be a number. Before, the DAG does not load: from 2.10 on operators take a bool, \
                   up to 2.9 the schema of stored DAGs does.",
        source: "apache-airflow 2.10.0, apache-airflow-task-sdk 1.0.0, 1.1.8, 1.2.0: BASEOPERATOR_ARGS_EXPECTED_TYPES; \
                 apache-airflow 2.9.3: airflow/serialization/schema.json",
        model: Model::NotModelled(
            "RP040 warns of it; the number is replayed as 2, as the function that computes the wait does",
        ),
        ..ROW
    },
    Difference {
        id: "multiplier",
        from: Version::since(3, 2),
        kind: DifferenceKind::Decision,
        is_about_waits: true,
        sentence: "A wait grows by the task's own number; 1 and negative numbers do not grow. Before, every number but 0 means 2 in \
                   the function that computes the wait, and the DAG does not load.",
        source: "apache-airflow-core 3.1.8 and 3.2.0: airflow/models/taskinstance.py next_retry_datetime; \
                 airflow/serialization/serialized_objects.py",
        failures: &[&[LOAD], &["{}"]],
        model: Model::Engine(Example {
            policy: "{apiVersion: armadaproject.io/v1, kind: RetryProfile, metadata: {name: a}, spec: {system: airflow, policy: \
                     {retries: 3, retry_exponential_backoff: 3}}}",
            failures: &[
                r#"{"dagId": "etl", "taskId": "load", "logicalDate": "2026-01-01T00:00:00Z", "tryNumber": 2}"#,
            ],
            before: "771s",
            since: "1671s",
        }),
        ..ROW
    },
    Difference {
        id: "lost-outcome",
        from: Version::since(3, 2),
        sentence: "A call that reports the outcome of a try and fails is repeated.",
        source: "apache-airflow-task-sdk 1.2.0, 1.2.2, 1.4.0b2: airflow/sdk/execution_time/supervisor.py \
                 update_task_state_if_needed",
        ..ROW
    },
    Difference {
        id: "retry-policies",
        from: Version::since(3, 3),
        kind: DifferenceKind::Decision,
        sentence: "A task may have a `retry_policy`: rules that compare the exception. Before, there is no such argument.",
        source: "apache-airflow-task-sdk 1.2.2 and 1.3.0: airflow/sdk/definitions/retry_policy.py; apache-airflow-core 3.2.2 and \
                 3.3.0: airflow/models/taskinstance.py next_retry_datetime",
        needs: POLICY,
        model: Model::Engine(Example {
            policy: "{apiVersion: armadaproject.io/v1, kind: RetryProfile, metadata: {name: a}, spec: {system: airflow, policy: \
                     {retries: 3, retry_policy: {rules: [{exception: builtins.ValueError, action: fail}]}}}}",
            failures: &[r#"{"exceptions": ["ValueError"]}"#],
            before: "refused",
            since: "fail_policy",
        }),
        ..ROW
    },
    Difference {
        id: "handler-failures",
        from: Version::patch(3, 3, 1),
        kind: DifferenceKind::Decision,
        sentence: "An exception that is raised while an outcome is handled goes through the retry policy.",
        source: "apache-airflow-task-sdk 1.3.0 and 1.3.1: airflow/sdk/execution_time/task_runner.py _handle_handler_failure",
        needs: POLICY,
        model: Model::NotModelled("how 1.3.0 ends such a task is not in its source"),
        ..ROW
    },
    Difference {
        id: "chains",
        from: Version::since(3, 4),
        kind: DifferenceKind::Decision,
        sentence: "A ChainRetryPolicy consults several policies: the first answer that is not `default` decides. Before, there is no \
                   such class.",
        source: "apache-airflow-task-sdk 1.3.2 and 1.4.0b1: airflow/sdk/definitions/retry_policy.py",
        needs: &[Needs::in_document(&["spec.policy.retry_policy.policies"])],
        model: Model::Engine(Example {
            policy: "{apiVersion: armadaproject.io/v1, kind: RetryProfile, metadata: {name: a}, spec: {system: airflow, policy: \
                     {retries: 3, retry_policy: {policies: [{rules: [{exception: builtins.ValueError, action: fail}]}]}}}}",
            failures: &[r#"{"exceptions": ["ValueError"]}"#],
            before: "refused",
            since: "fail_policy",
        }),
        ..ROW
    },
    Difference {
        id: "reschedule",
        from: Version::since(3, 4),
        kind: DifferenceKind::Decision,
        sentence: "A rule may `reschedule` (3.4.0b2): the same try runs again at no cost, up to a bound. Before, there is no such \
                   action.",
        source: "apache-airflow-task-sdk 1.4.0b1 and 1.4.0b2: airflow/sdk/definitions/retry_policy.py \
                 _validate_reschedule_bounds, airflow/sdk/execution_time/task_runner.py _reschedule_limit_reached",
        needs: &[
            Needs::in_document(&["spec.policy.retry_policy.rules[].action=reschedule"]),
            Needs::in_document(&["spec.policy.retry_policy.policies[].rules[].action=reschedule"]),
        ],
        model: Model::Engine(Example {
            policy: "{apiVersion: armadaproject.io/v1, kind: RetryProfile, metadata: {name: a}, spec: {system: airflow, policy: \
                     {retries: 0, retry_policy: {rules: [{exception: builtins.ValueError, action: reschedule, max_reschedules: 1}]}}}}",
            failures: &[r#"{"exceptions": ["ValueError"]}"#],
            before: "refused",
            since: "reschedule",
        }),
        ..ROW
    },
    Difference {
        id: "reason-of-failure",
        from: Version::since(3, 4),
        sentence: "`retry_reason` is stored with a task that fails for good too.",
        source: "apache-airflow-task-sdk 1.3.2 and 1.4.0b1: airflow/sdk/execution_time/task_runner.py _finalize_task_failure",
        needs: POLICY,
        ..ROW
    },
    Difference {
        id: "counts-ahead",
        from: Version::since(3, 4),
        sentence: "The row of a task that is `up_for_retry` has the number of the next try; the wait is the same.",
        source: "apache-airflow-core 3.3.2 and 3.4.0b1: airflow/models/taskinstance.py next_retry_datetime, \
                 prepare_db_for_next_try",
        ..ROW
    },
];
