//! `wait`: until resources exist, or exist no longer.

use super::connection::{ServerConnection, is_temporary};
use super::flag_values::duration;
use super::lookup::fetch_each;
use super::resource_args::{ResourceArgs, ResourceKind};
use crate::cli::{Context, Exit, Refusal};
use anyhow::Result;
use clap::{Args, ValueEnum};
use client::{ClientError, Live};
use document::units::GoDuration;
use std::time::{Duration, Instant};

const EXAMPLES: &str = "\
Examples:
  # Wait until a policy exists
  armadactl wait retrypolicy/infra --for create

  # Wait up to a minute until two queues are deleted
  armadactl wait queue ml web --for delete --timeout 1m

  # Test whether a queue exists
  armadactl wait queue/ml --for create --timeout 0s";

const EXITS: &str = "\
Exit codes:
    0  the condition is met for each resource
    1  it is not within the time
    2  invalid command line
    3  invalid configuration
    4  not authenticated, or not permitted
    7  server unreachable or too slow, or an invalid answer
  130  interrupted";

/// Wait until policies or queues exist, or exist no longer
///
/// Prints a line for each resource when its condition is met, as `kubectl wait` does. While the server is not
/// available the condition is not met.
#[derive(Debug, Args)]
#[command(before_long_help = EXAMPLES, after_long_help = EXITS)]
pub struct WaitArgs {
    /// `retrypolicy` or `queue` and names, or TYPE/NAME
    #[arg(value_name = "TYPE NAME", required = true)]
    words: Vec<String>,
    /// Wait for this
    #[arg(long = "for", value_enum, value_name = "CONDITION")]
    condition: Condition,
    /// End after this time, a Go duration; 0s tests once
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = duration)]
    #[arg(allow_hyphen_values = true)]
    timeout: GoDuration,
}

/// A condition of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Condition {
    /// The resource exists
    Create,
    /// The resource does not exist
    Delete,
}

/// The time between two tests: short for a script, and few requests for a server.
const INTERVAL: Duration = Duration::from_millis(500);

/// Waits.
pub fn run(context: &mut Context<'_>, args: &WaitArgs) -> Result<Exit> {
    context.globals.output("wait", &[])?;
    let kinds = [ResourceKind::Policy, ResourceKind::Queue];
    let ResourceArgs { kind, names } = ResourceArgs::parse_named("wait", &args.words, &kinds)?;
    let server = ServerConnection::new(context)?;
    let until = Instant::now() + args.timeout.to_std();
    // The reason why it is not known whether the condition is met, before an answer and after one that is an error.
    let (mut names, mut unknown) = (names, Some(no_answer(&server)));
    loop {
        let mut found = test(&server, kind, &names, until)?.into_iter();
        let mut unmet = Vec::new();
        for name in names {
            match found.next() {
                Some(Ok(live)) if live.is_some() == (args.condition == Condition::Create) => {
                    context.ui.data(&format!("{}/{name} condition met\n", kind.cli_name()))?;
                    continue;
                }
                Some(Err(error)) if !is_temporary(&error) => return Err(error.into()),
                Some(Err(error)) => unknown = Some(error.into()),
                Some(Ok(_)) => unknown = None,
                None => {}
            }
            unmet.push(name);
        }
        context.ui.flush()?;
        let left = until.saturating_duration_since(Instant::now());
        if unmet.is_empty() {
            return Ok(Exit::Done);
        } else if left.is_zero() {
            let timed_out = || timed_out(kind, &unmet, args.condition).into();
            return Err(unknown.unwrap_or_else(timed_out));
        }
        // The last pause is shorter, so that a last test is made at the end of the time.
        std::thread::sleep(INTERVAL.min(left));
        names = unmet;
    }
}

/// The resource of each name, as far as the time suffices; the first test has the time of a request.
fn test(
    server: &ServerConnection,
    kind: ResourceKind,
    names: &[String],
    until: Instant,
) -> Result<Vec<Result<Option<Live>, ClientError>>> {
    let left = until.saturating_duration_since(Instant::now());
    server.wait(async {
        let found = fetch_each(&server.client, kind, names);
        if left.is_zero() {
            return Ok(found.await);
        }
        Ok(tokio::time::timeout(left, found).await.unwrap_or_default())
    })
}

fn no_answer(server: &ServerConnection) -> anyhow::Error {
    let message = format!("{} did not answer within the time", server.client.base());
    Refusal { exit: Exit::Server, ..Refusal::usage(message) }.into()
}

fn timed_out(kind: ResourceKind, unmet: &[String], condition: Condition) -> Refusal {
    let names: Vec<String> =
        unmet.iter().map(|name| format!("`{}/{name}`", kind.cli_name())).collect();
    let what = match condition {
        Condition::Create => "the creation",
        Condition::Delete => "the deletion",
    };
    let message = format!("timed out waiting for {what} of {}", names.join(", "));
    Refusal { exit: Exit::No, ..Refusal::usage(message) }
}
