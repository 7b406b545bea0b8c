//! Prints the draws of a simulation for `tools/cluster_model/run`, as JSON Lines: key, then value.
//!   `cluster_draws CLUSTER WORKLOAD SEED ATTEMPTS PERIODS`

use cluster::draw_list::{DrawRange, draws};
use cluster::read::{read_cluster, read_workload};
use document::diag::{Source, short};
use std::error::Error;
use std::io::{BufWriter, Write};
use std::sync::Arc;

const USAGE: &str = "usage: cluster_draws CLUSTER WORKLOAD SEED ATTEMPTS PERIODS";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [cluster, workload, seed, attempts, periods] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    let (cluster, workload) = (source(cluster)?, source(workload)?);
    let (clusters, findings) = read_cluster(&cluster, None);
    let clusters = clusters.ok_or_else(|| short(&findings.sorted()))?;
    let (workload, findings) = read_workload(&workload, None);
    let workload = workload.ok_or_else(|| short(&findings.sorted()))?;
    let range =
        DrawRange { seed: seed.parse()?, attempts: attempts.parse()?, periods: periods.parse()? };
    let mut out = BufWriter::new(std::io::stdout().lock());
    for line in draws(&clusters, &workload, range) {
        writeln!(out, "{}", serde_json::to_string(&line)?)?;
    }
    Ok(out.flush()?)
}

fn source(path: &str) -> Result<Arc<Source>, Box<dyn Error>> {
    Ok(Source::new(path, std::fs::read_to_string(path)?))
}
