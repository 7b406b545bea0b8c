//! Texts that some patterns match and others do not: intersection and difference of regular languages.
//!
//! The automata of the patterns run side by side, beside one that admits UTF-8 alone. A breadth-first search over
//! their common states finds a shortest text, or that there is none.

use super::Pattern;
use super::hir::with_deep_stack;
use regex_automata::Input;
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, Config, DFA};
use regex_automata::nfa::thompson::{Compiler, Config as NfaConfig};
use std::collections::{HashMap, HashSet};

/// Limit of the common states of one search. Patterns on words of messages have some tens to hundreds.
const MAX_STATES: usize = 4096;
/// Limit of the memory of an automaton, in bytes.
const MAX_MEMORY: usize = 4 << 20;

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// A text that was searched, one of the shortest.
    Text(String),
    /// There is no such text.
    Empty,
    /// The search was stopped: the automata are too large.
    Unknown,
}

/// Searches a text that is not empty, in which `wanted` is found, or that is any text if it is `None`, and none of
/// `others`.
pub fn difference(wanted: Option<&Pattern>, others: &[&Pattern]) -> Difference {
    separating_text(&wanted.into_iter().collect::<Vec<_>>(), others)
}

/// Searches a text that is not empty, in which all of these patterns are found.
pub fn common_text(wanted: &[&Pattern]) -> Difference {
    separating_text(wanted, &[])
}

/// Searches a text that is not empty, in which all of `wanted` are found and none of `others`.
pub fn separating_text(wanted: &[&Pattern], others: &[&Pattern]) -> Difference {
    let automata = |patterns: &[&Pattern]| -> Option<Vec<Automaton>> {
        patterns.iter().map(|it| Automaton::new(it)).collect()
    };
    let search = automata(wanted).zip(automata(others));
    let found = search.and_then(|(wanted, others)| Search::new(wanted, others).run());
    found.unwrap_or(Difference::Unknown)
}

/// The automaton of a pattern, whose states are made as they are entered.
struct Automaton {
    dfa: DFA,
    cache: Cache,
}

/// A state of an automaton before the end of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum State {
    /// The text has no match so far.
    At(LazyStateID),
    /// The text has a match, whatever follows.
    Matched,
}

impl Automaton {
    fn new(pattern: &Pattern) -> Option<Self> {
        let hir = pattern.to_hir();
        let nfa_config = NfaConfig::new().nfa_size_limit(Some(MAX_MEMORY));
        let build = || {
            let nfa = Compiler::new().configure(nfa_config).build_from_hir(&hir).ok()?;
            // Numbers of states must stay valid, so the cache is never cleared.
            let config =
                Config::new().cache_capacity(MAX_MEMORY).minimum_cache_clear_count(Some(0));
            DFA::builder().configure(config).build_from_nfa(nfa).ok()
        };
        let dfa = with_deep_stack(pattern.ast.height, build).flatten()?;
        let cache = dfa.create_cache();
        Some(Self { dfa, cache })
    }

    fn start(&mut self) -> Option<State> {
        let start = self.dfa.start_state_forward(&mut self.cache, &Input::new("")).ok()?;
        Some(State::At(start))
    }

    fn next(&mut self, state: State, byte: u8) -> Option<State> {
        let State::At(id) = state else { return Some(State::Matched) };
        let next = self.dfa.next_state(&mut self.cache, id, byte).ok()?;
        (!next.is_quit()).then_some(if next.is_match() { State::Matched } else { State::At(next) })
    }

    /// Whether the text has a match if it ends here.
    fn is_match_at_end(&mut self, state: State) -> Option<bool> {
        let State::At(id) = state else { return Some(true) };
        Some(self.dfa.next_eoi_state(&mut self.cache, id).ok()?.is_match())
    }
}

/// The position in a character of UTF-8; `Utf8(0)` is the end of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Utf8(u8);

impl Utf8 {
    const BOUNDARY: Self = Self(0);

    /// The state after a byte, which is not allowed for `None` (Unicode, table 3-7).
    fn next(self, byte: u8) -> Option<Self> {
        Some(Self(match (self.0, byte) {
            (0, 0x00..=0x7f) | (1, 0x80..=0xbf) => 0,
            (0, 0xc2..=0xdf) | (2, 0x80..=0xbf) | (4, 0xa0..=0xbf) | (5, 0x80..=0x9f) => 1,
            (0, 0xe1..=0xec | 0xee..=0xef)
            | (3, 0x80..=0xbf)
            | (6, 0x90..=0xbf)
            | (7, 0x80..=0x8f) => 2,
            (0, 0xf1..=0xf3) => 3,
            (0, 0xe0) => 4,
            (0, 0xed) => 5,
            (0, 0xf0) => 6,
            (0, 0xf4) => 7,
            _ => return None,
        }))
    }

