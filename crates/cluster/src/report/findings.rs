//! Findings about the retries of a run: jobs that are preempted again and again, retries that fail on the node on
//! which they failed before, and queues that starve beside the retries of another.

use super::waits::seconds;
use super::{Figure, FindingKind, FindingReport};
use crate::events::{Event, EventKind, PoolRound, SettledRun};
use crate::failure::FailureKind;
use crate::spec::{Nanoseconds, Workload};
use document::units::GoDuration;
use std::collections::{BTreeMap, HashMap};

/// The number of preemptions of a job from which on they are a loop.
const LOOP: u32 = 5;
/// The number of retries that fail on the node of the failure before, from which on they are reported, if they are at
/// least half of the retries after this cause.
const SAME_NODE: u64 = 3;
/// The time below half of its entitled share after which a queue starves: ten minutes.
const STARVING: Nanoseconds = 600 * 1_000_000_000;

/// A job: the position of its template, and its number.
type JobId = (usize, u32);

/// The position of a template in the file, and the rule that lets its jobs run again.
type LoopKey = (usize, Option<usize>);

/// Running retries of one queue and rule: their number, the queue and the rule.
type MostRetries = (u32, usize, Option<usize>);

/// Counts that can become findings, over a run.
#[derive(Debug, Clone, Default)]
pub(super) struct FindingMeter {
    /// The position of each template's queue.
    queues: Vec<usize>,
    preempted: BTreeMap<JobId, Preemptions>,
    /// The node and the cause of the last failure of jobs that run again.
    failed: HashMap<JobId, ((usize, usize), FailureKind)>,
    /// By template of the file, cause, and rule.
    repeats: BTreeMap<(usize, FailureKind, Option<usize>), Repeats>,
    /// The running jobs of each queue.
    running: Vec<u32>,
    /// The running retries of each queue, by rule.
    retries: Vec<BTreeMap<Option<usize>, u32>>,
    /// By pool and queue.
    starving: Vec<Vec<Starving>>,
}

/// The preemptions of a job.
#[derive(Debug, Clone, Copy)]
struct Preemptions {
    number: u32,
    first: Nanoseconds,
    last: Nanoseconds,
    /// The rule that let the job run again, if one did.
    rule: Option<usize>,
}

/// The retries after failures by a cause.
#[derive(Debug, Clone, Copy)]
struct Repeats {
    retries: u64,
    /// Those that failed for the same cause because of the same node, with an example and their times.
    same_node: u64,
    job: JobId,
    first: Nanoseconds,
    last: Nanoseconds,
}

/// How long a queue has less than half of its share, and beside which retries.
#[derive(Debug, Clone, Copy, Default)]
struct Starving {
    now: Span,
    is_below: bool,
    /// Whether most running jobs of another queue are retries.
    beside: bool,
    longest: Span,
}

#[derive(Debug, Clone, Copy, Default)]
struct Span {
    from: Nanoseconds,
    to: Nanoseconds,
    /// The time in which most running jobs of another queue were retries.
    beside_retries: Nanoseconds,
    /// The most that ran at a time.
    most: MostRetries,
}

impl FindingMeter {
    pub(super) fn new(workload: &Workload, pools: usize) -> Self {
        let queues = workload.queues.len();
        Self {
            queues: workload.templates.iter().map(|template| template.queue).collect(),
            running: vec![0; queues],
            retries: vec![BTreeMap::new(); queues],
            starving: vec![vec![Starving::default(); queues]; pools],
            ..Self::default()
        }
    }

    pub(super) fn event(&mut self, event: &Event) {
        let job = (event.template, event.number);
        let is_start = event.kind == EventKind::Leased;
        let is_end = event.leased.is_some() && !is_start;
        if is_start || is_end {
            let queue = self.queues[event.template];
            let retries = event.granted.map(|it| self.retries[queue].entry(it.rule).or_default());
            for running in retries.into_iter().chain([&mut self.running[queue]]) {
                *running = if is_start { *running + 1 } else { running.saturating_sub(1) };
            }
        }
        if event.kind == EventKind::Preempted {
            let first = Preemptions { number: 0, first: event.time, last: 0, rule: None };
            let preempted = self.preempted.entry(job).or_insert(first);
            preempted.number += 1;
            preempted.last = event.time;
            preempted.rule = event.decision.and_then(|decision| decision.rule);
        }
    }

