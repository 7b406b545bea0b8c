//! From the checks of failed pods to rules.

use super::names::{ContainerNames, container_names};
use super::note::{CheckNotes, Loss};
use crate::armada::classifier::checks::{compile, is_match};
use crate::armada::classifier::config::{
    EventConfig, ExitCodesConfig, FailedChecksConfig, FailedContainerConfig, PodStatusConfig,
    RuleConfig, Text,
};
use crate::convert::messages::{MatchCertainty, Piece, match_message};
use document::diag::Place;

/// All bytes, as the alphabet of messages.
static BYTES: [u8; 256] = {
    let mut bytes = [0; 256];
    let mut byte = 0_u8;
    while byte < u8::MAX {
        byte += 1;
        bytes[byte as usize] = byte;
    }
    bytes
};

/// The pod reasons that rules can compare.
const REASONS: [&str; 2] = ["Evicted", "DeadlineExceeded"];

fn matches_empty(pattern: &Text) -> bool {
    is_match(compile(&pattern.text).as_ref(), "")
}

/// Whether a pattern matches every text. If that cannot be decided, it does not.
fn matches_all(pattern: &Text) -> bool {
    matches_empty(pattern)
        && match_message(&pattern.text, &[Piece::Open(&BYTES)]) == MatchCertainty::Always
}

/// A text that is not in a file, with the place of what it is for.
pub(super) fn text(text: &str, place: &Place) -> Text {
    Text { text: text.to_owned(), place: place.clone() }
}

/// A rule without a matcher.
pub(super) fn rule(place: &Place) -> RuleConfig {
    RuleConfig {
        place: place.clone(),
        container_name: text("", place),
        exit_codes: None,
        termination_message: None,
        pod_error: None,
        pod_events: None,
        conditions: Vec::new(),
        subcategory: text("", place),
        hint: text("", place),
    }
}

/// A rule that matches every failed container.
pub(super) fn failed_containers(place: &Place) -> RuleConfig {
    let operator = text("NotIn", place);
    let codes = ExitCodesConfig { place: place.clone(), operator, values: vec![0] };
    RuleConfig { exit_codes: Some(codes), ..rule(place) }
}

/// The rules that name what checks of containers return.
pub(super) fn container_rules(
    checks: &FailedChecksConfig,
    category: &str,
    notes: &mut CheckNotes,
) -> Vec<RuleConfig> {
    let mut rules = Vec::new();
    for check in &checks.container_statuses {
        rules.extend(rules_of_container(check, category, notes));
    }
    rules
}

fn rules_of_container(
    check: &FailedContainerConfig,
    category: &str,
    notes: &mut CheckNotes,
) -> Vec<RuleConfig> {
    let FailedContainerConfig { name, message } = check;
    let field = (&name.place, "containerNameRegexp");
    let found = container_names(&name.text);
    let names = match &found {
        ContainerNames::All => vec![String::new()],
        ContainerNames::Only(names) | ContainerNames::AndOthers(names) => names.clone(),
        ContainerNames::Unlisted => {
            let what = "the check is left out: a rule names one container, and the names that match cannot be listed";
            let help = "list the names, as in `^(main|worker)$`";
            notes.lost(Loss::UnlistedNames, field, what, Some(help.to_owned()));
            return Vec::new();
        }
    };
    if names.is_empty() {
        notes.kept(&name.place, field.1, "left out, since no container has such a name");
        return Vec::new();
    }
    let any_message = matches_all(message);
    let rules = names.iter().map(|container| {
        let mut rule = if any_message {
            failed_containers(&name.place)
        } else {
            RuleConfig { termination_message: Some(message.clone()), ..rule(&name.place) }
        };
        rule.container_name = text(container, &name.place);
        rule
    });
    let rules = rules.collect();
    let loses_empty = !any_message && matches_empty(message);
    if let ContainerNames::AndOthers(_) = found {
        note_other_names(&names, field, notes);
    }
    if loses_empty {
        let what = "`onTerminationMessage` matches no empty message, as the pattern does";
        notes.lost(Loss::EmptyText, (&message.place, "messageRegexp"), what, None);
    }
    if !loses_empty && !matches!(found, ContainerNames::AndOthers(_)) {
        let matcher = if any_message { "onExitCodes" } else { "onTerminationMessage" };
        notes.kept(&name.place, "containerStatuses", format!("as `{matcher}` of `{category}`"));
    }
    rules
}

