//! Errors that an executor reports at startup, in its order and words (`NewClassifier`, `NewPodRetryChecker`).

use super::model::{
    CategoryConfig, ErrorCategories, ExitCodesConfig, FailedChecksConfig, PendingCheckConfig,
    PendingChecksConfig, RuleConfig, Text,
};
use document::diag::{Code, Diagnostic, Place, did_you_mean, go_quote};
use document::pattern::Pattern;

/// A fault in a part of a configuration, in the words with which the executor stops.
#[derive(Debug, Clone)]
pub struct Fault {
    /// The executor's words.
    pub message: String,
    /// The finding, whose message may be the same.
    pub finding: Diagnostic,
}

/// The maximum length of names in bytes: that of Lookout's columns.
const MAX_LENGTH: usize = 63;

/// The conditions that a rule may name.
pub(super) const CONDITIONS: [&str; 3] = ["OOMKilled", "Evicted", "DeadlineExceeded"];

/// The matchers of a rule, for messages.
const MATCHERS: &str =
    "onConditions, onExitCodes, onTerminationMessage, onPodError, or onPodEvents";

/// Collects faults, each with what comes before its words.
struct Faults {
    prefix: String,
    list: Vec<Fault>,
}

impl Faults {
    fn add(
        &mut self,
        code: Code,
        place: &Place,
        message: impl AsRef<str>,
        help: impl Into<String>,
    ) {
        let message = format!("{}{}", self.prefix, message.as_ref());
        let finding = Diagnostic::error(code, place.clone(), &message).help(help);
        self.list.push(Fault { message, finding });
    }

    fn add_too_long(&mut self, what: &str, text: &Text) {
        if text.text.len() > MAX_LENGTH {
            let message =
                format!("{what} {} exceeds maximum length {MAX_LENGTH}", go_quote(&text.text));
            let help = format!("shorten it: it has {} bytes", text.text.len());
            self.add(Code::BadName, &text.place, message, help);
        }
    }

    /// Reports a pattern that Go refuses. `message` makes the message from Go's words.
    fn add_bad_pattern(&mut self, text: &Text, message: impl Fn(&str) -> String) {
        let Err(error) = Pattern::parse(&text.text) else { return };
        let words = message(&error.go_text(&text.text));
        let message = format!("{}{words}", self.prefix);
        let finding = Diagnostic::error(Code::BadPattern, text.place.clone(), &message)
            .labelled(error.to_string())
            .help(error.kind.help());
        self.list.push(Fault { message, finding });
    }
}

/// The faults of the categories, in the order in which the executor tests for them. It stops at the first.
pub fn category_faults(config: &ErrorCategories) -> Vec<Fault> {
    let mut faults = Faults { prefix: String::new(), list: Vec::new() };
    faults.add_too_long("defaultCategory", &config.default_category);
    faults.add_too_long("defaultSubcategory", &config.default_subcategory);
    for (number, category) in config.categories.iter().enumerate() {
        let earlier = config.categories[..number].iter();
        check_category(&mut faults, category, earlier);
    }
    faults.list
}

fn check_category<'c>(
    faults: &mut Faults,
    category: &CategoryConfig,
    mut earlier: impl Iterator<Item = &'c CategoryConfig>,
) {
    faults.prefix.clear();
    let name = &category.name;
    if name.is_empty() {
        let help = "name the category, or remove it";
        faults.add(Code::MissingField, &name.place, "category config must have a name", help);
    }
    faults.add_too_long("category name", name);
    if let Some(first) = earlier.find(|other| other.name.text == name.text && !name.is_empty()) {
        let message = format!("duplicate category name {}", go_quote(&name.text));
        let help = "put the rules of both into one category";
        faults.add(Code::DuplicateDocument, &name.place, message, help);
        if let Some(fault) = faults.list.last_mut() {
            fault.finding = fault.finding.clone().also(first.name.place.clone(), "first");
        }
    }
    let quoted = go_quote(&name.text);
    if category.rules.is_empty() {
        let message = format!("category {quoted} must have at least one rule");
        let help = "add a rule, or remove the category";
        faults.add(Code::EmptyList, &category.place, message, help);
    }
    let action = &category.action;
    if !matches!(action.text.as_str(), "" | "Retain" | "Delete") {
        let given = go_quote(&action.text);
        let message =
            format!("category {quoted}: invalid action {given}: must be \"Delete\" or \"Retain\"");
        let near =
            ["Delete", "Retain"].into_iter().find(|it| it.eq_ignore_ascii_case(&action.text));
        let help = near.map_or_else(
            || "the action is what happens to the pod; policies decide about retries".to_owned(),
            |near| format!("write `{near}`"),
        );
        faults.add(Code::NotAChoice, &action.place, message, help);
    }
    for (number, rule) in category.rules.iter().enumerate() {
        faults.prefix = format!("category {quoted} rule {number}: ");
        check_rule(faults, rule);
    }
}