    /// Counts a run that has failed, `source` being the position of its template in the file.
    pub(super) fn settled(&mut self, run: &SettledRun, source: usize) {
        let event = &run.event;
        let job = (event.template, event.number);
        let before = self.failed.remove(&job);
        let now = event.node.zip(event.failure.map(kind_of_cause));
        let now = now.filter(|_| event.kind == EventKind::Failed);
        let is_of_node = event.failure.is_some_and(is_of_node);
        if let (Some((node, cause)), Some(granted)) = (before, event.granted) {
            let none = Repeats { retries: 0, same_node: 0, job, first: event.time, last: 0 };
            let repeats = self.repeats.entry((source, cause, granted.rule)).or_insert(none);
            repeats.retries += 1;
            if is_of_node && now == Some((node, cause)) {
                if repeats.same_node == 0 {
                    (repeats.job, repeats.first) = (job, event.time);
                }
                repeats.same_node += 1;
                repeats.last = event.time;
            }
        }
        if let (Some(failed), None) = (now, run.outcome) {
            self.failed.insert(job, failed);
        }
    }

    pub(super) fn round(&mut self, round: &PoolRound<'_>) {
        let (first, second) = self.most_retries();
        for (queue, outcome) in round.outcome.queues.iter().enumerate() {
            // A queue's own retries do not make it starve.
            let most = if first.1 == queue { second } else { first };
            let starving = &mut self.starving[round.pool][queue];
            starving.advance(round.time);
            let entitled = round.entitled[queue];
            let is_below = outcome.shares.demand > 0.0 && outcome.cost_after < entitled / 2.0;
            // A time begins anew where the queue was not below its share.
            if !is_below || !starving.is_below {
                starving.now = Span { from: round.time, to: round.time, ..Span::default() };
            }
            starving.is_below = is_below;
            starving.now.most = starving.now.most.max(most);
            starving.beside = most.0 > 0;
        }
    }

    /// Returns the most retries of one queue and rule that run, and the most of another queue. Queues of which less
    /// than half of the running jobs are retries do not count.
    fn most_retries(&self) -> (MostRetries, MostRetries) {
        let (mut first, mut second) = (MostRetries::default(), MostRetries::default());
        for (queue, rules) in self.retries.iter().enumerate() {
            let is_most = |number: &u32| number.saturating_mul(2) >= self.running[queue];
            let rules = rules.iter().filter(|(_, number)| is_most(number));
            let most = rules.map(|(rule, number)| (*number, queue, *rule)).max();
            let most = most.unwrap_or_default();
            if most > first {
                (first, second) = (most, first);
            } else {
                second = second.max(most);
            }
        }
        (first, second)
    }

    /// Returns the findings of a run that has ended.
    pub(super) fn findings(
        mut self,
        end: Nanoseconds,
        workload: &Workload,
        rules: &[String],
        pools: &[&str],
    ) -> Vec<FindingReport> {
        for starving in self.starving.iter_mut().flatten() {
            starving.advance(end);
        }
        let names = Names { workload, rules, pools };
        let mut findings = self.loops(&names);
        findings.extend(self.same_nodes(&names));
        findings.extend(self.starved(&names));
        findings
    }

    /// Returns a finding for each template and rule with jobs that were preempted again and again.
    fn loops(&self, names: &Names<'_>) -> Vec<FindingReport> {
        let mut loops: BTreeMap<LoopKey, Vec<(JobId, Preemptions)>> = BTreeMap::new();
        for (job, preempted) in self.preempted.iter().filter(|(_, it)| it.number >= LOOP) {
            let source = names.workload.templates[job.0].source;
            loops.entry((source, preempted.rule)).or_default().push((*job, *preempted));
        }
        let finding = |((source, rule), jobs): (LoopKey, Vec<(JobId, Preemptions)>)| {
            // Of equal numbers the first job.
            let (worst, most) = jobs.iter().rev().max_by_key(|(_, it)| it.number).copied()?;
            let again = match names.rule(rule) {
                Some(rule) => format!("ran again by {rule}"),
                None => "were submitted again".to_owned(),
            };
            let many = if jobs.len() == 1 { "job" } else { "jobs" };
            let was = if jobs.len() == 1 { "was" } else { "were" };
            let again = if jobs.len() == 1 { again.replace("were", "was") } else { again };
            let message = format!(
                "{} {many} of {} {was} preempted {LOOP} times or more and {again}; {} {} times, {}",
                jobs.len(),
                names.workload.template_ids[source],
                names.job(worst),
                most.number,
                times_text(most.first, most.last),
            );
            Some(FindingReport {
                kind: FindingKind::PreemptionLoop,
                message,
                jobs: jobs.len() as u64,
                job: Some(names.job(worst)),
                queue: None,
                pool: None,
                rule: names.rule(rule).map(str::to_owned),
                from: figure(jobs.iter().map(|(_, it)| it.first).min()?),
                to: figure(jobs.iter().map(|(_, it)| it.last).max()?),
            })
        };
        loops.into_iter().filter_map(finding).collect()
    }

