//! A line as a run record, its times and outcome understood, against `serde_json` reading the same
//! line into a struct of texts; and the reading of times against `jiff` alone. Both sides borrow texts
//! instead of copying them. Before anything is timed both read every line.

mod support {
    pub mod draw;
    pub mod lines;
    pub mod serde_line;
}

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use document::units::Time;
use jiff::civil::DateTime;
use replay::history::{ArmadaRun, LineReader};
use std::hint::black_box;
use std::time::Duration;
use support::draw::Draw;
use support::lines::{common, dressed};
use support::serde_line::Line;

const LINES: u64 = 100_000;

fn lines(criterion: &mut Criterion) {
    for (name, write) in [("lines", common as fn(&mut Draw) -> String), ("lines-dressed", dressed)]
    {
        let mut draw = Draw::new(42);
        let lines: Vec<String> = (0..LINES).map(|_| write(&mut draw)).collect();
        let mut reader = LineReader::<ArmadaRun>::default();
        for line in &lines {
            let (id, run) = reader.read(line).expect("a record");
            let typed = typed(line);
            assert_eq!(id, typed.job_id);
            assert_eq!(run.own.containers.len(), typed.containers.map_or(0, |list| list.len()));
        }
        print_length(name, &lines);
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(LINES));
        group.bench_function("armadactl", |bencher| {
            bencher.iter(|| {
                let mut reader = LineReader::<ArmadaRun>::default();
                for line in &lines {
                    black_box(reader.read(line));
                }
            });
        });
        group.bench_function("serde_json", |bencher| {
            bencher.iter(|| {
                for line in &lines {
                    black_box(typed(line));
                }
            });
        });
        group.finish();
    }
}

fn typed(line: &str) -> Line<'_> {
    serde_json::from_str(line).expect("a good line")
}

fn times(criterion: &mut Criterion) {
    let mut draw = Draw::new(42);
    let mut time = || {
        let (minute, second, micros) = (draw.below(60), draw.below(60), draw.below(1_000_000));
        format!("2026-10-01T10:{minute:02}:{second:02}.{micros:06}Z")
    };
    let times: Vec<String> = (0..1000).map(|_| time()).collect();
    let mut group = criterion.benchmark_group("times");
    group.throughput(Throughput::Elements(1000));
    group.bench_function("armadactl", |bencher| {
        bencher.iter(|| {
            for time in &times {
                black_box(Time::parse(time).is_ok());
            }
        });
    });
    // It takes no zone with a civil time.
    let civil = |time: &str| time.trim_end_matches('Z').parse::<DateTime>();
    group.bench_function("jiff", |bencher| {
        bencher.iter(|| {
            for time in &times {
                black_box(civil(time).is_ok());
            }
        });
    });
    group.finish();
}

#[expect(clippy::print_stderr, reason = "a benchmark reports")]
fn print_length(name: &str, lines: &[String]) {
    let bytes: usize = lines.iter().map(String::len).sum();
    eprintln!("{name}: {} lines of {} bytes", lines.len(), bytes / lines.len());
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = lines, times
}
criterion_main!(benches);
