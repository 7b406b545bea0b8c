//! `--report`: the results of a command in the formats of CI systems.

use super::command_line;
use super::output_file::OutputFile;
use crate::cli::{Context, Exit, Refusal, is_broken_pipe};
use crate::input::{find_repository, resolve_path};
use crate::report::comment::{self, Failure};
use crate::report::page::Page;
use crate::report::{CiReport, ReportFormat, ReportPaths, RunFacts, html, svg};
use crate::ui::Ui;
use anyhow::Result;
use clap::Args;
use std::cell::{Cell, LazyCell};
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

/// Reports for other programs, and a page for people.
#[derive(Debug, Default, Args)]
pub struct ReportArgs {
    /// Write a report for another program, or a page (repeatable; `-` for stdout)
    ///
    /// FORMAT is junit (test results), sarif (GitHub code scanning), github (annotations of a pull
    /// request), gitlab (Code Quality), markdown (a section of a comment on a change; several commands may
    /// write to one file), html (a page with the findings at their lines) or json (as `-o json`). A report is
    /// written also if the command fails. Findings are then still printed, except if a report goes to stdout.
    #[arg(long, value_name = "FORMAT=FILE")]
    report: Vec<ReportTarget<ReportFormat>>,
    #[command(flatten)]
    open: OpenArgs,
}

/// The reports of a replay or of a simulated cluster.
#[derive(Debug, Default, Args)]
pub struct SimulationReportArgs {
    /// Write the report as a page, as pictures or as a comment (repeatable)
    ///
    /// FORMAT is html (a page for a browser, with pictures, in one file), svg (the pictures of the page, each
    /// a file in the folder FILE) or markdown (a section of a comment on a change: a file may have sections of
    /// several commands, and this one replaces its own). `-` is stdout, but for pictures.
    #[arg(long, value_name = "FORMAT=FILE")]
    report: Vec<ReportTarget<SimulationFormat>>,
    #[command(flatten)]
    open: OpenArgs,
}

#[derive(Debug, Default, Args)]
struct OpenArgs {
    /// Open the page of `--report html=FILE` in the browser
    ///
    /// Only if standard error is a terminal.
    #[arg(long, requires = "report")]
    open: bool,
}

/// The formats of the reports of some commands.
pub(super) trait Format: Copy + Send + Sync + 'static {
    /// All formats.
    const ALL: &'static [Self];

    /// The name on the command line.
    fn name(self) -> &'static str;

    /// The kind of its file.
    fn kind(self) -> FileKind;
}

/// The kind of the file of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    /// A text for other programs.
    Text,
    /// A section of a file that other commands write to.
    Section,
    /// A page for a browser.
    Page,
    /// A folder.
    Folder,
}

impl Format for ReportFormat {
    const ALL: &'static [Self] = &Self::ALL;

    fn name(self) -> &'static str {
        self.name()
    }

    fn kind(self) -> FileKind {
        match self {
            Self::Markdown => FileKind::Section,
            Self::Html => FileKind::Page,
            _ => FileKind::Text,
        }
    }
}

/// A format of the report of a replay or of a simulated cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SimulationFormat {
    /// A page for a browser.
    Html,
    /// Its pictures.
    Svg,
    /// A section of a comment on a change.
    Markdown,
}

impl SimulationFormat {
    /// The names on the command line.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.iter().map(|format| format.name())
    }
}

impl Format for SimulationFormat {
    const ALL: &'static [Self] = &[Self::Html, Self::Svg, Self::Markdown];

    fn name(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Svg => "svg",
            Self::Markdown => "markdown",
        }
    }

    fn kind(self) -> FileKind {
        match self {
            Self::Html => FileKind::Page,
            Self::Svg => FileKind::Folder,
            Self::Markdown => FileKind::Section,
        }
    }
}

/// The text of a report, or the names and texts of the files of a folder.
pub(super) enum ReportText {
    /// A text.
    File(String),
    /// Files.
    Folder(Vec<(String, String)>),
}

/// The most names of other pictures in a note.
const PICTURES: usize = 3;

/// A report and its file.
#[derive(Debug, Clone)]
struct ReportTarget<F> {
    format: F,
    file: PathBuf,
}

impl<F: Format> ReportTarget<F> {
    fn is_stdout(&self) -> bool {
        self.file.as_os_str() == "-"
    }

    fn is_section(&self) -> bool {
        self.format.kind() == FileKind::Section
    }

    /// Whether it is a file with sections of commands.
    fn is_section_of_file(&self) -> bool {
        self.is_section() && !self.is_stdout()
    }

