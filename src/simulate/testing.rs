//! Small histories for the tests of systems.

use super::engine::Engine;
use super::stream::{Stream, read_history};
use crate::diag::{Diagnostic, Source};
use crate::history::{Member, OnBadRecord};

/// The members of some lines, and the findings about them.
pub(crate) fn read_lines<E: Engine>(text: &str) -> (Vec<Member<E::Fields>>, Vec<Diagnostic>) {
    read::<E>(|stream| stream.whole_lines("history.jsonl", text))
}

/// The members of a document, and the findings about it.
pub(crate) fn read_document<E: Engine>(text: &str) -> (Vec<Member<E::Fields>>, Vec<Diagnostic>) {
    read::<E>(|stream| stream.text(&Source::new("history.yaml", text)))
}

fn read<E: Engine>(
    read: impl FnOnce(&mut Stream<'_, E>),
) -> (Vec<Member<E::Fields>>, Vec<Diagnostic>) {
    let (history, findings) = read_history(Some(E::limits(&[])), OnBadRecord::Error, read);
    (history.members, findings.iter().cloned().collect())
}
