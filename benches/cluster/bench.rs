//! Times a simulated cluster: `cargo bench --bench cluster -- JOBS NODES PROTECTED`, one round with `round`, twice
//! the jobs again and again with `scaling`, the same with failures and retries with `retries`, and several seeds on
//! one and two threads with `seeds`. README.md names the workloads.

mod baseline;
mod inputs;
mod retries;
mod rounds;
mod seeds;

use cluster::events::{Event, EventKind, LoopOptions, Retries, Simulation};
use cluster::retry::{EngineDecider, Requeue};
use cluster::run_record::Records;
use cluster::scheduling::Scheduling;
use cluster::settings::Profile;
use cluster::spec::{ClusterSpec, Workload};
use std::io::Write;
use std::time::Instant;
use systems::armada::Armada;

/// Twice the jobs may take this many times the time.
const BAR: f64 = 2.2;
/// The jobs of `scaling`, on 1,000 nodes.
const DOUBLINGS: [u32; 3] = [250_000, 500_000, 1_000_000];

/// What a simulation did.
struct Run {
    seconds: f64,
    rounds: u64,
    /// Jobs that were submitted, leased, preempted, that succeeded, that failed and that were queued again.
    counts: [u64; 6],
}

/// Simulates a workload to its end, with retries by an engine if there is one.
fn simulate(
    scheduling: &Scheduling,
    clusters: &ClusterSpec,
    workload: &Workload,
    engine: Option<&Armada>,
) -> Run {
    let options = LoopOptions { seed: workload.seed, until: i64::MAX, is_fast_forward: true };
    let mut counts = [0; 6];
    let begin = Instant::now();
    let mut simulation = Simulation::new(scheduling, clusters, workload, options);
    if let Some(engine) = engine {
        let records = Records::new(&scheduling.settings().resources, clusters, workload);
        let decider = Box::new(EngineDecider::new(engine, records));
        simulation = simulation.with_retries(Retries { decider, requeue: Requeue::Original });
    }
    simulation.run(&mut |event: Event| {
        counts[match event.kind {
            EventKind::Submitted => 0,
            EventKind::Leased => 1,
            EventKind::Preempted => 2,
            EventKind::Succeeded => 3,
            EventKind::Failed | EventKind::Stopped => 4,
            EventKind::Requeued => 5,
        }] += 1;
    });
    Run { seconds: begin.elapsed().as_secs_f64(), rounds: simulation.rounds(), counts }
}

/// Simulates the workload of so many jobs and nodes, with failures if there is an engine, and prints a line.
fn time(
    (jobs, nodes): (u32, u32),
    protected_fraction: f64,
    engine: Option<&Armada>,
    baseline: f64,
) -> Run {
    let scheduling = Scheduling::from(inputs::settings(Profile::Landed, protected_fraction));
    let settings = scheduling.settings();
    let clusters = inputs::clusters(settings, nodes);
    let mut workload = inputs::workload(settings, jobs, nodes);
    if engine.is_some() {
        retries::fail(&mut workload);
    }
    let run = simulate(&scheduling, &clusters, &workload, engine);
    let Run { seconds, rounds, counts } = &run;
    let multiple = seconds / baseline;
    let peak = peak_megabytes().map_or(String::new(), |peak| format!(", peak {peak} MB"));
    print(&format!(
        "{jobs} jobs on {nodes} nodes: {seconds:.2} s, {multiple:.2} baselines, {rounds} rounds{peak}; \
         submitted, leased, preempted, succeeded, failed, queued again: {counts:?}"
    ));
    run
}

fn time_doublings(engine: Option<&Armada>, baseline: f64) {
    let seconds = DOUBLINGS.map(|jobs| time((jobs, 1000), 1.0, engine, baseline).seconds);
    for (jobs, pair) in DOUBLINGS.iter().zip(seconds.windows(2)) {
        let ratio = pair[1] / pair[0];
        let miss = if ratio > BAR { " MISS" } else { "" };
        print(&format!("{jobs} jobs to {}: {ratio:.2} times, bar {BAR}{miss}", jobs * 2));
    }
}

/// The most memory that the process has had, where the system counts it.
fn peak_megabytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? / 1024)
}

fn print(line: &str) {
    writeln!(std::io::stdout(), "{line}").expect("stdout");
}

fn main() {
    let words: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let baseline = baseline::seconds();
    print(&format!("baseline: {baseline:.3} s"));
    match words.first().map(String::as_str) {
        Some("round") => rounds::lines(baseline).for_each(|line| print(&line)),
        Some("scaling") => time_doublings(None, baseline),
        Some("retries") => time_doublings(Some(&retries::engine()), baseline),
        Some("seeds") => seeds::lines().for_each(|line| print(&line)),
        _ => {
            let number = |at: usize, usual: f64| {
                words.get(at).and_then(|text| text.parse::<f64>().ok()).unwrap_or(usual)
            };
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts")]
            let (jobs, nodes) = (number(0, 10_000.0) as u32, number(1, 100.0) as u32);
            time((jobs, nodes), number(2, 1.0), None, baseline);
        }
    }
    // The pace may have changed in the meantime.
    print(&format!("baseline: {:.3} s", baseline::seconds()));
}
