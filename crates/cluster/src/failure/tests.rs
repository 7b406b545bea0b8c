//! The closed forms of the model (testdata/vectors/scheduler/failures.json), each within three standard errors of
//! 10,000 jobs. Attempts follow each other without a scheduler; the event loop has the same ones.
//!
//! Holds cluster.md 5.

use super::super::draw::name_key;
use super::super::events::tests::settings;
use super::super::events::{Event, EventKind, LoopOptions, Observer, Retries, Simulation};
use super::super::job::Shape;
use super::super::requirements::{Labels, Requirements};
use super::super::resources::Amounts;
use super::super::retry::{Decider, Next, Requeue, RunGrant, UnitDecision, UnitId};
use super::super::scheduling::Scheduling;
use super::super::spec::{
    CLUSTER_LABEL, Cluster, ClusterSpec, GangTemplate, JobTemplate, NodeTemplate, Queue,
    ShiftedExponential, Workload,
};
use super::*;
use serde_json::Value;
use std::sync::Arc;

const HOUR: f64 = 3600e9;
const JOBS: u32 = 10_000;

/// The running time of a job's attempts, in hours.
#[derive(Debug, Clone, Copy, Default)]
struct Lived {
    attempts: f64,
    running: f64,
    /// Lost work, completed saves and restarts, in hours.
    wasted: f64,
    has_succeeded: bool,
}

/// A job of `members` members, each of which fails by the same causes; the first that fails ends the attempt.
struct World {
    failures: JobFailures,
    work: Nanoseconds,
    members: u32,
    /// The most attempts.
    attempts: u32,
}

impl World {
    fn live(&self, job: u32) -> Lived {
        let mut lived = Lived::default();
        let mut kept = 0;
        for attempt in 0..self.attempts {
            let (checkpoint, work) = (self.failures.checkpoint, self.work - kept);
            let duration = Checkpoint::duration(checkpoint, work, kept > 0);
            let circumstances = circumstances(duration);
            let member = |member| AttemptSubject {
                seed: 1,
                template: name_key("t"),
                number: job * self.members + member,
                attempt,
            };
            let ends = (0..self.members)
                .map(|number| member(number).end(&self.failures, circumstances, |_| false));
            let (elapsed, end) = ends.min().expect("a member");
            lived.attempts += 1.0;
            lived.running += hours(elapsed);
            if end == AttemptEnd::Success {
                lived.wasted += hours(elapsed - work);
                lived.has_succeeded = true;
                return lived;
            }
            let progress = Checkpoint::progress(checkpoint, work, kept > 0, elapsed);
            kept += progress.kept;
            lived.wasted += hours(progress.lost + progress.overhead);
        }
        lived
    }

    /// The lives of all jobs, which are those of the event loop with a scheduler and nodes for a part of the jobs.
    fn all(&self) -> Vec<Lived> {
        let lives: Vec<Lived> = (0..JOBS).map(|job| self.live(job)).collect();
        for (job, (lived, in_loop)) in lives.iter().zip(self.simulate()).enumerate() {
            assert!((lived.running - in_loop.running).abs() < 1e-6, "{job}: {lived:?} {in_loop:?}");
            assert!(
                (lived.attempts - in_loop.attempts).abs() < 1e-6,
                "{job}: {lived:?} {in_loop:?}"
            );
            assert_eq!(lived.has_succeeded, in_loop.has_succeeded, "{job}");
        }
        lives
    }

    /// Runs the jobs in the event loop, each member of a gang on one of eight cores of a node.
    fn simulate(&self) -> Vec<Lived> {
        let cardinality = usize::try_from(self.members).expect("a number");
        let template = JobTemplate {
            id: "t".to_owned(),
            source: 0,
            queue: 0,
            number: LOOP_JOBS * self.members,
            priority: 0,
            job_set: None,
            annotations: Arc::default(),
            shape: Shape {
                class: 0,
                request: Amounts::from_iter([1]),
                requirements: Requirements::default(),
            },
            dependencies: Vec::new(),
            earliest_submission: 0,
            after_dependencies: 0,
            run_time: ShiftedExponential { minimum: self.work, tail_mean: 0 },
            gang: (cardinality > 1)
                .then(|| GangTemplate { cardinality, uniformity_label: CLUSTER_LABEL.into() }),
            failures: self.failures.clone().into(),
        };
        let workload = Workload {
            queues: vec![Queue { name: "a".to_owned(), weight: 1.0 }],
            templates: vec![template],
            template_ids: vec!["t".to_owned()],
            ..Workload::default()
        };
        let nodes = NodeTemplate {
            number: NODES,
            total: Amounts::from_iter([8]),
            labels: Labels::new(),
            taints: Vec::new(),
            failure: None,
        };
        let cluster =
            Cluster { name: "c".to_owned(), pool: "p".to_owned(), node_templates: vec![nodes] };
        let clusters = ClusterSpec { clusters: vec![cluster], ..ClusterSpec::default() };
        let scheduling = Scheduling::from(settings([1, 1], 1.0, false));
        let options = LoopOptions { seed: 1, until: Nanoseconds::MAX / 4, is_fast_forward: true };
        let retries =
            Retries { decider: Box::new(Limit(self.attempts)), requeue: Requeue::Original };
        let simulation = Simulation::new(&scheduling, &clusters, &workload, options);
        let mut lives = Lives { members: self.members, jobs: Vec::new() };
        lives.jobs.resize(LOOP_JOBS as usize, Lived::default());
        simulation.with_retries(retries).run(&mut lives);
        lives.jobs
    }
}

