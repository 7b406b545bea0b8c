//! `--report`: the results of a command in the formats of CI systems.

use super::command_line;
use super::output_file::{OutputFile, resolve_path};
use crate::cli::{Context, Exit, Refusal, is_broken_pipe};
use crate::report::comment::{self, Failure};
use crate::report::{ReportFormat, ReportPaths, Reported, RunFacts};
use crate::ui::Ui;
use anyhow::Result;
use clap::Args;
use std::cell::Cell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

/// Reports for other programs.
#[derive(Debug, Default, Args)]
pub struct ReportArgs {
    /// Write a report for another program (repeatable; `-` for stdout)
    ///
    /// FORMAT is junit (test results), sarif (GitHub code scanning), github (annotations of a pull
    /// request), gitlab (Code Quality), markdown (a section of a comment on a change; several commands may
    /// write to one file) or json (as `-o json`). A report is written also if the command fails. Findings
    /// are then still printed, except if a report goes to stdout.
    #[arg(long, value_name = "FORMAT=FILE")]
    report: Vec<ReportTarget>,
}

/// The report of a replay or of a simulated cluster.
#[derive(Debug, Default, Args)]
pub struct MarkdownReportArgs {
    /// Write the answer as Markdown, for a comment on a change (`-` for stdout)
    ///
    /// FORMAT is markdown. A file may have sections of several commands: this one replaces its own, and
    /// keeps the rest.
    #[arg(long, value_name = "FORMAT=FILE")]
    report: Vec<MarkdownTarget>,
}

/// A Markdown report and its file.
#[derive(Debug, Clone)]
struct MarkdownTarget(ReportTarget);

impl FromStr for MarkdownTarget {
    type Err = String;

    /// Reads `markdown=FILE`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=').unwrap_or((text, "")).0 {
            "markdown" => Ok(Self(text.parse()?)),
            name => Err(format!(
                "`simulate` has no report `{name}`: write markdown=FILE, or use -o json or -o csv"
            )),
        }
    }
}

impl MarkdownReportArgs {
    /// Whether a report is wanted.
    pub(super) fn is_given(&self) -> bool {
        !self.report.is_empty()
    }

    /// The reports of a run of a command.
    pub(super) fn begin(&self, command: &'static str) -> Reports {
        Reports::new(command, self.report.iter().map(|target| target.0.clone()).collect())
    }
}

/// A report and its file.
#[derive(Debug, Clone)]
struct ReportTarget {
    format: ReportFormat,
    file: PathBuf,
}

impl ReportTarget {
    fn is_stdout(&self) -> bool {
        self.file.as_os_str() == "-"
    }

    /// Whether it is a file with sections of commands.
    fn is_section_of_file(&self) -> bool {
        self.format == ReportFormat::Markdown && !self.is_stdout()
    }

    /// Writes a report. A Markdown file keeps the sections of other commands.
    fn write(&self, ui: &mut Ui, command: &str, text: &str) -> Result<()> {
        let is_section = self.format == ReportFormat::Markdown;
        if self.is_stdout() {
            let whole = is_section.then(|| comment::document(command, text));
            return Ok(ui.data(whole.as_deref().unwrap_or(text))?);
        }
        let merged = is_section.then(|| self.merged(command, text)).transpose()?;
        let mut file = OutputFile::create(&self.file)?;
        file.bytes(merged.as_deref().unwrap_or(text).as_bytes());
        file.finish()
    }

    /// The text of the file with the section of a command.
    fn merged(&self, command: &str, section: &str) -> Result<String> {
        let merged = comment::merge(&self.existing()?, command, section);
        merged.map_err(|error| self.refuse(&error))
    }

    /// The text of the file; empty if there is none, or if it is no regular file.
    fn existing(&self) -> Result<String> {
        if self.is_stdout() || !self.file.is_file() {
            return Ok(String::new());
        }
        std::fs::read_to_string(&self.file).map_err(|error| {
            let message = format!("--report: cannot read `{}`: {error}", self.file.display());
            Refusal::input(message).help("write to another file").into()
        })
    }

    fn refuse(&self, error: &comment::FileError) -> anyhow::Error {
        let message =
            format!("--report: cannot write a section to `{}`: {error}", self.file.display());
        Refusal::input(message).help(error.help()).into()
    }
}

