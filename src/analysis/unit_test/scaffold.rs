//! Generation of tests that cover policies.
//!
//! Examples of failures are replayed; from those that reach something new, tests are made, whose expectations are what
//! the engine decided. So a generated test holds until the policy changes.

use super::case::{Case, read_cases};
use super::case_history::Recorded;
use super::coverage::LONGEST_SEQUENCE;
use super::coverage::TargetIndex;
use super::failure_pool::FailurePool;
use super::run::{CheckedDecision, run_case};
use document::diag::{Findings, Source};
use document::{Document, Limits, parse};
use replay::simulate::DecisionReport;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use systems::System;
use systems::{CoverageTarget, ExampleFailures, TargetKind};

/// The generated tests.
#[derive(Debug, Default)]
pub struct Scaffolding {
    /// The tests.
    pub tests: Vec<ScaffoldedTest>,
    /// The targets that no test covers although some failure may reach them.
    pub uncovered: Vec<CoverageTarget>,
    /// The rules that no failure reaches.
    pub dead: Vec<CoverageTarget>,
    /// The failures that were decided, in all.
    #[cfg(test)]
    pub steps: usize,
}

/// A generated test.
#[derive(Debug)]
pub struct ScaffoldedTest {
    /// Its name.
    pub name: String,
    /// The failures, as fields of the test document.
    pub failures: Vec<Value>,
    /// Expected decisions about attempts.
    pub expectations: Vec<Value>,
    /// Expected end of the job.
    pub job: Value,
    /// Lines of comment above the test.
    pub comments: Vec<String>,
}

/// The reader of a case's failures, the same as that of its command.
pub type ReadCase<'r, F> = dyn Fn(&Document, &Case<'_>) -> Option<Recorded<F>> + 'r;

/// Makes tests from examples that cover as many targets as possible. Examples are made as they are needed.
pub fn scaffold<S: System>(
    engine: &S,
    targets: &[CoverageTarget],
    examples: impl IntoIterator<Item = ExampleFailures>,
    read: &ReadCase<'_, S::Fields>,
) -> Scaffolding {
    let rules = engine.rules();
    let mut scaffolder = Scaffolder::new(engine, TargetIndex::new(targets, &rules), read);
    let mut retried = Vec::new();
    let mut pool = FailurePool::default();
    for example in examples {
        pool.add(&example);
        retried.extend(scaffolder.add_sample(&example));
    }
    scaffolder.add_mixed(&retried);
    scaffolder.add_found(&pool);
    scaffolder.into_tests()
}

/// A failure that a rule retries, with how often.
struct Retried {
    rule: (Option<String>, Option<usize>),
    failure: Value,
    retries: usize,
}

struct Scaffolder<'s, S: System> {
    engine: &'s S,
    targets: TargetIndex<'s>,
    read: &'s ReadCase<'s, S::Fields>,
    /// The longest sequence of failures that reaches every limit.
    longest: usize,
    covered: BTreeSet<usize>,
    names: HashSet<String>,
    tests: Vec<ScaffoldedTest>,
    /// The failures that were decided, in all.
    #[cfg(test)]
    steps: std::cell::Cell<usize>,
}

impl<'s, S: System> Scaffolder<'s, S> {
    fn new(engine: &'s S, targets: TargetIndex<'s>, read: &'s ReadCase<'s, S::Fields>) -> Self {
        let limits = targets.targets.iter().filter(|target| target.unreachable.is_none());
        let limits = limits.filter_map(|target| match target.kind {
            TargetKind::Limit { value, .. } => usize::try_from(value).ok(),
            _ => None,
        });
        let longest = limits.filter(|limit| *limit < LONGEST_SEQUENCE).max().unwrap_or(0) + 2;
        Self {
            engine,
            targets,
            read,
            longest,
            covered: BTreeSet::new(),
            names: HashSet::new(),
            tests: Vec::new(),
            #[cfg(test)]
            steps: std::cell::Cell::default(),
        }
    }

    fn into_tests(self) -> Scaffolding {
        let all = self.targets.targets.iter().enumerate();
        let left = all.filter(|(number, _)| !self.covered.contains(number));
        let (uncovered, dead): (Vec<_>, Vec<_>) =
            left.map(|(_, target)| target.clone()).partition(|target| target.unreachable.is_none());
        let dead = dead.into_iter().filter(|target| target.kind == TargetKind::Rule).collect();
        Scaffolding {
            uncovered,
            dead,
            tests: self.tests,
            #[cfg(test)]
            steps: self.steps.get(),
        }
    }

    /// Adds a test if an alternative of a example reaches something new.
    fn add_sample(&mut self, example: &ExampleFailures) -> Option<Retried> {
        let is_new = |failures: &&Vec<Value>| {
            let decided = self.replay(failures, 1);
            !self.reached(&decided).is_empty()
        };
        let first = example.alternatives.iter().find(is_new).or(example.alternatives.first())?;
        let (decided, times) = self.replay_to_end(first);
        self.add_test((first, times), &decided);
        let retries = decided.iter().take_while(|it| it.retry).count();
        let decision = decided.first().filter(|_| retries > 0)?;
        let rule = (decision.report.policy.clone(), decision.report.rule_index);
        Some(Retried { rule, failure: first.first()?.clone(), retries })
    }

