//! `--base`: the replay that the repository describes in `.armadactl-lint.yaml`, of the policies of another directory
//! and of those here. It is the same command with the words of that file.

use super::SimulateArgs;
use super::inputs::history_files;
use crate::analysis::lint_config::{LINT_CONFIG_NAME, SimulateSettings};
use crate::cli::{Context, Refusal};
use crate::project::{self, RepositoryConfig};
use anyhow::Result;
use clap::FromArgMatches;
use document::diag::{self, Severity};
use replay::simulate::{NoteKind, NoteReport, SimulationReport};
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use std::slice;

/// The name of the policies of the other directory.
const BASE: &str = "base";
/// The name of the policies here.
const CHANGE: &str = "pr";

/// The replay that a command line with `--base` stands for.
pub(super) struct Comparison {
    /// The other directory.
    base: PathBuf,
    /// The command line with both sets of policies; `None` if the other directory has no policies.
    both: Option<CommandLine>,
    /// The command line with the policies here alone.
    alone: CommandLine,
}

/// A command line in place of one with `--base`.
pub(super) struct CommandLine {
    /// The words, the program's name first.
    pub(super) words: Vec<OsString>,
    /// The arguments that they are.
    pub(super) args: Box<SimulateArgs>,
}

impl Comparison {
    /// Reads the settings of the repository; `None` without `--base`.
    pub(super) fn read(context: &mut Context<'_>, args: &SimulateArgs) -> Result<Option<Self>> {
        let Some(base) = &args.base else { return Ok(None) };
        if !base.is_dir() {
            let message = format!("--base: `{}` is not a directory", base.display());
            return Err(Refusal::input(message).help("name a checkout of the base branch").into());
        }
        let found = project::read_repository_config(context.ui, None)?;
        let found = found.as_ref().and_then(|it| Some((it, it.config.simulate.as_ref()?)));
        let Some((found, settings)) = found else {
            let message = format!("--base: no `{LINT_CONFIG_NAME}` has `simulate`");
            let help = "write `simulate: {policies: [FILE], history: [FILE]}` in it";
            return Err(Refusal::input(message).help(help).into());
        };
        let paths = settings.policies.iter().chain(&found.config.queues);
        paths.into_iter().try_for_each(|path| refuse_outside(path))?;
        refuse_flags(found, settings)?;
        let both = base_variant(found, settings, base)?;
        let both =
            both.map(|variant| command_line(context, args, (found, settings), Some(variant)));
        let alone = command_line(context, args, (found, settings), None)?;
        Ok(Some(Self { base: base.clone(), both: both.transpose()?, alone }))
    }

    /// The arguments of the first replay.
    pub(super) fn args(&self) -> &SimulateArgs {
        &self.both.as_ref().unwrap_or(&self.alone).args
    }

    /// Replays both sets of policies. If that fails, the policies here are replayed alone, so that a change that
    /// corrects the base has a report; an error of theirs stays one. Returns the command line of the report too.
    pub(super) fn replay(
        &self,
        mut replay: impl FnMut(&SimulateArgs) -> Result<SimulationReport>,
    ) -> Result<(&CommandLine, SimulationReport)> {
        let note = match self.both.as_ref().map(|line| (line, replay(&line.args))) {
            Some((line, Ok(report))) => return Ok((line, report)),
            // A stream cannot be read a second time.
            Some((line, Err(error))) if !is_repeatable(&line.args) => return Err(error),
            Some((_, Err(error))) => self.error_note(&error),
            None => {
                let message = "the base has none of these policies: nothing is compared";
                NoteReport::new(NoteKind::BaseWithoutPolicies, message)
            }
        };
        let mut report = replay(&self.alone.args)?;
        report.notes.insert(0, note);
        Ok((&self.alone, report))
    }

    /// The note on the error of the base. Paths are relative to it, since it is a copy in any directory.
    fn error_note(&self, error: &anyhow::Error) -> NoteReport {
        let refusal = Refusal::from(error);
        let is_error = |it: &&diag::Diagnostic| it.severity == Severity::Error;
        let mut errors = refusal.findings.iter().filter(is_error);
        let text = match errors.next() {
            Some(first) => diag::short(slice::from_ref(first)),
            None => refusal.message.clone(),
        };
        let more = match errors.count() {
            0 => String::new(),
            more => format!("; {}", diag::plural(more, "more error", "more errors")),
        };
        let directory = self.base.join("").display().to_string();
        let text = text.trim_end().replace(&directory, "");
        let message = format!("the base cannot be read: nothing is compared: {text}{more}");
        NoteReport::new(NoteKind::UnreadableBase, message)
    }
}

/// Whether the histories can be read again.
fn is_repeatable(args: &SimulateArgs) -> bool {
    history_files(&args.history).iter().all(|file| file.is_file())
}

