//! Texts that some patterns match and others do not: intersection and difference of regular languages.
//!
//! The automata of the patterns run side by side, beside one that admits UTF-8 alone. A breadth-first search over
//! their common states finds a shortest text, or that there is none.

use super::Pattern;
use super::automaton::{Automaton, State, Utf8};
use super::hir::with_deep_stack;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

/// Limit of the common states of one search. Patterns on words of messages have some tens to hundreds.
const MAX_STATES: usize = 4096;
/// Limit of the memory of all automata between searches, in bytes.
const MAX_KEPT: usize = 48 << 20;

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
    Automata::default().separating_text(wanted, others)
}

/// Automata of patterns, kept for further searches: their states are then computed once.
#[derive(Debug, Default)]
pub struct Automata {
    /// `None` for a pattern whose automaton is too large.
    known: HashMap<Pattern, Option<Automaton>>,
}

impl Automata {
    /// Searches a text that is not empty, in which all of `wanted` are found and none of `others`.
    pub fn separating_text(&mut self, wanted: &[&Pattern], others: &[&Pattern]) -> Difference {
        // Without a search: equal patterns are common among the rules of one policy.
        if wanted.iter().any(|it| others.contains(it)) {
            return Difference::Empty;
        }
        // Automata build their states while they search, so that they grow.
        let memory: usize = self.known.values().flatten().map(Automaton::memory).sum();
        if memory > MAX_KEPT {
            self.known.clear();
        }
        let patterns: Vec<&Pattern> = wanted.iter().chain(others).copied().collect();
        let mut automata = Vec::new();
        for pattern in &patterns {
            // Taken out while the search changes it; `keep` puts it back.
            let known = self.known.remove(*pattern);
            let Some(automaton) = known.unwrap_or_else(|| build(pattern)) else {
                self.known.insert((*pattern).clone(), None);
                self.keep(&patterns, automata);
                return Difference::Unknown;
            };
            automata.push(automaton);
        }
        let has_states = automata.iter().any(Automaton::is_used);
        let mut search = Search::new(automata, wanted.len());
        let mut found = search.run();
        // The states of earlier searches take memory that this one needs.
        if found.is_none() && has_states {
            search.automata.iter_mut().for_each(Automaton::reset);
            found = search.run();
        }
        self.keep(&patterns, search.automata);
        found.unwrap_or(Difference::Unknown)
    }

    fn keep(&mut self, patterns: &[&Pattern], automata: Vec<Automaton>) {
        let each = patterns.iter().map(|it| (*it).clone()).zip(automata.into_iter().map(Some));
        self.known.extend(each);
    }
}

fn build(pattern: &Pattern) -> Option<Automaton> {
    let hir = pattern.to_hir();
    with_deep_stack(pattern.ast.height, || Automaton::new(&hir)).flatten()
}

/// A common state of all automata.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Common {
    utf8: Utf8,
    /// Those of the wanted patterns, then those of the others.
    states: Rc<[State]>,
}

struct Search {
    automata: Vec<Automaton>,
    /// The number of the wanted patterns, which are first.
    wanted: usize,
    bytes: Vec<u8>,
    /// Each state that was reached, with the number of the one before it and the byte between them.
    reached: Vec<(Common, usize, u8)>,
    known: HashSet<Common, BuildHasherDefault<StateHasher>>,
    /// The states after a byte.
    next: Vec<State>,
}

impl Search {
    fn new(automata: Vec<Automaton>, wanted: usize) -> Self {
        let bytes = representatives(&automata);
        let (reached, known, next) = (Vec::new(), HashSet::default(), Vec::new());
        Self { automata, wanted, bytes, reached, known, next }
    }

