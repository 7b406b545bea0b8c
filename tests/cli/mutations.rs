//! Changed documents, through the commands: nothing panics or takes long. `tools/mutate` runs more.

use super::sandbox::{Sandbox, root};
use run::Bench;
use std::collections::BTreeSet;

#[path = "../../tools/mutate/lines.rs"]
mod lines;
#[path = "../../tools/mutate/mutation.rs"]
mod mutation;
#[path = "../../tools/mutate/run.rs"]
mod run;

/// The stack of a process's first thread.
const STACK: usize = 8 << 20;

/// Documents from one number to another; the commands and exit codes that came of them.
fn documents(worker: usize, numbers: std::ops::Range<u64>) -> BTreeSet<(String, u8)> {
    let (root, sandbox) = (root(), Sandbox::new());
    let folders = ["testdata", "fuzz/corpus", "examples"].map(|folder| root.join(folder));
    let samples = mutation::samples(&folders.each_ref().map(std::path::PathBuf::as_path));
    let bench = Bench { root: &root, folder: sandbox.path(), samples: &samples, seed: 7, worker };
    let mut seen = BTreeSet::new();
    for number in numbers {
        let outcome = bench.run(number, || (), || ());
        assert!(outcome.faults.is_empty(), "document {number} of seed 7: {:?}", outcome.faults);
        assert!(outcome.longest <= run::LONGEST);
        seen.extend(outcome.codes.into_iter().map(|(line, code)| (line[1].clone(), code)));
    }
    seen
}

#[test]
fn no_changed_document_makes_a_command_panic() {
    let workers: Vec<_> = [(0, 0..2500), (1, 2500..5000)]
        .into_iter()
        .map(|(worker, numbers)| {
            let work = move || documents(worker, numbers);
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
