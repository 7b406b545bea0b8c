//! Templates that are not rendered: what is wrong with them is one thing, said once a file.
//!
//! Owns the marks of Helm (`{{ .. }}`) and of envsubst (`${NAME}`), and the joining of all findings
//! that come of them.

use crate::diag::{Code, Diagnostic, Findings, Place};
use std::collections::HashSet;

/// Leaves of the findings that come of a template's marks the first of each file, and makes it name
/// the template.
#[must_use]
pub fn join_templates(findings: Findings) -> Findings {
    if !findings.iter().any(|finding| mark_at(finding).is_some()) {
        return findings;
    }
    let mut joined = Findings::new();
    joined.order_files(findings.files());
    let mut files = HashSet::new();
    for finding in findings.sorted() {
        let Some(mark) = mark_at(&finding) else {
            joined.push(finding);
            continue;
        };
        let Some(place) = finding.place else { continue };
        if files.insert(place.source.name().to_owned()) {
            joined.push(unrendered(finding.code, place, &mark));
        }
    }
    joined
}

fn unrendered(code: Code, place: Place, mark: &str) -> Diagnostic {
    let help = if mark.starts_with('$') {
        "replace its variables first: `envsubst < FILE | armadactl validate -f -`"
    } else {
        "render it first: `helm template CHART | armadactl validate -f -`"
    };
    let message = format!("the file is a template that is not rendered: `{mark}`");
    Diagnostic::error(code, place, message).help(help)
}

/// The template's mark that a finding comes of.
fn mark_at(finding: &Diagnostic) -> Option<String> {
    let place = finding.place.as_ref()?;
    let text = place.source.text();
    if finding.code == Code::BadPattern {
        return None;
    }
    // The outer of two braces opens a mapping, of which the inner pair is a key.
    let (start, end) = (place.span.start, place.span.end);
    let wider = text.get(..start)?.ends_with('{') && text.get(end..)?.starts_with('}');
    let at = if wider { text.get(start - 1..end + 1)? } else { text.get(start..end)? };
    if let Some(mark) = braces(at).or_else(|| variable(at)) {
        return Some(mark.to_owned());
    }
    // The parser stumbles near a mark or, where lines are left out by it, after one.
    if finding.code == Code::Syntax {
        let line = &text[place.source.line_at(place.span.start)];
        let near = braces(line).or_else(|| variable(line));
        return near.or_else(|| text.lines().find_map(braces)).map(str::to_owned);
    }
    None
}

/// The first `{{ .. }}` of a line.
fn braces(text: &str) -> Option<&str> {
    let start = text.find("{{")?;
    let line = text[start..].lines().next()?;
    let end = line.find("}}")?;
    Some(&line[..end + 2])
}

/// The first `${NAME}` or `${NAME:-default}`; `$NAME` only where nothing else stands.
fn variable(text: &str) -> Option<&str> {
    let is_name = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && !name.starts_with(|first: char| first.is_ascii_digit())
    };
    if text.strip_prefix('$').is_some_and(is_name) {
        return Some(text);
    }
    let start = text.find("${")?;
    let rest = &text[start + 2..];
    let end = rest.find('}')?;
    let name = rest[..end].split([':', '-', '+', '?', '=']).next()?;
    is_name(name).then(|| &text[start..=start + 2 + end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found() {
        assert_eq!(braces("a: {{ .Values.x }}-b"), Some("{{ .Values.x }}"));
        assert_eq!(braces("a: {b: {{c: d}"), None);
        assert_eq!(variable("${LIMIT:-3}"), Some("${LIMIT:-3}"));
        assert_eq!(variable("x-${A_1}-y"), Some("${A_1}"));
        assert_eq!(variable("$LIMIT"), Some("$LIMIT"));
        for text in ["$", "${", "${1}", "a $LIMIT", "${a b}", "{}", "${}"] {
            assert_eq!(variable(text), None, "{text}");
        }
    }
}
