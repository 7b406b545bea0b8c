//! Rules that are never reached, against brute force over all failures of a small alphabet. What a failure's containers
//! are to a rule is answered by the oracle, one matcher of one scope at a time.
//!
//! Holds semantics.md 4.

use super::oracle::history::{Container, Run, RunOutcome};
use super::oracle::matching::matches;
use super::oracle::policy::{self as plain};
use armada_retry::policy::{
    Action, Backoff, Condition, Coverage, ExitCodes, Form, Operator, PolicyName, RetryPolicy, Rule,
    RuleSet,
};
use armadactl::Exit;
use armadactl::internals::commands::run_silently;
use document::pattern::Pattern;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::json;
use std::collections::BTreeSet;
use std::ffi::OsString;

const SCOPES: [(Option<&str>, bool); 4] =
    [(None, false), (None, true), (Some("a"), false), (Some("b"), false)];
const CODES: [i32; 3] = [1, 2, 300];
/// Three patterns that need a search, of which two overlap, one for all messages, and two literals of which one
/// contains the other.
const PATTERNS: [&str; 6] = ["p[0-9]", "q[0-9]", "p1|lit", r"\A", "lit", "literal"];
const MESSAGES: [Option<&str>; 8] = [
    None,
    Some("x"),
    Some("p1"),
    Some("p2"),
    Some("q1"),
    Some("p2 q1"),
    Some("lit"),
    Some("a literal"),
];
const CONDITIONS: [Condition; 3] = [Condition::OomKilled, Condition::Evicted, Condition::Preempted];
const CATEGORIES: [&str; 2] = ["x", "y"];
const SUBCATEGORIES: [&str; 2] = ["s", "t"];

/// What single matchers make of a failure's containers, by scope: bits of exit codes, of an out-of-memory reason, and
/// of patterns.
type View = [u16; SCOPES.len()];

const HAS_CODE: usize = CODES.len();
const OOM: usize = HAS_CODE + 1;
const FIRST_PATTERN: usize = OOM + 1;

/// One rule of the oracle for each bit of a view.
fn single_matchers() -> Vec<Vec<plain::Rule>> {
    let rule = |(container, init): (Option<&str>, bool), key: &str, value: serde_json::Value| {
        let mut rule = json!({"action": "Retry", "includeInitContainers": init, key: value});
        if let Some(name) = container {
            rule["containerName"] = json!(name);
        }
        let document = json!({"apiVersion": "armadaproject.io/v1", "metadata": {"name": "p"},
            "spec": {"rules": [rule]}});
        plain::Policy::read(&document).rules.remove(0)
    };
    let of_scope = |scope| {
        let codes = CODES
            .map(|code| rule(scope, "onExitCodes", json!({"operator": "In", "values": [code]})));
        let any = rule(scope, "onExitCodes", json!({"operator": "NotIn", "values": [77]}));
        let oom = rule(scope, "onConditions", json!(["OOMKilled"]));
        let patterns =
            PATTERNS.map(|text| rule(scope, "onTerminationMessage", json!({"pattern": text})));
        codes.into_iter().chain([any, oom]).chain(patterns).collect()
    };
    SCOPES.into_iter().map(of_scope).collect()
}

/// The states of a container: exit code and reason.
const STATES: [(Option<i64>, &str); 11] = [
    (Some(0), "Completed"),
    (None, "Error"),
    (None, "OOMKilled"),
    (Some(1), "Error"),
    (Some(1), "OOMKilled"),
    (Some(2), "Error"),
    (Some(2), "OOMKilled"),
    (Some(3), "Error"),
    (Some(3), "OOMKilled"),
    (Some(300), "Error"),
    (Some(300), "OOMKilled"),
];

fn containers(messages: &[Option<&str>], states: &[(Option<i64>, &str)]) -> Vec<[Container; 3]> {
    let mut all = Vec::new();
    for &message in messages {
        for &(exit_code, reason) in states {
            for init in [false, true] {
                all.push(["a", "b", "other"].map(|name| Container {
                    name: name.to_owned(),
                    init,
                    exit_code,
                    reason: Some(reason.to_owned()),
                    message: message.map(str::to_owned),
                }));
            }
        }
    }
    all
}

fn failed_run(containers: Vec<Container>) -> Run {
    Run {
        index: 0,
        started: None,
        finished: None,
        node: None,
        outcome: RunOutcome::Failed,
        conditions: Vec::new(),
        containers,
        category: None,
        subcategory: None,
        grace: 0,
        confirmed: None,
    }
}

