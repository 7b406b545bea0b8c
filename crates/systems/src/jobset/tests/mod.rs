//! Tests of a JobSet's manifests, of its failure policy against an independent model, and of its engine.

mod budget;
mod compare;
mod oracle;
mod replay;
mod validate;
