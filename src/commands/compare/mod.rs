//! `compare`: the failures that two versions of policies decide otherwise, over all histories.

mod as_tests;
mod findings;
mod manifest_groups;
mod manifest_pairs;
mod manifests;
mod recorded;
mod side;
mod tally;
mod witness;

use crate::cli::{Context, Exit, Output, Refusal};
use crate::commands::report_files::{ReportArgs, Reports};
use crate::input::is_read_by;
use crate::project::{self, PolicyScope, Project, note_ignored_documents, scheduler_settings};
use crate::report::{self, ComparedItem, ComparisonReport, ItemStatus, RecordedTotals};
use anyhow::Result;
use armada_retry::engine::RuleId;
use armada_retry::engine::compare::{Group, compare};
use armada_retry::policy::{Documents, OtherKinds, SchedulerSettings};
use as_tests::TestFile;
use clap::Args;
use manifest_pairs::Pairs;
pub(super) use side::Version;
use side::pairs_by_name;
use std::collections::BTreeSet;
use std::path::PathBuf;
use systems::armada::Armada;
use systems::{ManifestSystem, SystemName, with_system};
use witness::NOT_REPLAYED;

const EXAMPLES: &str = "\
Examples:
  # Prove that an edited policy decides every failure as before
  armadactl compare old.yaml new.yaml

  # All policies and queues of two directories, by their names
  armadactl compare main/policies policies

  # The list of one queue, before and after a change of the scheduler's settings
  armadactl compare policies policies --queue ml \\
      --scheduler-config scheduler.yaml --to-scheduler-config new-scheduler.yaml

  # The podFailurePolicy and the limits of a Job
  armadactl compare job.yaml new-job.yaml

  # Write a history of each difference, which `simulate` replays
  armadactl compare old.yaml new.yaml --witnesses differences/

  # Write a unit test of each difference, which holds for the new policy
  armadactl compare old.yaml new.yaml --as-tests tests/change.yaml

  # Count the failures of last month that each difference is about
  armadactl compare old.yaml new.yaml --history failures.jsonl

  # Write a comment for a pull request
  armadactl compare main/policies policies --report markdown=comment.md";

const EXITS: &str = "\
Exit codes:
    0  proved: every failure is decided as before
    1  a failure is decided otherwise, or it is not known
    2  invalid command line
    3  invalid input
    6  the file of --as-tests, or a file in the directory of --witnesses, exists";

/// Compare two versions of policies over all failures and sequences of them
///
/// For each pair of rules that are first to match a common failure there is a shortest sequence of failures that the
/// versions decide otherwise, or a proof that there is none. Each sequence is replayed with both versions before it is
/// printed. Compared are retries, waits, avoided nodes, memory and the names of pods; the texts of reasons are not.
/// Policies that are alone on each side are compared whatever their names are, others by name; so are the manifests of
/// other systems. Reloads, gangs and the annotations of jobs are left out.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = EXITS)]
pub struct CompareArgs {
    /// The file or directory of the version before
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The file or directory of the version after
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// Compare the lists of policies of these queues alone (repeatable)
    #[arg(long = "queue", value_name = "NAME")]
    queues: Vec<String>,
    /// Read Armada's scheduler configuration from this file, for both versions
    #[arg(long, value_name = "FILE")]
    scheduler_config: Option<PathBuf>,
    /// Read the scheduler configuration of the version after from this file
    #[arg(long, value_name = "FILE")]
    to_scheduler_config: Option<PathBuf>,
    /// Write a history of each difference into this directory
    #[arg(long, value_name = "DIR")]
    witnesses: Option<PathBuf>,
    /// Write a unit test of each difference to this file, which must not exist
    ///
    /// `armadactl test FILE` runs them: they pass with the policies or manifests of NEW, and each fails with those of OLD.
    #[arg(long, value_name = "FILE")]
    as_tests: Option<PathBuf>,
    /// Count the recorded failures of these histories in each difference
    ///
    /// Files, directories, patterns or `-` for stdin, as `simulate --history` takes them for the system of the files. A
    /// failure is in a difference if its pair of rules decides about it, each in its version; it is decided otherwise if
    /// the replays of both versions reach it and decide so. A job has the policies of its queue, or the only one; a unit of
    /// another system the manifest of its name, or the only one.
    #[arg(long, num_args = 1.., value_name = "FILE")]
    history: Vec<PathBuf>,
    #[command(flatten)]
    reports: ReportArgs,
}

/// Compares the versions.
pub fn run(context: &mut Context<'_>, args: &CompareArgs) -> Result<Exit> {
    args.reports
        .begin("compare")
        .run(context, |context, reports| compare_versions(context, args, reports))
}