/// The distinct views of pods: of up to two containers in any state, and of three in a few.
fn views() -> BTreeSet<View> {
    let matchers = single_matchers();
    let mut views = BTreeSet::new();
    let mut add = |containers: Vec<Container>| {
        let run = failed_run(containers);
        let bits = |rules: &Vec<plain::Rule>| {
            let holds = rules.iter().map(|rule| matches(rule, &run));
            holds.enumerate().fold(0, |bits, (at, holds)| bits | u16::from(holds) << at)
        };
        let view: Vec<u16> = matchers.iter().map(bits).collect();
        views.insert(view.try_into().expect("a number for each scope"));
    };
    add(Vec::new());
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let all = containers(&MESSAGES, &STATES);
    for [first, second, _] in orders {
        for one in &all {
            add(vec![one[first].clone()]);
            for other in &all {
                // The message of one of the two is enough: a third container has the other.
                if one[first].message.is_none() || other[second].message.is_none() {
                    add(vec![one[first].clone(), other[second].clone()]);
                }
            }
        }
    }
    let few =
        containers(&[None, Some("p1"), Some("a literal")], &[STATES[0], STATES[1], STATES[3]]);
    for [first, second, third] in orders {
        for one in &few {
            for two in &few {
                for three in &few {
                    add(vec![one[first].clone(), two[second].clone(), three[third].clone()]);
                }
            }
        }
    }
    views
}

/// The scopes and matchers of rules, a line for each.
fn text(rules: &[Rule]) -> String {
    let line = |rule: &Rule| {
        let matchers: Vec<String> = rule.matchers().iter().map(ToString::to_string).collect();
        format!("{:?} {} {}", rule.container, rule.include_init_containers, matchers.join(", "))
    };
    rules.iter().map(|rule| "\n".to_owned() + &line(rule)).collect()
}

/// A rule as bits of views and of categories.
struct Bits {
    scope: usize,
    codes: Option<(bool, u16)>,
    conditions: Vec<Condition>,
    pattern: Option<u16>,
    names: u16,
}

impl Bits {
    fn of(rule: &Rule) -> Self {
        let scope = (rule.container.as_deref(), rule.include_init_containers);
        let codes = rule.exit_codes.as_ref().map(|codes| {
            let bits =
                codes.values.iter().filter_map(|value| CODES.iter().position(|it| it == value));
            (codes.operator == Operator::In, bits.fold(0, |bits, at| bits | 1 << at))
        });
        let pattern = rule.message.as_ref().map(|pattern| {
            let at = PATTERNS.iter().position(|text| *text == pattern.as_str()).expect("a pattern");
            1 << (FIRST_PATTERN + at)
        });
        let mut names = 0;
        for (at, (category, subcategory)) in categories().into_iter().enumerate() {
            let accepts =
                |list: &[String], name: &str| list.is_empty() || list.iter().any(|it| it == name);
            if accepts(&rule.categories, category) && accepts(&rule.subcategories, subcategory) {
                names |= 1 << at;
            }
        }
        Self {
            scope: SCOPES.iter().position(|it| *it == scope).expect("a scope"),
            codes,
            conditions: rule.conditions.clone(),
            pattern,
            names,
        }
    }

    /// The bits of a view of its scope that the rule reads.
    fn mask(&self) -> u16 {
        let codes = self.codes.map_or(0, |(_, listed)| listed | 1 << HAS_CODE);
        let conditions = if self.conditions.is_empty() { 0 } else { 1 << OOM };
        codes | conditions | self.pattern.unwrap_or_default()
    }

    /// The categories with which the rule matches a failure.
    fn names_of(&self, view: View, named: &[Condition]) -> u16 {
        let bits = view[self.scope];
        let codes = self.codes.is_none_or(|(is_in, listed)| {
            bits & (1 << HAS_CODE) != 0 && (bits & listed != 0) == is_in
        });
        let is_unnamed = SCOPES[self.scope].0.is_none();
        let holds = |condition: &Condition| {
            is_unnamed && named.contains(condition)
                || *condition == Condition::OomKilled && bits & (1 << OOM) != 0
        };
        let conditions = self.conditions.is_empty() || self.conditions.iter().any(holds);
        let message = self.pattern.is_none_or(|pattern| bits & pattern != 0);
        if codes && conditions && message { self.names } else { 0 }
    }
}