fn check_rule(faults: &mut Faults, rule: &RuleConfig) {
    faults.add_too_long("subcategory", &rule.subcategory);
    let matchers = [
        !rule.conditions.is_empty(),
        rule.exit_codes.is_some(),
        rule.termination_message.is_some(),
        rule.pod_error.is_some(),
        rule.pod_events.is_some(),
    ];
    match matchers.iter().filter(|is_present| **is_present).count() {
        0 => {
            let message = format!("rule must specify one of {MATCHERS}");
            faults.add(Code::NoMatcher, &rule.place, message, "add one of them");
        }
        1 => {}
        _ => {
            let message = format!("rule must specify only one of {MATCHERS}");
            let help = "write a rule for each; rules of a category are alternatives";
            faults.add(Code::NoMatcher, &rule.place, message, help);
        }
    }
    for condition in &rule.conditions {
        check_condition(faults, condition);
    }
    if let Some(codes) = &rule.exit_codes {
        check_exit_codes(faults, codes);
    }
    let patterns =
        [("onTerminationMessage", &rule.termination_message), ("onPodError", &rule.pod_error)];
    for (name, text) in patterns {
        if let Some(text) = text {
            let given = go_quote(&text.text);
            faults.add_bad_pattern(text, |go| format!("invalid {name} regex {given}: {go}"));
        }
    }
    if let Some(events) = &rule.pod_events {
        let given = go_quote(&events.regexp.text);
        faults.add_bad_pattern(&events.regexp, |go| {
            format!("invalid onPodEvents regexp {given}: {go}")
        });
        if !is_event_type(&events.event_type) {
            let given = go_quote(&events.event_type.text);
            let message =
                format!("invalid onPodEvents type {given}, must be \"Normal\" or \"Warning\"");
            add_event_type(faults, &events.event_type, message);
        }
    }
}

fn check_condition(faults: &mut Faults, condition: &Text) {
    if CONDITIONS.contains(&condition.text.as_str()) {
        return;
    }
    let [oom, evicted, deadline] = CONDITIONS;
    let given = go_quote(&condition.text);
    let message = format!("unknown condition {given}, valid values: {oom}, {evicted}, {deadline}");
    let near = did_you_mean(condition.text.trim(), CONDITIONS);
    let help = near.map_or_else(
        || "the executor's categories match no other condition".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    faults.add(Code::NotAChoice, &condition.place, message, help);
}

fn check_exit_codes(faults: &mut Faults, codes: &ExitCodesConfig) {
    if !matches!(codes.operator.text.as_str(), "In" | "NotIn") {
        let given = go_quote(&codes.operator.text);
        let message = format!("invalid exit code operator {given}, must be \"In\" or \"NotIn\"");
        faults.add(Code::NotAChoice, &codes.operator.place, message, "write `In` or `NotIn`");
    }
    if codes.values.is_empty() {
        let message = "exit code matcher requires at least one value";
        faults.add(Code::EmptyList, &codes.place, message, "add `values: [1]`");
    }
}

fn is_event_type(text: &Text) -> bool {
    matches!(text.text.as_str(), "Normal" | "Warning")
}

fn add_event_type(faults: &mut Faults, text: &Text, message: String) {
    faults.add(Code::NotAChoice, &text.place, message, "write `type: Warning` or `type: Normal`");
}

/// The faults of the checks of failed pods, in the order in which the executor tests for them.
pub fn failed_check_faults(config: &FailedChecksConfig) -> Vec<Fault> {
    let mut faults = Faults { prefix: String::new(), list: Vec::new() };
    let pattern = |faults: &mut Faults, text: &Text| {
        faults.add_bad_pattern(text, |go| format!("cannot parse regexp \"{}\": {go}", text.text));
    };
    for check in &config.pod_statuses {
        pattern(&mut faults, &check.regexp);
    }
    for check in &config.events {
        pattern(&mut faults, &check.regexp);
        if !is_event_type(&check.event_type) {
            let message = format!("invalid event type: \"{}\"", check.event_type.text);
            add_event_type(&mut faults, &check.event_type, message);
        }
    }
    for check in &config.container_statuses {
        pattern(&mut faults, &check.name);
        pattern(&mut faults, &check.message);
    }
    faults.list
}

/// The faults of the checks of pods that do not start, in the order in which the executor tests for them.
pub(super) fn pending_check_faults(config: &PendingChecksConfig) -> Vec<Fault> {
    let mut faults = Faults { prefix: String::new(), list: Vec::new() };
    let action = |faults: &mut Faults, check: &PendingCheckConfig| {
        if !matches!(check.action.text.as_str(), "Fail" | "Retry") {
            let message = format!("Invalid action: \"{}\"", check.action.text);
            faults.add(Code::NotAChoice, &check.action.place, message, "write `Fail` or `Retry`");
        }
    };
    for event in &config.events {
        let text = &event.regexp;
        faults.add_bad_pattern(text, |go| format!("cannot parse regexp \"{}\": {go}", text.text));
        action(&mut faults, &event.check);
        if !is_event_type(&event.event_type) {
            let message = format!("invalid event type: \"{}\"", event.event_type.text);
            add_event_type(&mut faults, &event.event_type, message);
        }
    }
    for container in &config.container_statuses {
        let text = &container.regexp;
        faults.add_bad_pattern(text, |go| format!("Cannot parse regexp \"{}\": {go}", text.text));
        action(&mut faults, &container.check);
        if container.state.text != "Waiting" {
            let message = format!("Invalid container state: \"{}\"", container.state.text);
            faults.add(Code::NotAChoice, &container.state.place, message, "write `Waiting`");
        }
    }
    faults.list
}
