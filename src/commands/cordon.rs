//! `cordon` and `uncordon`: whether jobs of a queue are scheduled.

use super::Context;
use super::connect::Connected;
use super::dry_run::{DryRun, DryRunArgs};
use super::queue_change::{OUTPUTS, QueueChange, change, unasked};
use super::selection::LabelArgs;
use super::target::{Kind, Targets};
use crate::cli::Exit;
use crate::client::{ClientError, Fields};
use anyhow::Result;
use clap::Args;
use serde_json::Value;

/// What happens with two writers at once, for the help.
const TWO_LOOKS: &str = "\
Armada has no version of a queue: two writers at once can overwrite each other. The queue is
therefore read again after the write and once more after 200 to 800 ms, and a change that is gone
is made again. This narrows the window in which a change is lost; it cannot close it.";

/// Which queues.
#[derive(Debug, Args)]
#[command(after_help = TWO_LOOKS)]
pub struct CordonArgs {
    /// `queue`, and the names of queues; or queue/NAME..
    #[arg(value_name = "queue NAME", required = true)]
    words: Vec<String>,
    #[command(flatten)]
    labels: LabelArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Whether a queue is cordoned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cordon {
    /// Its jobs are not scheduled.
    On,
    /// They are.
    Off,
}

/// Cordons or uncordons.
pub fn run(context: &mut Context<'_>, args: &CordonArgs, cordon: Cordon) -> Result<Exit> {
    let command = match cordon {
        Cordon::On => "cordon",
        Cordon::Off => "uncordon",
    };
    let output = context.globals.output(command, &OUTPUTS)?;
    let targets = if args.labels.is_given() { Targets::parse } else { Targets::named };
    let queues = targets(command, &args.words, &[Kind::Queue])?.names;
    let selection = args.labels.selection(queues)?;
    let dry_run = args.dry_run.dry_run;
    if dry_run == DryRun::Client {
        return unasked(context, selection.offline()?, &cordon, output);
    }
    let server = Connected::for_writing(context)?;
    let live = selection.read(&server)?;
    Ok(change(context, &server, &live, dry_run, &cordon, output)?.0)
}

impl QueueChange for Cordon {
    const FIELD: &'static str = "cordoned";

    fn apply(&self, queue: &mut Fields) -> Result<(), ClientError> {
        let cordoned = queue.value(Self::FIELD) == Some(Value::Bool(true));
        match self {
            Self::On if !cordoned => queue.set(Self::FIELD, &Value::Bool(true)),
            // What is false is absent on the wire.
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
