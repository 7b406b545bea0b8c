//! Profiles with errors, and valid profiles with warnings.

use crate::backendai::{BackendAiEngine, Ceiling, HashText, JitterMode, Reduction};
use crate::{ManifestSystem, Options};
use document::diag::{Code, Severity, Source};
use document::{Limits, parse};

/// Returns the findings about a profile with this rest of its `spec`: code, source text at the place, and
/// message.
fn found(spec: &str) -> Vec<(Code, String, String)> {
    let text = format!(
        "apiVersion: armadaproject.io/v1\nkind: RetryProfile\nmetadata: {{name: p}}\nspec: {{system: backendai, {spec}}}\n"
    );
    let (documents, mut findings) = parse(&Source::new("p.yaml", text.clone()), Limits::POLICY);
    let profile = BackendAiEngine::read(&documents[0], &Options::default(), &mut findings);
    assert_eq!(profile.is_none(), findings.has_errors(), "{spec}");
    let found = findings.sorted().into_iter().map(|finding| {
        let warns = finding.severity == Severity::Warning;
        let is_of_warnings = matches!(finding.code, Code::Misleading | Code::SurprisingDefault);
        assert_eq!(warns, is_of_warnings, "{spec}: {}", finding.message);
        let tells = finding.help.is_some() || finding.code == Code::WrongType;
        assert!(tells, "{spec}: {} has no way out", finding.message);
        let place = finding.place.map(|place| text[place.span.range()].to_owned());
        (finding.code, place.unwrap_or_default(), finding.message)
    });
    found.collect()
}

fn session(layer: &str) -> Vec<(Code, String, String)> {
    found(&format!("layers: {{session: {{{layer}}}}}"))
}

#[test]
fn what_the_schema_refuses_stands_where_it_is_written() {
    for (layer, code, place) in [
        ("max_retries: -1", Code::OutOfRange, "-1"),
        ("max_retries: 2147483648", Code::OutOfRange, "2147483648"),
        ("max_retries: 1.5", Code::WrongType, "1.5"),
        ("retry_delay: 0", Code::OutOfRange, "0"),
        ("retry_delay: 60s", Code::WrongType, "60s"),
        ("max_retry_delay: -3.5", Code::OutOfRange, "-3.5"),
        ("max_retry_delay: .inf", Code::OutOfRange, ".inf"),
        ("backoff_multiplier: 0", Code::OutOfRange, "0"),
        ("jitter_ratio: 1.01", Code::OutOfRange, "1.01"),
        ("jitter_ratio: -0.5", Code::OutOfRange, "-0.5"),
        ("backoff: linear", Code::NotAChoice, "linear"),
        ("jitter: full", Code::NotAChoice, "full"),
        ("eligible_causes: [oom_killed, quota_exceeded]", Code::NotAChoice, "quota_exceeded"),
        ("eligible_causes: [oom]", Code::NotAChoice, "oom"),
        ("retries: 3", Code::OtherForm, "retries"),
        ("max_retry: 3", Code::OtherForm, "max_retry"),
        ("max_retris: 3", Code::UnknownField, "max_retris"),
    ] {
        let found = session(layer);
        let [(one, at, message)] = found.as_slice() else { panic!("{layer}: {found:?}") };
        assert_eq!((*one, at.as_str()), (code, place), "{layer}: {message}");
    }
    let found = session("eligible_causes: [user_cancelled]");
    assert_eq!(found[0].2, "`user_cancelled` is never retried, and cannot be eligible");
}

#[test]
fn a_spec_has_layers_and_options() {
    for (spec, code) in [
        ("policy: {max_retries: 1}, layers: {}", Code::OtherForm),
        ("profile: final, layers: {}", Code::NotAChoice),
        ("layers: {domain: {}}", Code::OtherForm),
        ("layers: {}, options: {cap: soft}", Code::NotAChoice),
        ("layers: {}, options: {hash: text_dash}", Code::NotAChoice),
        ("options: {}", Code::MissingField),
    ] {
        let found = found(spec);
        assert!(matches!(found.as_slice(), [(one, ..)] if *one == code), "{spec}: {found:?}");
    }
}

#[test]
fn all_that_is_written_is_read() {
    let text = "
apiVersion: armadaproject.io/v1
kind: RetryProfile
metadata: {name: nightly}
spec:
  system: backendai
  profile: draft
  layers:
    cluster: {max_retries: 1, retry_delay: 30, jitter: none, max_retry_delay: 90}
    project: {max_retries: 4, jitter: null}
    session: {max_retries: 0, max_retry_delay: null}
  options: {hash: text_colon, reduce: python_float_mod, cap: literal}
";
    let (documents, mut findings) = parse(&Source::new("p.yaml", text), Limits::POLICY);
    let profile = BackendAiEngine::read(&documents[0], &Options::default(), &mut findings);
    let profile = profile.expect("it is good");
    assert_eq!((profile.name.as_str(), profile.policy.max_retries), ("nightly", 0));
    assert_eq!((profile.policy.max_retry_delay, profile.policy.jitter), (None, JitterMode::None));
    let interpretation = profile.interpretation;
    assert_eq!(interpretation.hash, HashText::TextColon);
    assert_eq!(
        (interpretation.reduce, interpretation.cap),
        (Reduction::PythonFloatMod, Ceiling::Literal)
    );
    assert!(findings.is_empty(), "{:?}", findings.sorted());
}

