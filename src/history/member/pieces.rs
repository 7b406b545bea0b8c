//! Pieces of streams on several threads.
//!
//! Each thread turns whole pieces into rows; the rows are put together here, in the order of the
//! streams. What comes of it does not hang on the number of threads.

use super::names::Names;
use super::rows::Rows;
use super::{MemberReader, OwnFields};
use crate::history::clock::Clock;
use crate::history::piece::Piece;
use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, Scope};

/// Pieces that a thread has before it at a time.
const AHEAD: usize = 4;

/// A thread that makes rows.
struct Worker<F: OwnFields> {
    to: SyncSender<Piece>,
    from: Receiver<(Piece, Rows<F>)>,
}

impl<F: OwnFields> Worker<F> {
    fn begin<'s>(scope: &'s Scope<'s, '_>) -> Self
    where
        F: 's,
    {
        let (to, pieces) = sync_channel::<Piece>(AHEAD);
        let (done, from) = sync_channel(AHEAD);
        scope.spawn(move || {
            let mut names = Names::default();
            for piece in pieces {
                let rows = Rows::read(&piece.bytes, piece.begins, Clock::of_lines(), &mut names);
                if done.send((piece, rows)).is_err() {
                    return;
                }
            }
        });
        Self { to, from }
    }
}

impl<F: OwnFields> MemberReader<F> {
    /// Reads pieces on so many threads, until there are no more or reading on helps nobody.
    pub fn pieces(&mut self, pieces: impl IntoIterator<Item = Piece>, threads: NonZeroUsize) {
        let mut pieces = pieces.into_iter().fuse();
        if threads.get() == 1 {
            for piece in pieces {
                self.piece(&piece.name, piece.begins, &piece.bytes);
                if self.is_full() {
                    return;
                }
            }
            return;
        }
        thread::scope(|scope| {
            let workers: Vec<Worker<F>> =
                (0..threads.get()).map(|_| Worker::begin(scope)).collect();
            // Workers take turns, and so do their rows come back: that keeps the order.
            let (mut next, mut done) = (workers.iter().cycle(), workers.iter().cycle());
            let mut under_way = 0;
            loop {
                while under_way < AHEAD * workers.len()
                    && let (Some(piece), Some(worker)) = (pieces.next(), next.next())
                    && worker.to.send(piece).is_ok()
                {
                    under_way += 1;
                }
                if under_way == 0 || self.is_full() {
                    return;
                }
                let Some(Ok((piece, rows))) = done.next().map(|worker| worker.from.recv()) else {
                    return;
                };
                self.read(&piece, rows);
                under_way -= 1;
            }
        });
    }
}
