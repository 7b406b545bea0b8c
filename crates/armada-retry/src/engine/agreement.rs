//! Compares the index of rules with the plain search for the first matching rule ([`Evaluator::trace`]),
//! on random policies and runs of every kind.
//!
//! Holds semantics.md 4.

use super::{Container, EndedRun, Evaluator, Outcome, Scratch, V1};
use crate::policy::{
    Action, Backoff, Condition, ExitCodes, Form, Operator, PolicyName, RetryPolicy, Rule,
    SchedulerSettings,
};
use compact_str::CompactString;
use document::pattern::Pattern;
use proptest::collection::vec;
use proptest::option::{of, weighted};
use proptest::prelude::*;
use proptest::sample::select;
use std::sync::Arc;

/// Exit codes of rules, on both sides of the 256 that a table covers.
const CODES: [i32; 7] = [1, 2, 137, 255, 256, 70_000, i32::MAX];
/// Categories and subcategories, of rules and runs.
const NAMES: [&str; 3] = ["gpu", "net", "internal"];
/// Names of containers, of rules and runs.
const CONTAINERS: [&str; 3] = ["main", "sidecar", "setup"];
/// Reasons of containers, only the first of which is a condition.
const REASONS: [&str; 4] = ["OOMKilled", "Error", "Completed", "Unknown"];
/// Patterns with and without required literals, with anchors, and with characters that match outside ASCII.
const PATTERNS: [&str; 20] = [
    "(?i)cuda error",
    "NCCL (timeout|error)",
    "connection (reset|refused)",
    "i/o timeout",
    "ESTALE|Stale file handle",
    "^exit",
    "exit$",
    r"device [0-7]\b",
    "",
    ".*",
    "x",
    "(?i)kiss",
    "(?:abc){2}",
    "(?:timeout)?!",
    "[Tt]imeout after",
    r"\Bout",
    "größe überall",
    "(?i)größe überall",
    "(?m)^second line",
    r"a\d+b(?:refused|timeout)+",
];
/// Pieces of messages; a message is up to five of them.
const PIECES: [&str; 24] = [
    "CUDA error",
    "cuda ERROR",
    "NCCL ",
    "timeout",
    "error",
    "connection ",
    "reset",
    "refused",
    "i/o ",
    "ESTALE",
    "Stale file handle",
    "exit",
    "device 7",
    "device 77",
    " ",
    "x",
    "KI\u{17f}s",
    "\u{212a}iss",
    "abcabc",
    "!",
    " after",
    "GRÖSSE größe überall",
    "\nsecond line",
    "a12b",
];

fn rule() -> impl Strategy<Value = Rule> {
    let operator = select(vec![Operator::In, Operator::In, Operator::NotIn]);
    let exit_codes = (operator, vec(select(CODES.to_vec()), 1..4))
        .prop_map(|(operator, values)| ExitCodes { operator, values });
    let names = || prop_oneof![3 => Just(Vec::new()), 1 => vec(name(&NAMES), 1..3)];
    let matchers = (
        weighted(0.3, exit_codes),
        prop_oneof![3 => Just(Vec::new()), 1 => vec(select(Condition::ALL.to_vec()), 1..3)],
        weighted(0.5, select(PATTERNS.to_vec())),
        names(),
        names(),
    );
    (matchers, weighted(0.25, name(&CONTAINERS)), any::<bool>()).prop_map(
        |((exit_codes, conditions, message, categories, subcategories), container, init)| Rule {
            exit_codes,
            conditions,
            message: message.map(|text| Pattern::parse(text).expect(text)),
            categories,
            subcategories,
            container,
            include_init_containers: init,
            ..Rule::new(Action::Retry)
        },
    )
}

fn name(names: &[&'static str]) -> impl Strategy<Value = String> + use<> {
    select(names.to_vec()).prop_map(str::to_owned)
}

fn container() -> impl Strategy<Value = Container> {
    let codes = [0, -1, 1, 2, 3, 137, 255, 256, 70_000, i64::from(i32::MAX), i64::MAX];
    let message = vec(select(PIECES.to_vec()), 0..6).prop_map(|pieces| pieces.concat());
    (name(&CONTAINERS), any::<bool>(), of(select(codes.to_vec())), of(name(&REASONS)), of(message))
        .prop_map(|(name, init, exit_code, reason, message)| Container {
            name: name.into(),
            init,
            exit_code,
            reason: reason.unwrap_or_default().into(),
            message: message.unwrap_or_default().into(),
        })
}

/// A run with its own texts.
#[derive(Debug, Default)]
struct OwnedRun {
    outcome: Outcome,
    conditions: Vec<CompactString>,
    containers: Vec<Container>,
    category: String,
    subcategory: String,
}

impl OwnedRun {
    fn ended(&self) -> EndedRun<'_> {
        EndedRun {
            outcome: self.outcome,
            conditions: &self.conditions,
            containers: &self.containers,
            category: &self.category,
            subcategory: &self.subcategory,
            ..EndedRun::default()
        }
    }
}

