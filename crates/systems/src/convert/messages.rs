//! The match of a pattern with all values of a text whose parts are open: in the message of a Job's failure the
//! pod's name, its namespace and an exit code; in a check of pods the whole text.
//!
//! The message is a sequence of pieces, each either known or any text of an alphabet. The pattern's automaton
//! is run over all such texts at once.

use document::pattern::Pattern;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;
use regex_automata::util::start;
use std::collections::HashSet;

/// A piece of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A fixed text.
    Known(String),
    /// A name of at least one letter of this alphabet.
    Open(&'static [u8]),
}

/// The alphabet of names of pods, namespaces and containers.
pub(crate) const NAME: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789-.";
/// The alphabet of exit codes.
pub(crate) const DIGITS: &[u8] = b"0123456789";

/// Which of the messages match a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MatchCertainty {
    /// Every message.
    Always,
    /// No message.
    Never,
    /// Some messages, or the automaton is too large to decide.
    Sometimes,
}

/// The number of visited states after which the search stops.
const MOST_STATES: usize = 100_000;

/// Returns which of the messages that are made of these pieces match a pattern. A pattern that Go refuses
/// matches none.
pub(crate) fn match_message(pattern: &str, message: &[Piece]) -> MatchCertainty {
    let Ok(pattern) = Pattern::parse(pattern) else { return MatchCertainty::Never };
    let nfa = thompson::Compiler::new().build_from_hir(&pattern.to_hir());
    let Some(dfa) = nfa.ok().and_then(|nfa| DFA::builder().build_from_nfa(nfa).ok()) else {
        return MatchCertainty::Sometimes;
    };
    let mut cache = dfa.create_cache();
    let walk = Walk { dfa: &dfa, cache: &mut cache, letters: letters(message) };
    walk.ends().unwrap_or(MatchCertainty::Sometimes)
}

/// A position of a message: the bytes that it may hold, and whether it may be repeated.
struct Letter {
    any_of: Vec<u8>,
    repeats: bool,
}

fn letters(message: &[Piece]) -> Vec<Letter> {
    let mut letters = Vec::new();
    for piece in message {
        match piece {
            Piece::Known(text) => letters
                .extend(text.bytes().map(|byte| Letter { any_of: vec![byte], repeats: false })),
            Piece::Open(alphabet) => {
                letters.push(Letter { any_of: alphabet.to_vec(), repeats: true });
            }
        }
    }
    letters
}

struct Walk<'w> {
    dfa: &'w DFA,
    cache: &'w mut Cache,
    letters: Vec<Letter>,
}

impl Walk<'_> {
    /// Returns the combined result for all messages; `None` if there are too many states.
    fn ends(self) -> Option<MatchCertainty> {
        let start = self.dfa.start_state(self.cache, &start::Config::new()).ok()?;
        let (mut with, mut without) = (false, false);
        let mut seen = HashSet::from([(0, start)]);
        let mut open = vec![(0, start)];
        while let Some((place, state)) = open.pop() {
            // A match is reported one byte late, and then applies to every continuation.
            if state.is_match() {
                with = true;
                continue;
            }
            let Some(letter) = self.letters.get(place) else {
                let last = self.dfa.next_eoi_state(self.cache, state).ok()?;
                if last.is_match() {
                    with = true;
                } else {
                    without = true;
                }
                continue;
            };
            let repeats = letter.repeats;
            for byte in letter.any_of.clone() {
                let next = self.dfa.next_state(self.cache, state, byte).ok()?;
                let stays = repeats.then_some(place);
                for place in [Some(place + 1), stays].into_iter().flatten() {
                    if seen.insert((place, next)) {
                        open.push((place, next));
                    }
                }
            }
            // States get new numbers when the cache is cleared, so the visited ones are no longer valid.
            if seen.len() > MOST_STATES || self.cache.clear_count() > 0 {
                return None;
            }
        }
        Some(match (with, without) {
            (true, false) => MatchCertainty::Always,
            (false, _) => MatchCertainty::Never,
            (true, true) => MatchCertainty::Sometimes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message() -> Vec<Piece> {
        let known = |text: &str| Piece::Known(text.to_owned());
        vec![
            known("Container main for pod "),
            Piece::Open(NAME),
            known("/"),
            Piece::Open(NAME),
            known(" failed with exit code "),
            Piece::Open(DIGITS),
            known(" matching FailJob rule at index 1"),
        ]
    }

    #[test]
    fn what_is_known_decides_where_it_can() {
        for (pattern, found) in [
            ("rule at index 1$", MatchCertainty::Always),
            ("rule at index 11$", MatchCertainty::Never),
            ("rule at index [12]$", MatchCertainty::Always),
            ("^Container main ", MatchCertainty::Always),
            ("^Pod ", MatchCertainty::Never),
            ("pod prod/", MatchCertainty::Sometimes),
            ("exit code 137 ", MatchCertainty::Sometimes),
            ("exit code [0-9]+ ", MatchCertainty::Always),
            ("PROD", MatchCertainty::Never),
            ("(?i)container MAIN\\b", MatchCertainty::Always),
            ("", MatchCertainty::Always),
            ("(", MatchCertainty::Never),
        ] {
            assert_eq!(super::match_message(pattern, &message()), found, "{pattern}");
        }
    }
}
