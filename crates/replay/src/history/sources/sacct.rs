//! Slurm's accounting, `sacct --allocations --duplicates --parsable2`: a header, then a line an
//! attempt, columns by the names in the header.
//!
//! `JobID` and `State` have to be there; `ExitCode`, `NodeList`, `FailedNode`, `Start`, `End`,
//! `Elapsed`, `ReqTRES`, `AllocTRES`, `Account`, `Partition` and `Cluster` are read if they are. Steps
//! (`17.batch`) are skipped. Attempts are gathered, since they are in no order of time, and passed on job by job
//! in the order of their times.
//!
//! Not in the output: containers (the exit code is that of one called `main`), messages, categories, job sets,
//! grace periods, and on which of several nodes a job failed. `docs/sources.md` has the command and the table.

use super::lines::{Line, Lines};
use super::lookout_run::main_container;
use super::order::by_unit_and_time;
use super::record::SourceRecord;
use super::sink::{Fault, SourceSink};
use super::slurm::{Attempt, Ended, SlurmTime, exit_code, one_node, state_name, state_names, time};
use super::tres::resources;
use crate::disruption::{CANCELLED_AND_QUEUED, CANCELLED_BEFORE_IT_BEGAN, RowId};
use crate::history::armada::ArmadaRun;
use crate::history::job::RunRecord;
use crate::history::skipped_entries::SkippedKind;
use crate::history::unit_outcome::UnitOutcome;
use armada_retry::engine::{JobFields, Outcome};
use document::diag::{Code, Diagnostic, Place, Source, Span, did_you_mean};
use document::units::GoDuration;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, BufRead};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The header's columns, by place.
struct Header {
    columns: HashMap<String, usize>,
    width: usize,
}

impl Header {
    /// The header of a line, if it is one.
    fn of(text: &str) -> Option<Self> {
        let columns: HashMap<String, usize> =
            text.split('|').enumerate().map(|(at, name)| (name.to_ascii_lowercase(), at)).collect();
        let known = columns.contains_key("jobid") && columns.contains_key("state");
        known.then(|| Self { columns, width: text.split('|').count() })
    }
}

/// Whether a line is a header, or a line after one: one of its columns is then a state of Slurm's.
pub(super) fn has_lines(first: &str, _text: &str) -> bool {
    let has_state = || first.split('|').any(|value| Attempt::of(value).is_some());
    Header::of(first).is_some() || first.contains('|') && has_state()
}

/// A line and its columns.
struct Row<'l> {
    name: &'l str,
    number: usize,
    text: &'l str,
    header: &'l Header,
    fields: Vec<&'l str>,
}

impl Row<'_> {
    /// A column's value; empty if there is no such column.
    fn get(&self, column: &str) -> &str {
        let at = self.header.columns.get(column);
        at.and_then(|at| self.fields.get(*at)).map_or("", |value| value.trim())
    }

    fn some(&self, column: &str) -> Option<String> {
        Some(self.get(column)).filter(|text| !text.is_empty()).map(str::to_owned)
    }

    fn place(&self, column: &str) -> Place {
        let source = source(self.name, self.number, self.text);
        let at = self.header.columns.get(column).and_then(|at| self.fields.get(*at));
        let span = at.map_or(Span::new(0, self.text.len()), |value| {
            let start = value.as_ptr().addr() - self.text.as_ptr().addr();
            // An empty value has no width; a finding about it marks one character.
            Span::new(start, start + value.len().max(1))
        });
        Place::new(&source, span)
    }

    fn bad(&self, column: &str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(Code::BadRecord, self.place(column), message)
    }

    /// Whether slurmctld or an administrator cancelled the job.
    fn is_cancelled_by_root(&self) -> bool {
        self.get("state").strip_prefix("CANCELLED by ").is_some_and(|uid| uid.trim() == "0")
    }

    /// Whether the attempt ran for a second or more; if nothing is known about that, it did.
    fn has_elapsed(&self, run: &RunRecord) -> bool {
        let is_zero =
            |text: &str| text.bytes().all(|byte| matches!(byte, b'0' | b':' | b'-' | b'.'));
        match self.get("elapsed") {
            "" => run.length().is_none_or(|length| length != GoDuration::ZERO),
            text => !is_zero(text),
        }
    }

    /// A time and whether a zone was missing.
    fn time(&self, column: &str) -> Result<Option<SlurmTime>, Fault> {
        time(self.get(column))
            .map_err(|message| Diagnostic::error(Code::BadTime, self.place(column), message).into())
    }
}

