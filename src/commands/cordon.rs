//! `cordon` and `uncordon`: whether jobs of a queue are scheduled.

use super::connection::ServerConnection;
use super::lookup::Missing;
use super::queue_change::{OUTPUTS, QueueChange, change, report_offline};
use super::resource_args::{ResourceArgs, ResourceKind};
use super::selection::LabelArgs;
use crate::cli::{Context, DryRun, DryRunArgs, Exit};
use crate::commands::help_page::WRITE_EXITS;
use anyhow::Result;
use clap::Args;
use client::{ClientError, Fields};
use serde_json::Value;

const CORDON_EXAMPLES: &str = "\
Examples:
  # Stop scheduling the jobs of a queue
  armadactl cordon queue ml

  # Print what would change
  armadactl cordon queue ml web --dry-run server

  # Stop scheduling the jobs of queues with these labels
  armadactl cordon -l team=ml,tier!=test

  # Stop scheduling the jobs of all queues
  armadactl cordon --all-queues";

const UNCORDON_EXAMPLES: &str = "\
Examples:
  # Resume scheduling the jobs of a queue
  armadactl uncordon queue ml

  # Resume scheduling the jobs of all queues
  armadactl uncordon --all-queues";

/// Stop scheduling the jobs of queues
///
/// All other fields of a queue are kept byte for byte. Over REST this is an update of the queue,
/// which needs the permission `create_queue`; Armada's own `armadactl cordon` needs `cordon_queue`.
///
/// Armada keeps no version of a queue, so concurrent writers can overwrite each other. The queue
/// is read after the write and again after 200 to 800 ms, and a lost change is repeated. A change
/// that is lost later is not detected.
#[derive(Debug, Args)]
#[command(before_long_help = CORDON_EXAMPLES, after_long_help = WRITE_EXITS)]
pub struct CordonArgs {
    #[command(flatten)]
    queues: QueueArgs,
}

/// Resume scheduling the jobs of queues
///
/// All other fields of a queue are kept byte for byte. Over REST this is an update of the queue,
/// which needs the permission `create_queue`; Armada's own `armadactl cordon` needs `cordon_queue`.
///
/// Armada keeps no version of a queue, so concurrent writers can overwrite each other. The queue
/// is read after the write and again after 200 to 800 ms, and a lost change is repeated. A change
/// that is lost later is not detected.
#[derive(Debug, Args)]
#[command(before_long_help = UNCORDON_EXAMPLES, after_long_help = WRITE_EXITS)]
pub struct UncordonArgs {
    #[command(flatten)]
    queues: QueueArgs,
}

#[derive(Debug, Args)]
struct QueueArgs {
    /// `queue` and the names of queues, or words such as queue/ml
    #[arg(value_name = "queue NAME")]
    #[arg(required_unless_present_any = ["selector", "all_queues"])]
    words: Vec<String>,
    #[command(flatten)]
    labels: LabelArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Whether a queue is cordoned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cordon {
    /// Its jobs are not scheduled.
    On,
    /// Its jobs are scheduled.
    Off,
}

/// Cordons the queues.
pub fn cordon(context: &mut Context<'_>, args: &CordonArgs) -> Result<Exit> {
    run(context, &args.queues, Cordon::On)
}

/// Uncordons the queues.
pub fn uncordon(context: &mut Context<'_>, args: &UncordonArgs) -> Result<Exit> {
    run(context, &args.queues, Cordon::Off)
}

fn run(context: &mut Context<'_>, args: &QueueArgs, cordon: Cordon) -> Result<Exit> {
    let command = match cordon {
        Cordon::On => "cordon",
        Cordon::Off => "uncordon",
    };
    let output = context.globals.output(command, &OUTPUTS)?;
    let queues = match (args.labels.is_set(), args.words.as_slice()) {
        (true, []) => Vec::new(),
        (true, words) => ResourceArgs::parse(command, words, &[ResourceKind::Queue])?.names,
        (false, words) => ResourceArgs::parse_named(command, words, &[ResourceKind::Queue])?.names,
    };
    let selection = args.labels.selection(queues)?;
    let dry_run = args.dry_run.dry_run;
    if dry_run == DryRun::Client {
        return report_offline(context, selection.offline()?, &cordon, output);
    }
    let server = ServerConnection::for_writing(context)?;
    let mut missing = Missing::default();
    let live = selection.read(&server, &mut missing)?;
    missing.refuse(&server)?;
    Ok(change(context, &server, &live, dry_run, &cordon, output)?.0)
}

impl QueueChange for Cordon {
    const FIELD: &'static str = "cordoned";

    fn apply(&self, queue: &mut Fields) -> Result<(), ClientError> {
        let cordoned = queue.value(Self::FIELD) == Some(Value::Bool(true));
        match self {
            Self::On if !cordoned => queue.set(Self::FIELD, &Value::Bool(true)),
            // Armada's JSON leaves false out.
            Self::Off if cordoned => queue.remove(Self::FIELD),
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_has_to_change_changes() {
        for (cordon, before, after) in [
            (Cordon::On, r#"{"a":1.0}"#, r#"{"a":1.0,"cordoned":true}"#),
            (Cordon::On, r#"{"cordoned":false}"#, r#"{"cordoned":true}"#),
            (Cordon::On, r#"{"cordoned": true }"#, r#"{"cordoned": true }"#),
            (Cordon::Off, r#"{"cordoned":true,"a":1.0}"#, r#"{"a":1.0}"#),
            (Cordon::Off, r#"{"cordoned":false}"#, r#"{"cordoned":false}"#),
        ] {
            let mut queue = Fields::parse(before).unwrap();
            cordon.apply(&mut queue).unwrap();
            assert_eq!(queue.text(), after);
        }
    }
}
