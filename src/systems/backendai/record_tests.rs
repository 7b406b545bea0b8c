//! What records of sessions say and are refused for, in lines and in documents.

use super::{Cause, SessionFields, SessionId, SessionOutcome, SessionType};
use crate::diag::{Code, Source};
use crate::history::{MemberHistory, MemberReader, OnBadRecord};
use std::fmt::Write;

fn done(
    reader: MemberReader<SessionFields>,
) -> (MemberHistory<SessionFields>, Vec<(Code, Option<String>)>) {
    let (history, findings) = reader.finish();
    assert_eq!(history.members.is_empty(), !findings.is_empty());
    let said = findings.sorted().into_iter().map(|finding| (finding.code, finding.help));
    (history, said.collect())
}

fn of_line(fields: &str) -> (MemberHistory<SessionFields>, Vec<(Code, Option<String>)>) {
    let mut reader = MemberReader::<SessionFields>::new(OnBadRecord::ErrorToTheEnd);
    reader.piece("x", true, format!(r#"{{"jobId": "root", {fields}}}"#).as_bytes());
    done(reader)
}

fn of_document(fields: &str) -> (MemberHistory<SessionFields>, Vec<(Code, Option<String>)>) {
    let mut text = "apiVersion: armadaproject.io/v1\nkind: FailureHistory\nspec:\n".to_owned();
    writeln!(text, "  jobs: [{{jobId: root, runs: [{{{fields}}}]}}]").unwrap();
    let mut reader = MemberReader::<SessionFields>::new(OnBadRecord::ErrorToTheEnd);
    reader.text(&Source::new("x", text));
    done(reader)
}

#[test]
fn what_is_absent_null_or_empty_is_taken_as_said() {
    for fields in [
        r#""outcome": "Failed""#,
        r#""outcome": "Failed", "sessionId": null, "sessionType": null, "retryCount": null, "cause": null"#,
        r#""outcome": "Failed", "sessionId": """#,
    ] {
        for (history, findings) in [of_line(fields), of_document(fields)] {
            assert_eq!(findings, [], "{fields}");
            let own = &history.members[0].runs[0].own;
            assert_eq!(*own, SessionFields::default(), "{fields}");
        }
    }
    assert_eq!(SessionFields::default().cause, Cause::Unknown);
}

#[test]
fn every_name_of_every_field_is_taken() {
    let id = "3F2504E0-4f89-41d3-9a0c-0305e82c3301";
    for cause in Cause::ALL {
        let fields = format!(
            r#""outcome": "Failed", "sessionId": "{id}", "retryCount": 3, "cause": "{}""#,
            cause.as_str()
        );
        for (history, findings) in [of_line(&fields), of_document(&fields)] {
            assert_eq!(findings, []);
            let own = &history.members[0].runs[0].own;
            assert_eq!((own.cause, own.retry_count), (cause, Some(3)));
            assert_eq!(own.id, Some(SessionId::new(id)));
        }
    }
    for outcome in SessionOutcome::ALL {
        let (history, _) = of_line(&format!(r#""outcome": "{}""#, outcome.as_str()));
        assert_eq!(history.members[0].runs[0].own.outcome, outcome);
    }
    for kind in SessionType::ALL {
        let fields = format!(r#""outcome": "Failed", "sessionType": "{}""#, kind.as_str());
        assert_eq!(of_line(&fields).0.members[0].runs[0].own.session_type, kind);
    }
}

/// Lines are read without their tree, which must not take what the shape refuses.
#[test]
fn lines_are_refused_what_documents_are_refused() {
    for fields in [
        r#""outcome": "failed""#,
        r#""outcome": "Preempted""#,
        r#""outcome": null"#,
        r#""outcome": "Failed", "cause": """#,
        r#""outcome": "Failed", "cause": "OOM_KILLED""#,
        r#""outcome": "Failed", "cause": ["unknown"]"#,
        r#""outcome": "Failed", "retryCount": -1"#,
        r#""outcome": "Failed", "retryCount": "1""#,
        r#""outcome": "Failed", "sessionId": 7"#,
        r#""outcome": "Failed", "sessionType": "Batch""#,
    ] {
        let line = of_line(fields).1;
        assert_ne!(line, [], "{fields}");
        assert_eq!(line, of_document(fields).1, "{fields}");
    }
}

#[test]
fn a_strange_cause_is_told_the_list() {
    let (_, findings) = of_line(r#""outcome": "Failed", "cause": "node_reboot""#);
    let [(Code::NotAChoice, Some(help))] = findings.as_slice() else { panic!("{findings:?}") };
    assert!(Cause::ALL.into_iter().all(|cause| help.contains(cause.as_str())), "{help}");
}