fn run() -> impl Strategy<Value = OwnedRun> {
    let outcomes = [
        Outcome::Failed,
        Outcome::Failed,
        Outcome::Failed,
        Outcome::Preempted,
        Outcome::LeaseExpired,
        Outcome::LeaseReturned,
    ];
    let conditions = Condition::ALL.map(Condition::as_str).into_iter().chain(["Unheard-of"]);
    let conditions = vec(name(&conditions.collect::<Vec<_>>()), 0..2);
    let parts = (vec(container(), 0..4), of(name(&NAMES)), of(name(&NAMES)));
    (select(outcomes.to_vec()), conditions, parts).prop_map(
        |(outcome, conditions, (containers, category, subcategory))| OwnedRun {
            outcome,
            conditions: conditions.into_iter().map(Into::into).collect(),
            containers,
            category: category.unwrap_or_default(),
            subcategory: subcategory.unwrap_or_default(),
        },
    )
}

fn evaluator(rules: Vec<Rule>) -> Evaluator {
    let policy = RetryPolicy {
        name: PolicyName::new("p").expect("a name"),
        form: Form::V1,
        retry_limit: None,
        default_action: None,
        backoff: Backoff::default(),
        anti_affinity: None,
        rules,
    };
    Evaluator::new(&V1, vec![Arc::new(policy)], SchedulerSettings::default(), &[])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Compares them on policies that are mostly short, so that defaults and late rules decide too. All
    /// evaluators share one working memory.
    #[test]
    fn index_and_plain_search_find_the_same_rule(
        policies in vec(
            prop_oneof![3 => vec(rule(), 0..8), 1 => vec(rule(), 60..140)],
            2..4,
        ),
        runs in vec(run(), 12),
    ) {
        let evaluators: Vec<Evaluator> = policies.into_iter().map(evaluator).collect();
        let mut scratch = Scratch::default();
        for run in &runs {
            for evaluator in &evaluators {
                let route = evaluator.route(&[0]);
                let found = route.index.first_match(&evaluator.failure(run.ended()), &mut scratch);
                let fast = found.map(|place| route.rules[place]).or(route.default);
                let tried = evaluator.trace(&route, run.ended());
                let plain = tried.iter().find(|tried| tried.matched).map(|tried| tried.rule);
                prop_assert_eq!(fast, plain, "{:?}", tried);
            }
        }
    }
}

/// Makes `count` rules; `of` returns the number of a rule's container.
fn rules_of_containers(count: usize, of: impl Fn(usize) -> usize) -> Vec<Rule> {
    let rule = |number: usize| Rule {
        container: Some(format!("c{}", of(number))),
        exit_codes: Some(ExitCodes {
            operator: Operator::In,
            values: vec![1 + i32::try_from(number % 200).unwrap_or(0)],
        }),
        ..Rule::new(Action::Retry)
    };
    (0..count).map(rule).collect()
}

/// The rules of each container are in a few words of the index, with gaps between them.
#[test]
fn finds_rules_of_many_containers() {
    let rules = rules_of_containers(400, |number| number / 3 % 70);
    let evaluator = evaluator(rules.clone());
    let route = evaluator.route(&[0]);
    let mut scratch = Scratch::default();
    for (number, rule) in rules.iter().enumerate() {
        let container = |name: &str, code: i32| Container {
            name: name.into(),
            exit_code: Some(code.into()),
            ..Container::default()
        };
        let codes = rule.exit_codes.as_ref().map(|codes| codes.values[0]).unwrap_or_default();
        let named = rule.container.clone().unwrap_or_default();
        let containers = vec![container("other", 7), container(&named, codes)];
        let run = EndedRun { containers: &containers, ..EndedRun::default() };
        let found = route.index.first_match(&evaluator.failure(run), &mut scratch);
        let tried = evaluator.trace(&route, run);
        let plain = tried.iter().position(|tried| tried.matched);
        assert_eq!(found, plain, "rule {number}");
        assert!(found.is_some_and(|found| found <= number), "rule {number}");
    }
}

/// The index must grow with the number of rules, not with rules × containers: generated policies name a
/// container for each rule.
#[test]
fn index_of_distinct_containers_grows_linearly() {
    let size =
        |count| evaluator(rules_of_containers(count, |number| number)).route(&[0]).index.size();
    let (few, many) = (size(1000), size(4000));
    assert!(few > 1000 && many <= few * 4 + 1000, "{few} words for 1000 rules, {many} for 4000");
}
