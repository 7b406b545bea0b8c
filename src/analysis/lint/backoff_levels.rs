//! Backoffs of several levels that contradict each other (semantics.md, section 6).

use super::context::{Context, Policy, present};
use super::definition::Lint;
use armada_retry::policy::{Action, Backoff, Rule};
use document::diag::{Code, Diagnostic, Findings, Place};
use document::units::GoDuration;
use document::{Entry, Node};

pub(super) const LINT: Lint = Lint { code: Code::BackoffLevels, check };

fn check(context: &Context<'_>, findings: &mut Findings) {
    for policy in &context.policies {
        let own = policy.field("backoff");
        let mut has_own = false;
        for (_, rule, node) in policy.numbered() {
            if rule.action == Action::Retry && !rule.backoff.is_empty() {
                let levels = Levels::new(context, policy, Some(rule), present(node, "backoff"));
                findings.extend(levels.findings(policy));
            }
            has_own |= rule.action == Action::Retry && rule.backoff.is_empty();
        }
        // The policy's backoff is checked by itself if a rule or the default has no other.
        has_own |= policy.policy().default_action() == Action::Retry;
        if has_own && own.is_some() {
            findings.extend(Levels::new(context, policy, None, None).findings(policy));
        }
    }
}

/// The levels of one backoff, the most specific first.
struct Levels<'n> {
    blocks: Vec<(Backoff, Option<&'n Node>)>,
    /// Whether the scheduler's level is known.
    is_known: bool,
    merged: Backoff,
}

impl<'n> Levels<'n> {
    fn new(
        context: &Context<'_>,
        policy: &Policy<'n>,
        rule: Option<&Rule>,
        node: Option<&'n Entry>,
    ) -> Self {
        let of_rule = rule.map(|rule| (rule.backoff, node.map(|entry| &entry.value)));
        let own = policy.field("backoff").map(|entry| &entry.value);
        let scheduler = context.input.scheduler.map(|config| config.settings.default_backoff);
        let blocks: Vec<_> = of_rule.into_iter().chain([(policy.policy().backoff, own)]).collect();
        let merged = blocks.iter().fold(Backoff::default(), |merged, (level, _)| merged.or(*level));
        let merged = merged.or(scheduler.unwrap_or_default()).or(Backoff::BUILT_IN);
        Self { blocks, is_known: scheduler.is_some(), merged }
    }

    /// The entry that sets a field, of the most specific level.
    fn entry(&self, key: &str) -> Option<&'n Entry> {
        self.blocks.iter().find_map(|(_, node)| present((*node)?, key))
    }

    fn findings(&self, policy: &Policy<'_>) -> Option<Diagnostic> {
        self.never_grows(policy).or_else(|| self.never_waits(policy))
    }

    /// The wait is `maxDelay` from the first failure on.
    fn never_grows(&self, policy: &Policy<'_>) -> Option<Diagnostic> {
        let (initial, most) = (self.merged.initial_delay?, self.merged.max_delay?);
        if initial <= most {
            return None;
        }
        let initial_entry = self.entry("initialDelay");
        let most_entry = self.entry("maxDelay");
        let entry = initial_entry.or(most_entry)?;
        let of = |entry: Option<&Entry>| entry.map(|entry| policy.place(entry.value.span));
        let message = format!(
            "every wait is {most}: `initialDelay`, {initial}, is above the `maxDelay` of another level"
        );
        let place = policy.place(entry.value.span);
        let finding = Diagnostic::warning(Code::BackoffLevels, place, message);
        let other: Option<Place> = of(most_entry).filter(|_| initial_entry.is_some());
        let finding = match other {
            Some(other) => finding.also(other, "the longest wait"),
            None => finding,
        };
        Some(finding.help("set `maxDelay` beside `initialDelay`, so that waits grow up to it"))
    }

    /// A multiplier or a longest wait without a first one.
    fn never_waits(&self, policy: &Policy<'_>) -> Option<Diagnostic> {
        if self.merged.initial_delay? != GoDuration::ZERO {
            return None;
        }
        let initial = self.entry("initialDelay");
        // Of a policy whose scheduler is not known, only what it sets itself is certain.
        if initial.is_none() && !self.is_known {
            return None;
        }
        let grows = |(level, node): &(Backoff, Option<&'n Node>)| {
            let key = match level {
                Backoff { multiplier: Some(_), .. } => "multiplier",
                Backoff { max_delay: Some(_), .. } => "maxDelay",
                _ => return None,
            };
            present((*node)?, key)
        };
        let entry = self.blocks.iter().find_map(grows)?;
        let message = format!("`{}` has no effect: `initialDelay` is 0", entry.key);
        let place = policy.place(entry.key_span);
        let mut finding = Diagnostic::warning(Code::BackoffLevels, place, message);
        if let Some(initial) = initial {
            finding = finding.also(policy.place(initial.value.span), "no wait");
        }
        Some(finding.help("set `initialDelay`, such as `30s`"))
    }
}
