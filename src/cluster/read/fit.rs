//! Warns of job templates whose jobs fit no node.

use super::super::events::unschedulable;
use super::super::round::Refusal;
use super::super::scheduling::Scheduling;
use super::super::spec::{ClusterSpec, JobTemplate, Workload};
use super::workload::LocatedWorkload;
use crate::diag::{Code, Diagnostic};
use std::collections::{BTreeMap, HashSet};

/// Larger gangs are not tried: a round takes memory for each member.
const MEMBERS: usize = 10_000;

/// Warnings of templates whose jobs fit no node of any of these cluster files, however empty.
pub(super) fn warnings(
    config: Option<&Scheduling>,
    files: &[ClusterSpec],
    workload: &LocatedWorkload,
) -> Vec<Diagnostic> {
    let templates = distinct(workload);
    let scheduling = config.cloned().unwrap_or_else(|| with_labels_of(&templates));
    let cardinalities = templates.iter().filter_map(|template| template.gang.as_ref());
    let members = cardinalities.map(|gang| gang.cardinality).max().unwrap_or(1);
    let tried = Workload { templates, ..Workload::default() };
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
    let refused = refused.unwrap_or_default().into_iter();
    refused
        .filter_map(|(position, refusal)| {
            let place = workload.places.get(&tried.templates.get(position)?.id)?;
            let message = format!("the jobs of the template can never start: {refusal}");
            let warning = Diagnostic::warning(Code::Misleading, place.clone(), message);
            Some(warning.help("add nodes on which they fit, or change `requirements`"))
        })
        .collect()
}

/// The templates without dependencies, and one of the copies that `repeat` makes.
fn distinct(workload: &LocatedWorkload) -> Vec<JobTemplate> {
    let mut places = HashSet::new();
    let is_first = |template: &&JobTemplate| {
        workload.places.get(&template.id).is_some_and(|place| places.insert(place.span))
    };
    let is_tried = |template: &&JobTemplate| {
        template.gang.as_ref().is_none_or(|gang| gang.cardinality <= MEMBERS)
    };
    let templates = workload.workload.templates.iter().filter(is_first).filter(is_tried);
    templates.map(|template| JobTemplate { dependencies: Vec::new(), ..template.clone() }).collect()
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