    /// The class of a byte: bytes of one class lead to the same states.
    fn class(byte: u8) -> [Option<Self>; 8] {
        [0, 1, 2, 3, 4, 5, 6, 7].map(|state| Self(state).next(byte))
    }
}

/// A common state of all automata.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Common {
    utf8: Utf8,
    wanted: Vec<State>,
    others: Vec<State>,
}

struct Search {
    wanted: Vec<Automaton>,
    others: Vec<Automaton>,
    bytes: Vec<u8>,
    /// Each state that was reached, with the number of the one before it and the byte between them.
    reached: Vec<(Common, usize, u8)>,
    numbers: HashMap<Common, usize>,
}

impl Search {
    fn new(wanted: Vec<Automaton>, others: Vec<Automaton>) -> Self {
        let bytes = representatives(wanted.iter().chain(&others));
        Self { wanted, others, bytes, reached: Vec::new(), numbers: HashMap::new() }
    }

    /// `None` if an automaton is too large.
    fn run(mut self) -> Option<Difference> {
        let wanted = self.wanted.iter_mut().map(Automaton::start).collect::<Option<_>>()?;
        let others = self.others.iter_mut().map(Automaton::start).collect::<Option<_>>()?;
        self.add(Common { utf8: Utf8::BOUNDARY, wanted, others }, 0, 0);
        let mut at = 0;
        while let Some((common, ..)) = self.reached.get(at) {
            let common = common.clone();
            if at > 0 && self.is_found(&common)? {
                return Some(Difference::Text(self.text(at)?));
            }
            for byte in self.bytes.clone() {
                if let Some(next) = self.next(&common, byte)? {
                    self.add(next, at, byte);
                }
            }
            if self.reached.len() > MAX_STATES {
                return Some(Difference::Unknown);
            }
            at += 1;
        }
        Some(Difference::Empty)
    }

    fn add(&mut self, common: Common, before: usize, byte: u8) {
        // The start is no text: the same state after some bytes is another one.
        let is_new = self.reached.is_empty() || !self.numbers.contains_key(&common);
        if is_new {
            if !self.reached.is_empty() {
                self.numbers.insert(common.clone(), self.reached.len());
            }
            self.reached.push((common, before, byte));
        }
    }