fn note_other_names(names: &[String], field: (&Place, &'static str), notes: &mut CheckNotes) {
    let all = names.join(", ");
    let what = format!("only these names are tested: {all}; the pattern matches others too");
    let help = format!("write `^({})$` if no others are meant, else list them", names.join("|"));
    notes.lost(Loss::OtherNames, field, what, Some(help));
}

/// The rules that name what checks of events and of pod statuses return.
pub(super) fn pod_rules(
    checks: &FailedChecksConfig,
    category: &str,
    notes: &mut CheckNotes,
) -> Vec<RuleConfig> {
    if let Some(first) = checks.events.first() {
        note_started((&first.regexp.place, "events"), "onPodEvents", category, notes);
    }
    let mut rules: Vec<RuleConfig> =
        checks.events.iter().map(|check| rule_of_event(check, notes)).collect();
    if let Some(first) = checks.pod_statuses.first() {
        let matcher = if condition(first).is_some() { "onConditions" } else { "onPodError" };
        note_started((&first.regexp.place, "podStatuses"), matcher, category, notes);
    }
    rules.extend(checks.pod_statuses.iter().map(|check| rule_of_status(check, notes)));
    rules
}

/// Notes that rules apply to more pods than the checks of a list do.
fn note_started(
    field: (&Place, &'static str),
    matcher: &str,
    category: &str,
    notes: &mut CheckNotes,
) {
    let what = format!(
        "as `{matcher}` of `{category}`, which also names pods whose containers started and did not fail"
    );
    notes.lost(Loss::StartedPod, field, what, None);
}

fn rule_of_event(check: &EventConfig, notes: &mut CheckNotes) -> RuleConfig {
    let place = &check.regexp.place;
    if matches_empty(&check.regexp) {
        let what = "`onPodEvents` matches no empty message, as the pattern does";
        notes.lost(Loss::EmptyText, (place, "regexp"), what, None);
    }
    RuleConfig { pod_events: Some(check.clone()), ..rule(place) }
}

/// The condition that is the same as a check, which must have no pattern.
fn condition(check: &PodStatusConfig) -> Option<&Text> {
    let reason = &check.reason;
    let is_condition = REASONS.contains(&reason.text.as_str()) && matches_all(&check.regexp);
    is_condition.then_some(reason)
}

fn rule_of_status(check: &PodStatusConfig, notes: &mut CheckNotes) -> RuleConfig {
    let PodStatusConfig { regexp, reason } = check;
    if let Some(condition) = condition(check) {
        return RuleConfig { conditions: vec![condition.clone()], ..rule(&reason.place) };
    }
    if !reason.is_empty() {
        let (what, help) = if matches_all(regexp) {
            let what = "`onPodError` compares no reason, so that every pod that failed without a failed container \
                        is retried";
            (what, "write a `regexp` for the message of such pods")
        } else {
            let what = "`onPodError` compares no reason, so that pods with another one are retried too if the \
                        message matches";
            (what, "write a `regexp` that matches the message of no other pods")
        };
        notes.lost(Loss::Reason, (&reason.place, "reason"), what, Some(help.to_owned()));
    }
    if matches_empty(regexp) {
        let what = "`onPodError` matches no empty message, as the pattern does";
        notes.lost(Loss::EmptyText, (&regexp.place, "regexp"), what, None);
    }
    RuleConfig { pod_error: Some(regexp.clone()), ..rule(&regexp.place) }
}
