//! Warns of job templates whose jobs fit no node.

use super::super::events::unschedulable;
use super::super::round::Refusal;
use super::super::scheduling::Scheduling;
use super::super::spec::{ClusterSpec, JobTemplate, Workload};
use document::diag::{Code, Diagnostic, Findings, Place};
use std::collections::{BTreeMap, HashSet};

/// Returns a warning for each of these templates, whose jobs cannot start for a reason. The copies that
/// `repeat` makes have one warning in common.
pub fn warn_of_unschedulable(workload: &Workload, templates: &[(usize, Refusal)]) -> Findings {
    let mut findings = Findings::new();
    let mut last: Option<&Place> = None;
    for (position, refusal) in templates {
        let (Some(template), Some(place)) =
            (workload.templates.get(*position), workload.places.get(*position))
        else {
            continue;
        };
        // Copies of a template follow each other, so that the last place is enough.
        if last.is_some_and(|last| last.span == place.span) {
            continue;
        }
        last = Some(place);
        let id = &template.id;
        let message =
            format!("jobs of `{id}` can never start, however empty the cluster is: {refusal}");
        let finding = Diagnostic::warning(Code::UnschedulableJob, place.clone(), message);
        findings.push(finding.help(match refusal {
            Refusal::LabelNotIndexed(_) | Refusal::LabelWithoutValues(_) => {
                "label the nodes and index the label, or change `gangNodeUniformityLabel`"
            }
            Refusal::NoFloating { .. } | Refusal::FloatingShortage { .. } => {
                "lower the requests, or raise the pool's quantity in `floatingResources`"
            }
            _ => "lower the requests, or add nodes on which the jobs fit",
        }));
    }
    findings
}

/// Returns warnings of templates whose jobs fit no node of any of these cluster files, even without other
/// jobs.
pub(super) fn warnings(
    config: Option<&Scheduling>,
    files: &[ClusterSpec],
    workload: &Workload,
) -> Findings {
    let positions = distinct(workload);
    let independent = |position: &usize| JobTemplate {
        dependencies: Vec::new(),
        ..workload.templates[*position].clone()
    };
    let templates: Vec<JobTemplate> = positions.iter().map(independent).collect();
    let scheduling = config.cloned().unwrap_or_else(|| with_labels_of(&templates));
    let cardinalities = templates.iter().filter_map(|template| template.gang.as_ref());
    let members = cardinalities.map(|gang| gang.cardinality).max().unwrap_or(1);
    let tried = Workload { templates, ..Workload::default() };
    let mut refused: Option<BTreeMap<usize, Refusal>> = None;
    for file in files {
        let few = with_few_nodes(file, members);
        let mut found: BTreeMap<_, _> =
            unschedulable(&scheduling, &few, &tried).into_iter().collect();
        // A template is warned of only if no cluster file has nodes for it.
        if let Some(before) = refused {
            found.retain(|template, _| before.contains_key(template));
        }
        refused = Some(found);
    }
    let refused = refused.unwrap_or_default().into_iter();
    let refused: Vec<_> = refused.map(|(at, refusal)| (positions[at], refusal)).collect();
    warn_of_unschedulable(workload, &refused)
}

/// Returns the positions of the templates, and only one for the copies that `repeat` makes.
fn distinct(workload: &Workload) -> Vec<usize> {
    let mut places = HashSet::new();
    let each = workload.templates.iter().zip(&workload.places).enumerate();
    let distinct = each.filter(|(_, (_, place))| places.insert(place.span));
    distinct.map(|(position, _)| position).collect()
}

/// Returns the defaults with all labels of gangs indexed, since an unknown configuration may index them.
fn with_labels_of(templates: &[JobTemplate]) -> Scheduling {
    let mut settings = Scheduling::default().settings().clone();
    let gangs = templates.iter().filter_map(|template| template.gang.as_ref());
    settings.indexed_labels.extend(gangs.map(|gang| gang.uniformity_label.to_string()));
    Scheduling::from(settings)
}

/// Limits the number of nodes per template to the number of members: a job or gang never uses more.
fn with_few_nodes(clusters: &ClusterSpec, members: usize) -> ClusterSpec {
    let mut few = clusters.clone();
    for template in few.clusters.iter_mut().flat_map(|cluster| &mut cluster.node_templates) {
        template.number = template.number.min(u32::try_from(members).unwrap_or(u32::MAX));
    }
    few
}
