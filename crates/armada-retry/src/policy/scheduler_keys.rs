//! Likely mistakes in scheduler configurations: misspelt or misplaced keys among those that are ignored.
//!
//! Armada's configuration has hundreds of keys that retries do not depend on. So an unread key is reported
//! only if it is similar to a key that is read.

use super::scheduler_shape::{RETRY_POLICY, SCHEDULER_CONFIG, SCHEDULING};
use document::diag::{Code, Diagnostic, Findings, did_you_mean, typo_of};
use document::{Document, Entry, Node, Shape};

/// Warns of unread keys that are similar to keys that are read.
pub(super) fn warn_of_misspelt_keys(document: &Document, findings: &mut Findings) {
    let warnings = unread_entries(&document.root, &SCHEDULER_CONFIG).filter_map(|entry| {
        let help = match parent_path(&entry.key) {
            Some(path) => format!("it belongs under `{path}`"),
            None => did_you_mean_help(typo_of(&entry.key, field_names(&SCHEDULER_CONFIG))?),
        };
        Some((entry, help))
    });
    let scheduling = document.root.get("scheduling");
    let in_scheduling = scheduling.into_iter().flat_map(|node| unread_entries(node, &SCHEDULING));
    let in_scheduling = in_scheduling.filter_map(|entry| {
        // Only `retryPolicy` is matched loosely: Armada's `scheduling` has no other key that is
        // similar to it, but several that are similar to the other keys that are read.
        let near = did_you_mean(&entry.key, ["retryPolicy"]);
        let help = match parent_path(&entry.key) {
            Some(path) => format!("it belongs under `{path}`"),
            None => {
                did_you_mean_help(near.or_else(|| typo_of(&entry.key, field_names(&SCHEDULING)))?)
            }
        };
        Some((entry, help))
    });
    let retry = scheduling.and_then(|node| node.get("retryPolicy"));
    let in_retry = retry.into_iter().flat_map(|node| unread_entries(node, &RETRY_POLICY));
    let in_retry = in_retry.filter_map(|entry| {
        Some((entry, did_you_mean_help(did_you_mean(&entry.key, field_names(&RETRY_POLICY))?)))
    });
    findings.extend(warnings.chain(in_scheduling).chain(in_retry).map(|(entry, help)| {
        let message = format!("`{}` is not read", entry.key);
        let place = document.place(entry.key_span);
        Diagnostic::warning(Code::UnknownField, place, message).help(help)
    }));
}

/// The entries of a mapping whose keys its shape does not have.
fn unread_entries<'n>(node: &'n Node, shape: &'static Shape) -> impl Iterator<Item = &'n Entry> {
    node.entries().iter().filter(|entry| shape.field(&entry.key).is_none())
}

/// The path of the mapping that a misplaced key belongs to.
fn parent_path(key: &str) -> Option<&'static str> {
    match key {
        "retryPolicy" => Some("scheduling"),
        "globalMaxRetries" | "defaultPolicyName" | "defaultBackoff" => {
            Some("scheduling.retryPolicy")
        }
        _ => None,
    }
}

fn field_names(shape: &'static Shape) -> impl Iterator<Item = &'static str> {
    shape.fields.iter().map(|field| field.name)
}

fn did_you_mean_help(name: &str) -> String {
    format!("did you mean `{name}`?")
}

#[cfg(test)]
mod tests {
    use super::super::read_scheduler_config;
    use document::diag::{Severity, Source};

    /// The keys of the warnings, and the help of each.
    fn warnings(yaml: &str) -> Vec<String> {
        let (settings, findings) = read_scheduler_config(&Source::new("config.yaml", yaml));
        assert!(settings.is_some(), "warnings alone do not refuse a file: {findings:?}");
        findings
            .sorted()
            .into_iter()
            .map(|finding| {
                assert_eq!(finding.severity, Severity::Warning);
                format!("{}: {}", finding.message, finding.help.unwrap_or_default())
            })
            .collect()
    }

    #[test]
    fn near_misses_are_warned_of_and_other_keys_are_not() {
        for (yaml, wanted) in [
            (
                "scheduling: {retryPolicy: {enable: true}}",
                "`enable` is not read: did you mean `enabled`?",
            ),
            (
                "scheduling: {retryPolicy: {enabled: true, globalMaxRetry: 3}}",
                "`globalMaxRetry` is not read: did you mean `globalMaxRetries`?",
            ),
            (
                "scheduling: {retryPolicies: {enabled: true}}",
                "`retryPolicies` is not read: did you mean `retryPolicy`?",
            ),
            (
                "schedulling: {retryPolicy: {enabled: true}}",
                "`schedulling` is not read: did you mean `scheduling`?",
            ),
            (
                "retryPolicy: {enabled: true}",
                "`retryPolicy` is not read: it belongs under `scheduling`",
            ),
            (
                "scheduling: {globalMaxRetries: 3}",
                "`globalMaxRetries` is not read: it belongs under `scheduling.retryPolicy`",
            ),
        ] {
            assert_eq!(warnings(yaml), [wanted], "{yaml}");
        }
        let others = "cycleTimeout: 5m\nschedulePeriod: 10s\nscheduling:\n  maxQueueLookback: 1\n  \
                      retryPolicy: {telemetry: {}}\n";
        assert_eq!(warnings(others), [""; 0]);
    }

    #[test]
    fn a_document_of_a_kind_is_refused() {
        for (kind, help) in [
            ("RetryPolicy", "give the RetryPolicy with -f"),
            ("ConfigMap", "give the configuration file"),
        ] {
            let yaml = format!("apiVersion: v1\nkind: {kind}\nscheduling: {{}}\n");
            let (settings, findings) = read_scheduler_config(&Source::new("c.yaml", yaml));
            assert!(settings.is_none());
            let findings = findings.sorted();
            let [finding] = findings.as_slice() else { panic!("{findings:?}") };
            assert_eq!(finding.message, format!("this is a {kind}, not a scheduler configuration"));
            assert!(
                finding.help.as_deref().is_some_and(|text| text.starts_with(help)),
                "{finding:?}"
            );
        }
    }
}
