//! `history anonymize`: writes a copy of a history with other names, which replays the same.

mod copy;

use crate::cli::{Context, Exit, Refusal};
use crate::commands::disruptions::DisruptionArgs;
use crate::commands::output_file::OutputFile;
use crate::commands::simulate::inputs::{self, Inputs, Source};
use crate::commands::simulate::other_system::{
    merge_errors_of_other_system, warning_of_other_system,
};
use crate::commands::simulate::{BadRecord, Format};
use crate::project::{PolicyScope, Project};
use anyhow::Result;
use armada_retry::policy::{Queue, RetryPolicy};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use copy::{Copy, Target};
use document::diag::{Code, Diagnostic, Findings, Severity, plural};
use replay::anonymize::{Anonymizer, Counts, NameKind, Settings};
use replay::history::{
    ArmadaRun, History, Piece, ReadSources, UnitOutcome, UnreadKind, UnreadWord,
};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  # Write a copy of a history that can be shown to others
  armadactl history anonymize month.jsonl.zst --record shown.jsonl.zst

  # Match messages by the rules of policies as before, keep queues
  armadactl history anonymize month.jsonl.zst -f policies \\
      --keep queue --record shown.jsonl.zst

  # Write each name with its replacement too
  armadactl history anonymize month.jsonl.zst --record shown.jsonl \\
      --map names.jsonl";

const EXITS: &str = "\
Exit codes:
  0  success
  2  invalid command line
  3  invalid input, or a file that exists or cannot be written";

/// Copy a history with other names, so that it can be shown to others
///
/// Replaces the ids of jobs and gangs, the names of queues, job sets, nodes, clusters, containers and retry
/// policies, messages, and conditions and reasons that are not Armada's, Kubernetes' or Slurm's own. Equal
/// names stay equal, different ones different: `simulate` computes the same figures of the copy, except for
/// what a note counts. Outcomes, times, exit codes, categories, subcategories and resources stay. Other keys
/// and annotations are left out.
///
/// The copy is JSON Lines in Armada's terms, whatever the history is; with queues or reloads it is a
/// `FailureHistory`. Without -f no rule on messages matches in the copy.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = EXITS)]
pub struct AnonymizeArgs {
    /// Histories: files, directories, patterns or `-` for stdin
    #[arg(required = true, value_name = "FILE")]
    history: Vec<PathBuf>,
    /// Write to this file, compressed if it ends with .gz or .zst; `-` for stdout
    #[arg(long, value_name = "FILE")]
    record: PathBuf,
    /// Match messages by the patterns of these policies, whose names stay (repeatable)
    ///
    /// A message that a pattern matches is replaced by a text that is made of the pattern. The names of the
    /// policies and of the containers in their rules stay.
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Keep all names of these kinds
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    #[arg(value_parser = PossibleValuesParser::new(NameKind::ALL.map(NameKind::as_str)).try_map(|name| NameKind::from_name(&name).ok_or("no kind of names")))]
    keep: Vec<NameKind>,
    /// Write each name with its replacement to this file, which only you may read
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// Read histories of this format
    #[arg(long, value_enum, default_value_t = Format::AUTO, value_name = "FORMAT")]
    format: Format,
    /// Report or skip invalid records
    #[arg(long, value_enum, default_value_t = BadRecord::Error, value_name = "HOW")]
    on_bad_record: BadRecord,
    #[command(flatten)]
    disruptions: DisruptionArgs,
}

/// Writes the copy.
pub fn run(context: &mut Context<'_>, args: &AnonymizeArgs) -> Result<Exit> {
    context.globals.output("history anonymize", &[])?;
    if let Some(map) = &args.map {
        refuse_map(map, &args.record)?;
    }
    let disruptions = args.disruptions.read(context.ui)?;
    let policies = Project::read(&args.files, PolicyScope::Armada).into_documents(context.ui)?;
    let policies: Vec<&RetryPolicy> =
        policies.policies.iter().map(|found| &*found.policy).collect();
    let settings = Settings {
        on_bad: args.on_bad_record.into(),
        hash_key: random_key(),
        keep: &args.keep,
        policies: &policies,
        disruptions: &disruptions,
    };
    let map = args.map.as_deref().map(OutputFile::create_private).transpose()?;
    let target = match args.record.to_str() {
        Some("-") => Target::stdout(context.ui),
        _ => Target::File(Box::new(OutputFile::create_new(&args.record)?)),
    };
    let mut copy = Copy::new(target, map);
    let read = read(args, &settings, &mut copy)?;
    if read.is_full || read.findings.has_errors() {
        // Removes what was written: a copy is whole, or it is not there.
        drop(copy);
        inputs::refuse(context, read.findings, read.is_full)?;
        return Ok(Exit::Input);
    }
    if read.counts.runs == 0 {
        return Err(Refusal::input("the histories have no runs").into());
    }
    copy.finish(read.queues)?;
    inputs::refuse(context, read.findings, false)?;
    let Counts { jobs, runs, .. } = read.counts;
    let summary = format!("{} of {}", plural(runs, "run", "runs"), plural(jobs, "job", "jobs"));
    if args.record.as_os_str() == "-" {
        context.ui.note(&format!("note: {summary}"))?;
    } else {
        context.ui.data(&format!("{}: {summary}\n", args.record.display()))?;
    }
    for note in list(&settings, &read.counts, &read.history) {
        context.ui.note(&format!("note: {note}"))?;
    }
    Ok(Exit::Done)
}

