//! Lints of disruptions and OOM kills against the evaluator, over random policies and all their failures.

use super::{LintInput, lint};
use armada_retry::engine::{
    Container, EndedRun, Evaluator, JobFields, JobState, Outcome, Scratch, V1,
};
use armada_retry::policy::{self, Condition, SchedulerSettings};
use document::diag::{Code, Findings, Source};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use std::collections::{BTreeMap, BTreeSet};
use systems::Bounds;

const CONDITIONS: [&str; 4] = ["OOMKilled", "Evicted", "Preempted", "DeadlineExceeded"];

/// A rule as text: on conditions, on exit code 137, or on expired leases.
fn rule() -> impl Strategy<Value = String> {
    let matcher = prop_oneof![
        5 => subsequence(&CONDITIONS[..], 1..=3)
            .prop_map(|conditions| format!("onConditions: [{}]", conditions.join(", "))),
        1 => Just("onExitCodes: {operator: In, values: [137]}".to_owned()),
        1 => Just("onFailureCategory: [internal], onFailureSubcategory: [lease-expired]".to_owned()),
    ];
    let limit = of(0..7_u32);
    let other = select(vec![
        "",
        "",
        ", backoff: {initialDelay: 10s}",
        ", backoff: {initialDelay: 1m, maxDelay: 2m}",
        ", antiAffinity: {mode: node}",
        ", mutate: {resources: {memory: {factor: 1.5}}}",
    ]);
    (select(vec!["Retry", "Retry", "Fail"]), matcher, limit, other).prop_map(
        |(action, matcher, limit, other)| {
            let limit = limit.map_or(String::new(), |limit| format!(", retryLimit: {limit}"));
            let other = if action == "Fail" { "" } else { other };
            format!("  - {{action: {action}, {matcher}{limit}{other}}}\n")
        },
    )
}

fn policies() -> impl Strategy<Value = String> {
    let limit = of(0..7_u32);
    let default = select(vec!["Fail", "Retry"]);
    let backoff = select(vec!["", "  backoff: {initialDelay: 30s}\n"]);
    (limit, default, backoff, vec(rule(), 1..5)).prop_map(|(limit, default, backoff, rules)| {
        let limit = limit.map_or(String::new(), |limit| format!("  retryLimit: {limit}\n"));
        format!(
            "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {{name: p}}\nspec:\n{limit}  defaultAction: \
             {default}\n{backoff}  rules:\n{}",
            rules.concat()
        )
    })
}

/// What a policy makes of one failure that is repeated until the job ends: the rule that decides the first one (`None` for
/// the default), the retries by rule, the waits in all, and whether a retry avoids the node or has more memory.
#[derive(Debug, Default)]
struct Replay {
    first: Option<usize>,
    retries: u64,
    waits: f64,
    avoids: bool,
    grows: bool,
}

fn replay(evaluator: &Evaluator, run: EndedRun<'_>) -> Replay {
    let job = JobFields::default();
    let mut state = JobState::new(&job, evaluator.route(&[0]));
    let mut replay = Replay::default();
    loop {
        let decision = evaluator.decide(&mut state, run, None, &mut Scratch::default());
        if replay.retries == 0 {
            replay.first = decision.rule.and_then(|id| evaluator.rule(id).index);
            let body = decision.rule.and_then(|id| evaluator.rule_body(id));
            replay.grows = body.is_some_and(|rule| rule.memory.is_some());
        }
        let Some(grant) = decision.grant else { return replay };
        replay.retries += 1;
        replay.waits += grant.delay.map_or(0.0, document::units::GoDuration::as_secs_f64);
        replay.avoids |= grant.avoids_nodes;
    }
}

/// The numbers of the rules that a lint reports; `None` is the default.
fn reported(findings: &Findings, code: Code) -> BTreeSet<Option<usize>> {
    let number = |message: &str| {
        let (_, rest) = message.split_once("`p[")?;
        rest.split_once(']')?.0.parse::<usize>().ok()
    };
    findings.iter().filter(|it| it.code == code).map(|it| number(&it.message)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn findings_are_what_the_evaluator_does(text in policies()) {
        let (documents, findings) = policy::read(&[Source::new("p.yaml", text.as_str())]);
        prop_assert!(!findings.has_errors(), "{}", text);
        let input = LintInput {
            documents: &documents,
            scheduler: None,
            executors: None,
            queue_policies: None,
            history: None,
            bounds: Bounds::default(),
            partial_queues: Vec::new(),
            knows_all_policies: false,
        };
        let codes = [Code::ShortBudget, Code::OomAsDisruption, Code::SameMemory];
        let findings = lint(&input, |code| codes.contains(&code));
        let own = documents.policies[0].policy.clone();
        let evaluator = Evaluator::new(&V1, vec![own], SchedulerSettings::default(), &[]);
        let condition = |condition: Condition| {
            let conditions = [condition.as_str().into()];
            replay(&evaluator, EndedRun { outcome: Outcome::Failed, conditions: &conditions, ..EndedRun::default() })
        };
        let expired = EndedRun { outcome: Outcome::LeaseExpired, category: "internal", subcategory: "lease-expired", ..EndedRun::default() };
        let disruptions =
            [condition(Condition::Evicted), condition(Condition::Preempted), replay(&evaluator, expired)];

        let is_short = |it: &&Replay| {
            !it.avoids && (1..50).contains(&it.retries) && it.waits < 300.0
        };
        let short: BTreeSet<_> = disruptions.iter().filter(is_short).map(|it| it.first).collect();
        prop_assert_eq!(reported(&findings, Code::ShortBudget), short, "{}", &text);

        let reason = [Container { name: "main".into(), reason: "OOMKilled".into(), ..Container::default() }];
        let oom = EndedRun { outcome: Outcome::Failed, containers: &reason, ..EndedRun::default() };
        let oom = replay(&evaluator, oom);
        let mut deciders: BTreeMap<Option<usize>, u64> = BTreeMap::new();
        for it in disruptions.iter().take(2).filter(|it| it.retries > 0) {
            *deciders.entry(it.first).or_default() += 1;
        }
        let rule_of_both = oom.first.is_some() && oom.retries > 0 && deciders.contains_key(&oom.first);
        let both: BTreeSet<_> = rule_of_both.then_some(oom.first).into_iter().collect();
        let found = reported(&findings, Code::OomAsDisruption);
        prop_assert_eq!(found, both, "{}", &text);

        // A rule that the evaluator selects for OOM kills alone, and that does not grow the memory, is reported.
        let only_oom = oom.first.filter(|number| {
            let rule = &documents.policies[0].policy.rules[*number];
            rule.conditions == [Condition::OomKilled]
        });
        let same = reported(&findings, Code::SameMemory);
        if let Some(number) = only_oom.filter(|_| oom.retries > 0) {
            prop_assert_eq!(same.contains(&Some(number)), !oom.grows, "{}", &text);
        }
    }
}
