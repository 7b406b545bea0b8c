//! The containers of a Job's template: which of their failures restart them in place, so that the pod does not fail.
//!
//! The kubelet decides about a container that has ended (KEP-5307 and KEP-5532; `pkg/api/v1/pod/util.go` of Kubernetes
//! v1.36.0, `ContainerShouldRestart` and `FindMatchingContainerRestartRule`): the first of `restartPolicyRules` that matches
//! its exit code, then its own `restartPolicy`, then that of the pod.

use super::exit_codes::Operator;
use super::restart_policy::RestartPolicy;
use document::units::Quantity;
use document::{Node, choices};

/// A container, or init container, of a template.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Container {
    /// The name.
    pub name: Box<str>,
    /// Whether it is an init container.
    pub is_init: bool,
    /// Its own restart policy. Without one the pod's holds, and its rules have no effect.
    pub restart_policy: Option<ContainerRestartPolicy>,
    /// `restartPolicyRules`, in order.
    pub restart_rules: Vec<RestartRule>,
    /// The cores that it requests, or that it is limited to if it requests none.
    pub cores: Quantity,
    /// The GPUs that it requests, or that it is limited to if it requests none.
    pub gpus: Quantity,
}

impl Container {
    /// Returns whether it is a sidecar: an init container that runs until the others have ended.
    pub fn is_sidecar(&self) -> bool {
        self.is_init && self.restart_policy == Some(ContainerRestartPolicy::Always)
    }
}

choices! {
    /// A container's own restart policy.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ContainerRestartPolicy = "restart policy of a container" {
        /// It is restarted whatever its exit code.
        Always = "Always",
        /// It is restarted if it fails.
        OnFailure = "OnFailure",
        /// It is not restarted, but for its restartPolicyRules.
        Never = "Never",
    }
}

choices! {
    /// The action of a restart rule.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RestartAction = "action of a restart rule" {
        /// The container is restarted in place.
        Restart = "Restart",
        /// All containers of the pod are restarted in place (1.36).
        RestartAllContainers = "RestartAllContainers",
    }
}

/// A rule of `restartPolicyRules`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestartRule {
    /// The action; a rule whose action is unknown falls back to the container's policy.
    pub action: Option<RestartAction>,
    /// How exit codes are compared; a rule without it matches nothing.
    pub operator: Option<Operator>,
    /// The exit codes.
    pub values: Vec<i32>,
}

/// The field by which a container is restarted in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestartedBy {
    /// The rule of `restartPolicyRules` with this index.
    Rule(usize),
    /// Its own `restartPolicy`.
    Container,
    /// The pod's `restartPolicy`.
    Pod,
}

impl RestartRule {
    /// Returns whether the rule matches an exit code.
    pub fn matches(&self, exit_code: i64) -> bool {
        let is_listed = self.values.iter().any(|value| i64::from(*value) == exit_code);
        match self.operator {
            Some(Operator::In) => is_listed,
            Some(Operator::NotIn) => !is_listed,
            None => false,
        }
    }
}

impl Container {
    /// Returns by which field the container is restarted in place when it ends with an exit code; `None` if it is not.
    pub fn restarted_by(&self, pod: RestartPolicy, exit_code: i64) -> Option<RestartedBy> {
        let is_failure = exit_code != 0;
        let Some(own) = self.restart_policy else {
            return (pod == RestartPolicy::OnFailure && is_failure).then_some(RestartedBy::Pod);
        };
        // The first rule that matches decides, before the container's own policy.
        let rule = self.restart_rules.iter().position(|rule| rule.matches(exit_code));
        if let Some(rule) = rule.filter(|rule| self.restart_rules[*rule].action.is_some()) {
            return Some(RestartedBy::Rule(rule));
        }
        let restarts = match own {
            ContainerRestartPolicy::Always => true,
            ContainerRestartPolicy::OnFailure => is_failure,
            ContainerRestartPolicy::Never => false,
        };
        restarts.then_some(RestartedBy::Container)
    }
}

/// Reads the containers of a Job's `spec`.
pub(super) fn read(spec: &Node) -> Vec<Container> {
    let list = |field: &str| spec.at(&["template", "spec", field]).map(Node::items);
    let containers = list("containers").unwrap_or_default().iter().map(|node| (node, false));
    let init = list("initContainers").unwrap_or_default().iter().map(|node| (node, true));
    containers.chain(init).map(|(node, is_init)| container(node, is_init)).collect()
}

