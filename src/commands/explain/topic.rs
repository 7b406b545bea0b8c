//! `explain KIND.FIELD`: the kinds of document, and the pages of their fields in each form and system that has them.

use crate::analysis::unit_test::TestShape;
use crate::cli::Refusal;
use crate::commands::help::HELP_TOPICS;
use crate::report::{FieldExplanation, VariantKind, Variants};
use armada_retry::policy::shapes::{POLICY_V1, POLICY_V1BETA1, QUEUE_V1, QUEUE_V1BETA1};
use cluster::read::{CLUSTER_FILE, SCHEDULER_CONFIG, SCHEDULING, STATE_FILE, WORKLOAD_FILE};
use document::diag::{Code, did_you_mean};
use document::{FieldPage, Shape, field_paths, lookup};
use replay::disruption::DISRUPTIONS;
use replay::history::FAILURE_HISTORY;
use replay::simulate::Units;
use std::collections::BTreeSet;
use systems::{SystemName, profiles, with_system};

const RETRY_POLICY: &str = "retrypolicy";

/// The kinds of document that are the same for every system, their aliases, and their shapes in both forms.
const DOCUMENTS: [(&[&str], &Shape, &Shape); 9] = [
    (
        &[RETRY_POLICY, "retry-policy", "retrypolicies", "retry-policies", "rp"],
        &POLICY_V1,
        &POLICY_V1BETA1,
    ),
    (&["queue", "queues"], &QUEUE_V1, &QUEUE_V1BETA1),
    (&["failurehistory", "failure-history", "history"], &FAILURE_HISTORY, &FAILURE_HISTORY),
    (&["schedulerconfig", "scheduler-config", "scheduler"], &SCHEDULER_CONFIG, &SCHEDULER_CONFIG),
    // The section alone: a configuration may have its keys at the top.
    (&["scheduling"], &SCHEDULING, &SCHEDULING),
    (
        &["cluster", "clusters", "clusterspec", "cluster-spec", "clusterfile", "cluster-file"],
        &CLUSTER_FILE,
        &CLUSTER_FILE,
    ),
    (
        &[
            "workload",
            "workloads",
            "workloadspec",
            "workload-spec",
            "workloadfile",
            "workload-file",
        ],
        &WORKLOAD_FILE,
        &WORKLOAD_FILE,
    ),
    (&["state", "statefile", "state-file"], &STATE_FILE, &STATE_FILE),
    (&["disruptiontable", "disruption-table"], &DISRUPTIONS, &DISRUPTIONS),
];

/// The names of the document with tests, whose failures depend on the system.
const TEST: &[&str] =
    &["retrypolicytest", "retry-policy-test", "retrypolicytests", "test", "tests"];

/// The names of the document whose fields depend on the system.
const PROFILE: &[&str] = &["retryprofile", "retry-profile", "retryprofiles", "retry-profiles"];

/// The forms of documents, in the order of [`DOCUMENTS`].
const FORMS: [&str; 2] = ["v1", "v1beta1"];

/// A policy of each form, to begin with.
const POLICIES: [(&str, &str); 2] = [
    (FORMS[0], include_str!("../../../examples/policies/ml-training.yaml")),
    (FORMS[1], include_str!("../../../examples/first/policy.yaml")),
];

/// The policy of a form, without the line by which an editor finds its schema.
fn example_policy(form: &str) -> Option<&'static str> {
    let (_, text) = POLICIES.into_iter().find(|(name, _)| *name == form)?;
    let without_schema =
        text.strip_prefix("# yaml-language-server").and_then(|it| it.split_once('\n'));
    Some(without_schema.map_or(text, |(_, rest)| rest))
}

struct DocumentKind {
    /// Its names; the first is its own.
    names: &'static [&'static str],
    /// The property by which its shapes differ.
    variants: VariantKind,
    /// Its shapes, each with the form or the system.
    shapes: Vec<(&'static str, &'static Shape)>,
}

