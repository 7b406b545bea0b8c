//! Errors in records of tries, on the fast path and on the exact path.

use crate::airflow::{AirflowEngine, FailedTry, InstanceState, TimeDelta, TryFields, TryOutcome};
use document::diag::Code;
use document::units::Time;
use replay::simulate::testing::read_lines;

fn read(line: &str) -> Result<TryFields, Vec<Code>> {
    let (members, findings) = read_lines::<AirflowEngine>(line);
    match members.first() {
        Some(member) if findings.is_empty() => Ok(member.runs[0].own.clone()),
        _ => Err(findings.iter().map(|finding| finding.code).collect()),
    }
}

fn fast(fields: &str) -> Result<TryFields, Vec<Code>> {
    read(&format!(r#"{{"jobId": "t", {fields}}}"#))
}

/// Reads fields on the exact path, which a key with an escape forces.
fn exact(fields: &str) -> Result<TryFields, Vec<Code>> {
    read(&format!(r#"{{"job\u0049d": "t", {fields}}}"#))
}

#[test]
fn both_paths_read_the_same() {
    let date = Time::parse("2026-01-01T00:00:00Z").ok();
    let failed = FailedTry {
        try_number: Some(2),
        max_tries: Some(5),
        state: InstanceState::Other,
        force_fail: true,
        retry_delay_override: Some(TimeDelta::from_micros(1_500_000)),
        exceptions: vec!["shop.Down".into(), "builtins.BaseException".into()],
        worker_died: false,
        process_exit: None,
        reschedules: Some(3),
    };
    let full = TryFields {
        dag_id: "d".into(),
        task_id: Some("g.t".into()),
        logical_date: date,
        failed,
        ..TryFields::default()
    };
    let dated = TryFields { logical_date: date, ..TryFields::default() };
    let ended = TryFields { outcome: TryOutcome::Cancelled, ..TryFields::default() };
    for (fields, wanted) in [
        (
            r#""outcome": "Failed", "dagId": "d", "taskId": "g.t", "logicalDate": "2026-01-01T00:00:00Z",
               "tryNumber": 2, "maxTries": 5, "state": "queued", "forceFail": true,
               "retryDelayOverride": 1.5, "exceptions": ["shop.Down"], "workerDied": false,
               "rescheduleCount": 3"#,
            &full,
        ),
        (r#""outcome": "Failed", "logicalDate": "2026-01-01 02:00:00+02:00""#, &dated),
        (r#""outcome": "Failed", "logicalDate": "2026-01-01 00:00:00""#, &dated),
        (r#""outcome": "Cancelled", "logicalDate": "None", "taskId": """#, &ended),
        (r#""outcome": "Cancelled", "logicalDate": "", "state": null, "tryNumber": null"#, &ended),
    ] {
        let fields = fields.replace('\n', "");
        assert_eq!(fast(&fields).as_ref(), Ok(wanted), "{fields}");
        assert_eq!(exact(&fields).as_ref(), Ok(wanted), "{fields}");
    }
}

#[test]
fn both_paths_refuse_the_same() {
    for (fields, code) in [
        (r#""outcome": null"#, Code::MissingField),
        (r#""outcome": "up_for_retry""#, Code::NotAChoice),
        (r#""outcome": "Failed", "state": "lost""#, Code::NotAChoice),
        (r#""outcome": "Failed", "tryNumber": -1"#, Code::OutOfRange),
        (r#""outcome": "Failed", "maxTries": 2147483648"#, Code::OutOfRange),
        (r#""outcome": "Failed", "tryNumber": 1.5"#, Code::WrongType),
        (r#""outcome": "Failed", "retryDelayOverride": -0.1"#, Code::OutOfRange),
        (r#""outcome": "Failed", "retryDelayOverride": "5m""#, Code::WrongType),
        (r#""outcome": "Failed", "logicalDate": "2026-01-01""#, Code::BadRecord),
        (r#""outcome": "Failed", "logicalDate": 5"#, Code::WrongType),
        (r#""outcome": "Failed", "forceFail": 1"#, Code::WrongType),
        (r#""outcome": "Failed", "exceptions": "ValueError""#, Code::WrongType),
        (r#""outcome": "Failed", "exceptions": [""]"#, Code::EmptyText),
        (r#""outcome": "Failed", "exceptions": ["OSError"], "workerDied": true"#, Code::BadRecord),
        (r#""outcome": "Failed", "rescheduleCount": -1"#, Code::OutOfRange),
    ] {
        assert_eq!(fast(fields), Err(vec![code]), "{fields}");
        assert_eq!(exact(fields), Err(vec![code]), "{fields}");
    }
}
