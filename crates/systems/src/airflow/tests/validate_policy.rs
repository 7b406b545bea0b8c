//! Findings about retry policies.

use crate::airflow::manifest::retry_policy::FIELD;
use crate::airflow::read;
use crate::airflow::validate::{check_policy, warn};
use document::diag::{Code, Diagnostic, Findings, Severity, Source};
use document::{Limits, parse};

/// Returns the findings about a profile's retry policy: the id, and the field of its message.
fn about(profile: &str, retry_policy: &str) -> Vec<(Severity, Code, String)> {
    let spec =
        format!("{{profile: '{profile}', policy: {{retries: 1, retry_policy: {retry_policy}}}}}");
    let (documents, findings) = parse(&Source::new("p.yaml", spec), Limits::POLICY);
    assert!(findings.is_empty());
    let (document, mut findings) = (&documents[0], Findings::new());
    let policy = document.root.get("policy").unwrap();
    let settings = read(&document.root);
    check_policy(document, policy, settings.profile, &mut findings);
    if !findings.has_errors() {
        warn(document, policy, &settings, &mut findings);
    }
    let finding = |finding: &Diagnostic| {
        assert!(finding.help.is_some());
        let field = finding.message.split('`').nth(1).unwrap().to_owned();
        (finding.severity, finding.code, field)
    };
    findings.iter().map(finding).collect()
}

#[test]
fn what_a_release_lacks_or_refuses_is_an_error() {
    const BUSY: &str = "{exception: a.Busy, action: reschedule";
    for (profile, form, code, field) in [
        ("3.0", "{rules: []}".to_owned(), Code::ProfileLacks, ""),
        ("2.6", "{rules: []}".to_owned(), Code::ProfileLacks, ""),
        ("3.3", "{policies: [{rules: []}]}".to_owned(), Code::ProfileLacks, ".policies"),
        ("3.3", format!("{{rules: [{BUSY}}}]}}"), Code::ProfileLacks, ".rules[0].action"),
        (
            "3.3",
            "{rules: [{exception: a.B, max_reschedules: 1}]}".to_owned(),
            Code::ProfileLacks,
            ".rules[0].max_reschedules",
        ),
        ("3.4", format!("{{rules: [{BUSY}}}]}}"), Code::MissingField, ".rules[0].action"),
        (
            "3.4",
            "{rules: [{exception: a.B, reschedule_timeout: 1}]}".to_owned(),
            Code::OtherForm,
            ".rules[0].reschedule_timeout",
        ),
        ("3.3", "{}".to_owned(), Code::MissingField, ""),
        ("3.4", "{__type: ChainRetryPolicy}".to_owned(), Code::MissingField, ""),
        (
            "3.4",
            "{__type: ExceptionRetryPolicy, rules: [], policies: [{rules: []}]}".to_owned(),
            Code::OtherForm,
            ".policies",
        ),
        ("3.4", "{default: fail, policies: [{rules: []}]}".to_owned(), Code::OtherForm, ".default"),
        (
            "3.3",
            "{rules: [{exception: ValueError}]}".to_owned(),
            Code::BadName,
            ".rules[0].exception",
        ),
        ("3.3", "{rules: [{exception: []}]}".to_owned(), Code::EmptyList, ".rules[0].exception"),
        ("3.3", "{rules: [{exception: [7]}]}".to_owned(), Code::WrongType, ".rules[0].exception"),
        (
            "3.3",
            "{rules: [{exception: a.B, retry_delay: 1e300}]}".to_owned(),
            Code::OutOfRange,
            ".rules[0].retry_delay",
        ),
        (
            "3.4",
            "{policies: [{rules: []}, {rules: [{exception: B}]}]}".to_owned(),
            Code::BadName,
            ".policies[1].rules[0].exception",
        ),
    ] {
        let found = about(profile, &form);
        let expected = (Severity::Error, code, format!("{FIELD}{field}"));
        assert_eq!(found, [expected], "{profile} {form}");
    }
}

/// Every valid policy is warned of once: a worker that dies does not consult it.
#[test]
fn rules_without_effect_are_warned_of() {
    for (form, fields) in [
        ("{rules: []}", &[][..]),
        ("{rules: [{exception: a.B}, {exception: a.C}]}", &[]),
        ("{rules: [{exception: builtins.KeyError}, {exception: builtins.LookupError}]}", &[]),
        ("{rules: [{exception: builtins.LookupError}, {exception: builtins.KeyError}]}", &[]),
        (
            "{rules: [{exception: builtins.LookupError, match_subclasses: false}, {exception: \
             builtins.KeyError}]}",
            &[],
        ),
        ("{rules: [{exception: a.B, match_subclasses: false}, {exception: a.B}]}", &[]),
        (
            "{rules: [{exception: builtins.BaseException}, {exception: [a.B, a.C], action: fail}]}",
            &[],
        ),
        ("{rules: [{exception: a.B}, {exception: [a.B, a.C]}]}", &[]),
        ("{rules: [{exception: a.B, action: fail, retry_delay: 0}]}", &[".rules[0].retry_delay"]),
        (
            "{policies: [{rules: [{exception: a.B}]}, {rules: [{exception: a.B, action: fail}]}]}",
            &[],
        ),
        (
            "{policies: [{rules: [{exception: a.B, action: default}]}, {rules: [{exception: a.B}]}]}",
            &[],
        ),
        (
            "{policies: [{rules: [], default: fail}, {rules: [{exception: a.B}]}]}",
            &[".policies[1]"],
        ),
    ] {
        let found = about("3.4", form);
        let wanted = [""]
            .iter()
            .chain(fields)
            .map(|field| (Severity::Warning, Code::Misleading, format!("{FIELD}{field}")));
        assert_eq!(found, wanted.collect::<Vec<_>>(), "{form}");
    }
}
