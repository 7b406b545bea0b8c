//! Whether rules can be reached: exact reasoning about what earlier rules leave to a later one.
//!
//! For each rule there is one kind of failure that fewest others match (semantics.md, section 4). Exit codes and
//! reasons of it are seen only by rules of the same scope: a failed container that a rule names, or the first failed
//! one, is hidden from rules of other scopes by other names, by an init container before it, or by being one itself.
//! Messages are seen by wider scopes too. What is left is a product of an exit code, a condition, a category and a
//! subcategory, whose combinations [`uncovered`] tries.
//!
//! Of patterns it is known that they match every message, contain a literal, or are equal. For others a text is
//! searched that the pattern of the later rule matches and those of the earlier ones do not. If the automata are too
//! large for that, a rule is reported as reached although it may not be, but never the opposite.

use super::cover::{Acceptance, Coverage, uncovered};
use super::relevance::Relevance;
use super::{Action, Condition, ExitCodes, Operator, RetryPolicy, Rule};
use document::pattern::{Difference, Matched, Pattern, difference};
use regex_automata::meta::Regex;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;

/// Limit of the patterns of pairs of rules whose automata are searched together.
pub(super) const MAX_PATTERNS: usize = 8;
/// Limit of the patterns of earlier rules whose automata are searched together.
// The searches are for each rule, not for each pair, so that more patterns are affordable.
const MAX_EARLIER_PATTERNS: usize = 32;

impl RetryPolicy {
    /// Whether the policy retries some failure. An absent limit of `v1` is `globalMaxRetries`, which is
    /// assumed to be above 0.
    pub fn can_retry(&self) -> bool {
        let grants = |action, own: Option<u32>| {
            action == Action::Retry && own.or_else(|| self.limit()) != Some(0)
        };
        let rules = RuleSet::new(&self.rules);
        let mut all = self.rules.iter().zip(rules.coverages());
        // Documents have no rule without a matcher; conversions between systems may make one.
        let has_catch_all = self.rules.iter().any(|rule| rule.matchers().is_empty());
        all.any(|(rule, coverage)| grants(rule.action, rule.retry_limit) && !coverage.is_covered())
            || !has_catch_all && grants(self.default_action(), None)
    }
}

/// Rules in their order, prepared for comparisons with each other.
#[derive(Debug)]
pub struct RuleSet<'r> {
    rules: Vec<Prepared<'r>>,
    /// An exit code that no rule lists.
    free_code: OnceCell<i64>,
}

#[derive(Debug)]
pub(crate) struct Prepared<'r> {
    pub(crate) rule: &'r Rule,
    pub(crate) scope: Scope<'r>,
    pub(super) matched: Option<Matched>,
    /// The number of the pattern among those of a comparison.
    pub(super) pattern: usize,
    regex: OnceCell<Option<Regex>>,
}

/// A failure that a rule is the first to match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReachingFailure<'r> {
    /// The container that the rule names.
    pub container: Option<&'r str>,
    /// Whether the failed container has to be an init container, as rules without `includeInitContainers` match others.
    pub is_init: bool,
    /// The exit code of the container; `None` for none.
    pub exit_code: Option<i64>,
    /// The condition; `OOMKilled` is the reason of the container, others are the pod's.
    pub condition: Option<Condition>,
    /// The termination message of the container.
    pub message: Option<String>,
    pub category: Option<&'r str>,
    pub subcategory: Option<&'r str>,
}

/// The container that exit codes and reasons are read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Scope<'r> {
    /// The container of this name.
    Named(&'r str),
    /// The first failed container that is not an init container.
    First,
    /// The first failed init container, else the first other.
    FirstWithInit,
}

/// An exit code that no list can contain.
pub(super) const OTHER_CODE: i64 = i32::MAX as i64 + 1;

impl<'r> RuleSet<'r> {
    /// Prepares the rules of a policy, or of several policies that are evaluated together.
    pub fn new(rules: impl IntoIterator<Item = &'r Rule>) -> Self {
        Self { rules: rules.into_iter().map(Prepared::new).collect(), free_code: OnceCell::new() }
    }