impl FromStr for ReportTarget {
    type Err = String;

    /// Reads `FORMAT=FILE`.
    fn from_str(text: &str) -> Result<Self, String> {
        let names = || ReportFormat::ALL.map(ReportFormat::name).join(", ");
        let (name, file) = text.split_once('=').unwrap_or((text, ""));
        let format = ReportFormat::ALL.into_iter().find(|format| format.name() == name);
        match format {
            None => Err(format!("unknown format `{name}`; it is one of {}", names())),
            Some(_) if file.is_empty() => Err(format!("write {name}=FILE, or {name}=- for stdout")),
            Some(format) => Ok(Self { format, file: file.into() }),
        }
    }
}

/// The reports of a run.
#[derive(Debug)]
pub(super) struct Reports {
    command: &'static str,
    targets: Vec<ReportTarget>,
    start: Instant,
    failure: Cell<FailurePlan>,
}

/// Where the section of a command that fails is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FailurePlan {
    /// To files that are comments already: others may be inputs.
    Comments,
    /// To all files, of which none is an input.
    All,
    /// Nowhere: the section has a report.
    None,
}

impl ReportArgs {
    /// The reports of a run of a command.
    pub(super) fn begin(&self, command: &'static str) -> Reports {
        Reports::new(command, self.report.clone())
    }
}

impl Reports {
    fn new(command: &'static str, targets: Vec<ReportTarget>) -> Self {
        let failure = Cell::new(FailurePlan::Comments);
        Self { command, targets, start: Instant::now(), failure }
    }

