//! Tests of the replay of Armada's jobs.

mod avoided_nodes;
mod json_values;
