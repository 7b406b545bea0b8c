//! The change of a text as a unified diff.

use crate::findings::Style;
use anstyle::{AnsiColor, Style as Paint};
use document::diag::is_unprintable;
use similar::{ChangeTag, TextDiff};
use std::borrow::Cow;
use std::time::Duration;

/// Unchanged lines before and after a change, as in git's diffs.
const CONTEXT: usize = 3;

/// The time after which the diff of a text may be longer than necessary. Only texts of megabytes that are changed
/// throughout take as long.
const TIMEOUT: Duration = Duration::from_secs(2);

/// A diff from `old` to `new` that `git apply` and `patch -p1` read; empty if they are equal.
pub fn unified_diff(name: &str, old: &str, new: &str, style: Style) -> String {
    if old == new {
        return String::new();
    }
    let diff = TextDiff::configure().timeout(TIMEOUT).diff_lines(old, new);
    let path = safe(name.strip_prefix("./").unwrap_or(name));
    let path = path.trim_start_matches('/');
    let bold = Paint::new().bold();
    let mut out = painted(&format!("--- a/{path}"), bold, style) + "\n";
    out += &(painted(&format!("+++ b/{path}"), bold, style) + "\n");
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        let header = hunk.header().to_string();
        out += &(painted(&header, AnsiColor::Cyan.on_default(), style) + "\n");
        for change in hunk.iter_changes() {
            let paint = match change.tag() {
                ChangeTag::Delete => AnsiColor::Red.on_default(),
                ChangeTag::Insert => AnsiColor::Green.on_default(),
                ChangeTag::Equal => Paint::new(),
            };
            let line = change.value();
            let content = line.trim_end_matches(['\r', '\n']);
            out += &painted(&format!("{}{}", change.tag(), safe(content)), paint, style);
            out += if line.ends_with("\r\n") { "\r\n" } else { "\n" };
            if change.missing_newline() {
                out += "\\ No newline at end of file\n";
            }
        }
    }
    out
}

/// A line without characters that control a terminal. Other characters stay as they are, so that the diff can be
/// applied.
fn safe(line: &str) -> Cow<'_, str> {
    let is_unsafe = |c: char| c != '\t' && is_unprintable(c);
    if !line.contains(is_unsafe) {
        return Cow::Borrowed(line);
    }
    let escaped = line
        .chars()
        .map(|c| if is_unsafe(c) { c.escape_unicode().to_string() } else { c.to_string() });
    Cow::Owned(escaped.collect())
}

fn painted(text: &str, paint: Paint, style: Style) -> String {
    match style {
        Style::Plain => text.to_owned(),
        Style::Coloured => format!("{paint}{text}{paint:#}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_has_context_and_missing_line_breaks() {
        let old = "a\nb\nc\nd\ne\nf\u{7}\ng";
        let new = "a\nb\nc\nd\nE\nf\u{7}\ng\n";
        let diff = unified_diff("./x y.yaml", old, new, Style::Plain);
        let wanted = "--- a/x y.yaml\n+++ b/x y.yaml\n@@ -2,6 +2,6 @@\n b\n c\n d\n-e\n+E\n f\\u{7}\n-g\n\\ No newline at end of file\n+g\n";
        assert_eq!(diff, wanted);
        assert_eq!(unified_diff("x", old, old, Style::Plain), "");
        let coloured = unified_diff("x", "a\r\n", "b\r\n", Style::Coloured);
        assert!(coloured.contains("\u{1b}[31m-a\u{1b}[0m\r\n"), "{coloured:?}");
    }
}
