//! Findings of one kind, of which only the first are printed for people.

use super::{Code, Diagnostic, Severity};
use std::collections::HashMap;

/// The most findings of one kind that are printed: a file of another program has thousands.
const MAX_ALIKE: usize = 20;

/// The most findings of one kind that are printed with their source lines; that of the others is like theirs.
const MAX_WITH_SOURCE: usize = 5;

/// A finding to print.
pub struct Printed<'i> {
    /// The finding.
    pub item: &'i Diagnostic,
    /// Whether its source lines are printed.
    pub has_source: bool,
    /// The number of those like it that are left out: 0 but for the last of its kind.
    pub more: usize,
}

/// The findings to print.
///
/// Findings are alike if they have the same id, severity, message and help, apart from numbers and the values that
/// these quote: a finding that names what was meant is not like one that does not.
pub fn first_alike(items: &[Diagnostic]) -> Vec<Printed<'_>> {
    let mut kinds: HashMap<(Code, Severity, String), usize> = HashMap::new();
    for item in items {
        *kinds.entry(kind_of(item)).or_default() += 1;
    }
    let mut numbers: HashMap<(Code, Severity, String), usize> = HashMap::new();
    let mut printed = Vec::new();
    for item in items {
        let kind = kind_of(item);
        let more = kinds.get(&kind).map_or(0, |count| count.saturating_sub(MAX_ALIKE));
        let number = numbers.entry(kind).or_default();
        *number += 1;
        // A line in place of one finding would save nothing.
        let more = if more <= 1 { 0 } else { more };
        if more > 0 && *number > MAX_ALIKE {
            continue;
        }
        let more = if *number == MAX_ALIKE { more } else { 0 };
        printed.push(Printed { item, has_source: *number <= MAX_WITH_SOURCE, more });
    }
    printed
}

fn kind_of(item: &Diagnostic) -> (Code, Severity, String) {
    let mut words = String::new();
    for text in [Some(&item.message), item.help.as_ref()].into_iter().flatten() {
        // Every second part is quoted.
        for part in text.split('`').step_by(2) {
            // Numbers differ from finding to finding of one kind.
            words.extend(part.chars().filter(|letter| !letter.is_ascii_digit()));
        }
        words.push('\n');
    }
    (item.code, item.severity, words)
}

/// The line after the last finding of a kind.
pub fn more_line(item: &Diagnostic, more: usize) -> String {
    let count = super::with_thousands_separators(more as u64);
    format!(
        "{}[{}]: and {count} more like this; `--error-format json` prints all",
        item.severity.as_str(),
        item.code.id(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(message: String) -> Diagnostic {
        Diagnostic::without_place(Code::UnknownDocument, message)
    }

    #[test]
    fn the_first_of_each_kind_are_printed_with_the_number_of_the_others() {
        for (count, expected, more) in
            [(1, 1, 0), (20, 20, 0), (21, 21, 0), (22, 20, 2), (999, 20, 979)]
        {
            let mut items = Vec::new();
            for number in 0..count {
                items.push(finding(format!("unknown kind `K{number}` in line {number}")));
                items.push(finding(format!("unknown version `{number}`")));
            }
            let printed = first_alike(&items);
            assert_eq!(printed.len(), 2 * expected, "{count}");
            let left_out: Vec<usize> = printed.iter().map(|one| one.more).collect();
            assert_eq!(left_out.iter().sum::<usize>(), 2 * more, "{count}");
            assert!(left_out.iter().all(|one| [0, more].contains(one)));
            let with_source = printed.iter().filter(|one| one.has_source).count();
            assert_eq!(with_source, 2 * expected.min(MAX_WITH_SOURCE), "{count}");
        }
    }

    #[test]
    fn findings_of_other_ids_severities_or_words_are_not_alike() {
        let mut items = Vec::new();
        for number in 0..20 {
            items.push(finding(format!("a `{number}`")));
            items.push(finding(format!("b `{number}`")));
            items.push(Diagnostic { severity: Severity::Warning, ..finding("a `x`".to_owned()) });
            items.push(Diagnostic { code: Code::Syntax, ..finding("a `x`".to_owned()) });
            items.push(finding("a `x`".to_owned()).help("did you mean `y`?"));
        }
        assert_eq!(first_alike(&items).len(), items.len());
    }
}
