//! `cordon` and `uncordon`: whether jobs of a queue are scheduled.

use super::Context;
use super::connect::Connected;
use super::dry_run::{DryRun, DryRunArgs};
use super::known;
use super::queue_change::{OUTPUTS, QueueChange, change, unasked};
use super::target::{Kind, Targets};
use crate::cli::Exit;
use crate::client::{ClientError, Fields};
use anyhow::Result;
use clap::Args;
use serde_json::Value;

/// Which queues.
#[derive(Debug, Args)]
pub struct CordonArgs {
    /// `queue`, and the names of queues; or queue/NAME..
    #[arg(value_name = "queue NAME", required = true)]
    words: Vec<String>,
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
    let queues = Targets::named(command, &args.words, &[Kind::Queue])?.names;
    let dry_run = args.dry_run.dry_run;
    if dry_run == DryRun::Client {
        return unasked(context, queues, &cordon, output);
    }
    let server = Connected::for_writing(context)?;
    let live = known::all(&server, Kind::Queue, &queues)?;
    let live: Vec<_> = queues.into_iter().zip(live).collect();
    change(context, &server, &live, dry_run, &cordon, output)
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
