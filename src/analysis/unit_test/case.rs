//! The cases of a test document, and what is expected of each.

use super::fields::{comparison_of_decision, comparison_of_job};
use document::diag::{Code, Diagnostic, Findings, Place};
use document::units::{GoDuration, Quantity};
use document::{Document, Entry, Node, json_of_any};
use serde_json::{Value, json};
use std::collections::HashMap;
use systems::Comparison;

/// A test, or a case of a table: runs, and what is expected of the decisions about them.
#[derive(Debug)]
pub struct Case<'d> {
    /// The name of the test; of a case of a table that of its test and its number, from 1: `name[2]`.
    pub name: String,
    /// Its place.
    pub place: Place,
    /// The node of its test.
    pub test: &'d Node,
    /// The failures.
    pub runs: CaseRuns<'d>,
    /// Expected decisions about attempts.
    pub expectations: Vec<Expectation>,
    /// Expected end of the job.
    pub job: Option<JobExpectation>,
}

/// The runs of a case.
#[derive(Debug)]
pub enum CaseRuns<'d> {
    /// Failures that the document holds.
    Failures(Vec<&'d Node>),
    /// A recorded history.
    History {
        /// The name of its file.
        file: &'d Node,
        /// The id of the job, if the document names one.
        job: Option<&'d Node>,
    },
}

/// An expected decision about an attempt.
#[derive(Debug)]
pub struct Expectation {
    /// The attempt, from 1; none for the last one.
    pub attempt: Option<usize>,
    /// Which decision about the attempt is meant; none for the last one.
    pub level: Option<String>,
    /// Its place.
    pub place: Place,
    /// The place of the number of the attempt.
    pub attempt_place: Place,
    /// The expected fields.
    pub fields: Vec<ExpectedField>,
}

/// An expected end of a job.
#[derive(Debug)]
pub struct JobExpectation {
    /// The job, with its place; none for the only one.
    pub job: Option<(String, Place)>,
    /// Its place.
    pub place: Place,
    /// The expected fields.
    pub fields: Vec<ExpectedField>,
}

/// A field and its expected value.
#[derive(Debug)]
pub struct ExpectedField {
    /// The name.
    pub name: String,
    /// The value, in the form of the report.
    pub value: Value,
    /// The value as it is written.
    pub text: String,
    /// The place of the value.
    pub place: Place,
    pub(super) comparison: Comparison,
}

/// Reads the cases of a document without findings of its shape.
pub fn read_cases<'d>(document: &'d Document, findings: &mut Findings) -> Vec<Case<'d>> {
    let tests = document.root.at(&["spec", "tests"]).map(Node::items).unwrap_or_default();
    let mut names: HashMap<&str, Place> = HashMap::new();
    let mut cases = Vec::new();
    for test in tests {
        let Some(name) = test.get("name") else { continue };
        let (text, place) = (name.text().unwrap_or_default(), document.place(name.span));
        if let Some(first) = names.get(text) {
            let message = format!("two tests are named `{text}`");
            findings.push(
                Diagnostic::error(Code::InvalidTest, place, message)
                    .labelled("again")
                    .also(first.clone(), "first")
                    .help("give each test a name of its own"),
            );
            continue;
        }
        names.insert(text, place);
        cases.extend(cases_of(document, test, text, findings));
    }
    cases
}

fn cases_of<'d>(
    document: &'d Document,
    test: &'d Node,
    name: &str,
    findings: &mut Findings,
) -> Vec<Case<'d>> {
    if let Some(table) = test.get("table") {
        return table_cases(document, test, (name, table), findings);
    }
    let runs = match (test.get("failures"), test.get("history")) {
        (Some(failures), _) => CaseRuns::Failures(failures.items().iter().collect()),
        (None, Some(file)) => CaseRuns::History { file, job: test.get("job") },
        (None, None) => return Vec::new(),
    };
    let expectations = test.get("expect").map(Node::items).unwrap_or_default();
    let expectations: Vec<Expectation> =
        expectations.iter().map(|node| expectation(document, node, findings)).collect();
    let job = test.get("expectJob").map(|node| job_expectation(document, node, findings));
    let place = document.place(test.span);
    if expectations.is_empty() && job.is_none() {
        let message = format!("test `{name}` expects nothing");
        findings.push(
            Diagnostic::error(Code::InvalidTest, place.clone(), message)
                .help("write what is expected of an attempt under `expect`, or of the job's end under `expectJob`"),
        );
    }
    vec![Case { name: name.to_owned(), place, test, runs, expectations, job }]
}

fn table_cases<'d>(
    document: &'d Document,
    test: &'d Node,
    (name, table): (&str, &'d Node),
    findings: &mut Findings,
) -> Vec<Case<'d>> {
    for key in ["expect", "expectJob"] {
        if let Some(entry) = test.entry(key).filter(|entry| !entry.value.is_null()) {
            let message = format!("`{key}` has no effect: the test has a table");
            findings.push(
                Diagnostic::error(Code::InvalidTest, document.place(entry.key_span), message)
                    .help("write `expect` in each case of the table"),
            );
        }
    }
    let rows = table.items().iter().enumerate();
    let case = |(number, row): (usize, &'d Node)| {
        let (failure, expect) = (row.get("failure")?, row.get("expect")?);
        Some(Case {
            name: format!("{name}[{}]", number + 1),
            place: document.place(row.span),
            test,
            runs: CaseRuns::Failures(vec![failure]),
            expectations: vec![expectation(document, expect, findings)],
            job: None,
        })
    };
    rows.filter_map(case).collect()
}

