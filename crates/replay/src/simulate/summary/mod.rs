//! Counts over the jobs of a history.
//!
//! Summaries merge, so that each thread counts by itself and the result does not depend on the number of
//! threads.

mod by_number;
mod codes;
mod contradictions;
mod facts;
mod following_runs;
mod hours;
mod numbered;
mod retries;
mod storm;

use borsh::{BorshDeserialize, BorshSerialize};
use by_number::ByNumber;
pub use codes::Codes;
pub use contradictions::{Contradictions, Example};
use facts::day_of;
pub use facts::{EndFacts, GrantedRetry, LastDecision, LastFailure, RetryWait, RunFacts};
pub use following_runs::Evidence;
pub use hours::{Demand, Hours, RetryHours};
pub use retries::{RetriesByNumber, RetryCount, RetryOutcomes};
pub use storm::{Minute, Storm};

use super::disruption::DisruptionCounts;
use super::figures::{
    CountDecisions as _, DecisionFacts, Ending, FailureFigures, FollowingRuns, IndexMismatch,
    JobFigures, NodeFigures, QueueFigures, RuleFigures, RunFigures, Totals,
};
use super::numbering::{NumberError, Numbers, read_codes};
use super::outcome::{MissingRun, Outcome};
use super::part::Judged;
use crate::disruption::{Kind, RowId};
use document::units::GoDuration;
use numbered::grown;
pub(in crate::simulate) use numbered::{add_each, at};
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// Counts over jobs. Merging is associative and commutative, and an empty summary changes nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Summary {
    /// The counts with which the report begins.
    pub totals: Totals,
    /// By the number of a policy: the failures that its rules were compared with.
    pub judged: Vec<Judged>,
    /// Decisions by code.
    pub by_decision: Codes,
    /// By rule, in the order of the engine's rules.
    pub by_rule: Vec<RuleCounts>,
    /// Retries that no rule granted.
    pub by_no_rule: RuleCounts,
    /// Jobs by outcome.
    pub outcomes: BTreeMap<Outcome, u64>,
    /// Jobs that succeeded after a retry.
    pub recovered: u64,
    /// Failed jobs by what ended them: the decision, and the rule it is attributed to.
    #[borsh(deserialize_with = "read_codes")]
    pub failed_by: BTreeMap<(&'static str, Option<usize>), u64>,
    /// By the number of a queue.
    pub queues: Vec<GroupCounts<QueueFigures>>,
    /// By the number of a category.
    pub categories: Vec<GroupCounts<FailureFigures>>,
    /// By the day of the failure, counted from 1970.
    pub days: ByNumber<GroupCounts<FailureFigures>>,
    /// Failures that only a default caught, by the number of their kind.
    pub uncaught: Vec<u64>,
    /// The recorded runs after those failures, by the number of their kind.
    pub after_uncaught: Vec<FollowingRuns>,
    /// Failures by the number of their row in the table of disruptions.
    pub disruptions: Vec<u64>,
    /// Recorded retries by the number of the node that they ran on.
    pub nodes: Vec<NodeFigures>,
    /// Recorded runs not reached.
    pub not_reached: Hours,
    /// Recorded runs that were cut off or that no policy sees.
    pub runs: RunFigures,
    /// Time spent in backoff, in nanoseconds.
    pub backoff: u128,
    /// Retries waiting or running.
    pub storm: Storm,
    /// Recorded runs that could not have happened as recorded under the policies.
    pub contradictions: Contradictions,
}

/// The counts of a queue, a category or a day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct GroupCounts<F> {
    /// Its decisions.
    pub figures: F,
    pub jobs: JobFigures,
    /// The recorded retries of its jobs, or those after its decided runs.
    pub retries: RetryHours,
}

/// The counts of one rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct RuleCounts {
    /// Its decisions.
    pub figures: RuleFigures,
    /// The outcomes of its retries.
    pub retries: RetriesByNumber,
    /// Jobs that succeeded after a retry, the last of which it granted.
    pub recovered: u64,
    /// The retries that it granted after a disruption, and that a limit counts.
    pub disruptions: DisruptionCounts,
}

