//! The nodes of a pool that can fail, over time.

use super::waits::seconds;
use super::{Figure, NodeFigures};
use crate::events::NodeEvent;
use crate::failure::FailureKind;
use crate::spec::Nanoseconds;

/// The nodes of a pool over time.
#[derive(Debug, Clone)]
pub(super) struct NodeMeter {
    /// All nodes, and those that are down now.
    nodes: u64,
    down: u64,
    /// Whether any node of the pool can fail.
    can_fail: bool,
    since: Nanoseconds,
    /// The total time for which nodes were down.
    time_down: i128,
    failed: u64,
    lost: u64,
}

impl NodeMeter {
    /// Creates the meter of a pool with this many nodes, and this many of them that can fail.
    pub(super) fn new((nodes, can_fail): (usize, usize)) -> Self {
        let (down, failed, lost) = (0, 0, 0);
        let (nodes, can_fail) = (nodes as u64, can_fail > 0);
        Self { nodes, down, can_fail, since: 0, time_down: 0, failed, lost }
    }

    pub(super) fn count(&mut self, event: &NodeEvent) {
        self.advance(event.time);
        match event.failure {
            None => self.down -= 1,
            Some(kind) => {
                self.down += 1;
                self.lost += u64::from(kind == FailureKind::Spot);
                self.failed += u64::from(kind != FailureKind::Spot);
            }
        }
    }

    fn advance(&mut self, time: Nanoseconds) {
        self.time_down += i128::from(time - self.since) * i128::from(self.down);
        self.since = time;
    }

    /// Returns the figures; `None` if no node can fail.
    pub(super) fn figures(mut self, end: Nanoseconds) -> Option<NodeFigures> {
        self.advance(end);
        let all = i128::from(self.nodes) * i128::from(end);
        let down = if all > 0 { seconds(self.time_down) / seconds(all) } else { 0.0 };
        self.can_fail.then(|| NodeFigures {
            failed: Figure::from(self.failed),
            lost: Figure::from(self.lost),
            up: Figure(1.0 - down),
        })
    }
}
