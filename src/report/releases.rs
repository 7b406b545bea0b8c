//! The differences between releases, as `explain releases` prints them.

use super::documents::API_VERSION;
use super::layout::{Layout, prose};
use document::diag::{plural, printable};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write;
use systems::release::{Difference, Program, ReachedDifference};

/// The differences between releases, of all policies or of some.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseReport {
    /// `armadaproject.io/v1`.
    api_version: &'static str,
    /// `ReleaseReport`.
    kind: &'static str,
    /// The policies that were compared; absent for the whole table.
    #[serde(skip_serializing_if = "Option::is_none")]
    policies: Option<Vec<ComparedPolicy>>,
    /// The rows: all, or those that change a decision about a failure under some policy.
    items: Vec<DifferenceItem>,
    /// The number of rows of the table.
    rows: usize,
}

/// A policy that was compared.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ComparedPolicy {
    /// The file.
    file: String,
    /// The kind and the name.
    name: String,
    /// The rows that change a decision.
    differences: usize,
    /// The releases that commands assume.
    assumed: Vec<String>,
    /// The rows that concern a field of it and that no engine has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    not_replayed: Vec<DifferenceItem>,
}

/// A policy, as the report names it.
pub struct NamedPolicy {
    file: String,
    name: String,
}

impl NamedPolicy {
    /// Returns the name of a policy of a kind in a file.
    pub fn new(kind: &str, file: &str, name: &str) -> Self {
        Self { file: file.to_owned(), name: format!("{kind} {name}") }
    }
}

/// A row of the table.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DifferenceItem {
    /// The name of the row.
    id: &'static str,
    /// The program.
    program: &'static str,
    /// The first version that has it.
    from: String,
    /// The first version that does not have it any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    /// The kind of change: `decision`, `validation` or `note`.
    effect: &'static str,
    /// The difference in words.
    sentence: &'static str,
    /// Where it was read.
    source: &'static str,
    /// Why a replay of a history does not have it, if it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_modelled: Option<&'static str>,
    /// A failure that two neighbouring releases decide otherwise; absent without policies.
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<FailureItem>,
}

/// A failure that two neighbouring releases decide otherwise.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FailureItem {
    /// The file of the policy.
    file: String,
    /// The kind and the name of the policy.
    policy: String,
    /// The older release.
    older: String,
    /// The newer release.
    newer: String,
    /// The failure, as fields of its record; empty if a release refuses the policy.
    failure: String,
    /// The decision of the older release.
    before: String,
    /// The decision of the newer release.
    since: String,
}

impl DifferenceItem {
    fn new(row: &'static Difference, example: Option<FailureItem>) -> Self {
        Self {
            id: row.id,
            program: row.program.as_str(),
            from: row.from.to_string(),
            until: row.until.map(|until| until.to_string()),
            effect: row.kind.as_str(),
            sentence: row.sentence,
            source: row.source,
            not_modelled: row.reason_without_replay(),
            example,
        }
    }

    /// Returns the versions that have it: `Kubernetes 1.31`, `Airflow 3.0 to before 3.0.6`.
    fn versions(&self) -> String {
        let title = Program::from_name(self.program).map_or(self.program, Program::title);
        match &self.until {
            Some(until) => format!("{title} {} until {until}", self.from),
            None => format!("{title} {}", self.from),
        }
    }
}

impl ReleaseReport {
    /// Returns the rows of the table.
    pub fn table(rows: impl Iterator<Item = &'static Difference>) -> Self {
        let items: Vec<DifferenceItem> = rows.map(|row| DifferenceItem::new(row, None)).collect();
        let rows = items.len();
        Self { api_version: API_VERSION, kind: "ReleaseReport", policies: None, items, rows }
    }

    /// Returns a report without policies.
    pub fn without_policies() -> Self {
        let rows = systems::release::differences().count();
        Self {
            policies: Some(Vec::new()),
            items: Vec::new(),
            rows,
            ..Self::table(std::iter::empty())
        }
    }

