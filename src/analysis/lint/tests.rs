//! Lints of disruptions and OOM kills against the evaluator, over random policies and the failures that their rules
//! distinguish.

use super::{LintInput, SchedulerConfig, lint};
use armada_retry::engine::{
    Container, DecisionCode, EndedRun, Evaluator, JobFields, JobState, Outcome, Scratch, V1,
};
use armada_retry::policy::{self, Operator, Rule, SchedulerSettings};
use document::diag::{Code, Findings, Source};
use document::units::GoDuration;
use proptest::collection::vec;
use proptest::option::{of, weighted};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::LazyLock;
use systems::Bounds;

const CONDITIONS: [&str; 4] = ["OOMKilled", "Evicted", "Preempted", "DeadlineExceeded"];
const CONTAINERS: [&str; 2] = ["main", "side"];
const CATEGORIES: [&str; 3] = ["internal", "gpu", "oom"];
const SUBCATEGORIES: [&str; 3] = ["lease-expired", "xid", "cuda-oom"];

/// The matchers of a rule, as text: at least one.
fn matchers() -> impl Strategy<Value = String> {
    let conditions = subsequence(&CONDITIONS[..], 1..=3);
    let codes = (select(vec!["In", "NotIn"]), subsequence(vec![1, 137, 143], 1..=2));
    let codes = codes.prop_map(|(operator, values)| {
        format!("onExitCodes: {{operator: {operator}, values: {values:?}}}")
    });
    let killed = Just("onExitCodes: {operator: In, values: [137]}".to_owned());
    let categories = subsequence(&CATEGORIES[..], 1..=2);
    let subcategories = subsequence(&SUBCATEGORIES[..], 1..=2);
    let list = |key: &str, names: Vec<&str>| format!("{key}: [{}]", names.join(", "));
    let conditions = conditions.prop_map(move |it| list("onConditions", it));
    let categories = categories.prop_map(move |it| list("onFailureCategory", it));
    let subcategories = subcategories.prop_map(move |it| list("onFailureSubcategory", it));
    let lease =
        Just("onFailureCategory: [internal], onFailureSubcategory: [lease-expired]".to_owned());
    let container = weighted(0.2, select(&CONTAINERS[..]));
    prop_oneof![
        4 => conditions.clone(),
        2 => codes.clone(),
        1 => killed,
        1 => categories.clone(),
        1 => lease,
        1 => (conditions, codes).prop_map(|(one, other)| format!("{one}, {other}")),
        1 => (categories, subcategories).prop_map(|(one, other)| format!("{one}, {other}")),
    ]
    .prop_flat_map(move |matchers| (Just(matchers), container.clone()))
    .prop_map(|(mut matchers, container)| {
        let reads_containers =
            ["onExitCodes", "onConditions"].iter().any(|it| matchers.contains(it));
        if let Some(name) = container.filter(|_| reads_containers) {
            let _ = write!(matchers, ", containerName: {name}");
        }
        matchers
    })
}

/// A rule as text.
fn rule() -> impl Strategy<Value = String> {
    let other = select(vec![
        "",
        "",
        ", backoff: {initialDelay: 10s}",
        ", backoff: {initialDelay: 1m, maxDelay: 2m}",
        ", antiAffinity: {mode: node}",
        ", mutate: {resources: {memory: {factor: 1.5}}}",
    ]);
    (select(vec!["Retry", "Retry", "Fail"]), matchers(), of(0..7_u32), other).prop_map(
        |(action, matchers, limit, other)| {
            let limit = limit.map_or(String::new(), |limit| format!(", retryLimit: {limit}"));
            let other = if action == "Fail" { "" } else { other };
            format!("  - {{action: {action}, {matchers}{limit}{other}}}\n")
        },
    )
}

fn policies() -> impl Strategy<Value = String> {
    let limit = of(0..7_u32);
    let default = select(vec!["Fail", "Retry"]);
    let level = select(vec![
        "",
        "",
        "  backoff: {initialDelay: 30s}\n",
        "  antiAffinity: {mode: node}\n",
        "  antiAffinity: {mode: none}\n",
    ]);
    (limit, default, level, vec(rule(), 1..6)).prop_map(|(limit, default, level, rules)| {
        let limit = limit.map_or(String::new(), |limit| format!("  retryLimit: {limit}\n"));
        format!(
            "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {{name: p}}\nspec:\n{limit}  defaultAction: \
             {default}\n{level}  rules:\n{}",
            rules.concat()
        )
    })
}

