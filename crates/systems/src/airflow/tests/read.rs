//! Reading profiles: their values, and their errors.

use super::engine::read_profile;
use crate::airflow::{AirflowManifest, AirflowPolicy, Backoff, PROFILE, Profile, TimeDelta};
use document::diag::{Code, Severity};
use document::{field_paths, lookup};

#[test]
fn a_profile_is_read_with_airflows_defaults() {
    for spec in ["policy: {}", "policy: {}\n  options: {}"] {
        let (manifest, findings) = read_profile(spec);
        assert!(findings.is_empty(), "{findings:?}");
        let defaults = AirflowManifest { name: "nightly".to_owned(), ..AirflowManifest::default() };
        assert_eq!(manifest.unwrap(), defaults);
    }
    let (manifest, findings) = read_profile(
        "profile: 2.9\n  policy: {retries: 4, retry_delay_seconds: 0.5, retry_exponential_backoff: 3,\n    \
         max_retry_delay_seconds: 60, core.max_task_retry_delay: 120}",
    );
    assert_eq!(findings.count(Severity::Warning), findings.len());
    let wanted = AirflowPolicy {
        profile: Profile::V2_9,
        retries: 4,
        retry_delay: TimeDelta::from_micros(500_000),
        backoff: Backoff::Number(3.0),
        max_retry_delay: Some(TimeDelta::from_whole_seconds(60)),
        max_task_retry_delay: 120,
        retry_policy: None,
    };
    assert_eq!(manifest.unwrap().policy, wanted);
}

#[test]
fn a_profile_that_cannot_be_is_refused() {
    for (spec, code) in [
        ("policy: {retries: -1}", Code::OutOfRange),
        ("policy: {retry_delay_seconds: -1}", Code::OutOfRange),
        ("policy: {retry_delay: 300}", Code::OtherForm),
        ("policy: {retry_exponential_backof: 2}", Code::UnknownField),
        ("policy: {retry_exponential_backoff: [2]}", Code::WrongType),
        ("layers: {session: {}}", Code::OtherForm),
        ("policy: {}\n  options: {hash: text_concat}", Code::OtherForm),
        ("policy: {}\n  options: {pool: a}", Code::UnknownField),
        ("profile: 3.5\n  policy: {}", Code::NotAChoice),
        ("profile: '3.3'", Code::MissingField),
    ] {
        let (manifest, findings) = read_profile(spec);
        assert!(manifest.is_none(), "{spec}");
        assert!(findings.iter().any(|finding| finding.code == code), "{spec}: {findings:?}");
    }
}

#[test]
fn every_field_has_a_page() {
    for path in field_paths(&PROFILE) {
        let page = lookup(&PROFILE, &path.split('.').collect::<Vec<_>>()).unwrap();
        assert_eq!(page.path.join("."), path);
    }
    let page = lookup(&PROFILE, &["spec", "policy", "core", "max_task_retry_delay"]).unwrap();
    assert!(page.doc.contains("86400"), "{}", page.doc);
    assert!(lookup(&PROFILE, &["spec", "policy", "core"]).is_err());
    assert!(lookup(&PROFILE, &["spec", "policy", "retries", "more"]).is_err());
}
