//! A clap program that does nothing: what `armadactl version` is timed against.

use clap::Parser;

/// Does nothing.
#[derive(Parser)]
#[command(version)]
struct Empty;

fn main() {
    let Empty = Empty::parse();
}