    /// Adds a test of several rules' failures, which together reach a limit that those of one do not.
    fn add_mixed(&mut self, retried: &[Retried]) {
        let global = self.targets.targets.iter().find_map(|target| match target.kind {
            TargetKind::Limit { source: "global", value } => usize::try_from(value).ok(),
            _ => None,
        });
        let Some(global) = global.filter(|global| *global < LONGEST_SEQUENCE) else { return };
        let (mut failures, mut rules) = (Vec::new(), BTreeSet::new());
        for Retried { rule, failure, retries } in retried {
            if rules.insert(rule) {
                let more = (*retries).min(global - failures.len());
                failures.extend(std::iter::repeat_n(failure.clone(), more));
            }
        }
        let last = failures.last().cloned();
        failures.extend(last);
        if failures.len() > global {
            let decided = self.replay(&failures, 1);
            self.add_test((&failures, 1), &decided);
        }
    }

    /// Adds tests of sequences of several examples' failures that reach what those of one do not.
    fn add_found(&mut self, pool: &FailurePool) {
        let all = self.targets.targets.iter().enumerate();
        let reachable = all.filter(|(_, target)| target.unreachable.is_none());
        let reachable: Vec<usize> = reachable.map(|(number, _)| number).collect();
        for mut failures in pool.sequences() {
            if reachable.iter().all(|number| self.covered.contains(number)) {
                return;
            }
            let reached = self.reached(&self.replay(&failures, 1));
            if reached.is_empty() {
                continue;
            }
            for at in (0..failures.len()).rev() {
                let mut fewer = failures.clone();
                fewer.remove(at);
                let still = self.reached(&self.replay(&fewer, 1));
                if reached.keys().all(|target| still.contains_key(target)) {
                    failures = fewer;
                }
            }
            let decided = self.replay(&failures, 1);
            self.add_test((&failures, 1), &decided);
        }
    }

    /// The decisions about failures that are repeated until the job ends, or every limit is reached. The number of
    /// repetitions grows by a factor, since most limits are far below the highest.
    fn replay_to_end(&self, failures: &[Value]) -> (Vec<CheckedDecision>, usize) {
        let mut times = 1;
        loop {
            let decided = self.replay(failures, times);
            let last = decided.iter().map(|decision| decision.attempt).max().unwrap_or(0);
            let has_ended = last < failures.len() * times;
            if has_ended || times >= self.longest {
                return (decided, times);
            }
            times = (times * 8).min(self.longest);
        }
    }

    /// The decisions about failures that are repeated.
    fn replay(&self, failures: &[Value], times: usize) -> Vec<CheckedDecision> {
        let repeated = match failures {
            [only] => vec![with(only, "repeat", json!(times))],
            several => several.iter().cycle().take(several.len() * times).cloned().collect(),
        };
        let decided = decide(self.engine, self.read, &repeated);
        #[cfg(test)]
        self.steps.set(self.steps.get() + decided.len());
        decided
    }

    /// The targets that decisions reach and no test covers, each with the number of the first decision.
    fn reached(&self, decided: &[CheckedDecision]) -> BTreeMap<usize, usize> {
        let mut first = BTreeMap::new();
        for (number, decision) in decided.iter().enumerate() {
            let reached = self.targets.reached(decision).into_iter();
            for target in reached.filter(|target| !self.covered.contains(target)) {
                first.entry(target).or_insert(number);
            }
        }
        first
    }

    /// Adds a test of the attempts that reach something new. Failures after them are left out, unless the decisions
    /// depend on them: a Job whose indexes are all done ends.
    fn add_test(&mut self, (failures, times): (&[Value], usize), decided: &[CheckedDecision]) {
        let reached = self.reached(decided);
        let Some(last) = reached.values().max() else { return };
        let needed = decided.iter().take(last + 1).map(|it| it.attempt).max().unwrap_or(1);
        let again = match failures {
            [_] => self.replay(failures, needed),
            several => {
                let cut: Vec<Value> = several.iter().cycle().take(needed).cloned().collect();
                self.replay(&cut, 1)
            }
        };
        let still = self.reached(&again);
        if reached.keys().all(|target| still.contains_key(target)) {
            self.write_test(failures.iter().cycle().take(needed), &again, still);
        } else {
            let all = failures.iter().cycle().take(failures.len() * times);
            self.write_test(all, decided, reached);
        }
    }

