//! Findings about random Jobs, compared with the decisions of the Job controller's engine on all pods, one after the
//! other.

mod findings;
pub(crate) mod model;
