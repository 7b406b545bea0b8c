//! `--as-tests`: a test of each difference, which holds under the version after and fails under the one before.

use super::manifest_pairs::Pairs;
use super::manifests::Manifest;
use super::side::Version;
use crate::analysis::unit_test::{PinnedFailures, Scaffolding};
use crate::cli::{Context, Refusal};
use crate::commands::test::{
    PinnedManifest, PinnedSuite, pinned_manifest, pinned_suite, refuse_existing, save,
};
use crate::report::test_yaml::TestFileHead;
use crate::report::{ComparedItem, DifferenceGroup};
use anyhow::Result;
use document::diag::plural;
use serde_json::Value;
use std::path::Path;
use systems::ManifestSystem;
use systems::armada::Armada;

pub(super) struct TestFile<'f> {
    /// Its path.
    file: &'f Path,
    /// The files or directories of both versions.
    versions: [&'f Path; 2],
    suites: Vec<(TestFileHead, Scaffolding)>,
    /// The number of differences without a test.
    left_out: usize,
}

impl<'f> TestFile<'f> {
    /// A file without tests; none if no file is wanted.
    ///
    /// # Errors
    ///
    /// If the file exists, or if it could not name the policies.
    pub(super) fn begin(file: Option<&'f Path>, versions: [&'f Path; 2]) -> Result<Option<Self>> {
        let Some(file) = file else { return Ok(None) };
        if versions[1].as_os_str() == "-" {
            let message = "`--as-tests`: a test file names the files of its policies, and NEW is standard input";
            return Err(Refusal::usage(message).help("write the policies to a file").into());
        }
        refuse_existing(Some(file))?;
        Ok(Some(Self { file, versions, suites: Vec::new(), left_out: 0 }))
    }

    /// Adds the tests of the differences of an item. `policy` is its name; none for the list of a queue.
    pub(super) fn add(
        &mut self,
        item: &ComparedItem,
        policy: Option<&str>,
        (engines, new): (&[Armada; 2], &Version),
    ) -> Result<()> {
        let differences = pinned_failures(item);
        if differences.is_empty() {
            return Ok(());
        }
        let (documents, settings) = (new.documents(), new.settings());
        let suite = PinnedSuite { engines, documents, settings, policy, differences };
        let paths = (self.versions[1], self.file);
        self.push(item, pinned_suite(suite, paths, self.comments(item))?);
        Ok(())
    }

    /// Adds the tests of the differences of manifests, each of which has its item.
    pub(super) fn add_manifests<S: ManifestSystem>(
        &mut self,
        pairs: &Pairs<S>,
        items: &[ComparedItem],
    ) -> Result<()> {
        for (number, versions) in pairs.both() {
            let item = &items[number];
            let differences = pinned_failures(item);
            if differences.is_empty() {
                continue;
            }
            let [old, new] = versions;
            let (engine, unit) = (&old.engine(), new.unit());
            let documents = versions.map(Manifest::document);
            let manifest = PinnedManifest { engine, documents, unit, differences };
            self.push(item, pinned_manifest(manifest, self.file, self.comments(item))?);
        }
        Ok(())
    }

    /// The lines above the tests of an item.
    fn comments(&self, item: &ComparedItem) -> Vec<String> {
        let [old, new] = self.versions.map(Path::display);
        vec![
            format!("Each test is a difference of {} between {old} and {new}:", item.label()),
            "it passes under the second, and fails under the first.".to_owned(),
        ]
    }

    fn push(&mut self, item: &ComparedItem, suite: (TestFileHead, Scaffolding)) {
        let tests = suite.1.tests.len();
        self.left_out += item.groups().len() - tests;
        if tests > 0 {
            self.suites.push(suite);
        }
    }

    /// Writes the file, and prints a note.
    pub(super) fn save(self, context: &mut Context<'_>) -> Result<()> {
        let file = self.file.display();
        match self.suites.as_slice() {
            [] => context
                .ui
                .note(&format!("note: {file} is not written, as it would have no test"))?,
            suites => save(context, self.file, suites)?,
        }
        if self.left_out > 0 {
            let differences = plural(self.left_out, "difference has", "differences have");
            let message = format!(
                "note: {differences} no test, since NEW makes no decision that one could expect"
            );
            context.ui.note(&message)?;
        }
        Ok(())
    }
}

/// The failures of each difference, and its name and the decision before as texts.
fn pinned_failures(item: &ComparedItem) -> Vec<PinnedFailures> {
    let pinned = |group: &DifferenceGroup| PinnedFailures {
        name: group.headline().replace('`', ""),
        comments: vec![format!("before: {}", group.sides()[0])],
        failures: failures(group.history(), item.is_armadas()),
    };
    item.groups().iter().map(pinned).collect()
}

/// The failures of the only job of a history, as fields of a test document.
fn failures(history: &Value, is_armadas: bool) -> Vec<Value> {
    let job = &history["spec"]["jobs"][0];
    let runs = job["runs"].as_array().into_iter().flatten();
    let failure = |run: &Value| {
        let mut fields = job.as_object().cloned().unwrap_or_default();
        fields.extend(run.as_object().cloned().unwrap_or_default());
        // The id is that of the test's job, and runs without times follow each other. The wait for a pod is counted from
        // the end of the run. Decisions of other systems may depend on both.
        let is_timed = fields.contains_key("terminationConfirmedAt");
        fields.retain(|key, _| match key.as_str() {
            "runs" => false,
            "jobId" | "startedAt" => !is_armadas,
            "finishedAt" => !is_armadas || is_timed,
            _ => true,
        });
        Value::Object(fields)
    };
    runs.map(failure).collect()
}