/// A state without the user of a cancel.
fn first_word(state: &str) -> &str {
    state.split_whitespace().next().unwrap_or_default()
}

fn source(name: &str, number: usize, text: &str) -> Arc<Source> {
    Source::excerpt(name, text, number)
}

/// The attempts of a stream.
#[derive(Default)]
struct Attempts {
    ended: Vec<Ended>,
    ongoing: usize,
    /// The jobs that have an attempt which has not ended.
    ongoing_jobs: HashSet<String>,
    never_ran: usize,
    local: Option<Place>,
}

pub(super) fn read(
    name: &str,
    bytes: &mut dyn BufRead,
    sink: &mut dyn SourceSink,
) -> io::Result<()> {
    let mut lines = Lines::new(name, bytes);
    let mut attempts = Attempts::default();
    let mut header: Option<Header> = None;
    while let Some(line) = lines.next()? {
        let flow = match line {
            Line::Bad(finding) => sink.bad(None, finding),
            Line::Text(number, text) => match (Header::of(text), &header) {
                // Several outputs one after another repeat it.
                (Some(found), _) => {
                    header = Some(found);
                    ControlFlow::Continue(())
                }
                (None, Some(header)) => attempts.line(name, number, text, header, sink),
                (None, None) => {
                    let place = Place::new(&source(name, number, text), Span::new(0, text.len()));
                    let message = "there is no header with `JobID` and `State`";
                    // No line can be read without it: one finding is enough.
                    let fault = Diagnostic::error(Code::BadRecord, place, message)
                        .help("run sacct with --parsable2 and without --noheader");
                    let _ = sink.bad(None, fault.into());
                    return Ok(());
                }
            },
        };
        if flow.is_break() {
            return Ok(());
        }
    }
    attempts.finish(sink);
    Ok(())
}

impl Attempts {
    fn line(
        &mut self,
        name: &str,
        number: usize,
        text: &str,
        header: &Header,
        sink: &mut dyn SourceSink,
    ) -> ControlFlow<()> {
        let row = Row { name, number, text, header, fields: text.split('|').collect() };
        if row.fields.len() != header.width {
            let (has, wants) = (row.fields.len(), header.width);
            let fault =
                row.bad("", format!("the line has {has} columns, but the header has {wants}"));
            let help = "leave out columns of free text, such as JobName: they may contain `|`";
            return sink.bad(None, fault.help(help).into());
        }
        let id = row.get("jobid");
        // A step is part of an attempt; the attempt has a line of its own.
        if id.contains('.') {
            return ControlFlow::Continue(());
        }
        match self.row(&row) {
            Ok(()) => ControlFlow::Continue(()),
            Err(finding) => sink.bad(Some(id).filter(|id| !id.is_empty()), finding),
        }
    }

