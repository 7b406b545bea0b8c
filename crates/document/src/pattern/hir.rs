//! Translation of the tree to that of `regex-syntax`.
//!
//! Owns the meaning of each node. It neither parses nor compiles.

use regex_syntax::hir::{Class as HirClass, Hir, Look, Repetition};

use super::Pattern;
use super::ast::{Assertion, Ast, Case, Node, NodeId, Slice};
use super::sets;
use std::thread;

impl Pattern {
    /// The tree of `regex-syntax` for an unanchored search in UTF-8 text. Groups do not capture.
    pub fn to_hir(&self) -> Hir {
        with_deep_stack(self.ast.height, || to_hir_tree(&self.ast))
            .unwrap_or_else(|| to_hir_tree(&self.ast))
    }
}

pub(super) fn to_hir_tree(ast: &Ast) -> Hir {
    let hir = translate(ast);
    let empty = hir.properties().minimum_len() == Some(0);
    // Only such a pattern can match in the middle of a character; others are searched for as they are.
    if empty && ast.nodes.iter().any(is_not_word_boundary) {
        return from_character_start(hir);
    }
    hir
}

fn is_not_word_boundary(node: &Node) -> bool {
    matches!(node, Node::Assertion(Assertion::NotWordBoundary))
}

/// Restricts matches to those that start at the start of a character. Engines work on bytes and find `\B` in
/// the middle of a character, as there is no ASCII letter on either side; not all of them drop an empty match
/// there.
fn from_character_start(hir: Hir) -> Hir {
    let before = Hir::repetition(Repetition {
        min: 0,
        max: None,
        greedy: false,
        sub: Box::new(Hir::dot(regex_syntax::hir::Dot::AnyChar)),
    });
    Hir::concat(vec![Hir::look(Look::Start), before, hir])
}

/// Children come before parents, so one pass suffices, without recursion.
fn translate(ast: &Ast) -> Hir {
    let mut done: Vec<Option<Hir>> = Vec::with_capacity(ast.nodes.len());
    for node in &ast.nodes {
        let hir = node_hir(ast, node, &mut done);
        done.push(hir);
    }
    take_child(&mut done, ast.root)
}

fn take_child(done: &mut [Option<Hir>], id: NodeId) -> Hir {
    done[id.index()].take().unwrap_or_else(Hir::empty)
}

fn node_hir(ast: &Ast, node: &Node, done: &mut [Option<Hir>]) -> Option<Hir> {
    let hir = match node {
        Node::Vacant => return None,
        Node::Empty => Hir::empty(),
        Node::Literal { runes, case } => literal(ast, *runes, *case),
        Node::AnyChar => Hir::dot(regex_syntax::hir::Dot::AnyChar),
        Node::AnyCharButNewline => Hir::dot(regex_syntax::hir::Dot::AnyCharExceptLF),
        Node::Class(class) => Hir::class(HirClass::Unicode(sets::class(ast, class))),
        Node::Assertion(assertion) => Hir::look(assertion_look(*assertion)),
        // Only whether there is a match counts, so that no text is captured.
        Node::Capture(child) => take_child(done, *child),
        Node::Repeat { child, min, max } => Hir::repetition(Repetition {
            min: *min,
            max: *max,
            // Greediness has no effect on whether there is a match.
            greedy: true,
            sub: Box::new(take_child(done, *child)),
        }),
        Node::Concat(list) => {
            Hir::concat(ast.children(*list).map(|id| take_child(done, id)).collect())
        }
        Node::Alternate(list) => {
            Hir::alternation(ast.children(*list).map(|id| take_child(done, id)).collect())
        }
    };
    Some(hir)
}

fn literal(ast: &Ast, runes: Slice, case: Case) -> Hir {
    let runes = runes.of(&ast.runes);
    // UTF-8 text has no surrogates, so a literal with one matches nothing.
    let Some(text) = runes.iter().map(|rune| char::from_u32(*rune)).collect::<Option<String>>()
    else {
        return Hir::fail();
    };
    match case {
        Case::Sensitive => Hir::literal(text.into_bytes()),
        Case::Folded => Hir::concat(
            text.chars().map(|c| Hir::class(HirClass::Unicode(sets::folded(c)))).collect(),
        ),
    }
}

