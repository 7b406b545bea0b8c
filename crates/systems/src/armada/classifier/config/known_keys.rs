//! The keys of an executor's configuration that the executor reads, and the keys that it ignores.
//!
//! Source: Armada, `internal/executor/configuration/types.go`. Structs that are not listed here with their fields are not
//! about failures, and their keys are not checked.

use super::decode::UnusedKey;
use super::value::{Entry, Value, ValueKind};
use document::diag::did_you_mean;

/// A field of a Go struct.
#[derive(Debug)]
pub(super) struct GoField {
    /// Its name in Go. Keys are compared without case.
    name: &'static str,
    /// The fields of its struct; empty if its keys are not checked here.
    fields: &'static [Self],
}

const fn field(name: &'static str) -> GoField {
    GoField { name, fields: &[] }
}

const fn object(name: &'static str, fields: &'static [GoField]) -> GoField {
    GoField { name, fields }
}

/// `ExecutorConfiguration`.
static ROOT: [GoField; 10] = [
    field("HttpPort"),
    field("Profiling"),
    field("Observability"),
    field("Metric"),
    object("Application", &APPLICATION),
    field("ExecutorApiConnection"),
    field("Client"),
    field("GRPC"),
    object("Kubernetes", &KUBERNETES),
    field("Task"),
];

/// `ApplicationConfiguration`.
static APPLICATION: [GoField; 10] = [
    field("ClusterId"),
    field("Pool"),
    field("ReservedNodePoolSuffix"),
    field("SubmitConcurrencyLimit"),
    field("UpdateConcurrencyLimit"),
    field("DeleteConcurrencyLimit"),
    field("JobLeaseRequestTimeout"),
    field("MaxLeasedJobs"),
    field("ErrorCategories"),
    object("DebugEvents", &DEBUG_EVENTS),
];

/// `DebugEventsConfig`.
static DEBUG_EVENTS: [GoField; 4] = [
    field("Enabled"),
    field("MinAppContainerRuntimeForFailureDebug"),
    object("Pod", &[field("MaxEvents")]),
    object("Node", &[field("MaxEvents"), field("Labels"), field("Annotations")]),
];

/// `KubernetesConfiguration`.
static KUBERNETES: [GoField; 22] = [
    field("ImpersonateUsers"),
    field("QPS"),
    field("Burst"),
    field("Etcd"),
    field("NodePoolLabel"),
    field("NodeTypeLabel"),
    field("NodeIdLabel"),
    field("TrackedNodeLabels"),
    field("AvoidNodeLabelsOnRetry"),
    field("ToleratedTaints"),
    field("MinimumPodAge"),
    field("StuckTerminatingPodExpiry"),
    field("FailedPodExpiry"),
    field("MaxTerminatedPods"),
    field("PodDefaults"),
    object("StateChecks", &STATE_CHECKS),
    field("FailedPodChecks"),
    field("PendingPodChecks"),
    field("FatalPodSubmissionErrors"),
    field("MinimumResourcesMarkedAllocatedToNonArmadaPodsPerNode"),
    field("MinimumResourcesMarkedAllocatedToNonArmadaPodsPerNodePriority"),
    field("PodKillTimeout"),
];

/// `StateChecksConfiguration`.
static STATE_CHECKS: [GoField; 2] = [
    field("DeadlineForSubmittedPodConsideredMissing"),
    field("DeadlineForActivePodConsideredMissing"),
];

/// The key by which older versions turned classification on.
const OLD_SWITCH: &str = "enableJobErrorCategorization";

/// Adds the keys that no field has, outside the parts that are decoded. A key without a value is as good as absent:
/// the loader leaves it out before it decodes.
pub(super) fn add_unused(root: &Value, unused: &mut Vec<UnusedKey>) {
    add(root, "", &ROOT, unused);
}

fn add(value: &Value, path: &str, fields: &'static [GoField], unused: &mut Vec<UnusedKey>) {
    let ValueKind::Map(entries) = &value.kind else { return };
    for entry in entries {
        match fields.iter().find(|field| field.name.eq_ignore_ascii_case(&entry.key)) {
            Some(field) if field.fields.is_empty() => {}
            Some(field) => {
                let name = field.name;
                let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
                add(&entry.value, &path, field.fields, unused);
            }
            None if is_set(&entry.value) => unused.push(UnusedKey::new(path, entry)),
            None => {}
        }
    }
}

/// Returns whether the loader has a value for a key: not for null, nor for a mapping without values.
fn is_set(value: &Value) -> bool {
    match &value.kind {
        ValueKind::Null => false,
        ValueKind::Map(entries) => entries.iter().any(|entry| is_set(&entry.value)),
        _ => true,
    }
}

impl UnusedKey {
    /// The key of an entry of the mapping at a path.
    pub(super) fn new(path: &str, entry: &Entry) -> Self {
        Self {
            parent: path.to_owned(),
            key: entry.key.clone(),
            written: entry.written.clone(),
            place: entry.place.clone(),
        }
    }

    /// The key in Go's notation.
    pub(super) fn path(&self) -> String {
        match self.parent.as_str() {
            "" => self.key.clone(),
            parent => format!("{parent}.{}", self.key),
        }
    }
}

