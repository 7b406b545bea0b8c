//! Coverage: which rules, defaults and limits the tests of a run check.
//!
//! A target is covered by a decision of a test that it determined, if an expectation that holds checks it. An expectation
//! checks a limit by the action or the code; a rule or default also by its index, since another rule might decide the
//! same. So a change of a covered rule makes a test fail.

use super::run::CheckedDecision;
use replay::simulate::RuleLabel;
use std::collections::{BTreeSet, HashMap};
use systems::{CoverageTarget, TargetKind};

/// The most failures of a generated test. A limit above it does not count towards coverage, since a test of it would be
/// too long to read.
pub(super) const LONGEST_SEQUENCE: usize = 10_000;

/// Coverage by all test files of a run.
#[derive(Debug, Default)]
pub struct Coverage {
    entries: Vec<CoverageEntry>,
    numbers: HashMap<TargetKey, usize>,
}

/// A target, and how far tests cover it.
#[derive(Debug)]
pub struct CoverageEntry {
    /// The target.
    pub target: CoverageTarget,
    /// Whether an expectation checks it.
    pub is_covered: bool,
    /// The first test and attempt that reached it without a check.
    pub unchecked: Option<(String, usize)>,
}

/// The key by which targets of different test files are the same: the file, the policy, and what it is.
type TargetKey = (String, String, Option<usize>, Option<&'static str>, TargetSort);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum TargetSort {
    Rule,
    Default,
    Limit,
}

/// The source of the limit of a whole job, which policies share.
const GLOBAL: &str = "global";

fn key(target: &CoverageTarget) -> TargetKey {
    let (sort, source) = match target.kind {
        TargetKind::Rule => (TargetSort::Rule, None),
        TargetKind::Default | TargetKind::Whole => (TargetSort::Default, None),
        TargetKind::Limit { source, .. } => (TargetSort::Limit, Some(source)),
    };
    // Several test files may set the global limit of the same policies.
    let file = if source == Some(GLOBAL) { "" } else { target.place.source.name() };
    (file.to_owned(), target.policy.clone(), target.rule_index, source, sort)
}

impl Coverage {
    /// Adds the targets of a test file's policies. One that is known already is reachable if it is for any file.
    pub fn add_targets(&mut self, targets: &[CoverageTarget]) {
        for target in targets {
            let next = self.entries.len();
            let number = *self.numbers.entry(key(target)).or_insert(next);
            match self.entries.get_mut(number) {
                None => self.entries.push(CoverageEntry {
                    target: target.clone(),
                    is_covered: false,
                    unchecked: None,
                }),
                Some(known) if target.unreachable.is_none() => known.target.unreachable = None,
                Some(_) => {}
            }
        }
    }

    /// Adds the decisions of a test. `targets` are those of its policies.
    pub fn add_decisions(
        &mut self,
        test: &str,
        targets: &TargetIndex<'_>,
        decisions: &[CheckedDecision],
    ) {
        for decision in decisions {
            for number in targets.reached(decision) {
                let target = &targets.targets[number];
                let is_checked = match target.kind {
                    TargetKind::Limit { .. } | TargetKind::Whole => decision.has_outcome_check,
                    TargetKind::Rule | TargetKind::Default => {
                        decision.has_outcome_check && decision.has_rule_check
                    }
                };
                let Some(number) = self.numbers.get(&key(target)) else { continue };
                let entry = &mut self.entries[*number];
                // What a test reaches is reachable.
                entry.target.unreachable = None;
                entry.is_covered |= is_checked;
                if entry.unchecked.is_none() {
                    entry.unchecked = Some((test.to_owned(), decision.attempt));
                }
            }
        }
    }

    /// The targets that count: those that some failure may reach.
    pub fn counted(&self) -> impl Iterator<Item = &CoverageEntry> {
        self.entries.iter().filter(|entry| entry.target.unreachable.is_none())
    }

    /// All targets.
    pub fn entries(&self) -> impl Iterator<Item = &CoverageEntry> {
        self.entries.iter()
    }

    /// How many targets count, and how many of them are covered.
    pub fn totals(&self) -> (usize, usize) {
        let covered = self.counted().filter(|entry| entry.is_covered).count();
        (self.counted().count(), covered)
    }