fn compare_versions(
    context: &mut Context<'_>,
    args: &CompareArgs,
    reports: &Reports,
) -> Result<Exit> {
    use Output::{Json, Table, Wide, Yaml};
    let output = context.globals.output("compare", &[Table, Wide, Json, Yaml])?;
    let configs = args.scheduler_config.iter().chain(&args.to_scheduler_config);
    let files = [&args.old, &args.new].into_iter().chain(configs).chain(&args.history);
    let files: Vec<PathBuf> = files.cloned().collect();
    project::refuse_second_stdin(&files)?;
    reports.refuse_inputs(|file| files.iter().any(|path| is_read_by(path, file)))?;
    let mut tests = TestFile::begin(args.as_tests.as_deref(), [&args.old, &args.new])?;
    let versions = read_versions(context, args)?;
    let report = compare_items(context, args, &versions, tests.as_mut())?;
    if let Some(directory) = &args.witnesses {
        witness::write(directory, &report)?;
    }
    if let Some(tests) = tests {
        tests.save(context)?;
    }
    let text = match output {
        Json => report::json(&report),
        Yaml => report::yaml(&report)?,
        _ => report.table(&context.layout(output == Wide)),
    };
    let written = findings::write(context.ui, reports, &versions, &report);
    if !reports.has_stdout() {
        context.ui.data(&text)?;
    }
    written?;
    Ok(if report.is_same() { Exit::Done } else { Exit::No })
}

/// Compares the policies, queues and manifests, adds the tests of their differences, and counts the failures of histories.
fn compare_items(
    context: &mut Context<'_>,
    args: &CompareArgs,
    versions: &[Version; 2],
    mut tests: Option<&mut TestFile<'_>>,
) -> Result<ComparisonReport> {
    let subjects = subjects(versions, &args.queues)?;
    let mut items = Vec::new();
    for subject in &subjects {
        items.push(compare_subject(versions, subject, tests.as_deref_mut())?);
    }
    let of_history = (!args.history.is_empty()).then(|| recorded::system(versions)).transpose()?;
    let mut recorded = None;
    if of_history == Some(SystemName::Armada) {
        let of = (only_pair(&subjects), &*args.queues);
        recorded = Some(recorded::count(context, &args.history, versions, of, &mut items)?);
    }
    if args.queues.is_empty() {
        for system in SystemName::all() {
            let paths = args.history.as_slice();
            let paths = if of_history == Some(system) { paths } else { &[] };
            let (compared, totals) = with_system!(
                system,
                Armada => continue,
                S => compare_manifests::<S>(context, versions, paths, tests.as_deref_mut())?,
            );
            items.extend(compared);
            recorded = recorded.or(totals);
        }
    }
    Ok(ComparisonReport::new(items, recorded))
}

/// Reads both versions.
fn read_versions(context: &mut Context<'_>, args: &CompareArgs) -> Result<[Version; 2]> {
    let old_settings = settings(context, args.scheduler_config.as_ref())?;
    let new_settings = match &args.to_scheduler_config {
        Some(path) => settings(context, Some(path))?,
        None => old_settings.clone(),
    };
    let old = read(context, &args.old)?;
    let new = read(context, &args.new)?;
    Ok([Version::new(old, old_settings), Version::new(new, new_settings)])
}

/// Compares the manifests of a system, adds the tests of their differences, and counts the failures of histories of it.
fn compare_manifests<S: ManifestSystem>(
    context: &mut Context<'_>,
    versions: &[Version; 2],
    histories: &[PathBuf],
    tests: Option<&mut TestFile<'_>>,
) -> Result<(Vec<ComparedItem>, Option<RecordedTotals>)> {
    let pairs = Pairs::<S>::read(versions.each_ref().map(Version::documents))?;
    let mut items = pairs.compare()?;
    if let Some(tests) = tests {
        tests.add_manifests(&pairs, &items)?;
    }
    if histories.is_empty() {
        return Ok((items, None));
    }
    let totals = recorded::count_under_manifests(context, histories, &pairs, &mut items)?;
    Ok((items, Some(totals)))
}

fn settings(context: &mut Context<'_>, path: Option<&PathBuf>) -> Result<SchedulerSettings> {
    let (settings, warnings) = scheduler_settings(path.map(PathBuf::as_path))?;
    context.ui.diagnostics(&warnings)?;
    Ok(settings)
}

fn read(context: &mut Context<'_>, path: &PathBuf) -> Result<Documents> {
    let Project { documents, findings, .. } =
        Project::read(std::slice::from_ref(path), PolicyScope::AllSystems(OtherKinds::Skip));
    project::refuse_errors(context.ui, findings)?;
    note_ignored_documents(context.ui, &documents.unread)?;
    let has_manifest = documents.others.iter().any(|it| SystemName::from_document(it).is_some());
    if documents.policies.is_empty() && !has_manifest {
        let message = format!("`{}` has no policy", path.display());
        return Err(Refusal::input(message).into());
    }
    Ok(documents)
}

