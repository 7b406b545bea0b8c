//! What many jobs come to. Summaries merge: that gives threads and, one day, shards.

mod codes;
mod facts;
mod hours;
mod storm;

pub use codes::Codes;
pub use facts::{Ending, Granted, LastDecision, RunFacts, Waited};
pub use hours::{Demand, Hours};
pub use storm::{Minute, Storm};

use super::engine::DecisionCounts;
use super::outcome::{Contradiction, Outcome};
use crate::units::GoDuration;
use std::collections::BTreeMap;

/// Counts over jobs. Merging is associative and commutative, and an empty summary changes nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Jobs.
    pub jobs: u64,
    /// Failed runs decided, without returned leases.
    pub failures: u64,
    /// Retries granted.
    pub retries: u64,
    /// Those of them whose wait hangs on something that no record gives.
    pub substituted: u64,
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
    pub failed_by: BTreeMap<(&'static str, Option<usize>), u64>,
    /// By the number of a queue.
    pub queues: Counted,
    /// By the number of a category.
    pub categories: Counted,
    /// By the day of the failure, counted from 1970.
    pub days: BTreeMap<i64, Pair>,
    /// Jobs that failed, by the number of a queue.
    pub queue_failed: Vec<u64>,
    /// Failures that only a default caught, by the number of their kind.
    pub uncaught: Vec<u64>,
    /// Recorded retries that succeeded, that failed, and that ended otherwise.
    pub retried: Retried,
    /// Recorded runs not reached.
    pub not_reached: Hours,
    /// Recorded runs that another's end cut off.
    pub cut_off: u64,
    /// Time spent in backoff, in nanoseconds.
    pub backoff: u128,
    /// Retries waiting or running.
    pub storm: Storm,
    /// Recorded runs that cannot have happened so.
    pub contradictions: u64,
    /// The first few of them.
    pub examples: Vec<Example>,
}

/// A contradiction of some job. Ordered by where the job stands in the history.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Example {
    /// Where the run or its job stands in the history.
    pub place: u64,
    /// The run.
    pub run_index: u32,
    /// The job.
    pub job: String,
    /// What about it.
    pub what: String,
}

/// Failures decided, and retries granted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pair {
    /// Failures.
    pub failures: u64,
    /// Retries.
    pub retries: u64,
}

/// Failures and retries by the number of a name.
pub type Counted = Vec<Pair>;

/// What recorded retries cost, by how they ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retried {
    /// They did their work.
    pub succeeded: Hours,
    /// They failed.
    pub failed: Hours,
    /// They were preempted, returned, cancelled or stopped.
    pub other: Hours,
}

/// What one rule did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RuleCounts {
    /// Decisions attributed to it.
    pub matched: u64,
    /// Retries it granted.
    pub retried: u64,
    /// Decisions where a limit stopped it.
    pub exhausted: u64,
    /// Its retries whose run is on record.
    pub followed: u64,
    /// Those of them that succeeded.
    pub succeeded: u64,
    /// Its retries that are not on record.
    pub unresolved: u64,
}

/// How many contradictions a summary names.
const EXAMPLES: usize = 10;

const DAY: i64 = 86_400;

impl Summary {
    /// Nothing counted yet, for an engine of so many rules.
    pub fn new(rules: usize) -> Self {
        Self { by_rule: vec![RuleCounts::default(); rules], ..Self::default() }
    }

    /// A failed run was decided.
    pub fn decided(&mut self, run: &RunFacts, tally: &DecisionCounts, wait: Waited) {
        self.by_decision.add(tally.code, 1);
        let pair = Pair { failures: u64::from(tally.failure), retries: u64::from(tally.retry) };
        self.failures += pair.failures;
        self.retries += pair.retries;
        if let Some(rule) = tally.rule {
            let counts = &mut self.by_rule[rule];
            counts.matched += 1;
            counts.retried += pair.retries;
            counts.exhausted += u64::from(tally.exhausted);
        }
        at(&mut self.queues, run.queue).add(pair);
        at(&mut self.categories, run.category).add(pair);
        if let Some(group) = run.group.filter(|_| tally.by_default) {
            *at(&mut self.uncaught, group) += 1;
        }
        if let Some(time) = run.time {
            self.days.entry(time.epoch_seconds().div_euclid(DAY)).or_default().add(pair);
        }
        if !tally.retry {
            return;
        }
        let delay = wait.delay.unwrap_or(GoDuration::ZERO);
        self.backoff += u128::from(delay.as_nanos().max(0).unsigned_abs());
        if let Some(time) = run.time {
            let failed = Minute::of(time);
            self.storm.add(failed, wait.until.unwrap_or(failed));
        }
    }