/// All kinds of document.
fn kinds() -> Vec<DocumentKind> {
    let documents = DOCUMENTS.into_iter().map(|(names, v1, v1beta1)| DocumentKind {
        names,
        variants: VariantKind::Form,
        shapes: if std::ptr::eq(v1, v1beta1) {
            vec![(FORMS[0], v1)]
        } else {
            vec![(FORMS[0], v1), (FORMS[1], v1beta1)]
        },
    });
    let profiles = profiles().map(|profile| (profile.system, profile.shape)).collect();
    let profile = DocumentKind { names: PROFILE, variants: VariantKind::System, shapes: profiles };
    let tests = test_shapes().collect();
    let test = DocumentKind { names: TEST, variants: VariantKind::System, shapes: tests };
    documents.chain([profile, test]).collect()
}

/// The shapes of the documents with tests, with the name of the system.
fn test_shapes() -> impl Iterator<Item = (&'static str, &'static Shape)> {
    SystemName::all().map(|system| {
        let shape = with_system!(system, S => TestShape::<<S as Units>::Fields>::DOCUMENT);
        (system.description().id, shape)
    })
}

/// The pages of a field, or of a document without one: one for each form or system in which it is another. `api`
/// selects a form; `commands` are those of `explain`.
pub(super) fn field_pages(
    topic: &str,
    api: Option<&str>,
    recursive: bool,
    commands: &[&str],
) -> Result<Vec<FieldExplanation>, Refusal> {
    // A path may have slashes, as those of files, and the numbers of items. A field may have one in its name.
    let is_by_slashes = topic.split('.').next().is_some_and(|first| first.contains('/'));
    let dotted = if is_by_slashes { topic.replace('/', ".") } else { topic.to_owned() };
    let names = dotted.split('.').filter_map(|piece| piece.split('[').next());
    let mut path = names.filter(|name| !name.is_empty());
    let word = path.next().unwrap_or_default().to_lowercase();
    let kinds = kinds();
    let Some(kind) = kinds.iter().find(|kind| kind.names.contains(&word.as_str())) else {
        return Err(unknown_topic(topic, &word, &kinds, commands));
    };
    kind.pages(&path.collect::<Vec<_>>(), api, recursive)
}

