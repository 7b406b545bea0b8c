//! `armadactl version`, from start to end, against a clap program that does nothing. Both are built
//! with the same profile; `cargo build --profile bench --features tools --example empty_clap` makes the other one.

use criterion::{Criterion, criterion_group, criterion_main};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

fn startup(criterion: &mut Criterion) {
    let ours = PathBuf::from(env!("CARGO_BIN_EXE_armadactl"));
    let empty = ours.with_file_name("examples").join("empty_clap");
    assert!(
        empty.exists(),
        "first run: cargo build --profile bench --features tools --example empty_clap"
    );
    let mut group = criterion.benchmark_group("startup");
    group.bench_function("armadactl", |bencher| bencher.iter(|| run(&ours, &["version"])));
    group.bench_function("empty_clap", |bencher| bencher.iter(|| run(&empty, &[])));
    group.finish();
}

fn run(program: &Path, arguments: &[&str]) {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    assert!(command.status().expect("it starts").success(), "{}", program.display());
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(50)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = startup
}
criterion_main!(benches);