    /// The recorded run of a granted retry has ended.
    pub fn followed(&mut self, granted: &Granted, run: &RunFacts) {
        let counts = self.rule(granted.rule);
        counts.followed += 1;
        counts.succeeded += u64::from(run.ending == Ending::Succeeded);
        let hours = match run.ending {
            Ending::Succeeded => &mut self.retried.succeeded,
            Ending::Failed => &mut self.retried.failed,
            Ending::Other => &mut self.retried.other,
        };
        hours.add(run.length, run.demand);
        // It waits, and is counted already, up to the minute of `not_before`.
        if let (Some(waited), Some(time)) = (granted.waited, run.time) {
            self.storm.add(Minute(waited.0 + 1), Minute::of(time));
        }
    }

    /// A recorded run was not reached.
    pub fn passed_over(&mut self, length: Option<GoDuration>, demand: Demand) {
        self.not_reached.add(length, demand);
    }

    /// A granted retry is not on record.
    pub fn unresolved(&mut self, rule: Option<u32>) {
        self.rule(rule).unresolved += 1;
    }

    /// A job is over. `by` is the decision that ended it, where one did.
    pub fn ended(&mut self, queue: u32, outcome: Outcome, retried: bool, by: Option<LastDecision>) {
        self.jobs += 1;
        *self.outcomes.entry(outcome).or_default() += 1;
        self.recovered += u64::from(retried && outcome == Outcome::Succeeded);
        if outcome == Outcome::Failed {
            *at(&mut self.queue_failed, queue) += 1;
            if let Some(by) = by {
                *self
                    .failed_by
                    .entry((by.code(), by.rule().map(|rule| rule as usize)))
                    .or_default() += 1;
            }
        }
    }

    /// A recorded run cannot have happened so.
    pub fn contradicted(&mut self, place: u64, job: &str, contradiction: &Contradiction) {
        self.contradictions += 1;
        let last = self.examples.last().filter(|_| self.examples.len() == EXAMPLES);
        if last.is_some_and(|last| (last.place, last.run_index) <= (place, contradiction.run_index))
        {
            return;
        }
        let (run_index, what) = (contradiction.run_index, contradiction.what.clone());
        self.examples.push(Example { place, run_index, job: job.to_owned(), what });
        self.keep_first_examples();
    }

    fn keep_first_examples(&mut self) {
        self.examples.sort();
        self.examples.truncate(EXAMPLES);
    }

    fn rule(&mut self, rule: Option<u32>) -> &mut RuleCounts {
        match rule {
            Some(rule) => &mut self.by_rule[rule as usize],
            None => &mut self.by_no_rule,
        }
    }

    /// Adds another summary of the same engine's rules and the same names.
    pub fn merge(&mut self, other: Self) {
        self.jobs += other.jobs;
        self.failures += other.failures;
        self.retries += other.retries;
        self.substituted += other.substituted;
        self.recovered += other.recovered;
        self.backoff += other.backoff;
        self.cut_off += other.cut_off;
        self.contradictions += other.contradictions;
        for (code, count) in other.by_decision.0 {
            self.by_decision.add(code, count);
        }
        for (outcome, count) in other.outcomes {
            *self.outcomes.entry(outcome).or_default() += count;
        }
        for (by, count) in other.failed_by {
            *self.failed_by.entry(by).or_default() += count;
        }
        for (day, pair) in other.days {
            self.days.entry(day).or_default().add(pair);
        }
        each(&mut self.by_rule, other.by_rule, RuleCounts::merge);
        each(&mut self.queues, other.queues, Pair::add);
        each(&mut self.categories, other.categories, Pair::add);
        each(&mut self.queue_failed, other.queue_failed, |own, more| *own += more);
        each(&mut self.uncaught, other.uncaught, |own, more| *own += more);
        self.by_no_rule.merge(other.by_no_rule);
        self.retried.succeeded.merge(other.retried.succeeded);
        self.retried.failed.merge(other.retried.failed);
        self.retried.other.merge(other.retried.other);
        self.not_reached.merge(other.not_reached);
        self.storm.merge(other.storm);
        self.examples.extend(other.examples);
        self.keep_first_examples();
    }
}

