//! How a case writes its times: dates in several zones, offsets in several spellings, or both.

use super::super::time::{Nanos, SECOND, civil};
use super::draw::Draw;

/// Some day in 2026, far from any start.
const SOME_DAY: Nanos = 1_771_000_000 * SECOND;

/// A case's way with times.
#[derive(Clone)]
pub struct Clock {
    dates: bool,
    offsets: bool,
    /// `spec.start`, where the case has one.
    pub start: Option<String>,
    /// The instant that offsets count from, and before which nothing happens.
    pub origin: Nanos,
}

impl Clock {
    /// Dates, offsets, or both (then with an explicit start).
    pub fn draw(draw: &mut Draw) -> Self {
        let (dates, offsets) =
            draw.pick(&[(true, false), (false, true), (false, true), (true, true)]);
        let explicit = if dates && offsets { true } else { draw.chance(40) };
        let origin = if dates || explicit { SOME_DAY } else { 0 };
        let start = explicit.then(|| date(draw, origin));
        Self { dates, offsets, start, origin }
    }

    /// An instant as this case writes it.
    pub fn write(&self, draw: &mut Draw, at: Nanos) -> String {
        let as_date = self.dates && (!self.offsets || draw.chance(50));
        if as_date { date(draw, at) } else { offset(draw, at - self.origin) }
    }
}

fn date(draw: &mut Draw, at: Nanos) -> String {
    let zones = [("Z", 0), ("Z", 0), ("+02:00", 120), ("-05:30", -330), ("+00:00", 0)];
    let (zone, minutes) = draw.pick(&zones);
    let local = at + minutes * 60 * SECOND;
    let fraction = format!("{:09}", local.rem_euclid(SECOND));
    let shortest = fraction.trim_end_matches('0');
    let shown = match (shortest, draw.chance(10)) {
        ("", false) => String::new(),
        (_, true) => format!(".{fraction}"),
        (digits, false) => format!(".{digits}"),
    };
    format!("{}{shown}{zone}", civil(local.div_euclid(SECOND)))
}

/// A Go duration: in one unit, or in hours, minutes and seconds.
fn offset(draw: &mut Draw, length: Nanos) -> String {
    let (seconds, nanos) = (length / SECOND, length % SECOND);
    match draw.below(4) {
        0 => format!("{length}ns"),
        1 if length % 1_000_000 == 0 => format!("{}ms", length / 1_000_000),
        2 => format!("{}h{}m{}s{nanos}ns", seconds / 3_600, seconds / 60 % 60, seconds % 60),
        _ => format!("{seconds}.{nanos:09}s"),
    }
}
