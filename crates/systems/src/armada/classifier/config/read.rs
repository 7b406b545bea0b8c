//! From decoded fields to the model.

use super::decode::{Decoder, Field, Object};
use super::model::{
    CategoryConfig, ErrorCategories, EventConfig, ExecutorConfig, ExitCodesConfig,
    FailedChecksConfig, FailedContainerConfig, PendingCheckConfig, PendingChecksConfig,
    PendingEventConfig, PodStatusConfig, RuleConfig, Text, TrackedLabels, WaitingContainerConfig,
};
use super::value::{Value, ValueKind};
use document::diag::Place;
use document::units::GoDuration;

/// The names of the fields of a rule in Go.
const RULE: [&str; 8] = [
    "ContainerName",
    "OnExitCodes",
    "OnTerminationMessage",
    "OnPodError",
    "OnPodEvents",
    "OnConditions",
    "Subcategory",
    "Hint",
];

/// Decodes the merged files. `place` is that of the first file.
pub(super) fn executor_config(
    decoder: &mut Decoder,
    root: &Value,
    place: &Place,
) -> ExecutorConfig {
    let section =
        |path: &[&str], name| Field::root(root.at(path), name, place_at(root, path, place));
    let categories = section(&["application", "errorcategories"], "Application.ErrorCategories");
    let failed = section(&["kubernetes", "failedpodchecks"], "Kubernetes.FailedPodChecks");
    let pending = section(&["kubernetes", "pendingpodchecks"], "Kubernetes.PendingPodChecks");
    ExecutorConfig {
        categories: error_categories(decoder, categories, place),
        failed_checks: failed_checks(decoder, failed),
        pending_checks: pending_checks(decoder, pending),
        tracked_labels: tracked_labels(root, place),
    }
}

/// The labels of nodes that the executor reports: a list, or a text with commas, which the loader splits.
fn tracked_labels(root: &Value, place: &Place) -> TrackedLabels {
    let path = ["kubernetes", "trackednodelabels"];
    let text = |value: &Value| match &value.kind {
        ValueKind::Text(text) => Some(text.clone()),
        _ => None,
    };
    let labels = match root.at(&path).map(|value| &value.kind) {
        Some(ValueKind::List(items)) => items.iter().filter_map(text).collect(),
        Some(ValueKind::Text(list)) => list.split(',').map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    TrackedLabels { place: place_at(root, &path, place), labels }
}

/// The place of the key at a path, or of its longest part that is present.
fn place_at(root: &Value, path: &[&str], place: &Place) -> Place {
    let (mut value, mut at) = (root, place.clone());
    for key in path {
        let Some(entry) = value.entry(key) else { break };
        (value, at) = (&entry.value, entry.place.clone());
    }
    at
}

fn error_categories(decoder: &mut Decoder, field: Field<'_>, place: &Place) -> ErrorCategories {
    const FIELDS: [&str; 4] = ["Enabled", "DefaultCategory", "DefaultSubcategory", "Categories"];
    let root = Field::root(None, "", place.clone());
    let Some(object) = decoder.object(field, &FIELDS) else {
        let absent = decoder.text(&root);
        return ErrorCategories {
            place: place.clone(),
            enabled: false,
            default_category: absent.clone(),
            default_subcategory: absent,
            categories: Vec::new(),
        };
    };
    let categories = object.field("Categories").items();
    ErrorCategories {
        place: Place::clone(place),
        enabled: decoder.boolean(&object.field("Enabled")),
        default_category: decoder.text(&object.field("DefaultCategory")),
        default_subcategory: decoder.text(&object.field("DefaultSubcategory")),
        categories: categories.into_iter().map(|field| category(decoder, field)).collect(),
    }
}

/// An object of a list; one that is null or of another type has no fields.
fn item<'v>(
    decoder: &mut Decoder,
    field: Field<'v>,
    names: &[&str],
) -> Result<Object<'v>, Field<'static>> {
    let absent = Field::root(None, "", field.place());
    decoder.object(field, names).ok_or(absent)
}

fn category(decoder: &mut Decoder, field: Field<'_>) -> CategoryConfig {
    match item(decoder, field, &["Name", "Rules", "Action"]) {
        Ok(object) => {
            let rules = object.field("Rules").items();
            CategoryConfig {
                place: object.place(),
                name: decoder.text(&object.field("Name")),
                action: decoder.text(&object.field("Action")),
                rules: rules.into_iter().map(|field| rule(decoder, field)).collect(),
            }
        }
        Err(absent) => {
            let name = decoder.text(&absent);
            CategoryConfig {
                place: name.place.clone(),
                action: name.clone(),
                name,
                rules: Vec::new(),
            }
        }
    }
}

fn rule(decoder: &mut Decoder, field: Field<'_>) -> RuleConfig {
    let object = match item(decoder, field, &RULE) {
        Ok(object) => object,
        Err(absent) => {
            let text = decoder.text(&absent);
            return RuleConfig {
                place: text.place.clone(),
                container_name: text.clone(),
                exit_codes: None,
                termination_message: None,
                pod_error: None,
                pod_events: None,
                conditions: Vec::new(),
                subcategory: text.clone(),
                hint: text,
            };
        }
    };
    let conditions = object.field("OnConditions").items();
    RuleConfig {
        place: object.place(),
        container_name: decoder.text(&object.field("ContainerName")),
        exit_codes: exit_codes(decoder, object.field("OnExitCodes")),
        termination_message: pattern(decoder, object.field("OnTerminationMessage")),
        pod_error: pattern(decoder, object.field("OnPodError")),
        pod_events: {
            let field = object.field("OnPodEvents");
            decoder.object(field, &EVENT).map(|object| event(decoder, &object))
        },
        conditions: conditions.iter().map(|field| decoder.text(field)).collect(),
        subcategory: decoder.text(&object.field("Subcategory")),
        hint: decoder.text(&object.field("Hint")),
    }
}

