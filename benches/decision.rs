//! A decision of the engine against the naive loop, at 5, 20 and 100 rules of which 40 % have
//! patterns, and the interning of a run's features apart. Before anything is timed both sides
//! decide about every run and must agree.

mod support {
    pub mod draw;
    pub mod naive;
    pub mod patterns;
    pub mod policies;
    pub mod runs;
    pub mod worlds;
}

use armada_retry::engine::Scratch;
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use support::worlds::{History, POLICIES, SIZES, World};

fn decisions(criterion: &mut Criterion) {
    let history = History::generate();
    for size in SIZES {
        let worlds = history.worlds(size);
        print_mix(size, &worlds);
        let mut group = criterion.benchmark_group(format!("decision-{size}"));
        let count: usize = worlds.iter().map(|world| world.runs.len()).sum();
        group.throughput(Throughput::Elements(count as u64));
        // Each policy keeps its own working memory, as each thread of a scheduler would.
        let mut scratches: Vec<Scratch> = worlds.iter().map(|_| Scratch::default()).collect();
        let failures: Vec<_> = worlds.iter().map(World::failures).collect();
        group.bench_function("armadactl", |bencher| {
            bencher.iter_batched_ref(
                || worlds.iter().map(World::states).collect::<Vec<_>>(),
                |states| {
                    for (number, world) in worlds.iter().enumerate() {
                        let (states, scratch) = (&mut states[number], &mut scratches[number]);
                        for (job, failure) in &failures[number] {
                            let job = &mut states[*job];
                            let decision =
                                world.evaluator.decide_failure(job, failure, None, scratch);
                            black_box(&decision);
                        }
                    }
                },
                BatchSize::PerIteration,
            );
        });
        let features: Vec<_> = worlds.iter().map(World::features).collect();
        group.bench_function("naive", |bencher| {
            bencher.iter_batched_ref(
                || worlds.iter().map(World::naive_states).collect::<Vec<_>>(),
                |states| {
                    for (number, world) in worlds.iter().enumerate() {
                        for (job, features) in &features[number] {
                            let job = &mut states[number][*job];
                            black_box(&world.naive.decide(job, features));
                        }
                    }
                },
                BatchSize::PerIteration,
            );
        });
        group.finish();
    }
}

/// What both sides are spared above: from a run's texts to numbers.
fn interning(criterion: &mut Criterion) {
    let history = History::generate();
    let worlds = history.worlds(20);
    let mut group = criterion.benchmark_group("interning");
    let count: usize = worlds.iter().map(|world| world.runs.len()).sum();
    group.throughput(Throughput::Elements(count as u64));
    group.bench_function("armadactl", |bencher| {
        bencher.iter(|| {
            for world in &worlds {
                for (_, run) in &world.runs {
                    black_box(&world.evaluator.failure(run.ended()));
                }
            }
        });
    });
    group.finish();
}

/// Which rules decide, in shares of all runs: what a figure was measured on.
#[expect(clippy::print_stderr, reason = "a benchmark reports")]
fn print_mix(size: usize, worlds: &[World<'_>]) {
    let mut fifths = [0_usize; 6];
    for rule in worlds.iter().flat_map(World::compare) {
        fifths[rule.map_or(5, |rule| rule * 5 / size)] += 1;
    }
    let all: usize = fifths.iter().sum();
    let shares: Vec<String> =
        fifths.iter().map(|count| format!("{}%", (count * 100 + all / 2) / all)).collect();
    let (last, first) = shares.split_last().expect("six");
    eprintln!(
        "{size} rules, {POLICIES} policies, {all} runs: decided by each fifth of the rules {}, by the default {last}",
        first.join(" ")
    );
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(1));
    targets = decisions, interning
}
criterion_main!(benches);
