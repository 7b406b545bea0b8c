//! Changed documents, through the commands: nothing panics or takes long. `tools/mutate` runs more.

use super::corpora::cluster;
use super::sandbox::{Sandbox, root};
use run::Bench;
use std::collections::BTreeSet;

#[path = "../../tools/mutate/inputs.rs"]
mod inputs;
#[path = "../../tools/mutate/lines.rs"]
mod lines;
#[path = "../../tools/mutate/mutation.rs"]
mod mutation;
#[path = "../../tools/mutate/run.rs"]
mod run;

/// The stack of a process's first thread.
const STACK: usize = 8 << 20;

/// Documents made of those of folders, from one number to another; the commands and exit codes that
/// came of them, and how many were simulated.
fn documents(
    folders: &[&str],
    worker: usize,
    numbers: std::ops::Range<u64>,
) -> (BTreeSet<(String, u8)>, usize) {
    let (root, sandbox) = (root(), Sandbox::new());
    let folders: Vec<_> = folders.iter().map(|folder| root.join(folder)).collect();
    let samples = mutation::samples(&folders.iter().map(AsRef::as_ref).collect::<Vec<_>>());
    let bench = Bench { root: &root, folder: sandbox.path(), samples: &samples, seed: 7, worker };
    let (mut seen, mut simulated) = (BTreeSet::new(), 0);
    for number in numbers {
        let outcome = bench.run(number, || (), || ());
        assert!(outcome.faults.is_empty(), "document {number} of seed 7: {:?}", outcome.faults);
        assert!(outcome.longest <= run::LONGEST);
        simulated += usize::from(outcome.is_simulated == Some(true));
        seen.extend(outcome.codes.into_iter().map(|(line, code)| (line[1].clone(), code)));
    }
    (seen, simulated)
}

#[test]
fn no_changed_input_of_a_simulation_panics_or_runs_on() {
    let work = || documents(&["testdata/cluster", "fuzz/corpus/cluster"], 0, 0..1000);
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread");
    let (seen, simulated) = worker.join().expect("no fault");
    for code in [0, 3] {
        assert!(seen.contains(&("validate".to_owned(), code)), "{code}: {seen:?}");
    }
    assert!(simulated >= 50, "only {simulated} were simulated");
}

#[test]
fn no_changed_document_makes_a_command_panic() {
    let workers: Vec<_> = [(0, 0..2500), (1, 2500..5000)]
        .into_iter()
        .map(|(worker, numbers)| {
            let folders = ["testdata", "fuzz/corpus", "examples"];
            let work = move || documents(&folders, worker, numbers).0;
            std::thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread")
        })
        .collect();
    let seen: BTreeSet<(String, u8)> =
        workers.into_iter().flat_map(|worker| worker.join().expect("no fault")).collect();
    // The changes leave some documents good, and spoil some for every command.
    for command in ["validate", "simulate", "explain", "convert", "apply"] {
        for code in [0, 3] {
            assert!(seen.contains(&(command.to_owned(), code)), "{command} {code}: {seen:?}");
        }
    }
}

#[test]
fn no_changed_configuration_of_an_executor_makes_a_command_panic() {
    let work = || documents(&["fuzz/corpus/executor"], 0, 0..1000).0;
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread");
    let seen = worker.join().expect("no fault");
    for command in ["validate", "explain", "convert"] {
        for code in [0, 3] {
            assert!(seen.contains(&(command.to_owned(), code)), "{command} {code}: {seen:?}");
        }
    }
}
