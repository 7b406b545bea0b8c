//! Compares the evaluation of failure policies with an independent model of the controller's rules, on random
//! policies and failures.

use crate::jobset::manifest::nodes::job_policy;
use crate::jobset::{
    Action, Applied, Counters, FailedJob, FailurePolicy, FeatureGates, JobCount, MessagePattern,
    ReplicatedJob, RestartStrategy, Rule, Terminal, evaluate,
};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

const REASONS: [&str; 3] = ["BackoffLimitExceeded", "PodFailurePolicy", "FailedIndexes"];
const TARGETS: [&str; 3] = ["workers", "driver", ""];
const MESSAGES: [&str; 3] = ["", "exit code 3 here", "backoff"];
const NAMES: [&str; 4] = ["js-a-0", "js-a-1", "js-b-0", "js-b-1"];
/// The second pattern cannot be compiled.
const PATTERNS: [&str; 3] = ["exit code [0-9]", "(", "^backoff$"];
const REPLICAS: u32 = 2;

#[derive(Debug, Clone)]
struct Failed {
    name: &'static str,
    target: &'static str,
    index: Option<u32>,
    reason: &'static str,
    message: &'static str,
    at: i64,
}

impl Failed {
    fn seen(&self) -> FailedJob<'_> {
        FailedJob {
            name: self.name,
            replicated_job: self.target,
            job_index: self.index,
            reason: self.reason,
            message: self.message,
            failed_at: self.at,
        }
    }
}

fn boxed(texts: Vec<&'static str>) -> Vec<Box<str>> {
    texts.into_iter().map(Into::into).collect()
}

fn rule() -> impl Strategy<Value = Rule> {
    let some = |all: &[&'static str]| {
        let all = all.to_vec();
        prop_oneof![2 => Just(Vec::new()), 3 => subsequence(all, 1..=2)]
    };
    (select(Action::ALL.to_vec()), some(&REASONS), some(&PATTERNS), some(&TARGETS)).prop_map(
        |(action, reasons, patterns, targets)| Rule {
            name: "r".into(),
            action,
            reasons: boxed(reasons),
            patterns: patterns.into_iter().map(MessagePattern::new).collect(),
            targets: boxed(targets),
        },
    )
}

fn failed() -> impl Strategy<Value = Failed> {
    let texts = (
        select(NAMES.to_vec()),
        select(TARGETS.to_vec()),
        select(REASONS.to_vec()),
        select(MESSAGES.to_vec()),
    );
    (texts, weighted(0.9, 0..=REPLICAS), 0..3_i64).prop_map(
        |((name, target, reason, message), index, at)| Failed {
            name,
            target,
            index,
            reason,
            message,
            at,
        },
    )
}

fn replicated_jobs() -> Vec<ReplicatedJob> {
    let job =
        |name: &str| ReplicatedJob { name: name.into(), replicas: REPLICAS, job: job_policy(None) };
    vec![job("workers"), job("driver")]
}

/// Returns whether a rule applies: its three parts, written by hand for the texts above.
fn applies(rule: &Rule, job: &Failed) -> bool {
    let reason = rule.reasons.is_empty() || rule.reasons.contains(&job.reason.into());
    let message = rule.patterns.is_empty()
        || rule.patterns.iter().any(|pattern| match pattern.as_str() {
            "exit code [0-9]" => job.message == "exit code 3 here",
            "^backoff$" => job.message == "backoff",
            _ => false,
        });
    let target = rule.targets.is_empty() || rule.targets.contains(&job.target.into());
    reason && message && target && !job.target.is_empty()
}

/// Returns the rule and the Job that decide: all pairs are compared, and the smallest is used.
fn chosen(rules: &[Rule], failed: &[Failed]) -> (Option<usize>, usize) {
    let mut best: Option<(usize, i64, &str, usize)> = None;
    for (place, job) in failed.iter().enumerate() {
        let index = rules.iter().position(|rule| applies(rule, job)).unwrap_or(rules.len());
        let key = (index, job.at, job.name, place);
        if best.is_none_or(|best| key < best) {
            best = Some(key);
        }
    }
    let (index, .., place) = best.expect("a Job has failed");
    ((index < rules.len()).then_some(index), place)
}

