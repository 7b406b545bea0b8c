//! A history without policies: the system of its records, by the first bytes of the first of 16 files that tells it, and
//! policies of that system that the replay needs and the report leaves out.

use super::inputs::Head;
use super::{SimulateArgs, TimelinesName};
use crate::cli::Refusal;
use crate::project::{PolicyScope, Project};
use anyhow::Result;
use document::diag::{Findings, Source};
use replay::history::Format;
use replay::simulate::system_of_partial;
use systems::SystemName;

/// The policies of the system of a history.
pub(super) fn project(heads: &[Head]) -> Project {
    let system = heads.iter().find_map(|head| system_of(head.format, &head.text));
    let text = system.unwrap_or(SystemName::Armada).description().placeholder_policy;
    let source = text.map(|text| Source::new("-", text));
    Project::from_sources(source.as_slice(), PolicyScope::OneSystem, Findings::new())
}

/// The values of `--show` that need no policies.
const OF_RECORD: [&str; 8] =
    ["record", "kinds", "retries", "nodes", "queues", "categories", "days", "all"];

/// Refuses flags that need policies, or without `no-retries` that need a variant.
pub(super) fn refuse_flags(args: &SimulateArgs) -> Result<()> {
    let is_of_record = args.is_of_record();
    let flags = [
        ("--sweep", !args.sweep.is_empty()),
        ("--assert", is_of_record && !args.assertions.is_empty()),
        ("--assume", args.assume.is_some()),
        ("--queue-policies", args.policies.queue_policies.is_some()),
        ("--timelines all", is_of_record && args.timelines == TimelinesName::All),
    ];
    let flag = flags.into_iter().find_map(|(flag, is_set)| is_set.then(|| flag.to_owned()));
    let is_refused = |name: &&String| is_of_record && !OF_RECORD.contains(&name.as_str());
    let table = args.show.iter().find(is_refused);
    let report = match table {
        Some(_) => format!("the tables are {}", OF_RECORD.join(", ")),
        None => "the report is about the record alone".to_owned(),
    };
    let Some(flag) = flag.or(table.map(|name| format!("--show {name}"))) else { return Ok(()) };
    let message = format!("`{flag}` needs policies");
    let help = format!("give them with -f or --live; without them {report}");
    Err(Refusal::usage(message).help(help).into())
}

/// The system whose fields the records of a history have; `None` if its first bytes do not tell.
fn system_of(format: Format, head: &str) -> Option<SystemName> {
    match format {
        Format::Of(program) if program.has_pods => system_of_pods(head),
        Format::Of(program) => match program.engine() {
            Some(engine) => system_of_engine(engine),
            None => Some(SystemName::Armada),
        },
        Format::Lines | Format::Records | Format::Document => {
            // Records of later systems may have the fields of earlier ones too.
            let has = |field: &&str| is_key(head, field);
            let mut all = SystemName::all().rev();
            all.find(|system| system.description().history_fields.iter().any(has))
        }
        Format::Partial => system_of_engine(system_of_partial(head)?),
        Format::Unsupported(_) => None,
    }
}

/// The system of an engine.
fn system_of_engine(name: &str) -> Option<SystemName> {
    SystemName::all().find(|system| system.description().engines[0] == name)
}

/// The system of a list of pods, by the labels of its first ones.
fn system_of_pods(head: &str) -> Option<SystemName> {
    let labels = [
        ("jobset.sigs.k8s.io/jobset-name", SystemName::JobSet),
        ("armada_job_id", SystemName::Armada),
        ("job-name", SystemName::Job),
    ];
    labels.into_iter().find_map(|(label, system)| head.contains(label).then_some(system))
}

/// Whether a text has a key of JSON or YAML.
fn is_key(text: &str, key: &str) -> bool {
    text.match_indices(key).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + key.len()..].trim_start_matches(['"', '\'']).trim_start();
        before.is_none_or(|it| !it.is_alphanumeric() && it != '_') && after.starts_with(':')
    })
}
