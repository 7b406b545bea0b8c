//! Comparisons of random policies of many rules over many codes, names and patterns, against random histories.

use super::super::failure::WitnessFailure;
use super::super::{Comparison, Side, compare};
use super::{Draw, check_random_histories, check_witnesses, evaluator, settings};
use crate::engine::run::{Container, Outcome};
use crate::policy::{
    Action, Backoff, Condition, ExitCodes, Form, Operator, PolicyName, RetryPolicy, Rule,
};
use document::pattern::{Difference, Pattern, difference};
use document::units::GoDuration;
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};

const CODES: [i32; 16] = [1, 2, 3, 42, 64, 74, 75, 101, 126, 127, 134, 137, 139, 143, 200, 255];
const CATEGORIES: [&str; 8] = ["oom", "node", "gpu", "network", "image", "storage", "user", "mpi"];
const SUBCATEGORIES: [&str; 4] = ["xid", "nccl", "nvlink", "ecc"];
const CONTAINERS: [&str; 4] = ["main", "sidecar", "download", "model"];
/// Patterns that contain, overlap or exclude each other.
const PATTERNS: [&str; 24] = [
    "error",
    "(?i)error",
    "^error",
    "error$",
    "(?i)cuda error|nccl (timeout|error)",
    "NCCL (timeout|error)",
    "NCCL timeout after [0-9]+s",
    r"Xid: (13|31|43|48|63|74|79)",
    r"Xid: \d+",
    r"Xid: 7\d",
    "connection (reset|refused)",
    "connection r",
    "i/o timeout",
    "(?i)timeout",
    "no space left on device",
    "(?i)no space|disk quota",
    "^$",
    "(?s).",
    "[^ -~]",
    r"\bOOM\b",
    "OOM",
    r"(?m)^\w+Error: ",
    "ValueError: ",
    "loss is (nan|inf)",
];

fn matchers() -> impl Strategy<Value = Rule> {
    let operator = prop_oneof![9 => Just(Operator::In), 1 => Just(Operator::NotIn)];
    let codes = (operator, subsequence(CODES.to_vec(), 1..=4))
        .prop_map(|(operator, values)| ExitCodes { operator, values });
    let names = |from: &[&'static str], most| subsequence(from.to_vec(), 1..=most);
    let scope = prop_oneof![
        6 => Just((None, false)),
        2 => Just((None, true)),
        2 => select(CONTAINERS.to_vec()).prop_map(|name| (Some(name.to_owned()), false)),
    ];
    let parts = (
        prop::option::weighted(0.4, codes),
        prop::option::weighted(0.15, subsequence(Condition::ALL.to_vec(), 1..=2)),
        prop::option::weighted(0.4, select(PATTERNS.to_vec())),
        prop::option::weighted(0.3, names(&CATEGORIES, 3)),
        prop::option::weighted(0.1, names(&SUBCATEGORIES, 2)),
        scope,
    );
    parts.prop_map(|(exit_codes, conditions, message, categories, subcategories, scope)| {
        let owned = |names: Option<Vec<&str>>| -> Vec<String> {
            names.unwrap_or_default().into_iter().map(str::to_owned).collect()
        };
        let mut rule = Rule {
            exit_codes,
            conditions: conditions.unwrap_or_default(),
            message: message.map(|text| Pattern::parse(text).unwrap()),
            categories: owned(categories),
            subcategories: owned(subcategories),
            ..Rule::new(Action::Retry)
        };
        (rule.container, rule.include_init_containers) = scope;
        // A rule has a matcher.
        if rule.exit_codes.is_none() && rule.message.is_none() && rule.conditions.is_empty() {
            rule.categories.push("other".to_owned());
        }
        rule
    })
}

fn backoff() -> impl Strategy<Value = Backoff> {
    prop::option::weighted(0.3, 0..4_i64).prop_map(|seconds| Backoff {
        initial_delay: seconds.map(GoDuration::from_secs),
        ..Backoff::default()
    })
}

fn rule() -> impl Strategy<Value = Rule> {
    let action = select(vec![Action::Retry, Action::Retry, Action::Fail]);
    (matchers(), action, prop::option::weighted(0.4, 0..5_u32), backoff()).prop_map(
        |(rule, action, retry_limit, backoff)| Rule { action, retry_limit, backoff, ..rule },
    )
}

fn policy() -> impl Strategy<Value = RetryPolicy> {
    let default_action = prop::option::of(select(vec![Action::Retry, Action::Fail]));
    let rules = prop::collection::vec(rule(), 1..20);
    (rules, prop::option::of(0..5_u32), default_action, backoff()).prop_map(
        |(rules, retry_limit, default_action, backoff)| RetryPolicy {
            name: PolicyName::new("p").unwrap(),
            form: Form::V1,
            retry_limit,
            default_action,
            backoff,
            anti_affinity: None,
            rules,
        },
    )
}

/// A policy, and the same after one edit: another order, a wider rule, a limit, a backoff, a pattern, conditions, or a rule
/// that is left out.
fn change() -> impl Strategy<Value = [RetryPolicy; 2]> {
    (policy(), rule(), 0..8_usize, any::<[Index; 2]>()).prop_map(|(old, other, edit, at)| {
        let mut new = old.clone();
        let [from, to] = at.map(|it| it.index(new.rules.len()));
        let changed = &mut new.rules[from];
        match edit {
            0 => {
                let moved = new.rules.remove(from);
                new.rules.insert(to, moved);
            }
            1 => match &mut changed.exit_codes {
                Some(codes) => codes.values.push(77),
                None => changed.categories.extend(other.categories),
            },
            2 => changed.retry_limit = other.retry_limit,
            3 => changed.backoff = other.backoff,
            4 => changed.message = other.message.or_else(|| changed.message.take()),
            5 => changed.conditions = other.conditions,
            6 => drop(new.rules.remove(from)),
            _ => new.rules.push(other),
        }
        [old, new]
    })
}

/// Draws failures of what the rules of two policies read, and of what they do not.
struct Failures<'p> {
    draw: Draw,
    rules: Vec<&'p Rule>,
    /// A text of each pattern of the rules, and of others.
    texts: Vec<String>,
}

