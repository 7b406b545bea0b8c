//! Days of the proleptic Gregorian calendar, counted from 1970.

/// Days of 400 years, after which the calendar repeats.
const CYCLE: i64 = 146_097;
/// Days from 0000-03-01 to 1970-01-01.
const TO_1970: i64 = 719_468;

/// The number of a date's day. The year is counted from March, so that the odd day of a leap year
/// is its last.
pub(super) fn days(year: i64, month: i8, day: i8) -> i64 {
    let year = if month > 2 { year } else { year - 1 };
    let (cycle, of_cycle) = (year.div_euclid(400), year.rem_euclid(400));
    // Months from March have 31, 30, 31, 30, 31 days over and over: 153 in five.
    let month = (i64::from(month) + 9) % 12;
    let of_year = (153 * month + 2) / 5 + i64::from(day) - 1;
    cycle * CYCLE + of_cycle * 365 + of_cycle / 4 - of_cycle / 100 + of_year - TO_1970
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn every_day_of_the_calendar_has_its_number() {
        let mut day = date(0, 1, 1);
        let mut number = -719_528;
        while day < date(9999, 12, 31) {
            assert_eq!(days(i64::from(day.year()), day.month(), day.day()), number, "{day}");
            day = day.tomorrow().unwrap();
            number += 1;
        }
    }
}
