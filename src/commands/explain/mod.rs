//! `explain`: a category, a decision, disruptions, a scheduling round, a field, an id.

mod armada_decision;
mod category;
mod classification;
mod decision;
mod decision_flow;
mod disruptions;
mod round;
mod system_decision;

use crate::analysis::unit_test::{self, TestShape};
use crate::cli::{Context, Exit, Output, Refusal};
use crate::cluster::read::{CLUSTER_FILE, SCHEDULER_CONFIG, SCHEDULING, STATE_FILE, WORKLOAD_FILE};
use crate::commands::help_page::OFFLINE_EXITS;
use crate::commands::unavailable::unavailable_command;
use crate::diag::{Code, Style, did_you_mean};
use crate::disruption::DISRUPTIONS;
use crate::document::{FieldPage, Shape, field_paths, lookup};
use crate::simulate::Engine;
use crate::systems::{SystemName, profiles, with_system};
use crate::ui::Ui;
use crate::{policy, report};
use anyhow::Result;
use clap::{Args, Subcommand};
use std::collections::BTreeSet;

const EXAMPLES: &str = "\
Examples:
  # Print which rule decides a failure, and why
  armadactl explain decision -f policy.yaml --failure exitCode=137

  # Print which category the executor gives a failure, and why
  armadactl explain category --executor-config executor.yaml --pod pod.yaml

  # Print what counts as a disruption, by which sign
  armadactl explain disruptions

  # Print why jobs of a scheduling round wait
  armadactl explain round --state state.yaml

  # Describe a field
  armadactl explain retrypolicy.rules.onExitCodes

  # Describe a finding
  armadactl explain RP016";

/// Explain a category, a decision, disruptions, a scheduling round, a field or a finding
///
/// In the path of a field `spec` may be omitted. No requests are sent.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(before_long_help = EXAMPLES, after_long_help = OFFLINE_EXITS)]
pub struct ExplainArgs {
    #[command(subcommand)]
    command: Option<ExplainCommand>,
    /// A field, such as `retrypolicy.rules.onExitCodes`, or a finding, such as `RP016`
    #[arg(required = true)]
    topic: Option<String>,
    /// Describe the field of this form of document
    #[arg(long, value_name = "FORM", default_value = "v1", value_parser = ["v1", "v1beta1"])]
    api: String,
}

#[derive(Debug, Subcommand)]
enum ExplainCommand {
    Category(category::CategoryArgs),
    Decision(decision::DecisionArgs),
    Disruptions(disruptions::DisruptionsArgs),
    Round(round::RoundArgs),
}

/// Prints the explanation.
pub fn run(context: &mut Context<'_>, args: &ExplainArgs) -> Result<Exit> {
    match &args.command {
        Some(ExplainCommand::Category(args)) => return category::run(context, args),
        Some(ExplainCommand::Decision(args)) => return decision_flow::run(context, args),
        Some(ExplainCommand::Disruptions(args)) => return disruptions::run(context, args),
        Some(ExplainCommand::Round(args)) => return round::run(context, args),
        None => {}
    }
    context.globals.output("explain", &[Output::Table])?;
    let topic = args.topic.as_deref().unwrap_or_default();
    if let Some(refusal) = unavailable_command(&["explain", topic]) {
        return Err(refusal.into());
    }
    let text = match Code::from_id(topic) {
        Some(code) => finding_page(context, code),
        None => field_page(topic, &args.api)?,
    };
    context.ui.data(&text)?;
    Ok(Exit::Done)
}

/// The page of a finding's id: rendered for a terminal, else as Markdown.
fn finding_page(context: &Context<'_>, code: Code) -> String {
    let page = code.page().text;
    let style = context.ui.style();
    match Ui::width() {
        Some(width) => report::markdown(page, width, style),
        // `--color always` without a terminal: the output goes to a pager.
        None if style == Style::Coloured => report::markdown(page, 80, style),
        None => page.to_owned(),
    }
}

