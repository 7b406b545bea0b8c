//! Documents of every kind, version and place of a name: seeds of the `policy` target.

/// Values of `kind`: every kind that is read, one in another case, and values of wrong types.
const KINDS: [&str; 12] = [
    "",
    "kind: RetryPolicy",
    "kind: Queue",
    "kind: FailureHistory",
    "kind: RetryProfile",
    "kind: Job",
    "kind: JobSet",
    "kind: List",
    "kind: jobs",
    "kind: Deployment",
    "kind: 1",
    "kind: [Job]",
];

/// Values of `apiVersion`: likewise.
const VERSIONS: [&str; 10] = [
    "",
    "apiVersion: armadaproject.io/v1",
    "apiVersion: armadaproject.io/v1beta1",
    "apiVersion: armadaproject.io/v2",
    "apiVersion: batch/v1",
    "apiVersion: jobset.x-k8s.io/v1alpha2",
    "apiVersion: apps/v1",
    "apiVersion: v1",
    "apiVersion:",
    "apiVersion: {v: 1}",
];

/// Places of a name, and what stands beside it.
const NAMES: [&str; 7] = [
    "",
    "name: x",
    "name:",
    "metadata: {name: x}",
    "metadata: x\nname: [x]",
    "metadata: {name: x}\nspec: {}",
    "name: x\nspec: {system: iris}\nitems: [{kind: Job}]",
];

/// The name and the text of each seed. One holds a document for each place of a name.
pub fn heads() -> Vec<(String, String)> {
    let mut seeds = Vec::with_capacity(KINDS.len() * VERSIONS.len());
    for (k, kind) in KINDS.iter().enumerate() {
        for (v, version) in VERSIONS.iter().enumerate() {
            let documents = NAMES.map(|name| {
                let lines = [*version, *kind, name].into_iter().filter(|line| !line.is_empty());
                lines.flat_map(|line| [line, "\n"]).collect::<String>()
            });
            seeds.push((format!("head_{k:02}_{v:02}"), documents.join("---\n")));
        }
    }
    seeds
}