    /// The covered share in percent; 100 without targets.
    #[expect(clippy::cast_precision_loss, reason = "far fewer targets than 2^52")]
    pub fn percent(&self) -> f64 {
        match self.totals() {
            (0, _) => 100.0,
            (total, covered) => covered as f64 * 100.0 / total as f64,
        }
    }
}

impl CoverageEntry {
    /// Why the target is not covered or does not count; after its name, a sentence if it is not covered.
    pub fn reason(&self) -> Option<String> {
        if let Some(reason) = &self.target.unreachable {
            return Some(reason.clone());
        }
        let is_limit = matches!(self.target.kind, TargetKind::Limit { .. });
        let is_whole = self.target.kind == TargetKind::Whole;
        match &self.unchecked {
            _ if self.is_covered => None,
            Some((test, attempt)) => {
                let fields =
                    if is_limit || is_whole { "`action`" } else { "`action` and `ruleIndex`" };
                Some(format!(
                    "is reached by attempt {attempt} of `{test}`, but no expectation that holds checks {fields}"
                ))
            }
            None if is_limit => Some("was never reached by a test".to_owned()),
            None => Some("never decided a test".to_owned()),
        }
    }
}

/// Targets by their rules, so that those of a decision are found without a test of each.
#[derive(Debug)]
pub struct TargetIndex<'g> {
    /// The targets.
    pub targets: &'g [CoverageTarget],
    /// The rules of the engine.
    pub rules: &'g [RuleLabel],
    /// Whether the rules are of several policies.
    pub has_several_policies: bool,
    /// The numbers of the targets of each policy, and of each of its rules.
    by_rule: HashMap<(&'g str, Option<usize>), Vec<usize>>,
    /// The targets of the limit of a whole job.
    global: Vec<usize>,
}

impl<'g> TargetIndex<'g> {
    /// The targets of some policies, and the rules of their engine.
    pub fn new(targets: &'g [CoverageTarget], rules: &'g [RuleLabel]) -> Self {
        let mut by_rule: HashMap<_, Vec<usize>> = HashMap::new();
        let mut global = Vec::new();
        for (number, target) in targets.iter().enumerate() {
            match target.kind {
                TargetKind::Limit { source: GLOBAL, .. } => global.push(number),
                _ => by_rule.entry((&*target.policy, target.rule_index)).or_default().push(number),
            }
        }
        let is_other = |rule: &RuleLabel| rules.first().is_some_and(|it| it.policy != rule.policy);
        let has_several_policies = rules.iter().any(is_other);
        Self { targets, rules, has_several_policies, by_rule, global }
    }

    /// The numbers of the targets that determined a decision, in order.
    pub fn reached(&self, decision: &CheckedDecision) -> BTreeSet<usize> {
        let report = &decision.report;
        let rule = decision.rule.and_then(|number| self.rules.get(number));
        let policy = report.policy.as_deref();
        let keys = [
            rule.map(|rule| (&*rule.policy, rule.index)),
            policy.map(|policy| (policy, report.rule_index)),
            policy.map(|policy| (policy, None)),
        ];
        let of_rules =
            keys.into_iter().flatten().filter_map(|key| self.by_rule.get(&key)).flatten();
        let all = of_rules.chain(&self.global).copied();
        all.filter(|number| is_reached(&self.targets[*number], rule, decision)).collect()
    }
}

/// Whether a target determined a decision of a rule.
fn is_reached(
    target: &CoverageTarget,
    rule: Option<&RuleLabel>,
    decision: &CheckedDecision,
) -> bool {
    let report = &decision.report;
    match target.kind {
        TargetKind::Limit { source, value } => {
            let is_own = source == GLOBAL || report.policy.as_deref() == Some(&target.policy);
            let is_of_rule = source != "rule" || report.rule_index == target.rule_index;
            decision.exhausted
                && report.limit_source.as_deref() == Some(source)
                && report.limit == Some(value)
                && is_own
                && is_of_rule
        }
        TargetKind::Rule | TargetKind::Default | TargetKind::Whole => {
            // The limit of a whole job stops it whatever the rule is.
            let is_stopped = decision.exhausted && report.limit_source.as_deref() == Some(GLOBAL);
            let is_own =
                |rule: &RuleLabel| rule.policy == target.policy && rule.index == target.rule_index;
            !is_stopped && rule.is_some_and(is_own)
        }
    }
}
