//! Two versions of policies, as `compare` prints them: whether they are the same, then each difference.

use super::documents::API_VERSION;
use super::layout::Layout;
use super::rule_label;
use super::wrap::prose;
use armada_retry::engine::compare::{self, DifferenceKind, WitnessFailure};
use document::diag::{plural, printable};
use replay::simulate::DecisionReport;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The differences in the table, which then has at most 20 lines or so; `-o json` has all.
const SHOWN: usize = 5;
/// The names in a line of the table.
const NAMES: usize = 8;

/// Two versions of policies, compared over all failures and sequences of them.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComparisonReport {
    /// `armadaproject.io/v1`.
    api_version: &'static str,
    /// `ComparisonReport`.
    kind: &'static str,
    /// The result of all items.
    verdict: Verdict,
    /// The policies, then the lists of queues.
    items: Vec<ComparedItem>,
}

/// The result of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Verdict {
    /// It is proved that every failure is decided as before.
    Same,
    /// No difference is known, and of some failures it is not known whether they are decided as before.
    Unknown,
    /// A failure is decided otherwise.
    Different,
}

/// A policy or queue in both versions.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComparedItem {
    /// `policy` or `queue`.
    kind: &'static str,
    /// Its name.
    name: String,
    /// The result.
    status: ItemStatus,
    /// The differences, the most serious first.
    differences: Vec<Difference>,
    /// The pairs of rules that could not be compared.
    unknown: Vec<Unknown>,
}

/// The result for a policy or queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ItemStatus {
    /// Every failure is decided as before.
    Same,
    /// A failure is decided otherwise.
    Different,
    /// No difference is known, and something is not known.
    Unknown,
    /// Only the version after has it.
    Added,
    /// Only the version before has it.
    Removed,
}

/// A difference for the failures that two rules are first to match.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// `no_longer_retried`, `now_retried`, `fewer_retries`, `more_retries`, `wait`, `nodes`, `memory` or `pod_names`.
    kind: &'static str,
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
    /// The shortest history with this difference: a `FailureHistory`.
    history: Value,
}

/// A rule or default action of one version.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComparedRule {
    /// The policy; null if none applies.
    pub policy: Option<String>,
    /// The index of the rule from 0; null for the default action.
    pub rule_index: Option<usize>,
    /// Its matchers, action and limit in a few words.
    pub description: Option<String>,
    /// Its place: file, line and column.
    pub place: Option<String>,
}

/// A pair of rules that could not be compared.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Unknown {
    /// The rule before.
    old: ComparedRule,
    /// The rule after.
    new: ComparedRule,
    /// The reason.
    reason: &'static str,
}

/// Names, the first of many.
fn shortened(names: &[&str]) -> String {
    let listed: Vec<String> = names.iter().take(NAMES).map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(NAMES);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    listed.join(", ") + &rest
}

impl ComparisonReport {
    /// The report of these items.
    pub fn new(items: Vec<ComparedItem>) -> Self {
        let verdict = items.iter().map(ComparedItem::verdict).max().unwrap_or(Verdict::Same);
        Self { api_version: API_VERSION, kind: "ComparisonReport", verdict, items }
    }

    /// Whether it is proved that every failure is decided as before.
    pub fn is_same(&self) -> bool {
        self.verdict == Verdict::Same
    }

    /// The histories of all differences, each with the kind and the name of its item.
    pub fn histories(&self) -> impl Iterator<Item = (&str, &str, &Value)> {
        self.items.iter().flat_map(|item| {
            item.differences.iter().map(|it| (item.kind, item.name.as_str(), &it.history))
        })
    }

    /// Renders the answer, then the first differences, each under its item.
    pub fn table(&self, layout: &Layout) -> String {
        let mut lines = vec![self.answer()];
        for (status, version) in [(ItemStatus::Removed, "before"), (ItemStatus::Added, "after")] {
            let names: Vec<&str> =
                self.items.iter().filter(|it| it.status == status).map(|it| &*it.name).collect();
            if !names.is_empty() {
                lines.push(format!("Only in the version {version}: {}.", shortened(&names)));
            }
        }
        let (mut shown, mut last) = (0, None);
        for (number, item) in self.items.iter().enumerate() {
            for block in item.blocks() {
                shown += 1;
                if shown > SHOWN {
                    continue;
                }
                if last != Some(number) {
                    lines.extend([String::new(), format!("{} `{}`", item.kind, item.name)]);
                    last = Some(number);
                }
                lines.extend(block);
            }
        }
        if shown > SHOWN {
            lines.push(format!("  and {} more; `-o json` has all", shown - SHOWN));
        }
        let line = |line: &String| format!("{}\n", prose(&printable(line), layout));
        lines.iter().map(line).collect()
    }

    fn answer(&self) -> String {
        let differences: usize = self.items.iter().map(|item| item.differences.len()).sum();
        let compared = self.items.iter().filter(|item| !item.is_one_sided()).count();
        let compared = match self.items.as_slice() {
            [only] => format!("{} `{}`", only.kind, only.name),
            _ => plural(compared, "policy or queue", "policies and queues"),
        };
        match self.verdict {
            Verdict::Same => {
                format!("Same: every failure of {compared} is decided as before, proved.")
            }
            Verdict::Unknown => format!(
                "Unknown: no difference of {compared} is known, and some failures could not be compared."
            ),
            Verdict::Different if differences == 0 => {
                format!(
                    "Not the same, but no difference is known of the {compared} in both versions."
                )
            }
            Verdict::Different => {
                let differences = plural(differences, "difference", "differences");
                format!(
                    "Not the same: {differences} in {compared}, each with a history that was replayed."
                )
            }
        }
    }
}

