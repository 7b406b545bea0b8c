//! The parts of a record that are replaced, and those that stay because decisions or counts depend on them.

use super::copier::Copier;
use super::names::NameKind;
use super::output::NewName;
use crate::disruption::{self, Disruptions, Kind, Sign, Source, System};
use crate::history::{ArmadaRun, ObservedPod, RunRecord};
use armada_retry::engine::{
    FAIL_FAST, GANG_CARDINALITY, GANG_ID, Gang, JobFields, Outcome, RETRY_POLICY,
};
use armada_retry::policy::Condition;
use compact_str::CompactString;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The reasons of containers that the kubelet and container runtimes give. Other reasons may be texts of users.
const REASONS: [&str; 6] =
    ["Completed", "Error", "ContainerCannotRun", "ContainerStatusUnknown", "StartError", "Unknown"];

/// The source of the records that are written.
const RECORDS: Source = Source::Records(System::Armada);

impl Copier<'_> {
    /// Replaces a name, and passes a new one on.
    pub(super) fn name(&mut self, kind: NameKind, name: &str) -> String {
        match self.names.replace(kind, name) {
            None => name.to_owned(),
            Some((replacement, is_new)) => {
                if is_new {
                    self.output.name(&NewName { kind, from: name, to: &replacement });
                }
                replacement
            }
        }
    }

    /// The fields of a job with other names. Annotations that nothing reads are left out.
    pub(super) fn job_fields(&mut self, fields: JobFields) -> JobFields {
        let JobFields { job_set, annotations, resources, gang } = fields;
        JobFields {
            job_set: job_set.map(|name| self.name(NameKind::JobSet, &name)),
            annotations: annotations.map(|all| self.annotations(all)),
            resources,
            gang: gang.map(|Gang { id, cardinality }| Gang {
                id: self.name(NameKind::Gang, &id),
                cardinality,
            }),
        }
    }

    fn annotations(&mut self, all: BTreeMap<String, String>) -> BTreeMap<String, String> {
        let mut kept = BTreeMap::new();
        for (key, value) in all {
            let value = match key.as_str() {
                // Other values than `true` mean false, and may be texts of users.
                FAIL_FAST => (value == "true").to_string(),
                RETRY_POLICY => self.policies(&value),
                GANG_ID => self.name(NameKind::Gang, &value),
                // A job whose cardinality is 0 or not a number belongs to no gang.
                GANG_CARDINALITY => value.trim().parse::<u32>().unwrap_or_default().to_string(),
                _ => {
                    self.counts.annotations += 1;
                    continue;
                }
            };
            kept.insert(key, value);
        }
        kept
    }

    /// The names of policies in an annotation.
    fn policies(&mut self, list: &str) -> String {
        let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
        let names: Vec<String> = names.map(|name| self.policy(name)).collect();
        names.join(",")
    }

    /// The name of a policy.
    pub(super) fn policy(&mut self, name: &str) -> String {
        let replacement = self.name(NameKind::Policy, name);
        self.counts.renamed_policies += usize::from(replacement != name);
        replacement
    }

    /// Replaces the names and texts of a run.
    pub(super) fn run(&mut self, run: &mut RunRecord) {
        let wanted = kind(&self.disruptions, &run.own);
        run.node = run.node.take().map(|name| Arc::from(self.name(NameKind::Node, &name)));
        run.cluster = run.cluster.take().map(|name| Arc::from(self.name(NameKind::Cluster, &name)));
        run.own.conditions.iter_mut().for_each(|name| self.reason(name));
        for number in 0..run.own.containers.len() {
            self.container(run, number);
        }
        self.counts.categories += usize::from(!run.own.category.is_empty());
        self.texts_of_lookout(&mut run.own);
        run.own.disruption = None;
        if !sign(&self.disruptions, &mut run.own, wanted) {
            self.counts.disruptions += 1;
        }
    }

    /// Replaces a condition or the reason of a container, unless it is a word of Armada's, Kubernetes' or Slurm's.
    fn reason(&mut self, name: &mut CompactString) {
        let is_known = REASONS.contains(&name.as_str())
            || Condition::from_name(name).is_some()
            || disruption::is_name(name);
        if !is_known {
            *name = self.name(NameKind::Reason, name).into();
        }
    }

    fn container(&mut self, run: &mut RunRecord, number: usize) {
        let container = &mut run.own.containers[number];
        container.name = self.name(NameKind::Container, &container.name).into();
        self.reason(&mut container.reason);
        if container.message.is_empty() || self.names.keeps_all(NameKind::Message) {
            return;
        }
        let replaced = self.messages.replace(&self.names, &container.message);
        if replaced.is_new {
            let (from, to) = (container.message.as_str(), replaced.text.as_str());
            self.output.name(&NewName { kind: NameKind::Message, from, to });
            self.counts.messages += 1;
            self.counts.other_matches += usize::from(!replaced.is_equal);
        }
        container.message = replaced.text.into();
    }

    /// Removes Lookout's texts, except for the error of a retry that the scheduler took back, on which the outcome depends.
    fn texts_of_lookout(&mut self, own: &mut ArmadaRun) {
        self.counts.observed += usize::from(own.observed.take().is_some());
        if let Some(cause) = own.unplaced {
            own.observed = Some(error(&format!("Retry policy: {}", cause.as_str())));
        }
    }
}

/// Lookout's error of a run, and nothing else of its pod.
fn error(text: &str) -> Box<ObservedPod> {
    Box::new(ObservedPod::from_error(text))
}

/// The disruption that ended a run, as a replay counts it: by the sign in its source, else by those of records.
fn kind(table: &Disruptions, own: &ArmadaRun) -> Option<Kind> {
    let id = own.disruption.or_else(|| table.find(RECORDS, own))?;
    Some(table.row(id)).filter(|row| row.enabled).map(|row| row.kind)
}

/// Adds the sign of a disruption to a record, unless it has one. Returns whether the record now has this kind, or none if it
/// is to have none. No sign is added that a rule could match.
fn sign(table: &Disruptions, own: &mut ArmadaRun, wanted: Option<Kind>) -> bool {
    if kind(table, own) == wanted {
        return true;
    }
    let rows = table.rows().filter(|row| row.source == RECORDS && Some(row.kind) == wanted);
    for row in rows {
        match row.sign {
            Sign::Text { name: "error", begins }
                if own.observed.is_none() && own.outcome == Outcome::Preempted =>
            {
                // A sign that another row would find first, or that gives another kind, is taken back.
                own.observed = Some(error(begins));
                if kind(table, own) == wanted {
                    return true;
                }
                own.observed = None;
            }
            Sign::Field { name: "conditions", value } if row.condition.is_none() => {
                let before: Vec<CompactString> = own.conditions.to_vec();
                *own.conditions.add(CompactString::clear) = value.into();
                if kind(table, own) == wanted {
                    return true;
                }
                own.conditions = before.into();
            }
            _ => {}
        }
    }
    false
}
