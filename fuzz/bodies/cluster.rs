//! What must hold of any texts that are read as the inputs of a simulation, or as the state of a
//! pool before a round: nothing panics, every finding stands in its text, a simulation of valid inputs
//! ends, and a round has an outcome for each job.

use super::findings::check_findings;
use armadactl::internals::findings::Style;
use armadactl::internals::report::{self, Layout, RoundExplanation};
use cluster::events::{Event, LoopOptions, Simulation};
use cluster::read::{
    InputKind, Profile, Scheduling, StateFile, check_inputs, read_cluster, read_scheduling,
    read_workload,
};
use cluster::round::run_traced;
use cluster::spec::{ClusterSpec, Nanoseconds, Workload};
use document::diag::Source;

/// The line between the cluster file, the workload file and the scheduler configuration.
pub const SEPARATOR: &str = "\n%%%\n";

/// Rounds of a simulation. Periods of a nanosecond are valid, and so are runs of 100 years.
const ROUNDS: i64 = 200;
/// More nodes or jobs take time and find nothing else.
const NODES: u64 = 50;
const JOBS: u64 = 200;

/// Reads a cluster file, a workload file and a scheduler configuration, the last two of which may
/// be absent, and simulates them if they are valid and small. Returns whether it did.
pub fn cluster(input: &str) -> bool {
    let mut texts = input.split(SEPARATOR);
    let mut next = || texts.next().unwrap_or_default();
    inputs(next(), next(), next())
}

/// The same with one text for each.
pub fn inputs(cluster: &str, workload: &str, config: &str) -> bool {
    let cluster = Source::new("cluster.yaml", cluster);
    let workload = Source::new("workload.yaml", workload);
    let config = Source::new("config.yaml", config);
    let all = [&cluster, &workload, &config].map(|source| (InputKind::of_source(source), source));
    let known: Vec<_> =
        all.into_iter().filter_map(|(kind, source)| Some((kind?, source.clone()))).collect();
    check_findings(check_inputs(&known));
    let mut scheduling = Scheduling::default();
    if !config.text().trim().is_empty() {
        let (read, found) = read_scheduling(&config, Profile::Landed);
        check_findings(found);
        let Some(read) = read else { return false };
        scheduling = read;
    }
    check_findings(read_cluster(&cluster, None).1);
    check_findings(read_workload(&workload, None).1);
    let (clusters, found) = read_cluster(&cluster, Some(&scheduling));
    check_findings(found);
    let (workload, found) = read_workload(&workload, Some(&scheduling));
    check_findings(found);
    let (Some(clusters), Some(workload)) = (clusters, workload) else { return false };
    if !is_small(&clusters, &workload) {
        return false;
    }
    simulate(&scheduling, &clusters, &workload);
    true
}

/// Reads a state file, and runs and explains the round if it is valid and small. Returns whether it did.
pub fn state(input: &str) -> bool {
    let source = Source::new("state.yaml", input);
    check_findings(check_inputs(&[(InputKind::State, source.clone())]));
    let (file, found) = StateFile::parse(&source);
    check_findings(found);
    let Some(file) = file else { return false };
    let (scheduling, found) = file.scheduling(Profile::Landed);
    check_findings(found);
    let Some(scheduling) = scheduling else { return false };
    let (state, found) = file.read(&scheduling, None);
    check_findings(found);
    let Some(mut state) = state else { return false };
    let jobs = state.jobs.len();
    if state.nodes.len() as u64 > NODES || jobs as u64 > JOBS {
        return false;
    }
    let (outcome, trace) = run_traced(state.input());
    let round = RoundExplanation::new(&state, &outcome, &trace, None);
    let summary = &round.summary;
    assert_eq!((round.jobs.len(), summary.queued + summary.running), (jobs, jobs));
    assert!(summary.scheduled <= summary.queued && summary.preempted <= summary.running);
    let layout = Layout { wide: true, headers: true, width: Some(100), style: Style::Plain };
    let table = report::round::table(&round, &layout);
    assert!(!table.contains(|c: char| c.is_control() && c != '\n'), "{table:?}");
    assert!(!report::json(&round).is_empty());
    true
}

fn is_small(clusters: &ClusterSpec, workload: &Workload) -> bool {
    let templates = clusters.clusters.iter().flat_map(|cluster| &cluster.node_templates);
    let nodes: u64 = templates.map(|template| u64::from(template.number)).sum();
    let jobs: u64 = workload.templates.iter().map(|template| u64::from(template.number)).sum();
    nodes <= NODES && jobs <= JOBS
}

/// Simulates some rounds: times never decrease, and nothing happens after the end.
fn simulate(scheduling: &Scheduling, clusters: &ClusterSpec, workload: &Workload) {
    let until = scheduling.period.saturating_mul(ROUNDS);
    let mut last = 0;
    run(scheduling, clusters, workload, until, |event: Event| {
        assert!((last..=until).contains(&event.time), "{event:?} after {last}, until {until}");
        last = event.time;
    });
}

fn run(
    scheduling: &Scheduling,
    clusters: &ClusterSpec,
    workload: &Workload,
    until: Nanoseconds,
    mut record: impl FnMut(Event),
) {
    let options = LoopOptions { seed: workload.seed, until, is_fast_forward: true };
    Simulation::new(scheduling, clusters, workload, options).run(&mut record);
}