impl Summary {
    /// An empty summary for an engine with this number of rules.
    pub fn new(rules: usize) -> Self {
        Self { by_rule: vec![RuleCounts::default(); rules], ..Self::default() }
    }

    /// Counts a decision about a failed run.
    pub fn count_decision(&mut self, run: &RunFacts, decision: &DecisionFacts, wait: RetryWait) {
        self.by_decision.add(decision.code, 1);
        self.totals.count(decision);
        if let Some(rule) = decision.rule {
            let figures = &mut grown(&mut self.by_rule, rule).figures;
            figures.matched += 1;
            figures.count(decision);
        }
        at(&mut self.queues, run.queue).figures.count(decision);
        at(&mut self.categories, run.end.category).figures.count(decision);
        if let Some(group) = run.group.get().filter(|_| decision.by_default) {
            *at(&mut self.uncaught, group) += 1;
        }
        if let Some(time) = run.time {
            self.days.at(day_of(time)).figures.count(decision);
        }
        // Only retries wait; the other figures are counted above for every decision.
        if !decision.retry {
            return;
        }
        let delay = wait.delay.unwrap_or(GoDuration::ZERO);
        self.backoff += u128::from(delay.as_nanos().max(0).unsigned_abs());
        if let Some(time) = run.time {
            let failed = Minute::of(time);
            self.storm.add(failed, wait.until.unwrap_or(failed));
        }
    }

    /// The failures that the rules of a policy were compared with.
    pub fn judged_by(&mut self, policy: usize) -> &mut Judged {
        at(&mut self.judged, u32::try_from(policy).unwrap_or(u32::MAX))
    }

    /// Counts a failure by the row of the table of disruptions.
    pub fn count_disruption(&mut self, row: RowId) {
        *at(&mut self.disruptions, u32::try_from(row.index()).unwrap_or_default()) += 1;
    }

    /// Counts a granted retry by its number. A limit counts the retries that have a disruption.
    pub fn count_grant(&mut self, rule: Option<u32>, number: u32, disruption: Option<Kind>) {
        let counts = self.rule(rule);
        counts.retries.at(number).granted += 1;
        if let Some(kind) = disruption {
            counts.disruptions.add(kind);
        }
    }

    /// Counts the recorded run of a granted retry, which has ended. `node` is the number of the node it ran on.
    pub fn count_retry_run(&mut self, retry: &GrantedRetry, run: &RunFacts, node: Option<u32>) {
        let add = |runs: &mut RetryHours| runs.add(run.end.ending, &run.hours);
        add(&mut self.rule(retry.rule).retries.at(retry.number).runs);
        add(&mut at(&mut self.queues, run.queue).retries);
        if let Some(category) = retry.after.category() {
            add(&mut at(&mut self.categories, category).retries);
        }
        if let Some(day) = retry.after.day() {
            add(&mut self.days.at(day).retries);
        }
        if let Some(node) = node {
            at(&mut self.nodes, node).add(run.end.ending, retry.node == Some(node));
        }
        // `count_decision` has added its wait up to the minute of `not_before`.
        if let (Some(wait_end), Some(time)) = (retry.wait_end, run.time) {
            self.storm.add(Minute(wait_end.0 + 1), Minute::of(time));
        }
    }

    /// Counts a granted retry whose run is not recorded.
    pub fn count_missing_run(&mut self, missing: MissingRun) {
        self.rule(missing.rule).retries.at(missing.number).missing += 1;
    }

    /// Counts the recorded run after a failure of a kind that no rule matched.
    pub fn count_run_after_uncaught(&mut self, group: u32, ending: Ending) {
        at(&mut self.after_uncaught, group).add(ending);
    }

