//! The characters of a class.
//!
//! Owns the differences between two versions of Unicode: the tables of `regex-syntax` are newer than Go's
//! 15.0. Characters assigned later are removed by their age. The few characters whose data changed are
//! listed.

use std::sync::LazyLock;

use regex_syntax::hir::{Class as HirClass, ClassUnicode, ClassUnicodeRange, Hir, HirKind};

use super::ast::{Ast, Case, Class, ClassItem, Rune};
use super::names::Property;

/// Pairs that fold to each other since Unicode 15.1.
const FOLDED_LATER: [char; 6] =
    ['\u{390}', '\u{1fd3}', '\u{3b0}', '\u{1fe3}', '\u{fb05}', '\u{fb06}'];
/// Ahom medial ra: `Mn` in 15.0, `Mc` in later versions.
const REGROUPED: char = '\u{1171e}';

/// All characters assigned in Unicode 15.0, noncharacters included.
static ASSIGNED: LazyLock<ClassUnicode> = LazyLock::new(|| table(r"\p{age=15.0}"));

/// Characters that may have another case. The others are left unchanged, which also
/// spares the folding of large ranges.
static CASED: LazyLock<ClassUnicode> = LazyLock::new(|| {
    let mut with_other_cases = table(r"\p{Cased}");
    with_other_cases.intersect(&ASSIGNED);
    with_other_cases.difference(&FOLDED_LATER.into_iter().map(|c| (c, c)).collect_class());
    with_other_cases
});

/// The set of a class: the union of its members.
pub(super) fn class(ast: &Ast, class: &Class) -> ClassUnicode {
    let mut ranges = Vec::new();
    let mut set = ClassUnicode::empty();
    for item in class.items.of(&ast.items) {
        let (members, negated) = match item {
            ClassItem::Range { low, high } => {
                ranges.extend(characters(*low, *high));
                continue;
            }
            ClassItem::Group { group, negated } => {
                (group.ranges().iter().copied().collect_class(), negated)
            }
            ClassItem::Property { property, negated } => (members(*property), negated),
        };
        // Each member is folded before it is negated: `(?i)\W` lacks `ſ`, as `s` is in `\w`.
        let mut members = if property_of(item).is_some_and(is_never_folded) {
            members
        } else {
            with_other_cases(members, class.case)
        };
        if *negated {
            members = complement(&members);
        }
        set.union(&members);
    }
    set.union(&with_other_cases(ranges.into_iter().collect_class(), class.case));
    if class.negated {
        return complement(&set);
    }
    set
}

fn property_of(item: &ClassItem) -> Option<Property> {
    match item {
        ClassItem::Property { property, .. } => Some(*property),
        _ => None,
    }
}

/// Whether Go leaves a category unchanged under `(?i)`. Go has no table of other cases for `LC`; so `LC`
/// lacks U+0345, the only other case of a member that is not itself a member.
fn is_never_folded(property: Property) -> bool {
    property.query == "gc=LC"
}

/// A character in every case.
pub(super) fn folded(literal: char) -> ClassUnicode {
    with_other_cases([(literal, literal)].into_iter().collect_class(), Case::Folded)
}

/// Adds the other cases of a set's members, if case is folded.
fn with_other_cases(mut set: ClassUnicode, case: Case) -> ClassUnicode {
    if case == Case::Folded {
        let mut others = set.clone();
        others.intersect(&CASED);
        // This fails only without case tables, which this crate always enables.
        if others.try_case_fold_simple().is_ok() {
            others.intersect(&CASED);
            set.union(&others);
        }
    }
    set
}

/// The members of a category or script, as of Unicode 15.0.
fn members(property: Property) -> ClassUnicode {
    let mut set = match property.query {
        "any" => table(r"\p{any}"),
        "ascii" => table(r"\p{ascii}"),
        "assigned" => complement(&unassigned()),
        "gc=Cn" => unassigned(),
        // No text contains a surrogate.
        "gc=Cs" => ClassUnicode::empty(),
        query => {
            let mut set = table(&format!("\\p{{{query}}}"));
            set.intersect(&ASSIGNED);
            set
        }
    };
    let regrouped = [(REGROUPED, REGROUPED)].into_iter().collect_class();
    match property.query {
        "gc=C" => set.union(&unassigned()),
        "gc=Mn" => set.union(&regrouped),
        "gc=Mc" => set.difference(&regrouped),
        _ => {}
    }
    set
}

/// Category `Cn`: code points that 15.0 had not assigned, and noncharacters.
fn unassigned() -> ClassUnicode {
    let mut set = complement(&ASSIGNED);
    set.union(&table(r"\p{gc=Cn}"));
    set
}

