//! The same policy under two neighbouring releases, judged by the engine under both.

use super::difference::{Difference, Model};
use super::program::{Program, Release};
use super::releases::Releases;
use super::table::differences;
use super::version::Version;
use crate::{ManifestSystem, Options};
use document::diag::{Findings, Severity};
use document::units::Time;
use document::{Document, Node};
use replay::history::{OnBadRecord, Table, record_of_pairs};
use replay::simulate::{self, DecisionReport, JobReport, Timelines, read_history, simulate};
use serde_json::{Map, Value};
use std::num::NonZeroUsize;

/// The most failures that one sequence is repeated to.
const MOST_RUNS: usize = 24;

/// The seconds between two failures, so that no wait of a Job is longer.
const SPACING: i64 = 600;

/// A row that changes what becomes of a failure under a policy.
#[derive(Debug, Clone)]
pub struct ReachedDifference {
    /// The row.
    pub row: &'static Difference,
    /// The newest release without it, or the last with it.
    pub older: Release,
    /// The release after that.
    pub newer: Release,
    /// The failure, as fields of its record; empty if the document itself is refused.
    pub failure: String,
    /// The decision of the older release.
    pub before: String,
    /// The decision of the newer release.
    pub since: String,
}

/// Returns the programs whose releases a system's decisions depend on.
pub fn programs_of<S: ManifestSystem>() -> &'static [Program] {
    match S::DESCRIPTION.id {
        "job" => &[Program::Kubernetes],
        "jobset" => &[Program::Kubernetes, Program::JobSet],
        "airflow" => &[Program::Airflow],
        _ => &[],
    }
}

/// Returns whether a system's decisions depend on the releases of a program.
pub fn has_releases_of<S: ManifestSystem>(program: Program) -> bool {
    programs_of::<S>().contains(&program)
}

/// Returns the releases that commands read a document under: `Kubernetes 1.37`. That of a profile is not assumed.
pub fn assumed_releases<S: ManifestSystem>(document: &Document, options: &Options) -> Vec<String> {
    let programs = programs_of::<S>().iter();
    let releases = programs.map(|&program| {
        let profile = document.root.at(&["spec", "profile"]).and_then(Node::scalar);
        match profile.filter(|_| program == Program::Airflow && options.releases.airflow.is_none())
        {
            Some(profile) => format!("{} {}", program.title(), profile.text),
            None => format!("{} {}", program.title(), options.releases.version(program)),
        }
    });
    releases.collect()
}

/// Returns the rows that change a decision about some failure under a policy, with the first such failure of each.
pub fn reached_differences<S: ManifestSystem>(
    document: &Document,
    options: &Options,
    is_asked: &dyn Fn(Release) -> bool,
) -> Vec<ReachedDifference> {
    let mut found = Vec::new();
    for row in differences().filter(|row| has_releases_of::<S>(row.program)) {
        let root = &document.root;
        if !row.needs.is_empty() && !row.needs.iter().any(|path| has_field(root, path)) {
            continue;
        }
        for (older, newer) in row.boundaries() {
            let release = |version| Release { program: row.program, version };
            if !is_asked(release(older)) || !is_asked(release(newer)) {
                continue;
            }
            let pair = Pair { document, options, row, older, newer };
            found.extend(pair.compare::<S>());
        }
    }
    found
}

/// Returns whether a node has a field: `a.b[].c`, or `a.b[].c=value`.
fn has_field(node: &Node, path: &str) -> bool {
    let (path, value) = path.split_once('=').map_or((path, None), |(path, it)| (path, Some(it)));
    let (step, rest) = path.split_once('.').map_or((path, None), |(step, it)| (step, Some(it)));
    let (key, is_list) = step.strip_suffix("[]").map_or((step, false), |key| (key, true));
    let Some(found) = node.get(key) else { return false };
    let nodes = if is_list { found.items() } else { std::slice::from_ref(found) };
    nodes.iter().any(|node| match rest {
        Some(rest) => {
            let value = value.map(|value| format!("={value}")).unwrap_or_default();
            has_field(node, &format!("{rest}{value}"))
        }
        None => value.is_none_or(|value| node.text() == Some(value)),
    })
}

/// Two neighbouring releases of which one has a row.
struct Pair<'a> {
    document: &'a Document,
    options: &'a Options,
    row: &'static Difference,
    older: Version,
    newer: Version,
}

