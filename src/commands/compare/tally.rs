//! The counts of recorded failures by difference.

use crate::report::{ComparedItem, ComparedRule, RecordedCounts, RecordedTotals, RulePair};
use armada_retry::engine::compare::DifferenceKind;
use replay::history::{Member, RecordFields};
use replay::simulate::{DecidedFailure, Engine, FailureUnderBoth};
use std::collections::HashMap;
use systems::compare::wait;

/// The rules that decide about a failure, one of each engine by their numbers; none if no rule does.
type Pair = [Option<usize>; 2];

/// The differences and the policies of an item, for failures.
#[derive(Debug, Clone)]
struct Entry {
    /// The queue, if the item is the list of one.
    queue: Option<String>,
    /// The group of differences, by its number among those of all items; none if the failures could not be compared.
    group: Option<(usize, DifferenceKind)>,
}

/// The consequence of a decision with a code for the other members of a unit.
pub(super) type Others<'o> = dyn Fn(&str) -> &'static str + Sync + 'o;

/// The differences of all items by their pairs of rules.
pub(super) struct Index<'o> {
    entries: HashMap<Pair, Vec<Entry>>,
    /// Those of all pairs that both versions retry: the names of pods depend on no rule.
    of_retries: Vec<Entry>,
    /// Those of all pairs.
    of_all: Vec<Entry>,
    /// The number of groups.
    groups: usize,
    others: &'o Others<'o>,
}

/// The counts of a thread.
#[derive(Debug, Default)]
pub(super) struct Tally {
    totals: RecordedTotals,
    groups: Vec<RecordedCounts>,
}

impl<'o> Index<'o> {
    /// The differences of items, by the numbers of the rules of both engines.
    pub(super) fn new<E: Engine>(
        items: &[ComparedItem],
        engines: [&E; 2],
        others: &'o Others<'o>,
    ) -> Self {
        let numbers = engines.map(|engine| {
            let labels = engine.rules().into_iter().map(|label| (label.policy, label.index));
            labels.zip(0..).collect::<HashMap<(String, Option<usize>), usize>>()
        });
        // A rule that no engine has decides about no job of the history.
        let number = |side: usize, rule: &ComparedRule| -> Option<Option<usize>> {
            let Some(policy) = rule.policy.clone() else { return Some(None) };
            numbers[side].get(&(policy, rule.rule_index)).copied().map(Some)
        };
        let pair = |pair: &RulePair| Some([number(0, &pair.old)?, number(1, &pair.new)?]);
        let (entries, of_retries, of_all) = (HashMap::new(), Vec::new(), Vec::new());
        let mut index = Self { entries, of_retries, of_all, groups: 0, others };
        for item in items {
            let entry = |group| Entry { queue: item.queue().map(str::to_owned), group };
            for group in item.groups() {
                let of_group = entry(group.kind().map(|kind| (index.groups, kind)));
                index.groups += 1;
                if group.kind() == Some(DifferenceKind::PodNames) {
                    index.of_retries.push(of_group);
                    continue;
                }
                for pair in group.pairs().iter().filter_map(pair) {
                    index.entries.entry(pair).or_default().push(of_group.clone());
                }
            }
            for unknown in item.unknown() {
                if unknown.is_of_all() {
                    index.of_all.push(entry(None));
                } else if let Some(pair) = pair(&unknown.pair()) {
                    index.entries.entry(pair).or_default().push(entry(None));
                }
            }
        }
        index
    }

    /// Adds failures of some units, in the order of the units.
    pub(super) fn add<F: RecordFields>(
        &self,
        tally: &mut Tally,
        members: &[Member<F>],
        failures: &[FailureUnderBoth],
    ) {
        tally.groups.resize(self.groups, RecordedCounts::default());
        for of_job in failures.chunk_by(|one, other| one.unit == other.unit) {
            let job = of_job.first().and_then(|first| members.get(first.member));
            if let Some(job) = job {
                self.add_job(tally, &job.queue, of_job);
            }
        }
    }

