//! What records of tries are refused for, in lines and in documents.

use super::{FailedTry, InstanceState, TimeDelta, TryFields, TryOutcome};
use crate::diag::{Code, Source};
use crate::history::{MemberReader, OnBadRecord};
use crate::units::Time;
use std::fmt::Write;

fn read(take: impl FnOnce(&mut MemberReader<TryFields>)) -> Result<TryFields, Vec<Code>> {
    let mut reader = MemberReader::<TryFields>::new(OnBadRecord::ErrorToTheEnd);
    take(&mut reader);
    let (history, findings) = reader.finish();
    match history.members.first() {
        Some(member) if findings.is_empty() => Ok(member.runs[0].own.clone()),
        _ => Err(findings.iter().map(|finding| finding.code).collect()),
    }
}

fn of_line(line: &str) -> Result<TryFields, Vec<Code>> {
    read(|reader| reader.piece("x", true, format!("{{\"jobId\": \"t\", {line}}}").as_bytes()))
}

fn of_document(run: &str) -> Result<TryFields, Vec<Code>> {
    let mut text = "apiVersion: armadaproject.io/v1\nkind: FailureHistory\nspec:\n".to_owned();
    writeln!(text, "  jobs: [{{jobId: t, runs: [{{{run}}}]}}]").unwrap();
    read(|reader| reader.text(&Source::new("x", text)))
}

#[test]
fn lines_and_documents_say_the_same() {
    let date = Time::parse("2026-01-01T00:00:00Z").ok();
    let failed = FailedTry {
        try_number: Some(2),
        max_tries: Some(5),
        state: InstanceState::Other,
        force_fail: true,
        retry_delay_override: Some(TimeDelta::from_micros(1_500_000)),
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
               "retryDelayOverride": 1.5"#,
            &full,
        ),
        (r#""outcome": "Failed", "logicalDate": "2026-01-01 02:00:00+02:00""#, &dated),
        (r#""outcome": "Failed", "logicalDate": "2026-01-01 00:00:00""#, &dated),
        (r#""outcome": "Cancelled", "logicalDate": "None", "taskId": """#, &ended),
        (r#""outcome": "Cancelled", "logicalDate": "", "state": null, "tryNumber": null"#, &ended),
    ] {
        let fields = fields.replace('\n', "");
        assert_eq!(of_line(&fields).as_ref(), Ok(wanted), "{fields}");
        assert_eq!(of_document(&fields).as_ref(), Ok(wanted), "{fields}");
    }
}

#[test]
fn lines_are_refused_what_documents_are_refused() {
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
    ] {
        assert_eq!(of_line(fields), Err(vec![code]), "{fields}");
        assert_eq!(of_document(fields), Err(vec![code]), "{fields}");
    }
}