/// The kinds of document, their aliases, and their shapes in both forms.
const DOCUMENTS: [(&[&str], &Shape, &Shape); 9] = [
    (
        &["retrypolicy", "retry-policy", "retrypolicies", "retry-policies", "rp"],
        &policy::shapes::POLICY_V1,
        &policy::shapes::POLICY_V1BETA1,
    ),
    (&["queue", "queues"], &policy::shapes::QUEUE_V1, &policy::shapes::QUEUE_V1BETA1),
    (
        &["failurehistory", "failure-history", "history"],
        &crate::systems::armada::FAILURE_HISTORY,
        &crate::systems::armada::FAILURE_HISTORY,
    ),
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

/// The shapes of the documents with tests, with the name of the system.
fn test_shapes() -> impl Iterator<Item = (&'static str, &'static Shape)> {
    SystemName::all().map(|system| {
        let shape = with_system!(system, S => TestShape::<<S as Engine>::Fields>::DOCUMENT);
        let description = system.description();
        (if description.is_armada() { "armada" } else { description.engine }, shape)
    })
}

/// The names of the document whose fields depend on the system.
const PROFILE: &[&str] = &["retryprofile", "retry-profile", "retryprofiles", "retry-profiles"];

fn field_page(topic: &str, api: &str) -> Result<String> {
    let mut path = topic.split('.').filter(|piece| !piece.is_empty());
    let kind = path.next().unwrap_or_default().to_lowercase();
    if PROFILE.contains(&kind.as_str()) {
        return profile_pages(&path.collect::<Vec<_>>());
    }
    if TEST.contains(&kind.as_str()) {
        return test_pages(&path.collect::<Vec<_>>());
    }
    let Some((_, v1, v1beta1)) =
        DOCUMENTS.iter().find(|(names, ..)| names.contains(&kind.as_str()))
    else {
        return Err(unknown_topic(topic, &kind).into());
    };
    let shape = if api == "v1" { v1 } else { v1beta1 };
    let path: Vec<&str> = path.collect();
    look_up_page(shape, &path)
        .map(|page| report::field_page(&page))
        .map_err(|names| unknown_field(shape.name, &path, &names).into())
}

/// The page of a field, or the names of the fields at the longest known part of its path.
fn look_up_page(shape: &'static Shape, path: &[&str]) -> Result<FieldPage, Vec<&'static str>> {
    // `rules` is under `spec` in v1, which a path may leave out.
    let under_spec: Vec<&str> = ["spec"].iter().chain(path).copied().collect();
    let is_under_spec = path.first().is_some_and(|first| first.eq_ignore_ascii_case("spec"));
    lookup(shape, path).or_else(|names| {
        if is_under_spec {
            return Err(names);
        }
        let has_spec = shape.fields.iter().any(|field| field.name == "spec");
        lookup(shape, &under_spec)
            .map_err(|more| if has_spec && !more.is_empty() { more } else { names })
    })
}

/// The page of a field of a test document: of each system whose page is another one.
fn test_pages(path: &[&str]) -> Result<String> {
    let (mut pages, mut names): (Vec<(&str, String)>, Vec<&str>) = (Vec::new(), Vec::new());
    for (system, shape) in test_shapes() {
        match look_up_page(shape, path).map(|page| report::field_page(&page)) {
            Ok(page) if pages.iter().any(|(_, other)| *other == page) => {}
            Ok(page) => pages.push((system, page)),
            Err(more) => names.extend(more),
        }
    }
    match pages.as_slice() {
        [] => {
            let mut seen = BTreeSet::new();
            names.retain(|name| seen.insert(*name));
            Err(unknown_field(unit_test::KIND, path, &names).into())
        }
        [(_, only)] => Ok(only.clone()),
        several => {
            let page = |(system, page): &(&str, String)| format!("SYSTEM:    {system}\n{page}");
            Ok(several.iter().map(page).collect::<Vec<_>>().join("\n"))
        }
    }
}

/// The field's page of each system whose profile has it.
fn profile_pages(path: &[&str]) -> Result<String> {
    let (mut pages, mut names, mut deepest) = (Vec::new(), Vec::new(), 0);
    for profile in profiles() {
        match look_up_page(profile.shape, path) {
            Ok(page) => {
                pages.push(format!("SYSTEM:    {}\n{}", profile.system, report::field_page(&page)));
            }
            Err(more) => {
                // Names of the systems that have the longest part of the path.
                let known = |depth: &usize| {
                    look_up_page(profile.shape, path.get(..*depth).unwrap_or(path)).is_ok()
                };
                let depth = (0..path.len()).rev().find(known).unwrap_or_default();
                if depth > deepest {
                    names.clear();
                    deepest = depth;
                }
                names.extend(more.into_iter().filter(|_| depth == deepest));
            }
        }
    }
    if !pages.is_empty() {
        return Ok(pages.join("\n"));
    }
    if let Some(other) = other_path(path) {
        let message = format!("a RetryProfile has no field `{}`", path.join("."));
        let help = format!("did you mean `RetryProfile.{other}`?");
        return Err(Refusal::input(message).help(help).into());
    }
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(*name));
    Err(unknown_field("RetryProfile", path, &names).into())
}

/// Another path of a profile that ends with the same field. Of the layers of a draft it is the last,
/// which overrides the others.
fn other_path(path: &[&str]) -> Option<String> {
    let last = format!(".{}", path.last()?);
    let mut all = profiles().map(|profile| field_paths(profile.shape));
    all.find_map(|paths| paths.into_iter().rfind(|path| path.ends_with(&last)))
}

fn unknown_field(document: &str, path: &[&str], names: &[&str]) -> Refusal {
    let last = path.last().copied().unwrap_or_default();
    let refusal = Refusal::input(format!("a {document} has no field `{}`", path.join(".")));
    match did_you_mean(last, names.iter().copied()) {
        Some(name) => refusal.help(format!("did you mean `{name}`?")),
        None if names.is_empty() => refusal,
        None => refusal.help(format!("its fields are {}", names.join(", "))),
    }
}

/// Everything that can be explained: ids, and the paths of fields with and without `spec`.
pub(super) fn topics() -> Vec<String> {
    let mut topics: Vec<String> = Code::ALL.iter().map(|code| code.page().id.to_owned()).collect();
    let profiles = profiles().map(|profile| (PROFILE, profile.shape));
    let tests = test_shapes().map(|(_, shape)| (TEST, shape));
    let documents = DOCUMENTS.into_iter().map(|(names, v1, _)| (names, v1));
    for (names, shape) in documents.chain(profiles).chain(tests) {
        topics.push(names[0].to_owned());
        for path in field_paths(shape) {
            topics.extend(path.strip_prefix("spec.").map(|path| format!("{}.{path}", names[0])));
            topics.push(format!("{}.{path}", names[0]));
        }
    }
    // A field of several systems' profiles is one topic.
    let mut seen = BTreeSet::new();
    topics.retain(|topic| seen.insert(topic.clone()));
    topics
}

fn unknown_topic(topic: &str, kind: &str) -> Refusal {
    let kinds = DOCUMENTS.iter().map(|(names, ..)| names[0]);
    let kinds = kinds.chain(PROFILE.first().copied()).chain(TEST.first().copied());
    let kinds: Vec<&str> = kinds.collect();
    let refusal = Refusal::input(format!("unknown topic `{topic}`"));
    match did_you_mean(kind, kinds.iter().copied()) {
        Some(name) => refusal.help(format!("did you mean `{name}`?")),
        None => {
            refusal.help(format!("name a field of {}, or an id such as RP005", kinds.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Field, Kind};

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
        let documents = DOCUMENTS.into_iter().flat_map(|(_, v1, v1beta1)| [v1, v1beta1]);
        let tests = test_shapes().map(|(_, shape)| shape);
        for shape in documents.chain(profiles().map(|profile| profile.shape)).chain(tests) {
            for (path, field) in fields(shape, shape.name) {
                let line = field.doc.lines().next().unwrap_or_default();
                assert!(line.ends_with(['.', ':']), "{path}: {line}");
            }
        }
    }
}
