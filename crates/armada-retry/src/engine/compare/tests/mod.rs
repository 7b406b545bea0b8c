//! Comparisons of random policies against a naive one: all failures of a small space, and all sequences of them.
//!
//! Holds semantics.md 5.

mod large;

use super::{Comparison, DifferenceKind, Group, Side, compare};
use crate::engine::compare::failure::WitnessFailure;
use crate::engine::run::{Container, Outcome};
use crate::engine::{Evaluator, Scratch, V1, V1BETA1};
use crate::policy::{
    Action, AntiAffinity, Backoff, Condition, ExitCodes, Form, MemoryBump, Operator, PolicyName,
    RetryPolicy, Rule, SchedulerSettings,
};
use document::pattern::Pattern;
use document::units::GoDuration;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// A kind of matcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Codes,
    Oom,
    Messages,
    Names,
    Scopes,
}

/// The kinds of matchers that the rules of one case have.
type Kinds = &'static [Kind];

/// Few kinds in one case: the naive space is the product of all.
fn kinds() -> impl Strategy<Value = Kinds> {
    use Kind::{Codes, Messages, Names, Oom, Scopes};
    select(vec![
        &[Codes, Names, Scopes][..],
        &[Codes, Oom, Scopes],
        &[Oom, Messages],
        &[Messages, Names, Scopes],
        &[Codes, Messages],
    ])
}

fn rule(kinds: Kinds, form: Form) -> impl Strategy<Value = Rule> {
    let codes = (select(vec![Operator::In, Operator::NotIn]), subsequence(vec![1, 2], 1..=2))
        .prop_map(|(operator, values)| ExitCodes { operator, values });
    let conditions = vec![Condition::Evicted, Condition::OomKilled, Condition::Preempted];
    let pattern = select(vec!["a", "b", "^a$", "a|b", "[^a]", "[ab]"]);
    let backoff = select(vec![None, Some(0), Some(10)]).prop_map(|seconds| Backoff {
        initial_delay: seconds.map(GoDuration::from_secs),
        ..Backoff::default()
    });
    let terms = (
        prop::option::weighted(0.7, 0..4_u32),
        backoff,
        select(
            vec![[false, false]; 8]
                .into_iter()
                .chain([[true, false], [false, true]])
                .collect::<Vec<_>>(),
        ),
        prop::option::weighted(0.1, select(vec![MemoryBump::Factor(1.5), MemoryBump::Factor(2.0)])),
    );
    let matchers = (
        prop::option::weighted(0.6, codes),
        prop::option::weighted(0.4, subsequence(conditions, 1..=2)),
        prop::option::weighted(0.6, pattern),
        prop::option::weighted(0.5, subsequence(vec!["x", "y"], 1..=2)),
    );
    let scope = select(if kinds.contains(&Kind::Scopes) { vec![0, 0, 1, 2] } else { vec![0] });
    let action = select(vec![Action::Retry, Action::Retry, Action::Fail]);
    (action, terms, matchers, scope).prop_map(move |(action, terms, matchers, scope)| {
        let (retry_limit, backoff, [avoids_always, avoid_same_node], memory) = terms;
        let (exit_codes, conditions, message, categories) = matchers;
        let (exit_codes, message) = (
            exit_codes.filter(|_| kinds.contains(&Kind::Codes)),
            message.filter(|_| kinds.contains(&Kind::Messages)),
        );
        let categories = categories.filter(|_| kinds.contains(&Kind::Names));
        let is_v1 = form == Form::V1;
        let mut conditions = conditions.unwrap_or_default();
        conditions.retain(|it| kinds.contains(&Kind::Oom) || *it != Condition::OomKilled);
        let categories: Vec<String> =
            categories.unwrap_or_default().into_iter().map(str::to_owned).collect();
        let has_matcher = exit_codes.is_some()
            || !conditions.is_empty()
            || message.is_some()
            || !categories.is_empty();
        if !has_matcher {
            conditions.push(Condition::Evicted);
        }
        Rule {
            retry_limit: retry_limit.filter(|_| is_v1),
            backoff: if is_v1 { backoff } else { Backoff::default() },
            anti_affinity: (is_v1 && avoids_always).then_some(AntiAffinity::Node),
            avoid_same_node,
            memory: memory.filter(|_| is_v1),
            container: (scope == 2).then(|| "a".to_owned()),
            include_init_containers: scope == 1,
            exit_codes,
            conditions,
            message: message.map(|text| Pattern::parse(text).unwrap()),
            categories,
            ..Rule::new(action)
        }
    })
}

