//! Suppression of findings by comments in the documents:
//! `# armadactl:ignore RP101, RP102 until=2027-01-01 -- reason`.
//!
//! Owns the syntax of these comments (`comment`), the lines that one applies to (`scope`), and the findings about
//! comments that are invalid, expired or without effect. `docs/suppression.md` describes all of it for users.
//!
//! In a file with a syntax error nothing is suppressed: its comments are not found reliably.

mod comment;
mod scope;
#[cfg(test)]
mod tests;

use comment::{Invalid, Suppression};
use document::diag::{Code, Diagnostic, Edit, Fix, Place, Severity, Source, Span};
use document::{Layout, Limits};
use jiff::civil::Date;
use scope::Scope;
use std::sync::Arc;

/// Findings after suppression.
#[derive(Debug, Default)]
pub struct Suppressed {
    /// The findings that remain, and those about suppression comments.
    pub findings: Vec<Diagnostic>,
    /// The suppressed findings.
    pub suppressed: Vec<SuppressedFinding>,
}

/// A finding that a comment suppresses.
#[derive(Debug, Clone)]
pub struct SuppressedFinding {
    /// The finding.
    pub finding: Diagnostic,
    /// The reason that the comment gives.
    pub reason: String,
    /// The place of the comment.
    pub comment: Place,
}

/// A valid suppression comment and what it has matched.
struct Active {
    layout: Arc<Layout>,
    suppression: Suppression,
    scope: Scope,
    /// The date and its place, if it has passed.
    expired: Option<(Date, Span)>,
    /// For each of its codes, whether it has matched a finding.
    matched: Vec<bool>,
}

/// Suppresses the findings that comments of the sources name, and reports comments that are invalid, expired or
/// without effect.
///
/// `today` is compared with the dates of comments. `is_active` is whether findings with a code are reported in this
/// run: a comment about others is not unused.
pub fn apply(
    sources: &[Arc<Source>],
    findings: Vec<Diagnostic>,
    today: Date,
    is_active: impl Fn(Code) -> bool,
) -> Suppressed {
    let mut result = Suppressed::default();
    let mut active: Vec<Active> = Vec::new();
    let mut about: Vec<Diagnostic> = Vec::new();
    for source in sources.iter().filter(|source| comment::may_have_suppressions(source.text())) {
        let Some(layout) = Layout::of(source, Limits::POLICY).map(Arc::new) else { continue };
        read_comments(&layout, today, &mut active, &mut about);
    }
    for finding in findings {
        match suppress(&finding, &mut active, &mut about) {
            Some(by) => result.suppressed.push(SuppressedFinding {
                finding,
                reason: by.suppression.reason.clone(),
                comment: Place::new(&by.layout.source, by.suppression.comment),
            }),
            None => result.findings.push(finding),
        }
    }
    for one in active {
        about.extend(match one.expired {
            Some((date, span)) => Some(expired(Place::new(&one.layout.source, span), date)),
            None => unused(&one, &is_active),
        });
    }
    result.findings.extend(about.into_iter().filter(|finding| is_active(finding.code)));
    result
}

/// Reads the suppressions of one text.
fn read_comments(
    layout: &Arc<Layout>,
    today: Date,
    active: &mut Vec<Active>,
    about: &mut Vec<Diagnostic>,
) {
    for comment in &layout.comments {
        match comment::parse(layout.source.text(), *comment) {
            None => {}
            Some(Err(Invalid { span, message, help })) => {
                let place = Place::new(&layout.source, span);
                about.push(
                    Diagnostic::warning(Code::InvalidSuppression, place, message).maybe_help(help),
                );
            }
            Some(Ok(suppression)) => active.push(Active {
                scope: Scope::of(layout, suppression.comment, suppression.is_for_file),
                expired: suppression.until.filter(|until| until.0 < today),
                matched: vec![false; suppression.codes.len()],
                layout: Arc::clone(layout),
                suppression,
            }),
        }
    }
}

