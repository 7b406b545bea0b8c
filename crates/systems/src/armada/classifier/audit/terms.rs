//! The first rule whose pattern is found in a text, without a search for each pattern.
//!
//! Literals are found by their length: every part of the text with the length of a literal is looked up. Patterns that
//! need a search are tried if the text has a literal that they require; those without one are all tried.

use super::candidates::{Mode, Term, Text};
use super::steps::Steps;
use document::pattern::Matched;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;

/// The patterns of rules. `S` is what a rule requires beside its pattern, such as the name of a container.
#[derive(Debug)]
pub(super) struct TermIndex<S> {
    /// The first rules that match every text.
    all: Firsts<S>,
    /// The first rules with a literal, by its length and itself.
    literals: BTreeMap<usize, HashMap<String, Firsts<S>>>,
    /// The patterns that need a search.
    searched: Vec<Searched<S>>,
    /// Their positions by source.
    by_source: HashMap<String, usize>,
    /// Their positions by a literal that they require, folded, and by its length.
    required: BTreeMap<usize, HashMap<Vec<u8>, Vec<usize>>>,
    /// The positions of those that require none.
    unrequired: Vec<usize>,
}

/// The first rule of each scope.
type Firsts<S> = HashMap<S, usize>;

#[derive(Debug)]
struct Searched<S> {
    term: Term,
    firsts: Firsts<S>,
}

impl<S: Clone + Eq + Hash> TermIndex<S> {
    /// Creates the index of rules in their order.
    pub(super) fn new<'t>(rules: impl Iterator<Item = (usize, S, &'t Term)>) -> Self {
        let mut index = Self {
            all: Firsts::new(),
            literals: BTreeMap::new(),
            searched: Vec::new(),
            by_source: HashMap::new(),
            required: BTreeMap::new(),
            unrequired: Vec::new(),
        };
        for (rule, scope, term) in rules {
            index.firsts_of(term).entry(scope).or_insert(rule);
        }
        index
    }

    fn firsts_of(&mut self, term: &Term) -> &mut Firsts<S> {
        match term.matched() {
            Matched::All | Matched::NotEmpty => &mut self.all,
            Matched::Containing(literal) => {
                let same_length = self.literals.entry(literal.len()).or_default();
                same_length.entry(literal.clone()).or_default()
            }
            Matched::Search => {
                let new = self.searched.len();
                let position = *self.by_source.entry(term.source().to_owned()).or_insert(new);
                if position == new {
                    self.add_searched(term, position);
                }
                &mut self.searched[position].firsts
            }
        }
    }

    fn add_searched(&mut self, term: &Term, position: usize) {
        match term.required() {
            None => self.unrequired.push(position),
            Some(literals) => {
                for literal in literals {
                    let same_length = self.required.entry(literal.len()).or_default();
                    same_length.entry(literal.clone()).or_default().push(position);
                }
            }
        }
        self.searched.push(Searched { term: term.clone(), firsts: Firsts::new() });
    }

    /// Returns the first rule of these scopes whose pattern is found in a text. Rules match no empty text.
    pub(super) fn first(
        &self,
        text: &Text,
        scopes: &[S],
        mode: Mode,
        steps: &Steps,
    ) -> Option<usize> {
        if text.text.is_empty() {
            return None;
        }
        let least =
            |firsts: &Firsts<S>| scopes.iter().filter_map(|scope| firsts.get(scope)).min().copied();
        let mut first = least(&self.all);
        let mut offer = |found: Option<usize>| first = first.into_iter().chain(found).min();
        // Longer literals than the text cannot be in it.
        for (length, literals) in self.literals.range(..=text.text.len()) {
            for start in 0..=text.text.len() - length {
                steps.add(1);
                let part = text.text.get(start..start + length);
                offer(part.and_then(|part| literals.get(part)).and_then(least));
            }
        }
        if mode == Mode::Assume {
            let assumed = text.assumed().and_then(|source| self.by_source.get(source));
            offer(assumed.and_then(|position| least(&self.searched[*position].firsts)));
            return first;
        }
        for position in self.candidates(text, steps) {
            let searched = &self.searched[position];
            let Some(rule) = least(&searched.firsts) else { continue };
            steps.add(1);
            // An earlier rule has been found, so that later patterns need no search.
            if first.is_none_or(|first| rule < first) && searched.term.is_match(text, mode) {
                first = Some(rule);
            }
        }
        first
    }

    /// Returns the positions of the patterns that may be found in a text.
    fn candidates(&self, text: &Text, steps: &Steps) -> BTreeSet<usize> {
        // Literals are required of ASCII texts alone.
        if !text.text.is_ascii() {
            return (0..self.searched.len()).collect();
        }
        let folded: Vec<u8> = text.text.bytes().map(document::pattern::fold).collect();
        let mut found: BTreeSet<usize> = self.unrequired.iter().copied().collect();
        for (length, literals) in self.required.range(..=folded.len()) {
            for part in folded.windows(*length) {
                steps.add(1);
                found.extend(literals.get(part).into_iter().flatten());
            }
        }
        found
    }
}
