//! The marks of templates: `{{ .. }}` of Helm, `{% .. %}` and `{# .. #}` of Jinja, `${NAME}` of envsubst, `$(NAME)` of kustomize.
//!
//! Owns the search for marks in a text that a YAML parser may not have read to its end: comments, quoted
//! texts and block scalars are skipped.

use std::ops::Range;

/// The marks of a text outside of comments, quotes and block scalars, in order.
pub(super) fn marks(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut quote = None;
    // The column of the current block scalar's parent; lines that are indented further belong to it.
    let mut block: Option<usize> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let in_block = block.is_some_and(|column| line.trim().is_empty() || indent > column);
        if quote.is_some() || !in_block {
            let is_text = quote.is_some();
            let code = scan_line(line, &mut quote, |mark| {
                found.push(start + mark.start..start + mark.end);
            });
            block = if is_text { None } else { block_column(code) };
        }
        start += line.len();
    }
    found
}

/// Scans a line for marks and returns the line without its comment. `quote` is the quote that is open
/// at the start of the line, and is updated to that at its end.
fn scan_line<'a>(
    line: &'a str,
    quote: &mut Option<u8>,
    mut found: impl FnMut(Range<usize>),
) -> &'a str {
    let bytes = line.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let before = at.checked_sub(1).map_or(b' ', |before| bytes[before]);
        // A quote within a plain text is one of its characters.
        let begins = before.is_ascii_whitespace() || b"[{,:".contains(&before);
        match (*quote, byte) {
            // An escaped quote does not end the text.
            (Some(b'"'), b'\\') => at += 1,
            (Some(b'\''), b'\'') if bytes.get(at + 1) == Some(&b'\'') => at += 1,
            (Some(open), _) if open == byte => *quote = None,
            // A `#` within a word begins no comment.
            (None, b'#') if before.is_ascii_whitespace() => return &line[..at],
            (None, b'"' | b'\'') if begins => *quote = Some(byte),
            (None, b'{' | b'$') => {
                if let Some(length) = mark_length(&line[at..]) {
                    found(at..at + length);
                    at += length - 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    line
}

/// The column of the key or item of a block scalar, if its header ends the line.
fn block_column(line: &str) -> Option<usize> {
    let line = line.trim_end();
    let header = line.rsplit([' ', '\t']).next()?;
    let rest = header.strip_prefix(['|', '>'])?;
    // Indicators of indentation and chomping may follow.
    if !rest.bytes().all(|byte| matches!(byte, b'+' | b'-' | b'0'..=b'9')) {
        return None;
    }
    let mut column = line.len() - line.trim_start_matches(' ').len();
    // Items of lists within each other may be on one line: the innermost has the scalar.
    while let Some(item) = line[column..].strip_prefix("- ") {
        let inner = item.trim_start_matches(' ');
        if inner == header {
            break;
        }
        column = line.len() - inner.len();
    }
    Some(column)
}

/// The first mark of a line.
pub(super) fn first_mark(line: &str) -> Option<Range<usize>> {
    let starts = line.match_indices(['{', '$']).map(|(start, _)| start);
    starts.into_iter().find_map(|start| Some(start..start + mark_length(&line[start..])?))
}

/// The first mark of a value, if it is a template that is not rendered.
pub fn template_mark(value: &str) -> Option<&str> {
    if is_bare_variable(value) {
        return Some(value);
    }
    first_mark(value).map(|mark| &value[mark])
}

/// The length of the mark that a line begins with. The search stops where another mark begins, so
/// that a line of megabytes is not searched to its end for each of its braces.
fn mark_length(line: &str) -> Option<usize> {
    let braces = [("{{", "}}"), ("{%", "%}"), ("{#", "#}")];
    if let Some((open, close)) = braces.into_iter().find(|(open, _)| line.starts_with(open)) {
        let pairs = line.as_bytes()[2..].windows(2).take_while(|pair| pair[0] != b'\n');
        let is_mark = |pair: &[u8]| [b"{{", b"{%", b"{#", close.as_bytes()].contains(&pair);
        let end = pairs.into_iter().position(is_mark)? + 2;
        return (line.as_bytes()[end..].starts_with(close.as_bytes())).then_some(end + open.len());
    }
    let rest = line.strip_prefix("${")?;
    // A `{` or `$` begins another mark, from which the search goes on.
    let end = rest.find(['}', '{', '$'])?;
    let name = rest[..end].split([':', '-', '+', '?', '=']).next()?;
    (rest[end..].starts_with('}') && is_name(name)).then_some(end + 3)
}

/// Whether a text is `$NAME`, or `$(NAME)` of kustomize.
pub(super) fn is_bare_variable(text: &str) -> bool {
    let in_parentheses = |name: &'_ str| {
        name.strip_prefix('(').and_then(|name| name.strip_suffix(')')).is_some_and(is_name)
    };
    text.strip_prefix('$').is_some_and(|name| is_name(name) || in_parentheses(name))
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !name.starts_with(|first: char| first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        marks(text).into_iter().map(|mark| &text[mark]).collect()
    }

    #[test]
    fn marks_are_found() {
        assert_eq!(found("a: {{ .Values.x }}-b"), ["{{ .Values.x }}"]);
        assert_eq!(found("a: ${LIMIT:-3}, x-${A_1}-y"), ["${LIMIT:-3}", "${A_1}"]);
        assert_eq!(
            found("{{- if eq .a \"b\" }}\nc: {{ 'd' }} # {{ e }}"),
            ["{{- if eq .a \"b\" }}", "{{ 'd' }}"]
        );
        assert_eq!(found("{# a #}\nb: {#c#}"), ["{# a #}", "{#c#}"]);
        assert_eq!(found("{%- if a %}\nb: {% {{ c }}\nd: %}\n"), ["{%- if a %}", "{{ c }}"]);
        assert!(is_bare_variable("$LIMIT") && is_bare_variable("$(LIMIT)"));
        for text in
            ["a: {b: {{c: d}", "$", "$()", "$(a", "${", "${1}", "a $LIMIT", "${a b}", "{}", "${}"]
        {
            assert_eq!(found(text), [""; 0], "{text}");
            assert!(!is_bare_variable(text), "{text}");
        }
    }

    #[test]
    fn a_mark_begins_nowhere_inside_another() {
        assert_eq!(found("a: {{ b {{ c }}"), ["{{ c }}"]);
        assert_eq!(found("a: ${B:-${C}}"), ["${C}"]);
        assert_eq!(found("é: {{\nb: }}"), [""; 0]);
        assert_eq!(first_mark("x {é{ ${A} {{ b }}"), Some(7..11));
    }

    #[test]
    fn what_is_text_has_no_marks() {
        for text in [
            "# {{ a }}\nb: 1 # ${C}\n",
            "a: '{{ it''s {{ b }}' # {{ c }}",
            "a: \"\\\" {{ b }}\n  ${C}\"",
            "{\"a\":\"{{ b }}\"}",
            "a: |\n  {{ b }}\n\n  'x ${C}\nd: >-\n    {{ e }}\n",
            "- a: |2 # {{ b }}\n    {{ c }}\n- |\n {{ d }}\n",
        ] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
        assert_eq!(found("- a: |\n    {{ b }}\n  c: ${D}\n"), ["${D}"]);
        assert_eq!(found("a: it's {{ b }}\nc: 'd'\ne: ${F}\n"), ["{{ b }}", "${F}"]);
    }
}