/// Returns the replacement of an unused key of the root, of `application` or of `kubernetes`: a field of the same mapping,
/// else one of another mapping, with its path.
pub(super) fn help(unused: &UnusedKey) -> Option<String> {
    let own = fields_of(&unused.parent)?;
    // Other programs write words apart by underscores or hyphens.
    let word = unused.key.replace(['_', '-'], "");
    let is_same = |name: &str| name.eq_ignore_ascii_case(&word);
    let own = || own.iter().map(|field| yaml_name(field.name));
    if let Some(same) = own().find(|name| is_same(name)) {
        return Some(format!("did you mean `{same}`?"));
    }
    let others = || {
        let parents = ["", "Application", "Kubernetes"].into_iter();
        let parents = parents.filter(|parent| *parent != unused.parent);
        parents.flat_map(|parent| {
            fields_of(parent).unwrap_or_default().iter().map(move |field| (parent, field.name))
        })
    };
    if let Some((parent, name)) = others().find(|(_, name)| is_same(name)) {
        let name = yaml_name(name);
        return Some(match parent {
            "" => format!("`{name}` belongs to the top of the file"),
            parent => format!("`{name}` belongs under `{}`", yaml_name(parent)),
        });
    }
    let paths: Vec<(String, String)> = own()
        .map(|name| (name.clone(), name))
        .chain(others().filter(|(parent, _)| !parent.is_empty()).map(|(parent, name)| {
            (yaml_name(name), format!("{}.{}", yaml_name(parent), yaml_name(name)))
        }))
        .chain([(OLD_SWITCH.to_owned(), String::new())])
        .collect();
    let near = did_you_mean(&unused.key, paths.iter().map(|(name, _)| name.as_str()))?;
    Some(match paths.iter().find(|(name, _)| name == near).map(|(_, path)| path.as_str()) {
        None | Some("") => "set `application.errorCategories.enabled: true`".to_owned(),
        Some(path) => format!("did you mean `{path}`?"),
    })
}

/// The fields of the mapping at a path in Go's names.
fn fields_of(path: &str) -> Option<&'static [GoField]> {
    let mut fields: &'static [GoField] = &ROOT;
    for name in path.split('.').filter(|name| !name.is_empty()) {
        fields = fields.iter().find(|field| field.name == name)?.fields;
    }
    (!fields.is_empty()).then_some(fields)
}

/// The name of a field as configurations write it.
fn yaml_name(name: &str) -> String {
    if name.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return name.to_ascii_lowercase();
    }
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use crate::armada::classifier::config::read;
    use document::diag::Source;

    /// The unused keys of a configuration, each with the help of its finding.
    fn unused(text: &str) -> Vec<(String, String)> {
        let read = read(&[Source::new("executor.yaml", text)]);
        let ignored = |message: &str| message.starts_with("the executor ignores");
        let findings = read.findings.iter().filter(|finding| ignored(&finding.message));
        let helps = findings.map(|finding| finding.help.clone().unwrap_or_default());
        read.unused.clone().into_iter().zip(helps).collect()
    }

    #[test]
    fn keys_near_those_of_categories_are_unused_and_the_key_that_is_meant_is_named() {
        let switch = "set `application.errorCategories.enabled: true`";
        for (text, key, help) in [
            (
                "errorCategories: {enabled: true}",
                "errorcategories",
                "`errorCategories` belongs under `application`",
            ),
            (
                "ERRORCATEGORIES: {enabled: true}",
                "errorcategories",
                "`errorCategories` belongs under `application`",
            ),
            (
                "errorCategory: {enabled: true}",
                "errorcategory",
                "did you mean `application.errorCategories`?",
            ),
            ("enableJobErrorCategorization: true", "enablejoberrorcategorization", switch),
            ("aplication: {pool: a}", "aplication", "did you mean `application`?"),
            (
                "application: {errorCategory: {enabled: true}}",
                "Application.errorcategory",
                "did you mean `errorCategories`?",
            ),
            (
                "application: {error_categories: {enabled: true}}",
                "Application.error_categories",
                "did you mean `errorCategories`?",
            ),
            (
                "application: {enableJobErrorCategorization: true}",
                "Application.enablejoberrorcategorization",
                switch,
            ),
            (
                "application: {enableJobErrorCategorisation: true}",
                "Application.enablejoberrorcategorisation",
                switch,
            ),
            (
                "application: {failedPodChecks: {events: []}}",
                "Application.failedpodchecks",
                "`failedPodChecks` belongs under `kubernetes`",
            ),
            (
                "kubernetes: {errorCategories: {enabled: true}}",
                "Kubernetes.errorcategories",
                "`errorCategories` belongs under `application`",
            ),
            (
                "kubernetes: {failedPodCheck: {events: [1]}}",
                "Kubernetes.failedpodcheck",
                "did you mean `failedPodChecks`?",
            ),
            (
                "application: {debugEvents: {pod: {maxEvent: 1}}}",
                "Application.DebugEvents.Pod.maxevent",
                "did you mean `maxEvents`?",
            ),
        ] {
            assert_eq!(unused(text), [(key.to_owned(), help.to_owned())], "{text}");
        }
    }

    #[test]
    fn keys_that_the_executor_reads_or_that_have_no_value_are_not_reported() {
        for text in [
            "httpPort: 1",
            "APPLICATION: {ErrorCategories: {enabled: false}, clusterid: a}",
            "metric: {port: 9001, anything: 1}",
            "errorCategory: null",
            "application: {errorCategory: {}}",
            "kubernetes: {qps: 1, etcd: {}, minimumPodAge: 3m}",
        ] {
            assert_eq!(unused(text), [], "{text}");
        }
    }

    #[test]
    fn many_keys_are_reported() {
        let keys: Vec<String> = (0..20_000).map(|number| format!("key{number}: 1\n")).collect();
        assert_eq!(read(&[Source::new("executor.yaml", keys.concat())]).unused.len(), 20_000);
    }
}