    /// Counts a job with its `retries`. `last` is the decision that ended it, if one did, and `failure` its last
    /// decided run.
    pub fn count_job(
        &mut self,
        queue: u32,
        outcome: Outcome,
        retries: RetryCount,
        last: Option<LastDecision>,
        failure: LastFailure,
    ) {
        let is_recovered = outcome == Outcome::Succeeded && retries.granted() > 0;
        let unresolved = u64::from(outcome == Outcome::Unresolved);
        let job = JobFigures { jobs: 1, recovered: u64::from(is_recovered), unresolved };
        at(&mut self.queues, queue).jobs.merge(job);
        if let Some(category) = failure.category() {
            at(&mut self.categories, category).jobs.merge(job);
        }
        if let Some(day) = failure.day() {
            self.days.at(day).jobs.merge(job);
        }
        self.totals.jobs += 1;
        *self.outcomes.entry(outcome).or_default() += 1;
        if is_recovered {
            self.recovered += 1;
            self.rule(retries.last_rule()).recovered += 1;
        }
        if outcome == Outcome::Failed {
            at(&mut self.queues, queue).figures.failed_jobs += 1;
            if let Some(last) = last {
                *self
                    .failed_by
                    .entry((last.code(), last.rule().map(|rule| rule as usize)))
                    .or_default() += 1;
            }
        }
    }

    fn rule(&mut self, rule: Option<u32>) -> &mut RuleCounts {
        match rule {
            Some(rule) => at(&mut self.by_rule, rule),
            None => &mut self.by_no_rule,
        }
    }

    /// Counts a record whose index may not fit its unit.
    pub fn count_index(&mut self, mismatch: Option<IndexMismatch>) {
        match mismatch {
            Some(IndexMismatch::Ignored) => self.totals.ignored_indexes += 1,
            Some(IndexMismatch::Missing) => self.totals.missing_indexes += 1,
            None => {}
        }
    }

    /// The summary by other numbers of names.
    pub(in crate::simulate) fn renumber(self, numbers: &Numbers) -> Result<Self, NumberError> {
        let Numbers { queues, categories, groups, .. } = numbers;
        Ok(Self {
            queues: queues.list(self.queues, |own, it| own.merge(it, QueueFigures::merge))?,
            categories: categories
                .list(self.categories, |own, it| own.merge(it, FailureFigures::merge))?,
            uncaught: groups.list(self.uncaught, u64::add_assign)?,
            after_uncaught: groups.list(self.after_uncaught, FollowingRuns::merge)?,
            nodes: numbers.list_of_nodes(self.nodes, NodeFigures::merge)?,
            ..self
        })
    }

    /// Whether each rule is one of an engine with this number of rules.
    pub(in crate::simulate) fn has_rules(&self, rules: usize) -> bool {
        let mut failed_by = self.failed_by.keys();
        self.by_rule.len() == rules
            && failed_by.all(|(_, rule)| rule.is_none_or(|rule| rule < rules))
    }

    /// Adds another summary of the same engine's rules and the same names.
    pub fn merge(&mut self, other: Self) {
        self.totals.merge(other.totals);
        self.recovered += other.recovered;
        self.backoff += other.backoff;
        self.runs.merge(other.runs);
        self.contradictions.merge(other.contradictions);
        for (code, count) in other.by_decision.0 {
            self.by_decision.add(code, count);
        }
        for (outcome, count) in other.outcomes {
            *self.outcomes.entry(outcome).or_default() += count;
        }
        for (by, count) in other.failed_by {
            *self.failed_by.entry(by).or_default() += count;
        }
        self.days.merge(other.days, |own, counts| own.merge(counts, FailureFigures::merge));
        add_each(&mut self.judged, other.judged, Judged::merge);
        add_each(&mut self.by_rule, other.by_rule, RuleCounts::merge);
        add_each(&mut self.queues, other.queues, |own, it| own.merge(it, QueueFigures::merge));
        add_each(&mut self.categories, other.categories, |own, it| {
            own.merge(it, FailureFigures::merge);
        });
        add_each(&mut self.uncaught, other.uncaught, u64::add_assign);
        add_each(&mut self.after_uncaught, other.after_uncaught, FollowingRuns::merge);
        add_each(&mut self.disruptions, other.disruptions, u64::add_assign);
        add_each(&mut self.nodes, other.nodes, NodeFigures::merge);
        self.by_no_rule.merge(other.by_no_rule);
        self.not_reached.merge(other.not_reached);
        self.storm.merge(other.storm);
    }
}

impl<F> GroupCounts<F> {
    /// Adds the counts of another part of the history.
    fn merge(&mut self, other: Self, figures: impl FnOnce(&mut F, F)) {
        figures(&mut self.figures, other.figures);
        self.jobs.merge(other.jobs);
        self.retries.merge(other.retries);
    }
}

