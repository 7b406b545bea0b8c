//! Warns of job templates whose jobs fit no node, before anything is simulated.

use super::super::events::unschedulable;
use super::super::round::Refusal;
use super::super::scheduling::Scheduling;
use super::super::spec::{ClusterSpec, JobTemplate, Workload};
use super::warn_of_unschedulable;
use crate::diag::Findings;
use std::collections::{BTreeMap, HashSet};

/// Larger gangs are not tried: a round takes memory for each member.
const MEMBERS: usize = 10_000;

/// Warnings of templates whose jobs fit no node of any of these cluster files, however empty.
pub(super) fn warnings(
    config: Option<&Scheduling>,
    files: &[ClusterSpec],
    workload: &Workload,
) -> Findings {
    let tried = distinct(workload);
    let scheduling = config.cloned().unwrap_or_else(|| with_labels_of(&tried.templates));
    let gangs = tried.templates.iter().filter_map(|template| template.gang.as_ref());
    let members = gangs.map(|gang| gang.cardinality).max().unwrap_or(1);
    let mut refused: Option<BTreeMap<usize, Refusal>> = None;
    for file in files {
        let few = with_few_nodes(file, members);
        let mut found: BTreeMap<_, _> =
            unschedulable(&scheduling, &few, &tried).into_iter().collect();
        if let Some(before) = refused {
            found.retain(|template, _| before.contains_key(template));
        }
        refused = Some(found);
    }
    let refused: Vec<_> = refused.unwrap_or_default().into_iter().collect();
    warn_of_unschedulable(&tried, &refused)
}

/// The templates without dependencies, and one of the copies that `repeat` makes.
fn distinct(workload: &Workload) -> Workload {
    let mut spans = HashSet::new();
    let mut tried = Workload::default();
    for (template, place) in workload.templates.iter().zip(&workload.places) {
        let is_huge = template.gang.as_ref().is_some_and(|gang| gang.cardinality > MEMBERS);
        if !is_huge && spans.insert(place.span) {
            tried.templates.push(JobTemplate { dependencies: Vec::new(), ..template.clone() });
            tried.places.push(place.clone());
        }
    }
    tried
}

/// The defaults. A configuration may index any label that gangs need.
fn with_labels_of(templates: &[JobTemplate]) -> Scheduling {
    let mut settings = Scheduling::default().settings().clone();
    let gangs = templates.iter().filter_map(|template| template.gang.as_ref());
    settings.indexed_labels.extend(gangs.map(|gang| gang.uniformity_label.clone()));
    Scheduling::from(settings)
}

/// No job or gang uses more nodes of a template than it has members.
fn with_few_nodes(clusters: &ClusterSpec, members: usize) -> ClusterSpec {
    let mut few = clusters.clone();
    for template in few.clusters.iter_mut().flat_map(|cluster| &mut cluster.node_templates) {
        template.number = template.number.min(u32::try_from(members).unwrap_or(u32::MAX));
    }
    few
}
