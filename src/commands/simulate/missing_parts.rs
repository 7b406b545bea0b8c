//! The notes on rules that no failure of a history can match, since none has a part that they compare.

use super::SimulateArgs;
use super::inputs::Sources;
use super::variant_args::FIRST_VARIANT;
use document::diag::with_thousands_separators;
use replay::history::Lack;
use replay::simulate::{
    Absence, MissingPartReport, NoteKind, NoteReport, SimulationReport, SummaryReport, Without,
    merge_notes,
};
use std::collections::{BTreeMap, BTreeSet};

/// Which failures rules of several policies were compared with.
const COMPARED_WITH_SEVERAL: &str = " that was compared with them";

/// Number of rules or policies that a note names: a note is one line.
const MAX_NAMED: usize = 5;

/// The notes of all variants.
pub(super) fn notes(
    args: &SimulateArgs,
    report: &SimulationReport,
    sources: &Sources,
) -> Vec<NoteReport> {
    let of = |summary: &SummaryReport| summary_notes(args, summary, sources);
    match &report.variants {
        Some(all) => merge_notes(all.iter().map(|one| (one.name.as_str(), of(&one.summary)))),
        None => merge_notes([(FIRST_VARIANT, of(&report.summary))]),
    }
}

/// The field and values that rules lack, after the consequence.
type Key<'r> = (Without, &'static str, &'r [String]);

fn summary_notes(
    args: &SimulateArgs,
    summary: &SummaryReport,
    sources: &Sources,
) -> Vec<NoteReport> {
    let mut groups: BTreeMap<Key<'_>, Vec<&MissingPartReport>> = BTreeMap::new();
    let mut without_match = BTreeSet::new();
    for row in &summary.missing_parts {
        // The first part that a rule lacks is reason enough why it cannot match.
        let is_known = !without_match.insert((row.without, &row.policy, row.rule_index));
        if is_known && row.without == Without::NeverMatches {
            continue;
        }
        groups.entry((row.without, row.field, &row.values)).or_default().push(row);
    }
    let is_of_one_job = args.job.is_some();
    let has_executors = !args.executor_config.is_empty();
    let group = |rows| Group { summary, sources, has_executors, is_of_one_job, rows };
    groups.into_values().filter_map(|rows| group(rows).note()).collect()
}

/// The rules that lack the same.
struct Group<'r> {
    summary: &'r SummaryReport,
    sources: &'r Sources,
    has_executors: bool,
    is_of_one_job: bool,
    rows: Vec<&'r MissingPartReport>,
}

impl Group<'_> {
    /// The note; none if failures of the history have other values of the part: then the record is complete.
    fn note(&self) -> Option<NoteReport> {
        let first = self.rows.first()?;
        let part = first.part?;
        let lack = self.sources.lack(part.field, &first.values);
        let has_others = self.rows.iter().any(|row| row.has_other_values);
        let may_be_complete = lack.is_none()
            && match part.absence {
                Absence::Mistake => false,
                Absence::Named => !has_others,
                Absence::Usual => true,
            };
        if may_be_complete && (has_others || self.is_of_one_job) {
            return None;
        }
        let why = lack.map(|lack| format!(": {}", lack.why)).unwrap_or_default();
        let help = if may_be_complete { None } else { self.help(first.field, lack) };
        let help = help.map(|help| format!("; {help}")).unwrap_or_default();
        let (failures, which) = self.failures();
        let values: Vec<String> = first.values.iter().map(|value| format!("`{value}`")).collect();
        let values =
            if values.is_empty() { String::new() } else { format!(" {}", values.join(" or ")) };
        let noun = part.noun;
        let none = match failures {
            // One failure may be compared with the rules of several policies, so that their number is unknown.
            _ if which == COMPARED_WITH_SEVERAL => format!("no failure{which} has {noun}{values}"),
            1 => format!(
                "the only failure{} does not have {noun}{values}",
                which.replace("were", "was")
            ),
            _ => format!(
                "none of the {} failures{which} has {noun}{values}",
                with_thousands_separators(failures)
            ),
        };
        let message = format!("{none}, so {}{why}{help}", self.consequence());
        let kind = if may_be_complete { NoteKind::AbsentParts } else { NoteKind::MissingParts };
        Some(NoteReport::new(kind, message).count(failures))
    }

    /// The failures that the rules of one policy were compared with, at most, and which of all these are.
    fn failures(&self) -> (u64, &'static str) {
        let by_policy: BTreeMap<&str, u64> =
            self.rows.iter().map(|row| (row.policy.as_str(), row.failures)).collect();
        let failures = by_policy.values().copied().max().unwrap_or_default();
        let which = match by_policy.len() {
            _ if failures == self.summary.totals.failures => "",
            1 => " that were compared with it",
            _ => COMPARED_WITH_SEVERAL,
        };
        (failures, which)
    }

    fn consequence(&self) -> String {
        let (names, are_policies) = self.names();
        match self.rows.first().map(|row| row.without) {
            Some(Without::NoAvoidance) => format!("no retry of {names} avoids a node"),
            Some(Without::NoRetry) => format!("{names} retries nothing"),
            _ if are_policies => format!("no rule of {names} can match"),
            _ => format!("{names} cannot match"),
        }
    }

    /// The rules, and whether they are all rules of some policies, which are named then.
    fn names(&self) -> (String, bool) {
        let policies: BTreeSet<&str> = self.rows.iter().map(|row| row.policy.as_str()).collect();
        let is_all = policies.iter().all(|policy| {
            let all = self.summary.by_rule.iter().filter(|rule| rule.policy == *policy);
            let rules = all.filter(|rule| rule.rule_index.is_some()).count();
            self.rows.iter().filter(|row| row.policy == *policy).count() >= rules
        });
        let names: Vec<String> = if is_all {
            policies.into_iter().map(|policy| format!("`{policy}`")).collect()
        } else {
            self.rows.iter().map(|row| rule_name(row)).collect()
        };
        let left = names.len().saturating_sub(MAX_NAMED);
        let first = names[..names.len() - left].join(", ");
        let more = if left > 0 { format!(" and {left} more") } else { String::new() };
        (format!("{first}{more}"), is_all)
    }

    /// The way to records that have the part.
    fn help(&self, field: &'static str, lack: Option<&'static Lack>) -> Option<String> {
        const EXECUTORS: &str = "--executor-config";
        let is_category = matches!(field, "category" | "subcategory");
        // Failures that have a category keep it, without a subcategory from the configuration.
        let has_categories = field == "subcategory"
            && !self.summary.missing_parts.iter().any(|row| row.field == "category");
        if is_category && self.has_executors && !has_categories {
            return Some("the executors' configuration gave none".to_owned());
        }
        match (field, lack.map(|lack| lack.help)) {
            (_, Some("")) => None,
            (_, Some(help)) => Some(help.to_owned()),
            _ if !self.sources.has_records => {
                (is_category && !has_categories).then(|| format!("give {EXECUTORS}"))
            }
            ("containers[].name", _) => {
                Some("compare the name with those in the records".to_owned())
            }
            ("exceptions", _) => {
                Some("list the classes of `__mro__`, or set `workerDied`".to_owned())
            }
            _ if is_category && !has_categories => {
                Some(format!("give {EXECUTORS}, or records with `{field}`"))
            }
            _ => Some(format!("give records with `{field}`")),
        }
    }
}

fn rule_name(row: &MissingPartReport) -> String {
    match row.rule_index {
        Some(index) => format!("`{}[{index}]`", row.policy),
        None => format!("`{}`", row.policy),
    }
}