fn policy(kinds: Kinds, form: Form) -> impl Strategy<Value = RetryPolicy> {
    let default_action = prop::option::of(select(vec![Action::Retry, Action::Fail]));
    let rules = prop::collection::vec(rule(kinds, form), 0..4);
    (rules, prop::option::of(0..4_u32), default_action).prop_map(
        move |(rules, retry_limit, default_action)| RetryPolicy {
            name: PolicyName::new("p").unwrap(),
            form,
            retry_limit,
            default_action,
            backoff: Backoff::default(),
            anti_affinity: None,
            rules,
        },
    )
}

/// A policy, and the same after some edits, or another one.
fn change(kinds: Kinds, forms: [Form; 2]) -> impl Strategy<Value = [RetryPolicy; 2]> {
    let parts = (policy(kinds, forms[0]), policy(kinds, forms[1]), rule(kinds, forms[1]));
    (parts, 0..6_usize, any::<prop::sample::Index>()).prop_map(
        move |((old, other, rule), edit, index)| {
            let mut new = RetryPolicy { form: forms[1], ..old.clone() };
            let at = if new.rules.is_empty() { 0 } else { index.index(new.rules.len()) };
            match edit {
                _ if forms[0] != forms[1] => return [old, other],
                0 => return [old, other],
                1 if !new.rules.is_empty() => new.rules.rotate_left(at),
                2 if !new.rules.is_empty() => new.rules[at] = rule,
                3 if !new.rules.is_empty() => new.rules[at].retry_limit = rule.retry_limit,
                4 => new.rules.insert(at, rule),
                5 => new.retry_limit = other.retry_limit,
                _ => {}
            }
            [old, new]
        },
    )
}

/// `globalMaxRetries`, and the least grace period in seconds.
type Settings = (u32, i64);

/// Those of both sides, which differ rarely.
fn settings() -> impl Strategy<Value = [Settings; 2]> {
    let grace = || prop_oneof![8 => Just(1), 1 => Just(5), 1 => Just(60)];
    let other = (prop::option::weighted(0.2, 0..6_u32), prop::option::weighted(0.1, grace()));
    ((0..6_u32, grace()), other)
        .prop_map(|(old, (global, grace))| [old, (global.unwrap_or(old.0), grace.unwrap_or(old.1))])
}

fn evaluator(policy: &RetryPolicy, (global, grace): Settings) -> Evaluator {
    let settings = SchedulerSettings {
        global_max_retries: Some(global),
        min_grace: GoDuration::from_secs(grace),
        ..SchedulerSettings::default()
    };
    let profile = if policy.form == Form::V1 { &V1 } else { &V1BETA1 };
    Evaluator::new(profile, vec![Arc::new(policy.clone())], settings, &[])
}

