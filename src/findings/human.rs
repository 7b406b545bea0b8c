//! Findings for a terminal: the source line, a caret, other places, the help.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use document::diag::{
    Diagnostic, Place, Printed, Severity, first_alike, is_unprintable, line, more_line, printable,
};
use std::ops::Range;

/// Whether the text may have colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// ANSI colours.
    Coloured,
    /// Plain text.
    Plain,
}

/// Renders findings, a blank line after each. Of many alike the first are rendered, then a line for each of the next, then
/// the number of the others. `width` is the terminal's, if there is one.
pub fn render(items: &[Diagnostic], style: Style, width: Option<usize>) -> String {
    let renderer = match style {
        Style::Coloured => Renderer::styled(),
        Style::Plain => Renderer::plain(),
    }
    .decor_style(DecorStyle::Ascii)
    .term_width(width.unwrap_or(140).max(40));
    let mut out = String::new();
    let mut is_in_lines = false;
    for Printed { item, has_source, more } in first_alike(items) {
        if has_source {
            out.push_str(if is_in_lines { "\n" } else { "" });
            out.push_str(&render_one(item, &renderer));
            out.push_str("\n\n");
        } else {
            out.push_str(&line(item));
        }
        is_in_lines = !has_source;
        if more > 0 {
            out.push_str(&more_line(item, more));
            out.push('\n');
        }
    }
    if is_in_lines {
        out.push('\n');
    }
    out
}

fn render_one(item: &Diagnostic, renderer: &Renderer) -> String {
    let level = match item.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    let message = printable(&item.message).into_owned();
    let help = item.help.as_deref().map(|help| printable(help).into_owned());
    let views = views(item);
    let title = level.primary_title(message.as_str()).id(item.code.id());
    let mut group = Group::with_title(title);
    for view in &views {
        if view.text.is_empty() {
            group = group.element(
                Origin::path(view.name.as_str()).line(view.first_line).char_column(view.column),
            );
            continue;
        }
        let snippet = Snippet::source(view.text.as_str())
            .path(view.name.as_str())
            .line_start(view.first_line)
            .annotations(view.marks.iter().map(|mark| {
                let annotation = mark.kind.span(mark.range.clone());
                match &mark.label {
                    Some(label) => annotation.label(label.as_str()),
                    None => annotation,
                }
            }));
        group = group.element(snippet);
    }
    if let Some(help) = &help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    renderer.render(&[group])
}

/// The maximum of source bytes in the output of one finding. A document on one line can have megabytes.
const MAX_SOURCE_BYTES: usize = 4096;

/// The displayed part of one source: the lines from the first of its marks to the last, or only the
/// position if those lines are longer than [`MAX_SOURCE_BYTES`] (then `text` is empty).
struct View {
    name: String,
    text: String,
    first_line: usize,
    column: usize,
    marks: Vec<Mark>,
}

struct Mark {
    kind: AnnotationKind,
    range: Range<usize>,
    label: Option<String>,
}

fn views(item: &Diagnostic) -> Vec<View> {
    let Some(primary) = &item.place else { return Vec::new() };
    let mut marks = vec![(primary, AnnotationKind::Primary, item.label.clone())];
    let others = item.others.iter();
    marks.extend(others.map(|l| (&l.place, AnnotationKind::Context, Some(l.text.clone()))));
    let mut views: Vec<View> = Vec::new();
    while let Some((first, ..)) = marks.first() {
        let source = std::sync::Arc::clone(&first.source);
        let (same_source, rest): (Vec<_>, Vec<_>) = marks
            .into_iter()
            .partition(|(place, ..)| std::sync::Arc::ptr_eq(&place.source, &source));
        marks = rest;
        views.push(view(&same_source));
    }
    views
}

fn view(marks: &[(&Place, AnnotationKind, Option<String>)]) -> View {
    let source = &marks[0].0.source;
    let text = source.text();
    let starts = marks.iter().map(|(place, ..)| place.span.start.min(text.len()));
    let ends = marks.iter().map(|(place, ..)| place.span.end.min(text.len()));
    let from = source.line_at(starts.min().unwrap_or(0)).start;
    let to = source.line_at(ends.max().unwrap_or(0)).end;
    let start = marks[0].0.start();
    let name = printable(source.name()).into_owned();
    if to - from > MAX_SOURCE_BYTES {
        let column = start.column;
        return View {
            name,
            text: String::new(),
            first_line: start.line,
            column,
            marks: Vec::new(),
        };
    }
    let (text, marks) = sanitize(text, from..to, marks);
    View { name, text, first_line: source.line_column(from).line, column: start.column, marks }
}

/// The displayed lines with terminal control characters replaced by U+FFFD, and the marks shifted
/// accordingly.
fn sanitize(
    text: &str,
    lines: Range<usize>,
    marks: &[(&Place, AnnotationKind, Option<String>)],
) -> (String, Vec<Mark>) {
    let mut sanitized = String::with_capacity(lines.len());
    let mut offsets = Vec::with_capacity(lines.len() + 1);
    for c in text[lines.clone()].chars() {
        offsets.extend(std::iter::repeat_n(sanitized.len(), c.len_utf8()));
        match c {
            '\u{feff}' | '\r' => {}
            '\n' | '\t' => sanitized.push(c),
            c if is_unprintable(c) => sanitized.push('\u{fffd}'),
            c => sanitized.push(c),
        }
    }
    offsets.push(sanitized.len());
    let at = |offset: usize| offsets[offset.clamp(lines.start, lines.end) - lines.start];
    let marks = marks
        .iter()
        .map(|(place, kind, label)| Mark {
            kind: *kind,
            range: at(place.span.start)..at(place.span.end).max(at(place.span.start)),
            label: label.as_deref().map(|text| printable(text).into_owned()),
        })
        .collect();
    (sanitized, marks)
}
