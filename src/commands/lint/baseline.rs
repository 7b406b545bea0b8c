//! `--baseline`: reads and writes the findings that are not reported.

use crate::analysis::baseline::{
    Baseline, BaselineFinding, fingerprints, is_baseline, read_baseline,
};
use crate::analysis::suppression::SuppressedFinding;
use crate::cli::{Context, Exit, Refusal};
use crate::commands::check::Checked;
use crate::commands::output_file::OutputFile;
use crate::input::{self, find_repository, relative_path, resolve_path};
use crate::project;
use crate::report::{self, BaselineDocument};
use anyhow::Result;
use document::Limits;
use document::diag::{Code, Diagnostic, Findings, Severity, plural};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The baseline of a command.
pub(super) struct BaselineFile {
    path: PathBuf,
    /// The root of the repository that it is in, from which it names files.
    root: PathBuf,
    /// Its findings; none if it is written for the first time.
    baseline: Baseline,
}

impl BaselineFile {
    /// Reads the baseline. Errors in it stop the command, and without `may_be_absent` an absent one does.
    pub(super) fn read(
        context: &mut Context<'_>,
        path: &Path,
        may_be_absent: bool,
    ) -> Result<Self> {
        if path.as_os_str() == "-" {
            return Err(Refusal::usage("--baseline names a file, and cannot be `-`").into());
        }
        let root = find_repository(resolve_path(path).parent().unwrap_or(Path::new("/")));
        let file = |baseline| Self { path: path.to_owned(), root, baseline };
        if !path.exists() {
            if may_be_absent {
                return Ok(file(Baseline::default()));
            }
            let message = format!("the baseline `{}` does not exist", path.display());
            let help = "--write-baseline makes it from the findings of today";
            return Err(Refusal::input(message).help(help).into());
        }
        let mut findings = Findings::new();
        let source = input::read_text(path, Limits::HISTORY, &mut findings);
        if let Some(source) = source.as_ref().filter(|source| !is_baseline(source.text())) {
            let message = format!("`{}` is not a baseline", source.name());
            let help = "name the file that --write-baseline wrote, or a new one with it";
            return Err(Refusal::input(message).help(help).into());
        }
        let baseline = source.and_then(|source| {
            let (baseline, more) = read_baseline(&source);
            findings.extend(more);
            baseline
        });
        project::refuse_errors(context.ui, findings)?;
        Ok(file(baseline.unwrap_or_default()))
    }

    /// The path of a file that the command names, from the root.
    fn path_of(&self, name: &str) -> String {
        relative_path(&resolve_path(Path::new(name)), &self.root)
    }

