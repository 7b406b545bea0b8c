//! Fingerprints of findings, by which a CI system recognizes a finding in a later run.
//!
//! A fingerprint is made of what stays when other lines are inserted, removed or changed: the id, the file, the
//! name of the document, the text of the line and of the lines that it is nested in. It has no line number.
//! Equal findings are counted.

use super::TestItem;
use super::ci_report::file_of;
use super::report_paths::ReportPaths;
use document::diag::{Diagnostic, Place};
use sha1::{Digest, Sha1};
use std::collections::HashMap;
use std::ops::Range;

/// The longest text of a line that is used, in bytes. Of a longer line, such as JSON without line breaks, the
/// text of the finding's place is used.
const MAX_LINE: usize = 400;

/// Makes fingerprints, and counts equal findings.
#[derive(Default)]
pub(super) struct Fingerprints {
    counts: HashMap<[u8; 20], usize>,
}

impl Fingerprints {
    /// The fingerprint of a finding: 40 hexadecimal digits.
    pub(super) fn finding_print(&mut self, finding: &Diagnostic, paths: &ReportPaths) -> String {
        let file = file_of(finding).map(|name| paths.path(name)).unwrap_or_default();
        let mut parts = vec![finding.code.id(), &file];
        match &finding.place {
            Some(place) => parts.extend(context(place)),
            None => parts.push(&finding.message),
        }
        self.next(&parts)
    }

    /// The fingerprint of a failed test.
    pub(super) fn test_print(&mut self, test: &TestItem, paths: &ReportPaths) -> String {
        self.next(&["test", &paths.path(&test.file), &test.name])
    }

    fn next(&mut self, parts: &[&str]) -> String {
        let mut hash = Sha1::new();
        for part in parts {
            // With its length, so that the same letters in other parts have another hash.
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
        let count = self.counts.entry(hash.clone().finalize().into()).or_default();
        hash.update(count.to_le_bytes());
        *count += 1;
        hash.finalize().iter().fold(String::new(), |digits, byte| digits + &format!("{byte:02x}"))
    }
}

/// The texts that a place is recognized by: the name of its document, the line, and the lines that it is nested
/// in, from the inside to the outside.
fn context(place: &Place) -> Vec<&str> {
    let text = place.source.text();
    let line = place.source.line_at(place.span.start);
    let own = &text[line.clone()];
    let is_long = own.len() > MAX_LINE;
    let spanned = text.get(place.span.first_line(text).range()).unwrap_or_default();
    let mut texts =
        vec![document_name(text, line.clone()), if is_long { prefix(spanned) } else { own.trim() }];
    let mut depth = depth(own);
    for above in text[..line.start].lines().rev() {
        if depth == 0 || is_separator(above) {
            break;
        }
        if !is_blank(above) && self::depth(above) < depth {
            depth = self::depth(above);
            texts.push(prefix(above.trim()));
        }
    }
    texts
}

/// The nesting of a line of block style. An item `- a` is nested in a key with the same indentation.
fn depth(line: &str) -> usize {
    let trimmed = line.trim_start_matches(' ');
    let is_item = trimmed.starts_with("- ");
    2 * (line.len() - trimmed.len()) + usize::from(is_item)
}

fn is_blank(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('#')
}

fn is_separator(line: &str) -> bool {
    line.trim_end() == "---"
}

fn prefix(text: &str) -> &str {
    let mut end = text.len().min(MAX_LINE);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The first name in the document around a line: that of `name: infra` or `metadata: {name: infra}`.
fn document_name(text: &str, line: Range<usize>) -> &str {
    let before = text[..line.start].lines().rev().take_while(|line| !is_separator(line)).count();
    let skipped = text[..line.start].lines().count() - before;
    let mut lines = text.lines().skip(skipped).enumerate();
    lines
        .by_ref()
        .take_while(|(number, line)| *number == 0 || *number <= before || !is_separator(line))
        .filter(|(_, line)| !is_blank(line))
        .find_map(|(_, line)| name_in(line))
        .unwrap_or_default()
}

/// The value after the key `name` in a line.
fn name_in(line: &str) -> Option<&str> {
    let (before, value) = line.split_once("name\":").or_else(|| line.split_once("name:"))?;
    let is_key = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let value = value.trim_start().split([',', '}', '#']).next()?.trim_end();
    (is_key && !value.is_empty()).then(|| prefix(value))
}

#[cfg(test)]
mod tests {
    use super::super::ci_report::samples::{error_at, run};
    use super::*;

    const TEXT: &str = "apiVersion: v1\nmetadata: {name: infra}\nspec:\n  rules:\n  - action: Retry\n    when: [a]\n  - action: Fail\n    when: [a]\n---\nmetadata:\n  name: other\nspec:\n  rules:\n  - action: Retry\n    when: [a]\n";

    /// The fingerprints of all occurrences of `when`.
    fn of(text: &str) -> Vec<String> {
        let mut fingerprints = Fingerprints::default();
        text.match_indices("when: ")
            .map(|(at, _)| {
                let mut finding = error_at("p.yaml", text, "when: ");
                if let Some(place) = &mut finding.place {
                    place.span = document::diag::Span::new(at, at + 4);
                }
                fingerprints.finding_print(&finding, &run().paths)
            })
            .collect()
    }

    #[test]
    fn lines_above_change_no_fingerprint() {
        let before = of(TEXT);
        assert_eq!(before.iter().collect::<std::collections::HashSet<_>>().len(), 3);
        let moved = format!("# a comment with name: x\n\n{TEXT}");
        assert_eq!(of(&moved), before);
        let moved = TEXT.replace("spec:\n", "x: 1\n\nspec:\n  # new\n  limit: 3\n");
        assert_eq!(of(&moved), before);
        let moved = format!("kind: X\nname: first\nspec:\n- a\n---\n{TEXT}");
        assert_eq!(of(&moved), before);
        let moved = TEXT.replace("rules:\n", "rules:\n  - action: Retry\n    off: [b]\n");
        assert_eq!(of(&moved), before);
    }

    #[test]
    fn what_a_finding_is_about_changes_its_fingerprint() {
        let before = of(TEXT);
        for (text, by) in [("when: [a]", "when: [b]"), ("action: Retry", "action: Fail")] {
            let after = of(&TEXT.replacen(text, by, 1));
            assert_ne!(after[0], before[0], "{by}");
            assert_eq!(after[2], before[2], "{by}");
        }
        let renamed = of(&TEXT.replace("other", "another"));
        assert_eq!(renamed[..2], before[..2]);
        assert_ne!(renamed[2], before[2]);
    }

    #[test]
    fn equal_findings_are_counted() {
        let twice = "a: 1\nname: n\nx: [when: 1]\nx: [when: 1]\n";
        let found = of(twice);
        assert_ne!(found[0], found[1]);
        assert_eq!(of(&format!("b: 2\n{twice}")), found);
    }

    #[test]
    fn a_finding_in_a_line_of_megabytes_uses_its_own_text() {
        let line = format!("{{\"x\": \"{}\", \"when: \": 1}}", "é".repeat(1000));
        let longer = format!("{{\"y\": 1, {}", &line[1..]);
        assert_eq!(of(&line), of(&longer));
    }
}
