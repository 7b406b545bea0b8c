//! Templates that are not rendered: all their findings are joined to one per file.
//!
//! Owns the test whether a template's mark is the cause of a finding, the search for marks in values that any text
//! could be, and the joining.

use super::marks::{first_mark, is_bare_variable, marks, template_mark};
use super::{Document, Node, NodeKind};
use crate::diag::{Code, Diagnostic, Findings, Place, Source, Span};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// Keeps only the first of each file's findings that a template's marks cause, and makes its message mention
/// the template. A syntax error that a mark may cause keeps its message and gets additional help. `chart_of` returns
/// the directory of the Helm chart of a file, if the file is in one.
#[must_use]
pub fn join_templates(findings: Findings, chart_of: &dyn Fn(&str) -> Option<String>) -> Findings {
    let mut texts = HashMap::new();
    let mut origins = findings.iter().map(|finding| origin(finding, &mut texts));
    // Most runs have no template, and keep their findings as they are.
    if origins.all(|origin| origin.is_none()) {
        return findings;
    }
    let mut joined = Findings::new();
    joined.order_files(findings.files());
    let mut files = HashSet::new();
    for finding in findings.sorted() {
        match (origin(&finding, &mut texts), &finding.place) {
            (Some(Origin::Mark(mark)), Some(place)) => {
                if files.insert(place.source.name().to_owned()) {
                    joined.push(template_finding(place.clone(), &mark, chart_of));
                }
            }
            (Some(Origin::Maybe(mark)), _) => joined.push(with_advice(finding, &mark, chart_of)),
            _ => joined.push(finding),
        }
    }
    joined
}

/// Reports the first value of a document that is a template, also where any text could be, such as in a category.
/// Braces in a pattern may be meant: unless they are all of it, a mark there is a warning.
pub fn unrendered(document: &Document) -> Vec<Diagnostic> {
    let mut patterns = Vec::new();
    if let Some((span, mark)) = first_template(&document.root, &mut patterns) {
        return vec![template_finding(document.place(span), mark, &|_| None)];
    }
    let warning = |(span, mark): (Span, &str)| {
        let message = format!("the pattern contains `{mark}`, as a template that is not rendered");
        let help =
            "render the file first, or write `\\{` and `\\$` if the pattern means these characters";
        Diagnostic::warning(Code::UnrenderedTemplate, document.place(span), message).help(help)
    };
    patterns.into_iter().map(warning).collect()
}

/// The place and the mark of the first value or key that is a template. Adds those of marks in patterns.
fn first_template<'n>(
    node: &'n Node,
    patterns: &mut Vec<(Span, &'n str)>,
) -> Option<(Span, &'n str)> {
    match &node.kind {
        NodeKind::Scalar(scalar) => Some((node.span, template_mark(&scalar.text)?)),
        NodeKind::List(items) => items.iter().find_map(|item| first_template(item, patterns)),
        NodeKind::Map(entries) => entries.iter().find_map(|entry| {
            if let Some(mark) = template_mark(&entry.key) {
                return Some((entry.key_span, mark));
            }
            let found = first_template(&entry.value, patterns)?;
            let is_whole = entry.value.text().is_some_and(|text| text.trim() == found.1);
            if entry.key == "pattern" && !is_whole {
                patterns.push(found);
                return None;
            }
            Some(found)
        }),
    }
}

fn template_finding(
    place: Place,
    mark: &str,
    chart_of: &dyn Fn(&str) -> Option<String>,
) -> Diagnostic {
    let message = format!("the file is a template that is not rendered: `{mark}`");
    let (step, command) = advice(mark, place.source.name(), chart_of);
    Diagnostic::error(Code::UnrenderedTemplate, place, message)
        .help(format!("{step} first: `{command}`"))
}

fn with_advice(
    finding: Diagnostic,
    mark: &str,
    chart_of: &dyn Fn(&str) -> Option<String>,
) -> Diagnostic {
    let file = finding.place.as_ref().map_or("-", |place| place.source.name());
    let (step, command) = advice(mark, file, chart_of);
    let advice = format!("if `{mark}` makes it a template, {step} first: `{command}`");
    let help = match &finding.help {
        Some(help) => format!("{help}; {advice}"),
        None => advice,
    };
    finding.help(help)
}

