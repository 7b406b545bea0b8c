//! Runs in a list of JSON, or over several lines each, as `jq` leaves them: the records of JSON Lines
//! in another form.

use super::clock::Clock;
use super::lines::no_utf8;
use super::member::{MemberReader, OwnFields};
use super::reader::Reader;
use super::shape::RECORD;
use super::sources::{Elements, Fault, NO_LIST, Next};
use crate::diag::{Diagnostic, Findings, Source};
use std::io::{self, BufRead};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Gives each value of a stream: a text of its own with its line, and the byte at which that is no
/// UTF-8; or why there is no more.
fn each(
    name: &str,
    bytes: &mut dyn BufRead,
    mut take: impl FnMut(Result<(Arc<Source>, Option<usize>), Fault>) -> ControlFlow<()>,
) -> io::Result<()> {
    let mut elements = Elements::new(name, NO_LIST, bytes);
    loop {
        let flow = match elements.next()? {
            Next::End => return Ok(()),
            Next::Broken(fault) => take(Err(fault)),
            Next::Piece(piece) => {
                let (source, begin) = piece.source();
                let wrong = std::str::from_utf8(piece.text).err();
                take(Ok((source, wrong.map(|error| begin + error.valid_up_to()))))
            }
        };
        if flow.is_break() {
            return Ok(());
        }
    }
}

fn going_on(is_full: bool) -> ControlFlow<()> {
    if is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

fn of_one(finding: Diagnostic) -> Findings {
    let mut findings = Findings::new();
    findings.push(finding);
    findings
}

impl Reader {
    /// Reads the runs of a stream. `name` is what people call it.
    pub fn records(&mut self, name: &str, bytes: &mut dyn BufRead) -> io::Result<()> {
        self.begin_lines();
        each(name, bytes, |value| {
            match value {
                Ok((source, None)) => self.value(name, &source),
                Ok((source, Some(at))) => self.bad_record(None, of_one(no_utf8(&source, at))),
                Err(fault) => self.bad_record(None, of_one(*fault)),
            }
            going_on(self.is_full())
        })
    }

    fn value(&mut self, name: &str, source: &Source) {
        if self.line_of_piece(name, source.first_line(), source.text()) {
            self.history.unread.record(source, &RECORD);
        }
    }
}

impl<F: OwnFields> MemberReader<F> {
    /// Reads the runs of a stream. `name` is what people call it.
    pub fn records(&mut self, name: &str, bytes: &mut dyn BufRead) -> io::Result<()> {
        let mut clock = Clock::of_lines();
        each(name, bytes, |value| {
            match value {
                Ok((source, None)) => {
                    self.value(&source, &mut clock);
                    self.unread.record(&source, F::RECORD);
                }
                Ok((source, Some(at))) => self.bad_value(of_one(no_utf8(&source, at))),
                Err(fault) => self.bad_value(of_one(*fault)),
            }
            going_on(self.is_full())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{GraceBounds, OnBadRecord};
    use crate::policy::SchedulerSettings;

    fn read(text: &[u8]) -> (Vec<String>, Vec<String>) {
        let bounds = GraceBounds::from(&SchedulerSettings::default());
        let mut reader = Reader::new(bounds, OnBadRecord::Error);
        reader.records("x", &mut &*text).unwrap();
        let (history, findings) = reader.finish();
        let findings = findings.sorted().into_iter();
        let findings = findings.map(|it| format!("{}: {}", it.place.unwrap(), it.message));
        (history.jobs.into_iter().map(|job| job.id).collect(), findings.collect())
    }

    #[test]
    fn lists_and_objects_over_lines_are_read() {
        let (jobs, findings) = read(
            b"[{\"jobId\":\"a\",\"outcome\":\"Failed\"},\n {\n  \"jobId\": \"b\",\n  \"outcome\": \"Failed\"}]\n\
              {\"jobId\": \"c\",\n \"outcome\": \"Failed\"\n}",
        );
        assert_eq!((jobs.concat(), findings), ("abc".to_owned(), Vec::new()));
        assert_eq!(read(b"[]"), (Vec::new(), Vec::new()));
    }

    #[test]
    fn what_is_wrong_is_said_in_its_place() {
        let (jobs, findings) = read(
            b"[\n  {\"jobId\": \"a\",\n   \"outcome\": \"Fail\"},\n  7,\n  {\"jobId\": \"\xff\"}\n",
        );
        assert!(jobs.is_empty());
        let places: Vec<&str> =
            findings.iter().map(|finding| finding.split(": ").next().unwrap()).collect();
        assert_eq!(places, ["x:3:15", "x:4:3", "x:5:14", "x:6:1"], "{findings:?}");
    }
}