    /// Whether the rules before a number match all failures of a rule that is not one of these.
    pub fn coverage_of_other(&self, rule: &Rule, before: usize) -> Coverage {
        self.later(&Prepared::new(rule), 0..before.min(self.rules.len())).coverage()
    }

    /// Whether the rules before each rule match all of its failures.
    pub fn coverages(&self) -> Vec<Coverage> {
        let coverage = |found: Result<_, Coverage>| found.err().unwrap_or(Coverage::Reached);
        self.reaching_failures().into_iter().map(coverage).collect()
    }

    /// A failure for each rule that no rule before it matches; else whether there is none.
    pub fn reaching_failures(&self) -> Vec<Result<ReachingFailure<'r>, Coverage>> {
        self.reaching_failures_with(&mut Relevance::new(&self.rules))
    }

    fn reaching_failures_with(
        &self,
        relevance: &mut Relevance<'r>,
    ) -> Vec<Result<ReachingFailure<'r>, Coverage>> {
        let mut found = Vec::with_capacity(self.rules.len());
        for (number, later) in self.rules.iter().enumerate() {
            let earlier = relevance.earlier(later);
            let reaching = self.later(later, earlier.into_iter()).reaching_failure();
            // Rules that match all failures of a covered one are before all others that it might cover.
            if !matches!(reaching, Err(Coverage::Covered(_))) {
                relevance.add(number, later);
            }
            found.push(reaching);
        }
        found
    }

    /// An exit code that no rule lists; 1, 2 and 255 are usual.
    fn free_code(&self) -> i64 {
        let find = || {
            let lists = self.rules.iter().filter_map(|it| it.rule.exit_codes.as_ref());
            let listed: BTreeSet<i64> =
                lists.flat_map(|codes| codes.values.iter().copied().map(i64::from)).collect();
            let mut codes = [1, 2, 255].into_iter().chain(3..);
            codes.find(|code| !listed.contains(code)).unwrap_or(OTHER_CODE)
        };
        *self.free_code.get_or_init(find)
    }

    /// The choices of a rule, and the rules before it that may accept some.
    fn later<'s, 'o>(
        &'s self,
        later: &'s Prepared<'o>,
        earlier: impl Iterator<Item = usize>,
    ) -> Later<'s, 'o>
    where
        'r: 'o,
    {
        let earlier: Vec<usize> = earlier.filter(|&it| self.rules[it].can_share(later)).collect();
        let codes = later.code_choices(earlier.iter().map(|&other| &self.rules[other]));
        Later {
            set: self,
            rule: later,
            codes,
            conditions: later.condition_choices(),
            categories: name_choices(&later.rule.categories),
            subcategories: name_choices(&later.rule.subcategories),
            earlier,
            text: RefCell::default(),
        }
    }

    /// Whether two rules certainly match no failure together. Only lists of the same kind are compared.
    pub fn are_disjoint(&self, one: usize, other: usize) -> bool {
        let (Some(one), Some(other)) = (self.rules.get(one), self.rules.get(other)) else {
            return false;
        };
        let are_apart = |one: &[String], other: &[String]| {
            !one.is_empty() && !other.is_empty() && one.iter().all(|name| !other.contains(name))
        };
        let by_code = || match (&one.rule.exit_codes, &other.rule.exit_codes) {
            (Some(one_codes), Some(other_codes)) if one.scope == other.scope => {
                are_apart_codes(one_codes, other_codes) || are_apart_codes(other_codes, one_codes)
            }
            _ => false,
        };
        are_apart(&one.rule.categories, &other.rule.categories)
            || are_apart(&one.rule.subcategories, &other.rule.subcategories)
            || by_code()
    }
}

/// A rule, its choices in each dimension, and the earlier rules that may accept some.
struct Later<'s, 'o> {
    set: &'s RuleSet<'o>,
    rule: &'s Prepared<'o>,
    codes: Vec<i64>,
    conditions: Vec<Option<Condition>>,
    categories: Vec<Option<&'o str>>,
    subcategories: Vec<Option<&'o str>>,
    earlier: Vec<usize>,
    /// The last text that was found to be matched by no earlier pattern.
    text: RefCell<Option<String>>,
}