/// All pairs of a category and a subcategory, also those that no rule lists.
fn categories() -> Vec<(&'static str, &'static str)> {
    let subcategories = || SUBCATEGORIES.into_iter().chain([""]);
    CATEGORIES
        .into_iter()
        .chain([""])
        .flat_map(|name| subcategories().map(move |sub| (name, sub)))
        .collect()
}

/// Which of the rules are the first to match some failure.
fn reached(rules: &[Rule], views: &BTreeSet<View>) -> Vec<bool> {
    let bits: Vec<Bits> = rules.iter().map(Bits::of).collect();
    let mut reached = vec![false; rules.len()];
    let masks = bits.iter().fold([0; SCOPES.len()], |mut masks, rule| {
        masks[rule.scope] |= rule.mask();
        masks
    });
    let mask = |view: &View| {
        let mut masked = *view;
        masked.iter_mut().zip(masks).for_each(|(bits, mask)| *bits &= mask);
        masked
    };
    // Many views are the same to these rules.
    for view in &views.iter().map(mask).collect::<BTreeSet<View>>() {
        for subset in 0_u8..1 << CONDITIONS.len() {
            let named: Vec<Condition> = (0..CONDITIONS.len())
                .filter(|at| subset & (1 << at) != 0)
                .map(|at| CONDITIONS[at])
                .collect();
            let mut taken = 0;
            for (rule, reached) in bits.iter().zip(&mut reached) {
                let accepted = rule.names_of(*view, &named);
                *reached |= accepted & !taken != 0;
                taken |= accepted;
            }
        }
    }
    reached
}

fn rule() -> impl Strategy<Value = Rule> {
    let some = |names: &'static [&'static str], count| {
        prop::sample::subsequence(names, 1..=count)
            .prop_map(|names| names.into_iter().map(str::to_owned).collect::<Vec<String>>())
    };
    let exit_codes = (any::<bool>(), prop::sample::subsequence(&CODES[..], 1..=3)).prop_map(
        |(is_in, values)| ExitCodes {
            operator: if is_in { Operator::In } else { Operator::NotIn },
            values,
        },
    );
    let conditions = prop::sample::subsequence(&CONDITIONS[..], 1..=3);
    let matchers = (
        prop::option::weighted(0.4, exit_codes),
        prop::option::weighted(0.25, conditions),
        prop::option::weighted(0.2, select(&PATTERNS[..])),
        prop::option::weighted(0.4, some(&CATEGORIES, 2)),
        prop::option::weighted(0.5, some(&SUBCATEGORIES, 2)),
    );
    let scope = prop_oneof![6 => Just(0_usize), 1 => 1..SCOPES.len()];
    (matchers, scope).prop_map(
        |((exit_codes, conditions, message, categories, subcategories), scope)| {
            let (container, init) = SCOPES[scope];
            let categories = categories.unwrap_or_default();
            // A subcategory alone is no valid rule.
            let subcategories =
                if categories.is_empty() { Vec::new() } else { subcategories.unwrap_or_default() };
            Rule {
                exit_codes,
                conditions: conditions.unwrap_or_default(),
                message: message.map(|text| Pattern::parse(text).expect("a pattern")),
                categories,
                subcategories,
                container: container.map(str::to_owned),
                include_init_containers: init,
                ..Rule::new(Action::Retry)
            }
        },
    )
}

/// Random policies whose rules overlap often. `SHADOWING_CASES` sets their number.
fn policies() -> impl Iterator<Item = Vec<Rule>> {
    let cases = std::env::var("SHADOWING_CASES").ok().and_then(|text| text.parse().ok());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = prop::collection::vec(
        rule().prop_filter("a matcher", |it| !it.matchers().is_empty()),
        2..8,
    );
    (0..cases.unwrap_or(500))
        .map(move |_| strategy.new_tree(&mut runner).expect("a value").current())
}

