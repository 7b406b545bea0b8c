//! Templates that are not rendered: all their findings are joined to one per file.
//!
//! Owns the test whether a template's mark is the cause of a finding, and the joining.

use super::marks::{first_mark, is_bare_variable, marks};
use crate::diag::{Code, Diagnostic, Findings, Place, Source};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// Keeps only the first of each file's findings that a template's marks cause, and makes its message mention
/// the template. A syntax error that a mark may cause keeps its message and gets additional help.
#[must_use]
pub fn join_templates(findings: Findings) -> Findings {
    let mut texts = HashMap::new();
    let mut origins = findings.iter().map(|finding| origin(finding, &mut texts));
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
                    joined.push(template_finding(finding.code, place.clone(), &mark));
                }
            }
            (Some(Origin::Maybe(mark)), _) => joined.push(with_advice(finding, &mark)),
            _ => joined.push(finding),
        }
    }
    joined
}

fn template_finding(code: Code, place: Place, mark: &str) -> Diagnostic {
    let message = format!("the file is a template that is not rendered: `{mark}`");
    let (step, command) = advice(mark);
    Diagnostic::error(code, place, message).help(format!("{step} first: `{command}`"))
}

fn with_advice(finding: Diagnostic, mark: &str) -> Diagnostic {
    let (step, command) = advice(mark);
    let advice = format!("if `{mark}` makes it a template, {step} first: `{command}`");
    let help = match &finding.help {
        Some(help) => format!("{help}; {advice}"),
        None => advice,
    };
    finding.help(help)
}

/// The help for a file with such a mark.
fn advice(mark: &str) -> (&'static str, &'static str) {
    if mark.starts_with('$') {
        ("replace its variables", "envsubst < FILE | armadactl validate -f -")
    } else if mark.starts_with("{%") {
        ("render it", "armadactl validate -f RENDERED-FILE")
    } else {
        ("render it", "helm template CHART | armadactl validate -f -")
    }
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
    if is_bare_variable(value) {
        return Some(value);
    }
    if value.starts_with(['{', '[']) && !value.starts_with("{{") {
        return None;
    }
    let mark = first_mark(value)?;
    let is_all = mark == (0..value.len());
    (is_all || !value.starts_with('{')).then(|| &value[mark])
}