    /// `None` if an automaton is too large.
    fn run(&mut self) -> Option<Difference> {
        self.reached.clear();
        self.known.clear();
        let states = self.automata.iter_mut().map(Automaton::start).collect::<Option<_>>()?;
        // The start is not among the known states: a text that leads back to it is not empty.
        self.reached.push((Common { utf8: Utf8::BOUNDARY, states }, 0, 0));
        let mut at = 0;
        // States are searched in the order of their length, so that the text is a shortest one.
        while let Some((common, ..)) = self.reached.get(at) {
            let common = common.clone();
            // An empty text is never wanted, since a rule matches no empty message.
            if at > 0 && self.is_found(&common)? {
                return Some(Difference::Text(self.text(at)?));
            }
            for place in 0..self.bytes.len() {
                let byte = self.bytes[place];
                if let Some(utf8) = common.utf8.next(byte)
                    && self.step(&common, byte)?
                {
                    self.add(utf8, at, byte);
                }
            }
            if self.reached.len() > MAX_STATES {
                return Some(Difference::Unknown);
            }
            at += 1;
        }
        Some(Difference::Empty)
    }

    /// Adds the state of `next`, unless it is known.
    fn add(&mut self, utf8: Utf8, before: usize, byte: u8) {
        let common = Common { utf8, states: self.next.as_slice().into() };
        if self.known.insert(common.clone()) {
            self.reached.push((common, before, byte));
        }
    }

    /// Whether the text is one of those searched if it ends in this state.
    fn is_found(&mut self, common: &Common) -> Option<bool> {
        // In the middle of a character there is no text yet.
        if common.utf8 != Utf8::BOUNDARY {
            return Some(false);
        }
        for (place, (automaton, state)) in
            self.automata.iter_mut().zip(common.states.iter()).enumerate()
        {
            if automaton.is_match_at_end(*state)? != (place < self.wanted) {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Sets `next` to the states after a byte. False if no text that is searched goes on so.
    fn step(&mut self, common: &Common, byte: u8) -> Option<bool> {
        self.next.clear();
        for (place, (automaton, state)) in
            self.automata.iter_mut().zip(common.states.iter()).enumerate()
        {
            let state = automaton.next(*state, byte)?;
            let is_lost = match state {
                // A wanted pattern that can match no longer, or another one that has matched, excludes all longer
                // texts.
                State::At(id) => place < self.wanted && id.is_dead(),
                State::Matched => place >= self.wanted,
            };
            if is_lost {
                return Some(false);
            }
            self.next.push(state);
        }
        Some(true)
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

/// Hashes numbers of states. They are not input, so that a fast hash is safe, unlike for keys from files.
#[derive(Debug, Default)]
struct StateHasher(u64);

impl Hasher for StateHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        // The multiplier is 2^64 divided by the golden ratio.
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u64(number.unsigned_abs() as u64);
    }
}

/// One byte of each set of bytes between which no automaton distinguishes: letters and digits first, so that they are
/// in the texts.
fn representatives(automata: &[Automaton]) -> Vec<u8> {
    let usual = (b'a'..=b'z').chain(b'0'..=b'9').chain(b'A'..=b'Z').chain(b' '..=b'~');
    let mut seen = HashSet::new();
    let is_new = |byte: &u8| {
        let classes: Vec<u8> = automata.iter().map(|automaton| automaton.class(*byte)).collect();
        seen.insert((classes, Utf8::class(*byte)))
    };
    // In this order a text of several shortest ones has letters, which a person reads more easily than control
    // characters.
    usual.chain(0..=u8::MAX).filter(is_new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::select;
    use regex_automata::{Input, PatternID, PatternSet};

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
            let set = Pattern::regex_set(wanted.iter().chain(&others)).unwrap();
            let is_found = |text: &String| {
                let alone = regex.as_ref().is_none_or(|it| it.is_match(text))
                    && !regexes.iter().any(|it| it.is_match(text));
                let mut found = PatternSet::new(set.pattern_len());
                set.which_overlapping_matches(&Input::new(text), &mut found);
                let first_other = usize::from(wanted.is_some());
                let together = (wanted.is_none() || found.contains(PatternID::ZERO))
                    && found.iter().all(|it| it.as_usize() < first_other);
                assert_eq!(alone, together, "{text:?}");
                alone
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