impl DocumentKind {
    fn pages(
        &self,
        path: &[&str],
        api: Option<&str>,
        recursive: bool,
    ) -> Result<Vec<FieldExplanation>, Refusal> {
        let is_selected = |form: &str| {
            let has_forms = self.variants == VariantKind::Form && self.shapes.len() > 1;
            !has_forms || api.is_none_or(|api| api == form)
        };
        let (selected, others): (Vec<_>, Vec<_>) =
            self.shapes.iter().copied().partition(|(name, _)| is_selected(name));
        let mut groups: Vec<(Vec<&'static str>, FieldPage)> = Vec::new();
        for (name, shape) in &selected {
            let Ok(page) = look_up_page(shape, path) else { continue };
            match groups.iter_mut().find(|(_, other)| *other == page) {
                Some((names, _)) => names.push(name),
                None => groups.push((vec![name], page)),
            }
        }
        if groups.is_empty() {
            let form = others.iter().find(|(_, shape)| look_up_page(shape, path).is_ok());
            return Err(self.unknown_field(path, &selected, form.map(|(form, _)| *form)));
        }
        let pages = groups.into_iter().map(|(names, page)| {
            let is_common = names.len() == selected.len();
            let is_policy = path.is_empty() && self.names[0] == RETRY_POLICY;
            let form = names.first().copied().filter(|_| is_policy);
            let variants = (!is_common).then_some(Variants { kind: self.variants, names });
            let example = form.and_then(example_policy);
            FieldExplanation::new(variants, &page, recursive).with_example(example)
        });
        Ok(pages.collect())
    }

    /// The refusal of a field that none of these shapes has; `other` is a form that has it.
    fn unknown_field(
        &self,
        path: &[&str],
        shapes: &[(&str, &'static Shape)],
        other: Option<&str>,
    ) -> Refusal {
        let document = shapes.first().map_or(self.names[0], |(_, shape)| shape.name);
        let refusal = Refusal::input(format!("a {document} has no field `{}`", path.join(".")));
        if let Some(form) = other {
            return refusal.help(format!("`{form}` has it: write `--api {form}`, or leave it out"));
        }
        if let Some(other) = other_path(path, shapes) {
            return refusal.help(format!("did you mean `{document}.{other}`?"));
        }
        let names = deepest_names(path, shapes);
        let last = path.last().copied().unwrap_or_default();
        match did_you_mean(last, names.iter().copied()) {
            Some(name) => refusal.help(format!("did you mean `{name}`?")),
            None if names.is_empty() => refusal,
            None => refusal.help(format!("its fields are {}", names.join(", "))),
        }
    }
}

/// The page of a field, or the names of the fields at the longest known part of its path.
fn look_up_page(shape: &'static Shape, path: &[&str]) -> Result<FieldPage, Vec<&'static str>> {
    // `rules` is under `spec` in v1, which a path may leave out.
    let under_spec: Vec<&str> = ["spec"].iter().chain(path).copied().collect();
    let is_under_spec = path.first().is_some_and(|first| first.eq_ignore_ascii_case("spec"));
    lookup(shape, path).or_else(|names| {
        if is_under_spec {
            // The other form has no `spec`.
            let has_spec = shape.fields.iter().any(|field| field.name == "spec");
            return if has_spec {
                Err(names)
            } else {
                lookup(shape, &path[1..]).map_err(|_| names)
            };
        }
        let has_spec = shape.fields.iter().any(|field| field.name == "spec");
        lookup(shape, &under_spec)
            .map_err(|more| if has_spec && !more.is_empty() { more } else { names })
    })
}

/// The names of the fields of those shapes that have the longest part of the path, each once.
fn deepest_names(path: &[&str], shapes: &[(&str, &'static Shape)]) -> Vec<&'static str> {
    let (mut names, mut deepest) = (Vec::new(), 0);
    for (_, shape) in shapes {
        let Err(more) = look_up_page(shape, path) else { continue };
        let is_known = |depth: &usize| look_up_page(shape, &path[..*depth]).is_ok();
        let depth = (0..path.len()).rev().find(is_known).unwrap_or_default();
        if depth > deepest {
            names.clear();
            deepest = depth;
        }
        names.extend(more.into_iter().filter(|_| depth == deepest));
    }
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(*name));
    names
}

/// Another path that ends with the same field. Of the layers of a draft it is the last, which overrides the others.
fn other_path(path: &[&str], shapes: &[(&str, &'static Shape)]) -> Option<String> {
    let last = format!(".{}", path.last()?.to_lowercase());
    let mut all = shapes.iter().map(|(_, shape)| field_paths(shape));
    all.find_map(|paths| paths.into_iter().rfind(|path| path.to_lowercase().ends_with(&last)))
}

/// The refusal of a topic; `commands` are those of `explain`.
fn unknown_topic(topic: &str, word: &str, kinds: &[DocumentKind], commands: &[&str]) -> Refusal {
    let is_id = word
        .strip_prefix("rp")
        .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|letter| letter.is_ascii_digit()));
    if is_id {
        return unknown_id(topic);
    }
    let refusal = Refusal::input(format!("unknown topic `{topic}`"));
    if let "job" | "jobs" | "jobset" | "jobsets" | "pod" | "pods" = word {
        let help = format!(
            "its fields are Kubernetes' own: `kubectl explain {word}`; `armadactl explain test` has those of failures"
        );
        return refusal.help(help);
    }
    let names: Vec<&str> = kinds.iter().map(|kind| kind.names[0]).collect();
    if let Some(paths) = paths_of(word, &topics()) {
        return refusal.help(format!("did you mean {paths}?"));
    }
    let others = commands.iter().copied().chain(HELP_TOPICS);
    match did_you_mean(word, names.iter().copied().chain(others)) {
        Some(name) if commands.contains(&name) => {
            refusal.help(format!("did you mean `armadactl explain {name}`?"))
        }
        Some(name) if HELP_TOPICS.contains(&name) => {
            refusal.help(format!("did you mean `armadactl help {name}`?"))
        }
        Some(name) => refusal.help(format!("did you mean `{name}`?")),
        None => refusal.help(format!(
            "name a field of {}, an id such as RP005, or one of {}",
            names.join(", "),
            commands.join(", ")
        )),
    }
}

/// The first paths that end with a field of this name, as text; those without `spec` if they may leave it out.
fn paths_of(field: &str, topics: &[String]) -> Option<String> {
    let ends = |topic: &&String| {
        let last = topic.rsplit_once('.').map(|(_, last)| last);
        last.is_some_and(|last| last.eq_ignore_ascii_case(field)) && !topic.contains(".spec.")
    };
    let paths: Vec<String> =
        topics.iter().filter(ends).take(3).map(|path| format!("`{path}`")).collect();
    (!paths.is_empty()).then(|| paths.join(", "))
}

/// The refusal of an id that no finding has, with those that begin alike.
fn unknown_id(topic: &str) -> Refusal {
    let ids: Vec<&str> = Code::ALL.iter().map(|code| code.id()).collect();
    let refusal = Refusal::input(format!("no finding has the id `{topic}`"));
    let digits = topic.get(2..).unwrap_or_default();
    let padded = format!("RP{digits:0>3}");
    if ids.contains(&padded.as_str()) {
        return refusal.help(format!("did you mean `{padded}`?"));
    }
    let alike = ids.iter().filter(|id| id.starts_with(&topic.to_uppercase()));
    let alike: Vec<&str> = alike.copied().collect();
    if !alike.is_empty() {
        return refusal.help(format!("ids that begin so are {}", alike.join(", ")));
    }
    let of_documents = Code::ALL.iter().filter(|code| code.is_about_documents()).count();
    let (documents, lints) = ids.split_at(of_documents);
    let range =
        |ids: &[&str]| format!("{} to {}", ids.first().unwrap_or(&""), ids.last().unwrap_or(&""));
    refusal.help(format!(
        "ids are {} and {}, as findings print them",
        range(documents),
        range(lints)
    ))
}

/// Everything that can be explained: ids, and the paths of fields with and without `spec`.
pub(in crate::commands) fn topics() -> Vec<String> {
    let mut topics: Vec<String> = Code::ALL.iter().map(|code| code.id().to_owned()).collect();
    for kind in kinds() {
        let name = kind.names[0];
        topics.push(name.to_owned());
        for path in kind.shapes.iter().flat_map(|(_, shape)| field_paths(shape)) {
            topics.extend(path.strip_prefix("spec.").map(|path| format!("{name}.{path}")));
            topics.push(format!("{name}.{path}"));
        }
    }
    // A field of several forms or systems is one topic.
    let mut seen = BTreeSet::new();
    topics.retain(|topic| seen.insert(topic.clone()));
    topics
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::{Field, Kind};

    /// Every field of a shape and of the shapes in it, with its path.
    fn fields(shape: &'static Shape, under: &str) -> Vec<(String, &'static Field)> {
        let of = |field: &'static Field| {
            let path = format!("{under}.{}", field.name);
            let mut kind = &field.kind;
            while let Kind::List { item, .. } | Kind::Map(item) = kind {
                kind = item;
            }
            let inner =
                if let Kind::Object(shape) = kind { fields(shape, &path) } else { Vec::new() };
            std::iter::once((path, field)).chain(inner)
        };
        shape.fields.iter().flat_map(of).collect()
    }

    #[test]
    fn the_line_that_lists_a_field_is_a_sentence() {
        for (_, shape) in kinds().into_iter().flat_map(|kind| kind.shapes) {
            for (path, field) in fields(shape, shape.name) {
                let line = field.doc.lines().next().unwrap_or_default();
                assert!(line.ends_with(['.', ':']), "{path}: {line}");
            }
        }
    }

    #[test]
    fn every_field_of_every_form_and_system_is_found_without_a_flag() {
        for kind in kinds() {
            for (variant, shape) in &kind.shapes {
                for path in field_paths(shape) {
                    let pages = field_pages(&format!("{}.{path}", kind.names[0]), None, false, &[]);
                    let pages = pages.unwrap_or_else(|error| panic!("{path}: {error}"));
                    let is_of = |page: &&FieldExplanation| {
                        page.variants.as_ref().is_none_or(|all| all.names.contains(variant))
                    };
                    assert_eq!(pages.iter().filter(is_of).count(), 1, "{variant} {path}");
                }
            }
        }
    }
}
