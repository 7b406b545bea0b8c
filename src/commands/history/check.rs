//! `history check`: what a history holds, and which matchers of rules can match it.

use crate::cli::{Context, Exit, Output};
use crate::commands::disruptions::DisruptionArgs;
use crate::commands::simulate::{self, BadRecord, Format, HistoryFiles};
use crate::project::ExecutorFiles;
use crate::report::{self, FieldItem, HistoryCheckReport, MatcherItem, MatcherState, ValueItem};
use anyhow::Result;
use armada_retry::policy::Condition;
use clap::Args;
use replay::history::{ArmadaRun, Field, Lack, RecordFields};
use replay::simulate::ValidRun;
use std::cmp::Reverse;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use systems::armada::{MatcherCount, MatcherCounts, MatcherRow};

const EXAMPLES: &str = "\
Examples:
  # Which matchers can work on a history
  armadactl history check month.jsonl.zst

  # With the categories that the executors would have given
  armadactl history check pods.json --executor-config executor.yaml";

const EXITS: &str = "\
Exit codes:
  0  success, whatever the history lacks
  2  invalid command line
  3  invalid history or configuration";

/// Report what a history holds, and which matchers can match it
///
/// A matcher can match if a failure has what it compares. Otherwise its values are not in these records, or
/// the source of the records never has them; the report then names the way to a history that does.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = EXITS)]
pub struct CheckArgs {
    /// Histories: files, directories, patterns or `-` for stdin
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Classify failures by the configuration of Armada's executors (repeatable)
    #[arg(long, value_name = "[CLUSTER=]FILE[,FILE..]")]
    executor_config: Vec<ExecutorFiles>,
    #[command(flatten)]
    disruptions: DisruptionArgs,
    /// Read histories of this format
    #[arg(long, value_enum, default_value_t = Format::AUTO, value_name = "FORMAT")]
    format: Format,
    /// Report or skip invalid records
    #[arg(long, value_enum, default_value_t = BadRecord::Error, value_name = "HOW")]
    on_bad_record: BadRecord,
}

/// The values of a matcher that are listed.
const LISTED: usize = 100;

/// Reads the histories and reports on them.
pub fn run(context: &mut Context<'_>, args: &CheckArgs) -> Result<Exit> {
    use Output::{Json, Table, Wide, Yaml};
    let output = context.globals.output("history check", &[Table, Wide, Json, Yaml])?;
    let counts = Mutex::new(Counts::default());
    let observe = |run: &ValidRun<'_, ArmadaRun>| {
        counts.lock().unwrap_or_else(PoisonError::into_inner).add(run);
    };
    let files = HistoryFiles {
        executor_config: args.executor_config.clone(),
        disruptions: args.disruptions.clone(),
        files: args.files.clone(),
        format: args.format,
        on_bad_record: args.on_bad_record,
    };
    let (read, sources) = simulate::read_histories(context, files, &observe)?;
    let counts = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
    let matchers = &counts.matchers;
    let found: Vec<&str> = matchers
        .rows()
        .filter(|(_, count)| count.failures > 0)
        .filter_map(|(row, _)| row.condition.map(Condition::as_str))
        .collect();
    let lack = |row: &MatcherRow| {
        let condition = row.condition.map(|condition| condition.as_str().to_owned());
        let lack = sources.lack(row.part.field, condition.as_slice())?;
        // The records have more than the source alone, such as the debug JSON of Lookout's runs.
        let is_refuted = found.iter().any(|name| lack.values.contains(name));
        (!is_refuted).then_some(lack)
    };
    let report = HistoryCheckReport {
        sources: sources.names(),
        failures: matchers.failures,
        matchers: matchers.rows().map(|(row, count)| matcher_item(row, count, lack(row))).collect(),
        fields: counts.fields(),
        ..HistoryCheckReport::new(read.notes, &read.answer)
    };
    let text = match output {
        Json => report::json(&report),
        Yaml => report::yaml(&report)?,
        output => report::history_check_table(&report, &context.layout(output == Wide)),
    };
    context.ui.data(&text)?;
    Ok(Exit::Done)
}

/// The runs of a history by what they have.
#[derive(Default)]
struct Counts {
    matchers: MatcherCounts,
    /// The runs that have each of [`FIELDS`].
    fields: [u64; FIELDS.len()],
}

/// Whether a run has a field.
type HasField = fn(&ValidRun<'_, ArmadaRun>) -> bool;

/// The fields on which a replay depends beside those that matchers compare.
const FIELDS: [(&str, HasField); 9] = [
    ("queue", |run| !run.queue.is_empty()),
    ("jobSet", |run| run.unit.job_set.is_some()),
    ("annotations", |run| run.unit.annotations.is_some()),
    ("resources", |run| run.unit.resources.is_some()),
    ("gang", |run| run.unit.gang().is_some()),
    ("startedAt", |run| run.run.started_at.is_some()),
    ("finishedAt", |run| run.run.finished_at.is_some()),
    ("cluster", |run| run.run.cluster.is_some()),
    ("terminationConfirmedAt", |run| run.run.own.termination_confirmed_at.is_some()),
];

impl Counts {
    fn add(&mut self, run: &ValidRun<'_, ArmadaRun>) {
        self.matchers.add(run.run);
        for (count, (_, has)) in self.fields.iter_mut().zip(FIELDS) {
            *count += u64::from(has(run));
        }
    }

    fn fields(&self) -> Vec<FieldItem> {
        let doc = |name| {
            let field = ArmadaRun::FIELDS.iter().find(|field| field.name() == name);
            field.map(Field::doc).unwrap_or_default()
        };
        let all = FIELDS.iter().zip(self.fields);
        all.map(|((field, _), runs)| FieldItem { field, runs, doc: doc(*field) }).collect()
    }
}

/// The item of a row. `lack` is the reason why the sources cannot have what it compares, if there is one.
fn matcher_item(row: &MatcherRow, count: &MatcherCount, lack: Option<&Lack>) -> MatcherItem {
    let lack = lack.filter(|_| count.failures == 0);
    let state = match lack {
        _ if count.failures > 0 => MatcherState::CanMatch,
        Some(_) => MatcherState::Cannot,
        None => MatcherState::NotInTheseRecords,
    };
    let mut values: Vec<(&String, &u64)> = count.values.iter().collect();
    values.sort_by_key(|(_, failures)| Reverse(**failures));
    let more_values = values.len().saturating_sub(LISTED) as u64;
    let values = values.into_iter().take(LISTED);
    MatcherItem {
        matcher: row.matcher,
        condition: row.condition.map(Condition::as_str),
        field: row.part.field,
        state,
        failures: count.failures,
        values: values
            .map(|(value, failures)| ValueItem { value: value.clone(), failures: *failures })
            .collect(),
        more_values,
        why: lack.map(|lack| lack.why),
        help: lack.map(|lack| lack.help).filter(|help| !help.is_empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_those_of_records() {
        assert!(Counts::default().fields().iter().all(|field| !field.doc.is_empty()));
    }
}
