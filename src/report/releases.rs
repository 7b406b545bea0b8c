//! The differences between releases, as `explain releases` prints them.

use super::documents::API_VERSION;
use super::layout::Layout;
use super::wrap::prose;
use document::Document;
use document::diag::{plural, printable};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use systems::release::{Difference, Model, Program, ReachedDifference};
use systems::{Description, profile};

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
    /// Why the engines do not have it, if they do not.
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
            not_modelled: match row.model {
                Model::Engine(_) => None,
                Model::NotModelled(reason) => Some(reason),
            },
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

    /// Adds the rows that change a decision under a policy.
    pub fn add(
        &mut self,
        file: &str,
        description: &Description,
        document: &Document,
        assumed: Vec<String>,
        reached: &[ReachedDifference],
    ) {
        let name = format!("{} {}", description.name, profile::name(document));
        let differences = reached.len();
        let policy =
            ComparedPolicy { file: file.to_owned(), name: name.clone(), differences, assumed };
        if policy.assumed.is_empty() {
            return;
        }
        self.policies.get_or_insert_default().push(policy);
        self.items.extend(reached.iter().map(|one| {
            let example = FailureItem {
                file: file.to_owned(),
                policy: name.clone(),
                older: one.older.to_string(),
                newer: one.newer.to_string(),
                failure: one.failure.clone(),
                before: one.before.clone(),
                since: one.since.clone(),
            };
            DifferenceItem::new(one.row, Some(example))
        }));
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
            let texts = policies.iter().map(|policy| policy_text(report, policy, layout));
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

/// Renders what a policy does otherwise, the answer first.
fn policy_text(report: &ReleaseReport, policy: &ComparedPolicy, layout: &Layout) -> String {
    let mut out = String::new();
    let assumed = policy.assumed.join(", ");
    let own = report.items.iter().filter(|item| {
        item.example
            .as_ref()
            .is_some_and(|example| (&example.file, &example.policy) == (&policy.file, &policy.name))
    });
    let answer = match policy.differences {
        0 => "none of the differences that are replayed decides a failure otherwise".to_owned(),
        1 => "1 difference between releases changes what it does".to_owned(),
        number => format!("{number} differences between releases change what it does"),
    };
    let head = format!("{} ({}): {answer}", policy.name, policy.file);
    let _ = writeln!(out, "{}", prose(&printable(&head), layout));
    let mut last = "";
    for item in own {
        let Some(example) = &item.example else { continue };
        // A row that ends again has two failures.
        if std::mem::replace(&mut last, item.id) != item.id {
            let _ = writeln!(out, "\n  {} ({})", item.versions(), item.id);
            let _ = writeln!(out, "{}", indented(item.sentence, layout));
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
        if layout.wide {
            let _ = writeln!(out, "{}", indented(&format!("Source: {}", item.source), layout));
        }
    }
    let rows = plural(report.rows, "row", "rows");
    let foot = format!(
        "Other commands read it as {assumed}. The table has {rows}: armadactl explain releases"
    );
    let _ = writeln!(out, "\n{}", prose(&foot, layout));
    out
}
