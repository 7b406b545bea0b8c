//! A failure that a rule of each of two lists is the first to match.
//!
//! The search is over the failure that fewest other rules match. Each of the two rules reads a container of its own scope,
//! or both the same one. A named container is an init container, so that rules on the first failed one do not see it, and an
//! init container without an exit code, a reason or a message is before it, so that those that include init containers do
//! not either. What a rule sees of this failure it sees of every other one that the two rules match, so that a rule that
//! matches this failure matches all of them.

use super::cover::{Acceptance, uncovered};
use super::reachability::{MAX_PATTERNS, OTHER_CODE, Prepared, Scope, accepts_name, left_out};
use super::{Condition, Rule};
use document::pattern::{Difference, Pattern, separating_text};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

/// The failure that a rule of each of two lists is the first to match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CommonFailure<'r> {
    /// There is one.
    Found(Symptoms<'r>),
    /// There is none.
    Absent,
    /// The search was stopped: the automata of patterns are too large, or there are too many combinations.
    Unknown,
}

/// The parts of a failure that rules read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Symptoms<'r> {
    /// The containers that rules read.
    pub containers: Vec<ReadContainer<'r>>,
    /// The conditions of the pod.
    pub conditions: Vec<Condition>,
    /// The category; empty for none.
    pub category: &'r str,
    /// The subcategory; empty for none.
    pub subcategory: &'r str,
}

/// A container as rules of a scope read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReadContainer<'r> {
    /// The scope of the rules.
    pub scope: Scope<'r>,
    /// The exit code; absent for none.
    pub exit_code: Option<i64>,
    /// Whether its reason is `OOMKilled`.
    pub is_oom_killed: bool,
    /// The messages: those after the first are of further containers in the scope.
    pub messages: Vec<String>,
}

/// Two lists of rules, and one rule of each: `None` for what no rule of the list matches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair<'s, 'r> {
    /// The rules of one list, and those of the other.
    pub lists: [&'s [Prepared<'r>]; 2],
    /// The number of the rule in each list; that of its length for no rule.
    pub numbers: [usize; 2],
}

impl<'s, 'r> Pair<'s, 'r> {
    /// The two rules; absent for no rule.
    fn wanted(&self) -> [Option<&'s Prepared<'r>>; 2] {
        [0, 1].map(|side| self.lists[side].get(self.numbers[side]))
    }

    /// Whether lists of names and exit codes alone exclude a common failure.
    pub(crate) fn is_disjoint(&self) -> bool {
        let [Some(one), Some(other)] = self.wanted() else { return false };
        let are_apart = |one: &[String], other: &[String]| {
            !one.is_empty() && !other.is_empty() && one.iter().all(|it| !other.contains(it))
        };
        are_apart(&one.rule.categories, &other.rule.categories)
            || are_apart(&one.rule.subcategories, &other.rule.subcategories)
            || one.scope == other.scope && common_codes(&[one, other], &[]).is_empty()
    }

