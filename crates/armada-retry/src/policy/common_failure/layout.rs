//! The containers that the two rules of a pair read.

use crate::policy::Condition;
use crate::policy::reachability::{Prepared, Scope};

/// The containers that two rules read, and the texts that their patterns need.
pub(super) struct Layout<'s, 'r> {
    pub wanted: [Option<&'s Prepared<'r>>; 2],
    /// A condition of the pod that holds.
    pub always: Option<Condition>,
    /// The scopes of the containers.
    pub scopes: Vec<Scope<'r>>,
    /// The place of the container of each rule, if it needs one.
    pub places: [Option<usize>; 2],
    /// The texts, each with the place of its container and the rules whose patterns are found in it.
    pub texts: Vec<(usize, Vec<&'s Prepared<'r>>)>,
}

impl<'s, 'r> Layout<'s, 'r> {
    pub(super) fn new(wanted: [Option<&'s Prepared<'r>>; 2], always: Option<Condition>) -> Self {
        let mut scopes: Vec<Scope<'r>> = Vec::new();
        let places = wanted.map(|rule| {
            let rule = rule.filter(|rule| reads_container(rule))?;
            Some(scopes.iter().position(|scope| *scope == rule.scope).unwrap_or_else(|| {
                scopes.push(rule.scope);
                scopes.len() - 1
            }))
        });
        let mut texts: Vec<(usize, Vec<&'s Prepared<'r>>)> = Vec::new();
        for (rule, place) in wanted.into_iter().zip(places) {
            let Some((rule, place)) = rule.filter(|it| it.rule.message.is_some()).zip(place) else {
                continue;
            };
            let is_named = matches!(scopes[place], Scope::Named(_));
            let has = |rules: &[&Prepared<'_>]| {
                rules.iter().any(|other| other.rule.message == rule.rule.message)
            };
            // A pod has one container of a name, and further ones in the other scopes.
            let same =
                texts.iter_mut().find(|(at, rules)| *at == place && (is_named || has(rules)));
            match same {
                Some((_, rules)) if has(rules) => {}
                Some((_, rules)) => rules.push(rule),
                None => texts.push((place, vec![rule])),
            }
        }
        Self { wanted, always, scopes, places, texts }
    }

    /// The container whose exit code and reason a rule reads.
    pub(super) fn state(&self, rule: &Prepared<'_>) -> Option<usize> {
        self.scopes.iter().position(|scope| *scope == rule.scope)
    }

    /// Whether a rule reads the messages of a container.
    pub(super) fn sees(&self, rule: &Prepared<'_>, place: usize) -> bool {
        rule.scope == Scope::FirstWithInit || rule.scope == self.scopes[place]
    }

    /// The two rules whose container this is.
    pub(super) fn readers(&self, place: usize) -> impl Iterator<Item = &'s Prepared<'r>> {
        let pairs = self.wanted.into_iter().zip(self.places);
        pairs.filter_map(move |(rule, at)| rule.filter(|_| at == Some(place)))
    }

    pub(super) fn has_code(&self, place: usize) -> bool {
        self.readers(place).any(|rule| rule.rule.exit_codes.is_some())
    }

    /// Whether another rule may match a failure of these containers.
    pub(super) fn can_match(&self, rule: &Prepared<'_>) -> bool {
        let codes = rule.rule.exit_codes.is_none()
            || self.state(rule).is_some_and(|place| self.has_code(place));
        let messages = rule.rule.message.is_none()
            || self.texts.iter().any(|(place, _)| self.sees(rule, *place));
        codes && messages
    }

    /// Whether a rule's pattern is found in every message that it sees, whatever the texts are.
    pub(super) fn is_found_in_all(&self, rule: &Prepared<'_>) -> bool {
        let has_wanted = |(place, _): &(usize, Vec<&Prepared<'_>>)| {
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