impl<'o> Later<'_, 'o> {
    fn sizes(&self) -> [usize; 4] {
        let Self { codes, conditions, categories, subcategories, .. } = self;
        [codes.len(), conditions.len(), categories.len(), subcategories.len()]
    }

    fn coverage(&self) -> Coverage {
        uncovered(&self.sizes(), self.earlier.clone(), self).err().unwrap_or(Coverage::Reached)
    }

    fn reaching_failure(&self) -> Result<ReachingFailure<'o>, Coverage> {
        let choices = uncovered(&self.sizes(), self.earlier.clone(), self)?;
        let [code, condition, category, subcategory] = choices.as_slice() else {
            return Err(Coverage::Unknown);
        };
        let Prepared { rule, scope, .. } = self.rule;
        let message = rule
            .message
            .as_ref()
            .and_then(|pattern| self.text.take().or_else(|| pattern.example()));
        Ok(ReachingFailure {
            container: rule.container.as_deref(),
            is_init: *scope != Scope::First,
            exit_code: rule.exit_codes.as_ref().map(|_| match self.codes[*code] {
                OTHER_CODE => self.set.free_code(),
                code => code,
            }),
            condition: self.conditions[*condition],
            message,
            category: self.categories[*category],
            subcategory: self.subcategories[*subcategory],
        })
    }
}

impl Acceptance for &Later<'_, '_> {
    fn accepts(&self, rule: usize, dimension: usize, choice: usize) -> bool {
        let earlier = &self.set.rules[rule];
        match dimension {
            0 => earlier.accepts_code(self.codes[choice]),
            1 => earlier.accepts_condition(self.conditions[choice], self.rule),
            2 => accepts_name(&earlier.rule.categories, self.categories[choice]),
            _ => accepts_name(&earlier.rule.subcategories, self.subcategories[choice]),
        }
    }

    fn is_partial(&self, rule: usize) -> bool {
        !self.set.rules[rule].accepts_all_messages(self.rule)
    }

    /// A text that the later pattern matches and none of the others: first the shortest example, then a search with
    /// the patterns that matched the texts before.
    fn leaves_some(&self, partial: &[usize]) -> bool {
        let Some(wanted) = &self.rule.rule.message else { return true };
        let mut matching: Vec<&Prepared<'_>> = Vec::new();
        let mut text = wanted.example();
        loop {
            // Without a text nothing is known of the rule.
            let Some(known) = &text else { return true };
            let others = partial.iter().map(|&rule| &self.set.rules[rule]);
            let before = matching.len();
            matching.extend(others.filter(|other| other.matches(known)));
            if matching.len() == before {
                self.text.replace(text);
                return true;
            }
            if matching.len() > MAX_EARLIER_PATTERNS {
                return true;
            }
            let patterns: Vec<&Pattern> =
                matching.iter().filter_map(|other| other.rule.message.as_ref()).collect();
            text = match difference(Some(wanted), &patterns) {
                Difference::Text(text) => Some(text),
                Difference::Empty => return false,
                Difference::Unknown => return true,
            };
        }
    }
}

impl<'r> Prepared<'r> {
    pub(crate) fn new(rule: &'r Rule) -> Self {
        let scope = match &rule.container {
            Some(name) => Scope::Named(name),
            None if rule.include_init_containers => Scope::FirstWithInit,
            None => Scope::First,
        };
        let matched = rule.message.as_ref().map(Pattern::matched);
        Self { rule, scope, matched, pattern: 0, regex: OnceCell::new() }
    }
}