/// The help for a file with such a mark: what to do, and the command that does it.
fn advice(
    mark: &str,
    file: &str,
    chart_of: &dyn Fn(&str) -> Option<String>,
) -> (&'static str, String) {
    // A command has a name only if the name needs no quotes in a shell.
    let is_plain = |name: &str| {
        name != "-" && name.chars().all(|c| c.is_ascii_alphanumeric() || "._-/+=@".contains(c))
    };
    if mark.starts_with("$(") {
        let command = "kustomize build DIRECTORY | armadactl validate -f - --ignore-other-kinds";
        return ("replace its variables", command.to_owned());
    }
    if mark.starts_with('$') {
        let file = if is_plain(file) { file } else { "FILE" };
        return ("replace its variables", format!("envsubst < {file} | armadactl validate -f -"));
    }
    let chart = chart_of(file);
    if !mark.starts_with("{{") && chart.is_none() {
        return ("render it", "armadactl validate -f RENDERED-FILE".to_owned());
    }
    let chart = chart.filter(|chart| is_plain(chart)).unwrap_or_else(|| "CHART".to_owned());
    // A chart has documents of other kinds too.
    let command = format!("helm template {chart} | armadactl validate -f - --ignore-other-kinds");
    ("render it", command)
}

/// The cause of a finding.
enum Origin {
    /// A mark causes the finding.
    Mark(String),
    /// A mark before the place of the finding may cause it.
    Maybe(String),
}

/// The marks of each text, by the address of its source.
type Texts = HashMap<*const Source, Vec<Range<usize>>>;

fn origin(finding: &Diagnostic, texts: &mut Texts) -> Option<Origin> {
    let place = finding.place.as_ref()?;
    match finding.code {
        Code::BadPattern => None,
        Code::UnrenderedTemplate => {
            let mark = finding.message.split_once(": `")?.1.strip_suffix('`')?;
            Some(Origin::Mark(mark.to_owned()))
        }
        Code::Syntax => {
            let marks = texts
                .entry(Arc::as_ptr(&place.source))
                .or_insert_with(|| marks(place.source.text()));
            syntax_origin(place, marks)
        }
        _ => value_mark(place).map(|mark| Origin::Mark(mark.to_owned())),
    }
}

/// The mark that causes a syntax error. The parser fails at the mark, later on its line or, if the mark
/// is alone on its line, at the next content.
fn syntax_origin(place: &Place, marks: &[Range<usize>]) -> Option<Origin> {
    let text = place.source.text();
    let at = place.span.start;
    let line = place.source.line_at(at);
    let before = marks.partition_point(|mark| mark.start < line.end.max(at + 1));
    let mark = marks[..before].last()?;
    let words = text[mark.clone()].to_owned();
    let between = text.get(mark.end..at).unwrap_or_default();
    let is_blank = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    if mark.start >= line.start || between.lines().all(is_blank) {
        return Some(Origin::Mark(words));
    }
    Some(Origin::Maybe(words))
}

/// The mark in the key or value that a finding points at. A finding that points at a mapping or list has
/// another cause than the marks inside it.
fn value_mark(place: &Place) -> Option<&str> {
    let text = place.source.text();
    let (start, end) = (place.span.start, place.span.end);
    // YAML reads `{{ x }}` as a mapping with a mapping as its key: the span lacks the outer braces.
    let wider = text.get(..start)?.ends_with('{') && text.get(end..)?.starts_with('}');
    let value = if wider { text.get(start - 1..end + 1)? } else { text.get(start..end)? };
    let unquoted = value.trim_matches(['"', '\'']);
    if is_bare_variable(unquoted) {
        return Some(unquoted);
    }
    if value.starts_with(['{', '[']) && !value.starts_with("{{") {
        return None;
    }
    let mark = first_mark(value)?;
    let is_all = mark == (0..value.len());
    (is_all || !value.starts_with('{')).then(|| &value[mark])
}
