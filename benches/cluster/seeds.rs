//! Eight seeds of a simulation, on one thread and on two.

use super::retries::POLICY;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Two threads have to be this many times as fast as one.
const BAR: f64 = 1.7;

const CLUSTER: &str = "clusters: [{name: c, pool: p, nodeTemplates: [{number: 100, totalResources: {resources: {cpu: 32, memory: 256Gi}}}]}]";

/// Jobs that take 90 % of the nodes for two days; some fail.
const WORKLOAD: &str = "
queues:
- name: a
  weight: 1
  jobTemplates:
  - id: t
    number: 12
    repeat: {numTimes: 2880, period: 1m}
    requirements: {resourceRequirements: {requests: {cpu: 4, memory: 16Gi}}}
    runtimeDistribution: {minimum: 30m, tailMean: 30m}
    failures: [{name: error, perAttempt: 0.02, at: {exponential: {mean: 10m}}, exitCode: 1}]
";

/// Times the program; returns the lines of the result.
pub fn lines() -> impl Iterator<Item = String> {
    let folder = std::env::temp_dir().join(format!("armadactl-seeds-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, text) in [("cluster", CLUSTER), ("workload", WORKLOAD), ("policy", POLICY)] {
        std::fs::write(file(&folder, name), text).expect("a file");
    }
    let [one, two] = [1, 2].map(|threads| seconds(&folder, threads));
    std::fs::remove_dir_all(&folder).expect("the folder");
    let ratio = one / two;
    let miss = if ratio < BAR { " MISS" } else { "" };
    [
        format!("8 seeds on one thread: {one:.2} s, on two: {two:.2} s"),
        format!("{ratio:.2} times as fast, bar {BAR}{miss}"),
    ]
    .into_iter()
}

fn file(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.yaml"))
}

fn seconds(folder: &Path, threads: u32) -> f64 {
    let begin = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_armadactl"))
        .args(["simulate", "--seeds", "8", "--threads", &threads.to_string(), "--cluster"])
        .arg(file(folder, "cluster"))
        .arg("--workload")
        .arg(file(folder, "workload"))
        .arg("-f")
        .arg(file(folder, "policy"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("the program");
    assert!(status.success());
    begin.elapsed().as_secs_f64()
}