    fn row(&mut self, row: &Row<'_>) -> Result<(), Fault> {
        let Some(id) = row.some("jobid") else {
            return Err(row.bad("jobid", "the job has no id").into());
        };
        let state = state_name(row.get("state"));
        let Some(attempt) = Attempt::of(state) else {
            return Err(unknown_state(row, state).into());
        };
        let (outcome, condition) = match attempt {
            Attempt::Ended(outcome, condition) => (outcome, condition),
            Attempt::Ongoing => {
                self.ongoing += 1;
                self.ongoing_jobs.insert(id);
                return Ok(());
            }
            Attempt::NotOne => return Ok(()),
        };
        let (started, finished) = (row.time("start")?, row.time("end")?);
        let timed = row.header.columns.contains_key("start");
        // Without the column `Start` nothing is known about it, so that the attempt counts as one that ran.
        if timed && started.is_none() && outcome != Outcome::Succeeded {
            self.never_ran += 1;
            return Ok(());
        }
        if let Some(column) = ["start", "end"]
            .into_iter()
            .zip([started, finished])
            .find_map(|(column, time)| matches!(time, Some(SlurmTime::Local(_))).then_some(column))
        {
            self.local.get_or_insert_with(|| row.place(column));
        }
        let run = run(row, outcome)?;
        let conditions = condition.into_iter().map(Into::into).collect();
        let run = RunRecord {
            started_at: started.map(SlurmTime::time),
            finished_at: finished.map(SlurmTime::time),
            own: ArmadaRun { conditions, ..run.own },
            ..run
        };
        let (queue, job) = (queue(row), job(row)?);
        let line = row.number;
        let record = SourceRecord { id, pod: None, queue, job, run, index: None, line };
        // Slurm cancels a job that it preempts and may not requeue as uid 0 (slurm.conf(5),
        // PreemptMode=REQUEUE); one that has not run is not the user's cancel.
        let has_begun = !row.is_cancelled_by_root() || row.has_elapsed(&record.run);
        let state = if has_begun { first_word(state) } else { CANCELLED_BEFORE_IT_BEGAN };
        self.ended.push(Ended { record, state: state.into() });
        Ok(())
    }

    /// Passes the attempts on, job by job in the order of their first lines, those of a job by time.
    fn finish(self, sink: &mut dyn SourceSink) {
        if let Some(place) = self.local {
            let message = "the time has no zone: it is read as UTC, as are all others like it";
            let help = "run sacct with SLURM_TIME_FORMAT=%s: seconds since 1970 need no zone";
            sink.warning(Diagnostic::warning(Code::BadTime, place, message).help(help));
        }
        let time = |ended: &Ended| ended.record.run.time();
        let mut uncounted: BTreeMap<RowId, usize> = BTreeMap::new();
        let mut ended = by_unit_and_time(self.ended, |ended| &ended.record.id, time).peekable();
        while let Some(mut attempt) = ended.next() {
            let id = &attempt.record.id;
            // sacct has no mark of a requeue: an attempt that another one follows was cancelled in
            // order to be queued again.
            let is_followed = ended.peek().is_some_and(|next| next.record.id == *id)
                || self.ongoing_jobs.contains(id);
            if attempt.record.run.own.outcome == Outcome::Cancelled && is_followed {
                attempt.state = CANCELLED_AND_QUEUED.into();
            }
            let table = sink.disruptions();
            attempt.disrupt(table);
            let row = attempt.record.run.own.disruption;
            if let Some(id) = row.filter(|id| !table.row(*id).enabled) {
                *uncounted.entry(id).or_default() += 1;
            }
            if sink.record(attempt.record).is_break() {
                return;
            }
        }
        for (id, count) in uncounted {
            if let Some(words) = sink.disruptions().row(id).hint {
                sink.skipped_entries(SkippedKind::UncountedDisruption, count, words);
            }
        }
        for id in self.ongoing_jobs {
            sink.outcome(id, Some(UnitOutcome::Open));
        }
        let words = ["attempt that has not ended", "attempts that have not ended"];
        sink.skipped_entries(SkippedKind::NotEnded, self.ongoing, words);
        let words = ["job that ended before it ran", "jobs that ended before they ran"];
        sink.skipped_entries(SkippedKind::NeverRan, self.never_ran, words);
    }
}

fn unknown_state(row: &Row<'_>, state: &str) -> Diagnostic {
    let cut = "the state is cut off: run sacct with --parsable2";
    let help = match did_you_mean(state, state_names()) {
        _ if state.ends_with('+') => Some(cut.to_owned()),
        near => near.map(|near| format!("did you mean `{near}`?")),
    };
    row.bad("state", format!("unknown Slurm state `{state}`")).maybe_help(help)
}

