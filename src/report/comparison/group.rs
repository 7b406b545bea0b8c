//! A group of differences with its smallest history.

use super::recorded::RecordedCounts;
use super::rule::{ComparedRule, RulePair};
use super::title::{cause_name, cause_title, kind_title, rules_title, takeover};
use crate::report::durations;
use armada_retry::engine::compare::{self, DifferenceKind, WitnessFailure};
use document::diag::plural;
use replay::simulate::DecisionReport;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use systems::compare::ChangedLimit;

/// The differences of one kind that have one cause, such as a rule that was moved.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DifferenceGroup {
    /// `no_longer_retried`, `now_retried`, `fewer_retries`, `more_retries`, `members`, `wait`, `nodes`, `memory` or `pod_names`.
    kind: &'static str,
    /// The cause: `taken_by` or `taken_from` for a rule of the version after that takes failures of others or one of the
    /// version before that loses failures, or what was edited, such as `action`, `limit` or `backoff`.
    cause: &'static str,
    /// The cause in a sentence.
    title: String,
    /// The pairs of rules, one of each version, that decide about failures of the group.
    pairs: Vec<RulePair>,
    /// The smallest history: fewest failures, then shortest texts.
    witness: Witness,
    /// With `--history`, the recorded failures about which its pairs of rules decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded: Option<RecordedCounts>,
}

/// A history of which both versions decide the last failure otherwise.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Witness {
    /// The rule before.
    old: ComparedRule,
    /// The rule after.
    new: ComparedRule,
    /// The number of failures of the history.
    failures: usize,
    /// The last failure, in a few words.
    last_failure: String,
    /// The decision of the version before about the last failure.
    old_decision: DecisionReport,
    /// The decision of the version after.
    new_decision: DecisionReport,
    /// The history: a `FailureHistory`.
    history: Value,
}

impl DifferenceGroup {
    /// A group, with the witness that a replay confirmed.
    /// `rules` are those that its cause names.
    pub fn new(
        group: &compare::Group,
        rules: &RulePair,
        pairs: Vec<RulePair>,
        witness: Witness,
    ) -> Self {
        let title = cause_title(group.kind, group.cause, rules, &pairs);
        let (kind, cause) = (group.kind.as_str(), cause_name(group.cause));
        Self { kind, cause, title, pairs, witness, recorded: None }
    }

    /// A group of another system's manifest: its first pair of rules is that of the witness. It has a kind, and may be a
    /// takeover, where a rule of the version after takes failures of others, or have a limit that ends the unit as its cause.
    /// `changed` are the limits that differ.
    pub fn from_rules(
        (kind, is_takeover, is_limit): (DifferenceKind, bool, bool),
        pairs: Vec<RulePair>,
        witness: Witness,
        changed: &[ChangedLimit],
    ) -> Self {
        let (cause, title) = if is_takeover {
            ("taken_by", takeover(&pairs))
        } else {
            let Witness { old_decision, new_decision, .. } = &witness;
            rules_title((kind, is_limit), &pairs, [old_decision, new_decision], changed)
        };
        Self { kind: kind.as_str(), cause, title, pairs, witness, recorded: None }
    }

    /// The history of the witness.
    pub fn history(&self) -> &Value {
        &self.witness.history
    }

    /// The kind.
    pub fn kind(&self) -> Option<DifferenceKind> {
        DifferenceKind::from_name(self.kind)
    }

    /// The pairs of rules.
    pub fn pairs(&self) -> &[RulePair] {
        &self.pairs
    }

    /// The rules of the witness.
    pub fn rules(&self) -> [&ComparedRule; 2] {
        [&self.witness.old, &self.witness.new]
    }

    /// Sets the counts of recorded failures.
    pub fn set_recorded(&mut self, counts: RecordedCounts) {
        self.recorded = Some(counts);
    }

    /// The counts of recorded failures in a few words, if there are some.
    pub fn recorded(&self) -> Option<String> {
        self.recorded.map(RecordedCounts::text)
    }

    /// The kind and the cause in a sentence.
    pub fn headline(&self) -> String {
        let kind = DifferenceKind::from_name(self.kind).map_or(self.kind, kind_title);
        format!("{kind}: {}", self.title)
    }

    /// The last failure of the witness, with its number if it is not the first, and the number of other pairs of rules.
    pub fn example(&self) -> String {
        let Witness { failures, last_failure, .. } = &self.witness;
        let number = if *failures == 1 { String::new() } else { format!(" {failures}") };
        let more = match self.pairs.len() {
            0 | 1 => String::new(),
            // The title has the number of the rules.
            _ if self.cause.starts_with("taken") => String::new(),
            all => {
                format!(" (and {})", plural(all - 1, "more pair of rules", "more pairs of rules"))
            }
        };
        format!("failure{number}: {last_failure}{more}")
    }

    /// The rule and the decision of each version.
    pub fn sides(&self) -> [String; 2] {
        let Witness { old, new, old_decision, new_decision, .. } = &self.witness;
        let kind = DifferenceKind::from_name(self.kind);
        [(old, old_decision), (new, new_decision)]
            .map(|(rule, decision)| format!("{}: {}", rule.text(), consequence(kind, decision)))
    }

    /// The kind and the cause, the last failure, both decisions about it, and the recorded failures if some are in a
    /// difference.
    pub(super) fn lines(&self, has_recorded: bool) -> Vec<String> {
        let [before, after] = self.sides();
        let lines = [
            format!("  {}", self.headline()),
            format!("    {}", self.example()),
            format!("    before: {before}"),
            format!("    after:  {after}"),
        ];
        let recorded =
            self.recorded().filter(|_| has_recorded).map(|text| format!("    in history: {text}"));
        lines.into_iter().chain(recorded).collect()
    }
}