    fn same_nodes(&self, names: &Names<'_>) -> Vec<FindingReport> {
        let repeats = self.repeats.iter();
        let many =
            repeats.filter(|(_, it)| it.same_node >= SAME_NODE && it.same_node * 2 >= it.retries);
        let finding = |((_, cause, rule), it): (&(usize, FailureKind, Option<usize>), &Repeats)| {
            let causes = &names.workload.templates[it.job.0].failures.causes;
            let cause = cause.name(causes);
            let by = names.rule(*rule).map(|rule| format!(" by {rule}")).unwrap_or_default();
            FindingReport {
                kind: FindingKind::SameNode,
                message: format!(
                    "{} of {} retries{by} after {cause} failed for {cause} again on the same node, {}; the first of {}",
                    it.same_node,
                    it.retries,
                    times_text(it.first, it.last),
                    names.job(it.job),
                ),
                jobs: it.same_node,
                job: Some(names.job(it.job)),
                queue: None,
                pool: None,
                rule: names.rule(*rule).map(str::to_owned),
                from: figure(it.first),
                to: figure(it.last),
            }
        };
        many.map(finding).collect()
    }

    /// Returns a finding for each queue that starved in a pool beside retries of another queue.
    fn starved(&self, names: &Names<'_>) -> Vec<FindingReport> {
        let pools = self.starving.iter().zip(names.pools);
        let queues = pools.flat_map(|(queues, pool)| {
            queues.iter().enumerate().map(move |(queue, starving)| (*pool, queue, starving))
        });
        let finding = |(pool, queue, starving): (&str, usize, &Starving)| {
            let span = starving.longest;
            let length = span.to - span.from;
            // Retries that ran for less than half of the time are not its cause.
            if length < STARVING || span.beside_retries < length / 2 {
                return None;
            }
            let (number, other, rule) = span.most;
            let by = names.rule(rule).map(|rule| format!(" by {rule}")).unwrap_or_default();
            let [queue, other] =
                [queue, other].map(|queue| names.workload.queues[queue].name.clone());
            let of_pool =
                if names.pools.len() > 1 { format!(" of pool {pool}") } else { String::new() };
            let message = format!(
                "queue {queue} had less than half of its entitled share{of_pool} {}, while queue {other} ran mostly \
                 retries, up to {number}{by}",
                times_text(span.from, span.to),
            );
            Some(FindingReport {
                kind: FindingKind::Starvation,
                message,
                jobs: number.into(),
                job: None,
                queue: Some(queue),
                pool: Some(pool.to_owned()),
                rule: names.rule(rule).map(str::to_owned),
                from: figure(span.from),
                to: figure(span.to),
            })
        };
        queues.filter_map(finding).collect()
    }
}

impl Starving {
    /// Adds the time until now.
    fn advance(&mut self, now: Nanoseconds) {
        if !self.is_below {
            return;
        }
        if self.beside {
            self.now.beside_retries += now - self.now.to;
        }
        self.now.to = now;
        if self.now.to - self.now.from > self.longest.to - self.longest.from {
            self.longest = self.now;
        }
    }
}

/// Returns whether a failure is due to the node: a cause that sticks to it, or a failure of the node or its GPUs.
fn is_of_node(kind: FailureKind) -> bool {
    match kind {
        FailureKind::Again(_) | FailureKind::Node | FailureKind::Spot | FailureKind::Gpu => true,
        FailureKind::Cause(_) | FailureKind::Deadline => false,
    }
}

/// Counts a cause that sticks to a node as the cause.
fn kind_of_cause(kind: FailureKind) -> FailureKind {
    match kind {
        FailureKind::Again(position) => FailureKind::Cause(position),
        other => other,
    }
}

fn figure(time: Nanoseconds) -> Figure {
    Figure(seconds(time.into()))
}

struct Names<'n> {
    workload: &'n Workload,
    rules: &'n [String],
    pools: &'n [&'n str],
}

impl Names<'_> {
    fn job(&self, (template, number): JobId) -> String {
        format!("{}-{number}", self.workload.templates[template].id)
    }

    fn rule(&self, rule: Option<usize>) -> Option<&str> {
        self.rules.get(rule?).map(String::as_str)
    }
}

/// Writes the time between two moments, to the second.
fn times_text(from: Nanoseconds, to: Nanoseconds) -> String {
    let [from, to] = [from, to].map(time_text);
    if from == to { format!("at {from}") } else { format!("from {from} to {to}") }
}

/// Writes a time to the second.
fn time_text(time: Nanoseconds) -> String {
    const SECOND: Nanoseconds = 1_000_000_000;
    GoDuration::from_nanos(time / SECOND * SECOND).to_string()
}
