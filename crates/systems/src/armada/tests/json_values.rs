//! Records that are not lines: lists, and objects over several lines.

use crate::armada::Armada;
use armada_retry::policy::SchedulerSettings;
use replay::history::{GraceBounds, OnBadRecord};
use replay::simulate::read_history;

/// The jobs of a text, and the findings.
fn read(text: &[u8]) -> (Vec<String>, Vec<String>) {
    let bounds = GraceBounds::from(&SchedulerSettings::default());
    let (history, findings) = read_history::<Armada>(Some(bounds), OnBadRecord::Error, |stream| {
        stream.json_values("x", &mut { text }).unwrap();
    });
    let findings = findings.sorted().into_iter();
    let findings = findings.map(|it| format!("{}: {}", it.place.unwrap(), it.message));
    (history.members.iter().map(|job| job.unit.to_string()).collect(), findings.collect())
}

#[test]
fn reads_lists_and_objects_over_several_lines() {
    let (jobs, findings) = read(
        b"[{\"jobId\":\"a\",\"outcome\":\"Failed\"},\n {\n  \"jobId\": \"b\",\n  \"outcome\": \"Failed\"}]\n\
          {\"jobId\": \"c\",\n \"outcome\": \"Failed\"\n}",
    );
    assert_eq!((jobs.concat(), findings), ("abc".to_owned(), Vec::new()));
    assert_eq!(read(b"[]"), (Vec::new(), Vec::new()));
}

#[test]
fn findings_about_values_have_places() {
    let (jobs, findings) = read(
        b"[\n  {\"jobId\": \"a\",\n   \"outcome\": \"Fail\"},\n  7,\n  {\"jobId\": \"\xff\"}\n",
    );
    assert!(jobs.is_empty());
    let places: Vec<&str> =
        findings.iter().map(|finding| finding.split(": ").next().unwrap()).collect();
    assert_eq!(places, ["x:3:15", "x:4:3", "x:5:14", "x:6:1"], "{findings:?}");
}