impl ComparedItem {
    /// An item of both versions.
    pub fn compared(
        kind: &'static str,
        name: String,
        differences: Vec<Difference>,
        unknown: Vec<Unknown>,
    ) -> Self {
        let status = match (differences.is_empty(), unknown.is_empty()) {
            (false, _) => ItemStatus::Different,
            (true, false) => ItemStatus::Unknown,
            (true, true) => ItemStatus::Same,
        };
        Self { kind, name, status, differences, unknown }
    }

    /// An item of one version.
    pub fn one_sided(kind: &'static str, name: String, status: ItemStatus) -> Self {
        Self { kind, name, status, differences: Vec::new(), unknown: Vec::new() }
    }

    fn is_one_sided(&self) -> bool {
        matches!(self.status, ItemStatus::Added | ItemStatus::Removed)
    }

    fn verdict(&self) -> Verdict {
        match self.status {
            ItemStatus::Same => Verdict::Same,
            ItemStatus::Unknown => Verdict::Unknown,
            ItemStatus::Different | ItemStatus::Added | ItemStatus::Removed => Verdict::Different,
        }
    }

    /// The lines of each difference, then those of each pair that could not be compared.
    fn blocks(&self) -> impl Iterator<Item = Vec<String>> {
        let differences = self.differences.iter().map(|it| it.lines().to_vec());
        differences.chain(self.unknown.iter().map(|it| vec![it.line()]))
    }
}

impl Difference {
    /// A difference, with its rules, its history and the decisions of the replays about the last failure.
    pub fn new(
        difference: &compare::Difference,
        [old, new]: [ComparedRule; 2],
        history: Value,
        [old_decision, new_decision]: [DecisionReport; 2],
    ) -> Self {
        Self {
            kind: difference.kind.as_str(),
            old,
            new,
            failures: difference.failures.len(),
            last_failure: difference.failures.last().map(failure_text).unwrap_or_default(),
            old_decision,
            new_decision,
            history,
        }
    }

    fn lines(&self) -> [String; 3] {
        let kind = DifferenceKind::from_name(self.kind).map_or("", title);
        let number = match self.failures {
            1 => String::new(),
            number => format!(", at failure {number}"),
        };
        [
            format!("  {kind}{number}: {}", self.last_failure),
            format!("    before: {}: {}", self.old.text(), outcome(&self.old_decision)),
            format!("    after:  {}: {}", self.new.text(), outcome(&self.new_decision)),
        ]
    }
}

fn title(kind: DifferenceKind) -> &'static str {
    match kind {
        DifferenceKind::NoLongerRetried => "no longer retried",
        DifferenceKind::NowRetried => "now retried",
        DifferenceKind::FewerRetries => "ends after fewer retries",
        DifferenceKind::MoreRetries => "ends after more retries",
        DifferenceKind::Wait => "another wait",
        DifferenceKind::Nodes => "other nodes",
        DifferenceKind::Memory => "another memory",
        DifferenceKind::PodNames => "other names of pods",
    }
}

/// The consequences for the job.
fn outcome(decision: &DecisionReport) -> String {
    if decision.delay_seconds.is_none() && decision.next_pod_name.is_none() {
        return decision.reason.clone();
    }
    let mut parts = vec!["retried".to_owned()];
    if let Some(seconds) = decision.delay_seconds.filter(|seconds| *seconds > 0.0) {
        parts.push(format!("after {}", super::durations::wait(seconds)));
    }
    if !decision.avoid_nodes.is_empty() {
        parts.push(format!("not on {}", decision.avoid_nodes.join(", ")));
    }
    if let Some(bytes) = decision.memory_bytes {
        parts.push(format!("with {bytes} bytes of memory in place of 1Gi"));
    }
    if let Some(pod) = &decision.next_pod_name {
        parts.push(format!("as {pod}"));
    }
    parts.join(" ")
}

/// A failure in a few words.
fn failure_text(failure: &WitnessFailure) -> String {
    let mut parts: Vec<String> = Vec::new();
    if failure.outcome.is_bare() {
        parts.push(failure.outcome.as_str().to_owned());
    }
    parts.extend(failure.conditions.iter().map(ToString::to_string));
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

impl ComparedRule {
    fn text(&self) -> String {
        let Some(policy) = &self.policy else { return "no policy".to_owned() };
        let name = rule_label::rule(Some(policy), self.rule_index);
        let place = self.place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default();
        format!("{name}{place}")
    }
}

impl Unknown {
    /// The pair that could not be compared.
    pub fn new([old, new]: [ComparedRule; 2], reason: &'static str) -> Self {
        Self { old, new, reason }
    }

    fn line(&self) -> String {
        if self.old.policy.is_none() && self.new.policy.is_none() {
            return format!("  not known: {}", self.reason);
        }
        format!(
            "  not known: {} before and {} after: {}",
            self.old.text(),
            self.new.text(),
            self.reason
        )
    }
}
