//! Delays compared with values that Airflow computed, and with an independent computation.

use crate::airflow::engine::delay::{DelayRule, base, delay, first_overflow};
use crate::airflow::{AirflowPolicy, Backoff, LogicalDate, Profile, TaskInstance, TimeDelta};
use document::units::Time;
use proptest::prelude::*;

fn task<'t>(dag_id: &'t str, task_id: &'t str) -> TaskInstance<'t> {
    let at = Time::parse("2026-01-01T00:00:00Z").unwrap();
    TaskInstance { dag_id, task_id, logical_date: LogicalDate::utc(at) }
}

fn doubling(profile: Profile) -> AirflowPolicy {
    AirflowPolicy { profile, backoff: Backoff::Flag(true), ..AirflowPolicy::default() }
}

/// The published pair: 300 s, first failed try, 579 s since 2.10 and 482 s up to 2.9, where the hashed number
/// is one higher.
#[test]
fn the_number_hashed_changed_after_2_9() {
    let first = |profile| delay(&doubling(profile), task("train", "finetune"), 1, None).unwrap();
    let waits = Profile::ALL.map(|profile| first(profile).wait.as_micros() / 1_000_000);
    assert_eq!(waits, [579, 579, 579, 579, 579, 579, 579, 482, 482]);
    let bases = Profile::ALL.map(|profile| match first(profile).rule {
        DelayRule::Grown { base, .. } => base.get(),
        other => panic!("{other:?}"),
    });
    assert_eq!(bases, [300; 9]);
}

/// The setting is read up to 2.11 and from 3.0.6 on (task-sdk 1.0.6), and not by 3.0.0 to 3.0.4.
#[test]
fn releases_of_3_0_before_3_0_6_have_a_fixed_ceiling() {
    let longest = |profile| {
        let policy = AirflowPolicy { max_task_retry_delay: 600, ..doubling(profile) };
        delay(&policy, task("etl", "load"), 5, None).unwrap().wait
    };
    for profile in Profile::ALL {
        let is_bounded = longest(profile) == TimeDelta::from_whole_seconds(600);
        assert_eq!(is_bounded, profile != Profile::V3_0_0, "{profile:?}");
    }
    assert!(longest(Profile::V3_0_0) >= TimeDelta::from_whole_seconds(4800));
}

#[test]
fn an_override_came_with_3_3() {
    let day = TimeDelta::from_whole_seconds(172_800);
    let rule = |profile| delay(&doubling(profile), task("d", "t"), 1, Some(day)).unwrap().rule;
    assert_eq!(rule(Profile::V3_3), DelayRule::Override);
    assert_eq!(rule(Profile::V3_4), DelayRule::Override);
    assert!(matches!(rule(Profile::V3_2), DelayRule::Grown { .. }));
}

/// Where Python raises `OverflowError` for the power or the product, the ceiling applies since 3.0.6. 300 s doubled 1,016
/// times are about 2^1024 s.
#[test]
fn what_is_no_number_any_more_is_the_ceiling() {
    for (seconds, multiplier, try_number) in
        [(300.0, 2.0, 1025), (300.0, 2.0, i32::MAX), (0.0, 2.0, 1025), (1.0, 1e-300, -3)]
    {
        let policy = AirflowPolicy {
            retry_delay: TimeDelta::from_seconds(seconds),
            backoff: Backoff::Number(multiplier),
            ..AirflowPolicy::default()
        };
        let longest = delay(&policy, task("d", "t"), try_number, None).unwrap();
        assert_eq!(longest.rule, DelayRule::Ceiling, "{seconds} {multiplier} {try_number}");
        assert_eq!(longest.wait, TimeDelta::from_whole_seconds(86_400));
    }
    for profile in Profile::ALL {
        let policy = AirflowPolicy { retries: 2000, ..doubling(profile) };
        let has_delay = |number| delay(&policy, task("d", "t"), number, None).is_some();
        assert!(has_delay(1016), "{profile:?}");
        assert_eq!(has_delay(1017), profile.guards_overflow(), "{profile:?}");
        let first = (!profile.guards_overflow()).then_some(1017);
        assert_eq!(first_overflow(&policy), first, "{profile:?}");
        assert_eq!(first_overflow(&AirflowPolicy { retries: 1016, ..policy }), None);
    }
    // The factors are finite, their product is not.
    assert_eq!(base(TimeDelta::from_micros(i64::MAX), 2.0, 1023), None);
}

/// Returns the base after doublings, in integers: microseconds, shifted, divided and rounded up.
fn doubled(micros: i64, doublings: u32) -> u64 {
    let seconds = (i128::from(micros) << doublings).div_euclid(1_000_000);
    let exact = seconds * 1_000_000 == i128::from(micros) << doublings;
    u64::try_from(seconds + i128::from(!exact)).unwrap().max(1)
}

