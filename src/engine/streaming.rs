//! The interface of engines that can judge runs as they stream by, keeping a few bytes a member.
//!
//! It is [`Engine`] taken apart in two: what hangs on a run alone, which any thread may work out in
//! any order, and what hangs on the runs before it. Only members that are units of their own are
//! judged this way.

use super::interface::{Effect, Engine};
use crate::units::Time;

/// What a stream knows of a run that has ended, beyond its texts.
#[derive(Debug, Clone, Copy)]
pub struct Passing<'p, G, F> {
    /// The run without its texts.
    pub glance: &'p G,
    /// What the policies found in its texts.
    pub found: F,
    /// The time whose settings hold.
    pub now: Option<Time>,
    /// Where it ran.
    pub node: Option<&'p str>,
}

/// What follows from a run.
#[derive(Debug)]
pub struct Step<D> {
    /// What becomes of the member.
    pub effect: Effect,
    /// The decision, where there was one to make.
    pub decision: Option<D>,
}

/// An engine that can judge runs one by one.
pub trait Streaming: Engine {
    /// A run whose texts are borrowed.
    type Run<'t>;
    /// What all members alike share: the policies that apply to them.
    type Course: Clone + Send + Sync;
    /// A run without its texts.
    type Glance: Copy + Default + Send + Sync;
    /// What policies found in a run's texts.
    type Found: Copy + Default + Send + Sync;
    /// What is counted of a member's runs, whatever the policies.
    type Passed: Copy + Default + Send;
    /// What is remembered of a member. Small.
    type Slot: Copy + Send;
    /// What does not fit into slots.
    type Spill: Default + Send;

    /// What a member shares with those like it; its runs are not looked at.
    fn course(&self, member: &Self::Member) -> Self::Course;

    /// Whether what is found in a run on one course is what would be found on the other.
    fn alike(one: &Self::Course, other: &Self::Course) -> bool;

    /// Whether a run's node has to be brought to [`step`](Self::step).
    fn wants_nodes(course: &Self::Course) -> bool;

    /// A run without its texts.
    fn glance(&self, run: &Self::Run<'_>) -> Self::Glance;

    /// What the policies of a course find in a run's texts.
    fn find(
        &self,
        course: &Self::Course,
        run: &Self::Run<'_>,
        memory: &mut Self::Memory,
    ) -> Self::Found;

    /// Counts a run that has ended.
    fn passed(passed: &mut Self::Passed, glance: &Self::Glance);

    /// A member before its first run.
    fn slot(&self, course: &Self::Course, spill: &mut Self::Spill) -> Self::Slot;

    /// Judges a run, which has been counted, and moves the slot on.
    fn step(
        &self,
        course: &Self::Course,
        passed: Self::Passed,
        slot: &mut Self::Slot,
        spill: &mut Self::Spill,
        run: &Passing<'_, Self::Glance, Self::Found>,
    ) -> Step<Self::Decision>;

    /// The nodes that the run granted last avoids.
    fn avoids(slot: Self::Slot, spill: &Self::Spill) -> &[String];
}