/// Returns the source text at the place, and the message, of the one warning about a profile.
fn warned(spec: &str) -> Option<(String, String)> {
    let found = found(spec);
    assert!(found.len() < 2, "{spec}: {found:?}");
    found.into_iter().next().map(|(_, place, message)| (place, message))
}

#[test]
fn what_is_not_what_it_seems_is_warned_of_in_its_place() {
    for (layers, place, message) in [
        ("{session: {max_retries: 2, jitter: none}}", "max_retries", "from retry 2 on a session's"),
        (
            "{project: {max_retries: 1}, session: {max_retry_delay: 86401}}",
            "max_retry_delay",
            "`max_retry_delay` is 86401, and no wait is longer than 24 hours, which are 86400",
        ),
        ("{session: {retry_delay: 90}}", "retry_delay", "`max_retries` is 0 by default"),
        ("{cluster: {eligible_causes: []}}", "eligible_causes", "`max_retries` is 0 by default"),
        (
            "{cluster: {max_retries: 2, jitter_ratio: 0.5}, session: {eligible_causes: []}}",
            "eligible_causes",
            "`eligible_causes` is empty: no failure is retried, regardless of its cause, though \
             `max_retries` is 2",
        ),
        (
            "{session: {max_retries: 1, retry_delay: 7200}}",
            "retry_delay",
            "`retry_delay` is 7200, and no retry waits longer than 3600s",
        ),
        (
            "{session: {max_retries: 1, jitter: random, max_retry_delay: 60}}",
            "jitter",
            "every retry waits the longest time, 60s",
        ),
        (
            "{cluster: {max_retries: 1, max_retry_delay: 60}}",
            "max_retry_delay",
            "every retry waits",
        ),
        ("{cluster: {max_retries: 1, retry_delay: 3600}}", "layers", "every retry waits"),
        (
            "{session: {max_retries: 1, backoff_multiplier: 3}}",
            "backoff_multiplier",
            "`backoff_multiplier` does nothing: `backoff` is fixed, its default",
        ),
        (
            "{session: {max_retries: 1, jitter: none, jitter_ratio: 0.5}}",
            "jitter_ratio",
            "`jitter_ratio` does nothing: `jitter` is none",
        ),
        (
            "{session: {max_retries: 1, backoff: exponential, backoff_multiplier: 0.5}}",
            "backoff_multiplier",
            "`backoff_multiplier` is 0.5: every wait is shorter",
        ),
    ] {
        let found = warned(&format!("layers: {layers}"));
        let Some((at, said)) = found else { panic!("{layers}: no warning") };
        assert_eq!(at, place, "{layers}: {said}");
        assert!(said.starts_with(message), "{layers}: {said}");
    }
}

#[test]
fn readings_may_leave_no_jitter() {
    for (delay, reduce, place) in [
        (64.0, "python_float_mod", Some("retry_delay")),
        (60.0, "python_float_mod", None),
        (7.0, "int_floor_seconds", Some("retry_delay")),
        (8.0, "int_floor_seconds", None),
        (0.007, "int_millis", Some("retry_delay")),
        (0.008, "int_millis", None),
    ] {
        let layers = format!("{{session: {{max_retries: 1, retry_delay: {delay}}}}}");
        let found = warned(&format!("layers: {layers}, options: {{reduce: {reduce}}}"));
        assert_eq!(found.as_ref().map(|(at, _)| at.as_str()), place, "{delay} {reduce}: {found:?}");
    }
}

/// The retry at which delays reach the cap, computed by hand: 60, 120, .. 1920, 3600.
#[test]
fn the_first_retry_at_the_cap_is_named() {
    let of = |max_retries: u32| {
        let found = session(&format!("max_retries: {max_retries}, backoff: exponential"));
        found.into_iter().map(|(_, _, message)| message).find(|said| said.contains("jitter"))
    };
    assert_eq!(of(6), None);
    for max_retries in [7, 8, 2_000_000_000] {
        let said = of(max_retries).expect("a warning");
        assert!(said.starts_with("each retry from the 7th on waits the longest time"), "{said}");
    }
}

#[test]
fn nothing_is_said_of_what_is_meant() {
    for spec in [
        "layers: {}",
        "layers: {cluster: {emit_retry_events: false}}",
        "layers: {cluster: {max_retries: 0, retry_delay: 30}}",
        "layers: {cluster: {max_retries: 0, eligible_causes: []}}",
        "layers: {session: {max_retries: 1}}",
        // The unused field is in a layer below the one that chooses the mode.
        "layers: {cluster: {backoff_multiplier: 3}, session: {backoff: fixed, max_retries: 1}}",
        "layers: {session: {max_retries: 1, max_retry_delay: 90000}}, options: {cap: literal}",
        "layers: {session: {max_retries: 1, max_retry_delay: null}}",
    ] {
        assert_eq!(found(spec), [], "{spec}");
    }
}
