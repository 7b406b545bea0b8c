//! `--as-tests`: a test of each difference, which holds under the version after and fails under the one before.

use super::side::Version;
use crate::analysis::unit_test::{PinnedFailures, Scaffolding};
use crate::cli::{Context, Refusal};
use crate::commands::test::{PinnedSuite, pinned_suite, refuse_existing, save};
use crate::report::test_file::TestFileHead;
use crate::report::{ComparedItem, DifferenceGroup};
use anyhow::Result;
use document::diag::plural;
use serde_json::Value;
use std::path::Path;
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
        let differences: Vec<PinnedFailures> = item.groups().iter().map(pinned).collect();
        let count = differences.len();
        if count == 0 {
            return Ok(());
        }
        let (documents, settings) = (new.documents(), new.settings());
        let suite = PinnedSuite { engines, documents, settings, policy, differences };
        let [old, new] = self.versions;
        let (subject, old) = (item.label(), old.display());
        let comments = vec![
            format!("Each test is a difference of {subject} between {old} and {}:", new.display()),
            "it passes under the second, and fails under the first.".to_owned(),
        ];
        let (head, scaffolding) = pinned_suite(suite, (new, self.file), comments)?;
        self.left_out += count - scaffolding.tests.len();
        if !scaffolding.tests.is_empty() {
            self.suites.push((head, scaffolding));
        }
        Ok(())
    }

    /// Counts the differences of items that have no tests: manifests of other systems than Armada.
    pub(super) fn leave_out(&mut self, items: &[ComparedItem]) {
        self.left_out += items.iter().map(|item| item.groups().len()).sum::<usize>();
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
            let message =
                format!("note: {differences} no test, such as those of manifests of other systems");
            context.ui.note(&message)?;
        }
        Ok(())
    }
}

/// The failures of a difference, and its name and the decision before as texts.
fn pinned(group: &DifferenceGroup) -> PinnedFailures {
    let [before, _] = group.sides();
    PinnedFailures {
        name: group.headline().replace('`', ""),
        comments: vec![format!("before: {before}")],
        failures: failures(group.history()),
    }
}

/// The failures of the only job of a history, as fields of a test document.
fn failures(history: &Value) -> Vec<Value> {
    let job = &history["spec"]["jobs"][0];
    let runs = job["runs"].as_array().into_iter().flatten();
    let failure = |run: &Value| {
        let mut fields = job.as_object().cloned().unwrap_or_default();
        fields.extend(run.as_object().cloned().unwrap_or_default());
        // The id is that of the test's job, and runs without times follow each other. The wait for a pod is counted from
        // the end of the run.
        let is_timed = fields.contains_key("terminationConfirmedAt");
        fields.retain(|key, _| match key.as_str() {
            "jobId" | "runs" | "startedAt" => false,
            "finishedAt" => is_timed,
            _ => true,
        });
        Value::Object(fields)
    };
    runs.map(failure).collect()
}
