//! The search for the shortest sequences of failures that two versions decide otherwise.

use super::history::{history, read_runs, run_at};
use super::walk::{Consequences, Walk, first_run, next_run};
use super::{Comparison, Difference, Treatment};
use crate::ManifestSystem;
use armada_retry::engine::compare::DifferenceKind;
use document::units::{GoDuration, Time};
use replay::history::Member;
use serde_json::Value;
use std::collections::{HashMap, HashSet, VecDeque};

/// The states of both versions that are visited at most.
const MAX_STATES: usize = 20_000;

/// Compares two versions of a manifest: the one before a change, and the one after it. Each engine has one manifest.
pub fn compare<S: ManifestSystem>(engines: [&S; 2]) -> Comparison {
    let mut comparison = compare_failures(engines);
    comparison.undecided.extend(S::incomparable(engines));
    comparison
}

fn compare_failures<S: ManifestSystem>(engines: [&S; 2]) -> Comparison {
    let records = match S::representatives(engines) {
        Ok(records) => records,
        Err(reason) => return Comparison::undecided(reason),
    };
    let Some(members) = read_runs(engines, &records) else {
        return Comparison::undecided("a failure that represents others is not valid");
    };
    let classes = classes(engines, records, members);
    let has_equal_actions = classes.iter().all(|class| {
        let [old, new] = &class.treatments;
        old.action == new.action && old.is_counted == new.is_counted
    });
    if has_equal_actions && engines[0].parameters() == engines[1].parameters() {
        return Comparison::default();
    }
    let mut comparison = Search::new(engines, &classes).run();
    if comparison.is_same() {
        comparison.undecided.extend(S::undecided(engines));
    }
    comparison
}

/// Failures that each version treats alike.
struct Class<S: ManifestSystem> {
    record: Value,
    member: Member<S::Fields>,
    treatments: [Treatment; 2],
}

/// The classes, each with its first failure.
fn classes<S: ManifestSystem>(
    engines: [&S; 2],
    records: Vec<Value>,
    members: Vec<Member<S::Fields>>,
) -> Vec<Class<S>> {
    let mut seen = HashSet::new();
    let mut classes = Vec::new();
    for (record, member) in records.into_iter().zip(members) {
        let Some(run) = member.runs.first() else { continue };
        let treatments = engines.map(|engine| engine.treatment(run));
        if seen.insert(treatments.clone()) {
            classes.push(Class { record, member, treatments });
        }
    }
    classes
}

/// Both versions after the same failures.
struct Node<'s, S: ManifestSystem> {
    walks: [Walk<'s, S>; 2],
    /// The failures, by the numbers of their classes.
    path: Vec<usize>,
    /// How many of them have each pair of actions.
    counts: Vec<u32>,
    /// The times of the next run.
    times: [Time; 2],
}

struct Search<'s, S: ManifestSystem> {
    engines: [&'s S; 2],
    classes: &'s [Class<S>],
    /// The number of the pair of actions of each class; `None` if no version counts its failures.
    counters: Vec<Option<usize>>,
    /// The classes whose first failures are decided otherwise.
    decided: HashSet<usize>,
    found: HashMap<(DifferenceKind, [Option<usize>; 2]), Vec<usize>>,
}

impl<'s, S: ManifestSystem> Search<'s, S> {
    fn new(engines: [&'s S; 2], classes: &'s [Class<S>]) -> Self {
        let mut pairs: Vec<[&str; 2]> = Vec::new();
        let counter = |class: &'s Class<S>| {
            if !class.treatments.iter().any(|it| it.is_counted) {
                return None;
            }
            let pair = class.treatments.each_ref().map(|it| it.action.as_str());
            let known = pairs.iter().position(|other| *other == pair);
            Some(known.unwrap_or_else(|| {
                pairs.push(pair);
                pairs.len() - 1
            }))
        };
        let counters = classes.iter().map(counter).collect();
        Self { engines, classes, counters, decided: HashSet::new(), found: HashMap::new() }
    }

