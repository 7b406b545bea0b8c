//! The search over failures with containers.

use super::choices::{Choices, Holding};
use super::layout::Layout;
use super::{CommonFailure, Pair, ReadContainer, Symptoms, Texts};
use crate::policy::Condition;
use crate::policy::cover::{Acceptance, uncovered};
use crate::policy::reachability::{OTHER_CODE, Prepared, accepts_name};
use document::pattern::Difference;
use std::cell::{Cell, RefCell};

impl<'r> Pair<'_, 'r> {
    /// Searches a failure that both rules are the first of their lists to match.
    pub(crate) fn search(&self) -> CommonFailure<'r> {
        let layout = Layout::new(self.wanted(), self.always);
        let earlier = |side: usize| self.lists[side].iter().take(self.numbers[side]);
        let rules: Vec<&Prepared<'_>> =
            earlier(0).chain(earlier(1)).filter(|rule| layout.can_match(rule)).collect();
        let search = PairSearch {
            choices: Choices::new(&layout, &rules),
            layout: &layout,
            rules: &rules,
            known: self.texts,
            texts: RefCell::default(),
            is_unknown: Cell::new(false),
        };
        // Texts that none of the others restricts: what a combination that no other rule accepts needs.
        if !search.leaves_some(&[]) {
            return search.absent();
        }
        match uncovered(&search.choices.sizes(), (0..rules.len()).collect(), &search) {
            Ok(combination) => CommonFailure::Found(search.symptoms(&combination)),
            Err(coverage) if coverage.is_covered() => search.absent(),
            Err(_) => CommonFailure::Unknown,
        }
    }
}

struct PairSearch<'s, 'r> {
    layout: &'s Layout<'s, 'r>,
    rules: &'s [&'s Prepared<'r>],
    choices: Choices<'r>,
    known: &'s RefCell<Texts>,
    /// The texts that were found last.
    texts: RefCell<Vec<String>>,
    /// Whether some texts are not known.
    is_unknown: Cell<bool>,
}

impl<'r> PairSearch<'_, 'r> {
    /// Searches the texts of the two rules in which none of the partial rules is found.
    fn leaves_some(&self, partial: &[usize]) -> bool {
        let texts: Option<Vec<String>> =
            self.layout.texts.iter().map(|text| self.find_text(text, partial)).collect();
        texts.map(|texts| self.texts.replace(texts)).is_some()
    }

    fn absent(&self) -> CommonFailure<'r> {
        if self.is_unknown.get() { CommonFailure::Unknown } else { CommonFailure::Absent }
    }

    /// A text in which the patterns of some rules are found, and none of the partial rules that see it.
    fn find_text(
        &self,
        (place, wanted): &(usize, Vec<&Prepared<'_>>),
        partial: &[usize],
    ) -> Option<String> {
        let seeing: Vec<&Prepared<'_>> = partial
            .iter()
            .map(|&rule| self.rules[rule])
            .filter(|rule| self.layout.sees(rule, *place))
            .collect();
        match self.known.borrow_mut().find(wanted, &seeing) {
            Difference::Text(text) => Some(text),
            Difference::Empty => None,
            Difference::Unknown => {
                self.is_unknown.set(true);
                None
            }
        }
    }

    /// The failure of a combination, with the texts that were found last.
    fn symptoms(&self, combination: &[usize]) -> Symptoms<'r> {
        let Choices { categories, subcategories, conditions, codes, free_code } = &self.choices;
        let pick = |dimension: usize| combination.get(dimension).copied().unwrap_or(0);
        let holding = conditions.get(pick(2)).map_or(&[][..], Vec::as_slice);
        let texts = self.texts.borrow();
        let containers = self.layout.scopes.iter().enumerate().map(|(place, scope)| {
            let code = codes[place].get(pick(3 + place)).copied().flatten();
            let own = self.layout.texts.iter().zip(texts.iter());
            ReadContainer {
                scope: *scope,
                exit_code: code.map(|code| if code == OTHER_CODE { *free_code } else { code }),
                is_oom_killed: holding.contains(&Holding::OomAt(place)),
                messages: own
                    .filter(|((at, _), _)| *at == place)
                    .map(|(_, text)| text.clone())
                    .collect(),
            }
        });
        let of_pod = |holding: &Holding| match holding {
            Holding::OfPod(condition) => Some(*condition),
            Holding::OomAt(_) => None,
        };
        Symptoms {
            containers: containers.collect(),
            conditions: holding.iter().filter_map(of_pod).collect(),
            category: categories.get(pick(0)).copied().flatten().unwrap_or_default(),
            subcategory: subcategories.get(pick(1)).copied().flatten().unwrap_or_default(),
        }
    }
}

impl Acceptance for &PairSearch<'_, '_> {
    fn accepts(&self, rule: usize, dimension: usize, choice: usize) -> bool {
        let (rule, choices) = (self.rules[rule], &self.choices);
        match dimension {
            0 => accepts_name(&rule.rule.categories, choices.categories[choice]),
            1 => accepts_name(&rule.rule.subcategories, choices.subcategories[choice]),
            2 => {
                let listed = |condition| rule.rule.conditions.contains(&condition);
                let holds = |holding: &Holding| match *holding {
                    Holding::OfPod(condition) => rule.rule.container.is_none() && listed(condition),
                    Holding::OomAt(place) => {
                        self.layout.state(rule) == Some(place) && listed(Condition::OomKilled)
                    }
                };
                rule.rule.conditions.is_empty() || choices.conditions[choice].iter().any(holds)
            }
            _ => {
                let place = dimension - 3;
                let reads =
                    rule.rule.exit_codes.is_some() && self.layout.state(rule) == Some(place);
                !reads || choices.codes[place][choice].is_some_and(|code| rule.accepts_code(code))
            }
        }
    }

    fn is_partial(&self, rule: usize) -> bool {
        !self.layout.is_found_in_all(self.rules[rule])
    }

    fn leaves_some(&self, partial: &[usize]) -> bool {
        PairSearch::leaves_some(self, partial)
    }
}
