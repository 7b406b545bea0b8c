//! The parts of an executor's configuration that decide which category a failure gets, as Armada has them after decoding.

use document::diag::Place;
use document::units::GoDuration;

/// A text with its place; an absent one has the place of its parent.
#[derive(Debug, Clone)]
pub struct Text {
    /// The text; empty if absent.
    pub text: String,
    /// Its place.
    pub place: Place,
}

impl Text {
    /// Whether it is absent or empty, which is the same to the executor.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

/// `application.errorCategories` (`categorizer/types.go`).
#[derive(Debug, Clone)]
pub struct ErrorCategories {
    /// The place of `enabled` in a file of the operator, else that of the first file.
    pub place: Place,
    /// Whether failures are classified at all.
    pub enabled: bool,
    /// The category of failures that no rule matches; may be empty.
    pub default_category: Text,
    /// Their subcategory; may be empty.
    pub default_subcategory: Text,
    /// The categories, in the order in which their rules are tested.
    pub categories: Vec<CategoryConfig>,
}

/// A category.
#[derive(Debug, Clone)]
pub struct CategoryConfig {
    /// Its place.
    pub place: Place,
    /// Its name.
    pub name: Text,
    /// `Delete`, `Retain` or empty, which is `Retain`.
    pub action: Text,
    /// Its rules.
    pub rules: Vec<RuleConfig>,
}

/// A rule of a category.
#[derive(Debug, Clone)]
pub struct RuleConfig {
    /// Its place.
    pub place: Place,
    /// The only container that the container matchers test; empty for all.
    pub container_name: Text,
    /// `onExitCodes`.
    pub exit_codes: Option<ExitCodesConfig>,
    /// The pattern of `onTerminationMessage`.
    pub termination_message: Option<Text>,
    /// The pattern of `onPodError`.
    pub pod_error: Option<Text>,
    /// `onPodEvents`.
    pub pod_events: Option<EventConfig>,
    /// `onConditions`.
    pub conditions: Vec<Text>,
    /// The subcategory of failures that it matches.
    pub subcategory: Text,
    /// A text that is appended to the message of failures that it matches.
    pub hint: Text,
}

/// `onExitCodes`.
#[derive(Debug, Clone)]
pub struct ExitCodesConfig {
    /// Its place.
    pub place: Place,
    /// `In` or `NotIn`.
    pub operator: Text,
    /// The codes, as 32-bit numbers.
    pub values: Vec<i32>,
}

/// A matcher of events: `onPodEvents`, or an entry of `events` of a pod check.
#[derive(Debug, Clone)]
pub struct EventConfig {
    /// The pattern of the event's message.
    pub regexp: Text,
    /// The event's reason; empty for any.
    pub reason: Text,
    /// `Normal` or `Warning`.
    pub event_type: Text,
}

/// `kubernetes.failedPodChecks`.
#[derive(Debug, Clone, Default)]
pub struct FailedChecksConfig {
    /// Checks of events.
    pub events: Vec<EventConfig>,
    /// Checks of pods that started no container.
    pub pod_statuses: Vec<PodStatusConfig>,
    /// Checks of containers that failed.
    pub container_statuses: Vec<FailedContainerConfig>,
}

impl FailedChecksConfig {
    /// Whether there are no checks.
    pub fn is_empty(&self) -> bool {
        let Self { events, pod_statuses, container_statuses } = self;
        events.is_empty() && pod_statuses.is_empty() && container_statuses.is_empty()
    }
}

/// An entry of `podStatuses`.
#[derive(Debug, Clone)]
pub struct PodStatusConfig {
    /// The pattern of the pod's status message.
    pub regexp: Text,
    /// The pod's reason; empty for any.
    pub reason: Text,
}

/// An entry of `containerStatuses` of `failedPodChecks`.
#[derive(Debug, Clone)]
pub struct FailedContainerConfig {
    /// The pattern of the container's name.
    pub name: Text,
    /// The pattern of its termination message.
    pub message: Text,
}

/// `kubernetes.pendingPodChecks`.
#[derive(Debug, Clone)]
pub struct PendingChecksConfig {
    /// Checks of events.
    pub events: Vec<PendingEventConfig>,
    /// Checks of waiting containers.
    pub container_statuses: Vec<WaitingContainerConfig>,
    /// How long a pod may have neither a container status nor an event.
    pub deadline_for_updates: GoDuration,
    /// How long a pod may have no node.
    pub deadline_for_node_assignment: GoDuration,
    /// How long init containers may run; 0 for any time.
    pub deadline_for_init_containers: GoDuration,
}

/// The action of a pending check, and when it is taken.
#[derive(Debug, Clone)]
pub struct PendingCheckConfig {
    /// Its name in messages.
    pub name: String,
    /// Whether it applies to texts that do not match.
    pub inverse: bool,
    /// How long it does not apply to a pod.
    pub grace_period: GoDuration,
    /// `Fail` or `Retry`.
    pub action: Text,
}

/// An entry of `events` of `pendingPodChecks`.
#[derive(Debug, Clone)]
pub struct PendingEventConfig {
    /// The pattern of the event's message.
    pub regexp: Text,
    /// `Normal` or `Warning`.
    pub event_type: Text,
    /// What it does.
    pub check: PendingCheckConfig,
}

/// An entry of `containerStatuses` of `pendingPodChecks`.
#[derive(Debug, Clone)]
pub struct WaitingContainerConfig {
    /// The pattern of the reason for which the container waits.
    pub regexp: Text,
    /// `Waiting`.
    pub state: Text,
    /// What it does.
    pub check: PendingCheckConfig,
}

/// An executor's configuration, as far as it decides what the executor reports about a failed pod.
#[derive(Debug, Clone)]
pub struct ExecutorConfig {
    /// The categories.
    pub categories: ErrorCategories,
    /// The checks of failed pods, which come before the categories.
    pub failed_checks: FailedChecksConfig,
    /// The checks of pods that have not started.
    pub pending_checks: PendingChecksConfig,
    /// The labels of nodes that the executor reports to the scheduler.
    pub tracked_labels: TrackedLabels,
}

/// `kubernetes.trackedNodeLabels`.
#[derive(Debug, Clone)]
pub struct TrackedLabels {
    /// The place of its value.
    pub place: Place,
    pub labels: Vec<String>,
}
