//! Slurm's values: job states, exit codes, times, lists of nodes. `sacct` reads the columns that hold them.

use super::record::SourceRecord;
use crate::disruption::{Disruptions, Evidence, Source};
use armada_retry::engine::Outcome;
use compact_str::CompactString;
use document::units::{GoDuration, Time};

/// An attempt by its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Attempt {
    /// It ended, with this condition if the state names one.
    Ended(Outcome, Option<String>),
    /// It has not ended, or has not begun.
    Ongoing,
    /// It is not an attempt of its own.
    NotOne,
}

/// The compact codes of states that Slurm documents.
const CODES: [(&str, &str); 24] = [
    ("BF", "BOOT_FAIL"),
    ("CA", "CANCELLED"),
    ("CD", "COMPLETED"),
    ("CF", "CONFIGURING"),
    ("CG", "COMPLETING"),
    ("DL", "DEADLINE"),
    ("F", "FAILED"),
    ("NF", "NODE_FAIL"),
    ("OOM", "OUT_OF_MEMORY"),
    ("PD", "PENDING"),
    ("PR", "PREEMPTED"),
    ("R", "RUNNING"),
    ("RD", "RESV_DEL_HOLD"),
    ("RF", "REQUEUE_FED"),
    ("RH", "REQUEUE_HOLD"),
    ("RQ", "REQUEUED"),
    ("RS", "RESIZING"),
    ("RV", "REVOKED"),
    ("S", "SUSPENDED"),
    ("SE", "SPECIAL_EXIT"),
    ("SI", "SIGNALING"),
    ("SO", "STAGE_OUT"),
    ("ST", "STOPPED"),
    ("TO", "TIMEOUT"),
];

/// The name of a state that is written as its compact code; other states are as they are.
pub(super) fn state_name(state: &str) -> &str {
    CODES.iter().find(|(code, _)| *code == state).map_or(state, |(_, name)| name)
}

/// The names of the states that have a code.
pub(super) fn state_names() -> impl Iterator<Item = &'static str> {
    CODES.iter().map(|(_, name)| *name)
}

impl Attempt {
    /// The meaning of a state, such as `CANCELLED by 1000`; none of a word that Slurm does not use.
    pub(super) fn of(state: &str) -> Option<Self> {
        let ended = |outcome| Self::Ended(outcome, None);
        let named = |name: &str| Self::Ended(Outcome::Failed, Some(name.to_owned()));
        let word = state.split_whitespace().next()?;
        Some(match word {
            "COMPLETED" => ended(Outcome::Succeeded),
            "FAILED" | "SPECIAL_EXIT" => ended(Outcome::Failed),
            "OUT_OF_MEMORY" => named("OOMKilled"),
            "TIMEOUT" | "DEADLINE" => named("DeadlineExceeded"),
            // Conditions that match nothing; the table of disruptions may give the run another one.
            "NODE_FAIL" | "BOOT_FAIL" | "LAUNCH_FAILED" | "RECONFIG_FAIL" | "PREEMPTED"
            | "REQUEUED" => named(word),
            "CANCELLED" => ended(Outcome::Cancelled),
            "PENDING" | "RUNNING" | "SUSPENDED" | "COMPLETING" | "CONFIGURING" | "STOPPED"
            | "SIGNALING" | "STAGE_OUT" | "REQUEUE_HOLD" | "REQUEUE_FED" | "RESV_DEL_HOLD"
            | "POWER_UP_NODE" | "UPDATE_DB" | "EXPEDITING" => Self::Ongoing,
            "RESIZING" | "REVOKED" => Self::NotOne,
            _ => return None,
        })
    }
}

/// The exit code of `code:signal`, a shell's for a signal (128 and its number). None for `0:0`, and
/// for a signal that no process gets: Slurm writes its own reasons as some.
pub(super) fn exit_code(text: &str) -> Result<Option<i64>, String> {
    let none = || format!("invalid exit code `{text}`; sacct writes `code:signal`");
    let (code, signal) = text.split_once(':').ok_or_else(none)?;
    let code: u32 = code.parse().map_err(|_| none())?;
    let signal: u32 = signal.parse().map_err(|_| none())?;
    Ok(match (code, signal) {
        // Signals of Linux go up to 64.
        (0, 1..=64) => Some(128 + i64::from(signal)),
        (0, _) => None,
        (code, _) => Some(i64::from(code)),
    })
}

/// A time of sacct's, and whether it named its zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SlurmTime {
    /// With a zone, or as seconds since 1970.
    Zoned(Time),
    /// Without one, taken for UTC.
    Local(Time),
}

impl SlurmTime {
    pub(super) fn time(self) -> Time {
        match self {
            Self::Zoned(time) | Self::Local(time) => time,
        }
    }
}