    /// The scope of a command with these files.
    pub(super) fn scope<'a>(
        &'a self,
        files: &[String],
        is_active: &'a dyn Fn(Code) -> bool,
    ) -> LintScope<'a> {
        let files = files.iter().map(|name| self.path_of(name)).collect();
        LintScope { files, root: &self.root, is_active }
    }

    fn fingerprints(&self, findings: &[Diagnostic]) -> Vec<String> {
        fingerprints(findings, |name| self.path_of(name))
    }

    /// Takes the findings of the baseline out of those that are reported, and notes those that were not found. Errors of
    /// documents stay, since such a document cannot be used.
    pub(super) fn apply(
        &self,
        context: &mut Context<'_>,
        linted: &mut Linted,
        scope: &LintScope<'_>,
    ) -> Result<()> {
        let items = std::mem::take(&mut linted.items);
        let fingerprints = self.fingerprints(&items);
        let all = items.len();
        let is_new = |(item, fingerprint): &(Diagnostic, &String)| {
            is_document_error(item) || !self.baseline.has(fingerprint)
        };
        let new = items.into_iter().zip(&fingerprints).filter(is_new);
        linted.items = new.map(|(item, _)| item).collect();
        linted.in_baseline = all - linted.items.len();
        // A document with an error has no lints.
        let missing = self.baseline.not_among(&fingerprints).filter(|it| scope.covers(it));
        let missing = if linted.has_errors() { 0 } else { missing.count() };
        if missing > 0 {
            let findings = plural(missing, "finding", "findings");
            context.ui.note(&format!(
                "note: of the baseline, {findings} not found: corrected, or in need of other inputs \
                 (--write-baseline leaves them out)"
            ))?;
        }
        Ok(())
    }

    /// Writes the findings as the baseline. Those outside of the scope stay.
    ///
    /// # Errors
    ///
    /// If a document has an error.
    pub(super) fn write(
        &self,
        context: &mut Context<'_>,
        linted: Linted,
        scope: &LintScope<'_>,
    ) -> Result<Exit> {
        if linted.has_errors() {
            let errors = linted.items.into_iter().filter(is_document_error).collect();
            return Err(Refusal::findings(errors).with_count("no baseline was written").into());
        }
        let fingerprints = self.fingerprints(&linted.items);
        let missing = self.baseline.not_among(&fingerprints).filter(|it| !scope.covers(it));
        let kept: Vec<BaselineFinding> = missing.cloned().collect();
        let kept_count = kept.len();
        let item = |(finding, fingerprint): (&Diagnostic, String)| BaselineFinding {
            file: finding.place.as_ref().map_or(String::new(), |it| self.path_of(it.source.name())),
            id: finding.code.id().to_owned(),
            message: finding.message.clone(),
            fingerprint,
        };
        let all = linted.items.iter().zip(fingerprints).map(item).chain(kept).collect();
        let mut file = OutputFile::create(&resolve_path(&self.path))?;
        file.bytes(report::yaml(&BaselineDocument::new(all))?.as_bytes());
        file.finish()?;
        let findings = plural(linted.items.len(), "finding", "findings");
        let kept = match kept_count {
            0 => String::new(),
            count => format!("; {count} of other files and ids stay"),
        };
        context.ui.flush()?;
        let path = self.path.display();
        context.ui.note(&format!("note: {findings} written to `{path}`{kept}"))?;
        Ok(Exit::Done)
    }
}

/// The files and ids of a command, whose findings it reports.
pub(super) struct LintScope<'a> {
    /// The files, from the root of the repository.
    files: HashSet<String>,
    root: &'a Path,
    /// Whether the findings of an id are reported.
    is_active: &'a dyn Fn(Code) -> bool,
}

impl LintScope<'_> {
    /// Whether a finding of the baseline would have been found. A file that is gone has no findings.
    fn covers(&self, finding: &BaselineFinding) -> bool {
        let is_read = self.files.contains(&finding.file) || !self.root.join(&finding.file).exists();
        is_read && Code::from_id(&finding.id).is_none_or(self.is_active)
    }
}

/// The result of linting some texts.
pub(super) struct Linted {
    pub(super) checked: Checked,
    /// The reported findings, by place.
    pub(super) items: Vec<Diagnostic>,
    /// The suppressed findings.
    pub(super) suppressed: Vec<SuppressedFinding>,
    /// The number of findings that are in the baseline.
    pub(super) in_baseline: usize,
}

impl Linted {
    /// Whether a document cannot be used.
    pub(super) fn has_errors(&self) -> bool {
        self.items.iter().any(is_document_error)
    }

    /// The exit code: 3 if a document has an error, 1 if there is a finding at or above the level.
    pub(super) fn exit(&self, fail_on: Severity) -> Exit {
        if self.has_errors() {
            Exit::Input
        } else if self.items.iter().any(|item| item.severity <= fail_on) {
            Exit::No
        } else {
            Exit::Done
        }
    }
}

/// Whether a finding is that a document cannot be used.
pub(super) fn is_document_error(item: &Diagnostic) -> bool {
    item.severity == Severity::Error && item.code.is_about_documents()
}