fn exit_codes(decoder: &mut Decoder, field: Field<'_>) -> Option<ExitCodesConfig> {
    let object = decoder.object(field, &["Operator", "Values"])?;
    let values = object.field("Values").items();
    Some(ExitCodesConfig {
        place: object.place(),
        operator: decoder.text(&object.field("Operator")),
        values: values.iter().map(|field| decoder.int32(field)).collect(),
    })
}

fn pattern(decoder: &mut Decoder, field: Field<'_>) -> Option<Text> {
    let object = decoder.object(field, &["Pattern"])?;
    Some(decoder.text(&object.field("Pattern")))
}

const EVENT: [&str; 3] = ["Regexp", "Reason", "Type"];

fn event(decoder: &mut Decoder, object: &Object<'_>) -> EventConfig {
    EventConfig {
        regexp: decoder.text(&object.field("Regexp")),
        reason: decoder.text(&object.field("Reason")),
        event_type: decoder.text(&object.field("Type")),
    }
}

/// The objects of a list.
fn objects<'v>(decoder: &mut Decoder, field: Field<'v>, names: &[&str]) -> Vec<Object<'v>> {
    let items = field.items();
    items.into_iter().filter_map(|field| decoder.object(field, names)).collect()
}

fn failed_checks(decoder: &mut Decoder, field: Field<'_>) -> FailedChecksConfig {
    const FIELDS: [&str; 3] = ["Events", "PodStatuses", "ContainerStatuses"];
    let Some(object) = decoder.object(field, &FIELDS) else { return FailedChecksConfig::default() };
    let events = objects(decoder, object.field("Events"), &EVENT);
    let statuses = objects(decoder, object.field("PodStatuses"), &["Regexp", "Reason"]);
    let names = ["ContainerNameRegexp", "MessageRegexp"];
    let containers = objects(decoder, object.field("ContainerStatuses"), &names);
    FailedChecksConfig {
        events: events.iter().map(|object| event(decoder, object)).collect(),
        pod_statuses: statuses
            .iter()
            .map(|object| PodStatusConfig {
                regexp: decoder.text(&object.field("Regexp")),
                reason: decoder.text(&object.field("Reason")),
            })
            .collect(),
        container_statuses: containers
            .iter()
            .map(|object| FailedContainerConfig {
                name: decoder.text(&object.field("ContainerNameRegexp")),
                message: decoder.text(&object.field("MessageRegexp")),
            })
            .collect(),
    }
}

fn pending_checks(decoder: &mut Decoder, field: Field<'_>) -> PendingChecksConfig {
    const FIELDS: [&str; 5] = [
        "Events",
        "ContainerStatuses",
        "DeadlineForUpdates",
        "DeadlineForNodeAssignment",
        "DeadlineForInitContainers",
    ];
    const EVENT: [&str; 6] = ["Regexp", "Inverse", "Type", "GracePeriod", "Action", "Name"];
    const WAITING: [&str; 6] =
        ["State", "ReasonRegexp", "Inverse", "GracePeriod", "Action", "Name"];
    // The base has the section, so that it is absent only after an error.
    let Some(object) = decoder.object(field, &FIELDS) else {
        return PendingChecksConfig {
            events: Vec::new(),
            container_statuses: Vec::new(),
            deadline_for_updates: GoDuration::ZERO,
            deadline_for_node_assignment: GoDuration::ZERO,
            deadline_for_init_containers: GoDuration::ZERO,
        };
    };
    let events = objects(decoder, object.field("Events"), &EVENT);
    let containers = objects(decoder, object.field("ContainerStatuses"), &WAITING);
    let events = events.iter().enumerate().map(|(number, object)| PendingEventConfig {
        regexp: decoder.text(&object.field("Regexp")),
        event_type: decoder.text(&object.field("Type")),
        check: pending_check(decoder, object, number),
    });
    let events = events.collect();
    let containers = containers.iter().enumerate().map(|(number, object)| WaitingContainerConfig {
        regexp: decoder.text(&object.field("ReasonRegexp")),
        state: decoder.text(&object.field("State")),
        check: pending_check(decoder, object, number),
    });
    let container_statuses = containers.collect();
    PendingChecksConfig {
        events,
        container_statuses,
        deadline_for_updates: decoder.duration(&object.field("DeadlineForUpdates")),
        deadline_for_node_assignment: decoder.duration(&object.field("DeadlineForNodeAssignment")),
        deadline_for_init_containers: decoder.duration(&object.field("DeadlineForInitContainers")),
    }
}

fn pending_check(decoder: &mut Decoder, object: &Object<'_>, number: usize) -> PendingCheckConfig {
    let name = decoder.text(&object.field("Name"));
    PendingCheckConfig {
        name: if name.is_empty() { format!("check-{number}") } else { name.text },
        inverse: decoder.boolean(&object.field("Inverse")),
        grace_period: decoder.duration(&object.field("GracePeriod")),
        action: decoder.text(&object.field("Action")),
    }
}
