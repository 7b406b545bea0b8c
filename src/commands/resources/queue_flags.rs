//! Flags that describe a queue.

use super::DesiredQueue;
use crate::cli::Refusal;
use clap::Args;
use client::check_name;
use serde_json::{Map, Value, json};

/// What a queue is like.
#[derive(Debug, Args)]
pub struct QueueFlags {
    /// The name of the queue
    name: String,
    /// Set the priority factor, at least 1 [default of `create`: 1]
    ///
    /// A queue with a larger factor gets a smaller share of the cluster.
    #[arg(long, value_name = "NUMBER", value_parser = factor, allow_negative_numbers = true)]
    priority_factor: Option<f64>,
    /// Set the users who own the queue
    #[arg(long, value_name = "USER,..", value_delimiter = ',')]
    owners: Option<Vec<String>>,
    /// Set the groups that own the queue
    #[arg(long, value_name = "GROUP,..", value_delimiter = ',')]
    group_owners: Option<Vec<String>>,
    /// Set all labels of the queue
    #[arg(short, long, value_name = "KEY=VALUE,..", value_delimiter = ',', value_parser = label)]
    labels: Option<Vec<(String, String)>>,
    /// Stop scheduling the jobs of the queue, or resume it with --cordon=false
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "true|false")]
    cordon: Option<bool>,
    /// Set the retry policies of the queue, in order
    #[arg(long, visible_alias = "retry-policies", value_name = "POLICY,..", value_delimiter = ',')]
    retry_policy: Option<Vec<String>>,
}

impl QueueFlags {
    /// Whether no flag describes the queue.
    pub(super) fn is_empty(&self) -> bool {
        let Self { name: _, priority_factor, owners, group_owners, labels, cordon, retry_policy } =
            self;
        priority_factor.is_none()
            && owners.is_none()
            && group_owners.is_none()
            && labels.is_none()
            && cordon.is_none()
            && retry_policy.is_none()
    }

    /// The queue that these flags describe; `factor` is the priority factor if none is given.
    pub(in crate::commands) fn to_queue(
        &self,
        factor: Option<f64>,
    ) -> Result<DesiredQueue, Refusal> {
        check_name("queue", &self.name).map_err(|error| Refusal::from(&error))?;
        let mut queue = DesiredQueue::new(&self.name);
        if let Some(factor) = self.priority_factor.or(factor) {
            queue.set("priorityFactor", json!(factor));
        }
        for (key, names) in [("userOwners", &self.owners), ("groupOwners", &self.group_owners)] {
            if let Some(names) = names {
                queue.set(key, json!(without_empty(names)));
            }
        }
        if let Some(labels) = &self.labels {
            let labels: Map<String, Value> = labels
                .iter()
                .filter(|(key, _)| !key.is_empty())
                .map(|(key, value)| (key.clone(), json!(value)))
                .collect();
            queue.set("labels", Value::Object(labels));
        }
        if let Some(cordon) = self.cordon {
            queue.set("cordoned", json!(cordon));
        }
        if let Some(names) = &self.retry_policy {
            queue.set_policies(&without_empty(names));
        }
        Ok(queue)
    }
}

/// An empty text is no name: `--owners=` means none.
fn without_empty(names: &[String]) -> Vec<String> {
    names.iter().filter(|name| !name.is_empty()).cloned().collect()
}

fn factor(text: &str) -> Result<f64, String> {
    let factor = text.parse::<f64>().ok().filter(|factor| *factor >= 1.0 && factor.is_finite());
    factor.ok_or_else(|| "write a number of at least 1".to_owned())
}

/// An empty text is no label: `--labels=` means none.
fn label(text: &str) -> Result<(String, String), String> {
    if text.is_empty() {
        return Ok((String::new(), String::new()));
    }
    let pair = text.split_once('=').filter(|(key, value)| !key.is_empty() && !value.is_empty());
    let (key, value) = pair.ok_or("a label is KEY=VALUE, neither of them empty")?;
    Ok((key.to_owned(), value.to_owned()))
}
