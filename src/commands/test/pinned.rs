//! The suites of `compare --as-tests`: tests that hold under the version after, and fail under the one before.

use super::armada::settings_fields;
use super::relative_path::relative;
use super::{manifests, suites};
use crate::analysis::unit_test::{Case, PinnedFailures, Scaffolding, pinned_tests};
use crate::cli::Refusal;
use crate::commands::policy_set::{PolicySet, PolicySetArgs};
use crate::project::{Manifests, PolicyScope, Project};
use crate::report::test_yaml::TestFileHead;
use anyhow::Result;
use armada_retry::policy::{Documents, SchedulerSettings};
use document::Document;
use replay::history::GraceBounds;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use systems::armada::Armada;
use systems::{ManifestSystem, Options};

/// A policy or the list of a queue, with the failures that two versions decide otherwise.
pub(in crate::commands) struct PinnedSuite<'s> {
    /// The engines before and after.
    pub(in crate::commands) engines: &'s [Armada; 2],
    /// The documents of the version after.
    pub(in crate::commands) documents: &'s Documents,
    /// The settings of the version after.
    pub(in crate::commands) settings: &'s SchedulerSettings,
    /// The name of the policy; none for the list of a queue, which the failures name.
    pub(in crate::commands) policy: Option<&'s str>,
    pub(in crate::commands) differences: Vec<PinnedFailures>,
}

/// Makes the tests of a suite. `path` is the file or directory of the version after, `file` the test file.
///
/// # Errors
///
/// If `test` cannot read the policies: a file has policies of both forms.
pub(in crate::commands) fn pinned_suite(
    suite: PinnedSuite<'_>,
    (path, file): (&Path, &Path),
    comments: Vec<String>,
) -> Result<(TestFileHead, Scaffolding)> {
    let PinnedSuite { engines, documents, settings, policy, differences } = suite;
    let found = documents.policies.iter().find(|it| Some(it.policy.name.as_str()) == policy);
    let own_file = found.map(|it| it.document.source.name());
    let is_own = |name: &str| own_file.is_none_or(|own| own == name);
    let own = documents.policies.iter().filter(|it| is_own(it.document.source.name()));
    let own = Documents { policies: own.cloned().collect(), ..Documents::default() };
    let paths = [own_file.map_or_else(|| path.to_owned(), PathBuf::from)];
    let mut head = TestFileHead {
        comments,
        policies: relative(&paths, Some(file)),
        ..TestFileHead::default()
    };
    if let Some(policy) = policy.filter(|_| own.policies.len() > 1) {
        head.settings.insert("queuePolicies".to_owned(), json!([policy]));
    }
    let fields = settings_fields(settings);
    if !fields.is_empty() {
        head.settings.insert("schedulerConfig".to_owned(), fields.into());
    }
    // Refuses what `test` refuses.
    let args = PolicySetArgs::without_files();
    PolicySet::with_settings(own, (settings.clone(), Vec::new()), &args)?;
    let limits = GraceBounds::from(settings);
    let engines = [&engines[0], &engines[1]];
    let read = &|document: &Document, case: &Case<'_>| suites::read_example(document, case, limits);
    Ok((head, pinned_tests(engines, read, differences)))
}

/// A manifest with the failures that two versions decide otherwise.
pub(in crate::commands) struct PinnedManifest<'s, S: ManifestSystem> {
    /// The engine before.
    pub(in crate::commands) engine: &'s S,
    /// The documents before and after.
    pub(in crate::commands) documents: [&'s Document; 2],
    /// The unit of the manifest, which failures name if the file has several manifests.
    pub(in crate::commands) unit: String,
    /// The differences.
    pub(in crate::commands) differences: Vec<PinnedFailures>,
}

/// Makes the tests of a manifest. `file` is the test file.
///
/// # Errors
///
/// If `test` cannot read the file of the manifest: it has policies of several systems, or several profiles.
pub(in crate::commands) fn pinned_manifest<S: ManifestSystem>(
    manifest: PinnedManifest<'_, S>,
    file: &Path,
    comments: Vec<String>,
) -> Result<(TestFileHead, Scaffolding)> {
    let PinnedManifest { engine, documents: [old, new], unit, mut differences } = manifest;
    let paths = [PathBuf::from(new.source.name())];
    let Project { documents, mut findings, .. } = Project::read(&paths, PolicyScope::OneSystem);
    let options = alpha_features([old, new]);
    let manifests = Manifests::<S>::read(&documents, &options, &mut findings);
    if findings.has_errors() {
        let refusal = Refusal::findings(findings.sorted());
        return Err(refusal.with_count("no test was written").into());
    }
    let count = manifests.items().count();
    if S::DESCRIPTION.applies_to_all_units() && count > 1 {
        let (file, kind) = (new.source.name(), S::DESCRIPTION.kind());
        let message =
            format!("`--as-tests`: `{file}` has {count} {kind}s, and tests apply one to all units");
        return Err(Refusal::usage(message).help("write each to a file of its own").into());
    }
    if manifests.only().is_none() {
        let failures = differences.iter_mut().flat_map(|it| &mut it.failures);
        for failure in failures {
            failure["jobId"] = json!(unit);
        }
    }
    let mut head = TestFileHead {
        comments,
        policies: relative(&paths, Some(file)),
        ..TestFileHead::default()
    };
    let gates = [("RestartJob", options.restart_job), ("InPlaceRestart", options.in_place_restart)];
    let gates = gates.into_iter().filter(|(_, is_on)| *is_on);
    let gates: Map<String, Value> = gates.map(|(gate, _)| (gate.to_owned(), json!(true))).collect();
    if !gates.is_empty() {
        head.settings.insert("featureGates".to_owned(), gates.into());
    }
    let after = manifests.engine();
    let read = &|document: &Document, case: &Case<'_>| {
        manifests::read_example(document, case, &manifests, &after)
    };
    Ok((head, pinned_tests([engine, &after], read, differences)))
}

/// The alpha features that documents use, which are on in a comparison and off in tests.
fn alpha_features(documents: [&Document; 2]) -> Options {
    let has_word = |words: &[&str]| {
        let mut texts = documents.into_iter().map(|it| it.source.text());
        let is_part = |c: char| c.is_ascii_alphanumeric();
        texts.any(|text| text.split(|c| !is_part(c)).any(|word| words.contains(&word)))
    };
    Options {
        restart_job: has_word(&["RestartJob", "RestartJobAndIgnoreMaxRestarts"]),
        in_place_restart: has_word(&["InPlaceRestart"]),
        ..Options::default()
    }
}
