//! The notes on categories that rules list and that no run of a history has, although runs have others.

use super::variant_args::FIRST_VARIANT;
use armada_retry::engine::OF_EXPIRED_LEASES;
use document::diag::typo_of;
use replay::simulate::{
    ListedNamesReport, NoteKind, NoteReport, SimulationReport, SummaryReport, merge_notes,
};
use std::collections::{BTreeMap, BTreeSet};

/// Number of names that a note lists: a note is one line.
const MAX_LISTED: usize = 5;

/// The notes of all variants. `known` are the categories and subcategories that the executors' configuration may give: a
/// history need not have all of them.
pub(super) fn notes(report: &SimulationReport, known: &[(&str, &str)]) -> Vec<NoteReport> {
    let of = |summary: &SummaryReport| summary_notes(summary, known);
    match &report.variants {
        Some(all) => merge_notes(all.iter().map(|one| (one.name.as_str(), of(&one.summary)))),
        None => merge_notes([(FIRST_VARIANT, of(&report.summary))]),
    }
}

fn summary_notes(summary: &SummaryReport, known: &[(&str, &str)]) -> Vec<NoteReport> {
    let fields = ["category", "subcategory"].into_iter().zip([0, 1]);
    let of_field = |(field, number): (&'static str, usize)| {
        let recorded = summary.recorded_names.get(field).into_iter().flatten();
        let recorded: BTreeSet<&str> =
            recorded.map(String::as_str).filter(|name| !name.is_empty()).collect();
        let known = known.iter().chain([&OF_EXPIRED_LEASES]);
        let known = known.map(|(category, sub)| [*category, *sub][number]).collect();
        let rows = summary.listed_names.iter().filter(|row| row.field == field).collect();
        Listed { summary, field, recorded, known, rows }.notes()
    };
    fields.flat_map(of_field).collect()
}

/// The names of a field that rules list, and those that runs have.
struct Listed<'r> {
    summary: &'r SummaryReport,
    field: &'static str,
    recorded: BTreeSet<&'r str>,
    /// The names that the executors may give.
    known: BTreeSet<&'r str>,
    rows: Vec<&'r ListedNamesReport>,
}

impl Listed<'_> {
    fn notes(&self) -> Vec<NoteReport> {
        // A name that is near to another one which rules list too is a name of its own: `gpu` and `cpu`.
        let listed: BTreeSet<&str> =
            self.rows.iter().flat_map(|row| &row.names).map(String::as_str).collect();
        let near = |name: &str| {
            let others = self.recorded.iter().copied();
            typo_of(name, others.filter(|other| !listed.contains(other)))
        };
        let mut typos: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
        let mut policies: BTreeMap<&str, Vec<&ListedNamesReport>> = BTreeMap::new();
        for row in &self.rows {
            policies.entry(&row.policy).or_default().push(row);
            for name in row.names.iter().filter(|name| self.is_absent(name)) {
                if let Some(near) = near(name) {
                    typos.entry((name, near)).or_default().push(rule_name(row));
                }
            }
        }
        let of_typos = typos.iter().map(|((name, near), rules)| {
            let (field, rules) = (self.field, list(rules.iter().map(String::as_str)));
            let message =
                format!("no run has the {field} `{name}` of {rules}; did you mean `{near}`?");
            NoteReport::new(NoteKind::MissingParts, message)
        });
        let has_typo = |name: &str| typos.keys().any(|(typo, _)| *typo == name);
        let others = policies.iter().filter_map(|(policy, rows)| {
            let names: BTreeSet<&str> =
                rows.iter().flat_map(|row| &row.names).map(String::as_str).collect();
            let is_without = names.iter().all(|name| self.is_absent(name) && !has_typo(name));
            is_without.then(|| self.policy_note(policy, &names, rows.len())).flatten()
        });
        of_typos.chain(others).collect()
    }

    /// The note on a policy of which no run has any listed category. One category of a policy that compares other parts
    /// too may just not have occurred.
    fn policy_note(
        &self,
        policy: &str,
        names: &BTreeSet<&str>,
        rules: usize,
    ) -> Option<NoteReport> {
        let all = self.summary.by_rule.iter().filter(|rule| rule.policy == policy);
        let is_all = all.filter(|rule| rule.rule_index.is_some()).count() == rules;
        if self.field != "category" || !(is_all || names.len() > 1) {
            return None;
        }
        let quoted = |names: &BTreeSet<&str>| {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            list(names.iter().map(String::as_str))
        };
        let (listed, recorded) = (quoted(names), quoted(&self.recorded));
        let consequence =
            if is_all { format!(", so no rule of `{policy}` can match") } else { String::new() };
        let message = format!(
            "no run has one of the categories that `{policy}` lists ({listed}){consequence}; the history has {recorded}"
        );
        Some(NoteReport::new(NoteKind::MissingParts, message))
    }

    /// Whether no run has the name, which neither the executors nor Armada itself give.
    fn is_absent(&self, name: &str) -> bool {
        !self.recorded.contains(name) && !self.known.contains(name)
    }
}

fn rule_name(row: &ListedNamesReport) -> String {
    let index = row.rule_index.map(|index| format!("[{index}]")).unwrap_or_default();
    format!("`{}{index}`", row.policy)
}

fn list<'n>(names: impl Iterator<Item = &'n str> + Clone) -> String {
    let left = names.clone().skip(MAX_LISTED).count();
    let first: Vec<&str> = names.take(MAX_LISTED).collect();
    let more = if left > 0 { format!(" and {left} more") } else { String::new() };
    format!("{}{more}", first.join(", "))
}
