//! Days of the proleptic Gregorian calendar, counted from 1970.

/// Days of 400 years, after which the calendar repeats.
const CYCLE: i64 = 146_097;
/// Days from 0000-03-01 to 1970-01-01.
const TO_1970: i64 = 719_468;

/// Seconds of a day.
pub(super) const DAY: i64 = 86_400;

/// The number of days from 1970-01-01 to a date; `None` if there is no such date. Years are counted
/// from March, so that the leap day is the last day of its year.
pub(super) fn day_number(year: u32, month: u32, day: u32) -> Option<i64> {
    if !(1..=12).contains(&month) || day == 0 || day > days_in_month(year, month) {
        return None;
    }
    // One cycle more, so that January and February of year 0 do not underflow.
    let from_march = year + 400 - u32::from(month <= 2);
    let (cycle, of_cycle) = (i64::from(from_march / 400) - 1, from_march % 400);
    // From March on, lengths of months repeat as 31, 30, 31, 30, 31 days: 153 in five months.
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let of_cycle = of_cycle * 365 + of_cycle / 4 - of_cycle / 100 + of_year;
    Some(cycle * CYCLE + i64::from(of_cycle) - TO_1970)
}

/// The number of days of a month.
fn days_in_month(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::Date;

    #[test]
    fn every_day_of_the_calendar_has_its_number_and_no_other_has_one() {
        let mut number = -719_528;
        for year in 0..10_000_i16 {
            for month in 0..14_i8 {
                for of_month in 0..33_i8 {
                    let there = Date::new(year, month, of_month).is_ok();
                    let [y, m, d] = [year, month.into(), of_month.into()].map(i16::unsigned_abs);
                    let found = day_number(y.into(), m.into(), d.into());
                    assert_eq!(found, there.then_some(number), "{year}-{month}-{of_month}");
                    number += i64::from(there);
                }
            }
        }
    }
}