    /// Whether the text is one of those searched if it ends in this state.
    fn is_found(&mut self, common: &Common) -> Option<bool> {
        if common.utf8 != Utf8::BOUNDARY {
            return Some(false);
        }
        for (automaton, state) in self.wanted.iter_mut().zip(&common.wanted) {
            if !automaton.is_match_at_end(*state)? {
                return Some(false);
            }
        }
        for (automaton, state) in self.others.iter_mut().zip(&common.others) {
            if automaton.is_match_at_end(*state)? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// The state after a byte; `None` inside if no text that is searched goes on so.
    #[expect(clippy::option_option, reason = "an automaton that is too large is another case")]
    fn next(&mut self, common: &Common, byte: u8) -> Option<Option<Common>> {
        let Some(utf8) = common.utf8.next(byte) else { return Some(None) };
        let mut wanted = Vec::with_capacity(common.wanted.len());
        for (automaton, state) in self.wanted.iter_mut().zip(&common.wanted) {
            match automaton.next(*state, byte)? {
                State::At(id) if id.is_dead() => return Some(None),
                state => wanted.push(state),
            }
        }
        let mut others = Vec::with_capacity(common.others.len());
        for (automaton, state) in self.others.iter_mut().zip(&common.others) {
            match automaton.next(*state, byte)? {
                State::Matched => return Some(None),
                at @ State::At(_) => others.push(at),
            }
        }
        Some(Some(Common { utf8, wanted, others }))
    }

    fn text(&self, mut at: usize) -> Option<String> {
        let mut bytes = Vec::new();
        while at > 0 {
            let (_, before, byte) = &self.reached[at];
            bytes.push(*byte);
            at = *before;
        }
        bytes.reverse();
        String::from_utf8(bytes).ok()
    }
}

/// One byte of each set of bytes between which no automaton distinguishes: letters and digits first, so that they are
/// in the texts.
fn representatives<'a>(automata: impl Iterator<Item = &'a Automaton>) -> Vec<u8> {
    let automata: Vec<&Automaton> = automata.collect();
    let usual = (b'a'..=b'z').chain(b'0'..=b'9').chain(b'A'..=b'Z').chain(b' '..=b'~');
    let mut seen = HashSet::new();
    let is_new = |byte: &u8| {
        let classes: Vec<u8> =
            automata.iter().map(|automaton| automaton.dfa.byte_classes().get(*byte)).collect();
        seen.insert((classes, Utf8::class(*byte)))
    };
    usual.chain(0..=u8::MAX).filter(is_new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::select;

    fn found(wanted: Option<&str>, others: &[&str]) -> Difference {
        let parse = |text: &&str| Pattern::parse(text).expect(text);
        let wanted = wanted.as_ref().map(parse);
        let others: Vec<Pattern> = others.iter().map(parse).collect();
        difference(wanted.as_ref(), &others.iter().collect::<Vec<_>>())
    }

    #[test]
    fn a_text_of_several_patterns() {
        let found = |patterns: &[&str]| {
            let all: Vec<Pattern> =
                patterns.iter().map(|text| Pattern::parse(text).expect(text)).collect();
            common_text(&all.iter().collect::<Vec<_>>())
        };
        assert_eq!(found(&["^a+$", "aaa", "a"]), Difference::Text("aaa".to_owned()));
        assert_eq!(found(&["^code [0-9]$", "code 12"]), Difference::Empty);
        assert_eq!(found(&["^code (3|12)$", "12"]), Difference::Text("code 12".to_owned()));
        assert_eq!(found(&["^a", "^b"]), Difference::Empty);
    }

    #[test]
    fn a_text_of_one_pattern_without_others() {
        let text = |text: &str| Difference::Text(text.to_owned());
        for (wanted, others, expected) in [
            (None, &[][..], text("a")),
            (None, &["[a-z]"], text("0")),
            (None, &["."], text("\n")),
            (None, &["(?s)."], Difference::Empty),
            (None, &["[^é]"], text("é")),
            (Some("a|b"), &["a"], text("b")),
            (Some("^quota$"), &["quota"], Difference::Empty),
            (Some("quota"), &["^quota$"], text("aquota")),
            (Some("(?i)oom"), &["oom", "OOM"], text("oOM")),
            (Some("error"), &["e", "r{3}"], Difference::Empty),
            (Some("x*"), &["x"], text("a")),
            (Some(r"a\bb"), &[], Difference::Empty),
            (Some(r"\bfoo\b"), &["^foo$"], text("\0foo")),
        ] {
            let found = found(wanted, others);
            match (&found, &expected) {
                // Only the length of the shortest text is fixed.
                (Difference::Text(one), Difference::Text(other)) => {
                    assert_eq!(one.chars().count(), other.chars().count(), "{wanted:?} {one:?}");
                }
                _ => assert_eq!(found, expected, "{wanted:?} without {others:?}"),
            }
        }
    }

    #[test]
    fn large_automata_stop_the_search() {
        assert_eq!(found(Some("(a|b)*a(a|b){20}c"), &["a(a|b){14}c"]), Difference::Unknown);
        assert_eq!(found(None, &[&r"\pL{1000}".repeat(8)]), Difference::Unknown);
    }

    fn pattern() -> impl Strategy<Value = String> {
        let leaf = select(vec![
            "a", "b", "ab", ".", "[^a]", "^", "$", r"\b", r"\B", "é", "(?s).", r"\A", r"\z",
            "(?m)^", "(?m)$", r"\s", "",
        ]);
        leaf.prop_map(str::to_owned).prop_recursive(3, 8, 3, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 1..3).prop_map(|parts| parts.concat()),
                prop::collection::vec(inner.clone(), 2..3)
                    .prop_map(|parts| format!("(?:{})", parts.join("|"))),
                (inner, select(vec!["?", "*", "+", "{2}"]))
                    .prop_map(|(inner, times)| format!("(?:{inner}){times}")),
            ]
        })
    }

    /// All texts of up to three of some characters.
    fn short_texts() -> impl Iterator<Item = String> {
        let characters = ['a', 'b', ' ', '\n', 'é'];
        let longer = move |text: &String| characters.map(|c| format!("{text}{c}"));
        let one: Vec<String> = longer(&String::new()).into();
        let two: Vec<String> = one.iter().flat_map(longer).collect();
        let three: Vec<String> = two.iter().flat_map(longer).collect();
        one.into_iter().chain(two).chain(three)
    }

    proptest! {
        #[test]
        fn it_is_that_of_all_short_texts(
            wanted in prop::option::of(pattern()), others in prop::collection::vec(pattern(), 0..3),
        ) {
            let parse = |text: &String| Pattern::parse(text).unwrap();
            let wanted = wanted.as_ref().map(parse);
            let others: Vec<Pattern> = others.iter().map(parse).collect();
            let regex = wanted.as_ref().map(|it| it.regex().unwrap());
            let regexes: Vec<_> = others.iter().map(|it| it.regex().unwrap()).collect();
            let is_found = |text: &String| {
                regex.as_ref().is_none_or(|it| it.is_match(text))
                    && !regexes.iter().any(|it| it.is_match(text))
            };
            match difference(wanted.as_ref(), &others.iter().collect::<Vec<_>>()) {
                Difference::Text(text) => prop_assert!(!text.is_empty() && is_found(&text), "{text:?}"),
                Difference::Empty => {
                    let text = short_texts().find(is_found);
                    prop_assert!(text.is_none(), "{text:?}");
                }
                Difference::Unknown => prop_assert!(false, "small patterns"),
            }
        }
    }
}
