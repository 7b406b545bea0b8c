//! The same policy under two neighbouring releases, judged by the engine under both.

use super::assumed::has_releases_of;
use super::difference::{Difference, Model};
use super::program::{Program, Release};
use super::releases::Releases;
use super::replayed::{replay, replay_runs};
use super::table::differences;
use super::version::Version;
use crate::{ManifestSystem, Options};
use document::diag::{Findings, Severity};
use document::{Document, Node};
use replay::simulate::{DecisionReport, JobReport};
use serde_json::Value;

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

/// Returns the rows that change a decision about some failure under a policy, with the first such failure of each.
pub fn reached_differences<S: ManifestSystem>(
    document: &Document,
    options: &Options,
    is_asked: &dyn Fn(Release) -> bool,
) -> Vec<ReachedDifference> {
    let mut found = Vec::new();
    let is_compared = |row: &&Difference| {
        !matches!(row.model, Model::NotModelled(_))
            && has_releases_of::<S>(row.program)
            && (!row.has_fields() || row.concerns(&document.root))
    };
    for row in differences().filter(is_compared) {
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

/// Returns the rows about fields of a document that no engine has, between releases that are asked for.
pub fn rows_without_model(
    programs: &[Program],
    root: &Node,
    is_asked: &dyn Fn(Release) -> bool,
) -> Vec<&'static Difference> {
    let is_listed = |row: &&Difference| {
        let release = |version| Release { program: row.program, version };
        let mut boundaries = row.boundaries();
        matches!(row.model, Model::NotModelled(_))
            && programs.contains(&row.program)
            && row.concerns(root)
            && boundaries.any(|(older, newer)| is_asked(release(older)) && is_asked(release(newer)))
    };
    differences().filter(is_listed).collect()
}

/// The effect of an exit on a pod whose policy is `Never`.
const RESTARTED_IN_PLACE: &str = "restarted in place, which no limit counts";

/// Two neighbouring releases of which one has a row.
struct Pair<'a> {
    document: &'a Document,
    options: &'a Options,
    row: &'static Difference,
    older: Version,
    newer: Version,
}

/// A policy as a release reads it, with its options.
type Side<S> = (<S as ManifestSystem>::Manifest, Options);