/// A subject of comparison: a policy by itself, or the list of a queue.
#[derive(Debug, Clone)]
enum Subject {
    /// The names of the policy in each version, if it has one.
    Policy([Option<String>; 2]),
    /// The name of the queue.
    Queue(String),
}

/// The policies of both versions by name, or the queues if some are named. The only policy of each version has its
/// counterpart in the other, and queues of the files are compared beside the policies.
fn subjects(versions: &[Version; 2], queues: &[String]) -> Result<Vec<Subject>> {
    let known: BTreeSet<&str> = versions.iter().flat_map(Version::queue_names).collect();
    if let Some(unknown) = queues.iter().find(|name| !known.contains(name.as_str())) {
        let names: Vec<&str> = known.into_iter().collect();
        let help = match names.as_slice() {
            [] => "the files contain no Queue".to_owned(),
            names => format!("the queues are {}", names.join(", ")),
        };
        return Err(Refusal::usage(format!("no file has a queue `{unknown}`")).help(help).into());
    }
    if !queues.is_empty() {
        return Ok(queues.iter().cloned().map(Subject::Queue).collect());
    }
    let names = versions.each_ref().map(Version::policy_names);
    let owned = |pair: [Option<&str>; 2]| pair.map(|name| name.map(str::to_owned));
    let mut subjects: Vec<Subject> =
        pairs_by_name(names).into_iter().map(|pair| Subject::Policy(owned(pair))).collect();
    subjects.extend(known.into_iter().map(|name| Subject::Queue(name.to_owned())));
    Ok(subjects)
}

/// The names of the policy in both versions, if it is all that is compared.
fn only_pair(subjects: &[Subject]) -> Option<[&str; 2]> {
    match subjects {
        [Subject::Policy([Some(old), Some(new)])] => Some([old, new]),
        _ => None,
    }
}

fn compare_subject(
    versions: &[Version; 2],
    subject: &Subject,
    tests: Option<&mut TestFile<'_>>,
) -> Result<ComparedItem> {
    let [old, new] = versions;
    let (kind, name, engines) = match subject {
        Subject::Policy([Some(before), Some(after)]) => {
            let engines = [old.policy_engine(before), new.policy_engine(after)];
            ("policy", after.clone(), engines)
        }
        Subject::Policy([before, after]) => {
            let status = if before.is_some() { ItemStatus::Removed } else { ItemStatus::Added };
            let name = before.clone().or_else(|| after.clone()).unwrap_or_default();
            return Ok(ComparedItem::one_sided("policy", name, status));
        }
        Subject::Queue(name) => ("queue", name.clone(), [old, new].map(Version::engine)),
    };
    let queue = if let Subject::Queue(name) = subject { name.as_str() } else { "" };
    let item = compare_engines([old, new], &engines, (kind, name.clone(), queue), |_| true)?;
    if let Some(tests) = tests {
        let policy = matches!(subject, Subject::Policy(_)).then_some(name.as_str());
        tests.add(&item, policy, (&engines, new))?;
    }
    Ok(item)
}

/// Compares the policies that the engines of two versions apply to the jobs of a queue. Each difference of a group
/// that is kept is replayed.
pub(super) fn compare_engines(
    places: [&Version; 2],
    engines: &[Armada; 2],
    (kind, name, queue): (&'static str, String, &str),
    keeps: impl Fn(&Group) -> bool,
) -> Result<ComparedItem> {
    let sides = [side::side(&engines[0], queue)?, side::side(&engines[1], queue)?];
    let comparison = compare(&sides[0], &sides[1]);
    let pair = |ids: [Option<RuleId>; 2]| side::rules(&places, &sides, ids);
    let (mut groups, mut unknown) = (Vec::new(), Vec::new());
    for group in comparison.groups.iter().filter(|it| keeps(it)) {
        let Some((difference, history, decisions)) = witness::confirmed(engines, queue, group)?
        else {
            let ids = [group.witness.old, group.witness.new];
            unknown.push(report::Unknown::new(pair(ids), NOT_REPLAYED));
            continue;
        };
        let rules = pair([difference.old, difference.new]);
        let witness = report::Witness::new(difference, rules, history, decisions);
        let pairs = group.pairs.iter().map(|ids| pair(*ids)).collect();
        let named = pair(group.cause.rules());
        groups.push(report::DifferenceGroup::new(group, &named, pairs, witness));
    }
    let undecided = comparison.undecided.iter();
    unknown.extend(undecided.map(|it| report::Unknown::new(pair([it.old, it.new]), it.reason)));
    Ok(ComparedItem::compared(kind, name, groups, unknown))
}
