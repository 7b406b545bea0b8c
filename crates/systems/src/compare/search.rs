//! The search for the shortest sequences of failures that two versions decide otherwise.

use super::history::{history, read_runs, run_at};
use super::walk::{Consequences, Walk, first_run, next_run};
use super::{Comparison, Difference, Treatment};
use crate::ManifestSystem;
use armada_retry::engine::compare::DifferenceKind;
use document::units::{GoDuration, Time};
use replay::history::{Member, RecordFields, Run};
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
    let parts = classes(engines, records, members);
    let has_equal_actions = parts.iter().flatten().all(|class| {
        let [old, new] = &class.treatments;
        old.action == new.action && old.is_counted == new.is_counted
    });
    if has_equal_actions && engines[0].parameters() == engines[1].parameters() {
        return Comparison::default();
    }
    let mut comparison = Comparison::default();
    for classes in &parts {
        comparison.add(Search::new(engines, classes).run());
    }
    comparison.undecided.extend(S::undecided(engines));
    comparison
}

/// Failures of a member that each version treats alike.
struct Class<S: ManifestSystem> {
    record: Value,
    member: Member<S::Fields>,
    treatments: [Treatment; 2],
}

/// The classes of each member, and of each part of the manifest, each with its first failure. Failures of different members do
/// not follow each other.
fn classes<S: ManifestSystem>(
    engines: [&S; 2],
    records: Vec<Value>,
    members: Vec<Member<S::Fields>>,
) -> Vec<Vec<Class<S>>> {
    let mut seen = HashSet::new();
    let mut parts: Vec<(_, Vec<Class<S>>)> = Vec::new();
    for (record, member) in records.into_iter().zip(members) {
        let Some(run) = member.runs.first() else { continue };
        let treatments = engines.map(|engine| engine.treatment(run));
        let part = (member.key.clone(), S::part_of(&record));
        if !seen.insert((part.clone(), treatments.clone())) {
            continue;
        }
        let class = Class { record, member, treatments };
        match parts.iter_mut().find(|(other, _)| *other == part) {
            Some((_, classes)) => classes.push(class),
            None => parts.push((part, vec![class])),
        }
    }
    parts.into_iter().map(|(_, classes)| classes).collect()
}

/// Classes whose failures have the same consequences after the same failures: the actions are equal.
struct Group {
    classes: Vec<usize>,
    is_counted: bool,
    /// Whether the first failure is decided otherwise.
    is_decided: bool,
}

impl Group {
    fn all<S: ManifestSystem>(classes: &[Class<S>]) -> Vec<Self> {
        let mut numbers = HashMap::new();
        let mut groups: Vec<Self> = Vec::new();
        for (number, class) in classes.iter().enumerate() {
            let actions = class.treatments.each_ref().map(|it| (it.action.as_str(), it.is_counted));
            let group = *numbers.entry(actions).or_insert_with(|| {
                let is_counted = class.treatments.iter().any(|it| it.is_counted);
                groups.push(Self { classes: Vec::new(), is_counted, is_decided: false });
                groups.len() - 1
            });
            groups[group].classes.push(number);
        }
        groups
    }
}

/// A failure of a sequence, linked to those before it, so that no sequence is copied.
#[derive(Debug, Clone, Copy)]
struct Step {
    /// The number of the failure before it among all steps; `None` if it is the first.
    before: Option<usize>,
    class: usize,
}

/// Both versions after the same failures.
struct Node<'s, S: ManifestSystem> {
    walks: [Walk<'s, S>; 2],
    /// The last failure, by the number of its step.
    last: Option<usize>,
    /// The number of failures.
    length: u32,
    /// The number of failures of each group.
    counts: Vec<u32>,
    /// The times of the next run.
    times: [Time; 2],
}

impl<S: ManifestSystem> Node<'_, S> {
    /// The state on which decisions about further failures depend.
    fn key(&self) -> Vec<u64> {
        let [old, new] = self.walks.each_ref().map(|walk| walk.progress(self.times[0]));
        match old.zip(new) {
            Some((old, new)) => old.into_iter().chain(new).collect(),
            None => self.counts.iter().map(|count| u64::from(*count)).collect(),
        }
    }
}

struct Search<'s, S: ManifestSystem> {
    engines: [&'s S; 2],
    classes: &'s [Class<S>],
    groups: Vec<Group>,
    /// The failures of all sequences that are visited.
    steps: Vec<Step>,
    /// The last failure of a shortest sequence with each difference.
    found: HashMap<(DifferenceKind, [Option<usize>; 2]), Step>,
    /// Whether a deadline has ended a sequence of failures.
    is_timed: bool,
}