impl Pair<'_> {
    /// Returns the options of a release, with the row of the other one if it is switched.
    fn options(&self, version: Version, is_switched: bool) -> Options {
        let release = Release { program: self.row.program, version };
        let releases = Releases {
            replaces_profiles: true,
            switched: is_switched.then_some(self.row.id),
            ..self.options.releases.with(release)
        };
        Options { releases, ..*self.options }
    }

    fn side<S: ManifestSystem>(
        &self,
        version: Version,
        is_switched: bool,
    ) -> Result<Side<S>, String> {
        let options = self.options(version, is_switched);
        read::<S>(self.document, &options).map(|manifest| (manifest, options))
    }

    /// Returns the first difference between the two whole releases that the row makes: one without effects on fields by the failures
    /// that it has, any other if one of the releases decides as the other once the row is switched.
    fn compare<S: ManifestSystem>(&self) -> Option<ReachedDifference> {
        let whole = [self.older, self.newer].map(|version| self.side::<S>(version, false));
        let switched = [self.older, self.newer].map(|version| self.side::<S>(version, true));
        match &whole {
            [Err(_), Err(_)] => None,
            [Ok(old), Ok(new)] if matches!(self.row.model, Model::InPlace(_)) => {
                self.first_in_place::<S>(old, new)
            }
            [Ok(old), Ok(new)] => self.first_decision::<S>([old, new], &switched),
            // The error may be another row's: a row without fields refuses nothing.
            [older, newer] if self.row.can_refuse() => {
                let is_exchanged = |side: &Result<_, _>, other: &Result<Side<S>, _>| {
                    side.is_err() == other.is_err()
                };
                let is_own = self.row.effects.is_empty()
                    || is_exchanged(&switched[0], newer)
                    || is_exchanged(&switched[1], older);
                let text = |side: &Result<_, String>| match side {
                    Ok(_) => "accepted".to_owned(),
                    Err(error) => format!("refused: {error}"),
                };
                is_own.then(|| self.reached(String::new(), text(older), text(newer)))
            }
            _ => None,
        }
    }

    /// Returns the first exit that only the newer release restarts in place, with the decision of the older one about it.
    fn first_in_place<S: ManifestSystem>(
        &self,
        old: &Side<S>,
        new: &Side<S>,
    ) -> Option<ReachedDifference> {
        let kept = S::exits_in_place(&old.0);
        let exit = S::exits_in_place(&new.0).into_iter().find(|exit| !kept.contains(exit))?;
        let (engine, failures) = (S::engine(vec![old.0.clone()], &old.1), [exit]);
        let job = replay(&engine, &unit_of::<S>(&old.0), &failures)?;
        let before = decision_text(job.decisions.first()?);
        Some(self.reached(failure_text(&failures, 0), before, RESTARTED_IN_PLACE.to_owned()))
    }

    fn first_decision<S: ManifestSystem>(
        &self,
        [old, new]: [&Side<S>; 2],
        switched: &[Result<Side<S>, String>; 2],
    ) -> Option<ReachedDifference> {
        let unit = unit_of::<S>(&new.0);
        let engine = |(manifest, options): &Side<S>| S::engine(vec![manifest.clone()], options);
        let engines = [engine(old), engine(new)];
        let switched = switched.each_ref().map(|side| side.as_ref().ok().map(engine));
        self.sequences::<S>(&old.0, &new.0).iter().find_map(|failures| {
            let jobs = engines.each_ref().map(|engine| replay(engine, &unit, failures));
            let [Some(before), Some(since)] = &jobs else { return None };
            let difference = self.first_difference(failures, before, since)?;
            let is_exchanged = |engine: &Option<S>, other: &JobReport| {
                let engine = engine.as_ref()?;
                let job = replay(engine, &unit, failures)?;
                Some(self.decides_alike(&job, other, difference.place))
            };
            let is_own = self.row.effects.is_empty()
                || is_exchanged(&switched[0], since).unwrap_or_default()
                || is_exchanged(&switched[1], before).unwrap_or_default();
            let FirstDifference { failure, before, since, .. } = difference;
            is_own.then(|| self.reached(failure, before, since))
        })
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
        let examples = [S::examples(new), S::examples(old)].into_iter().flatten();
        examples.flat_map(|example| example.alternatives).collect()
    }

    /// Returns the part of a decision that the row is about; `None` if it is about waits and no retry was granted.
    fn key(&self, decision: &DecisionReport) -> Option<String> {
        match (self.row.is_about_waits, decision.delay_seconds) {
            (false, _) => Some(decision.decision.clone()),
            (true, Some(_)) => Some(wait_text(decision)),
            (true, None) => None,
        }
    }

    /// Returns whether two jobs have the same decision at a place, or without a place the same end.
    fn decides_alike(&self, one: &JobReport, other: &JobReport, place: Option<usize>) -> bool {
        let key = |job: &JobReport| {
            let decision = place.and_then(|place| job.decisions.get(place));
            decision.map(|decision| self.key(decision))
        };
        match place {
            Some(_) => key(one) == key(other),
            None => end_of(one) == end_of(other),
        }
    }

    /// Returns the first decision that differs, or the ends if only they do.
    fn first_difference(
        &self,
        failures: &[Value],
        before: &JobReport,
        since: &JobReport,
    ) -> Option<FirstDifference> {
        let is_about_waits = self.row.is_about_waits;
        let mut pairs = before.decisions.iter().zip(&since.decisions).enumerate();
        let found = pairs.find(|(_, (before, since))| {
            let keys = [self.key(before), self.key(since)];
            // A wait differs from another wait; without a retry another row decides.
            keys[0] != keys[1] && keys.iter().all(Option::is_some)
        });
        if let Some((place, (before, since))) = found {
            let text = if is_about_waits { wait_text } else { decision_text };
            return Some(FirstDifference {
                place: Some(place),
                failure: failure_text(failures, place),
                before: text(before),
                since: text(since),
            });
        }
        (!is_about_waits && end_of(before) != end_of(since)).then(|| FirstDifference {
            place: None,
            failure: failure_text(failures, failures.len().saturating_sub(1)),
            before: outcome_text(before),
            since: outcome_text(since),
        })
    }
}

/// The first difference between two replays of the same failures.
struct FirstDifference {
    /// The number of the decision; `None` if only the ends differ.
    place: Option<usize>,
    failure: String,
    before: String,
    since: String,
}

/// Returns the number of decisions, and the outcome.
fn end_of(job: &JobReport) -> (usize, &str) {
    (job.decisions.len(), &job.outcome)
}

/// Reads a document, or returns its first error.
fn read<S: ManifestSystem>(document: &Document, options: &Options) -> Result<S::Manifest, String> {
    let mut findings = Findings::new();
    S::read(document, options, &mut findings).ok_or_else(|| {
        let mut errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
        errors.next().map_or_else(|| "it cannot be read".to_owned(), |error| error.message.clone())
    })
}

fn unit_of<S: ManifestSystem>(manifest: &S::Manifest) -> String {
    let name = S::unit(manifest).name;
    if name.is_empty() { "unit".to_owned() } else { name.to_owned() }
}

fn parse(failures: &[&str]) -> Vec<Value> {
    failures.iter().filter_map(|failure| serde_json::from_str(failure).ok()).collect()
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
        let options = pair.options(version, false);
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