/// All failures of a small space.
fn failures(kinds: Kinds) -> Vec<WitnessFailure> {
    let codes = if kinds.contains(&Kind::Codes) {
        vec![None, Some(1), Some(2), Some(3)]
    } else {
        vec![None]
    };
    let reasons =
        if kinds.contains(&Kind::Oom) { vec!["Error", "OOMKilled"] } else { vec!["Error"] };
    let messages = if kinds.contains(&Kind::Messages) {
        vec!["", "a", "aa", "b", "ab", "c", "ac"]
    } else {
        vec![""]
    };
    let mut states = Vec::new();
    for code in &codes {
        for reason in &reasons {
            for message in &messages {
                states.push((*code, *reason, *message));
            }
        }
    }
    let container =
        |name: &str, init: bool, (exit_code, reason, message): (Option<i64>, &str, &str)| {
            Container {
                name: name.into(),
                init,
                exit_code,
                reason: reason.into(),
                message: message.into(),
            }
        };
    let layouts: &[&[(&str, bool)]] = if kinds.contains(&Kind::Scopes) {
        &[
            &[],
            &[("main", false)],
            &[("a", false)],
            &[("main", false), ("other", false)],
            &[("init", true), ("main", false)],
            &[("init", true), ("a", true)],
            &[("init", true), ("a", true), ("main", false)],
        ]
    } else {
        &[&[], &[("main", false)], &[("main", false), ("other", false)]]
    };
    let mut pods: Vec<Vec<Container>> = Vec::new();
    for layout in layouts {
        let mut partial: Vec<Vec<Container>> = vec![Vec::new()];
        for (name, init) in *layout {
            let with = |before: &Vec<Container>| {
                let each = states.iter().map(|state| {
                    let mut pod = before.clone();
                    pod.push(container(name, *init, *state));
                    pod
                });
                each.collect::<Vec<_>>()
            };
            partial = partial.iter().flat_map(with).collect();
        }
        pods.extend(partial);
    }
    let conditions: &[&[&str]] = &[&[], &["Evicted"], &["Preempted"], &["Evicted", "Preempted"]];
    // A run without containers has the condition of the pod alone.
    let with_oom: &[&[&str]] =
        &[&["OOMKilled"], &["OOMKilled", "Evicted"], &["OOMKilled", "Preempted"]];
    let categories: &[&str] = if kinds.contains(&Kind::Names) { &["", "x", "y"] } else { &[""] };
    let mut all = Vec::new();
    for containers in &pods {
        let bare = containers.is_empty() && kinds.contains(&Kind::Oom);
        for conditions in conditions.iter().chain(bare.then_some(with_oom).into_iter().flatten()) {
            for category in categories {
                let conditions = conditions.iter().map(|it| (*it).into()).collect();
                let (containers, category) = (containers.clone(), (*category).to_owned());
                let failed = WitnessFailure {
                    containers,
                    conditions,
                    category,
                    ..WitnessFailure::default()
                };
                if failed.containers.is_empty() {
                    for outcome in [Outcome::Preempted, Outcome::LeaseExpired] {
                        let bare = WitnessFailure { outcome, ..failed.clone() };
                        all.extend([bare.clone(), WitnessFailure { is_pod_gone: true, ..bare }]);
                    }
                }
                if failed.is_preempted() {
                    all.push(WitnessFailure { is_pod_gone: true, ..failed.clone() });
                }
                all.push(failed);
            }
        }
    }
    all
}