impl RuleCounts {
    /// Adds the counts of another rule.
    pub(crate) fn merge(&mut self, other: Self) {
        self.figures.merge(other.figures);
        self.retries.merge(other.retries);
        self.recovered += other.recovered;
        self.disruptions.merge(other.disruptions);
    }
}

#[cfg(test)]
mod tests {
    use super::super::outcome::{Contradiction, ContradictionKind};
    use super::super::part::Parts;
    use super::*;
    use document::units::Time;
    use proptest::prelude::*;
    use std::cell::Cell;

    /// A summary of a few decisions and jobs.
    fn any_summary() -> impl Strategy<Value = Summary> {
        let run = (0u32..3, 0u32..3, 0u32..2, -3i64..3, 0i64..400);
        proptest::collection::vec((run, 0usize..2, "[a-j]"), 0..12).prop_map(|events| {
            let mut summary = Summary::new(2);
            for ((queue, category, group, day, minutes), rule, job) in events {
                let length = Some(GoDuration::from_secs(minutes * 60));
                let run = RunFacts {
                    queue,
                    end: EndFacts {
                        ending: [Ending::Succeeded, Ending::Failed][rule],
                        kind: 0,
                        category,
                        group: None,
                        disruption: None,
                        survived_memory: false,
                    },
                    group: Cell::new(Some(group)),
                    time: Some(Time::from_epoch_seconds(day * 50_000)),
                    hours: Hours::new(length, Demand::default()),
                    has_cpu: false,
                    has_gpu: false,
                };
                let decision = DecisionFacts {
                    code: ["retry", "fail_rule"][rule],
                    rule: Some(rule),
                    failure: true,
                    retry: rule == 0,
                    exhausted: rule == 1,
                    by_default: group == 1,
                    legacy_gang: category == 0,
                    ..DecisionFacts::default()
                };
                let until = run.time.map(Minute::of);
                summary.count_decision(&run, &decision, RetryWait { delay: length, until });
                let (by, number) = (u32::try_from(rule).ok(), category * 15);
                let disruption = [Kind::Preemption, Kind::Kill][rule];
                summary.count_grant(by, number, Some(disruption).filter(|_| group == 0));
                summary.count_retry_run(
                    &GrantedRetry {
                        rule: by,
                        number,
                        node: Some(queue),
                        wait_end: until,
                        after: LastFailure::new(&run),
                    },
                    &run,
                    Some(group).filter(|_| queue > 0),
                );
                summary.count_run_after_uncaught(group, run.end.ending);
                let judged = summary.judged_by(rule);
                judged.failures += 1;
                judged.parts = judged.parts.with(Parts::of(rule), group == 0);
                let mut retries = RetryCount::default();
                retries.add(by.filter(|_| group == 0));
                summary.not_reached.merge(run.hours);
                summary.runs.cut_off += 1;
                summary.count_missing_run(MissingRun { rule: None, number });
                let outcome = [Outcome::Failed, Outcome::Succeeded][rule];
                let (last, after) = (LastDecision::of(&decision), LastFailure::new(&run));
                summary.count_job(queue, outcome, retries, Some(last), after);
                let kind = [ContradictionKind::Early, ContradictionKind::Node][rule];
                let text = "impossible".to_owned();
                let contradiction = Contradiction { run_index: category, kind, text };
                summary.contradictions.add(&job, &contradiction);
            }
            summary
        })
    }

    fn merge(mut one: Summary, other: &Summary) -> Summary {
        one.merge(other.clone());
        one
    }

    proptest! {
        #[test]
        fn merging_is_associative_and_commutative_with_an_identity(
            a in any_summary(), b in any_summary(), c in any_summary(),
        ) {
            prop_assert_eq!(merge(merge(a.clone(), &b), &c), merge(a.clone(), &merge(b.clone(), &c)));
            prop_assert_eq!(merge(a.clone(), &b), merge(b, &a));
            prop_assert_eq!(&merge(Summary::new(2), &a), &a);
            prop_assert_eq!(&merge(a.clone(), &Summary::default()), &a);
        }
    }
}
