//! Two versions of policies, as `compare` prints them: whether they are the same, then each group of differences.

mod group;
mod recorded;
mod rule;
mod title;

pub use group::{DifferenceGroup, Witness};
pub use recorded::{RecordedCounts, RecordedTotals};
pub use rule::{ComparedRule, RulePair};

use super::documents::API_VERSION;
use super::layout::{Layout, wrap};
use document::diag::{plural, printable};
use replay::simulate::NoteReport;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The lines of the table at most, which then fits into a terminal with its prompt; `-o json` has all.
const LINES: usize = 20;
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
    /// The policies, then the lists of queues, then the manifests of other systems.
    items: Vec<ComparedItem>,
    /// With `--history`, the recorded failures.
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded: Option<RecordedTotals>,
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

/// A policy, queue or manifest in both versions.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComparedItem {
    /// `policy`, `queue`, or a kind of manifest such as `JobSet`.
    kind: &'static str,
    /// Its name.
    name: String,
    /// The result.
    status: ItemStatus,
    /// The differences in groups, the most serious first.
    groups: Vec<DifferenceGroup>,
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

/// A pair of rules that could not be compared.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Unknown {
    /// The rule before.
    old: ComparedRule,
    /// The rule after.
    new: ComparedRule,
    /// The reason.
    reason: String,
}

/// Names, the first of many.
fn shortened(names: &[&str]) -> String {
    let listed: Vec<String> = names.iter().take(NAMES).map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(NAMES);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    listed.join(", ") + &rest
}

impl ComparisonReport {
    /// The report of these items, with the counts of recorded failures if there are some.
    pub fn new(items: Vec<ComparedItem>, recorded: Option<RecordedTotals>) -> Self {
        let verdict = items.iter().map(ComparedItem::verdict).max().unwrap_or(Verdict::Same);
        Self { api_version: API_VERSION, kind: "ComparisonReport", verdict, items, recorded }
    }

    /// Whether it is proved that every failure is decided as before.
    pub fn is_same(&self) -> bool {
        self.verdict == Verdict::Same
    }

    /// The histories of all groups, each with the kind and the name of its item.
    pub fn histories(&self) -> impl Iterator<Item = (&str, &str, &Value)> {
        self.items.iter().flat_map(|item| {
            item.groups.iter().map(|it| (item.kind, item.name.as_str(), it.history()))
        })
    }

    /// Renders the answer, then the first groups of differences, each under its item.
    pub fn table(&self, layout: &Layout) -> String {
        let mut lines: Vec<String> = self.recorded.iter().flat_map(|it| it.notes(layout)).collect();
        lines.extend(self.sentences().iter().flat_map(|text| rendered(text, layout)));
        let has_recorded = self.has_recorded();
        let blocks: Vec<Vec<String>> =
            self.items.iter().flat_map(|item| item.blocks(has_recorded, layout)).collect();
        for (number, block) in blocks.iter().enumerate() {
            let rest = blocks.len() - number;
            // The line on the others needs room, unless there are none.
            let most = if rest == 1 { LINES } else { LINES - 1 };
            if number > 0 && lines.len() + block.len() > most {
                lines.push(format!("  and {rest} more; `-o json` has all"));
                break;
            }
            lines.extend(block.iter().cloned());
        }
        lines.join("\n") + "\n"
    }

    /// The answer; the answer for the histories; the names that only one version has.
    pub(in crate::report) fn sentences(&self) -> Vec<String> {
        let mut sentences = vec![self.answer()];
        let is_armadas = self.items.iter().any(ComparedItem::is_armadas);
        sentences.extend(self.recorded.as_ref().map(|it| it.text(is_armadas)));
        for (status, version) in [(ItemStatus::Removed, "before"), (ItemStatus::Added, "after")] {
            let names: Vec<&str> =
                self.items.iter().filter(|it| it.status == status).map(|it| &*it.name).collect();
            if !names.is_empty() {
                sentences.push(format!("Only in the version {version}: {}.", shortened(&names)));
            }
        }
        sentences
    }

    /// Whether a recorded failure is in a difference.
    pub(in crate::report) fn has_recorded(&self) -> bool {
        self.recorded.as_ref().is_some_and(|it| it.in_differences > 0)
    }

    /// The notes on the histories.
    pub(in crate::report) fn notes(&self) -> impl Iterator<Item = &NoteReport> {
        self.recorded.iter().flat_map(|it| &it.notes)
    }

    /// The items.
    pub fn items(&self) -> &[ComparedItem] {
        &self.items
    }

    /// The names of the files of all rules.
    pub(in crate::report) fn files(&self) -> impl Iterator<Item = &str> {
        let groups = self.items.iter().flat_map(|item| &item.groups);
        let of_groups = groups.flat_map(DifferenceGroup::rules);
        let unknown = self.items.iter().flat_map(|item| &item.unknown);
        let all = of_groups.chain(unknown.flat_map(|it| [&it.old, &it.new]));
        all.filter_map(ComparedRule::file)
    }