/// One failure for each pair of rules that match it first.
fn classes(sides: [&Side<'_>; 2], failures: &[WitnessFailure]) -> Vec<WitnessFailure> {
    let mut scratches = [Scratch::default(), Scratch::default()];
    let mut classes = BTreeMap::new();
    for failure in failures {
        let matched = [0, 1].map(|side| {
            let own = sides[side].evaluator.failure(failure.run(0));
            sides[side].route.matched(&own, &mut scratches[side])
        });
        let wait = failure.is_preempted().then_some(failure.is_pod_gone);
        classes.entry((matched, failure.outcome.as_str(), wait)).or_insert(failure);
    }
    classes.into_values().cloned().collect()
}

/// The length of a shortest sequence of failures about the last of which the sides decide otherwise, if one has at most
/// this length.
fn shortest(sides: [&Side<'_>; 2], classes: &[WitnessFailure], most: usize) -> Option<usize> {
    let mut sequences: Vec<Vec<usize>> = vec![Vec::new()];
    for length in 1..=most {
        let mut next = Vec::new();
        let mut seen = HashSet::new();
        for sequence in &sequences {
            for class in 0..classes.len() {
                let mut longer = sequence.clone();
                longer.push(class);
                let failures: Vec<WitnessFailure> =
                    longer.iter().map(|it| classes[*it].clone()).collect();
                let (effects, key) = super::sequence::tests::effects(sides, &failures);
                if effects[0] != effects[1] {
                    return Some(length);
                }
                if effects[0].0 && seen.insert(key) {
                    next.push(longer);
                }
            }
        }
        sequences = next;
    }
    None
}

/// The usual cases of a property.
const USUAL_CASES: u32 = 256;

/// The random histories of a pair that is the same: more if more cases than usual are asked for.
fn histories() -> usize {
    if ProptestConfig::default().cases > USUAL_CASES { 500 } else { 50 }
}

/// Random numbers, the same for each run of a case.
struct Draw(u64);

impl Draw {
    /// A number below a limit, which is not zero.
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    /// One of a list, which is not empty.
    fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }
}

/// Histories of up to six failures, about which sides that are the same decide alike until the job ends.
fn check_random_histories(
    sides: [&Side<'_>; 2],
    mut failure: impl FnMut() -> WitnessFailure,
) -> Result<(), TestCaseError> {
    for _ in 0..histories() {
        let mut history = Vec::new();
        for _ in 0..6 {
            history.push(failure());
            let (effects, _) = super::sequence::tests::effects(sides, &history);
            prop_assert_eq!(&effects[0], &effects[1], "{:?}", history);
            if !effects[0].0 {
                break;
            }
        }
    }
    Ok(())
}

/// The sides decide otherwise about the last failure of each witness.
fn check_witnesses(sides: [&Side<'_>; 2], groups: &[Group]) -> Result<(), TestCaseError> {
    for witness in groups.iter().flat_map(Group::witnesses) {
        let (effects, _) = super::sequence::tests::effects(sides, &witness.failures);
        prop_assert_ne!(&effects[0], &effects[1], "{:?}", witness);
    }
    Ok(())
}

fn check(
    policies: &[RetryPolicy; 2],
    settings: [Settings; 2],
    kinds: Kinds,
) -> Result<(), TestCaseError> {
    let evaluators = [0, 1].map(|side| evaluator(&policies[side], settings[side]));
    let [old, new] = [0, 1]
        .map(|side| Side { evaluator: &evaluators[side], route: evaluators[side].route(&[0]) });
    let Comparison { groups, undecided } = compare(&old, &new);
    prop_assert!(undecided.is_empty(), "{:?}", undecided);
    let failures = failures(kinds);
    let classes = classes([&old, &new], &failures);
    // With both limits the longest sequence that is not longer than the least limit of a job.
    let most = settings[0].0.min(settings[1].0) as usize + 1;
    let expected = shortest([&old, &new], &classes, most);
    let found = groups.iter().map(|it| it.witness.failures.len()).min();
    prop_assert_eq!(found, expected, "{:?}\n{:?}", groups, policies);
    check_witnesses([&old, &new], &groups)?;
    if groups.is_empty() {
        let mut draw = Draw(failures.len() as u64);
        check_random_histories([&old, &new], || draw.pick(&failures).clone())?;
    }
    Ok(())
}

proptest! {
    #[test]
    fn it_is_the_comparison_of_all_short_sequences(
        (kinds, policies) in kinds().prop_flat_map(|kinds| (Just(kinds), change(kinds, [Form::V1, Form::V1]))),
        settings in settings(),
    ) {
        check(&policies, settings, kinds)?;
    }

    #[test]
    fn so_it_is_between_the_forms(
        (kinds, policies) in (kinds(), any::<[bool; 2]>()).prop_flat_map(|(kinds, is_v1)| {
            let forms = is_v1.map(|is_v1| if is_v1 { Form::V1 } else { Form::V1beta1 });
            (Just(kinds), change(kinds, forms))
        }),
        (global, grace) in (0..6_u32, select(vec![1, 5, 60])),
    ) {
        check(&policies, [(global, grace); 2], kinds)?;
    }
}

/// Rules that retry a category each.
fn by_categories(count: usize) -> Vec<Rule> {
    let rule = |it: usize| Rule { categories: vec![format!("c{it}")], ..Rule::new(Action::Retry) };
    (0..count).map(rule).collect()
}

fn with_rules(rules: Vec<Rule>) -> RetryPolicy {
    RetryPolicy {
        name: PolicyName::new("p").unwrap(),
        form: Form::V1,
        retry_limit: Some(3),
        default_action: None,
        backoff: Backoff::default(),
        anti_affinity: None,
        rules,
    }
}

/// The groups of a change: the kind, the cause and the number of pairs of each.
fn groups(
    old: &RetryPolicy,
    new: &RetryPolicy,
    globals: [u32; 2],
) -> Vec<(DifferenceKind, String, usize)> {
    let evaluators = [evaluator(old, (globals[0], 1)), evaluator(new, (globals[1], 1))];
    let [old, new] = [0, 1]
        .map(|side| Side { evaluator: &evaluators[side], route: evaluators[side].route(&[0]) });
    let Comparison { groups, undecided } = compare(&old, &new);
    assert!(undecided.is_empty(), "{undecided:?}");
    groups.iter().map(|it| (it.kind, format!("{:?}", it.cause), it.pairs.len())).collect()
}

#[test]
fn a_moved_rule_is_one_group() {
    let codes = ExitCodes { operator: Operator::In, values: vec![7] };
    let fails = Rule { exit_codes: Some(codes), ..Rule::new(Action::Fail) };
    let moved = |place: usize| {
        let mut rules = by_categories(20);
        rules.insert(place, fails.clone());
        with_rules(rules)
    };
    let kinds = [DifferenceKind::NoLongerRetried, DifferenceKind::NowRetried];
    let groups = |from, to| groups(&moved(from), &moved(to), [9, 9]);
    assert_eq!(groups(20, 0), [(kinds[0], "TakenBy(RuleId(0))".to_owned(), 20)]);
    assert_eq!(groups(0, 20), [(kinds[1], "TakenFrom(RuleId(0))".to_owned(), 20)]);
    assert_eq!(groups(10, 15), [(kinds[1], "TakenFrom(RuleId(10))".to_owned(), 5)]);
    // The cause is the rule with more pairs: here the one that takes failures.
    let (two, one) = (groups(20, 5), 15);
    assert_eq!(two, [(kinds[0], "TakenBy(RuleId(5))".to_owned(), one)]);
}

#[test]
fn limits_and_backoffs_are_groups_by_their_values() {
    use DifferenceKind::{FewerRetries, MoreRetries, NoLongerRetried, Wait};
    let old = with_rules(by_categories(6));
    let limit = |values: &str, level: &str| format!("Limit {{ level: {level}, values: {values} }}");
    let with = |edit: &dyn Fn(&mut RetryPolicy)| {
        let mut new = old.clone();
        edit(&mut new);
        new
    };
    let policy = with(&|it| it.retry_limit = Some(2));
    assert_eq!(groups(&old, &policy, [9, 9]), [(FewerRetries, limit("[3, 2]", "Policy"), 6)]);
    assert_eq!(groups(&old, &old, [2, 1]), [(FewerRetries, limit("[2, 1]", "Scheduler"), 6)]);
    let rules = with(&|it| {
        for (number, limit) in [(0, 5), (1, 5), (2, 4), (3, 0)] {
            it.rules[number].retry_limit = Some(limit);
        }
    });
    let expected = [
        (NoLongerRetried, limit("[3, 0]", "Rule"), 1),
        (MoreRetries, limit("[3, 5]", "Rule"), 2),
        (MoreRetries, limit("[3, 4]", "Rule"), 1),
    ];
    assert_eq!(groups(&old, &rules, [9, 9]), expected);
    // The other limit of a job ends it at any rule, also beside a rule with another limit.
    let one = with(&|it| it.rules[0].retry_limit = Some(4));
    let expected = [
        (FewerRetries, limit("[10, 8]", "Scheduler"), 6),
        (MoreRetries, limit("[3, 4]", "Rule"), 1),
    ];
    assert_eq!(groups(&old, &one, [10, 8]), expected);
    let fails = with(&|it| it.rules[4].action = Action::Fail);
    assert_eq!(groups(&old, &fails, [9, 9]), [(NoLongerRetried, "Action".to_owned(), 1)]);
    let backoff = |seconds| Backoff {
        initial_delay: Some(GoDuration::from_secs(seconds)),
        max_delay: Some(GoDuration::from_secs(600)),
        ..Backoff::default()
    };
    let waits = with(&|it| {
        for (number, seconds) in [(0, 10), (1, 20), (5, 10)] {
            it.rules[number].backoff = backoff(seconds);
        }
    });
    let rule = || "Backoff(Rule)".to_owned();
    assert_eq!(groups(&old, &waits, [9, 9]), [(Wait, rule(), 2), (Wait, rule(), 1)]);
    let waits = with(&|it| it.backoff = backoff(10));
    assert_eq!(groups(&old, &waits, [9, 9]), [(Wait, "Backoff(Policy)".to_owned(), 6)]);
}