/// Settings of the scheduler; `None` without its configuration.
fn settings() -> impl Strategy<Value = Option<SchedulerSettings>> {
    let delay = weighted(0.3, Just(GoDuration::from_secs(40)));
    let settings = (of(select(vec![0, 2, 5, 60])), delay).prop_map(|(global, delay)| {
        let mut settings =
            SchedulerSettings { global_max_retries: global, ..SchedulerSettings::default() };
        settings.default_backoff.initial_delay = delay;
        settings
    });
    weighted(0.5, settings)
}

/// A run that failed.
#[derive(Debug, Clone, Default)]
struct Failed {
    outcome: Outcome,
    conditions: Vec<&'static str>,
    containers: Vec<Container>,
    category: &'static str,
    subcategory: &'static str,
}

impl Failed {
    fn is_oom(&self) -> bool {
        self.containers.iter().any(|container| container.reason == "OOMKilled")
    }

    fn is_disrupted(&self) -> bool {
        self.conditions.iter().any(|name| ["Evicted", "Preempted"].contains(name))
    }
}

/// The failures of [`failures`].
static FAILURES: LazyLock<Vec<Failed>> = LazyLock::new(failures);

/// The failures that rules distinguish: of one container or none, or of one after another, with one condition of the pod
/// or none.
fn failures() -> Vec<Failed> {
    let mut containers = vec![Vec::new()];
    for name in CONTAINERS.into_iter().chain(["other"]) {
        // A process of a container may be killed for its memory, and the container end with another code.
        let reasons = ["Error", "OOMKilled"];
        let codes = [None, Some(1), Some(2), Some(137), Some(143)];
        let all = codes.into_iter().flat_map(|code| reasons.map(|it| (code, it)));
        for (code, reason) in all {
            let container = Container {
                name: name.into(),
                exit_code: code,
                reason: reason.into(),
                ..Container::default()
            };
            // The first failed one is another, of which no matcher reads anything.
            let other =
                Container { name: "first".into(), reason: "Error".into(), ..Container::default() };
            if CONTAINERS.contains(&name) {
                containers.push(vec![other, container.clone()]);
            }
            containers.push(vec![container]);
        }
    }
    let mut all = Vec::new();
    for containers in containers {
        for condition in ["", "Evicted", "Preempted", "DeadlineExceeded"] {
            for category in CATEGORIES.into_iter().chain([""]) {
                for subcategory in SUBCATEGORIES.into_iter().chain([""]) {
                    // A subcategory is one of a category.
                    if category.is_empty() && !subcategory.is_empty() {
                        continue;
                    }
                    let conditions = Some(condition).filter(|it| !it.is_empty());
                    all.push(Failed {
                        conditions: conditions.into_iter().collect(),
                        containers: containers.clone(),
                        category,
                        subcategory,
                        ..Failed::default()
                    });
                }
            }
        }
    }
    all
}

/// An eviction, a preemption and an expired lease, of which nothing else is on record.
fn disruptions() -> [Failed; 3] {
    let evicted = Failed { conditions: vec!["Evicted"], ..Failed::default() };
    let of_outcome = |outcome| Failed { outcome, ..Failed::default() };
    [evicted, of_outcome(Outcome::Preempted), of_outcome(Outcome::LeaseExpired)]
}

/// The decisions on a failure that is repeated until the job ends, or has been retried `most` times.
#[derive(Debug, Default)]
struct Replay {
    /// The rule that decides the first one; `None` for the default.
    first: Option<usize>,
    retries: u64,
    /// The waits in all, in seconds.
    waits: f64,
    avoids: bool,
}

fn replay(evaluator: &Evaluator, failed: &Failed, most: u64) -> Replay {
    let conditions: Vec<_> = failed.conditions.iter().map(|it| (*it).into()).collect();
    let run = EndedRun {
        outcome: failed.outcome,
        conditions: &conditions,
        containers: &failed.containers,
        category: failed.category,
        subcategory: failed.subcategory,
        node: Some("n"),
        ..EndedRun::default()
    };
    let job = JobFields::default();
    let mut state = JobState::new(&job, evaluator.route(&[0]));
    let mut replay = Replay::default();
    let mut scratch = Scratch::default();
    while replay.retries < most {
        let decision = evaluator.decide(&mut state, run, None, &mut scratch);
        if replay.retries == 0 {
            replay.first = decision.rule.and_then(|id| evaluator.rule(id).index);
        }
        let Some(grant) = decision.grant.filter(|_| decision.code == DecisionCode::Retry) else {
            return replay;
        };
        replay.retries += 1;
        replay.waits += grant.delay.map_or(0.0, GoDuration::as_secs_f64);
        replay.avoids |= grant.avoids_nodes;
    }
    replay
}

