//! When runs began and ended: gaps near the delays that policies ask for.

use serde_json::{Map, Value, json};

use super::super::time::{Nanos, SECOND};
use super::draw::Draw;
use super::jobs::Jobs;
use super::runs::Shape;

/// How many runs of a hundred begin before the one before them has ended.
const OVERLAPPING: usize = 4;
const GAPS: [Nanos; 9] = [
    0,
    SECOND / 2,
    SECOND,
    2 * SECOND,
    5 * SECOND,
    20 * SECOND,
    60 * SECOND,
    600 * SECOND,
    1_200 * SECOND,
];
const LENGTHS: [Nanos; 5] = [0, SECOND, 10 * SECOND, 1_250_000_001, 3_600 * SECOND];

impl Jobs<'_> {
    /// Puts times on a run; the time before which no later run may end.
    pub fn put_times(
        &mut self,
        draw: &mut Draw,
        shape: &Shape,
        run: &mut Map<String, Value>,
        cursor: Nanos,
    ) -> Nanos {
        let (has_start, has_finish) = shape.times(draw);
        let early =
            has_finish && cursor > self.clock.origin + 10 * SECOND && draw.chance(OVERLAPPING);
        let gap = if early { -3 * SECOND } else { draw.pick(&GAPS) };
        let started = cursor + gap;
        let finished = (started + draw.pick(&LENGTHS)).max(cursor);
        if has_start {
            run.insert("startedAt".into(), json!(self.clock.write(draw, started)));
        }
        if has_finish {
            run.insert("finishedAt".into(), json!(self.clock.write(draw, finished)));
            let confirmed =
                finished + draw.pick(&[-SECOND, 0, SECOND, 3 * SECOND, 45 * SECOND, 200 * SECOND]);
            if draw.chance(45) {
                let confirmed = confirmed.max(self.clock.origin);
                run.insert(
                    "terminationConfirmedAt".into(),
                    json!(self.clock.write(draw, confirmed)),
                );
            }
        }
        match (has_start, has_finish) {
            (_, true) => self.instants.push(finished),
            (true, false) => self.instants.push(started),
            (false, false) => {}
        }
        finished
    }
}