    /// Adds a test of failures, whose decisions reach some targets, with the last retry before a limit.
    fn write_test<'f>(
        &mut self,
        failures: impl Iterator<Item = &'f Value>,
        decided: &[CheckedDecision],
        reached: BTreeMap<usize, usize>,
    ) {
        let mut attempts: BTreeSet<usize> = reached.values().copied().collect();
        let Some(last) = attempts.last().copied() else { return };
        let before = decided[..last].iter().rposition(|it| !it.exhausted);
        attempts.extend(before.filter(|_| decided[last].exhausted));
        let repeated: Vec<&Value> = failures.collect();
        // Decisions about the same attempt at a lower level are expected too.
        let mut expected: Vec<&CheckedDecision> = attempts.iter().map(|it| &decided[*it]).collect();
        expected.sort_by_key(|decision| decision.attempt);
        let expectations: Vec<Value> =
            expected.into_iter().map(|it| expectation(it).into()).collect();
        let is_over = decided.len() == last + 1;
        let retries = decided[..=last].iter().filter(|it| it.retry).count();
        let job = if is_over && decided[last].exhausted && retries > 0 {
            json!({"outcome": "Failed"})
        } else {
            Value::Null
        };
        let name = self.name(&decided[..=last]);
        let (failures, comments) = (grouped(&repeated), Vec::new());
        self.tests.push(ScaffoldedTest { name, failures, expectations, job, comments });
        self.covered.extend(reached.into_keys());
    }

    /// A name of the decisions, which no other test has.
    fn name(&mut self, decided: &[CheckedDecision]) -> String {
        let (Some(first), Some(last)) = (decided.first(), decided.last()) else {
            return String::new();
        };
        let rule = rule_text(&first.report, self.targets.rules.len() > 1);
        let mut name = format!("{} is decided by {rule}", first.report.failure);
        let limit = last.report.limit.zip(last.report.limit_source.as_deref());
        if let Some((limit, source)) = limit.filter(|_| last.exhausted) {
            name += &format!(", up to {} {limit}", limit_name(source));
        }
        let mut unique = name.clone();
        let mut number = 2;
        while !self.names.insert(unique.clone()) {
            unique = format!("{name} ({number})");
            number += 1;
        }
        unique
    }
}

/// The decisions about failures, as fields of a test document.
pub(super) fn decide<S: System>(
    engine: &S,
    read: &ReadCase<'_, S::Fields>,
    failures: &[Value],
) -> Vec<CheckedDecision> {
    let test = json!({"spec": {"tests": [{"name": "example", "failures": failures}]}});
    let source = Source::new("example", test.to_string());
    let (documents, _) = parse(&source, Limits::HISTORY);
    let mut findings = Findings::new();
    let decided = documents.iter().find_map(|document| {
        let cases = read_cases(document, &mut findings);
        let case = cases.first()?;
        let recorded = read(document, case)?;
        Some(run_case(engine, false, &recorded, case, 0).decided)
    });
    decided.unwrap_or_default()
}

/// The name of the field that sets a limit.
fn limit_name(source: &str) -> &str {
    match source {
        "global" => "globalMaxRetries",
        "rule" | "policy" => "retryLimit",
        field => field,
    }
}

fn rule_text(report: &DecisionReport, has_rules: bool) -> String {
    match (&report.policy, report.rule_index) {
        (Some(policy), None) if !has_rules => policy.clone(),
        (Some(policy), Some(index)) => format!("{policy}[{index}]"),
        (Some(policy), None) => format!("the default of {policy}"),
        (None, _) => "no policy".to_owned(),
    }
}

/// The expected decision: its outcome, its rule, its count, and its effects.
pub(super) fn expectation(decision: &CheckedDecision) -> Map<String, Value> {
    let report = serde_json::to_value(&decision.report).unwrap_or_default();
    let mut fields = Map::new();
    fields.insert("attempt".to_owned(), json!(decision.attempt));
    let always = ["action", "decision", "policy", "ruleIndex"];
    let if_any =
        ["level", "count", "limit", "limitSource", "delaySeconds", "avoidNodes", "memoryBytes"];
    for key in always {
        fields.insert(key.to_owned(), report.get(key).cloned().unwrap_or_default());
    }
    for key in if_any {
        let value = report.get(key).filter(|value| !value.is_null() && value.as_f64() != Some(0.0));
        let value = value.filter(|value| value.as_array().is_none_or(|items| !items.is_empty()));
        fields.extend(value.map(|value| (key.to_owned(), whole(value))));
    }
    fields
}

/// A number without a fraction as a whole one: `30`, not `30.0`.
pub(super) fn whole(value: &Value) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "a fraction of 0 and far below 2^53")]
    let number = value.as_f64().filter(|number| number.fract() == 0.0).map(|number| number as i64);
    number.map_or_else(|| value.clone(), Value::from)
}

/// Equal failures that follow each other as one that is repeated.
pub(super) fn grouped(failures: &[&Value]) -> Vec<Value> {
    let mut groups: Vec<(&Value, usize)> = Vec::new();
    for failure in failures {
        match groups.last_mut() {
            Some((last, count)) if last == failure => *count += 1,
            _ => groups.push((failure, 1)),
        }
    }
    let group = |(failure, count): (&Value, usize)| {
        if count == 1 { failure.clone() } else { with(failure, "repeat", json!(count)) }
    };
    groups.into_iter().map(group).collect()
}

fn with(value: &Value, key: &str, field: Value) -> Value {
    let mut value = value.clone();
    if let Value::Object(fields) = &mut value {
        fields.insert(key.to_owned(), field);
    }
    value
}
