//! What must hold of any bytes that are taken for another program's history: nothing panics, what
//! they are is told without losing any, every finding has a place that exists, and records of a
//! job come in the order of their times.

use armada_retry::policy::SchedulerSettings;
use armadactl::internals::findings;
use replay::history::{Format, GraceBounds, OnBadRecord, PROGRAMS, RunRecord, detect};
use replay::simulate::read_history;
use systems::armada::{Armada, incomplete_gangs};

/// Reads the bytes as each program's and as a list of runs, strictly and leniently.
pub fn source(data: &[u8]) {
    let (mut rest, mut head) = (data, Vec::new());
    let format = detect("-", &mut rest, &mut head).expect("memory can be read");
    if let Format::Unsupported(format) = format {
        let shown =
            findings::human(&[format.finding("fuzz", &head)], findings::Style::Plain, Some(80));
        assert!(!shown.is_empty());
    }
    assert_eq!([head.as_slice(), rest].concat(), data);
    for program in PROGRAMS.iter().map(Some).chain([None]) {
        for on_bad in [OnBadRecord::Error, OnBadRecord::Skip] {
            let bounds = GraceBounds::from(&SchedulerSettings::default());
            let (history, mut findings) = read_history::<Armada>(Some(bounds), on_bad, |stream| {
                // A line that is too long is an error of reading.
                let _ = match program {
                    Some(program) => stream.source(program, "fuzz", &mut &*data),
                    None => stream.json_values("fuzz", &mut &*data),
                };
            });
            findings.extend(incomplete_gangs(&history.members));
            let findings = findings.sorted();
            for finding in &findings {
                assert!(!finding.message.is_empty(), "{finding:?}");
                if let Some(place) = &finding.place {
                    assert!(place.start() <= place.end(), "{finding:?}");
                }
            }
            let shown = findings::human(&findings, findings::Style::Plain, Some(80));
            assert!(!shown.contains('\u{1b}'), "{shown:?}");
            for job in &history.members {
                assert!(!job.unit.is_empty() && !job.runs.is_empty());
                let mut times = job.runs.iter().filter_map(RunRecord::time);
                let mut latest = times.next();
                for time in times {
                    assert!(latest <= Some(time));
                    latest = Some(time);
                }
            }
        }
    }
}