    /// Writes a report. A Markdown file keeps the sections of other commands.
    fn write(&self, ui: &mut Ui, command: &str, text: &ReportText) -> Result<()> {
        match text {
            ReportText::File(text) => self.write_text(ui, command, text),
            ReportText::Folder(files) => self.write_folder(ui, files),
        }
    }

    fn write_text(&self, ui: &mut Ui, command: &str, text: &str) -> Result<()> {
        if self.is_stdout() {
            let whole = self.is_section().then(|| comment::document(command, text));
            return Ok(ui.data(whole.as_deref().unwrap_or(text))?);
        }
        let merged = self.is_section().then(|| self.merged(command, text)).transpose()?;
        write_file(&self.file, merged.as_deref().unwrap_or(text))
    }

    fn write_folder(&self, ui: &mut Ui, files: &[(String, String)]) -> Result<()> {
        let folder = self.file.display();
        std::fs::create_dir_all(&self.file).map_err(|error| {
            Refusal::input(format!("--report: cannot create the folder `{folder}`: {error}"))
        })?;
        files.iter().try_for_each(|(name, text)| write_file(&self.file.join(name), text))?;
        match self.other_pictures(files).as_slice() {
            [] => Ok(()),
            others => {
                let first = others.iter().take(PICTURES).map(|name| format!("`{name}`"));
                let first = first.collect::<Vec<_>>().join(", ");
                let more = if others.len() > PICTURES { ", .." } else { "" };
                Ok(ui.note(&format!("note: `{folder}` has other pictures: {first}{more}"))?)
            }
        }
    }

    /// The pictures in the folder that are not among these files, such as those of an earlier run.
    fn other_pictures(&self, files: &[(String, String)]) -> Vec<String> {
        let is_other = |name: &String| {
            let is_picture = Path::new(name).extension().is_some_and(|it| it == "svg");
            is_picture && !files.iter().any(|(own, _)| own == name)
        };
        let entries = std::fs::read_dir(&self.file).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(is_other).collect();
        names.sort_unstable();
        names
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

fn write_file(path: &Path, text: &str) -> Result<()> {
    let mut file = OutputFile::create(path)?;
    file.bytes(text.as_bytes());
    file.finish()
}

impl<F: Format> FromStr for ReportTarget<F> {
    type Err = String;

    /// Reads `FORMAT=FILE`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, file) = text.split_once('=').unwrap_or((text, ""));
        let format = F::ALL.iter().find(|format| format.name() == name);
        match format.map(|format| (*format, format.kind())) {
            None => {
                let names: Vec<&str> = F::ALL.iter().map(|format| format.name()).collect();
                Err(format!("unknown format `{name}`; it is one of {}", names.join(", ")))
            }
            Some((_, FileKind::Folder)) if matches!(file, "" | "-") => {
                Err(format!("write {name}=FOLDER: each picture is a file in it"))
            }
            Some(_) if file.is_empty() => Err(format!("write {name}=FILE, or {name}=- for stdout")),
            Some((format, _)) => Ok(Self { format, file: file.into() }),
        }
    }
}

/// The reports of a run.
#[derive(Debug)]
pub(super) struct Reports<F = ReportFormat> {
    command: &'static str,
    targets: Vec<ReportTarget<F>>,
    opens_page: bool,
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
        Reports::new(command, self.report.clone(), self.open.open)
    }
}

impl SimulationReportArgs {
    /// Whether a report is wanted.
    pub(super) fn is_given(&self) -> bool {
        !self.report.is_empty()
    }

    /// The reports of a run of a command.
    pub(super) fn begin(&self, command: &'static str) -> Reports<SimulationFormat> {
        Reports::new(command, self.report.clone(), self.open.open)
    }
}

impl<F: Format> Reports<F> {
    fn new(command: &'static str, targets: Vec<ReportTarget<F>>, opens_page: bool) -> Self {
        let failure = Cell::new(FailurePlan::Comments);
        Self { command, targets, opens_page, start: Instant::now(), failure }
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
        let is_comment =
            |it: &ReportTarget<F>| it.existing().is_ok_and(|it| comment::is_comment(&it));
        let is_planned = |target: &&ReportTarget<F>| match self.failure.get() {
            FailurePlan::None => false,
            FailurePlan::All => true,
            FailurePlan::Comments => is_comment(target),
        };
        for target in self.targets.iter().filter(|it| it.is_section_of_file()).filter(is_planned) {
            let section = failure(self.command, error, &context.globals.words);
            let _ = target.write(context.ui, self.command, &ReportText::File(section));
        }
    }

