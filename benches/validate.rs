//! Reading and judging 1,000 policy files against `serde_yaml` reading the same files into structs.
//! Both read them from disk, one by one, on one thread. The engine's side parses every pattern to
//! a tree, checks every field and remembers every place; the other side knows strings.

mod support {
    pub mod documents;
    pub mod draw;
    pub mod patterns;
    pub mod policies;
}

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use document::diag::Source;
use std::fs;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Duration;
use support::documents::{Document, write};

const FILES: u64 = 1_000;
const RULES: usize = 5;

fn validate(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder for the files");
    let files = write(folder.path(), FILES, RULES);
    assert_eq!(ours(&files), files.len(), "every file is valid");
    assert_eq!(theirs(&files), files.len(), "every file fits the structs");
    let mut group = criterion.benchmark_group("validate");
    group.throughput(Throughput::Elements(FILES));
    group.bench_function("armadactl", |bencher| bencher.iter(|| black_box(ours(&files))));
    group.bench_function("serde_yaml", |bencher| bencher.iter(|| black_box(theirs(&files))));
    group.finish();
}

/// The number of valid policies.
fn ours(files: &[PathBuf]) -> usize {
    let source = |path: &PathBuf| {
        let text = fs::read_to_string(path).expect("just written");
        Source::new(path.to_string_lossy(), text)
    };
    let sources: Vec<_> = files.iter().map(source).collect();
    let (documents, findings) = armada_retry::policy::read(&sources);
    assert!(!findings.has_errors(), "{findings:?}");
    documents.policies.len()
}

/// The number of documents that fit the structs.
fn theirs(files: &[PathBuf]) -> usize {
    let document = |path: &PathBuf| {
        let text = fs::read_to_string(path).expect("just written");
        serde_yaml::from_str::<Document>(&text).expect("fits")
    };
    files.iter().map(document).collect::<Vec<_>>().len()
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = validate
}
criterion_main!(benches);
