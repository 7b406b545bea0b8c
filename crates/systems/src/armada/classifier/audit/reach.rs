//! Which rules of a configuration name a failure that policies decide, and whether its pod is then kept.
//!
//! A rule matches a part of a failure: a container or the pod's reason, the failure's text, or an event. The first rule
//! that matches any part wins, so one failed container, one text and one event are enough to find every winner: a
//! failure with more of them is won by the first of their winners. The text of a failed pod may be any, since the message of
//! the pod's status may be any; it is empty only without a failed container. The three parts are therefore searched
//! one by one, and their first rules combined.

use super::candidates::{Container, EventCandidate, Mode, Term, Text, fresh_text};
use super::index::RuleIndex;
use super::pending::PendingTexts;
use super::rule::{AuditedRule, Test};
use super::steps::Steps;
use crate::armada::classifier::config::ExecutorConfig;
use std::collections::BTreeSet;

/// Whether failures of a kind exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Certainty {
    /// None exists.
    Never,
    /// It was not decided, since it depends on a pattern that needs a search.
    Unknown,
    /// One was constructed.
    Exists,
}

/// Whether a rule names failures that policies decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reached {
    /// Failures whose pod is kept.
    pub(super) kept: Certainty,
    /// Failures whose pod is deleted.
    pub(super) deleted: Certainty,
}

impl Reached {
    /// Failures whose pod is gone.
    pub(super) const ALWAYS_DELETED: Self =
        Self { kept: Certainty::Never, deleted: Certainty::Exists };

    /// Failures of either kind.
    pub(super) fn any(self) -> Certainty {
        self.kept.max(self.deleted)
    }
}

/// The rules that a configuration can reach, searched in both modes.
#[derive(Debug)]
pub(super) struct Reach {
    rules: Vec<AuditedRule>,
    container_checks: Vec<(Term, Term)>,
    pending: PendingTexts,
    fresh: String,
    index: RuleIndex,
    pub(super) steps: Steps,
    existing: Found,
    possible: Found,
}

/// The rules found in a mode. The number of rules stands for "no rule".
#[derive(Debug, Default)]
struct Found {
    /// By rule, and last the default: the rule that won the first pass, for failures whose pod is kept.
    kept: Vec<Option<usize>>,
    /// By rule, and last the default: whether there are failures whose pod is deleted.
    deleted: Vec<bool>,
}

/// The name of most containers.
const MAIN: &str = "main";

/// The reasons of pods that rules on conditions match.
const REASONS: [&str; 2] = ["Evicted", "DeadlineExceeded"];

/// Numbers of rules that win a part of a failure.
type Winners = BTreeSet<usize>;

impl Reach {
    /// Searches a configuration that has no faults.
    pub(super) fn new(config: &ExecutorConfig) -> Self {
        let categories = config.categories.categories.iter();
        let rules = categories.flat_map(|category| {
            let deletes_pod = category.action.text == "Delete";
            category.rules.iter().map(move |rule| AuditedRule::new(rule, deletes_pod))
        });
        let checks = config.failed_checks.container_statuses.iter();
        let checks = checks.map(|it| (Term::new(&it.name.text), Term::new(&it.message.text)));
        Self::with_parts(
            rules.collect(),
            checks.collect(),
            PendingTexts::new(&config.pending_checks),
        )
    }

    fn with_parts(
        rules: Vec<AuditedRule>,
        container_checks: Vec<(Term, Term)>,
        pending: PendingTexts,
    ) -> Self {
        let literals = rules.iter().flat_map(AuditedRule::terms).filter_map(Term::literal);
        let names = rules.iter().map(|rule| rule.container.as_str());
        let checks = container_checks.iter().flat_map(|(name, message)| [name, message]);
        let fresh = fresh_text(
            literals.chain(names).chain(checks.filter_map(Term::literal)).chain(pending.literals()),
        );
        let steps = Steps::default();
        let index = RuleIndex::new(&rules, &[&fresh, MAIN], &steps);
        let mut reach = Self {
            index,
            steps,
            rules,
            container_checks,
            pending,
            fresh,
            existing: Found::default(),
            possible: Found::default(),
        };
        reach.existing = reach.search(Mode::Search);
        reach.possible = reach.search(Mode::Assume);
        reach
    }