    /// Runs the command. If an error ends it before it has written its section of a comment, the section becomes
    /// the error, so that no figures of an earlier run are left.
    pub(super) fn run(
        &self,
        context: &mut Context<'_>,
        run: impl FnOnce(&mut Context<'_>, &Self) -> Result<Exit>,
    ) -> Result<Exit> {
        let result = run(context, self);
        if let Err(error) = &result
            && !is_broken_pipe(error)
        {
            self.write_failure(context, error);
        }
        result
    }

    /// Writes the error that ended the command. An error in writing it is not reported: it would hide the first.
    fn write_failure(&self, context: &mut Context<'_>, error: &anyhow::Error) {
        let is_comment = |it: &ReportTarget| it.existing().is_ok_and(|it| comment::is_comment(&it));
        let is_planned = |target: &&ReportTarget| match self.failure.get() {
            FailurePlan::None => false,
            FailurePlan::All => true,
            FailurePlan::Comments => is_comment(target),
        };
        for target in self.targets.iter().filter(|it| it.is_section_of_file()).filter(is_planned) {
            let section = failure(self.command, error, &context.globals.words);
            let _ = target.write(context.ui, self.command, &section);
        }
    }

    /// Refuses files that collide: with each other, or with one of the inputs that `is_input` accepts.
    pub(super) fn refuse_inputs(&self, is_input: impl Fn(&Path) -> bool) -> Result<()> {
        let mut files: Vec<PathBuf> = Vec::new();
        for target in &self.targets {
            let resolved = resolve_path(&target.file);
            if !target.is_stdout() && is_input(&resolved) {
                let is_input = if resolved.exists() {
                    "is also an input"
                } else {
                    "would be an input of the next run"
                };
                let message = format!("--report: `{}` {is_input}", target.file.display());
                let help =
                    "write it to another directory, or leave it out of the inputs with --exclude";
                return Err(Refusal::usage(message).help(help).into());
            }
            let path = if target.is_stdout() { target.file.clone() } else { resolved };
            // Several reports may go to /dev/null.
            let is_special = path.metadata().is_ok_and(|file| !file.is_file());
            if files.contains(&path) && !is_special {
                let message = if target.is_stdout() {
                    "two reports go to standard output".to_owned()
                } else {
                    format!("two reports go to `{}`", target.file.display())
                };
                return Err(Refusal::usage(message).help("name a file for each").into());
            }
            if target.format == ReportFormat::Markdown {
                // A file that a section cannot be put into is refused before the work.
                comment::check(&target.existing()?).map_err(|error| target.refuse(&error))?;
            }
            files.push(path);
        }
        self.failure.set(FailurePlan::All);
        Ok(())
    }

    /// Whether a report goes to standard output, which then has no other data.
    pub(super) fn has_stdout(&self) -> bool {
        self.targets.iter().any(ReportTarget::is_stdout)
    }

    /// Writes all reports. If one cannot be written, the others are written before the error is returned.
    pub(super) fn write(&self, ui: &mut Ui, reported: &Reported<'_>) -> Result<()> {
        if self.targets.is_empty() {
            return Ok(());
        }
        self.failure.set(FailurePlan::None);
        let run = RunFacts { elapsed: self.start.elapsed(), paths: paths() };
        let written: Vec<Result<()>> = self
            .targets
            .iter()
            .map(|target| target.write(ui, self.command, &target.format.render(reported, &run)))
            .collect();
        written.into_iter().collect()
    }

    /// Writes the section of the command to all files, as [`Reports::write`] does. It is made only if there is a file.
    pub(super) fn write_markdown(&self, ui: &mut Ui, section: impl Fn() -> String) -> Result<()> {
        if self.targets.is_empty() {
            return Ok(());
        }
        self.failure.set(FailurePlan::None);
        let section = section();
        let written: Vec<Result<()>> =
            self.targets.iter().map(|target| target.write(ui, self.command, &section)).collect();
        written.into_iter().collect()
    }
}

/// The section of a command that an error ended.
fn failure(command: &'static str, error: &anyhow::Error, words: &[OsString]) -> String {
    let Refusal { exit, message, help, findings, is_summary } = &Refusal::from(error);
    let failure = Failure {
        command,
        exit: exit.code(),
        message: (findings.is_empty() || *is_summary).then_some(message),
        help: help.as_deref(),
        findings,
        line: command_line::for_shell(words, &command_line::names(words)),
    };
    failure.markdown(&paths(), &command_line::files(words))
}

/// The working directory, and the root of the repository above it: the nearest directory with `.git`, which is a
/// file in a worktree. Without one, the working directory is the root.
fn paths() -> ReportPaths {
    let directory = std::env::current_dir().unwrap_or_default();
    let is_root = |path: &&Path| path.join(".git").exists();
    let root = directory.ancestors().find(is_root).unwrap_or(&directory);
    ReportPaths::new(&directory.to_string_lossy(), &root.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(targets: &[&str]) -> ReportArgs {
        ReportArgs { report: targets.iter().map(|text| text.parse().unwrap()).collect() }
    }

    #[test]
    fn a_target_is_a_format_and_a_file() {
        let target: ReportTarget = "sarif=a=b.sarif".parse().unwrap();
        assert_eq!((target.format, target.file), (ReportFormat::Sarif, "a=b.sarif".into()));
        for (text, message) in [
            (
                "xml=a",
                "unknown format `xml`; it is one of junit, sarif, github, gitlab, markdown, json",
            ),
            (
                "a.xml",
                "unknown format `a.xml`; it is one of junit, sarif, github, gitlab, markdown, json",
            ),
            ("junit", "write junit=FILE, or junit=- for stdout"),
            ("json=", "write json=FILE, or json=- for stdout"),
        ] {
            assert_eq!(text.parse::<ReportTarget>().unwrap_err(), message);
        }
    }

    #[test]
    fn files_that_collide_are_refused() {
        let refused = |targets: &[&str]| {
            let input = resolve_path(Path::new("in.json"));
            let reports = Reports::new("validate", args(targets).report);
            reports.refuse_inputs(|file| file == input).err().map(|error| error.to_string())
        };
        let message = |text: &str| Some(text.to_owned());
        assert_eq!(refused(&["sarif=a", "junit=b", "junit=-", "json=c"]), None);
        assert_eq!(refused(&["sarif=a", "junit=./a"]), message("two reports go to `./a`"));
        assert_eq!(refused(&["sarif=-", "junit=-"]), message("two reports go to standard output"));
        assert_eq!(
            refused(&["json=./in.json"]),
            message("--report: `./in.json` would be an input of the next run")
        );
        assert_eq!(refused(&["json=/dev/null", "junit=/dev/null"]), None);
    }
}