impl Pair<'_> {
    fn options(&self, version: Version) -> Options {
        let release = Release { program: self.row.program, version };
        let releases = Releases {
            replaces_profiles: true,
            only: Some(self.row.id),
            ..self.options.releases.with(release)
        };
        Options { releases, ..*self.options }
    }

    fn compare<S: ManifestSystem>(&self) -> Option<ReachedDifference> {
        let sides = [self.older, self.newer].map(|version| {
            let options = self.options(version);
            read::<S>(self.document, &options).map(|manifest| (manifest, options))
        });
        match &sides {
            [Err(_), Err(_)] => None,
            // The error may be another row's: a row without fields refuses nothing.
            [Err(_), _] | [_, Err(_)] if !self.row.can_refuse() => None,
            [Err(error), Ok(_)] => {
                Some(self.reached(String::new(), refused(error), "accepted".to_owned()))
            }
            [Ok(_), Err(error)] => {
                Some(self.reached(String::new(), "accepted".to_owned(), refused(error)))
            }
            [Ok((old, of_old)), Ok((new, of_new))] => {
                let unit = unit_of::<S>(new);
                let engines =
                    [S::engine(vec![old.clone()], of_old), S::engine(vec![new.clone()], of_new)];
                let sequences = self.sequences::<S>(old, new);
                sequences.iter().find_map(|failures| {
                    let jobs = engines.each_ref().map(|engine| replay(engine, &unit, failures));
                    let [Some(before), Some(since)] = &jobs else { return None };
                    let (failure, before, since) =
                        self.first_difference(failures, before, since)?;
                    Some(self.reached(failure, before, since))
                })
            }
        }
    }

    fn reached(&self, failure: String, before: String, since: String) -> ReachedDifference {
        let release = |version| Release { program: self.row.program, version };
        ReachedDifference {
            row: self.row,
            older: release(self.older),
            newer: release(self.newer),
            failure,
            before,
            since,
        }
    }

    /// Returns the failures of the row, or those that reach the rules and limits of the policy.
    fn sequences<S: ManifestSystem>(
        &self,
        old: &S::Manifest,
        new: &S::Manifest,
    ) -> Vec<Vec<Value>> {
        let own = self.row.failures.iter().map(|failures| parse(failures));
        let own: Vec<Vec<Value>> = own.collect();
        if !own.is_empty() {
            return own;
        }
        let samples = [S::samples(new), S::samples(old)].into_iter().flatten();
        samples.flat_map(|sample| sample.alternatives).collect()
    }

    /// Returns the first decision that differs, and the failure that it is about.
    fn first_difference(
        &self,
        failures: &[Value],
        before: &JobReport,
        since: &JobReport,
    ) -> Option<(String, String, String)> {
        let is_about_waits = self.row.is_about_waits;
        let key = |decision: &DecisionReport| {
            if is_about_waits { wait_text(decision) } else { decision.decision.clone() }
        };
        let pairs = before.decisions.iter().zip(&since.decisions);
        let place = pairs.clone().position(|(before, since)| key(before) != key(since));
        if let Some((place, (before, since))) =
            place.and_then(|at| Some((at, pairs.clone().nth(at)?)))
        {
            let failure = failure_text(failures, place);
            return Some(if is_about_waits {
                (failure, wait_text(before), wait_text(since))
            } else {
                (failure, decision_text(before), decision_text(since))
            });
        }
        let differ = !is_about_waits
            && (before.decisions.len(), &before.outcome) != (since.decisions.len(), &since.outcome);
        differ.then(|| {
            let last = failures.len().saturating_sub(1);
            (failure_text(failures, last), outcome_text(before), outcome_text(since))
        })
    }
}

/// Reads a document, or returns its first error.
fn read<S: ManifestSystem>(document: &Document, options: &Options) -> Result<S::Manifest, String> {
    let mut findings = Findings::new();
    S::read(document, options, &mut findings).ok_or_else(|| {
        let mut errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
        errors.next().map_or_else(|| "it cannot be read".to_owned(), |error| error.message.clone())
    })
}

fn refused(error: &str) -> String {
    format!("refused: {error}")
}

fn unit_of<S: ManifestSystem>(manifest: &S::Manifest) -> String {
    let name = S::unit(manifest).name;
    if name.is_empty() { "unit".to_owned() } else { name.to_owned() }
}

fn parse(failures: &[&str]) -> Vec<Value> {
    failures.iter().filter_map(|failure| serde_json::from_str(failure).ok()).collect()
}

/// Replays failures of a unit, repeated until it ends; `None` if they are no records of it.
fn replay<S: ManifestSystem>(engine: &S, unit: &str, failures: &[Value]) -> Option<JobReport> {
    replay_runs(engine, unit, failures, MOST_RUNS.max(failures.len()))
}

