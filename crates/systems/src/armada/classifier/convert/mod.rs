//! From the checks of failed pods (`kubernetes.failedPodChecks`) to categories that policies can retry.
//!
//! A check returns the lease; a category leaves the retry to policies. The checks of containers apply once a container
//! started, all others before that, and rules have no such condition. It is replaced by the order of the categories:
//!
//! 1. the checks of containers,
//! 2. the categories of the file,
//! 3. a category with the name of the default for every container that failed, which ends the search,
//! 4. the checks of events and of pod statuses, which only pods without a failed container reach.
//!
//! Each other part that the rules cannot express is a [`CheckNote`] with a [`Loss`].

mod checks;
mod document;
mod names;
mod note;

pub use note::{CheckNote, Loss};

use super::config::{
    CategoryConfig, ErrorCategories, ExecutorConfig, PendingChecksConfig, RuleConfig, Text,
};
use ::document::diag::Place;
use ::document::units::GoDuration;
use checks::{container_rules, failed_containers, pod_rules, rule, text};
use note::CheckNotes;

/// The names of the categories of the checks of containers, and of those of events and pod statuses.
const NAMES: [&str; 2] = ["retryable-container", "retryable-pod"];

/// The name of the default category, if the file has none: a category needs a name.
const DEFAULT: &str = "uncategorized";

/// The text of failures of pods that do not start, to which no check of failed pods applies.
const NOT_STARTED: &str = "^Unable to start pod - encountered an unrecoverable problem\\.";

/// The categories that take the place of the checks.
#[derive(Debug)]
pub struct CategoryConversion {
    /// All categories, those of the file among them.
    pub categories: ErrorCategories,
    /// The names of the categories that a policy must retry. Empty if no check can be converted.
    pub retried: Vec<String>,
    /// A note for each check, or part of it.
    pub notes: Vec<CheckNote>,
}

/// Converts the checks of failed pods of a configuration without faults.
pub fn to_categories(config: &ExecutorConfig) -> CategoryConversion {
    let own = &config.categories;
    let mut taken: Vec<&str> = own.categories.iter().map(|it| it.name.text.as_str()).collect();
    taken.push(&own.default_category.text);
    let [container_name, pod_name] = NAMES.map(|name| free_name(name, &taken));
    let mut notes = CheckNotes::default();
    let of_containers = container_rules(&config.failed_checks, &container_name, &mut notes);
    let of_pods = pod_rules(&config.failed_checks, &pod_name, &mut notes);
    note_own(own, !of_pods.is_empty(), &pod_name, &mut notes);
    let mut categories = own.clone();
    categories.enabled = true;
    let (mut added, mut retried) = (Vec::new(), Vec::new());
    if !of_containers.is_empty() {
        retried.push(container_name.clone());
        added.push(deleting(container_name, of_containers));
    }
    added.append(&mut categories.categories);
    if !of_pods.is_empty() {
        let rest = rules_of_rest(&added, &of_pods, &config.pending_checks, &own.place);
        if !rest.is_empty() {
            added.push(rest_category(&mut categories, own, rest, &mut notes));
        }
        retried.push(pod_name.clone());
        added.push(deleting(pod_name, of_pods));
    }
    categories.categories = added;
    CategoryConversion { categories, retried, notes: notes.0 }
}

/// A name that no category has.
fn free_name(name: &str, taken: &[&str]) -> String {
    // From 2 on, as the plain name is the first.
    let mut names = (2_u32..).map(|number| format!("{name}-{number}"));
    if taken.contains(&name) {
        names.find(|name| !taken.contains(&name.as_str())).unwrap_or_default()
    } else {
        name.to_owned()
    }
}

/// A category that deletes the pod, as a check does.
fn deleting(name: String, rules: Vec<RuleConfig>) -> CategoryConfig {
    let place = rules[0].place.clone();
    let name = Text { text: name, place: place.clone() };
    CategoryConfig { action: text("Delete", &place), place, name, rules }
}