fn expectation(document: &Document, node: &Node, findings: &mut Findings) -> Expectation {
    let attempt = node.get("attempt");
    let number = attempt.and_then(Node::integer).and_then(|it| usize::try_from(it).ok());
    let fields = fields(document, node, "attempt", comparison_of_decision, findings);
    if fields.iter().all(|field| field.name == "level") {
        let message = "the expectation has no field of a decision, so it would hold for any";
        findings.push(
            Diagnostic::error(Code::InvalidTest, document.place(node.span), message)
                .help("add `action`, `decision`, `ruleIndex` or another field"),
        );
    }
    Expectation {
        attempt: number,
        level: node.get("level").and_then(Node::text).map(str::to_owned),
        place: document.place(node.span),
        attempt_place: document.place(attempt.map_or(node.span, |node| node.span)),
        fields,
    }
}

fn job_expectation(document: &Document, node: &Node, findings: &mut Findings) -> JobExpectation {
    let job = node.get("jobId").and_then(|id| {
        let place = document.place(id.span);
        Some((id.text()?.to_owned(), place))
    });
    let fields = fields(document, node, "jobId", comparison_of_job, findings);
    if fields.is_empty() {
        let message = "`expectJob` has no field, so it would hold for any end";
        findings.push(
            Diagnostic::error(Code::InvalidTest, document.place(node.span), message)
                .help("add `outcome` or `retries`"),
        );
    }
    JobExpectation { job, place: document.place(node.span), fields }
}

/// The fields of an expectation but the one that chooses what is meant.
fn fields(
    document: &Document,
    node: &Node,
    selector: &str,
    comparison: fn(&str) -> Option<Comparison>,
    findings: &mut Findings,
) -> Vec<ExpectedField> {
    let entries = node.entries().iter().filter(|entry| entry.key != selector);
    let entries: Vec<&Entry> = entries.collect();
    for entry in &entries {
        findings.extend(comparison(&entry.key).and_then(|it| always_holds(document, entry, it)));
    }
    let entries = entries.into_iter();
    let fields = entries.filter_map(|entry| {
        let comparison = comparison(&entry.key)?;
        Some(ExpectedField {
            name: entry.key.clone(),
            value: expected_value(&entry.value, comparison),
            text: written(&entry.value),
            place: document.place(if entry.value.is_null() {
                entry.key_span
            } else {
                entry.value.span
            }),
            comparison,
        })
    });
    fields.collect()
}

/// Reports a value that every decision satisfies: a part of a sentence without a letter or digit, a mapping without
/// entries.
fn always_holds(document: &Document, entry: &Entry, comparison: Comparison) -> Option<Diagnostic> {
    let value = &entry.value;
    let holds = match comparison {
        Comparison::Contains => {
            let text = value.text().filter(|_| !value.is_null());
            text.is_some_and(|text| !text.chars().any(char::is_alphanumeric))
        }
        Comparison::Entries => has_empty_mapping(value),
        _ => false,
    };
    let help = match comparison {
        Comparison::Entries => "write the counters that are expected, or remove the field",
        _ => "write words of the sentence, or remove the field",
    };
    let message = format!("`{}: {}` holds for any", entry.key, written_in_quotes(value));
    let finding = Diagnostic::error(Code::InvalidTest, document.place(value.span), message);
    holds.then(|| finding.help(help))
}

/// Whether a mapping, or one in it, has no entries.
fn has_empty_mapping(node: &Node) -> bool {
    let is_mapping = !node.is_null() && node.scalar().is_none();
    is_mapping
        && (node.entries().is_empty()
            || node.entries().iter().any(|it| has_empty_mapping(&it.value)))
}

/// A value as it is written, a text in quotes.
fn written_in_quotes(node: &Node) -> String {
    node.text().map_or_else(|| written(node), |text| format!("'{text}'"))
}

/// A value in the form of the report: durations in seconds, quantities in bytes.
fn expected_value(node: &Node, comparison: Comparison) -> Value {
    let text = node.scalar().map(|scalar| scalar.text.as_str());
    let seconds = |text| GoDuration::parse(text).ok().map(GoDuration::as_secs_f64);
    match (comparison, text) {
        _ if node.is_null() => Value::Null,
        (Comparison::Seconds, Some(text)) => {
            json!(node.number().or_else(|| seconds(text)))
        }
        (Comparison::Bytes, Some(text)) => json!(Quantity::parse(text).ok().map(Quantity::ceil)),
        _ => serde_json::from_str(&json_of_any(node)).unwrap_or_default(),
    }
}

/// A value as it is written, on one line.
fn written(node: &Node) -> String {
    match node.scalar() {
        _ if node.is_null() => "null".to_owned(),
        Some(scalar) => scalar.text.clone(),
        None => super::value_text::format_value(
            &serde_json::from_str(&json_of_any(node)).unwrap_or_default(),
        ),
    }
}
