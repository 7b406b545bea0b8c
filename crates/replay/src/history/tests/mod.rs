//! Tests of the reading of histories: units and members of a small system, and Armada's records on both
//! paths.

mod documents;
mod fast_path;
mod line_texts;
mod lines;
mod oracle;
mod pods;
mod properties;
mod slots;