/// Returns the effect on the set: whether and how it failed, or how much its four counters grow.
fn outcome(
    policy: &FailurePolicy,
    gate: bool,
    (rule, job): (Option<usize>, &Failed),
    (set, jobs): (i64, i64),
) -> Result<[u32; 4], Option<Terminal>> {
    let action = rule.map_or(Action::RestartJobSet, |rule| policy.rules[rule].action);
    let spent = set + if gate { jobs } else { 0 } >= i64::from(policy.max_restarts);
    let alone = gate && !job.target.is_empty() && job.index.is_some_and(|index| index < REPLICAS);
    match action {
        Action::FailJobSet => Err(Some(Terminal::FailJobSetFailurePolicyAction)),
        Action::RestartJobSet if spent => Err(Some(Terminal::ReachedMaxRestarts)),
        Action::RestartJobSet => Ok([1, 1, 0, 0]),
        Action::RestartJobSetAndIgnoreMaxRestarts => Ok([1, 0, 0, 0]),
        Action::RestartJob if gate && spent => Err(Some(Terminal::ReachedMaxRestarts)),
        Action::RestartJob if alone => Ok([0, 0, 1, 1]),
        Action::RestartJobAndIgnoreMaxRestarts if alone => Ok([0, 0, 1, 0]),
        _ => Err(None),
    }
}

fn sums(counters: &Counters) -> [u32; 4] {
    let jobs: Vec<JobCount> = (0..2).flat_map(|place| counters.jobs(place)).copied().collect();
    [
        counters.restarts,
        counters.restarts_count_towards_max,
        jobs.iter().map(|count| count.restarts).sum(),
        jobs.iter().map(|count| count.restarts_count_towards_max).sum(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Several evaluations follow each other, so that all kinds of counters occur.
    #[test]
    fn evaluations_are_as_the_rules_say(
        rules in vec(rule(), 0..4),
        max_restarts in -1..4_i32,
        gate in any::<bool>(),
        moments in vec(vec(failed(), 1..4), 1..8),
    ) {
        let restart_strategy = RestartStrategy::Recreate;
        let policy = FailurePolicy { max_restarts, restart_strategy, rules };
        let gates = FeatureGates { restart_job: gate, in_place_restart: false };
        let jobs = replicated_jobs();
        let mut counters = Counters::default();
        for failed in &moments {
            let before = sums(&counters);
            let (rule, place) = chosen(&policy.rules, failed);
            let spent = (i64::from(before[1]), i64::from(before[3]));
            let expected = outcome(&policy, gate, (rule, &failed[place]), spent);
            let seen = failed.iter().map(Failed::seen);
            let found = evaluate(Some(&policy), &jobs, gates, seen, &mut counters).expect("failed");
            prop_assert_eq!((found.rule, found.job), (rule, place));
            let growth: Vec<u32> =
                sums(&counters).iter().zip(before).map(|(after, before)| after - before).collect();
            match (expected, found.applied) {
                (Ok(grown), Applied::SetRestarted) => prop_assert!(grown[0] == 1 && growth == grown),
                (Ok(grown), Applied::JobRestarted) => prop_assert!(grown[2] == 1 && growth == grown),
                (Err(Some(terminal)), Applied::Failed(found)) => {
                    prop_assert_eq!(terminal, found);
                    prop_assert_eq!(growth, [0, 0, 0, 0]);
                }
                (Err(None), Applied::Stuck(_)) => prop_assert_eq!(growth, [0, 0, 0, 0]),
                (expected, found) => prop_assert!(false, "{:?}, not {:?}", found, expected),
            }
        }
    }

    /// A limit of N allows N counted restarts, whatever the number of uncounted ones between them.
    #[test]
    fn a_limit_is_exactly_so_many_restarts(limit in 0..6_i32, free in vec(any::<bool>(), 40)) {
        let ignore = Rule {
            name: "free".into(),
            action: Action::RestartJobSetAndIgnoreMaxRestarts,
            reasons: vec!["FailedIndexes".into()],
            patterns: Vec::new(),
            targets: Vec::new(),
        };
        let policy =
            FailurePolicy { max_restarts: limit, rules: vec![ignore], ..FailurePolicy::default() };
        let mut counters = Counters::default();
        let (mut counted, mut ignored) = (0, 0);
        for is_free in free {
            let reason = if is_free { "FailedIndexes" } else { "DeadlineExceeded" };
            let (name, target, message) = ("js-workers-0", "workers", "");
            let job = Failed { name, target, index: Some(0), reason, message, at: 0 };
            let gates = FeatureGates::default();
            let seen = std::iter::once(job.seen());
            let found = evaluate(Some(&policy), &[], gates, seen, &mut counters).expect("failed");
            if found.applied == Applied::Failed(Terminal::ReachedMaxRestarts) {
                prop_assert_eq!(counted, limit);
                prop_assert!(!is_free);
            } else {
                *(if is_free { &mut ignored } else { &mut counted }) += 1;
            }
        }
        prop_assert_eq!(i64::from(counters.restarts), i64::from(counted + ignored));
        prop_assert!(counted <= limit);
    }
}