impl Prepared<'_> {
    /// Whether another rule matches the same failures by its own matchers.
    pub(crate) fn is_equal(&self, other: &Prepared<'_>) -> bool {
        self.scope == other.scope && self.rule.matchers() == other.rule.matchers()
    }

    /// Whether the rule can match the failure of a later rule that fewest others match, as far as scopes and messages
    /// decide.
    fn can_share(&self, later: &Prepared<'_>) -> bool {
        let codes = self.rule.exit_codes.is_none()
            || later.rule.exit_codes.is_some() && self.scope == later.scope;
        let conditions = self.rule.conditions.is_empty() || !later.rule.conditions.is_empty();
        codes && conditions && self.reads_message(later)
    }

    /// Whether the pattern is searched for in the message of a later rule's failure, or there is no pattern.
    fn reads_message(&self, later: &Prepared<'_>) -> bool {
        // The named container is an init container; that of the first failed one has a name of its own.
        let sees = self.scope == Scope::FirstWithInit || self.scope == later.scope;
        self.matched.is_none() || later.matched.is_some() && sees
    }

    /// Whether the pattern certainly matches every message that the one of a later rule matches.
    pub(super) fn accepts_all_messages(&self, later: &Prepared<'_>) -> bool {
        let Some(own) = &self.matched else { return true };
        match (own, &later.matched) {
            (Matched::All | Matched::NotEmpty, _) => true,
            (Matched::Containing(own), Some(Matched::Containing(theirs))) => theirs.contains(own),
            _ => self.rule.message == later.rule.message,
        }
    }

    /// Whether the pattern matches a text.
    pub(super) fn matches(&self, text: &str) -> bool {
        let regex = || self.rule.message.as_ref()?.regex().ok();
        match &self.matched {
            Some(Matched::Containing(literal)) => text.contains(literal),
            _ => self.regex.get_or_init(regex).as_ref().is_some_and(|regex| regex.is_match(text)),
        }
    }

    /// Exit codes that the rule matches: one for each way in which the other rules distinguish them. A single one if
    /// the rule matches no exit code, which the others then do not either.
    fn code_choices<'p, 'o: 'p>(&self, others: impl Iterator<Item = &'p Prepared<'o>>) -> Vec<i64> {
        let Some(own) = &self.rule.exit_codes else { return vec![OTHER_CODE] };
        if own.operator == Operator::In {
            let listed: BTreeSet<i64> = own.values.iter().copied().map(i64::from).collect();
            return listed.into_iter().collect();
        }
        // The code that no rule lists is accepted by fewest; only rules on `NotIn` may leave a listed one.
        let left_out = others.flat_map(|other| left_out(other.rule));
        let left_out: BTreeSet<i64> = left_out.filter(|code| accepts(own, *code)).collect();
        std::iter::once(OTHER_CODE).chain(left_out).collect()
    }

    pub(super) fn accepts_code(&self, code: i64) -> bool {
        self.rule.exit_codes.as_ref().is_none_or(|codes| accepts(codes, code))
    }

    /// The conditions of which the rule needs one; a single `None` if it needs no condition. Conditions of the pod are
    /// never matched by a rule with a container.
    fn condition_choices(&self) -> Vec<Option<Condition>> {
        if self.rule.conditions.is_empty() {
            return vec![None];
        }
        let own = self.rule.conditions.iter().copied();
        let is_named = self.rule.container.is_some();
        own.filter(|&it| !is_named || it == Condition::OomKilled).map(Some).collect()
    }

    /// `OOMKilled` is the reason of the later rule's container, other conditions are the pod's.
    fn accepts_condition(&self, condition: Option<Condition>, later: &Prepared<'_>) -> bool {
        if self.rule.conditions.is_empty() {
            return true;
        }
        let Some(condition) = condition else { return false };
        let sees = match condition {
            Condition::OomKilled => self.scope == later.scope,
            _ => self.rule.container.is_none(),
        };
        sees && self.rule.conditions.contains(&condition)
    }
}

/// Whether no value of a list of `In` is accepted by another matcher.
fn are_apart_codes(one: &ExitCodes, other: &ExitCodes) -> bool {
    one.operator == Operator::In
        && one.values.iter().all(|value| !accepts(other, i64::from(*value)))
}