    /// Adds the rows that change a decision under a policy, and those that concern it but that no engine has; nothing for
    /// a policy that depends on no release.
    pub fn add(
        &mut self,
        NamedPolicy { file, name }: NamedPolicy,
        assumed: Vec<String>,
        reached: &[ReachedDifference],
        without_model: &[&'static Difference],
    ) {
        if assumed.is_empty() {
            return;
        }
        self.items.extend(reached.iter().map(|one| {
            let example = FailureItem {
                file: file.clone(),
                policy: name.clone(),
                older: one.older.title(),
                newer: one.newer.title(),
                failure: one.failure.clone(),
                before: one.before.clone(),
                since: one.since.clone(),
            };
            DifferenceItem::new(one.row, Some(example))
        }));
        let not_replayed = without_model.iter().map(|row| DifferenceItem::new(row, None));
        self.policies.get_or_insert_default().push(ComparedPolicy {
            file,
            name,
            differences: reached.len(),
            assumed,
            not_replayed: not_replayed.collect(),
        });
    }

    /// Returns whether no policy was added.
    pub fn has_no_policies(&self) -> bool {
        self.policies.as_ref().is_none_or(Vec::is_empty)
    }
}

/// Renders the report: the rows of the table, or for each policy what it does otherwise.
pub fn table(report: &ReleaseReport, layout: &Layout) -> String {
    match &report.policies {
        None => rows(report, layout),
        Some(policies) => {
            let mut explained = BTreeSet::new();
            let texts =
                policies.iter().map(|policy| policy_text(report, policy, &mut explained, layout));
            texts.collect::<Vec<_>>().join("\n")
        }
    }
}

/// Renders all rows; the wide table has their sources.
fn rows(report: &ReleaseReport, layout: &Layout) -> String {
    let mut out = String::new();
    let mut head = "";
    for item in &report.items {
        if head != item.program {
            head = item.program;
            let title = Program::from_name(head).map_or(head, Program::title);
            let _ = writeln!(out, "{}{title}", if out.is_empty() { "" } else { "\n" });
        }
        let until = item.until.as_ref().map(|until| format!(" until {until}")).unwrap_or_default();
        let _ = writeln!(out, "\n  {}{until}  {} ({})", item.from, item.id, item.effect);
        let _ = writeln!(out, "{}", indented(item.sentence, layout));
        if layout.wide {
            let _ = writeln!(out, "{}", indented(&format!("Source: {}", item.source), layout));
            if let Some(reason) = item.not_modelled {
                let _ = writeln!(out, "{}", indented(&format!("Not replayed: {reason}."), layout));
            }
        }
    }
    out
}

fn indented(text: &str, layout: &Layout) -> String {
    let width = layout.width.map(|width| width.saturating_sub(4).max(20));
    let wrapped = prose(text, &Layout { width, ..*layout });
    let lines = wrapped.lines().map(|line| format!("    {}", line.trim_start()));
    lines.collect::<Vec<_>>().join("\n")
}

/// Renders what a policy does otherwise, the answer first. `explained` are the rows of policies before it that no engine has.
fn policy_text(
    report: &ReleaseReport,
    policy: &ComparedPolicy,
    explained: &mut BTreeSet<&'static str>,
    layout: &Layout,
) -> String {
    let mut out = String::new();
    let head = format!("{} ({}): {}", policy.name, policy.file, policy.answer());
    let _ = writeln!(out, "{}", prose(&printable(&head), layout));
    let own = report.items.iter().filter(|item| {
        item.example
            .as_ref()
            .is_some_and(|example| (&example.file, &example.policy) == (&policy.file, &policy.name))
    });
    let mut last = "";
    for item in own {
        // A row that ends again has two failures.
        let is_first = std::mem::replace(&mut last, item.id) != item.id;
        item.write_example(&mut out, is_first, layout);
    }
    policy.write_not_replayed(&mut out, explained, layout);
    let assumed = policy.assumed.join(", ");
    let rows = plural(report.rows, "row", "rows");
    let foot = format!(
        "Other commands read it as {assumed}. The table has {rows}: armadactl explain releases"
    );
    let _ = writeln!(out, "\n{}", prose(&foot, layout));
    out
}

impl DifferenceItem {
    fn write_title(&self, out: &mut String, layout: &Layout) {
        let _ = writeln!(out, "\n  {} ({})", self.versions(), self.id);
        let _ = writeln!(out, "{}", indented(self.sentence, layout));
    }

    fn write_source(&self, out: &mut String, layout: &Layout) {
        if layout.wide {
            let _ = writeln!(out, "{}", indented(&format!("Source: {}", self.source), layout));
        }
    }

    /// Writes the failure and the two decisions about it, after the row itself if it is the first.
    fn write_example(&self, out: &mut String, is_first: bool, layout: &Layout) {
        let Some(example) = &self.example else { return };
        if is_first {
            self.write_title(out, layout);
        }
        let failure = if example.failure.is_empty() { "any" } else { &example.failure };
        let lines = [
            ("failure", failure),
            (example.older.as_str(), example.before.as_str()),
            (example.newer.as_str(), example.since.as_str()),
        ];
        let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
        for (name, text) in lines {
            let line = format!("{name:width$}  {}", printable(text));
            let _ = writeln!(out, "{}", indented(&line, layout));
        }
        self.write_source(out, layout);
    }
}

impl ComparedPolicy {
    /// Returns the answer of the report about it, in a sentence without a full stop.
    fn answer(&self) -> String {
        let decided = match self.differences {
            0 => "no difference that is replayed changes what it does".to_owned(),
            1 => "1 difference between releases changes what it does".to_owned(),
            number => format!("{number} differences between releases change what it does"),
        };
        match self.not_replayed.len() {
            0 => decided,
            1 => format!("{decided}; 1 other concerns its fields, and is not replayed"),
            more => format!("{decided}; {more} others concern its fields, and are not replayed"),
        }
    }

    /// Writes the rows that no engine has, under their reasons; those of policies before it by name.
    fn write_not_replayed(
        &self,
        out: &mut String,
        explained: &mut BTreeSet<&'static str>,
        layout: &Layout,
    ) {
        let (new, known): (Vec<_>, Vec<_>) =
            self.not_replayed.iter().partition(|item| !explained.contains(item.id));
        let mut last = None;
        for item in new {
            explained.insert(item.id);
            if item.not_modelled != last {
                let reason = item.not_modelled.unwrap_or_default();
                let text = format!("Not replayed, as {reason}:");
                let _ = writeln!(out, "\n{}", prose(&text, layout));
                last = item.not_modelled;
            }
            item.write_title(out, layout);
            item.write_source(out, layout);
        }
        if !known.is_empty() {
            let names: Vec<&str> = known.iter().map(|item| item.id).collect();
            let text = format!("Not replayed, as above: {}", names.join(", "));
            let _ = writeln!(out, "\n{}", prose(&text, layout));
        }
    }
}
