//! Coverage: which rules, defaults and limits the tests of a run check.
//!
//! A gate is covered by a decision of a test that it determined, if an expectation that holds checks it. An expectation
//! checks a limit by the action or the code; a rule or default also by its index, since another rule might decide the
//! same. So a change of a covered rule makes a test fail.

use super::run::CheckedDecision;
use replay::simulate::RuleLabel;
use std::collections::{BTreeSet, HashMap};
use systems::{Gate, GateKind};

/// The most failures of a generated test. A limit above it does not count towards coverage, since a test of it would be
/// too long to read.
pub(super) const LONGEST_SEQUENCE: usize = 10_000;

/// What tests cover, of all test files of a run.
#[derive(Debug, Default)]
pub struct Coverage {
    entries: Vec<CoverageEntry>,
    numbers: HashMap<GateKey, usize>,
}

/// A gate, and how far tests cover it.
#[derive(Debug)]
pub struct CoverageEntry {
    /// The gate.
    pub gate: Gate,
    /// Whether an expectation checks it.
    pub is_covered: bool,
    /// The first test and attempt that reached it without a check.
    pub unchecked: Option<(String, usize)>,
}

/// What makes two gates of different test files the same: the file, the policy, and what it is.
type GateKey = (String, String, Option<usize>, Option<&'static str>, GateSort);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum GateSort {
    Rule,
    Default,
    Limit,
}

/// The source of the limit of a whole job, which policies share.
const GLOBAL: &str = "global";

fn key(gate: &Gate) -> GateKey {
    let (sort, source) = match gate.kind {
        GateKind::Rule => (GateSort::Rule, None),
        GateKind::Default | GateKind::Whole => (GateSort::Default, None),
        GateKind::Limit { source, .. } => (GateSort::Limit, Some(source)),
    };
    // Several test files may set the global limit of the same policies.
    let file = if source == Some(GLOBAL) { "" } else { gate.place.source.name() };
    (file.to_owned(), gate.policy.clone(), gate.rule_index, source, sort)
}

impl Coverage {
    /// Adds the gates of a test file's policies. One that is known already is reachable if it is for any file.
    pub fn add_gates(&mut self, gates: &[Gate]) {
        for gate in gates {
            let next = self.entries.len();
            let number = *self.numbers.entry(key(gate)).or_insert(next);
            match self.entries.get_mut(number) {
                None => self.entries.push(CoverageEntry {
                    gate: gate.clone(),
                    is_covered: false,
                    unchecked: None,
                }),
                Some(known) if gate.unreachable.is_none() => known.gate.unreachable = None,
                Some(_) => {}
            }
        }
    }

    /// Adds the decisions of a test. `gates` are those of its policies.
    pub fn add_decisions(
        &mut self,
        test: &str,
        gates: &GateIndex<'_>,
        decisions: &[CheckedDecision],
    ) {
        for decision in decisions {
            for number in gates.reached(decision) {
                let gate = &gates.gates[number];
                let is_checked = match gate.kind {
                    GateKind::Limit { .. } | GateKind::Whole => decision.has_outcome_check,
                    GateKind::Rule | GateKind::Default => {
                        decision.has_outcome_check && decision.has_rule_check
                    }
                };
                let Some(number) = self.numbers.get(&key(gate)) else { continue };
                let entry = &mut self.entries[*number];
                // What a test reaches is reachable.
                entry.gate.unreachable = None;
                entry.is_covered |= is_checked;
                if entry.unchecked.is_none() {
                    entry.unchecked = Some((test.to_owned(), decision.attempt));
                }
            }
        }
    }

    /// The gates that count: those that some failure may reach.
    pub fn counted(&self) -> impl Iterator<Item = &CoverageEntry> {
        self.entries.iter().filter(|entry| entry.gate.unreachable.is_none())
    }

    /// All gates.
    pub fn entries(&self) -> impl Iterator<Item = &CoverageEntry> {
        self.entries.iter()
    }

    /// How many gates count, and how many of them are covered.
    pub fn totals(&self) -> (usize, usize) {
        let covered = self.counted().filter(|entry| entry.is_covered).count();
        (self.counted().count(), covered)
    }

    /// The covered share in percent; 100 without gates.
    #[expect(clippy::cast_precision_loss, reason = "far fewer gates than 2^52")]
    pub fn percent(&self) -> f64 {
        match self.totals() {
            (0, _) => 100.0,
            (total, covered) => covered as f64 * 100.0 / total as f64,
        }
    }
}

impl CoverageEntry {
    /// Why the gate is not covered or does not count; after its name, a sentence if it is not covered.
    pub fn reason(&self) -> Option<String> {
        if let Some(reason) = &self.gate.unreachable {
            return Some(reason.clone());
        }
        let is_limit = matches!(self.gate.kind, GateKind::Limit { .. });
        let is_whole = self.gate.kind == GateKind::Whole;
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

/// Gates by their rules, so that those of a decision are found without a test of each.
#[derive(Debug)]
pub struct GateIndex<'g> {
    /// The gates.
    pub gates: &'g [Gate],
    /// The rules of the engine.
    pub rules: &'g [RuleLabel],
    /// Whether the rules are of several policies.
    pub has_several_policies: bool,
    /// The numbers of the gates of each policy, and of each of its rules.
    by_rule: HashMap<(&'g str, Option<usize>), Vec<usize>>,
    /// The gates of the limit of a whole job.
    global: Vec<usize>,
}

impl<'g> GateIndex<'g> {
    /// The gates of some policies, and the rules of their engine.
    pub fn new(gates: &'g [Gate], rules: &'g [RuleLabel]) -> Self {
        let mut by_rule: HashMap<_, Vec<usize>> = HashMap::new();
        let mut global = Vec::new();
        for (number, gate) in gates.iter().enumerate() {
            match gate.kind {
                GateKind::Limit { source: GLOBAL, .. } => global.push(number),
                _ => by_rule.entry((&*gate.policy, gate.rule_index)).or_default().push(number),
            }
        }
        let is_other = |rule: &RuleLabel| rules.first().is_some_and(|it| it.policy != rule.policy);
        let has_several_policies = rules.iter().any(is_other);
        Self { gates, rules, has_several_policies, by_rule, global }
    }

    /// The numbers of the gates that determined a decision, in order.
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
        all.filter(|number| is_reached(&self.gates[*number], rule, decision)).collect()
    }
}

/// Whether a gate determined a decision of a rule.
fn is_reached(gate: &Gate, rule: Option<&RuleLabel>, decision: &CheckedDecision) -> bool {
    let report = &decision.report;
    match gate.kind {
        GateKind::Limit { source, value } => {
            let is_own = source == GLOBAL || report.policy.as_deref() == Some(&gate.policy);
            let is_of_rule = source != "rule" || report.rule_index == gate.rule_index;
            decision.exhausted
                && report.limit_source.as_deref() == Some(source)
                && report.limit == Some(value)
                && is_own
                && is_of_rule
        }
        GateKind::Rule | GateKind::Default | GateKind::Whole => {
            // The limit of a whole job stops it whatever the rule is.
            let is_stopped = decision.exhausted && report.limit_source.as_deref() == Some(GLOBAL);
            let is_own =
                |rule: &RuleLabel| rule.policy == gate.policy && rule.index == gate.rule_index;
            !is_stopped && rule.is_some_and(is_own)
        }
    }
}