/// The command line with the words of the file, and with a variant before that of the policies here.
fn command_line(
    context: &Context<'_>,
    args: &SimulateArgs,
    (found, settings): (&RepositoryConfig, &SimulateSettings),
    variant: Option<[OsString; 2]>,
) -> Result<CommandLine> {
    let mut words = without_base(&context.globals.words);
    words.extend(variant.into_iter().flatten());
    let policies = settings.policies.iter().chain(&found.config.queues);
    words.extend(self::variant(CHANGE, policies.map(|path| found.relative(path)))?);
    if args.history.is_empty() {
        words.push("--history".into());
        words.extend(settings.history.iter().map(|path| found.relative(path).into()));
    }
    add_configuration(&mut words, found, settings)?;
    words.extend(settings.flags.iter().map(OsString::from));
    let args = parse(context, &words, found)?;
    Ok(CommandLine { words, args })
}

/// Refuses a path that is not below the directory of the file: the base has none of it.
fn refuse_outside(path: &str) -> Result<()> {
    let is_below = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if Path::new(path).components().all(is_below) {
        return Ok(());
    }
    let message = format!("--base: `{path}` is not below the directory of `{LINT_CONFIG_NAME}`");
    Err(Refusal::input(message).help("the base is compared by relative paths without `..`").into())
}

/// The flags that write files or ask a server. A branch that is replayed must not choose them.
const REFUSED: [&str; 4] = ["--base", "--report", "--changes", "--live"];

/// Refuses flags of the file that only a command line may have.
fn refuse_flags(found: &RepositoryConfig, settings: &SimulateSettings) -> Result<()> {
    let of_file = settings.flags.iter();
    let refused = of_file.flat_map(|word| REFUSED.map(|flag| (OsStr::new(word), flag)));
    let refused = refused.into_iter().find(|(word, flag)| is_flag(word, flag));
    let Some((_, flag)) = refused else { return Ok(()) };
    let message = format!("`simulate.flags` in `{}` has `{flag}`", found.path.display());
    Err(Refusal::input(message).help("give it on the command line").into())
}

/// The words of the variant of the base. A path that names no file in it is left out, so that a change may be the
/// first with policies: then there is no variant.
fn base_variant(
    found: &RepositoryConfig,
    settings: &SimulateSettings,
    base: &Path,
) -> Result<Option<[OsString; 2]>> {
    let there = |path: &String| {
        Some(base.join(path)).filter(|it| !project::policy_files(slice::from_ref(it)).is_empty())
    };
    let policies: Vec<PathBuf> = settings.policies.iter().filter_map(there).collect();
    let queues = found.config.queues.iter().filter_map(there);
    let is_empty = policies.is_empty();
    (!is_empty).then(|| variant(BASE, policies.into_iter().chain(queues))).transpose()
}

/// The words of `--variant`.
fn variant(name: &str, files: impl Iterator<Item = PathBuf>) -> Result<[OsString; 2]> {
    let mut value = OsString::from(format!("{name}="));
    for (number, file) in files.enumerate() {
        if file.as_os_str().as_encoded_bytes().contains(&b',') {
            let message = format!("--base: the path `{}` has a comma", file.display());
            return Err(Refusal::input(message).help("rename it, or name its directory").into());
        }
        if number > 0 {
            value.push(",");
        }
        value.push(file);
    }
    Ok(["--variant".into(), value])
}

/// Adds the configurations that `lint` reads too, unless the flags name others.
fn add_configuration(
    words: &mut Vec<OsString>,
    found: &RepositoryConfig,
    settings: &SimulateSettings,
) -> Result<()> {
    let has = |words: &[OsString], flag: &str| {
        let of_file = settings.flags.iter().map(OsStr::new);
        let mut all = words.iter().map(OsString::as_os_str).chain(of_file);
        all.any(|word| is_flag(word, flag))
    };
    if let Some(path) = found.scheduler_config().filter(|_| !has(words, "--scheduler-config")) {
        words.extend(["--scheduler-config".into(), path.into()]);
    }
    if !has(words, "--executor-config") {
        for executor in found.executor_config()? {
            let files: Vec<String> =
                executor.files.iter().map(|file| file.display().to_string()).collect();
            let cluster = executor.cluster.map(|name| format!("{name}=")).unwrap_or_default();
            words.push("--executor-config".into());
            words.push(format!("{cluster}{}", files.join(",")).into());
        }
    }
    Ok(())
}

/// Whether a word is a flag, with or without its value.
fn is_flag(word: &OsStr, flag: &str) -> bool {
    let rest = word.as_encoded_bytes().strip_prefix(flag.as_bytes());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"="))
}

/// The command line without `--base` and its value.
fn without_base(words: &[OsString]) -> Vec<OsString> {
    let mut words = words.iter();
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        if word == "--base" {
            words.next();
        } else if !is_flag(word, "--base") {
            kept.push(word.clone());
        }
    }
    kept
}

/// The arguments of a command line with the words of the file.
fn parse(
    context: &Context<'_>,
    words: &[OsString],
    found: &RepositoryConfig,
) -> Result<Box<SimulateArgs>> {
    let parsed = (context.definition)().try_get_matches_from(words).and_then(|matches| {
        let simulate = matches.subcommand_matches("simulate").cloned().unwrap_or_default();
        SimulateArgs::from_arg_matches(&simulate)
    });
    let args = parsed.map_err(|error| {
        let text = error.to_string();
        let reason = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        let message = format!("`simulate` in `{}`: {reason}", found.path.display());
        Refusal::input(message).help("correct its `flags`")
    })?;
    Ok(Box::new(args))
}