    /// Searches a failure that both rules are the first of their lists to match.
    pub(crate) fn search(&self) -> CommonFailure<'r> {
        let layout = Layout::new(self.wanted());
        let earlier = |side: usize| self.lists[side].iter().take(self.numbers[side]);
        let rules: Vec<&Prepared<'_>> =
            earlier(0).chain(earlier(1)).filter(|rule| layout.can_match(rule)).collect();
        let search = PairSearch {
            choices: Choices::new(&layout, &rules),
            layout: &layout,
            rules: &rules,
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

impl<'r> Pair<'_, 'r> {
    /// Searches a run without containers that both rules are the first of their lists to match. `always` holds for it, and
    /// is not among the conditions that are found.
    pub(crate) fn search_bare(&self, always: Option<Condition>) -> CommonFailure<'r> {
        let wanted = self.wanted();
        let wanted: Vec<&Rule> = wanted.into_iter().flatten().map(|it| it.rule).collect();
        if wanted.iter().any(|rule| reads_a_container(rule)) {
            return CommonFailure::Absent;
        }
        let earlier = |side: usize| self.lists[side].iter().take(self.numbers[side]);
        let earlier = earlier(0).chain(earlier(1)).map(|it| it.rule);
        let earlier: Vec<&Rule> = earlier.filter(|rule| !reads_a_container(rule)).collect();
        let categories = common_names(wanted.iter().map(|rule| rule.categories.as_slice()));
        let subcategories = common_names(wanted.iter().map(|rule| rule.subcategories.as_slice()));
        let always: Vec<Condition> = always.into_iter().collect();
        let lists = wanted.iter().map(|rule| rule.conditions.as_slice());
        let conditions = lists
            .filter(|list| !list.is_empty())
            .fold(vec![always.clone()], |sets, list| one_of_each(&sets, list));
        let accepts = |rule: usize, dimension: usize, choice: usize| {
            let rule = earlier[rule];
            let holds = |it: &Condition| conditions[choice].contains(it);
            match dimension {
                0 => accepts_name(&rule.categories, categories[choice]),
                1 => accepts_name(&rule.subcategories, subcategories[choice]),
                _ => rule.conditions.is_empty() || rule.conditions.iter().any(holds),
            }
        };
        let sizes = [categories.len(), subcategories.len(), conditions.len()];
        let found = match uncovered(&sizes, (0..earlier.len()).collect(), accepts) {
            Ok(found) => found,
            Err(coverage) if coverage.is_covered() => return CommonFailure::Absent,
            Err(_) => return CommonFailure::Unknown,
        };
        let [category, subcategory, condition] = found.as_slice() else {
            return CommonFailure::Unknown;
        };
        let own = conditions[*condition].iter().filter(|it| !always.contains(it));
        CommonFailure::Found(Symptoms {
            conditions: own.copied().collect(),
            category: categories[*category].unwrap_or_default(),
            subcategory: subcategories[*subcategory].unwrap_or_default(),
            ..Symptoms::default()
        })
    }
}

/// Whether a rule matches no run without containers.
fn reads_a_container(rule: &Rule) -> bool {
    rule.exit_codes.is_some()
        || rule.message.is_some()
        || rule.container.is_some() && !rule.conditions.is_empty()
}

/// The names that all lists have which are not empty; a single `None` if all are.
fn common_names<'n>(lists: impl Iterator<Item = &'n [String]>) -> Vec<Option<&'n str>> {
    let lists: Vec<&[String]> = lists.filter(|list| !list.is_empty()).collect();
    let Some((first, others)) = lists.split_first() else { return vec![None] };
    let is_common = |name: &&String| others.iter().all(|list| list.contains(name));
    first.iter().filter(is_common).map(|name| Some(name.as_str())).collect()
}

/// The sets of conditions with one more of a list each.
fn one_of_each(sets: &[Vec<Condition>], list: &[Condition]) -> Vec<Vec<Condition>> {
    let with = |set: &Vec<Condition>, more: &Condition| {
        let mut set = set.clone();
        if !set.contains(more) {
            set.push(*more);
        }
        set
    };
    sets.iter().flat_map(|set| list.iter().map(move |more| with(set, more))).collect()
}

