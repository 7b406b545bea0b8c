//! The container names that a pattern matches: rules of categories name one container, checks have a pattern.

use crate::convert::messages::{MatchCertainty, Piece, match_message};
use document::pattern::Pattern;
use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};
use std::collections::BTreeSet;

/// The alphabet of container names, which are DNS labels.
const LABEL: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789-";

/// The maximum number of names. Each takes a rule, and a pattern with more of them was hardly written as a list.
const MAX_NAMES: usize = 32;

/// The depth of a pattern's tree below which its names are not listed, which limits the recursion.
const MAX_DEPTH: usize = 40;

/// The container names that a pattern matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ContainerNames {
    All,
    /// These and no others; maybe none.
    Only(Vec<String>),
    /// These and others, such as longer ones.
    AndOthers(Vec<String>),
    /// More than can be listed.
    Unlisted,
}

/// The container names that a pattern matches, which Go accepts.
pub(super) fn container_names(text: &str) -> ContainerNames {
    match match_message(text, &[Piece::Open(LABEL)]) {
        MatchCertainty::Always => return ContainerNames::All,
        MatchCertainty::Never => return ContainerNames::Only(Vec::new()),
        MatchCertainty::Sometimes => {}
    }
    let Ok(pattern) = Pattern::parse(text) else { return ContainerNames::Unlisted };
    let Some(parts) = parts(&pattern.to_hir(), Edges { left: true, right: true }, 0) else {
        return ContainerNames::Unlisted;
    };
    let Ok(regex) = pattern.regex() else { return ContainerNames::Unlisted };
    let is_whole = parts.iter().all(|part| part.starts && part.ends);
    // Assertions other than the anchors are not followed in `parts`, so that the automaton has the last word.
    let is_name = |name: &String| {
        !name.is_empty() && !name.starts_with('-') && !name.ends_with('-') && regex.is_match(name)
    };
    let names: BTreeSet<String> = parts.into_iter().map(|part| part.text).filter(is_name).collect();
    let names: Vec<String> = names.into_iter().collect();
    match (is_whole, names.is_empty()) {
        (true, _) => ContainerNames::Only(names),
        (false, false) => ContainerNames::AndOthers(names),
        (false, true) => ContainerNames::Unlisted,
    }
}

/// A text that a part of a pattern matches, and whether it is at the start and at the end of the name.
#[derive(Debug, Clone, Default)]
struct Part {
    text: String,
    starts: bool,
    ends: bool,
}

/// The ends of the pattern at which a part is. The name may go on there.
#[derive(Debug, Clone, Copy)]
struct Edges {
    left: bool,
    right: bool,
}

impl Edges {
    const NONE: Self = Self { left: false, right: false };
}

/// The texts that a part matches; `None` if there are too many.
fn parts(hir: &Hir, edges: Edges, depth: usize) -> Option<Vec<Part>> {
    if depth > MAX_DEPTH {
        return None;
    }
    let text = |text: String| Part { text, ..Part::default() };
    match hir.kind() {
        HirKind::Literal(literal) => {
            // A literal with another character matches no container's name.
            let is_possible = literal.0.iter().all(|byte| LABEL.contains(byte));
            let literal = String::from_utf8_lossy(&literal.0).into_owned();
            Some(is_possible.then(|| text(literal)).into_iter().collect())
        }
        HirKind::Class(class) => {
            let members: Vec<Part> = LABEL
                .iter()
                .filter(|byte| has_letter(class, **byte))
                .map(|byte| text(char::from(*byte).to_string()))
                .collect();
            (members.len() <= MAX_NAMES).then_some(members)
        }
        HirKind::Look(Look::Start | Look::StartLF) => {
            Some(vec![Part { starts: true, ..Part::default() }])
        }
        HirKind::Look(Look::End | Look::EndLF) => {
            Some(vec![Part { ends: true, ..Part::default() }])
        }
        HirKind::Empty | HirKind::Look(_) => Some(vec![Part::default()]),
        HirKind::Repetition(repetition) => parts_of_repetition(repetition, edges, depth),
        HirKind::Capture(group) => parts(&group.sub, edges, depth + 1),
        HirKind::Concat(children) => {
            let last = children.len().saturating_sub(1);
            // One empty part, to which the children are joined.
            let mut all = vec![Part::default()];
            for (number, child) in children.iter().enumerate() {
                let inner =
                    Edges { left: edges.left && number == 0, right: edges.right && number == last };
                all = joined(&all, &parts(child, inner, depth + 1)?)?;
            }
            Some(all)
        }
        HirKind::Alternation(branches) => {
            let mut all = Vec::new();
            for branch in branches {
                all.extend(parts(branch, edges, depth + 1)?);
            }
            (all.len() <= MAX_NAMES).then_some(all)
        }
    }
}

