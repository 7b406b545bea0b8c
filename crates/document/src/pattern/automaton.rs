//! The automaton of a pattern, whose states are made as they are entered, and that of UTF-8.

use regex_automata::Input;
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, Config, DFA};
use regex_automata::nfa::thompson::{Compiler, Config as NfaConfig};
use regex_syntax::hir::Hir;

/// Limit of the memory of an automaton, in bytes: two that reach it are compared within a second (`benches/compare`).
const MAX_MEMORY: usize = 3 << 20;

/// The automaton of a pattern, whose states are made as they are entered.
#[derive(Debug)]
pub(super) struct Automaton {
    dfa: DFA,
    cache: Cache,
    is_used: bool,
}

/// A state of an automaton before the end of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum State {
    /// The text has no match so far.
    At(LazyStateID),
    /// The text has a match, whatever follows.
    Matched,
}

impl Automaton {
    /// The automaton of a pattern; none if it is too large.
    pub(super) fn new(pattern: &Hir) -> Option<Self> {
        let nfa_config = NfaConfig::new().nfa_size_limit(Some(MAX_MEMORY));
        let nfa = Compiler::new().configure(nfa_config).build_from_hir(pattern).ok()?;
        // Numbers of states must stay valid, so the cache is never cleared.
        let config = Config::new().cache_capacity(MAX_MEMORY).minimum_cache_clear_count(Some(0));
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa).ok()?;
        let cache = dfa.create_cache();
        Some(Self { dfa, cache, is_used: false })
    }

    /// Whether a search has made states.
    pub(super) fn is_used(&self) -> bool {
        self.is_used
    }

    pub(super) fn reset(&mut self) {
        self.cache.reset(&self.dfa);
    }

    /// The memory in bytes.
    pub(super) fn memory(&self) -> usize {
        self.dfa.memory_usage() + self.dfa.get_nfa().memory_usage() + self.cache.memory_usage()
    }

    /// The class of a byte: bytes of one class lead to the same states.
    pub(super) fn class(&self, byte: u8) -> u8 {
        self.dfa.byte_classes().get(byte)
    }

    /// The state at the start of a text.
    pub(super) fn start(&mut self) -> Option<State> {
        self.is_used = true;
        let start = self.dfa.start_state_forward(&mut self.cache, &Input::new("")).ok()?;
        Some(State::At(start))
    }

    /// The state after a byte; none if the automaton is too large.
    pub(super) fn next(&mut self, state: State, byte: u8) -> Option<State> {
        let State::At(id) = state else { return Some(State::Matched) };
        let next = self.dfa.next_state(&mut self.cache, id, byte).ok()?;
        (!next.is_quit()).then_some(if next.is_match() { State::Matched } else { State::At(next) })
    }

    /// Whether the text has a match if it ends here.
    pub(super) fn is_match_at_end(&mut self, state: State) -> Option<bool> {
        let State::At(id) = state else { return Some(true) };
        Some(self.dfa.next_eoi_state(&mut self.cache, id).ok()?.is_match())
    }
}

/// The position in a character of UTF-8; `Utf8(0)` is the end of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Utf8(u8);

impl Utf8 {
    pub(super) const BOUNDARY: Self = Self(0);

    /// The state after a byte, which is not allowed for `None` (Unicode, table 3-7).
    pub(super) fn next(self, byte: u8) -> Option<Self> {
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
    pub(super) fn class(byte: u8) -> [Option<Self>; 8] {
        [0, 1, 2, 3, 4, 5, 6, 7].map(|state| Self(state).next(byte))
    }
}
