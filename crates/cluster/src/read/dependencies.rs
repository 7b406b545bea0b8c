//! Resolves the dependencies of templates, and refuses cycles of them.

use super::super::spec::JobTemplate;
use super::located::Reader;
use document::diag::{Code, Span, did_you_mean};
use std::collections::{HashMap, HashSet};

/// The ids of a template's dependencies, each with its span.
pub(super) type DependencyIds<'d> = Vec<(&'d str, Span)>;

/// The templates of a workload, before their dependencies are resolved to positions.
pub(super) struct UnresolvedTemplates<'d> {
    /// The templates, with the dependencies of each. Copies of a template follow each other.
    pub(super) templates: Vec<(JobTemplate, DependencyIds<'d>)>,
    /// The ids of templates that `repeat` renames.
    pub(super) renamed: HashSet<String>,
}

/// The maximum number of ids of a circle in a message.
const MAX_SHOWN_IDS: usize = 6;

impl UnresolvedTemplates<'_> {
    /// Resolves the dependencies; reports those that are unknown or circular.
    pub(super) fn resolve(self, reader: &mut Reader<'_>) -> Vec<JobTemplate> {
        let (mut templates, ids_of_templates): (Vec<_>, Vec<_>) =
            self.templates.into_iter().unzip();
        let ids: HashMap<String, usize> =
            templates.iter().enumerate().map(|(at, it)| (it.id.clone(), at)).collect();
        let mut unknown = HashSet::new();
        for (template, dependencies) in templates.iter_mut().zip(&ids_of_templates) {
            for (id, span) in dependencies {
                match ids.get(*id) {
                    Some(position) => template.dependencies.push(*position),
                    // The copies of a template have their dependencies from one place, so an unknown one is
                    // reported once.
                    None if unknown.insert(span.start) => {
                        refuse(reader, id, *span, &ids, self.renamed.contains(*id));
                    }
                    None => {}
                }
            }
            // A dependency that is named twice would be awaited twice.
            template.dependencies.sort_unstable();
            template.dependencies.dedup();
        }
        for circle in circles(&templates) {
            refuse_circle(reader, &circle, &templates, &ids_of_templates);
        }
        templates
    }
}

fn refuse(
    reader: &mut Reader<'_>,
    id: &str,
    span: Span,
    ids: &HashMap<String, usize>,
    is_renamed: bool,
) {
    if is_renamed {
        let message = format!("the template `{id}` is not defined: `repeat` renames its copies");
        let help = format!("write the copies that are meant, such as `{id}-repeat-0`");
        return reader.error(Code::UndefinedName, span, message, help);
    }
    let mut names: Vec<&str> = ids.keys().map(String::as_str).collect();
    // Sorted, as the order of a map is random and would change the suggestion.
    names.sort_unstable();
    let help = did_you_mean(id, names).map_or_else(
        || "write the `id` of a job template".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    reader.error(Code::UndefinedName, span, format!("the template `{id}` is not defined"), help);
}

fn refuse_circle(
    reader: &mut Reader<'_>,
    circle: &[usize],
    templates: &[JobTemplate],
    ids_of_templates: &[DependencyIds<'_>],
) {
    let [first, .., last] = circle else { return };
    let id = |at: usize| templates[at].id.as_str();
    let at = ids_of_templates[*last].iter().find(|(name, _)| *name == id(*first));
    let span = at.map_or(Span::default(), |(_, span)| *span);
    let middle = circle[1..].iter().take(MAX_SHOWN_IDS).map(|at| format!("`{}`", id(*at)));
    let mut names: Vec<String> = middle.collect();
    if circle.len() > MAX_SHOWN_IDS + 1 {
        names.push("..".to_owned());
        names.push(format!("`{}`", id(*last)));
    }
    let others = if *first == *last {
        "itself".to_owned()
    } else {
        format!("{}, which depends on `{}`", names.join(", "), id(*first))
    };
    let message = format!("`{}` depends on {others}", id(*first));
    let help = "remove one of the dependencies: none of these jobs would ever be submitted";
    reader.error(Code::DependencyCircle, span, message, help.to_owned());
}

/// Returns circles of templates, each from its first member to the one that depends on the first; a template
/// that depends on itself is listed twice. If the graph has a circle, at least one is returned.
fn circles(templates: &[JobTemplate]) -> Vec<Vec<usize>> {
    let mut circles = Vec::new();
    // The state of each template in the depth-first search.
    let mut states: Vec<Option<State>> = vec![None; templates.len()];
    for root in 0..templates.len() {
        if states[root].is_some() {
            continue;
        }
        let mut path = vec![(root, 0)];
        states[root] = Some(State::OnPath(0));
        while let Some((template, next)) = path.last_mut() {
            let Some(dependency) = templates[*template].dependencies.get(*next).copied() else {
                states[*template] = Some(State::Done);
                path.pop();
                continue;
            };
            *next += 1;
            match states[dependency] {
                None => {
                    states[dependency] = Some(State::OnPath(path.len()));
                    path.push((dependency, 0));
                }
                Some(State::OnPath(start)) if circles.len() <= MAX_CIRCLES => {
                    circles.push(members(&path[start..]));
                }
                _ => {}
            }
        }
    }
    circles
}

/// The maximum number of circles: finding all of them could take quadratic time.
const MAX_CIRCLES: usize = 20;

#[derive(Debug, Clone, Copy)]
enum State {
    OnPath(usize),
    Done,
}

fn members(path: &[(usize, usize)]) -> Vec<usize> {
    match path {
        [(only, _)] => vec![*only, *only],
        _ => path.iter().map(|(template, _)| *template).collect(),
    }
}
