//! Literals that every match of a pattern contains.
//!
//! With them, a caller can exclude most patterns of a long list in one scan of a text. They are necessary for
//! a match, not sufficient: the automaton decides.

use regex_syntax::hir::literal::rank;
use regex_syntax::hir::{Class, Hir, HirKind};

use super::Pattern;

/// Parts of trees below this depth are assumed to require nothing.
// They are rare, and this limits the recursion.
const MAX_DEPTH: usize = 40;
/// The maximum number of literals: a longer list excludes too few texts to be worth scanning for.
const MAX_LITERALS: usize = 16;

impl Pattern {
    /// Literals of at least `length` bytes, one of which every ASCII text that the pattern matches contains.
    /// Both are compared after each byte is passed through `fold`. `None` if there is no short list.
    ///
    /// It does not apply to other texts: under `(?i)`, `k` and `s` also match characters outside ASCII.
    pub fn required_literals(&self, length: usize) -> Option<Vec<Vec<u8>>> {
        required(&self.to_hir(), length, 0)
    }
}

/// Makes an ASCII letter lower case. Other bytes may collide, which only adds false candidates.
pub const fn fold(byte: u8) -> u8 {
    byte | 0x20
}

fn required(hir: &Hir, length: usize, depth: usize) -> Option<Vec<Vec<u8>>> {
    if depth > MAX_DEPTH {
        return None;
    }
    match hir.kind() {
        HirKind::Concat(parts) => required_of_concat(parts, length, depth),
        HirKind::Alternation(branches) => {
            let mut all = Vec::new();
            for branch in branches {
                // A branch that requires nothing makes the whole alternation useless.
                all.extend(required(branch, length, depth + 1)?);
            }
            // After all branches: a long list is not shortened, as each branch needs one.
            (all.len() <= MAX_LITERALS).then_some(all)
        }
        // A repeat that may be left out requires nothing.
        HirKind::Repetition(repeat) if repeat.min > 0 => required(&repeat.sub, length, depth + 1),
        HirKind::Capture(group) => required(&group.sub, length, depth + 1),
        _ => required_of_concat(std::slice::from_ref(hir), length, depth),
    }
}

/// The best of the literals that single parts require and of those that consecutive parts form together.
fn required_of_concat(parts: &[Hir], length: usize, depth: usize) -> Option<Vec<Vec<u8>>> {
    let mut best: Option<Vec<Vec<u8>>> = None;
    let mut offer = |found: Vec<Vec<u8>>| {
        if best.as_ref().is_none_or(|best| literals_rank(&found) > literals_rank(best)) {
            best = Some(found);
        }
    };
    let mut run = Vec::new();
    for part in parts {
        if extend_literal(&mut run, part) {
            continue;
        }
        let joined: Vec<_> = possible_literals(part)
            .into_iter()
            .map(|way| [run.as_slice(), &way].concat())
            .collect();
        if !joined.is_empty() && joined.iter().all(|literal| literal.len() >= length) {
            offer(joined);
        }
        if run.len() >= length {
            offer(vec![std::mem::take(&mut run)]);
        }
        run.clear();
        let compound = !matches!(part.kind(), HirKind::Class(_) | HirKind::Literal(_));
        if let Some(found) = compound.then(|| required(part, length, depth + 1)).flatten() {
            offer(found);
        }
    }
    if run.len() >= length {
        offer(vec![run]);
    }
    best
}

/// The literals of an alternation; empty for any other part, or if an alternative is not a literal.
fn possible_literals(part: &Hir) -> Vec<Vec<u8>> {
    let HirKind::Alternation(branches) = part.kind() else { return Vec::new() };
    let fixed = |branch: &Hir| {
        let mut run = Vec::new();
        extend_literal(&mut run, branch).then_some(run)
    };
    let possible_literals: Option<Vec<_>> = branches.iter().map(fixed).collect();
    possible_literals
        .filter(|possible_literals| possible_literals.len() <= MAX_LITERALS)
        .unwrap_or_default()
}

/// Appends the literal of a part; returns `false` and appends nothing if the part is not a fixed
/// literal.
fn extend_literal(run: &mut Vec<u8>, part: &Hir) -> bool {
    match part.kind() {
        HirKind::Concat(parts) => {
            let before = run.len();
            let fixed = parts.iter().all(|part| extend_literal(run, part));
            if !fixed {
                run.truncate(before);
            }
            fixed
        }
        HirKind::Empty | HirKind::Look(_) => true,
        HirKind::Literal(literal) => {
            run.extend(literal.0.iter().copied().map(fold));
            true
        }
        HirKind::Class(class) => folded_letter(class).map(|byte| run.push(byte)).is_some(),
        _ => false,
    }
}