    /// Refuses files that collide: with each other, or with one of the inputs that `is_input` accepts.
    pub(super) fn refuse_inputs(&self, is_input: impl Fn(&Path) -> bool) -> Result<()> {
        let is_page = |it: &ReportTarget<F>| it.format.kind() == FileKind::Page && !it.is_stdout();
        if self.opens_page && !self.targets.iter().any(is_page) {
            let help = "add --report html=FILE";
            return Err(Refusal::usage("--open: no page is written to a file").help(help).into());
        }
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
            if target.format.kind() == FileKind::Folder && path.is_file() {
                let message = format!("--report: `{}` is a file", target.file.display());
                return Err(Refusal::usage(message).help("name a folder for the pictures").into());
            }
            if target.is_section() {
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
    pub(super) fn write_each(
        &self,
        ui: &mut Ui,
        mut text: impl FnMut(F) -> ReportText,
    ) -> Result<()> {
        if self.targets.is_empty() {
            return Ok(());
        }
        self.failure.set(FailurePlan::None);
        let written: Vec<Result<()>> = self
            .targets
            .iter()
            .map(|target| target.write(ui, self.command, &text(target.format)))
            .collect();
        written.into_iter().collect::<Result<()>>()?;
        self.open(ui)
    }

    /// Opens the page in a browser if `--open` is given and standard error is a terminal.
    fn open(&self, ui: &mut Ui) -> Result<()> {
        let mut pages = self.targets.iter().filter(|it| it.format.kind() == FileKind::Page);
        let Some(page) = pages.find(|it| !it.is_stdout()).filter(|_| self.opens_page) else {
            return Ok(());
        };
        let name = page.file.display();
        if !std::io::stderr().is_terminal() {
            return Ok(ui.note(&format!("--open: no terminal; the page is `{name}`"))?);
        }
        if let Err(error) = opener::open(&page.file) {
            let help = "open the file in a browser";
            let message = format!("--open: cannot open `{name}`: {error}");
            return Err(Refusal::input(message).help(help).into());
        }
        Ok(())
    }
}

impl Reports {
    /// Writes all reports of findings and tests.
    pub(super) fn write(&self, ui: &mut Ui, reported: &CiReport<'_>) -> Result<()> {
        let run = RunFacts { elapsed: self.start.elapsed(), paths: paths() };
        self.write_each(ui, |format| ReportText::File(format.render(reported, &run)))
    }
}

impl Reports<SimulationFormat> {
    /// Writes the page of a simulation in each format; makes it if there is one.
    pub(super) fn write_page(&self, ui: &mut Ui, page: impl FnOnce() -> Page) -> Result<()> {
        let page = LazyCell::new(page);
        self.write_each(ui, |format| match format {
            SimulationFormat::Html => ReportText::File(html(&page)),
            SimulationFormat::Svg => ReportText::Folder(svg::files(&page)),
            SimulationFormat::Markdown => ReportText::File(comment::markdown(&page)),
        })
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

/// The working directory, and the root of the repository that it is in.
fn paths() -> ReportPaths {
    let directory = std::env::current_dir().unwrap_or_default();
    let root = find_repository(&directory);
    ReportPaths::new(&directory.to_string_lossy(), &root.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(targets: &[&str]) -> ReportArgs {
        let report = targets.iter().map(|text| text.parse().unwrap()).collect();
        ReportArgs { report, ..ReportArgs::default() }
    }

    #[test]
    fn a_target_is_a_format_and_a_file() {
        let target: ReportTarget<ReportFormat> = "sarif=a=b.sarif".parse().unwrap();
        assert_eq!((target.format, target.file), (ReportFormat::Sarif, "a=b.sarif".into()));
        for (text, message) in [
            (
                "xml=a",
                "unknown format `xml`; it is one of junit, sarif, github, gitlab, markdown, html, json",
            ),
            (
                "a.xml",
                "unknown format `a.xml`; it is one of junit, sarif, github, gitlab, markdown, html, json",
            ),
            ("junit", "write junit=FILE, or junit=- for stdout"),
            ("json=", "write json=FILE, or json=- for stdout"),
        ] {
            assert_eq!(text.parse::<ReportTarget<ReportFormat>>().unwrap_err(), message);
        }
    }

    #[test]
    fn files_that_collide_are_refused() {
        let refused = |targets: &[&str]| {
            let input = resolve_path(Path::new("in.json"));
            let reports = Reports::new("validate", args(targets).report, false);
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