/// Refuses a map that is stdout, which a pipe or a log may show to others, or the copy.
fn refuse_map(map: &Path, record: &Path) -> Result<(), Refusal> {
    if map.as_os_str() == "-" {
        let help = "give `--map` the name of a file";
        return Err(
            Refusal::usage("`--map -`: the map is a file that only you may read").help(help)
        );
    }
    if map == record {
        let message = "`--map` and `--record` name one file";
        return Err(
            Refusal::usage(message).help("the map has the original names: give it another name")
        );
    }
    Ok(())
}

/// A random key of hashes, against crafted collisions.
fn random_key() -> (u64, u64) {
    (RandomState::new().hash_one(0), RandomState::new().hash_one(1))
}

/// The end of reading.
struct Read {
    counts: Counts,
    /// The queues of documents, with other names.
    queues: Vec<Queue>,
    /// The parts of it that are no runs.
    history: History<ArmadaRun>,
    findings: Findings,
    is_full: bool,
}

/// Reads the histories into a copy.
fn read(args: &AnonymizeArgs, settings: &Settings<'_>, copy: &mut Copy<'_>) -> Result<Read> {
    let mut findings = Findings::new();
    let mut histories =
        Inputs::open_paths(&args.history, args.format.selected(), settings.on_bad, &mut findings);
    let History { queues, reloads, .. } = histories.settings::<ArmadaRun>();
    copy.begin(!queues.is_empty(), reloads);
    let mut anonymizer = Anonymizer::new(settings, copy);
    let queues = queues.iter().map(|queue| anonymizer.queue(queue)).collect();
    while histories.read_next(&mut anonymizer, &mut findings) {}
    let mut source =
        Source::new(warning_of_other_system::<ArmadaRun>, Vec::new(), histories.lines());
    let mut piece = Piece::default();
    while !anonymizer.is_full() && source.next(&mut piece) {
        anonymizer.piece(&piece);
    }
    let is_full = anonymizer.is_full();
    if !is_full {
        source.refuse(anonymizer.lines())?;
    }
    let (counts, history, found) = anonymizer.finish();
    findings.extend(found);
    let merged = merge_errors_of_other_system::<ArmadaRun>(findings, source.warnings());
    let mut findings = Findings::new();
    findings.extend(merged.into_iter().map(refuse_other_system));
    Ok(Read { counts, queues, history, findings, is_full })
}

/// The finding about a history; an error if it is another system's. Jitter and names of its rules depend on ids and names
/// there, so that a copy would not replay the same.
fn refuse_other_system(finding: Diagnostic) -> Diagnostic {
    if finding.code != Code::MixedForms {
        return finding;
    }
    let message = "this is another system's history, and only Armada's are anonymized".to_owned();
    let help = "replace its names with a program such as jq";
    Diagnostic { severity: Severity::Error, message, ..finding }.help(help)
}

/// The notes about a copy.
fn list(settings: &Settings<'_>, counts: &Counts, history: &History<ArmadaRun>) -> Vec<String> {
    let mut notes = Vec::new();
    let mut add = |count: usize, one: &str, several: &str, rest: &str| {
        if count > 0 {
            notes.push(format!("{} {rest}", plural(count, one, several)));
        }
    };
    let Counts { messages, other_matches, renamed_policies, categories, annotations, .. } = *counts;
    let rest = "a category or subcategory, which stay, since rules name them: read them before you show the copy";
    add(categories, "run has", "runs have", rest);
    if settings.policies.is_empty() && !settings.keep.contains(&NameKind::Message) {
        let rest = "replaced, and no rule on messages matches them: give the policies with -f";
        add(messages, "message was", "messages were", rest);
    }
    let rest = "matched by other patterns than before: no text was found that the same ones match";
    add(other_matches, "message is", "messages are", rest);
    let rest = "replaced: give the policies with -f, or --keep policy";
    add(renamed_policies, "name of a policy was", "names of policies were", rest);
    let rest = "left out: nothing reads them";
    add(annotations, "annotation was", "annotations were", rest);
    let is_key = |word: &&&UnreadWord| word.kind == UnreadKind::Key;
    let keys = history.unread.words().iter().filter(is_key).count();
    add(keys, "key that no field reads was", "keys that no field reads were", "left out");
    let rest = "left out: use it with the history itself";
    let several = "runs have texts for --executor-config, which were";
    add(counts.observed, "run has texts for --executor-config, which were", several, rest);
    let rest = "another kind of disruption in the copy";
    add(counts.disruptions, "run has", "runs have", rest);
    add(history.skipped, "bad record was", "bad records were", "left out");
    let entries = history.skipped_entries.iter().map(|entries| entries.count).sum();
    add(
        entries,
        "entry that is not an ended run was",
        "entries that are not ended runs were",
        "left out",
    );
    let is_open = |outcome: &&UnitOutcome| **outcome == UnitOutcome::Open;
    let open = history.outcomes.values().filter(is_open).count();
    let rest =
        "not ended by the source: a copy has no field for that, and there the last run counts";
    add(open, "job has", "jobs have", rest);
    notes
}
