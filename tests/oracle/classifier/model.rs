//! An executor's configuration, and what the executor sees of a pod.

use regex::Regex;

pub struct Executor {
    pub is_enabled: bool,
    pub default_category: String,
    pub default_subcategory: String,
    pub categories: Vec<Category>,
    pub checks: Checks,
}

pub struct Category {
    pub name: String,
    pub is_delete: bool,
    pub rules: Vec<Rule>,
}

pub struct Rule {
    /// Empty for any container.
    pub container: String,
    pub matcher: Matcher,
    pub subcategory: String,
    pub hint: String,
}

pub enum Matcher {
    Conditions(Vec<String>),
    ExitCodes { is_in: bool, values: Vec<i64> },
    TerminationMessage(Regex),
    PodError(Regex),
    PodEvents(EventPattern),
}

/// An event of a type, with a reason unless that is empty, whose message is found.
pub struct EventPattern {
    pub regexp: Regex,
    pub kind: String,
    pub reason: String,
}

impl EventPattern {
    /// Whether type and reason are those.
    pub fn is_about(&self, event: &Event) -> bool {
        event.kind == self.kind && (self.reason.is_empty() || event.reason == self.reason)
    }
}

/// `kubernetes.failedPodChecks`.
pub struct Checks {
    pub containers: Vec<ContainerCheck>,
    pub events: Vec<EventPattern>,
    pub statuses: Vec<StatusCheck>,
}

pub struct ContainerCheck {
    pub name: Regex,
    pub message: Regex,
}

pub struct StatusCheck {
    pub regexp: Regex,
    /// Empty for any.
    pub reason: String,
}

pub struct Pod {
    /// `status.reason`.
    pub reason: String,
    /// `status.message`.
    pub message: String,
    /// `containerStatuses`, then `initContainerStatuses`.
    pub containers: Vec<Container>,
    pub events: Vec<Event>,
}

pub struct Container {
    pub name: String,
    /// `state.terminated`.
    pub end: Option<End>,
    /// It runs or ended, now or before its last restart.
    pub has_started: bool,
}

pub struct End {
    pub code: i64,
    pub reason: String,
    pub message: String,
}

pub struct Event {
    pub kind: String,
    pub reason: String,
    pub message: String,
}

impl Pod {
    /// The containers that ended with another code than 0, with their ends.
    pub fn failed(&self) -> Vec<(&str, &End)> {
        let ended = |container: &Container| container.end.as_ref().is_some_and(|end| end.code != 0);
        let failed = self.containers.iter().filter(|container| ended(container));
        failed.map(|container| (&*container.name, container.end.as_ref().expect("ended"))).collect()
    }

    /// "`status.message` if non-empty, else a line for each failed container."
    pub fn failed_reason(&self) -> String {
        if !self.message.is_empty() {
            return self.message.clone();
        }
        let mut text = String::new();
        for (name, End { code, reason, message }) in self.failed() {
            text += &format!(
                "Container {name} failed with exit code {code} because {reason}: {message}\n"
            );
        }
        text
    }
}
