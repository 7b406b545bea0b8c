//! The suites of `compare --as-tests`: tests that hold under the version after, and fail under the one before.

use super::armada::settings_fields;
use super::relative_path::relative;
use super::suites::read_sample;
use crate::analysis::unit_test::{Case, PinnedFailures, Scaffolding, pinned_tests};
use crate::commands::policy_set::{PolicySet, PolicySetArgs};
use crate::report::test_file::TestFileHead;
use anyhow::Result;
use armada_retry::policy::{Documents, SchedulerSettings};
use document::Document;
use replay::history::GraceBounds;
use serde_json::json;
use std::path::{Path, PathBuf};
use systems::armada::Armada;

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
    let read = &|document: &Document, case: &Case<'_>| read_sample(document, case, limits);
    Ok((head, pinned_tests(engines, read, differences)))
}
