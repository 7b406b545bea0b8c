//! The command line as people meet it: whole outputs of the real binary, and what scripts rely on.

mod sandbox;

mod explain;
mod histories;
mod history_corpus;
mod offline;
mod reading;
mod seed_table;
mod simulate;
mod streams;
mod validate;