/// The jobs in the event loop, a part of all: the tests are not optimized.
const LOOP_JOBS: u32 = 200;
/// The nodes of the event loop.
const NODES: u32 = 200;

/// Lets a unit run again, up to a number of attempts.
struct Limit(u32);

impl Decider for Limit {
    fn decide(&mut self, _: UnitId, ends: &[Event]) -> UnitDecision {
        let next = if ends[0].attempt + 1 < self.0 {
            let grants = vec![RunGrant::default(); ends.len()];
            Next::Again { retry_after: ends[0].time, grants }
        } else {
            Next::Over(vec![false; ends.len()])
        };
        UnitDecision { decisions: vec![None; ends.len()], next }
    }
}

/// Adds up the attempts of each job; those of a gang count once.
struct Lives {
    members: u32,
    jobs: Vec<Lived>,
}

impl Observer for Lives {
    fn event(&mut self, event: Event) {
        let is_first = event.number.is_multiple_of(self.members);
        let is_end =
            !matches!(event.kind, EventKind::Submitted | EventKind::Requeued | EventKind::Leased);
        if is_first && is_end {
            let lived = &mut self.jobs[(event.number / self.members) as usize];
            lived.attempts += 1.0;
            lived.running += hours(event.allocated());
            lived.has_succeeded = event.kind == EventKind::Succeeded;
        }
    }
}

fn circumstances(duration: Nanoseconds) -> Circumstances {
    Circumstances { duration, memory: 1.0, gpu_failures_per_hour: 0.0, deadline: None }
}

#[expect(clippy::cast_precision_loss, reason = "hours")]
fn hours(time: Nanoseconds) -> f64 {
    time as f64 / HOUR
}

#[expect(clippy::cast_possible_truncation, reason = "hours")]
fn nanoseconds(hours: f64) -> Nanoseconds {
    (hours * HOUR) as Nanoseconds
}

fn of_one(trigger: Trigger) -> JobFailures {
    let cause = FailureCause {
        name: "cause".to_owned(),
        trigger,
        stickiness: None,
        report: FailureReport::default(),
    };
    JobFailures { causes: vec![cause], ..JobFailures::default() }
}

fn per_attempt(probability: Probability, first: Option<f64>) -> Trigger {
    let at = DurationDistribution::from_milliseconds(Distribution::Fixed(0.0));
    Trigger::PerAttempt { probability, first, at }
}

/// Checks a mean against its expectation. `rounding` is that of the printed expectation.
#[track_caller]
fn assert_mean(values: impl Iterator<Item = f64> + Clone, expected: f64, rounding: f64) {
    let count = f64::from(JOBS);
    let mean = values.clone().sum::<f64>() / count;
    let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let error = (variance / count).sqrt();
    assert!((mean - expected).abs() <= 3.0 * error + rounding, "{mean} ± {error}, not {expected}");
}

fn cases(kind: &str) -> Vec<Value> {
    let text = include_str!("../../../../testdata/vectors/scheduler/failures.json");
    let all: Value = serde_json::from_str(text).expect("JSON");
    let all = all["failure_model_analytic"].as_array().expect("a list").clone();
    let found: Vec<Value> = all
        .into_iter()
        .filter(|case| case["kind"].as_str().is_some_and(|it| it.starts_with(kind)))
        .collect();
    assert!(!found.is_empty(), "{kind}");
    found
}

fn number(case: &Value, key: &str) -> f64 {
    case[key].as_f64().unwrap_or_else(|| panic!("{key} of {case}"))
}

