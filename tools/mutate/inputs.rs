//! A changed document as an input of a simulation, beside valid inputs.

use super::cluster;
use ::cluster::read::InputKind;
use document::diag::Source;
use std::path::Path;

/// Valid inputs: a cluster file, a workload file and a scheduler configuration.
const VALID: [&str; 3] = ["tinyCluster.yaml", "basicWorkload.yaml", "basicSchedulingConfig.yaml"];

/// Reads the document as the input that its keys make it, beside valid inputs of the other kinds, and
/// simulates them; of a state the round is explained. Returns whether that was possible; `None` if it is
/// not an input.
pub fn simulate(root: &Path, bytes: &[u8]) -> Option<bool> {
    let text = std::str::from_utf8(bytes).ok()?;
    if text.contains(cluster::SEPARATOR) {
        return Some(cluster::cluster(text));
    }
    let kind = InputKind::of_source(&Source::new("document", text))?;
    let mut texts = VALID.map(|file| {
        std::fs::read_to_string(root.join("testdata/cluster").join(file)).unwrap_or_default()
    });
    let at = match kind {
        InputKind::Cluster => 0,
        InputKind::Workload => 1,
        InputKind::Scheduler => 2,
        InputKind::State => return Some(cluster::state(text)),
    };
    text.clone_into(&mut texts[at]);
    let [cluster, workload, config] = texts;
    Some(cluster::inputs(&cluster, &workload, &config))
}