/// The containers that two rules read, and the texts that their patterns need.
struct Layout<'s, 'r> {
    wanted: [Option<&'s Prepared<'r>>; 2],
    /// The scopes of the containers.
    scopes: Vec<Scope<'r>>,
    /// The place of the container of each rule, if it needs one.
    places: [Option<usize>; 2],
    /// The texts, each with the place of its container and the patterns that are found in it.
    texts: Vec<(usize, Vec<&'s Pattern>)>,
}

impl<'s, 'r> Layout<'s, 'r> {
    fn new(wanted: [Option<&'s Prepared<'r>>; 2]) -> Self {
        let mut scopes: Vec<Scope<'r>> = Vec::new();
        let places = wanted.map(|rule| {
            let rule = rule.filter(|rule| reads_container(rule))?;
            Some(scopes.iter().position(|scope| *scope == rule.scope).unwrap_or_else(|| {
                scopes.push(rule.scope);
                scopes.len() - 1
            }))
        });
        let mut texts: Vec<(usize, Vec<&'s Pattern>)> = Vec::new();
        for (rule, place) in wanted.into_iter().zip(places) {
            let Some((place, pattern)) = place.zip(rule.and_then(|it| it.rule.message.as_ref()))
            else {
                continue;
            };
            let is_named = matches!(scopes[place], Scope::Named(_));
            // A pod has one container of a name, and further ones in the other scopes.
            match texts.iter_mut().find(|(other, patterns)| {
                *other == place && (is_named || patterns.contains(&pattern))
            }) {
                Some((_, patterns)) if patterns.contains(&pattern) => {}
                Some((_, patterns)) => patterns.push(pattern),
                None => texts.push((place, vec![pattern])),
            }
        }
        Self { wanted, scopes, places, texts }
    }

    /// The container whose exit code and reason a rule reads.
    fn state(&self, rule: &Prepared<'_>) -> Option<usize> {
        self.scopes.iter().position(|scope| *scope == rule.scope)
    }

    /// Whether a rule reads the messages of a container.
    fn sees(&self, rule: &Prepared<'_>, place: usize) -> bool {
        rule.scope == Scope::FirstWithInit || rule.scope == self.scopes[place]
    }

    /// The two rules whose container this is.
    fn readers(&self, place: usize) -> impl Iterator<Item = &'s Prepared<'r>> {
        let pairs = self.wanted.into_iter().zip(self.places);
        pairs.filter_map(move |(rule, at)| rule.filter(|_| at == Some(place)))
    }

    fn has_code(&self, place: usize) -> bool {
        self.readers(place).any(|rule| rule.rule.exit_codes.is_some())
    }

    /// Whether another rule may match a failure of these containers.
    fn can_match(&self, rule: &Prepared<'_>) -> bool {
        let codes = rule.rule.exit_codes.is_none()
            || self.state(rule).is_some_and(|place| self.has_code(place));
        let messages = rule.rule.message.is_none()
            || self.texts.iter().any(|(place, _)| self.sees(rule, *place));
        codes && messages
    }

    /// Whether a rule's pattern is found in every message that it sees, whatever the texts are.
    fn is_found_in_all(&self, rule: &Prepared<'_>) -> bool {
        let has_wanted = |(place, _): &(usize, Vec<&Pattern>)| {
            self.sees(rule, *place)
                && self
                    .readers(*place)
                    .any(|wanted| wanted.matched.is_some() && rule.accepts_all_messages(wanted))
        };
        rule.rule.message.is_none() || self.texts.iter().any(has_wanted)
    }
}

/// Whether a rule reads an exit code, a reason or a message.
fn reads_container(rule: &Prepared<'_>) -> bool {
    rule.rule.exit_codes.is_some()
        || rule.rule.message.is_some()
        || rule.rule.conditions.contains(&Condition::OomKilled)
}

/// A condition that one of the rules needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holding {
    /// A condition of the pod.
    OfPod(Condition),
    /// `OOMKilled` of the container at this place.
    OomAt(usize),
}

/// The choices in each dimension.
struct Choices<'r> {
    categories: Vec<Option<&'r str>>,
    subcategories: Vec<Option<&'r str>>,
    conditions: Vec<Vec<Holding>>,
    /// Of each container.
    codes: Vec<Vec<Option<i64>>>,
    /// An exit code that no rule lists.
    free_code: i64,
}

