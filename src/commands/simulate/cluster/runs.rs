//! Runs every variant with every seed, on several threads.

use super::inputs::Inputs;
use super::output::{Files, SeriesFile, SeriesRows};
use super::variants::Variant;
use crate::cli::Context;
use crate::commands::simulate::SimulateArgs;
use crate::ui::SimulatedProgress;
use anyhow::Result;
use cluster::events::{Event, LoopOptions, NodeEvent, Observer, PoolRound, SettledRun};
use cluster::report::{Collector, EndReport, Figures};
use cluster::round::Refusal;
use cluster::spec::Nanoseconds;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The runs of each variant.
pub(super) struct Plan {
    /// The seed of the first run.
    pub(super) first: u64,
    /// The number of runs.
    pub(super) seeds: u32,
    /// The latest end of a run.
    pub(super) until: Nanoseconds,
}

/// The figures and the end of a run.
pub(super) type RunResult = (Figures, EndReport);

/// A run, and its result once it has ended.
struct Task<'i> {
    variant: &'i Variant,
    seed: u64,
    files: Option<Files>,
    result: Option<Result<RunResult>>,
}

/// Time between two updates of the progress: short enough to look steady.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// Runs all; the result has the runs of each variant in the order of their seeds, whatever the number of
/// threads.
pub(super) fn run(
    context: &mut Context<'_>,
    args: &SimulateArgs,
    inputs: &Inputs,
    plan: &Plan,
) -> Result<Vec<Vec<RunResult>>> {
    let mut files = Some(Files::create(&args.simulated)?);
    let series = SeriesFile::create(&args.simulated)?.map(Mutex::new);
    let mut task = |variant, number: u32| {
        let seed = plan.first.wrapping_add(number.into());
        // Only a single run has files.
        Mutex::new(Task { variant, seed, files: files.take(), result: None })
    };
    let mut tasks = Vec::new();
    for variant in &inputs.variants {
        tasks.extend((0..plan.seeds).map(|number| task(variant, number)));
    }
    let progress = context.ui.simulated_progress(tasks.len());
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            // The counter only hands out numbers; what a task holds is behind its lock.
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = tasks.get(number) else { return };
            let mut task = task.lock().unwrap_or_else(PoisonError::into_inner);
            task.run(plan.until, series.as_ref().map(|file| (file, number)), &progress);
        }
    };
    std::thread::scope(|scope| {
        let threads = args.threads().get().min(tasks.len());
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        while progress.is_shown() && threads.iter().any(|thread| !thread.is_finished()) {
            progress.show();
            std::thread::sleep(PROGRESS_INTERVAL);
        }
    });
    let result = tasks
        .into_iter()
        .filter_map(|task| task.into_inner().unwrap_or_else(PoisonError::into_inner).result);
    let result: Vec<RunResult> = result.collect::<Result<_>>()?;
    if let Some(series) = series {
        series.into_inner().unwrap_or_else(PoisonError::into_inner).finish()?;
    }
    Ok(result.chunks(plan.seeds as usize).map(<[RunResult]>::to_vec).collect())
}

impl Task<'_> {
    /// Runs the task, and writes the rows of its series if there is a file for them.
    fn run(
        &mut self,
        until: Nanoseconds,
        series: Option<(&Mutex<SeriesFile>, usize)>,
        progress: &SimulatedProgress,
    ) {
        let Variant { scheduling, workload, .. } = self.variant;
        let options = LoopOptions { seed: self.seed, until, is_fast_forward: true };
        let mut simulation = self.variant.simulation(options);
        let mut files = self.files.take();
        if let Some(files) = &mut files {
            files.begin(self.variant, self.seed, &simulation);
        }
        let rules = self.variant.rule_names();
        let resources = &scheduling.settings().resources;
        let collector = Collector::new(resources, workload, &simulation).with_rules(rules);
        let series = series.map(|file| SeriesRows::new(file, self.variant, self.seed, &simulation));
        let mut observer = RunObserver { collector, files: files.as_mut(), series, progress };
        let end = simulation.run(&mut observer);
        if let Some(series) = observer.series.take() {
            series.finish(end.time);
        }
        let result = observer.collector.finish(resources, workload, &simulation, end, self.seed);
        let written = files.map_or(Ok(()), |files| files.finish(end.time));
        self.result = Some(written.map(|()| result));
        progress.run_ended();
    }
}

/// An observer that counts, writes files and shows the progress.
struct RunObserver<'w> {
    collector: Collector,
    files: Option<&'w mut Files>,
    series: Option<SeriesRows<'w>>,
    progress: &'w SimulatedProgress,
}

impl Observer for RunObserver<'_> {
    fn event(&mut self, event: Event) {
        if let Some(files) = &mut self.files {
            files.event(&event);
        }
        self.collector.event(event);
    }

    fn settled(&mut self, run: &SettledRun) {
        self.progress.at(run.event.time, run.outcome.is_some());
        self.collector.settled(run);
    }

    fn node(&mut self, event: NodeEvent) {
        if let Some(files) = &mut self.files {
            files.node(&event);
        }
        self.collector.node(event);
    }

    fn round(&mut self, round: PoolRound<'_>) {
        if let Some(series) = &mut self.series {
            series.round(&round);
        }
        self.collector.round(round);
    }

    fn refused(&mut self, template: usize, refusal: &Refusal) {
        self.collector.refused(template, refusal);
    }
}