    fn run(mut self) -> Comparison {
        let Some(first) = self.classes.first() else { return Comparison::default() };
        let walks = self.engines.map(|engine| Walk::new(engine, &first.member));
        let pairs = self.counters.iter().flatten().max().map_or(0, |last| last + 1);
        let root = Node { walks, path: Vec::new(), counts: vec![0; pairs], times: first_run() };
        let mut seen = HashSet::from([root.counts.clone()]);
        let mut nodes = VecDeque::from([root]);
        let mut undecided = Vec::new();
        while let Some(node) = nodes.pop_front() {
            for number in 0..self.classes.len() {
                let next = self.judge(&node, number);
                let Some(next) = next.filter(|next| !seen.contains(&next.counts)) else { continue };
                if seen.len() == MAX_STATES {
                    let length = node.path.len();
                    undecided = vec![format!("sequences of more than {length} failures")];
                    nodes.clear();
                    break;
                }
                seen.insert(next.counts.clone());
                nodes.push_back(next);
            }
        }
        let mut differences: Vec<Difference> = Vec::new();
        for (&(kind, rules), path) in &self.found {
            differences.push(Difference { kind, rules, history: self.history(path) });
        }
        let length =
            |difference: &Difference| self.found[&(difference.kind, difference.rules)].len();
        differences.sort_by_key(|it| (it.kind, length(it), it.rules));
        Comparison { differences, undecided }
    }

    /// Judges a further failure with both versions; `None` if one of them ends the unit.
    fn judge(&mut self, node: &Node<'s, S>, number: usize) -> Option<Node<'s, S>> {
        let (walks, consequences) = self.step(node, number);
        let [old, new] = consequences;
        let path: Vec<usize> = node.path.iter().copied().chain([number]).collect();
        if let Some(kind) = difference(old, new, node.path.is_empty()) {
            if matches!(kind, DifferenceKind::NoLongerRetried | DifferenceKind::NowRetried) {
                self.decided.insert(number);
            }
            let rules = self.classes[number].treatments.each_ref().map(|it| it.rule);
            if node.path.is_empty() || !self.decided.contains(&number) {
                self.found.entry((kind, rules)).or_insert_with(|| path.clone());
            }
        }
        if !(old.retries && new.retries) {
            return None;
        }
        let mut counts = node.counts.clone();
        if let Some(counter) = self.counters[number] {
            counts[counter] += 1;
        }
        let times = next_run(node.times, [old.wait, new.wait]);
        Some(Node { walks, path, counts, times })
    }

    fn step(&self, node: &Node<'s, S>, number: usize) -> ([Walk<'s, S>; 2], [Consequences; 2]) {
        let run = &self.classes[number].member.runs[0];
        let index = u32::try_from(node.path.len()).unwrap_or(u32::MAX);
        let run = run_at(run, index, node.times);
        let draws: &[u64] = if S::DRAWS { &DRAWS } else { &DRAWS[..1] };
        let judge = |draw: u64| {
            let mut walks = node.walks.clone();
            let consequences = walks.each_mut().map(|walk| walk.judge(&run, draw));
            (walks, consequences)
        };
        let mut last = judge(draws[0]);
        for draw in &draws[1..] {
            if last.1[0] != last.1[1] {
                break;
            }
            last = judge(*draw);
        }
        last
    }

    /// The history of a sequence of failures, with the times that both versions allow.
    fn history(&self, path: &[usize]) -> Value {
        let Some(first) = self.classes.first() else { return history(&[]) };
        let mut walks = self.engines.map(|engine| Walk::new(engine, &first.member));
        let mut times = first_run();
        let mut failures = Vec::new();
        for (index, number) in (0_u32..).zip(path) {
            let class = &self.classes[*number];
            failures.push((&class.record, times));
            let run = run_at(&class.member.runs[0], index, times);
            let waits: [GoDuration; 2] =
                walks.each_mut().map(|walk| walk.judge(&run, DRAWS[0]).wait);
            times = next_run(times, waits);
        }
        history(&failures)
    }
}

/// Random bits with which the waits of engines that draw are compared.
const DRAWS: [u64; 3] = [0x9E37_79B9_7F4A_7C15, 0x1234_5678_9ABC_DEF1, 0xF0E1_D2C3_B4A5_9687];

/// The kind of the difference between the consequences of a failure, which may be the first one.
fn difference(old: Consequences, new: Consequences, is_first: bool) -> Option<DifferenceKind> {
    use DifferenceKind::{FewerRetries, MoreRetries, NoLongerRetried, NowRetried, Wait};
    match (old.retries, new.retries) {
        (true, false) if is_first => Some(NoLongerRetried),
        (true, false) => Some(FewerRetries),
        (false, true) if is_first => Some(NowRetried),
        (false, true) => Some(MoreRetries),
        (false, false) => None,
        (true, true) => (old.wait != new.wait).then_some(Wait),
    }
}