/// The comment that suppresses a finding. All comments that name it count as used.
fn suppress<'a>(
    finding: &Diagnostic,
    active: &'a mut [Active],
    about: &mut Vec<Diagnostic>,
) -> Option<&'a Active> {
    let place = finding.place.as_ref()?;
    let is_document_error =
        finding.severity == Severity::Error && finding.code.is_about_documents();
    let mut first = None;
    for (index, one) in active.iter_mut().enumerate() {
        let code = one.suppression.codes.iter().position(|code| code.0 == finding.code);
        let is_inside =
            Arc::ptr_eq(&one.layout.source, &place.source) && one.scope.contains(place.span.start);
        let Some(code) = code.filter(|_| is_inside) else { continue };
        if is_document_error {
            if !one.matched[code] {
                about.push(refused(one, code, finding));
            }
        } else if one.expired.is_none() {
            first = first.or(Some(index));
        }
        one.matched[code] = true;
    }
    first.map(|index| &active[index])
}

/// The finding that a comment names an error because of which the document cannot be used.
fn refused(one: &Active, code: usize, finding: &Diagnostic) -> Diagnostic {
    let place = Place::new(&one.layout.source, one.suppression.codes[code].1);
    let id = finding.code.id();
    let message = format!("an error cannot be suppressed: `{id}` makes the document unusable");
    let refused = Diagnostic::warning(Code::InvalidSuppression, place, message);
    let refused = refused.help("correct the document and remove the comment");
    match &finding.place {
        Some(place) => refused.also(place.clone(), "the error"),
        None => refused,
    }
}

fn expired(place: Place, date: Date) -> Diagnostic {
    let message = format!("the suppression ended on {date}");
    Diagnostic::warning(Code::ExpiredSuppression, place, message)
        .help("correct what it suppressed, or set a later date if the reason still holds")
}

/// The finding that codes of a comment have matched nothing, if there are any.
fn unused(one: &Active, is_active: &impl Fn(Code) -> bool) -> Option<Diagnostic> {
    let codes = &one.suppression.codes;
    let is_unused = |index: usize| !one.matched[index] && is_active(codes[index].0);
    let unused: Vec<usize> = (0..codes.len()).filter(|&index| is_unused(index)).collect();
    let first = *unused.first()?;
    let ids: Vec<String> =
        unused.iter().map(|&index| format!("`{}`", codes[index].0.id())).collect();
    let verb = if ids.len() == 1 { "suppresses" } else { "suppress" };
    let message = format!("{} {verb} nothing {}", listed(&ids), one.scope.describe());
    let place = Place::new(&one.layout.source, codes[first].1);
    let (help, fix) = if unused.len() == codes.len() {
        ("remove the comment", removal(one))
    } else {
        ("remove the code from the comment", rewriting(one, &unused))
    };
    Some(
        Diagnostic::warning(Code::UnusedSuppression, place, message).help(help).fixed_by(Some(fix)),
    )
}

fn listed(ids: &[String]) -> String {
    match ids.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => ids.concat(),
    }
}

/// Removes a comment: its line, or the part of its line that it is.
fn removal(one: &Active) -> Fix {
    let (layout, comment) = (&one.layout, one.suppression.comment);
    let span = if layout.comment_line(comment.start).is_some() {
        Span::new(layout.line_start(comment.start), layout.next_line(comment.start))
    } else {
        let line = Span::new(layout.line_start(comment.start), comment.start);
        let content = layout.text(line).trim_end_matches([' ', '\t']).len();
        Span::new(line.start + content, comment.end)
    };
    let edits = vec![Edit { place: Place::new(&layout.source, span), text: String::new() }];
    Fix { title: "remove the comment".to_owned(), edits }
}

/// Removes unused codes of a comment and keeps the others.
fn rewriting(one: &Active, unused: &[usize]) -> Fix {
    let codes = &one.suppression.codes;
    let kept = codes.iter().enumerate().filter(|(index, _)| !unused.contains(index));
    let kept: Vec<&str> = kept.map(|(_, (_, span))| one.layout.text(*span)).collect();
    let end = codes.last().map_or(0, |code| code.1.end);
    let span = Span::new(codes.first().map_or(0, |code| code.1.start), end);
    let edits = vec![Edit { place: Place::new(&one.layout.source, span), text: kept.join(", ") }];
    Fix { title: "remove the code from the comment".to_owned(), edits }
}
