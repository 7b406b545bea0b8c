//! Which rules of a configuration name a failure that policies decide, and whether its pod is then kept.
//!
//! A rule matches a part of a failure: a container or the pod's reason, the failure's text, or an event. The first rule
//! that matches any part wins, so one failed container, one text and one event are enough to find every winner: a
//! failure with more of them is won by the first of their winners. The text of a failed pod may be any, since the message of
//! the pod's status may be any; it is empty only without a failed container. The three parts are therefore searched
//! one by one, and their first rules combined.

use super::candidates::{Container, EventCandidate, Mode, Term, Text, fresh_text};
use super::pending::PendingTexts;
use super::rule::{AuditedRule, Test};
use crate::systems::armada::classifier::config::ExecutorConfig;
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
    exit_codes: BTreeSet<i64>,
    existing: Found,
    possible: Found,
}

/// What was found in a mode. The number of rules stands for "no rule".
#[derive(Debug, Default)]
struct Found {
    /// By rule, and last the default: the rule that won the first pass, for failures whose pod is kept.
    kept: Vec<Option<usize>>,
    /// By rule, and last the default: whether there are failures whose pod is deleted.
    deleted: Vec<bool>,
}

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
        Self::of_parts(rules.collect(), checks.collect(), PendingTexts::new(&config.pending_checks))
    }

    fn of_parts(
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
        let mut reach = Self {
            exit_codes: exit_codes(&rules),
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
    pub(super) fn of_rule(&self, number: usize) -> Reached {
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
    pub(super) fn of_default(&self) -> Reached {
        self.of_rule(self.rules.len())
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
        !self.can_match(number, None)
    }

    /// A single earlier rule that matches every failure of this rule.
    pub(super) fn covered_by(&self, number: usize) -> Option<usize> {
        let mut earlier = 0..number;
        if self.matches_nothing(number) {
            return None;
        }
        earlier.find(|earlier| !self.can_match(number, Some(*earlier)))
    }

    /// Whether the rule may match a part of a failure that another rule does not match.
    fn can_match(&self, number: usize, other: Option<usize>) -> bool {
        let (rule, mode) = (&self.rules[number], Mode::Assume);
        let is_own = |matches: &dyn Fn(&AuditedRule) -> bool| {
            matches(rule) && !other.is_some_and(|other| matches(&self.rules[other]))
        };
        let mut reasons = ["Evicted", "DeadlineExceeded"].into_iter();
        let (containers, texts) = (self.containers_of(rule, mode), self.texts_of(rule, mode));
        reasons.any(|reason| is_own(&|rule| rule.matches_reason(reason)))
            || containers.iter().any(|it| is_own(&|rule| rule.matches_container(it, mode)))
            || texts.iter().any(|it| is_own(&|rule| rule.matches_text(it, mode)))
            || self
                .events_of(rule, mode)
                .iter()
                .any(|it| is_own(&|rule| rule.matches_event(it, mode)))
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
        for (states, others) in [(&reasons, &without_container), (&containers, &with_container)] {
            for &state in states {
                for &other in others {
                    self.add_failed(&mut found, state, other);
                }
            }
        }
        let states: Winners =
            self.container_winners(mode, false).union(&reasons).copied().collect();
        for winner in combine(&states, &self.pending_winners(mode)) {
            found.deleted[winner] = true;
        }
        found
    }

    /// Adds a failed pod: the first rule that its state matches, and the first that its text or event matches.
    fn add_failed(&self, found: &mut Found, state: usize, other: usize) {
        let winner = state.min(other);
        if self.rules.get(winner).is_some_and(|rule| rule.deletes_pod) {
            found.deleted[winner] = true;
        } else {
            // The second pass reads the state alone. A failure without another rule in the first pass is the better
            // example.
            let kept = &mut found.kept[state];
            *kept = Some(kept.map_or(winner, |earlier| earlier.max(winner)));
        }
    }

    fn first(&self, matches: impl Fn(&AuditedRule) -> bool) -> usize {
        self.rules.iter().position(matches).unwrap_or(self.rules.len())
    }

    fn reason_winners(&self) -> Winners {
        let reasons = ["", "Evicted", "DeadlineExceeded"];
        reasons.iter().map(|reason| self.first(|rule| rule.matches_reason(reason))).collect()
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
            .map(|container| self.first(|rule| rule.matches_container(&container, mode)))
            .collect()
    }

    fn text_winners(&self, mode: Mode) -> Winners {
        let texts = self.rules.iter().flat_map(|rule| self.texts_of(rule, mode));
        let texts = texts.chain([Text::new(&*self.fresh)]);
        texts.map(|text| self.first(|rule| rule.matches_text(&text, mode))).collect()
    }

    fn event_winners(&self, mode: Mode) -> Winners {
        let events = self.rules.iter().flat_map(|rule| self.events_of(rule, mode));
        let winners = events.map(|event| self.first(|rule| rule.matches_event(&event, mode)));
        winners.chain([self.rules.len()]).collect()
    }

    fn pending_winners(&self, mode: Mode) -> Winners {
        let texts = self.rules.iter().flat_map(|rule| self.texts_of(rule, mode));
        let texts = texts.chain([Text::new(&*self.fresh)]);
        let texts = texts.flat_map(|inner| self.pending.with(&inner, &self.fresh, mode));
        texts.map(|text| self.first(|rule| rule.matches_text(&text, mode))).collect()
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
            "" => [self.fresh.as_str(), "main"].map(Text::new).to_vec(),
            name => vec![Text::new(name)],
        };
        let mut all = Vec::new();
        for &exit_code in &self.exit_codes {
            for name in &names {
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

/// All exit codes of rules, and one that no rule has.
fn exit_codes(rules: &[AuditedRule]) -> BTreeSet<i64> {
    let values = rules.iter().flat_map(|rule| match &rule.test {
        Test::ExitCodes { values, .. } => values.as_slice(),
        _ => &[],
    });
    let mut all: BTreeSet<i64> = values.copied().filter(|code| *code != 0).collect();
    let unused = (1..=i64::from(i32::MAX)).find(|code| !all.contains(code));
    all.extend(unused);
    all
}

/// The rules that win two parts of a failure together.
fn combine(one: &Winners, other: &Winners) -> Winners {
    one.iter().flat_map(|first| other.iter().map(move |second| *first.min(second))).collect()
}