/// The byte that all ASCII characters of a class fold to, such as `c` for `[Cc]`.
fn folded_letter(class: &Class) -> Option<u8> {
    let Class::Unicode(class) = class else { return None };
    let ascii = |end: char| u8::try_from(end).ok().filter(u8::is_ascii);
    let mut folded = None;
    for range in class.ranges().iter().take_while(|range| range.start().is_ascii()) {
        let byte = fold(ascii(range.start())?);
        // A range of several letters folds to several bytes.
        if range.start() != range.end() || folded.is_some_and(|known| known != byte) {
            return None;
        }
        folded = Some(byte);
    }
    folded
}

/// The rank of a list of literals: few, long and rare ones are best.
fn literals_rank(literals: &[Vec<u8>]) -> (std::cmp::Reverse<usize>, u32) {
    let rarity = |literal: &Vec<u8>| literal.iter().map(|byte| 255 - u32::from(rank(*byte))).sum();
    // The least rare literal decides, as it is found most often.
    let least = literals.iter().map(rarity).min().unwrap_or(0);
    (std::cmp::Reverse(literals.len()), least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    fn of(pattern: &str) -> Option<Vec<String>> {
        let found = Pattern::parse(pattern).unwrap().required_literals(5)?;
        Some(found.into_iter().map(|text| String::from_utf8(text).unwrap()).collect())
    }

    #[expect(clippy::unnecessary_wraps, reason = "compared with what may be none")]
    fn list(texts: &[&str]) -> Option<Vec<String>> {
        Some(texts.iter().map(|text| (*text).to_owned()).collect())
    }

    #[test]
    fn literals_on_every_way_through_a_pattern() {
        assert_eq!(of("(?i)CUDA error"), list(&["cuda error"]));
        assert_eq!(of("connection (reset|refused)"), list(&["connection "]));
        assert_eq!(of("(?i)tcp (time|error)"), list(&["tcp time", "tcp error"]));
        assert_eq!(of("Input/output|no such file"), list(&["input/output", "no such file"]));
        assert_eq!(of("NCCL (timeout|error)"), list(&["nccl "]));
        assert_eq!(of("a (ab|timeout|error)"), None);
        assert_eq!(of("tcp (read|write)"), list(&["tcp read", "tcp write"]));
        assert_eq!(of(r"a\d+(?:timeout){2}$"), list(&["timeout"]));
        assert_eq!(of(r"\bfoo\b bar$"), list(&["foo bar"]));
    }

    #[test]
    fn nothing_where_a_match_may_do_without() {
        for pattern in [".*", "", "abcd", "(?:timeout)?", "timeout|x", "[a-z]{9}"] {
            assert_eq!(of(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn letters_beyond_ascii_are_not_asked_for() {
        assert_eq!(of("(?i)permission denied"), list(&["permission denied"]));
        assert_eq!(of("(?i)größe überall"), list(&["berall"]));
    }

    /// Patterns with the same meaning in Go and in Rust, so that matching texts can be generated.
    fn pattern() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            3 => "[a-zA-Z /_@]{1,9}",
            1 => select(vec!["[0-9]", ".", "é", r"\.", "[xX]", "", "(?i:Timeout)", "(?i:kiss)"])
                .prop_map(str::to_owned),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
                vec(inner.clone(), 1..4).prop_map(|parts| format!("(?:{})", parts.join("|"))),
                (inner, select(vec!["?", "*", "+", "{2}", "{0,2}", "{1,3}"]))
                    .prop_map(|(inner, times)| format!("(?:{inner}){times}")),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_match_has_one_of_them(
            (pattern, text) in pattern().prop_flat_map(|pattern| {
                let text = proptest::string::string_regex(&pattern).unwrap();
                (Just(pattern), ("[a-z]{0,3}", text, "[a-z]{0,3}").prop_map(|(a, b, c)| a + &b + &c))
            })
        ) {
            let parsed = Pattern::parse(&pattern).unwrap();
            prop_assert!(parsed.regex().unwrap().is_match(&text));
            let folded: Vec<u8> = text.bytes().map(fold).collect();
            let has = |literal: &Vec<u8>| folded.windows(literal.len()).any(|bytes| bytes == *literal);
            for length in [1, 3, 6] {
                let Some(literals) = parsed.required_literals(length) else { continue };
                prop_assume!(text.is_ascii());
                prop_assert!(literals.iter().all(|literal| literal.len() >= length));
                prop_assert!(literals.iter().any(has), "{} in {:?}", pattern, text);
            }
        }
    }
}