pub(super) fn accepts(codes: &ExitCodes, code: i64) -> bool {
    let is_listed = codes.values.iter().any(|value| i64::from(*value) == code);
    is_listed == (codes.operator == Operator::In)
}

/// The exit codes that a rule leaves out.
pub(super) fn left_out(rule: &Rule) -> impl Iterator<Item = i64> {
    let codes = rule.exit_codes.as_ref().filter(|codes| codes.operator == Operator::NotIn);
    codes.into_iter().flat_map(|codes| codes.values.iter().copied().map(i64::from))
}

/// The names of a rule's list. If it has none, no name, which fewest others accept.
fn name_choices(own: &[String]) -> Vec<Option<&str>> {
    if own.is_empty() { vec![None] } else { own.iter().map(|name| Some(name.as_str())).collect() }
}

/// Whether a matcher accepts this name; `None` for none.
pub(super) fn accepts_name(list: &[String], name: Option<&str>) -> bool {
    list.is_empty() || name.is_some_and(|name| list.iter().any(|other| other == name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Backoff, Condition, ExitCodes, Form, Operator, PolicyName};
    use proptest::prelude::*;

    fn policy(rules: Vec<Rule>, default_action: Action) -> RetryPolicy {
        RetryPolicy {
            name: PolicyName::new("p").unwrap(),
            form: Form::V1,
            retry_limit: Some(1),
            default_action: Some(default_action),
            backoff: Backoff::default(),
            anti_affinity: None,
            rules,
        }
    }

    fn rule() -> impl Strategy<Value = Rule> {
        let action = prop_oneof![Just(Action::Retry), Just(Action::Fail)];
        let some = |names: &'static [&'static str]| prop::sample::subsequence(names, 0..=2);
        (action, some(&["a", "b"]), some(&["x", "y"]), prop::option::weighted(0.2, Just(0)))
            .prop_map(|(action, categories, subcategories, retry_limit)| Rule {
                categories: categories.into_iter().map(str::to_owned).collect(),
                subcategories: subcategories.into_iter().map(str::to_owned).collect(),
                retry_limit,
                ..Rule::new(action)
            })
    }

    /// Whether the first rule that matches grants a retry.
    fn retries(policy: &RetryPolicy, category: &str, subcategory: &str) -> bool {
        let matches = |list: &[String], value: &str| {
            list.is_empty() || list.iter().any(|other| other == value)
        };
        let rule = policy.rules.iter().find(|rule| {
            matches(&rule.categories, category) && matches(&rule.subcategories, subcategory)
        });
        let action = rule.map_or(policy.default_action(), |rule| rule.action);
        action == Action::Retry && rule.and_then(|rule| rule.retry_limit) != Some(0)
    }

    proptest! {
        #[test]
        fn of_categories_it_is_what_the_first_match_says(
            rules in prop::collection::vec(rule(), 0..5), by_default: bool,
        ) {
            let policy = policy(rules, if by_default { Action::Retry } else { Action::Fail });
            let mut failures =
                ["a", "b", "other"].into_iter().flat_map(|c| ["x", "y", "other"].map(|s| (c, s)));
            let expected = failures.any(|(c, s)| retries(&policy, c, s));
            prop_assert_eq!(policy.can_retry(), expected, "{:?}", policy);
        }
    }

    #[test]
    fn matchers_on_containers_are_compared_as_lists() {
        let codes =
            |values: &[i32]| Some(ExitCodes { operator: Operator::In, values: values.to_vec() });
        let fails = Rule { exit_codes: codes(&[1]), ..Rule::new(Action::Fail) };
        let same = Rule { exit_codes: codes(&[1]), ..Rule::new(Action::Retry) };
        let other = Rule { exit_codes: codes(&[2]), ..same.clone() };
        let in_container = Rule { container: Some("c".to_owned()), ..same.clone() };
        let narrower = Rule { conditions: vec![Condition::Evicted], ..same.clone() };
        for (retry, expected) in
            [(same, false), (other, true), (in_container, true), (narrower, false)]
        {
            let policy = policy(vec![fails.clone(), retry], Action::Fail);
            assert_eq!(policy.can_retry(), expected, "{policy:?}");
        }
    }

    /// Rules of a policy of this many, by a number from 0.
    fn many(count: i32, rule: impl Fn(i32) -> Rule) -> Vec<Rule> {
        (0..count).map(rule).collect()
    }

    /// The comparisons of the rules with each other.
    fn steps(rules: &[Rule]) -> usize {
        let set = RuleSet::new(rules);
        let mut relevance = Relevance::new(&set.rules);
        assert_eq!(set.reaching_failures_with(&mut relevance).len(), rules.len());
        relevance.steps
    }

    #[test]
    fn twice_the_rules_take_at_most_twice_the_comparisons() {
        let codes = |operator, code| Some(ExitCodes { operator, values: vec![code] });
        let retry = || Rule::new(Action::Retry);
        let by_code = |it| Rule { exit_codes: codes(Operator::In, it + 1), ..retry() };
        let by_category = |it: i32| Rule { categories: vec![it.to_string()], ..retry() };
        let by_subcategory = |it: i32| Rule {
            categories: vec!["a".to_owned()],
            subcategories: vec![it.to_string()],
            exit_codes: codes(Operator::NotIn, 1),
            ..retry()
        };
        let by_container = |it: i32| Rule {
            container: Some(it.to_string()),
            exit_codes: codes(Operator::NotIn, it % 200 + 1),
            ..retry()
        };
        let duplicates = |_| Rule { conditions: vec![Condition::Evicted], ..retry() };
        let mixed = |it: i32| if it % 2 == 0 { by_code(it) } else { by_category(it) };
        let kinds: [&dyn Fn(i32) -> Rule; 6] =
            [&by_code, &by_category, &by_subcategory, &by_container, &duplicates, &mixed];
        for (number, rule) in kinds.iter().enumerate() {
            let (half, all) = (steps(&many(1000, rule)), steps(&many(2000, rule)));
            assert!(all <= half * 2 + 2 && all <= 4000, "kind {number}: {half}, {all}");
        }
    }

    /// Rules with these patterns.
    fn with_patterns(patterns: &[impl AsRef<str>]) -> Vec<Rule> {
        let rule = |text: &str| Rule {
            message: Some(Pattern::parse(text).unwrap()),
            ..Rule::new(Action::Retry)
        };
        patterns.iter().map(|text| rule(text.as_ref())).collect()
    }

    /// Whether the last of rules with these patterns is reached.
    fn covered(patterns: &[impl AsRef<str>]) -> Coverage {
        RuleSet::new(&with_patterns(patterns)).coverages().pop().unwrap()
    }

    #[test]
    fn many_patterns_together_leave_a_text_or_none() {
        let letters = || ('a'..='t').map(|letter| format!("^{letter}$"));
        let with = |last: &str| letters().chain([last.to_owned()]).collect::<Vec<_>>();
        assert_eq!(covered(&with("^[a-t]$")), Coverage::Covered((0..20).collect()));
        let rules = with_patterns(&with("^[a-u]$"));
        let last = RuleSet::new(&rules).reaching_failures().pop().unwrap().unwrap();
        assert_eq!(last.message.as_deref(), Some("u"));
    }

    #[test]
    fn patterns_are_compared_by_the_texts_that_they_match() {
        for patterns in [
            &["(?i)quota", "quota"][..],
            &["quota", "^quota exceeded$"],
            &["quota", "disk (quota|quotas)"],
            &["a", "b", "[ab]"],
            &[r"\d", "exit 1[0-9]+"],
            &[r"[^x]|xx", "x$", "(?s)."],
            &["^", "quota"],
        ] {
            let all: Vec<usize> = (0..patterns.len() - 1).collect();
            assert_eq!(covered(patterns), Coverage::Covered(all), "{patterns:?}");
        }
        for patterns in
            [&["quota", "(?i)quota"][..], &["^a", "a"], &["a", "b", "[abc]"], &[".", r"\n"]]
        {
            assert_eq!(covered(patterns), Coverage::Reached, "{patterns:?}");
        }
    }
}