impl<'s, S: ManifestSystem> Search<'s, S> {
    fn new(engines: [&'s S; 2], classes: &'s [Class<S>]) -> Self {
        Self {
            engines,
            classes,
            groups: Group::all(classes),
            steps: Vec::new(),
            found: HashMap::new(),
            is_timed: false,
        }
    }

    fn run(mut self) -> Comparison {
        let Some(first) = self.classes.first() else { return Comparison::default() };
        let walks = Walk::both(self.engines, &first.member);
        let counts = vec![0; self.groups.len()];
        let root = Node { walks, last: None, length: 0, counts, times: first_run() };
        let mut seen = HashSet::from([root.key()]);
        let mut nodes = VecDeque::from([root]);
        let mut undecided = Vec::new();
        while let Some(node) = nodes.pop_front() {
            for number in 0..self.groups.len() {
                let next = self.judge(&node, number).map(|next| (next.key(), next));
                let Some((key, mut next)) = next.filter(|(key, _)| !seen.contains(key)) else {
                    continue;
                };
                if seen.len() == MAX_STATES {
                    let Node { length, .. } = node;
                    undecided = vec![format!("sequences of more than {length} failures")];
                    nodes.clear();
                    break;
                }
                seen.insert(key);
                next.last = Some(self.steps.len());
                self.steps.push(Step { before: node.last, class: self.groups[number].classes[0] });
                nodes.push_back(next);
            }
        }
        // Runs of other lengths may let one failure more or less come before it.
        if self.is_timed && self.found.is_empty() {
            undecided.push("failures at about the time of a deadline".to_owned());
        }
        let mut differences: Vec<Difference> = Vec::new();
        for (&(kind, rules), last) in &self.found {
            differences.push(Difference { kind, rules, history: self.history(*last) });
        }
        Comparison { differences, undecided }
    }

    /// Judges a further failure with both versions; `None` if one of them ends the unit.
    fn judge(&mut self, node: &Node<'s, S>, number: usize) -> Option<Node<'s, S>> {
        let (walks, [old, new]) = self.step(node, number)?;
        let is_first = node.length == 0;
        let is_ongoing = self.run_of(number).own.is_ongoing();
        if let Some(kind) = difference(old, new, is_first && !is_ongoing) {
            // A run that goes on is decided by its record, whatever came before.
            let is_decided =
                matches!(kind, DifferenceKind::NoLongerRetried | DifferenceKind::NowRetried);
            if is_decided || is_first && is_ongoing {
                self.groups[number].is_decided = true;
            }
            if is_first || !self.groups[number].is_decided {
                for class in &self.groups[number].classes {
                    let rules = self.classes[*class].treatments.each_ref().map(|it| it.rule);
                    let step = Step { before: node.last, class: *class };
                    self.found.entry((kind, rules)).or_insert(step);
                }
            }
        }
        if !(old.retries && new.retries) {
            return None;
        }
        let mut counts = node.counts.clone();
        let group = &self.groups[number];
        counts[number] += u32::from(group.is_counted);
        let times = next_run(node.times, [old.wait, new.wait]);
        // Its own step is added if the state is new.
        Some(Node { walks, last: node.last, length: node.length + 1, counts, times })
    }

    /// The failed run of the first class of a group.
    fn run_of(&self, group: usize) -> &'s Run<S::Fields> {
        &self.classes[self.groups[group].classes[0]].member.runs[0]
    }

    /// Both versions after a failure, and its consequences; `None` if one of them does not reach it.
    fn step(
        &mut self,
        node: &Node<'s, S>,
        group: usize,
    ) -> Option<([Walk<'s, S>; 2], [Consequences; 2])> {
        let run = run_at(self.run_of(group), node.length, node.times);
        let mut walks = node.walks.clone();
        let [old, new] = walks.each_mut().map(|walk| walk.judge(&run));
        self.is_timed |= walks.iter().any(Walk::is_timed);
        Some((walks, [old?, new?]))
    }

    /// The classes of the failures of a sequence, by its last one.
    fn classes_up_to(&self, last: Step) -> Vec<usize> {
        let before = |step: &Step| step.before.map(|number| self.steps[number]);
        let steps = std::iter::successors(Some(last), before);
        let mut classes: Vec<usize> = steps.map(|step| step.class).collect();
        classes.reverse();
        classes
    }

    /// The history of a sequence of failures, by its last one, with the times that both versions allow.
    fn history(&self, last: Step) -> Value {
        let Some(first) = self.classes.first() else { return history(&[]) };
        let mut walks = Walk::both(self.engines, &first.member);
        let mut times = first_run();
        let mut failures = Vec::new();
        for (index, number) in (0_u32..).zip(self.classes_up_to(last)) {
            let class = &self.classes[number];
            failures.push((&class.record, times));
            let run = run_at(&class.member.runs[0], index, times);
            let waits: [GoDuration; 2] = walks
                .each_mut()
                .map(|walk| walk.judge(&run).map_or(GoDuration::ZERO, |judged| judged.wait));
            times = next_run(times, waits);
        }
        history(&failures)
    }
}

/// The kind of the difference between the consequences of a failure, which may be the first one.
fn difference(old: Consequences, new: Consequences, is_first: bool) -> Option<DifferenceKind> {
    use DifferenceKind::{FewerRetries, Members, MoreRetries, NoLongerRetried, NowRetried, Wait};
    match (old.retries, new.retries) {
        (true, false) if is_first => Some(NoLongerRetried),
        (true, false) => Some(FewerRetries),
        (false, true) if is_first => Some(NowRetried),
        (false, true) => Some(MoreRetries),
        _ if old.others != new.others => Some(Members),
        (false, false) => None,
        (true, true) => (old.wait != new.wait).then_some(Wait),
    }
}