/// The attempt of a row without its times and conditions.
fn run(row: &Row<'_>, outcome: Outcome) -> Result<RunRecord, Fault> {
    let code = match row.get("exitcode") {
        "" => None,
        text => exit_code(text).map_err(|message| row.bad("exitcode", message))?,
    };
    let node = one_node(row.get("failednode")).or_else(|| one_node(row.get("nodelist")));
    let containers = code.map(|code| main_container(Some(code))).into_iter().collect();
    Ok(RunRecord {
        node: node.map(Into::into),
        cluster: row.some("cluster").map(Into::into),
        own: ArmadaRun { containers, ..ArmadaRun::new(outcome) },
        ..RunRecord::default()
    })
}

/// The account is the queue: it is what Slurm shares nodes by, as Armada does by queue. Without
/// one it is the partition, which Slurm calls a queue.
fn queue(row: &Row<'_>) -> Option<String> {
    row.some("account").or_else(|| row.some("partition"))
}

fn job(row: &Row<'_>) -> Result<JobFields, Fault> {
    let column = if row.get("reqtres").is_empty() { "alloctres" } else { "reqtres" };
    Ok(JobFields {
        resources: resources(row.get(column)).map_err(|message| row.bad(column, message))?,
        ..JobFields::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::sources::tests::Collected;
    use document::units::Quantity;

    #[test]
    fn attempts_are_ordered_by_job_and_time() {
        let collected = Collected::of(read, "sacct/duplicates.txt");
        assert_eq!(
            collected.runs(),
            [
                "4: 1001 Failed 10:00:00..10:20:00 - NODE_FAIL main=1",
                "3: 1001 Failed 10:25:00..10:50:00 gpu-07 OOMKilled",
                "2: 1001 Succeeded 11:00:00..12:00:00 gpu-09",
                "7: 1002_3 Failed 10:00:00..11:00:00 cpu-1 DeadlineExceeded",
                "9: 1003+0 Preempted 10:00:00..10:30:00 cpu-2 main=143",
                "10: 1004 Failed 10:00:00..10:01:00 cpu-3 main=137",
                "12: 1006 Cancelled 10:00:00..10:03:00 cpu-4 main=143",
                "14: 1008 LeaseReturned 09:00:00..09:30:00 cpu-6",
                "15: 1008 Failed 09:40:00..09:50:00 cpu-6 main=2",
            ]
        );
        assert_eq!(
            collected.skipped_entries,
            ["2 attempts that have not ended", "1 job that ended before it ran"]
        );
        assert!(collected.bad.is_empty() && collected.warnings.is_empty());
        let record = |at: usize| &collected.records[at];
        assert_eq!(record(0).queue.as_deref(), Some("vision"));
        assert_eq!(record(0).job.resources.unwrap().memory, Quantity::parse("32Gi").ok());
        assert_eq!(record(4).queue.as_deref(), Some("cpu"), "no account, so the partition");
        assert_eq!(collected.records[0].run.cluster.as_deref(), Some("hpc1"));
    }

    #[test]
    fn a_time_without_a_zone_is_utc_with_one_warning() {
        let collected = Collected::of(read, "sacct/local-times.txt");
        assert_eq!(collected.records.len(), 2);
        let warning = "x:2:15: the time has no zone: it is read as UTC, as are all others like it";
        assert_eq!(collected.warnings, [warning]);
    }

    #[test]
    fn findings_about_attempts_have_places() {
        let collected = Collected::of(read, "sacct/bad.txt");
        assert_eq!(
            collected.bad,
            [
                "x:2:12: invalid exit code `1`; sacct writes `code:signal`",
                "x:3:1: the line has 7 columns, but the header has 6",
                "x:4:5: unknown Slurm state `OUT_OF_ME+`",
                "x:5:16: invalid time of sacct `noon`",
                "x:6:37: invalid amount `lots` of `mem`",
                "x:8:1: the job has no id",
            ]
        );
        assert_eq!(collected.records.len(), 1);
    }

    #[test]
    fn without_a_header_nothing_is_read() {
        let mut collected = Collected::default();
        read("x", &mut &b"1|FAILED\n2|FAILED\n"[..], &mut collected).unwrap();
        assert_eq!(collected.bad, ["x:1:1: there is no header with `JobID` and `State`"]);
    }
}