impl<'r> Choices<'r> {
    fn new(layout: &Layout<'_, 'r>, rules: &[&Prepared<'r>]) -> Self {
        let wanted = || layout.wanted.into_iter().flatten();
        let rules_of = || wanted().map(|it| it.rule);
        let codes = (0..layout.scopes.len()).map(|place| {
            if !layout.has_code(place) {
                return vec![None];
            }
            let readers: Vec<&Prepared<'_>> = layout.readers(place).collect();
            common_codes(&readers, rules).into_iter().map(Some).collect()
        });
        let all = || wanted().chain(rules.iter().copied());
        let lists = all().filter_map(|rule| rule.rule.exit_codes.as_ref());
        let listed: BTreeSet<i64> =
            lists.flat_map(|codes| codes.values.iter().copied().map(i64::from)).collect();
        let mut usual = [1, 2, 255].into_iter().chain(3..);
        Self {
            categories: common_names(rules_of().map(|rule| rule.categories.as_slice())),
            subcategories: common_names(rules_of().map(|rule| rule.subcategories.as_slice())),
            conditions: conditions(layout),
            codes: codes.collect(),
            free_code: usual.find(|code| !listed.contains(code)).unwrap_or(OTHER_CODE),
        }
    }

    fn sizes(&self) -> Vec<usize> {
        let mut sizes =
            vec![self.categories.len(), self.subcategories.len(), self.conditions.len()];
        sizes.extend(self.codes.iter().map(Vec::len));
        sizes
    }
}

/// The exit codes that some rules of one scope match: one for each way in which the others distinguish them.
fn common_codes(readers: &[&Prepared<'_>], others: &[&Prepared<'_>]) -> Vec<i64> {
    use super::Operator::In;
    let lists = || readers.iter().filter_map(|rule| rule.rule.exit_codes.as_ref());
    let listed = lists().find(|codes| codes.operator == In);
    let listed = listed.map(|codes| codes.values.iter().copied().map(i64::from).collect());
    // The code that no rule lists is accepted by fewest; only rules on `NotIn` may leave a listed one.
    let candidates: BTreeSet<i64> = listed.unwrap_or_else(|| {
        let left_out = others.iter().flat_map(|rule| left_out(rule.rule));
        std::iter::once(OTHER_CODE).chain(left_out).collect()
    });
    let is_common = |code: &i64| *code > 0 && readers.iter().all(|rule| rule.accepts_code(*code));
    candidates.into_iter().filter(is_common).collect()
}

/// The conditions that hold: one of each rule that needs one.
fn conditions(layout: &Layout<'_, '_>) -> Vec<Vec<Holding>> {
    let mut all: Vec<Vec<Holding>> = vec![Vec::new()];
    for (rule, place) in layout.wanted.into_iter().zip(layout.places) {
        let Some(rule) = rule.filter(|rule| !rule.rule.conditions.is_empty()) else { continue };
        let holding = |condition: &Condition| match (*condition, place) {
            (Condition::OomKilled, Some(place)) => Some(Holding::OomAt(place)),
            // A rule that names a container reads no condition of the pod.
            (other, _) => rule.rule.container.is_none().then_some(Holding::OfPod(other)),
        };
        let own: Vec<Holding> = rule.rule.conditions.iter().filter_map(holding).collect();
        let with = |before: &Vec<Holding>| {
            let each = own.iter().map(|one| {
                let mut set = before.clone();
                if !set.contains(one) {
                    set.push(*one);
                }
                set
            });
            each.collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

struct PairSearch<'s, 'r> {
    layout: &'s Layout<'s, 'r>,
    rules: &'s [&'s Prepared<'r>],
    choices: Choices<'r>,
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

    /// A text in which some patterns are found, and none of the partial rules that see it.
    fn find_text(
        &self,
        (place, wanted): &(usize, Vec<&Pattern>),
        partial: &[usize],
    ) -> Option<String> {
        let seeing: Vec<&Prepared<'_>> = partial
            .iter()
            .map(|&rule| self.rules[rule])
            .filter(|rule| self.layout.sees(rule, *place))
            .collect();
        let mut matching: Vec<&Prepared<'_>> = Vec::new();
        // The next text is searched with the patterns that are found in the texts before.
        loop {
            let others: Vec<&Pattern> =
                matching.iter().filter_map(|rule| rule.rule.message.as_ref()).collect();
            let example = || wanted.first().filter(|_| wanted.len() == 1)?.example();
            let text = match matching.is_empty().then(example).flatten() {
                Some(text) => text,
                None => match separating_text(wanted, &others) {
                    Difference::Text(text) => text,
                    Difference::Empty => return None,
                    Difference::Unknown => {
                        self.is_unknown.set(true);
                        return None;
                    }
                },
            };
            let before = matching.len();
            matching.extend(seeing.iter().filter(|rule| rule.matches(&text)));
            if matching.len() == before {
                return Some(text);
            }
            if matching.len() > MAX_PATTERNS {
                self.is_unknown.set(true);
                return None;
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
