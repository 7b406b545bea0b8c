//! Histories of failures, and their replay through any engine.
//!
//! ```text
//! history::Piece (filled by the caller) -> simulate::Stream -> history::read_line -> history::Run<F>
//!     -> UnitReplay<E>::push(run) -> E::evaluate -> Evaluation (verdicts with their decisions)
//! SimulationReport <- Summary <- counts
//! ```
//!
//! Documents and other programs' output are read by `history::Reader<F>`, whose sink passes the same runs to the
//! same units. Units that cannot be judged run by run are kept and replayed at the end (`simulate::replay`); one of
//! several members, such as a gang, by `simulate/group`. Summaries merge, associatively and commutatively, so that
//! threads and shards count separately.
#![forbid(unsafe_code)]

pub mod anonymize;
pub mod disruption;
pub mod history;
pub mod simulate;
