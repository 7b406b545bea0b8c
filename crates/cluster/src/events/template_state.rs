//! The progress of templates.

use crate::draw::name_key;
use crate::job::Shape;
use crate::spec::{Nanoseconds, Workload};
use std::collections::HashMap;

/// A template's progress.
#[derive(Debug, Clone)]
pub(super) struct TemplateState {
    pub(super) shape: usize,
    /// The key of its id in draws.
    pub(super) key: u64,
    pub(super) succeeded: u32,
    pub(super) failed: u32,
    /// The longest time that its runs may take.
    pub(super) deadline: Option<Nanoseconds>,
    /// The number of dependencies that it waits for, and the templates that wait for it.
    pub(super) missing_dependencies: usize,
    pub(super) dependents: Vec<usize>,
    /// Whether its jobs fit no node.
    pub(super) is_unschedulable: bool,
    /// Whether its jobs are never submitted, because they, or jobs that they depend on, fit no node.
    pub(super) is_given_up: bool,
}

/// Returns the shapes of all templates, each once, and the states of the templates before the first event.
pub(super) fn template_states(workload: &Workload) -> (Vec<Shape>, Vec<TemplateState>) {
    let (mut shapes, mut known) = (Vec::new(), HashMap::new());
    let states = workload.templates.iter().map(|template| TemplateState {
        shape: *known.entry(template.shape.clone()).or_insert_with(|| {
            shapes.push(template.shape.clone());
            shapes.len() - 1
        }),
        key: name_key(&template.id),
        succeeded: 0,
        failed: 0,
        deadline: None,
        missing_dependencies: template.dependencies.len(),
        dependents: Vec::new(),
        is_unschedulable: false,
        is_given_up: false,
    });
    let mut states: Vec<TemplateState> = states.collect();
    for (position, template) in workload.templates.iter().enumerate() {
        for dependency in &template.dependencies {
            states[*dependency].dependents.push(position);
        }
    }
    (shapes, states)
}
