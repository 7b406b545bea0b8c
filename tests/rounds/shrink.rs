//! Smaller rounds that still fail.

use serde_json::Value;

/// Drops jobs, nodes and queues as long as the round fails.
pub fn shrink(mut round: Value, fails: impl Fn(&Value) -> bool) -> Value {
    let mut size = usize::MAX;
    while length(&round) < size {
        size = length(&round);
        for list in ["jobs", "nodes", "queues"] {
            let mut step = round[list].as_array().map_or(0, Vec::len);
            while step > 0 {
                let mut at = 0;
                while at < round[list].as_array().map_or(0, Vec::len) {
                    let smaller = without(&round, list, at, step);
                    if fails(&smaller) {
                        round = smaller;
                    } else {
                        at += step;
                    }
                }
                step /= 2;
            }
        }
    }
    round
}

fn length(round: &Value) -> usize {
    ["jobs", "nodes", "queues"].map(|list| round[list].as_array().map_or(0, Vec::len)).iter().sum()
}

fn without(round: &Value, list: &str, at: usize, count: usize) -> Value {
    let mut smaller = round.clone();
    let items = smaller[list].as_array_mut().expect("a list");
    let end = items.len().min(at + count);
    items.drain(at..end);
    let nodes = smaller["nodes"].clone();
    let is_listed =
        |id: &Value| nodes.as_array().is_some_and(|all| all.iter().any(|one| one["id"] == *id));
    let jobs = smaller["jobs"].as_array_mut().expect("jobs");
    jobs.retain(|job| job["node"].is_null() || is_listed(&job["node"]));
    smaller
}
