//! The flags of a replay that follows a stream.

use clap::Args;
use document::units::GoDuration;
use std::path::PathBuf;
use std::time::Duration;

/// The flags.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Follow options")]
pub struct FollowArgs {
    /// Replay a stream as it comes, and print each decision
    ///
    /// --history names one stream: `-`, a pipe or a file of JSON Lines, Armada's events or Lookout's jobs. The
    /// answer follows at the end, which SIGINT requests; a second SIGINT ends the command at once. `-o json`
    /// prints JSON Lines. Jobs of gangs are decided in the answer alone.
    #[arg(long, requires = "history")]
    #[arg(conflicts_with_all = ["cluster", "base", "job", "partial", "changes", "shard", "timelines"])]
    follow: bool,
    /// Print the answer so far at this interval, such as 10m
    #[arg(long, value_name = "DURATION", requires = "follow", value_parser = interval)]
    pub(super) every: Option<Duration>,
    /// Write the decisions so far to this file, in the text format of Prometheus
    ///
    /// The file is replaced at most every 5 seconds, for `node_exporter`'s textfile collector. Decisions are
    /// counted as Armada's scheduler does: `armada_scheduler_retry_policy_decisions_total`.
    #[arg(long, value_name = "FILE", requires = "follow")]
    pub(super) metrics: Option<PathBuf>,
}

impl FollowArgs {
    /// Whether a stream is followed.
    pub(super) fn is_set(&self) -> bool {
        self.follow
    }
}

fn interval(text: &str) -> Result<Duration, String> {
    let duration =
        GoDuration::parse(text).ok().filter(|duration| *duration >= GoDuration::from_secs(1));
    let duration = duration.ok_or("write a duration of 1s or more, such as 10m")?;
    Ok(duration.to_std())
}
