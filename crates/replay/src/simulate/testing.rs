//! Small histories for the tests of systems, and their replay.

use super::context::ReplayContext;
use super::engine::Engine;
use super::names::Names;
use super::replay::replay_single;
use super::stream::{Stream, read_history};
use super::summary::Summary;
use crate::history::{Member, OnBadRecord};
use document::diag::{Diagnostic, Source};

/// The members of some lines, and the findings about them.
pub fn read_lines<E: Engine>(text: &str) -> (Vec<Member<E::Fields>>, Vec<Diagnostic>) {
    read::<E>(|stream| stream.whole_lines("history.jsonl", text))
}

/// The members of a document, and the findings about it.
pub fn read_document<E: Engine>(text: &str) -> (Vec<Member<E::Fields>>, Vec<Diagnostic>) {
    read::<E>(|stream| stream.text(&Source::new("history.yaml", text)))
}

fn read<E: Engine>(
    read: impl FnOnce(&mut Stream<'_, E>),
) -> (Vec<Member<E::Fields>>, Vec<Diagnostic>) {
    let (history, findings) = read_history(Some(E::limits(&[])), OnBadRecord::Error, read);
    (history.members, findings.iter().cloned().collect())
}

/// The counts of a unit of one member that is replayed on this thread, so that a test can count its steps.
pub fn replay_here<E: Engine>(engine: &E, member: &Member<E::Fields>) -> Summary {
    let (names, mut summary) = (Names::default(), Summary::new(engine.rules().len()));
    let mut context = ReplayContext::new(engine, &names, 0);
    replay_single(&mut context, member, false, &mut summary);
    summary
}