fn container(node: &Node, is_init: bool) -> Container {
    let text = |key| node.get(key).and_then(Node::text);
    let rules = node.get("restartPolicyRules").map(Node::items).unwrap_or_default();
    Container {
        name: text("name").unwrap_or_default().into(),
        is_init,
        restart_policy: text("restartPolicy").and_then(ContainerRestartPolicy::from_name),
        restart_rules: rules.iter().map(rule).collect(),
        cores: requested(node, |name| name == "cpu"),
        gpus: requested(node, |name| name.ends_with("/gpu")),
    }
}

fn rule(node: &Node) -> RestartRule {
    let codes = node.get("exitCodes");
    let values = codes.and_then(|codes| codes.get("values")).map(Node::items).unwrap_or_default();
    let operator = codes.and_then(|codes| codes.get("operator")).and_then(Node::text);
    RestartRule {
        action: node.get("action").and_then(Node::text).and_then(RestartAction::from_name),
        operator: match operator {
            Some("In") => Some(Operator::In),
            Some("NotIn") => Some(Operator::NotIn),
            _ => None,
        },
        values: values.iter().filter_map(|code| i32::try_from(code.integer()?).ok()).collect(),
    }
}

/// The sum of the requests of resources with these names. A limit without a request is one, as the API server sets it.
fn requested(node: &Node, has_name: impl Fn(&str) -> bool) -> Quantity {
    let lists = ["requests", "limits"].map(|list| node.at(&["resources", list]));
    let amount = |list: Option<&Node>| {
        let entries = list.map(Node::entries).unwrap_or_default().iter();
        let amounts = entries.filter(|entry| has_name(&entry.key));
        let amounts = amounts.filter_map(|entry| entry.value.scalar());
        amounts.filter_map(|scalar| Quantity::parse(&scalar.text).ok()).reduce(Quantity::plus)
    };
    lists.into_iter().find_map(amount).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::diag::Source;
    use document::{Limits, parse};

    fn containers(text: &str) -> Vec<Container> {
        let spec = format!("template: {{spec: {{containers: [{text}]}}}}");
        let (documents, findings) = parse(&Source::new("job.yaml", spec), Limits::POLICY);
        assert!(findings.is_empty());
        read(&documents[0].root)
    }

    #[test]
    fn the_first_rule_that_matches_precedes_the_policies() {
        use RestartPolicy::{Never, OnFailure};
        let rules = "restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [42]}}, \
                     {action: RestartAllContainers, exitCodes: {operator: NotIn, values: [1, 2]}}]";
        let one = &containers(&format!("{{name: a, restartPolicy: Never, {rules}}}"))[0];
        for (code, by) in [
            (42, Some(RestartedBy::Rule(0))),
            (3, Some(RestartedBy::Rule(1))),
            (0, Some(RestartedBy::Rule(1))),
            (1, None),
        ] {
            assert_eq!(one.restarted_by(Never, code), by, "{code}");
        }
        // Without a policy of its own a container has no effective rules.
        let one = &containers(&format!("{{name: a, {rules}}}"))[0];
        assert_eq!(one.restarted_by(Never, 42), None);
        assert_eq!(one.restarted_by(OnFailure, 42), Some(RestartedBy::Pod));
        assert_eq!(one.restarted_by(OnFailure, 0), None);
        let one = &containers("{name: a, restartPolicy: OnFailure}")[0];
        assert_eq!(one.restarted_by(Never, 1), Some(RestartedBy::Container));
        assert_eq!(one.restarted_by(Never, 0), None);
        let one = &containers("{name: a, restartPolicy: Always}")[0];
        assert_eq!(one.restarted_by(Never, 0), Some(RestartedBy::Container));
    }

    #[test]
    fn requests_precede_limits() {
        let resources = "requests: {cpu: 500m}, limits: {cpu: 2, nvidia.com/gpu: 4}";
        let one = &containers(&format!("{{name: a, resources: {{{resources}}}}}"))[0];
        assert_eq!(Some(one.cores), Quantity::parse("500m").ok());
        assert_eq!(Some(one.gpus), Quantity::parse("4").ok());
    }
}
