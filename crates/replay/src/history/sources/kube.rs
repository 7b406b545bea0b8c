//! The parts of Kubernetes' pods that several sources have: a pod's spec, and Armada's annotations.

use armada_retry::engine::Resources;
use document::units::{GoDuration, Quantity};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

/// The prefix of Armada's annotations.
const ARMADA: &str = "armadaproject.io/";

/// Texts by name, as labels and annotations are.
pub(super) type Texts = BTreeMap<String, Option<String>>;

/// Armada's own among the annotations; `None` if there are none.
pub(super) fn annotations(all: Option<Texts>) -> Option<BTreeMap<String, String>> {
    // Other annotations may be long, such as the last applied configuration, and no policy reads them.
    let own = all?.into_iter().filter(|(key, _)| key.starts_with(ARMADA));
    let own: BTreeMap<_, _> = own.filter_map(|(key, value)| Some((key, value?))).collect();
    (!own.is_empty()).then_some(own)
}

/// The spec of a pod.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PodSpec {
    pub(super) node_name: Option<String>,
    pub(super) restart_policy: Option<String>,
    #[serde(default, deserialize_with = "whole")]
    pub(super) termination_grace_period_seconds: Option<i64>,
    #[serde(default, deserialize_with = "whole")]
    pub(super) active_deadline_seconds: Option<i64>,
    pub(super) init_containers: Option<Vec<ContainerSpec>>,
    pub(super) containers: Option<Vec<ContainerSpec>>,
}

/// A container of a [`PodSpec`].
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ContainerSpec {
    pub(super) name: Option<String>,
    restart_policy: Option<String>,
    resources: Option<Requirements>,
}

/// Requests and limits.
#[derive(Debug, Deserialize)]
pub(super) struct Requirements {
    requests: Option<Amounts>,
    limits: Option<Amounts>,
}

/// Amounts by resource; a quantity may be written as a number.
type Amounts = BTreeMap<String, Option<Amount>>;

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Amount {
    Number(serde_json::Number),
    Text(String),
    /// As the JSON of Protocol Buffers has it.
    Message {
        string: String,
    },
}

/// A whole number, which the JSON of Protocol Buffers writes as a text.
fn whole<'de, D: Deserializer<'de>>(from: D) -> Result<Option<i64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Whole {
        Number(i64),
        Text(String),
    }
    match Option::<Whole>::deserialize(from)? {
        None => Ok(None),
        Some(Whole::Number(number)) => Ok(Some(number)),
        Some(Whole::Text(text)) => text.parse().map(Some).map_err(serde::de::Error::custom),
    }
}

impl Requirements {
    /// The request, else the limit, which is Kubernetes' default for a request.
    fn amount(&self, resource: &str) -> Option<Quantity> {
        let of = |amounts: Option<&Amounts>| match amounts?.get(resource)?.as_ref()? {
            Amount::Number(number) => Quantity::parse(&number.to_string()).ok(),
            Amount::Text(text) | Amount::Message { string: text } => Quantity::parse(text).ok(),
        };
        let amount = of(self.requests.as_ref()).or_else(|| of(self.limits.as_ref()));
        amount.filter(|amount| amount.is_positive())
    }

    /// The resources; `None` if there are none.
    pub(super) fn resources(&self) -> Option<Resources> {
        resources_by(|resource| self.amount(resource))
    }
}

fn resources_by(amount: impl Fn(&str) -> Option<Quantity>) -> Option<Resources> {
    let resources =
        Resources { cpu: amount("cpu"), memory: amount("memory"), gpu: amount("nvidia.com/gpu") };
    (resources != Resources::default()).then_some(resources)
}

impl PodSpec {
    /// The resources that the pod requests: those of its containers together, or of its largest init container if
    /// that is more, since those run one by one before the others.
    pub(super) fn resources(&self) -> Option<Resources> {
        let amounts = |containers: &Option<Vec<ContainerSpec>>, resource: &str| {
            let containers = containers.as_deref().unwrap_or_default().iter();
            let amounts = containers
                .filter_map(|container| container.resources.as_ref()?.amount(resource))
                .collect::<Vec<_>>();
            amounts.into_iter()
        };
        resources_by(|resource| {
            let together = amounts(&self.containers, resource).reduce(Quantity::plus);
            together.max(amounts(&self.init_containers, resource).max())
        })
    }

    /// How long the pod may take to end; 0 counts as absent.
    pub(super) fn grace(&self) -> Option<GoDuration> {
        let seconds = self.termination_grace_period_seconds;
        seconds.filter(|seconds| *seconds > 0).map(GoDuration::from_secs)
    }

    /// The names of the init containers, in pod order.
    pub(super) fn init_names(&self) -> impl Iterator<Item = &str> {
        names(self.init_containers.as_deref())
    }

    /// The names of the init containers that end before the others start: those that are no sidecars.
    pub(super) fn ending_init_names(&self) -> impl Iterator<Item = &str> {
        let containers = self.init_containers.as_deref().unwrap_or_default().iter();
        // A sidecar is an init container that runs until the others end (KEP-753).
        let ending = containers.filter(|it| it.restart_policy.as_deref() != Some("Always"));
        ending.filter_map(|container| container.name.as_deref())
    }

    /// The names of the other containers, in pod order.
    pub(super) fn main_names(&self) -> impl Iterator<Item = &str> {
        names(self.containers.as_deref())
    }
}

fn names(containers: Option<&[ContainerSpec]>) -> impl Iterator<Item = &str> {
    containers.unwrap_or_default().iter().filter_map(|container| container.name.as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pod_requests_the_sum_of_containers_or_the_largest_init_container() {
        let spec: PodSpec = serde_json::from_str(
            r#"{"terminationGracePeriodSeconds": "0",
                "initContainers": [{"name": "fetch", "resources": {"requests": {"memory": "8Gi"}}}],
                "containers": [{"name": "main", "resources": {"requests": {"cpu": 2, "memory": "1Gi"}}},
                               {"name": "side", "resources": {"limits": {"cpu": {"string": "500m"}, "nvidia.com/gpu": "1"}}}]}"#,
        )
        .unwrap();
        let resources = spec.resources().unwrap();
        assert_eq!(resources.cpu, Quantity::parse("2.5").ok());
        assert_eq!(resources.memory, Quantity::parse("8Gi").ok());
        assert_eq!(resources.gpu, Quantity::parse("1").ok());
        assert_eq!(spec.grace(), None);
        assert_eq!(spec.init_names().chain(spec.main_names()).count(), 3);
        assert_eq!(PodSpec::default().resources(), None);
    }

    #[test]
    fn only_armadas_annotations_are_kept() {
        let all = serde_json::from_str(r#"{"a": "b", "armadaproject.io/failFast": "true"}"#);
        let kept = annotations(all.unwrap()).unwrap();
        assert_eq!(kept.into_keys().collect::<Vec<_>>(), ["armadaproject.io/failFast"]);
        assert_eq!(annotations(Some(Texts::new())), None);
    }
}