/// Replays a number of failures of a unit.
fn replay_runs<S: ManifestSystem>(
    engine: &S,
    unit: &str,
    failures: &[Value],
    runs: usize,
) -> Option<JobReport> {
    let repeated = failures.iter().cycle().take(runs);
    let records: Vec<String> = repeated
        .enumerate()
        .map(|(number, failure)| record(engine, unit, failure, number).map(|it| it.to_string()))
        .collect::<Option<_>>()?;
    let lines = records.join("\n");
    let limits = Some(S::limits(&[engine]));
    let (history, findings) = read_history::<S>(limits, OnBadRecord::Error, |stream| {
        stream.whole_lines("failures", &lines);
    });
    if findings.has_errors() || engine.unsupported_record(&history.members).is_some() {
        return None;
    }
    let options = simulate::Options {
        timelines: Timelines::All,
        assume: None,
        only: None,
        threads: NonZeroUsize::MIN,
        skipped_records: 0,
        seed: 0,
    };
    simulate(engine, &history.members, options).jobs?.into_iter().next()
}

/// Returns the record of a failure, with the fields that its manifest determines.
fn record<S: ManifestSystem>(
    engine: &S,
    unit: &str,
    failure: &Value,
    number: usize,
) -> Option<Value> {
    let fields = failure.as_object()?;
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    };
    let scalars = fields.iter().filter_map(|(key, value)| Some((key.clone(), text(value)?)));
    let scalars: Vec<(String, String)> = scalars.collect();
    let defaults = engine.default_args(unit, &scalars).ok()?;
    let shape = Table::<S::Fields>::RECORD;
    let mut record = record_of_pairs(shape, unit, &[scalars, defaults].concat()).ok()?;
    let nested = fields.iter().filter(|(_, value)| text(value).is_none());
    let map: &mut Map<String, Value> = record.as_object_mut()?;
    map.extend(nested.map(|(key, value)| (key.clone(), value.clone())));
    let seconds = SPACING.checked_mul(i64::try_from(number).ok()?)?;
    map.insert("finishedAt".to_owned(), Time::from_epoch_seconds(seconds).to_string().into());
    // Runs of one member follow each other.
    map.entry("runIndex").or_insert_with(|| number.into());
    Some(record)
}

fn failure_text(failures: &[Value], place: usize) -> String {
    let failure = failures.get(place % failures.len().max(1));
    let fields = failure.and_then(Value::as_object).into_iter().flatten();
    let texts = fields.map(|(key, value)| match value {
        Value::String(text) => format!("{key} {text}"),
        value => format!("{key} {}", value.to_string().replace('"', "")),
    });
    let text = texts.collect::<Vec<_>>().join(", ");
    match (text.is_empty(), place) {
        (true, 0) => "a failure".to_owned(),
        (true, _) => format!("failure {}", place + 1),
        (false, 0) => text,
        (false, _) => format!("{text}, failure {}", place + 1),
    }
}

fn decision_text(decision: &DecisionReport) -> String {
    if decision.action.is_empty() {
        return decision.decision.clone();
    }
    format!("{} ({})", decision.action, decision.decision)
}

/// Returns the wait of a decision: `519s`.
fn wait_text(decision: &DecisionReport) -> String {
    decision.delay_seconds.map_or_else(|| "no wait".to_owned(), |seconds| format!("{seconds}s"))
}

fn outcome_text(job: &JobReport) -> String {
    match job.system_outcome.as_deref() {
        Some(own) => own.to_owned(),
        None => job.outcome.clone(),
    }
}

/// Returns the answer of each of two releases to the example of a row, as its [`Example`](super::Example) names it: the code of
/// the last decision, its wait, or how the unit ended.
pub fn example_answers<S: ManifestSystem>(
    row: &'static Difference,
    document: &Document,
) -> Option<[String; 2]> {
    let Model::Engine(example) = row.model else { return None };
    let (older, newer) = row.boundaries().next()?;
    let failures = parse(example.failures);
    let gates = Options { restart_job: true, in_place_restart: true, ..Options::default() };
    let pair = Pair { document, options: &gates, row, older, newer };
    let answer = |version: Version, expected: &str| -> Option<String> {
        let options = pair.options(version);
        let Ok(manifest) = read::<S>(document, &options) else { return Some("refused".to_owned()) };
        let engine = S::engine(vec![manifest.clone()], &options);
        let job = replay_runs(&engine, &unit_of::<S>(&manifest), &failures, failures.len())?;
        if ["Failed", "Succeeded"].contains(&expected) {
            return Some(job.outcome);
        }
        let last = job.decisions.last()?;
        Some(if row.is_about_waits { wait_text(last) } else { last.decision.clone() })
    };
    Some([answer(older, example.before)?, answer(newer, example.since)?])
}
