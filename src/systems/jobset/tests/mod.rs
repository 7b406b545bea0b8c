//! Tests of a JobSet's manifests, of its failure policy against a plain model, and of its engine.

mod oracle;
mod replay;
mod validate;