    /// Whether a rule names failures that policies decide.
    pub(super) fn reach_rule(&self, number: usize) -> Reached {
        let certainty = |has: fn(&Found, usize) -> bool| {
            if has(&self.existing, number) {
                Certainty::Exists
            } else if has(&self.possible, number) {
                Certainty::Unknown
            } else {
                Certainty::Never
            }
        };
        Reached {
            kept: certainty(|found, number| found.kept[number].is_some()),
            deleted: certainty(|found, number| found.deleted[number]),
        }
    }

    /// Whether the default names failures that policies decide.
    pub(super) fn reach_default(&self) -> Reached {
        self.reach_rule(self.rules.len())
    }

    /// The other rule that wins the first pass where this rule names a failure whose pod is kept, if one does.
    pub(super) fn kept_by(&self, number: usize) -> Option<usize> {
        self.existing.kept[number].filter(|winner| *winner < number)
    }

    /// Whether the rule matches what only the first pass reads, and its category keeps pods.
    pub(super) fn is_unread(&self, number: usize) -> bool {
        let rule = &self.rules[number];
        rule.is_of_first_pass() && !rule.deletes_pod
    }

    /// Whether the rule matches no failure, whatever the other rules are.
    pub(super) fn matches_nothing(&self, number: usize) -> bool {
        let (rule, mode) = (&self.rules[number], Mode::Assume);
        REASONS.iter().all(|reason| !rule.matches_reason(reason))
            && self.containers_of(rule, mode).is_empty()
            && self.texts_of(rule, mode).is_empty()
            && self.events_of(rule, mode).is_empty()
    }

    /// A single earlier rule that matches every failure of this rule, if one of the first is that.
    pub(super) fn covered_by(&self, number: usize) -> Option<usize> {
        if self.matches_nothing(number) {
            return None;
        }
        let rule = &self.rules[number];
        let text = match &rule.test {
            Test::Message(term) | Test::PodError(term) | Test::Event { message: term, .. } => {
                term.texts(&self.fresh, Mode::Assume).into_iter().next()
            }
            Test::Conditions(_) | Test::ExitCodes { .. } => None,
        };
        let covering = self.index.covering(number, rule, text.as_ref(), &self.steps);
        covering.filter(|earlier| *earlier < number)
    }

    fn search(&self, mode: Mode) -> Found {
        let none = self.rules.len();
        let events = self.event_winners(mode);
        let texts = self.text_winners(mode);
        // Without a failed container the text may be empty.
        let with_container = combine(&texts, &events);
        let without_container: Winners = with_container.union(&events).copied().collect();
        let reasons = self.reason_winners();
        let containers = self.container_winners(mode, true);
        let mut found = Found { kept: vec![None; none + 1], deleted: vec![false; none + 1] };
        self.add_failed(&mut found, &reasons, &without_container);
        self.add_failed(&mut found, &containers, &with_container);
        let states: Winners =
            self.container_winners(mode, false).union(&reasons).copied().collect();
        for winner in combine(&states, &self.pending_winners(mode)) {
            found.deleted[winner] = true;
        }
        found
    }

    /// Adds failed pods of all pairs of a state and a text or event, each given by the first rule that matches it. The
    /// first of the two wins the first pass.
    fn add_failed(&self, found: &mut Found, states: &Winners, others: &Winners) {
        let deletes = |winner: usize| self.rules.get(winner).is_some_and(|rule| rule.deletes_pod);
        let (deleting, keeping): (Winners, Winners) = others.iter().partition(|it| deletes(**it));
        let Some((last_state, last_other)) = states.last().zip(others.last()) else { return };
        for winner in deleting.range(..*last_state) {
            found.deleted[*winner] = true;
        }
        for &state in states {
            self.steps.add(1);
            // The second pass reads the state alone. A failure without another rule in the first pass is the better
            // example.
            let mut winner = keeping.range(..state).next_back().copied();
            if state <= *last_other {
                if deletes(state) {
                    found.deleted[state] = true;
                } else {
                    winner = Some(state);
                }
            }
            let kept = &mut found.kept[state];
            *kept = (*kept).max(winner);
        }
    }