    fn add_job(&self, tally: &mut Tally, queue: &str, failures: &[FailureUnderBoth]) {
        let (mut is_changed, mut seen) = (false, Vec::new());
        for failure in failures {
            let both = failure.decisions[0].as_ref().zip(failure.decisions[1].as_ref());
            let kinds = both.map(|both| self.kinds(both)).unwrap_or_default();
            let (mut is_in_group, mut is_explained, mut is_unknown) = (false, false, false);
            for entry in self.entries_of(failure, queue) {
                let Some((group, kind)) = entry.group else {
                    is_unknown = true;
                    continue;
                };
                let is_otherwise = kinds.contains(&kind);
                let counts = &mut tally.groups[group];
                counts.failures += 1;
                counts.decided_otherwise += u64::from(is_otherwise);
                if !seen.contains(&group) {
                    counts.jobs += 1;
                    seen.push(group);
                }
                is_in_group = true;
                is_explained |= is_otherwise;
            }
            let totals = &mut tally.totals;
            totals.failures += 1;
            totals.in_differences += u64::from(is_in_group);
            if kinds.is_empty() {
                continue;
            }
            totals.decided_otherwise += 1;
            let unexplained = &mut totals.in_no_difference;
            match (is_explained, is_unknown, is_changed) {
                (true, ..) => {}
                (_, true, _) => unexplained.unknown_pairs += 1,
                (_, _, true) => unexplained.after_others += 1,
                _ => unexplained.others += 1,
            }
            is_changed = true;
        }
        tally.totals.jobs += 1;
        tally.totals.jobs_decided_otherwise += u64::from(is_changed);
    }

    /// The differences of the items of a queue and of policies for a failure.
    fn entries_of<'e>(
        &'e self,
        failure: &FailureUnderBoth,
        queue: &'e str,
    ) -> impl Iterator<Item = &'e Entry> {
        let is_retry = |it: &Option<DecidedFailure>| it.as_ref().is_some_and(|it| it.facts.retry);
        let has_retries = failure.decisions.iter().all(is_retry);
        let of_pair = self.entries.get(&failure.rules).into_iter().flatten();
        let of_retries = self.of_retries.iter().filter(move |_| has_retries);
        let all = of_pair.chain(of_retries).chain(&self.of_all);
        all.filter(move |entry| entry.queue.as_ref().is_none_or(|of| of == queue))
    }

    /// The counts of all threads: in all, and by group.
    pub(super) fn sum(&self, tallies: Vec<Tally>) -> (RecordedTotals, Vec<RecordedCounts>) {
        let mut totals = RecordedTotals::default();
        let mut groups = vec![RecordedCounts::default(); self.groups];
        for tally in tallies {
            totals.add(&tally.totals);
            for (sum, counts) in groups.iter_mut().zip(tally.groups) {
                sum.add(counts);
            }
        }
        (totals, groups)
    }

    /// The kinds of the differences between two decisions about a failure, as a difference of a sequence of failures has one.
    fn kinds(&self, (old, new): (&DecidedFailure, &DecidedFailure)) -> Vec<DifferenceKind> {
        use DifferenceKind::{
            FewerRetries, Members, Memory, MoreRetries, NoLongerRetried, Nodes, NowRetried,
            PodNames, Wait,
        };
        match (old.facts.retry, new.facts.retry) {
            (true, false) => return vec![NoLongerRetried, FewerRetries],
            (false, true) => return vec![NowRetried, MoreRetries],
            _ if (self.others)(old.facts.code) != (self.others)(new.facts.code) => {
                return vec![Members];
            }
            (false, false) => return Vec::new(),
            (true, true) => {}
        }
        let (old, new) = (&old.report, &new.report);
        let all = [
            (Wait, wait(old) != wait(new)),
            (Nodes, old.avoid_nodes != new.avoid_nodes),
            (Memory, old.memory_bytes != new.memory_bytes),
            (PodNames, old.next_pod_name != new.next_pod_name),
        ];
        all.into_iter().filter(|(_, differs)| *differs).map(|(kind, _)| kind).collect()
    }
}