    fn answer(&self) -> String {
        let groups: usize = self.items.iter().map(|item| item.groups.len()).sum();
        let both: Vec<&ComparedItem> =
            self.items.iter().filter(|item| !item.is_one_sided()).collect();
        let is_armadas = self.items.iter().all(ComparedItem::is_armadas);
        let compared = match both.as_slice() {
            [] => return "Not the same: no name is in both versions.".to_owned(),
            [only] => format!("{} `{}`", only.kind, only.name),
            _ if is_armadas => plural(both.len(), "policy or queue", "policies and queues"),
            _ => plural(both.len(), "document", "policies, queues and manifests"),
        };
        match self.verdict {
            Verdict::Same => {
                format!("Same: every failure of {compared} is decided as before, proved.")
            }
            Verdict::Unknown => format!(
                "Unknown: no difference of {compared} is known, and some failures could not be compared."
            ),
            Verdict::Different if groups == 0 => {
                format!("Not the same, but no difference is known of {compared} in both versions.")
            }
            Verdict::Different => {
                let groups = plural(groups, "difference", "differences");
                format!("Not the same: {groups} in {compared}, each with a replayed history.")
            }
        }
    }
}

impl ComparedItem {
    /// An item of both versions.
    pub fn compared(
        kind: &'static str,
        name: String,
        groups: Vec<DifferenceGroup>,
        unknown: Vec<Unknown>,
    ) -> Self {
        let status = match (groups.is_empty(), unknown.is_empty()) {
            (false, _) => ItemStatus::Different,
            (true, false) => ItemStatus::Unknown,
            (true, true) => ItemStatus::Same,
        };
        Self { kind, name, status, groups, unknown }
    }

    /// An item of one version.
    pub fn one_sided(kind: &'static str, name: String, status: ItemStatus) -> Self {
        Self { kind, name, status, groups: Vec::new(), unknown: Vec::new() }
    }

    /// Whether it is proved that every failure is decided as before.
    pub fn is_same(&self) -> bool {
        self.status == ItemStatus::Same
    }

    /// The reason why it is not known whether a failure is decided otherwise.
    pub fn reason_if_unknown(&self) -> Option<&str> {
        self.unknown.first().map(|unknown| unknown.reason.as_str())
    }

    /// Each group of differences in a line.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        let text = |lines: Vec<String>| {
            let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
            lines.join("; ")
        };
        self.groups.iter().map(|group| group.lines(false)).map(text)
    }

    /// The differences in groups, the most serious first.
    pub fn groups(&self) -> &[DifferenceGroup] {
        &self.groups
    }

    /// The same, to add counts of recorded failures.
    pub fn groups_mut(&mut self) -> impl Iterator<Item = &mut DifferenceGroup> {
        self.groups.iter_mut()
    }

    /// The pairs of rules that could not be compared.
    pub fn unknown(&self) -> &[Unknown] {
        &self.unknown
    }

    /// `policy`, `queue`, or a kind of manifest.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The result.
    pub fn status(&self) -> ItemStatus {
        self.status
    }

    /// The name of the queue, if it is the list of one.
    pub fn queue(&self) -> Option<&str> {
        Some(self.name.as_str()).filter(|_| self.kind == "queue")
    }

    /// Its kind and its name.
    pub fn label(&self) -> String {
        format!("{} `{}`", self.kind, self.name)
    }

    /// Whether it is a policy or queue of Armada.
    pub fn is_armadas(&self) -> bool {
        ["policy", "queue"].contains(&self.kind)
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

    /// The lines of each group, then those of each pair that could not be compared; the name of the item is before the first.
    fn blocks(&self, has_recorded: bool, layout: &Layout) -> Vec<Vec<String>> {
        let groups = self.groups.iter().map(|group| group.lines(has_recorded));
        let texts = groups.chain(self.unknown.iter().map(|it| vec![it.line()]));
        let blocks = texts.map(|texts| texts.iter().flat_map(|it| rendered(it, layout)).collect());
        let mut blocks: Vec<Vec<String>> = blocks.collect();
        if let Some(first) = blocks.first_mut() {
            let name = rendered(&format!("{} `{}`", self.kind, self.name), layout);
            first.splice(0..0, std::iter::once(String::new()).chain(name));
        }
        blocks
    }
}

/// The lines of a text, wrapped to the width of the terminal: further lines are indented more than the first one.
fn rendered(text: &str, layout: &Layout) -> Vec<String> {
    let text = printable(text);
    let indent = text.len() - text.trim_start().len() + 2;
    let wrapped = layout.width.map(|width| wrap(&text, width, indent));
    wrapped.as_deref().unwrap_or(&text).lines().map(str::to_owned).collect()
}

impl Unknown {
    /// The pair that could not be compared.
    pub fn new(RulePair { old, new }: RulePair, reason: impl Into<String>) -> Self {
        Self { old, new, reason: reason.into() }
    }

    /// The rules.
    pub fn pair(&self) -> RulePair {
        RulePair { old: self.old.clone(), new: self.new.clone() }
    }

    /// Whether it is about failures of all rules.
    pub fn is_of_all(&self) -> bool {
        self.old.policy.is_none() && self.new.policy.is_none()
    }

    fn line(&self) -> String {
        format!("  {}", self.text())
    }

    /// The rules and the reason.
    pub fn text(&self) -> String {
        if self.is_of_all() {
            return format!("not known: {}", self.reason);
        }
        format!(
            "not known: {} before and {} after: {}",
            self.old.text(),
            self.new.text(),
            self.reason
        )
    }
}