/// At an edge, where the name may go on, more repeats than the fewest make no difference: `init.*` is found where
/// `init` is.
fn parts_of_repetition(repetition: &Repetition, edges: Edges, depth: usize) -> Option<Vec<Part>> {
    let is_at_edge = edges.left || edges.right;
    let most = if is_at_edge { repetition.min } else { repetition.max? };
    if repetition.min == 0 && most == 0 {
        return Some(vec![Part::default()]);
    }
    let once = parts(&repetition.sub, Edges::NONE, depth + 1)?;
    let mut times = vec![Part::default()];
    let mut all = if repetition.min == 0 { times.clone() } else { Vec::new() };
    for count in 1..=most {
        times = joined(&times, &once)?;
        if count >= repetition.min {
            all.extend_from_slice(&times);
        }
        if all.len() > MAX_NAMES {
            return None;
        }
    }
    Some(all)
}

/// The texts of one part followed by those of another; `None` if there are too many.
fn joined(before: &[Part], after: &[Part]) -> Option<Vec<Part>> {
    let mut all = Vec::new();
    for (first, second) in before.iter().flat_map(|first| after.iter().map(move |it| (first, it))) {
        // A start in the middle, or text behind an end, matches nothing.
        let is_impossible =
            (second.starts && !first.text.is_empty()) || (first.ends && !second.text.is_empty());
        if is_impossible {
            continue;
        }
        all.push(Part {
            text: format!("{}{}", first.text, second.text),
            starts: first.starts || second.starts,
            ends: first.ends || second.ends,
        });
        if all.len() > MAX_NAMES {
            return None;
        }
    }
    Some(all)
}

fn has_letter(class: &Class, letter: u8) -> bool {
    match class {
        Class::Unicode(class) => {
            let letter = char::from(letter);
            class.iter().any(|range| (range.start()..=range.end()).contains(&letter))
        }
        Class::Bytes(class) => {
            class.iter().any(|range| (range.start()..=range.end()).contains(&letter))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn finite_patterns_are_listed() {
        for (pattern, expected) in [
            ("^(main|worker)$", names(&["main", "worker"])),
            ("^(?i)MAIN$", names(&["main"])),
            ("^app-[0-2]$", names(&["app-0", "app-1", "app-2"])),
            ("^(?:a|b){1,2}$", names(&["a", "aa", "ab", "b", "ba", "bb"])),
            ("^main$|^side(car)?$", names(&["main", "side", "sidecar"])),
            ("(?m)^\\bmain\\b$", names(&["main"])),
            ("^Main$", names(&[])),
            ("a$b", names(&[])),
            ("^$", names(&[])),
        ] {
            assert_eq!(container_names(pattern), ContainerNames::Only(expected), "{pattern}");
        }
        for (pattern, expected) in [
            ("main|worker", names(&["main", "worker"])),
            ("sidecar$", names(&["sidecar"])),
            (".*init.*", names(&["init"])),
            ("^istio-(init|proxy).*", names(&["istio-init", "istio-proxy"])),
            ("(?i)MAIN", names(&["main"])),
        ] {
            assert_eq!(container_names(pattern), ContainerNames::AndOthers(expected), "{pattern}");
        }
        for pattern in ["^a.*b$", "^[0-9]{9}$", "-", "worker-[a-z]{3}"] {
            assert_eq!(container_names(pattern), ContainerNames::Unlisted, "{pattern}");
        }
        for pattern in ["", ".*", "^.*$", ".+", "^[a-z0-9-]+$", "^main|", "(main)?", "^|x", "$"] {
            assert_eq!(container_names(pattern), ContainerNames::All, "{pattern}");
        }
    }

    #[test]
    fn a_deep_pattern_is_not_listed() {
        let pattern = "(?:ab|".repeat(300) + "c" + &")?d".repeat(300);
        assert_eq!(container_names(&format!("^{pattern}$")), ContainerNames::Unlisted);
    }

    proptest! {
        #[test]
        fn names_are_those_that_match(
            pattern in "(\\^?(a|b|-|\\(a\\|bc\\)|b\\?|\\[ab\\]|\\.\\*|c\\{1,2\\}|\\\\b|\\$){1,5}\\$?\\|?){1,2}",
            name in "[a-c]([a-c-]{0,4}[a-c])?",
        ) {
            let Ok(parsed) = Pattern::parse(&pattern) else { return Ok(()) };
            let matches = parsed.regex().unwrap().is_match(&name);
            match container_names(&pattern) {
                ContainerNames::All => prop_assert!(matches, "{pattern}"),
                ContainerNames::Only(names) => prop_assert_eq!(matches, names.contains(&name), "{}", pattern),
                ContainerNames::AndOthers(names) => {
                    prop_assert!(matches || !names.contains(&name), "{pattern}");
                }
                ContainerNames::Unlisted => {}
            }
        }
    }
}