/// Notes what the conversion changes about the categories of the file.
fn note_own(own: &ErrorCategories, has_pod_rules: bool, pod_name: &str, notes: &mut CheckNotes) {
    let has_names = !own.categories.is_empty() || !own.default_category.is_empty();
    if !own.enabled && has_names {
        let what = "classification was off; the categories of the file are on too";
        let help = "remove those that are not meant";
        notes.lost(Loss::TurnedOn, (&own.place, "enabled"), what, Some(help.to_owned()));
    }
    if !has_pod_rules {
        return;
    }
    for category in &own.categories {
        for (number, rule) in category.rules.iter().enumerate() {
            let Some(field) = pod_matcher(rule) else { continue };
            let name = &category.name.text;
            let what = format!(
                "rule {number} of `{name}` is tested before `{pod_name}`; the checks of events and pod statuses came first"
            );
            let help = format!("move the rule behind `{pod_name}` if those checks are to win");
            notes.lost(Loss::EarlierRule, (&rule.place, field), what, Some(help));
        }
    }
}

/// The matcher of a rule that applies to pods without a failed container, if it has one.
fn pod_matcher(rule: &RuleConfig) -> Option<&'static str> {
    let mut conditions = rule.conditions.iter();
    if rule.pod_error.is_some() {
        Some("onPodError")
    } else if rule.pod_events.is_some() {
        Some("onPodEvents")
    } else {
        conditions.any(|condition| condition.text != "OOMKilled").then_some("onConditions")
    }
}

/// The rules that keep failures from the rules on pods: those of failed containers, and of pods that do not start.
fn rules_of_rest(
    before: &[CategoryConfig],
    of_pods: &[RuleConfig],
    pending: &PendingChecksConfig,
    place: &Place,
) -> Vec<RuleConfig> {
    let matches_containers = |rule: &RuleConfig| {
        let codes = rule.exit_codes.as_ref();
        rule.container_name.is_empty()
            && codes.is_some_and(|codes| {
                codes.operator.text == "NotIn" && codes.values.iter().all(|code| *code == 0)
            })
    };
    let mut rules = Vec::new();
    if !before.iter().flat_map(|category| &category.rules).any(matches_containers) {
        rules.push(failed_containers(place));
    }
    if of_pods.iter().any(|rule| rule.pod_error.is_some()) && can_fail(pending) {
        rules.push(RuleConfig { pod_error: Some(text(NOT_STARTED, place)), ..rule(place) });
    }
    rules
}

/// Whether the checks of pods that do not start can fail one.
fn can_fail(pending: &PendingChecksConfig) -> bool {
    let events = pending.events.iter().map(|event| &event.check);
    let containers = pending.container_statuses.iter().map(|container| &container.check);
    let mut checks = events.chain(containers);
    pending.deadline_for_init_containers > GoDuration::ZERO
        || checks.any(|check| check.action.text == "Fail")
}

/// The category of the rest: it has the name of the default, if no other category has.
fn rest_category(
    categories: &mut ErrorCategories,
    own: &ErrorCategories,
    mut rules: Vec<RuleConfig>,
    notes: &mut CheckNotes,
) -> CategoryConfig {
    let taken: Vec<&str> = own.categories.iter().map(|it| it.name.text.as_str()).collect();
    let default = &own.default_category;
    let place = &own.place;
    let name = if default.is_empty() {
        let name = free_name(DEFAULT, &taken);
        if own.enabled {
            let what = format!(
                "absent; `{name}` is written, since the rule for failed containers needs a name"
            );
            notes.lost(Loss::Default, (place, "defaultCategory"), what, None);
        }
        categories.default_category = text(&name, place);
        name
    } else {
        let name = free_name(&default.text, &taken);
        if name != default.text {
            let what = format!(
                "failed containers that no rule matches are named `{name}`, since a category has the default's name"
            );
            let help = "rename the category".to_owned();
            notes.lost(Loss::Default, (&default.place, "defaultCategory"), what, Some(help));
        }
        name
    };
    for rule in &mut rules {
        rule.subcategory = own.default_subcategory.clone();
    }
    CategoryConfig {
        place: place.clone(),
        name: text(&name, place),
        action: text("Retain", place),
        rules,
    }
}