impl Witness {
    /// A difference, with its rules, its history and the decisions of the replays about the last failure.
    pub fn new(
        difference: &compare::Difference,
        RulePair { old, new }: RulePair,
        history: Value,
        [old_decision, new_decision]: [DecisionReport; 2],
    ) -> Self {
        let last_failure = difference.failures.last().map(failure_text).unwrap_or_default();
        let failures = difference.failures.len();
        Self { old, new, failures, last_failure, old_decision, new_decision, history }
    }

    /// A difference of another system: its history, the decisions about the last failure, and their consequences for other
    /// members of the unit.
    pub fn from_history(
        RulePair { old, new }: RulePair,
        history: Value,
        decisions: [DecisionReport; 2],
        others: [&'static str; 2],
    ) -> Self {
        let runs = history["spec"]["jobs"][0]["runs"].as_array();
        let failures = runs.map_or(0, Vec::len);
        let last = runs.and_then(|runs| runs.last());
        let last_failure = with_fields(&decisions[1].failure, last);
        let with_others = |mut decision: DecisionReport, others: &str| {
            if others.is_empty() && decision.reason.is_empty() {
                decision.reason.push_str("goes on");
            } else if !others.is_empty() {
                let is_first = decision.reason.is_empty();
                decision.reason += if is_first { "" } else { "; " };
                decision.reason += others;
            }
            decision
        };
        let [old_decision, new_decision] = decisions;
        let (old_decision, new_decision) =
            (with_others(old_decision, others[0]), with_others(new_decision, others[1]));
        Self { old, new, failures, last_failure, old_decision, new_decision, history }
    }
}

/// The fields of a record that name the run, and not its failure.
const NAMING: [&str; 8] = [
    "startedAt",
    "finishedAt",
    "outcome",
    "jobName",
    "replicatedJob",
    "jobIndex",
    "podIndex",
    "template",
];

/// The text of a failure, and the fields of its record that the text does not have.
fn with_fields(text: &str, record: Option<&Value>) -> String {
    let mut parts: Vec<String> = (!text.is_empty()).then(|| text.to_owned()).into_iter().collect();
    let fields = record.and_then(Value::as_object).into_iter().flatten();
    for (key, value) in fields.filter(|(key, _)| !NAMING.contains(&key.as_str())) {
        let value = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => continue,
        };
        if !text.contains(&value) {
            parts.push(format!("{key} {value}"));
        }
    }
    parts.join(", ")
}

/// The consequences for the job, as far as a kind of difference needs them.
fn consequence(kind: Option<DifferenceKind>, decision: &DecisionReport) -> String {
    let limit = decision.limit.map(|limit| plural(limit, "retry", "retries")).unwrap_or_default();
    if decision.delay_seconds.is_none() && decision.next_pod_name.is_none() {
        return match decision.decision.as_str() {
            // Other systems have these codes too, and words of their own.
            _ if decision.action != "Fail" => decision.reason.clone(),
            "fail_rule" => "has action Fail".to_owned(),
            "fail_default" => "no rule matches".to_owned(),
            "fail_rule_limit" => format!("has used its {limit}"),
            "fail_policy_limit" => format!("has used the {limit} of the policy"),
            _ => decision.reason.clone(),
        };
    }
    let mut parts = vec!["retried".to_owned()];
    if let Some(seconds) = decision.delay_seconds.filter(|seconds| *seconds > 0.0) {
        parts.push(format!("after {}", durations::wait(seconds)));
    }
    if !decision.avoid_nodes.is_empty() {
        parts.push(format!("not on {}", decision.avoid_nodes.join(", ")));
    }
    if let Some(bytes) = decision.memory_bytes {
        parts.push(format!("with {bytes} bytes of memory in place of 1Gi"));
    }
    if let (Some(pod), Some(DifferenceKind::PodNames)) = (&decision.next_pod_name, kind) {
        parts.push(format!("as {pod}"));
    }
    if kind == Some(DifferenceKind::Members) {
        parts.push(format!("({})", decision.reason));
    }
    parts.join(" ")
}

/// A failure in a few words.
fn failure_text(failure: &WitnessFailure) -> String {
    let mut parts: Vec<String> = Vec::new();
    if failure.outcome.is_bare() {
        parts.push(failure.outcome.as_str().to_owned());
    }
    // A run may fail by itself with the condition of a preempted pod.
    let condition = |name: &str| match name {
        "Preempted" if !failure.outcome.is_bare() => "failed with condition Preempted".to_owned(),
        name => name.to_owned(),
    };
    parts.extend(failure.conditions.iter().map(|name| condition(name)));
    for container in &failure.containers {
        let mut own = Vec::new();
        if container.reason == "OOMKilled" {
            own.push("OOMKilled".to_owned());
        }
        own.extend(container.exit_code.map(|code| format!("exit code {code}")));
        if !container.message.is_empty() {
            own.push(format!("message {:?}", container.message));
        }
        if !own.is_empty() {
            let init = if container.init { "init container " } else { "" };
            parts.push(format!("{} of {init}`{}`", own.join(" and "), container.name));
        }
    }
    if failure.is_pod_gone {
        parts.push("its pod gone at once".to_owned());
    }
    if !failure.category.is_empty() {
        parts.push(format!("category `{}`", failure.category));
    }
    if !failure.subcategory.is_empty() {
        parts.push(format!("subcategory `{}`", failure.subcategory));
    }
    if parts.is_empty() {
        return "a failure that no rule names".to_owned();
    }
    parts.join(", ")
}