    fn reason_winners(&self) -> Winners {
        let first = |reason: &&str| {
            let rule = self.rules.iter().position(|rule| rule.matches_reason(reason));
            rule.unwrap_or(self.rules.len())
        };
        REASONS.iter().chain([&""]).map(first).collect()
    }

    /// The winners among failed containers; `checked` leaves out those for which a check of failed pods returns the
    /// lease.
    fn container_winners(&self, mode: Mode, checked: bool) -> Winners {
        let candidates = self.rules.iter().flat_map(|rule| self.containers_of(rule, mode));
        let is_returned = |container: &Container| {
            self.container_checks.iter().any(|(name, message)| {
                name.is_match(&container.name, mode) && message.is_match(&container.message, mode)
            })
        };
        candidates
            .filter(|container| !checked || !is_returned(container))
            .map(|container| self.number(self.index.first_container(&container, mode, &self.steps)))
            .collect()
    }

    /// The number of a rule; that of "no rule" if there is none.
    fn number(&self, rule: Option<usize>) -> usize {
        rule.unwrap_or(self.rules.len())
    }

    fn text_winners(&self, mode: Mode) -> Winners {
        let texts = self.rules.iter().flat_map(|rule| self.texts_of(rule, mode));
        let texts = texts.chain([Text::new(&*self.fresh)]);
        texts.map(|text| self.first_text(&text, mode)).collect()
    }

    fn first_text(&self, text: &Text, mode: Mode) -> usize {
        self.number(self.index.first_text(text, mode, &self.steps))
    }

    fn event_winners(&self, mode: Mode) -> Winners {
        let events = self.rules.iter().flat_map(|rule| self.events_of(rule, mode));
        let first = |event| self.number(self.index.first_event(&event, mode, &self.steps));
        events.map(first).chain([self.rules.len()]).collect()
    }

    fn pending_winners(&self, mode: Mode) -> Winners {
        let texts = self.rules.iter().flat_map(|rule| self.texts_of(rule, mode));
        let texts = texts.chain([Text::new(&*self.fresh)]);
        let texts = texts.flat_map(|inner| self.pending.with(&inner, &self.fresh, mode));
        texts.map(|text| self.first_text(&text, mode)).collect()
    }

    /// Containers that the rule matches; none if it matches no containers.
    fn containers_of(&self, rule: &AuditedRule, mode: Mode) -> Vec<Container> {
        let is_out_of_memory = matches!(rule.test, Test::Conditions(_));
        let messages = match &rule.test {
            Test::Message(term) => term.texts(&self.fresh, mode),
            Test::Conditions(_) | Test::ExitCodes { .. } => {
                // Checks of failed pods match empty messages, rules do not.
                vec![Text::default(), Text::new(&*self.fresh)]
            }
            Test::PodError(_) | Test::Event { .. } => return Vec::new(),
        };
        let names: Vec<Text> = match rule.container.as_str() {
            "" => [self.fresh.as_str(), MAIN].map(Text::new).to_vec(),
            name => vec![Text::new(name)],
        };
        let mut all = Vec::new();
        for name in &names {
            for exit_code in self.index.exit_codes.codes_for(rule, &name.text, &self.steps) {
                for message in &messages {
                    all.push(Container {
                        name: name.clone(),
                        exit_code,
                        is_out_of_memory,
                        message: message.clone(),
                    });
                }
            }
        }
        all.retain(|container| rule.matches_container(container, mode));
        all
    }

    fn texts_of(&self, rule: &AuditedRule, mode: Mode) -> Vec<Text> {
        match &rule.test {
            Test::PodError(term) => term.texts(&self.fresh, mode),
            _ => Vec::new(),
        }
    }

    fn events_of(&self, rule: &AuditedRule, mode: Mode) -> Vec<EventCandidate> {
        let Test::Event { message, reason, event_type } = &rule.test else { return Vec::new() };
        let messages = message.texts(&self.fresh, mode).into_iter();
        let event = |message| EventCandidate {
            event_type: event_type.clone(),
            reason: reason.clone(),
            message,
        };
        messages.map(event).collect()
    }
}

/// The rules that win two parts of a failure together: the first of each pair.
fn combine(one: &Winners, other: &Winners) -> Winners {
    let Some((last, other_last)) = one.last().zip(other.last()) else { return Winners::new() };
    one.range(..=*other_last).chain(other.range(..=*last)).copied().collect()
}