/// Looks up a class in the tables of `regex-syntax`; empty if they lack it.
fn table(class: &str) -> ClassUnicode {
    match regex_syntax::parse(class).map(Hir::into_kind) {
        Ok(HirKind::Class(HirClass::Unicode(set))) => set,
        // A class of one character is returned as a literal.
        Ok(HirKind::Literal(literal)) => {
            String::from_utf8_lossy(&literal.0).chars().map(|c| (c, c)).collect_class()
        }
        _ => ClassUnicode::empty(),
    }
}

/// All characters outside a set. `ClassUnicode::negate` is not used: it puts U+D7FF and U+E000 into the
/// complement of a set that has both, because it counts the surrogates between them, which are not
/// characters, as a gap.
fn complement(set: &ClassUnicode) -> ClassUnicode {
    let mut next = 0;
    let mut gaps = Vec::new();
    for range in set.ranges() {
        let low = Rune::from(range.start());
        if next < low {
            gaps.extend(characters(next, low - 1));
        }
        next = Rune::from(range.end()) + 1;
    }
    if next <= char::MAX.into() {
        gaps.extend(characters(next, char::MAX.into()));
    }
    gaps.into_iter().collect_class()
}

/// The characters in a range of code points: surrogates at its ends are cut off.
fn characters(low: Rune, high: Rune) -> Option<(char, char)> {
    let low = char::from_u32(low).unwrap_or('\u{e000}');
    let high = char::from_u32(high).unwrap_or('\u{d7ff}');
    (low <= high).then_some((low, high))
}

trait CollectClass {
    fn collect_class(self) -> ClassUnicode;
}

impl<I: Iterator<Item = (char, char)>> CollectClass for I {
    fn collect_class(self) -> ClassUnicode {
        ClassUnicode::new(self.map(|(low, high)| ClassUnicodeRange::new(low, high)))
    }
}

#[cfg(test)]
mod tests {
    use crate::pattern::hir::tests::{matches, members};

    #[test]
    fn folding_leaves_ascii_where_unicode_does() {
        assert_eq!(members("(?i)[k]"), ['K', 'k', '\u{212a}']);
        assert_eq!(members("(?i)s"), ['S', 's', 'ſ']);
        assert_eq!(members("(?i)ǆ"), ['Ǆ', 'ǅ', 'ǆ']);
        assert_eq!(members("(?i)ß"), ['ß', 'ẞ']);
        assert!(matches("(?i)\\w", "ſ") && !matches("(?i)\\W", "ſ") && matches("(?i)[^\\W]", "ſ"));
        assert!(!matches("(?i)\\P{Lu}", "a") && matches("\\P{Lu}", "a"));
        assert!(!matches("(?i)\\p{LC}", "\u{345}") && matches("(?i)\\P{LC}", "\u{345}"));
        assert!(matches("(?i)\\pL", "\u{345}") && matches("(?i)[\\p{LC}\u{399}]", "\u{345}"));
    }

    #[test]
    fn tables_are_those_of_unicode_15_0() {
        // Folded since 15.1.
        assert_eq!(members("(?i)\u{390}"), ['\u{390}']);
        // U+A7CB is a capital of U+0264 since 16.0.
        assert_eq!(members("(?i)\u{264}"), ['\u{264}']);
        assert!(!matches("\\pL", "\u{a7cb}") && matches("\\p{Cn}", "\u{a7cb}"));
        assert!(!matches("\\p{Assigned}", "\u{a7cb}") && matches("\\pC", "\u{a7cb}"));
        assert!(matches("\\p{Mn}", "\u{1171e}") && !matches("\\p{Mc}", "\u{1171e}"));
    }

    #[test]
    fn complements_leave_surrogates_out() {
        // `ClassUnicode::negate` fails here.
        assert!(!matches("[^\\x00-\\x{d7ff}\\x{e000}-\\x{10FFFF}]", "\u{d7ff}\u{e000}"));
        assert_eq!(members("[^\\x00-`b-\\x{10FFFF}]"), ['a']);
        assert!(
            !matches("\\P{Any}", "a")
                && matches("\\p{Any}", "\u{e000}")
                && !matches("\\p{Cs}", "a")
        );
    }

    #[test]
    fn perl_classes_are_ascii() {
        assert!(!matches("\\d", "٣") && !matches("\\w", "é") && !matches("\\s", "\u{a0}"));
        assert_eq!(members("\\s"), ['\t', '\n', '\x0c', '\r', ' ']);
        assert_eq!(members("[[:space:]]"), ['\t', '\n', '\x0b', '\x0c', '\r', ' ']);
        assert!(matches("\\p{^Greek}", "a") && matches("\\P{^greek}", "σ"));
    }
}
