//! The command lines that a document is given to.

use super::mutation::Draw;
use std::path::Path;

/// Policies and histories of each system, beside which a document stands for the other.
const PAIRS: [(&str, &str, &str); 6] = [
    (
        "examples/jobset/restart-jobset.yaml",
        "examples/jobset/restart-jobset.history.yaml",
        "JobSet",
    ),
    ("examples/job/per-index.yaml", "examples/job/per-index.history.yaml", "kind: Job"),
    ("examples/iris/nightly.yaml", "examples/iris/nightly.jsonl", "iris"),
    ("examples/backendai/training.yaml", "examples/backendai/training.jsonl", "backendai"),
    ("examples/airflow/growing.yaml", "examples/airflow/etl.jsonl", "airflow"),
    ("examples/ml-training.yaml", "examples/ml-training.yaml", ""),
];

/// Keys of inputs of simulations.
const INPUTS: [&str; 4] = ["clusters:", "queues:", "scheduling:", "priorityClasses:"];

/// Keys of executors' configurations.
const EXECUTORS: [&str; 4] =
    ["errorCategories", "failedPodChecks", "pendingPodChecks", "application:"];

const TARGETS: [&str; 7] = ["v1", "v1beta1", "jobset", "job", "iris", "backendai", "airflow"];
const FORMS: [&str; 4] = ["table", "wide", "json", "yaml"];
const ERRORS: [&str; 4] = ["human", "short", "json", "github"];

/// `validate`, and one other command, over a document in a file. `root` is the project's folder.
pub fn command_lines(
    root: &Path,
    document: &Path,
    text: &[u8],
    draw: &mut Draw,
) -> Vec<Vec<String>> {
    let text = String::from_utf8_lossy(text);
    let holds = |pair: &&(&str, &str, &str)| text.contains(pair.2);
    let by_text = PAIRS.iter().find(holds).unwrap_or(&PAIRS[5]);
    let (policy, history, _) = if draw.below(4) == 0 { draw.one_of(&PAIRS) } else { by_text };
    let at = |path: &str| root.join(path).display().to_string();
    let (document, policies) = (document.display().to_string(), at("examples/policies"));
    // The only example whose policies stand in files of their own.
    let policy = if *policy == *history { policies.clone() } else { at(policy) };
    let (form, error, to) = (*draw.one_of(&FORMS), *draw.one_of(&ERRORS), *draw.one_of(&TARGETS));
    let history = at(history);
    let simulate = |words: &[&str]| -> Vec<String> {
        let common = ["armadactl", "simulate", "--threads", "1", "-o", form];
        common.iter().chain(words).map(|word| (*word).to_owned()).collect()
    };
    let queue = ["--queue-policies", "infra,ml-training"];
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let second = match draw.below(7) {
        0 => simulate(&["-f", &document, "--history", &history]),
        1 => simulate(&["-f", &policy, "--history", &document]),
        2 => simulate(&["-f", &policy, "--history", &document, "--on-bad-record", "skip"]),
        3 => simulate(&[
            "-f",
            &policies,
            "--history",
            &at("examples/fleet.jsonl"),
            "--scheduler-config",
            &document,
            queue[0],
            queue[1],
        ]),
        4 => words(&[
            "armadactl",
            "explain",
            "decision",
            "-f",
            &document,
            "--failure",
            "category=gpu",
            "--failure",
            "exitCode=137",
            "--failure",
            "message=CUDA error",
        ]),
        5 => words(&["armadactl", "convert", "-f", &document, "--to", to]),
        _ => words(&["armadactl", "apply", "-f", &document, "--dry-run", "client", "-o", "json"]),
    };
    let mut first = words(&["armadactl", "validate", "-f", &document, "--error-format", error]);
    // Beside others, names of cluster and workload files are looked up in configurations.
    if INPUTS.iter().any(|key| text.contains(key)) && draw.below(2) == 0 {
        first.extend(words(&["-f", &at("testdata/cluster")]));
    }
    if EXECUTORS.iter().any(|key| text.contains(key)) {
        return executor_lines(&at, &document, form, draw);
    }
    vec![first, second]
}

/// `validate`, and one other command, over an executor's configuration.
fn executor_lines(
    at: &dyn Fn(&str) -> String,
    document: &str,
    form: &str,
    draw: &mut Draw,
) -> Vec<Vec<String>> {
    let (pod, policy) = (at("examples/classifier/pod.yaml"), at("examples/classifier/policy.yaml"));
    let first = ["armadactl", "validate", "--executor-config", document, "-f", &policy];
    let explain = ["armadactl", "explain", "category", "--executor-config", document];
    let second = match draw.below(3) {
        0 => vec!["armadactl", "convert", "-f", document, "--to", "error-categories"],
        _ => [&explain[..], &["--pod", &pod, "-f", &policy, "-o", form]].concat(),
    };
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    vec![words(&first), words(&second)]
}