proptest! {
    /// Every growing delay is at least the base, less than twice the base, at most the cap and the ceiling,
    /// and equal to the smallest of them.
    #[test]
    fn stays_within_its_bounds(
        micros in 0..1_000_000_000_000_i64,
        multiplier in 0.01..2.5_f64,
        try_number in 0..30,
        cap in proptest::option::of(1..200_000_u64),
        longest in 0..200_000_u64,
        profile in proptest::sample::select(Profile::ALL.to_vec()),
    ) {
        prop_assume!(!profile.ignores_ceiling());
        let policy = AirflowPolicy {
            profile,
            retry_delay: TimeDelta::from_micros(micros),
            backoff: Backoff::Number(multiplier),
            max_retry_delay: cap.map(TimeDelta::from_whole_seconds),
            max_task_retry_delay: longest,
            ..AirflowPolicy::default()
        };
        let free = AirflowPolicy {
            max_retry_delay: None,
            max_task_retry_delay: u64::MAX,
            ..policy.clone()
        };
        prop_assume!(profile.multiplier(policy.backoff).is_some());
        let (bound, free) =
            [policy, free].map(|policy| delay(&policy, task("d", "t"), try_number, None).unwrap()).into();
        let smallest = cap.unwrap_or(u64::MAX).min(longest);
        prop_assert_eq!(bound.wait, free.wait.min(TimeDelta::from_whole_seconds(smallest)));
        let DelayRule::Grown { base, jitter } = free.rule else {
            return Err(TestCaseError::fail("it does not grow"));
        };
        prop_assert!(jitter < base.get());
        prop_assert_eq!(free.wait, TimeDelta::from_whole_seconds(base.get() + jitter));
    }

    /// Doubling is exact in floats, for all task names and releases.
    #[test]
    fn doubles_as_whole_numbers_do(
        micros in 0..100_000_000_000_i64,
        doublings in 0..20_u32,
        names in ("[a-z#.]{0,8}", "\\PC{0,8}"),
        profile in proptest::sample::select(Profile::ALL.to_vec()),
    ) {
        prop_assume!(!profile.ignores_ceiling());
        let policy = AirflowPolicy {
            retry_delay: TimeDelta::from_micros(micros),
            max_task_retry_delay: u64::MAX,
            ..doubling(profile)
        };
        let column = i32::try_from(doublings).unwrap() + 1;
        let delay = delay(&policy, task(&names.0, &names.1), column, None).unwrap();
        let DelayRule::Grown { base, .. } = delay.rule else {
            return Err(TestCaseError::fail("it does not grow"));
        };
        prop_assert_eq!(base.get(), doubled(micros, doublings));
    }

    /// A multiplier above 1 never makes the base smaller; one below 1 never makes it larger.
    #[test]
    fn bases_go_one_way(micros in 0..1_000_000_000_000_i64, multiplier in 0.01..20.0_f64, n in 0..30) {
        let at = |growths| base(TimeDelta::from_micros(micros), multiplier, growths);
        let (less, more) = if multiplier >= 1.0 { (n, n + 1) } else { (n + 1, n) };
        prop_assert!(at(less) <= at(more));
    }

    /// Neither cap nor ceiling applies to a constant delay.
    #[test]
    fn a_constant_delay_is_never_cut(micros: i64, number in -5.0..=0.0_f64, try_number: i32) {
        let policy = AirflowPolicy {
            retry_delay: TimeDelta::from_micros(micros),
            backoff: Backoff::Number(number),
            max_retry_delay: Some(TimeDelta::from_micros(1)),
            max_task_retry_delay: 0,
            ..AirflowPolicy::default()
        };
        let delay = delay(&policy, task("d", "t"), try_number, None).unwrap();
        prop_assert_eq!(delay.wait, policy.retry_delay);
    }

    /// No number causes a panic, and since 3.0.6 every number has a delay.
    #[test]
    fn every_number_has_a_delay(
        micros: i64,
        multiplier: f64,
        try_number: i32,
        cap: Option<i64>,
        longest: u64,
    ) {
        for profile in Profile::ALL {
            let policy = AirflowPolicy {
                profile,
                retries: 1,
                retry_delay: TimeDelta::from_micros(micros),
                backoff: Backoff::Number(multiplier),
                max_retry_delay: cap.map(TimeDelta::from_micros),
                max_task_retry_delay: longest,
                retry_policy: None,
            };
            let delay = delay(&policy, task("d", "t"), try_number, None);
            prop_assert!(delay.is_some() || !profile.guards_overflow());
        }
    }
}