/// Reads a time; `Unknown` and `None` are none.
pub(super) fn time(text: &str) -> Result<Option<SlurmTime>, String> {
    if matches!(text, "" | "Unknown" | "None" | "N/A" | "INVALID") {
        return Ok(None);
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        // Later than the year 2255 no time of Slurm is meant, and nanoseconds would overflow soon after.
        let seconds = text.parse::<i64>().ok().filter(|seconds| *seconds <= 9_000_000_000);
        let seconds = seconds.ok_or_else(|| format!("invalid time `{text}`"))?;
        return Ok(Some(SlurmTime::Zoned(Time::EPOCH.plus(GoDuration::from_secs(seconds)))));
    }
    if let Ok(time) = Time::parse(text) {
        return Ok(Some(SlurmTime::Zoned(time)));
    }
    // `%z` writes an offset without its colon.
    if let Some((rest, minutes)) = text.split_at_checked(text.len().saturating_sub(2))
        && let Ok(time) = Time::parse(&format!("{rest}:{minutes}"))
    {
        return Ok(Some(SlurmTime::Zoned(time)));
    }
    match Time::parse(&format!("{text}Z")) {
        Ok(time) => Ok(Some(SlurmTime::Local(time))),
        Err(_) => Err(format!("invalid time of sacct `{text}`")),
    }
}

/// The node of a list of nodes; none if it names several, since none of them is the one.
pub(super) fn one_node(list: &str) -> Option<&str> {
    let several = list.contains([',', '[']) || list.contains(' ');
    (!list.is_empty() && !several && !matches!(list, "None" | "Unknown" | "N/A")).then_some(list)
}

/// An ended attempt of a job, with its signs of a disruption.
pub(super) struct Ended {
    pub(super) record: SourceRecord,
    /// Its state, as the table of disruptions names it.
    pub(super) state: CompactString,
}

impl Evidence for Ended {
    fn exit_code(&self) -> Option<i64> {
        self.record.run.own.exit_code()
    }

    fn has(&self, name: &str, value: &str) -> bool {
        name == "State" && self.state == value
    }
}

impl Ended {
    /// Gives the attempt the outcome or the condition of its row in the table of disruptions.
    pub(super) fn disrupt(&mut self, table: &Disruptions) {
        let found = table.find(Source::Sacct, self);
        let own = &mut self.record.run.own;
        own.disruption = found;
        let Some(row) = found.map(|id| table.row(id)).filter(|row| row.enabled) else { return };
        own.disrupt(row);
        if matches!(own.outcome, Outcome::Preempted | Outcome::LeaseReturned) {
            // The outcome is what the state means.
            own.conditions.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_of_slurm() {
        let failed = |name: &str| Some(Attempt::Ended(Outcome::Failed, Some(name.to_owned())));
        assert_eq!(Attempt::of("OUT_OF_MEMORY"), failed("OOMKilled"));
        assert_eq!(Attempt::of("TIMEOUT"), failed("DeadlineExceeded"));
        assert_eq!(Attempt::of("NODE_FAIL"), failed("NODE_FAIL"));
        assert_eq!(
            Attempt::of("CANCELLED by 1000"),
            Some(Attempt::Ended(Outcome::Cancelled, None))
        );
        assert_eq!(Attempt::of("RUNNING"), Some(Attempt::Ongoing));
        assert_eq!(Attempt::of("CANCELLED+"), None);
        assert_eq!(Attempt::of(""), None);
    }

    #[test]
    fn every_compact_code_is_that_of_a_state() {
        for (code, name) in CODES {
            assert_eq!(state_name(code), name);
            assert!(Attempt::of(name).is_some() && Attempt::of(code).is_none(), "{name}");
        }
        assert_eq!(state_name("CANCELLED by 0"), "CANCELLED by 0");
    }

    #[test]
    fn exit_codes_of_slurm() {
        assert_eq!(exit_code("1:0"), Ok(Some(1)));
        assert_eq!(exit_code("0:9"), Ok(Some(137)));
        assert_eq!(exit_code("0:0"), Ok(None));
        assert_eq!(exit_code("0:125"), Ok(None), "out of memory, as Slurm writes it");
        assert!(exit_code("1").is_err() && exit_code("-1:0").is_err());
    }

    #[test]
    fn times_of_slurm() {
        let shown = |text| time(text).unwrap().map(|said| said.time().to_string());
        assert_eq!(shown("Unknown"), None);
        let utc = Some("2026-10-01T08:00:00Z".to_owned());
        assert_eq!(shown("2026-10-01T10:00:00+0200"), utc);
        assert_eq!(shown("2026-10-01T08:00:00Z"), utc);
        assert_eq!(shown("1790841600"), utc);
        assert!(matches!(time("2026-10-01T08:00:00"), Ok(Some(SlurmTime::Local(_)))));
        assert!(time("tomorrow").is_err() && time("é").is_err());
        assert!(time("99999999999999999999").is_err());
    }

    #[test]
    fn nodes_of_slurm() {
        assert_eq!(one_node("gpu-07"), Some("gpu-07"));
        for list in ["gpu-[07-09]", "gpu-07,cpu-1", "None assigned", ""] {
            assert_eq!(one_node(list), None, "{list}");
        }
    }
}