/// The rules of which a lint reports something; `None` is the default.
fn reported(findings: &Findings, code: Code) -> BTreeSet<Option<usize>> {
    let number = |message: &str| {
        let (_, rest) = message.split_once("`p[")?;
        rest.split_once(']')?.0.parse::<usize>().ok()
    };
    findings.iter().filter(|it| it.code == code).map(|it| number(&it.message)).collect()
}

/// Whether a rule is on OOM kills, as the page of RP132 has it, but for the disruptions that it may take.
fn is_of_oom(rule: &Rule) -> bool {
    let only = |names: &[String]| !names.is_empty() && names.iter().all(|it| it.contains("oom"));
    let conditions = &rule.conditions;
    let is_condition =
        !conditions.is_empty() && conditions.iter().all(|it| it.as_str() == "OOMKilled");
    is_condition || only(&rule.categories) || only(&rule.subcategories)
}

/// Whether a rule is on exit code 137 alone.
fn is_of_kills(rule: &Rule) -> bool {
    let codes = rule.exit_codes.as_ref();
    rule.matchers().len() == 1
        && codes
            .is_some_and(|it| it.operator == Operator::In && it.values.iter().all(|it| *it == 137))
}

proptest! {
    #[test]
    fn findings_are_what_the_evaluator_does(text in policies(), settings in settings()) {
        let (documents, findings) = policy::read(&[Source::new("p.yaml", text.as_str())]);
        prop_assert!(!findings.has_errors(), "{}", text);
        let found = &documents.policies[0];
        let config = |settings| SchedulerConfig { settings, document: &found.document };
        let input = LintInput {
            documents: &documents,
            scheduler: settings.as_ref().map(config),
            executors: None,
            queue_policies: None,
            history: None,
            bounds: Bounds::default(),
            partial_queues: Vec::new(),
            knows_all_policies: false,
        };
        let codes = [Code::ShortBudget, Code::OomAsDisruption, Code::SameMemory];
        let findings = lint(&input, |code| codes.contains(&code));
        let rules = &found.policy.rules;
        let all = vec![found.policy.clone()];
        let own = settings.clone().unwrap_or_default();
        let evaluator = Evaluator::new(&V1, all.clone(), own, &[]);
        // A limit of the scheduler is no matter of RP131 and RP132.
        let unlimited = Evaluator::new(&V1, all, SchedulerSettings::default(), &[]);

        // RP130: the retries of a disruption end before an outage.
        let short: BTreeSet<Option<usize>> = disruptions()
            .iter()
            .map(|failed| replay(&evaluator, failed, u64::MAX))
            .filter(|it| !it.avoids && (1..50).contains(&it.retries) && it.waits < 300.0)
            .map(|it| it.first)
            .collect();
        prop_assert_eq!(reported(&findings, Code::ShortBudget), short, "{:?}\n{}", settings, &text);

        // RP131 and RP132: by the failures of which a rule grants retries.
                let decided: Vec<(&Failed, Replay)> =
            FAILURES.iter().map(|failed| (failed, replay(&unlimited, failed, 1))).collect();
        let retried = |number: usize| {
            let by_rule = move |it: &&(&Failed, Replay)| it.1.first == Some(number) && it.1.retries > 0;
            decided.iter().filter(by_rule).map(|(failed, _)| *failed)
        };
        let (mut both, mut same) = (BTreeSet::new(), BTreeSet::new());
        for (number, rule) in rules.iter().enumerate() {
            let mut all = retried(number);
            let takes_oom = retried(number).any(|it| it.is_oom() && it.conditions.is_empty());
            let takes_disruptions = retried(number).any(|it| it.is_disrupted() && !it.is_oom());
            if !rule.conditions.is_empty() && takes_oom && takes_disruptions {
                both.insert(Some(number));
            }
            let is_of_oom = is_of_oom(rule)
                || is_of_kills(rule) && !retried(number).any(Failed::is_disrupted);
            if is_of_oom && rule.memory.is_none() && all.next().is_some() {
                same.insert(Some(number));
            }
        }
        prop_assert_eq!(reported(&findings, Code::OomAsDisruption), both, "{}", &text);
        prop_assert_eq!(reported(&findings, Code::SameMemory), same, "{}", &text);
    }
}