fn assertion_look(assertion: Assertion) -> Look {
    match assertion {
        Assertion::TextStart => Look::Start,
        Assertion::TextEnd => Look::End,
        Assertion::LineStart => Look::StartLF,
        Assertion::LineEnd => Look::EndLF,
        Assertion::WordBoundary => Look::WordAscii,
        Assertion::NotWordBoundary => Look::WordAsciiNegate,
    }
}

/// Trees of at least this height are processed on a thread with a larger stack. Without optimisation a level
/// takes up to 10 KiB, so lower trees fit into the stack of any thread.
const MIN_DEEP_HEIGHT: u32 = 16;

/// The size of that stack, in bytes: enough for the 1000 levels that Go allows. Memory is allocated
/// only as it is used.
const DEEP_STACK_BYTES: usize = 64 << 20;

/// Runs `work`, which recurses over a tree of this height; `None` if the thread cannot be started. The passes
/// of this module do not recurse, but those of `regex-syntax` and `regex-automata` do.
pub(super) fn with_deep_stack<T: Send>(height: u32, work: impl FnOnce() -> T + Send) -> Option<T> {
    if height < MIN_DEEP_HEIGHT {
        return Some(work());
    }
    thread::scope(|scope| {
        let worker =
            thread::Builder::new().stack_size(DEEP_STACK_BYTES).spawn_scoped(scope, work).ok()?;
        worker.join().ok()
    })
}

#[cfg(test)]
pub(super) mod tests {
    use regex_syntax::hir::{Class as HirClass, HirKind};

    use crate::pattern::Pattern;

    /// Whether a pattern, which must be valid, is found in a text.
    pub(crate) fn matches(pattern: &str, text: &str) -> bool {
        let pattern = Pattern::parse(pattern).expect(pattern);
        pattern.regex().expect("small").is_match(text)
    }

    /// All characters that a pattern for one character matches.
    pub(crate) fn members(pattern: &str) -> Vec<char> {
        let hir = Pattern::parse(pattern).expect(pattern).to_hir();
        match hir.kind() {
            HirKind::Class(HirClass::Unicode(set)) => {
                set.iter().flat_map(|range| range.start()..=range.end()).collect()
            }
            HirKind::Literal(literal) => String::from_utf8_lossy(&literal.0).chars().collect(),
            other => panic!("{pattern} is {other:?}"),
        }
    }

    #[test]
    fn words_are_ascii() {
        assert!(matches("\\bé", "aé") && !matches("\\bé", "é") && matches("é\\b", "éa"));
        assert!(!matches("(?i)\\bſ", " ſ"));
    }

    #[test]
    fn no_match_lies_within_a_character() {
        // `\B` holds between the bytes of `é`, as neither is a letter.
        assert!(!matches("\\B", "aéb") && !matches("\\B*\\B", "aéb") && matches("\\B", "é"));
        assert!(!matches("^\\B", "a") && matches("\\B|x", "") && matches("a\\B", "ab"));
    }

    #[test]
    fn empty_patterns_match_everything() {
        for pattern in ["", "()", "a|", "|", "(?i)", "(?:)*", "a{0}", "\\Q\\E"] {
            assert!(matches(pattern, "") && matches(pattern, "b"), "{pattern}");
        }
    }

    #[test]
    fn groups_dissolve_without_changing_the_answer() {
        assert!(matches("^a(?:b(?:c|d)e(?:f))g$", "abdefg"));
        assert!(matches("^(?:a|(?:b|(?:cd|e)))$", "cd") && matches("^(?:a(?:|b)c)$", "ac"));
        assert!(matches("^(?:ab)*c$", "ababc") && !matches("^ab*c$", "ababc"));
    }
}