#[test]
fn rules_are_covered_if_no_failure_reaches_them() {
    let views = views();
    let (mut covered, mut by_several) = (0, 0);
    for rules in policies() {
        let set = RuleSet::new(&rules);
        let reached = reached(&rules, &views);
        for (number, (coverage, is_reached)) in set.coverages().into_iter().zip(reached).enumerate()
        {
            match coverage {
                Coverage::Reached => {
                    assert!(is_reached, "rule {number} is covered: {}", text(&rules));
                }
                Coverage::Covered(by) => {
                    assert!(
                        !is_reached,
                        "rule {number} is reached, not covered by {by:?}: {}",
                        text(&rules)
                    );
                    covered += 1;
                    by_several += usize::from(by.len() > 1);
                    // The rules that are named are enough.
                    let mut named: Vec<Rule> = by.iter().map(|&at| rules[at].clone()).collect();
                    named.push(rules[number].clone());
                    assert_eq!(
                        self::reached(&named, &views).last(),
                        Some(&false),
                        "{by:?}: {}",
                        text(&rules)
                    );
                }
                Coverage::Unknown => panic!("few rules"),
            }
        }
        let policy = RetryPolicy {
            name: PolicyName::new("p").unwrap(),
            form: Form::V1,
            retry_limit: Some(1),
            default_action: Some(Action::Fail),
            backoff: Backoff::default(),
            anti_affinity: None,
            rules,
        };
        assert!(policy.can_retry(), "the first rule retries");
    }
    eprintln!("{} views, {covered} covered rules, {by_several} by several together", views.len());
    assert!(covered > 50 && by_several > 5, "{covered}, {by_several}");
}

#[test]
fn rules_that_are_disjoint_share_no_failure() {
    let views = views();
    for rules in policies() {
        let set = RuleSet::new(&rules);
        let bits: Vec<Bits> = rules.iter().map(Bits::of).collect();
        for one in 0..rules.len() {
            for other in 0..one {
                if !set.are_disjoint(one, other) {
                    continue;
                }
                let share = views.iter().any(|view| {
                    let named = CONDITIONS;
                    bits[one].names_of(*view, &named) & bits[other].names_of(*view, &named) != 0
                });
                assert!(!share, "{one} and {other}: {}", text(&rules));
            }
        }
    }
}

/// A policy of rules as a document.
fn document(rules: &[Rule]) -> serde_json::Value {
    let field = |rule: &Rule| {
        let mut fields = serde_json::Map::new();
        fields.insert("action".to_owned(), json!("Retry"));
        fields.extend(rule.container.as_ref().map(|it| ("containerName".to_owned(), json!(it))));
        if rule.include_init_containers {
            fields.insert("includeInitContainers".to_owned(), json!(true));
        }
        fields.extend(rule.matchers().into_iter().map(|it| (it.field().to_owned(), it.to_value())));
        serde_json::Value::Object(fields)
    };
    json!({
        "apiVersion": "armadaproject.io/v1", "kind": "RetryPolicy", "metadata": {"name": "p"},
        "spec": {"retryLimit": 2, "rules": rules.iter().map(field).collect::<Vec<_>>()},
    })
}

fn test_command(words: &[&str]) -> Exit {
    let words = ["armadactl", "test"].into_iter().chain(words.iter().copied());
    run_silently(words.map(OsString::from))
}

#[test]
fn every_rule_that_a_failure_reaches_has_a_generated_test() {
    let views = views();
    let folder = tempfile::TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (policy, tests) = (path("policy.json"), path("tests.yaml"));
    let mut reached_late = 0;
    for rules in policies() {
        std::fs::write(&policy, document(&rules).to_string()).expect("a file");
        _ = std::fs::remove_file(&tests);
        assert_eq!(test_command(&["--init", "-f", &policy, "--save", &tests]), Exit::Done);
        let text = std::fs::read_to_string(&tests).expect("a file");
        let generated: serde_yaml::Value = serde_yaml::from_str(&text).expect("YAML");
        let tests_of = generated["spec"]["tests"].as_sequence().expect("tests");
        let decided: BTreeSet<u64> =
            tests_of.iter().filter_map(|it| it["expect"][0]["ruleIndex"].as_u64()).collect();
        let reached = reached(&rules, &views);
        let expected: BTreeSet<u64> =
            (0_u64..).zip(&reached).filter(|(_, reached)| **reached).map(|(at, _)| at).collect();
        assert_eq!(decided, expected, "{}\n{text}", self::text(&rules));
        assert!(!text.contains("No failure was found"), "{text}");
        let exit = test_command(&[&tests, "--coverage-threshold", "100"]);
        assert_eq!(exit, Exit::Done, "{}\n{text}", self::text(&rules));
        reached_late += expected.iter().filter(|at| **at > 3).count();
    }
    assert!(reached_late > 100, "{reached_late}");
}
