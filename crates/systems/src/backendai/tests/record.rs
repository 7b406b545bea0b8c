//! Records of sessions and errors in them, on the fast path and on the exact path.

use crate::backendai::{
    BackendAiEngine, Cause, SessionFields, SessionId, SessionOutcome, SessionType,
};
use document::diag::Code;
use replay::history::Member;
use replay::simulate::testing::read_lines;

type Read = (Vec<Member<SessionFields>>, Vec<(Code, Option<String>)>);

fn read(line: &str) -> Read {
    let (members, findings) = read_lines::<BackendAiEngine>(line);
    assert_eq!(members.is_empty(), !findings.is_empty());
    (members, findings.into_iter().map(|finding| (finding.code, finding.help)).collect())
}

fn fast(fields: &str) -> Read {
    read(&format!(r#"{{"jobId": "root", {fields}}}"#))
}

/// Reads fields on the exact path, which a key with an escape forces.
fn exact(fields: &str) -> Read {
    read(&format!(r#"{{"job\u0049d": "root", {fields}}}"#))
}

#[test]
fn what_is_absent_null_or_empty_is_taken_as_said() {
    for fields in [
        r#""outcome": "Failed""#,
        r#""outcome": "Failed", "sessionId": null, "sessionType": null, "retryCount": null, "cause": null"#,
        r#""outcome": "Failed", "sessionId": """#,
    ] {
        for (members, findings) in [fast(fields), exact(fields)] {
            assert_eq!(findings, [], "{fields}");
            let own = &members[0].runs[0].own;
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
        for (members, findings) in [fast(&fields), exact(&fields)] {
            assert_eq!(findings, []);
            let own = &members[0].runs[0].own;
            assert_eq!((own.cause, own.retry_count), (cause, Some(3)));
            assert_eq!(own.id, Some(SessionId::new(id)));
        }
    }
    for outcome in SessionOutcome::ALL {
        let (members, _) = fast(&format!(r#""outcome": "{}""#, outcome.as_str()));
        assert_eq!(members[0].runs[0].own.outcome, outcome);
    }
    for kind in SessionType::ALL {
        let fields = format!(r#""outcome": "Failed", "sessionType": "{}""#, kind.as_str());
        assert_eq!(fast(&fields).0[0].runs[0].own.session_type, kind);
    }
}

/// The setters of the fast path accept no value that the shape refuses.
#[test]
fn both_paths_refuse_the_same() {
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
        let line = fast(fields).1;
        assert_ne!(line, [], "{fields}");
        assert_eq!(line, exact(fields).1, "{fields}");
    }
}

#[test]
fn a_strange_cause_is_told_the_list() {
    let (_, findings) = fast(r#""outcome": "Failed", "cause": "node_reboot""#);
    let [(Code::NotAChoice, Some(help))] = findings.as_slice() else { panic!("{findings:?}") };
    assert!(Cause::ALL.into_iter().all(|cause| help.contains(cause.as_str())), "{help}");
}
