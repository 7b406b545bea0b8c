//! What the simulator reads in the runs of other systems' members.

use super::Recorded;
use crate::history::{MemberRun, OwnFields};
use crate::units::{GoDuration, Time};

impl<F: OwnFields> Recorded for MemberRun<F> {
    fn started_at(&self) -> Option<Time> {
        self.started_at
    }

    fn time(&self) -> Option<Time> {
        self.time()
    }

    fn length(&self) -> Option<GoDuration> {
        self.length()
    }

    fn node(&self) -> Option<&str> {
        self.node.as_deref()
    }

    fn succeeded(&self) -> bool {
        self.own.succeeded()
    }

    fn run_index(&self) -> u32 {
        self.run_index
    }

    fn goes_on(&self) -> bool {
        self.own.goes_on()
    }

    fn is_attempt(&self) -> bool {
        self.own.is_attempt()
    }

    fn is_of_unit(&self) -> bool {
        self.own.is_of_unit()
    }
}
