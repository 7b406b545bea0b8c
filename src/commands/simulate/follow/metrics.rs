//! The file of `--metrics`: the decisions so far in the text format of Prometheus, for a collector of text files.

use crate::cli::Refusal;
use crate::commands::output_file::OutputFile;
use anyhow::Result;
use replay::simulate::StreamDecision;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The time between two writes of the file: less than the usual interval of a scrape.
const INTERVAL: Duration = Duration::from_secs(5);

/// The decisions so far by variant, queue, policy and code.
pub(super) struct Metrics {
    path: PathBuf,
    /// The names of the variants; none if there is one.
    variants: Vec<String>,
    decisions: BTreeMap<(usize, String, String, String), u64>,
    runs: u64,
    /// The time of the last attempt to write the file, and whether it has failed.
    written: Instant,
    has_failed: bool,
    has_changed: bool,
}

impl Metrics {
    /// No decisions yet. The file is written, so that a wrong path is found at once.
    pub(super) fn begin(path: PathBuf, variants: &[&str]) -> Result<Self> {
        if path.as_os_str() == "-" {
            let message = "`--metrics -`: the metrics are a file";
            return Err(Refusal::usage(message).help("stdout has the decisions").into());
        }
        let names = if variants.len() > 1 { variants } else { &[] };
        let variants = names.iter().map(|name| (*name).to_owned()).collect();
        let decisions = BTreeMap::new();
        let (written, runs) = (Instant::now(), 0);
        let (has_failed, has_changed) = (false, false);
        let mut metrics =
            Self { path, variants, decisions, runs, written, has_failed, has_changed };
        metrics.replace()?;
        Ok(metrics)
    }

    /// Adds a decision.
    pub(super) fn add(&mut self, decision: &StreamDecision) {
        let policy = decision.decision.policy.clone().unwrap_or_default();
        let code = decision.decision.decision.clone();
        let key = (decision.engine, decision.queue.clone(), policy, code);
        *self.decisions.entry(key).or_default() += 1;
    }

    /// Sets the number of runs that were read.
    pub(super) fn set_runs(&mut self, runs: u64) {
        self.has_changed |= runs != self.runs;
        self.runs = runs;
    }

    /// The time until the file is to be written, if something has changed.
    pub(super) fn due(&self) -> Option<Duration> {
        self.has_changed.then(|| INTERVAL.saturating_sub(self.written.elapsed()))
    }

    /// Replaces the file. Returns the first of several errors, after which it is tried again: a full disk ends no rehearsal.
    pub(super) fn write(&mut self) -> Option<anyhow::Error> {
        let error = self.replace().err();
        let was_failed = std::mem::replace(&mut self.has_failed, error.is_some());
        error.filter(|_| !was_failed)
    }

    /// Replaces the file as a whole.
    fn replace(&mut self) -> Result<()> {
        self.written = Instant::now();
        let mut file = OutputFile::create(&self.path)?;
        file.bytes(self.text().as_bytes());
        file.finish()?;
        self.has_changed = false;
        Ok(())
    }

    /// The name of the counter of decisions is that of Armada's scheduler (`internal/scheduler/metrics`). Records have no
    /// pool.
    fn text(&self) -> String {
        const DECISIONS: &str = "armada_scheduler_retry_policy_decisions_total";
        const RUNS: &str = "armadactl_simulate_runs_total";
        let mut text = format!(
            "# HELP {DECISIONS} Decisions of retry policies in a replay, by queue\n# TYPE {DECISIONS} counter\n"
        );
        for ((variant, queue, policy, decision), count) in &self.decisions {
            let mut labels = vec![
                ("queue", queue.as_str()),
                ("pool", ""),
                ("policy", policy),
                ("decision", decision),
            ];
            labels.extend(self.variants.get(*variant).map(|name| ("variant", name.as_str())));
            let labels: Vec<String> = labels
                .into_iter()
                .map(|(name, value)| format!("{name}=\"{}\"", escape(value)))
                .collect();
            let _ = writeln!(text, "{DECISIONS}{{{}}} {count}", labels.join(","));
        }
        let _ = write!(
            text,
            "# HELP {RUNS} Runs that were read by the replay\n# TYPE {RUNS} counter\n{RUNS} {}\n",
            self.runs
        );
        text
    }
}

/// The value of a label, escaped.
fn escape(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