#[test]
fn a_gang_that_restarts_from_zero_takes_as_long_as_its_closed_form() {
    for case in cases("restart from zero") {
        let work = number(&case, "work_h");
        let world = World {
            failures: of_one(Trigger::Hazard { per_hour: number(&case, "hazard_per_node_h") }),
            work: nanoseconds(work),
            members: u32::try_from(case["nodes"].as_u64().unwrap()).unwrap(),
            attempts: u32::MAX,
        };
        let all = world.all();
        let makespan = number(&case, "expected_makespan_h");
        assert_mean(all.iter().map(|lived| lived.running), makespan, 5e-5);
        assert_mean(
            all.iter().map(|lived| lived.attempts),
            number(&case, "expected_attempts"),
            5e-5,
        );
        let wasted = number(&case, "wasted_share");
        assert_mean(all.iter().map(|lived| lived.wasted), wasted * makespan, 5e-5 * makespan);
        let first = all.iter().map(|lived| f64::from(u8::from(lived.attempts < 1.5)));
        assert_mean(first, number(&case, "p_success_per_attempt"), 5e-5);
    }
}

#[test]
fn independent_attempts_succeed_as_often_as_their_closed_form() {
    for case in cases("iid failure") {
        let limit = u32::try_from(case["retry_limit"].as_u64().unwrap()).unwrap();
        let world = World {
            failures: of_one(per_attempt(Probability::Fixed(number(&case, "p_fail")), None)),
            work: nanoseconds(1.0),
            members: 1,
            attempts: limit + 1,
        };
        let all = world.all();
        let succeeded = all.iter().map(|lived| f64::from(u8::from(lived.has_succeeded)));
        assert_mean(succeeded, number(&case, "p_job_success"), 0.0);
        assert_mean(
            all.iter().map(|lived| lived.attempts),
            number(&case, "expected_attempts"),
            5e-6,
        );
    }
}

#[test]
fn bad_jobs_remain_bad_as_much_as_the_beta_kernel() {
    for case in cases("beta-geometric") {
        let limit = u32::try_from(case["retry_limit"].as_u64().unwrap()).unwrap();
        // The kernel is of successes; ours is of failures.
        let beta = Probability::Beta(number(&case, "b"), number(&case, "a"));
        let world = World {
            failures: of_one(per_attempt(beta, Some(1.0))),
            work: nanoseconds(1.0),
            members: 1,
            attempts: limit + 1,
        };
        let all = world.all();
        assert!(all.iter().all(|lived| lived.attempts > 1.5), "every first attempt fails");
        let recovered = all.iter().map(|lived| f64::from(u8::from(lived.has_succeeded)));
        assert_mean(recovered, number(&case, "p_recovered"), 5e-5);
    }
}

#[test]
fn youngs_interval_wastes_less_than_half_and_twice_of_it() {
    for case in cases("Young") {
        let interval = number(&case, "interval_h");
        let waste = |interval: f64| {
            let checkpoint = Checkpoint {
                interval: nanoseconds(interval),
                cost: nanoseconds(number(&case, "C_h")),
                restart: 0,
            };
            let hazard = Trigger::Hazard { per_hour: number(&case, "mtbf_h").recip() };
            let failures = JobFailures { checkpoint: Some(checkpoint), ..of_one(hazard) };
            let world =
                World { failures, work: nanoseconds(100.0), members: 1, attempts: u32::MAX };
            world.all().iter().map(|lived| lived.wasted).sum::<f64>()
        };
        let best = waste(interval);
        assert!(best < waste(interval / 2.0), "{interval}");
        assert!(best < waste(interval * 2.0), "{interval}");
    }
}

#[test]
fn a_further_cause_moves_no_draw_of_the_others() {
    let hazard = |name: &str, per_hour| FailureCause {
        name: name.to_owned(),
        trigger: Trigger::Hazard { per_hour },
        stickiness: None,
        report: FailureReport::default(),
    };
    let crash = FailureCause {
        trigger: per_attempt(Probability::Beta(0.35, 0.39), Some(0.1)),
        ..hazard("crash", 0.0)
    };
    let (xid, other) = (hazard("xid", 0.05), hazard("other", 0.3));
    let with = |causes: [&FailureCause; 2], further: Option<&FailureCause>| {
        let causes = further.into_iter().chain(causes).cloned().collect();
        JobFailures { causes, ..JobFailures::default() }
    };
    let circumstances = circumstances(nanoseconds(10.0));
    let mut earlier = 0;
    for number in 0..500 {
        let subject = AttemptSubject { seed: 5, template: name_key("t"), number, attempt: 1 };
        let end = |failures: JobFailures| subject.end(&failures, circumstances, |_| false).0;
        let (before, after) =
            (end(with([&crash, &xid], None)), end(with([&crash, &xid], Some(&other))));
        let alone = JobFailures { causes: vec![other.clone()], ..JobFailures::default() };
        assert_eq!(after, before.min(end(alone)), "{number}");
        assert_eq!(before, end(with([&xid, &crash], None)), "{number}");
        earlier += u32::from(after < before);
    }
    assert!((50..450).contains(&earlier), "{earlier}");
}