impl<'p> Failures<'p> {
    fn new(rules: Vec<&'p Rule>, seed: u64) -> Self {
        let mut draw = Draw(seed);
        let others: Vec<Pattern> =
            (0..3).map(|_| Pattern::parse(draw.pick::<&str>(&PATTERNS)).unwrap()).collect();
        let text = |pattern| match difference(Some(pattern), &[]) {
            Difference::Text(text) => text,
            _ => String::new(),
        };
        let patterns = rules.iter().filter_map(|rule| rule.message.as_ref());
        let texts = patterns.chain(&others).map(text).collect();
        Self { draw, rules, texts }
    }

    fn failure(&mut self) -> WitnessFailure {
        let outcome = match self.draw.below(8) {
            0 => Outcome::Preempted,
            1 => Outcome::LeaseExpired,
            _ => Outcome::Failed,
        };
        let count = if outcome == Outcome::Failed { self.draw.below(4) } else { 0 };
        let containers = (0..count).map(|_| self.container()).collect();
        let conditions = (0..self.draw.below(3)).map(|_| *self.draw.pick(&Condition::ALL));
        let conditions = conditions.map(|it| it.as_str().into()).collect();
        let [category, subcategory] = self.names();
        let is_pod_gone = self.draw.below(2) == 0;
        WitnessFailure { outcome, containers, conditions, category, subcategory, is_pod_gone }
    }

    /// The category and the subcategory: those of a rule, or others.
    fn names(&mut self) -> [String; 2] {
        let rule = *self.draw.pick(&self.rules);
        [&rule.categories, &rule.subcategories].map(|names| match self.draw.below(4) {
            0 => String::new(),
            1 => "unlisted".to_owned(),
            _ if names.is_empty() => (*self.draw.pick(&CATEGORIES)).to_owned(),
            _ => self.draw.pick(names).clone(),
        })
    }

    fn container(&mut self) -> Container {
        let rule = *self.draw.pick(&self.rules);
        let exit_code = match (&rule.exit_codes, self.draw.below(4)) {
            (_, 0) => None,
            (Some(codes), 1 | 2) => Some((*self.draw.pick(&codes.values)).into()),
            _ => Some((*self.draw.pick(&CODES)).into()),
        };
        let reason = if self.draw.below(5) == 0 { "OOMKilled" } else { "Error" };
        let name = match &rule.container {
            Some(name) if self.draw.below(2) == 0 => name.as_str(),
            _ => *self.draw.pick(&CONTAINERS),
        };
        let message = self.message();
        let init = self.draw.below(3) == 0;
        Container {
            name: name.into(),
            init,
            exit_code,
            reason: reason.into(),
            message: message.into(),
        }
    }

    /// Texts of up to two patterns, one after the other.
    fn message(&mut self) -> String {
        let mut message = String::new();
        for _ in 0..self.draw.below(3) {
            message += self.draw.pick::<String>(&self.texts);
        }
        message
    }
}

proptest! {
    #[test]
    fn policies_of_many_rules_decide_alike_where_they_are_the_same(
        policies in change(), settings in settings(), seed: u64,
    ) {
        let evaluators = [0, 1].map(|side| evaluator(&policies[side], settings[side]));
        let [old, new] = [0, 1]
            .map(|side| Side { evaluator: &evaluators[side], route: evaluators[side].route(&[0]) });
        let Comparison { groups, undecided } = compare(&old, &new);
        prop_assert!(undecided.is_empty(), "{:?}", undecided);
        check_witnesses([&old, &new], &groups)?;
        if groups.is_empty() {
            let rules = policies.iter().flat_map(|it| &it.rules).collect();
            let mut failures = Failures::new(rules, seed);
            check_random_histories([&old, &new], || failures.failure())?;
        }
    }
}