/// The counts of a number; those up to it are made.
fn at<T: Default + Clone>(counts: &mut Vec<T>, number: u32) -> &mut T {
    let number = number as usize;
    if counts.len() <= number {
        counts.resize(number + 1, T::default());
    }
    &mut counts[number]
}

fn each<T: Default + Clone>(own: &mut Vec<T>, other: Vec<T>, add: impl Fn(&mut T, T)) {
    if own.len() < other.len() {
        own.resize(other.len(), T::default());
    }
    for (own, other) in own.iter_mut().zip(other) {
        add(own, other);
    }
}

impl Pair {
    fn add(&mut self, other: Self) {
        self.failures += other.failures;
        self.retries += other.retries;
    }
}

impl RuleCounts {
    fn merge(&mut self, other: Self) {
        self.matched += other.matched;
        self.retried += other.retried;
        self.exhausted += other.exhausted;
        self.followed += other.followed;
        self.succeeded += other.succeeded;
        self.unresolved += other.unresolved;
    }

    /// The share of its recorded retries that succeeded; none without any.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub fn success_share(&self) -> Option<f64> {
        (self.followed > 0).then(|| self.succeeded as f64 / self.followed as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Time;
    use proptest::prelude::*;

    /// A summary of a few decisions and jobs.
    fn any_summary() -> impl Strategy<Value = Summary> {
        let run = (0u32..3, 0u32..3, 0u32..2, -3i64..3, 0i64..400);
        proptest::collection::vec((run, 0usize..2, 0u64..20), 0..12).prop_map(|events| {
            let mut summary = Summary::new(2);
            for ((queue, category, group, day, minutes), rule, place) in events {
                let length = Some(GoDuration::from_secs(minutes * 60));
                let run = RunFacts {
                    queue,
                    category,
                    group: Some(group),
                    time: Some(Time::from_epoch_seconds(day * 50_000)),
                    length,
                    ending: [Ending::Succeeded, Ending::Failed][rule],
                    demand: Demand::default(),
                };
                let tally = DecisionCounts {
                    code: ["retry", "fail_rule"][rule],
                    rule: Some(rule),
                    failure: true,
                    retry: rule == 0,
                    exhausted: rule == 1,
                    by_default: group == 1,
                };
                let until = run.time.map(Minute::of);
                summary.decided(&run, &tally, Waited { delay: length, until });
                summary.followed(&Granted { rule: u32::try_from(rule).ok(), waited: until }, &run);
                summary.passed_over(run.length, run.demand);
                summary.cut_off += 1;
                summary.unresolved(None);
                summary.ended(queue, Outcome::Failed, rule == 0, Some(LastDecision::of(&tally)));
                let what = Contradiction { run_index: category, what: "early".to_owned() };
                summary.contradicted(place, "j", &what);
            }
            summary
        })
    }

    fn merged(mut one: Summary, other: &Summary) -> Summary {
        one.merge(other.clone());
        one
    }

    proptest! {
        #[test]
        fn merging_is_associative_and_commutative_with_an_identity(
            a in any_summary(), b in any_summary(), c in any_summary(),
        ) {
            prop_assert_eq!(merged(merged(a.clone(), &b), &c), merged(a.clone(), &merged(b.clone(), &c)));
            prop_assert_eq!(merged(a.clone(), &b), merged(b, &a));
            prop_assert_eq!(&merged(Summary::new(2), &a), &a);
            prop_assert_eq!(&merged(a.clone(), &Summary::default()), &a);
        }
    }
}
