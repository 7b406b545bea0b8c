//! The report on a sweep of a fleet's year, on terminals of several widths.

use super::tables;
use crate::findings::Style;
use crate::report::Layout;
use crate::report::variants::limit_of_name;
use proptest::prelude::*;
use replay::simulate::{
    AnswerReport, CategoryReport, ChangesReport, DecisionChange, FailedByReport, FailureFigures,
    HoursReport, OutcomeChange, OutcomeReport, PeakReport, QueueFigures, QueueReport,
    RetriedReport, RetryReport, RuleFigures, RuleReport, SampleReport, SimulationReport,
    SummaryReport, Totals, VariantReport, VerdictReport,
};
use unicode_width::UnicodeWidthStr;

/// The outcomes of 5,204,318 jobs with up to `limit` retries each.
#[expect(clippy::cast_precision_loss, reason = "counts of jobs")]
fn summary(limit: u64) -> SummaryReport {
    let recovered = [0, 402_117, 611_902][usize::try_from(limit).unwrap_or(2).min(2)];
    let retries = limit * 1_204_318;
    let hours = |runs: u64| HoursReport {
        runs,
        hours: runs as f64 * 1.75,
        gpu_hours: Some(runs as f64 * 14.0),
        ..HoursReport::default()
    };
    let rule = |rule_index: Option<usize>, matched: u64, retried: u64| RuleReport {
        policy: "training-with-spot-nodes".to_owned(),
        rule_index,
        description: None,
        figures: RuleFigures { matched, retried, exhausted: matched - retried },
        retries: RetryReport {
            outcomes: OutcomeReport {
                granted: retried,
                recorded: retried - retried / 3,
                unrecorded: retried / 3,
                ..OutcomeReport::default()
            },
            ..RetryReport::default()
        },
    };
    let queue = |number: u64| QueueReport {
        queue: format!("research-{number}"),
        figures: QueueFigures {
            failures: 1_000_000 / number,
            retries: retries / 20 / number,
            failed_jobs: 900_000 / number,
            gang_failures: 0,
        },
        ..QueueReport::default()
    };
    let (failed, unresolved) = (1_800_440 - recovered, limit * 201_003);
    SummaryReport {
        totals: Totals { jobs: 5_204_318, failures: 2_904_771, retries, ..Totals::default() },
        by_decision: [
            ("retry".to_owned(), retries),
            ("fail_rule_limit".to_owned(), 2_904_771 - retries),
        ]
        .into(),
        by_rule: vec![
            rule(Some(0), 1_903_771, retries * 3 / 4),
            rule(Some(1), 1_000_000, retries - retries * 3 / 4),
            rule(None, 1000, 0),
        ],
        outcomes: [
            ("Failed".to_owned(), failed),
            ("Succeeded".to_owned(), 5_204_318 - failed - unresolved),
            ("Unresolved".to_owned(), unresolved),
        ]
        .into(),
        recovered,
        failed_by: vec![FailedByReport {
            decision: "fail_rule_limit".to_owned(),
            policy: Some("training-with-spot-nodes".to_owned()),
            rule_index: Some(1),
            jobs: failed,
        }],
        replayed: retries - retries / 3,
        unresolved: retries / 3,
        by_queue: (1..=12).map(queue).collect(),
        by_category: vec![CategoryReport {
            category: Some("infrastructure".to_owned()),
            figures: FailureFigures { failures: 2_004_771, retries: retries / 2 },
            ..CategoryReport::default()
        }],
        retried_runs: RetriedReport {
            succeeded: hours(recovered),
            failed: hours(retries / 2),
            ..RetriedReport::default()
        },
        backoff_hours: 1_204_318.0,
        peak: Some(PeakReport { retries: 1_200_001, minute: "2026-10-01T08:21:00Z".to_owned() }),
        ..SummaryReport::default()
    }
}

fn changes(limit: u64) -> ChangesReport {
    let samples = |from: &str| {
        vec![SampleReport { job_id: format!("01k6fz8q0000000000000{from:.5}"), run_index: 2 }]
    };
    let row = |from: &str, to: &str, count: u64| DecisionChange {
        from: from.to_owned(),
        to: to.to_owned(),
        count,
        samples: samples(from),
    };
    ChangesReport {
        compared: 2_904_771,
        decisions: limit * 1_004_318,
        jobs: limit * 301_002,
        by_decision: vec![row("retry", "fail_global_limit", limit * 1_004_318)],
        by_outcome: vec![OutcomeChange {
            from: "Succeeded".to_owned(),
            to: "Failed".to_owned(),
            jobs: limit * 301_002,
            samples: Vec::new(),
        }],
        ..ChangesReport::default()
    }
}

fn variant(name: &str, limit: u64) -> VariantReport {
    let summary = summary(limit);
    VariantReport {
        name: name.to_owned(),
        sweep: limit_of_name(name),
        engine: "v1".to_owned(),
        releases: Vec::new(),
        verdict: VerdictReport::of(&summary),
        proved_same: false,
        summary,
        queues: None,
        changes: (name != "given").then(|| changes(2 - limit)),
        example: None,
    }
}

/// A report on the policies that are given, and on other sets of them.
fn report(others: &[(&str, u64)]) -> SimulationReport {
    let first = variant("given", 2);
    let all = others.iter().map(|(name, limit)| {
        let variant = variant(name, *limit);
        VariantReport { verdict: variant.verdict.clone().against(&first.verdict), ..variant }
    });
    SimulationReport {
        api_version: "armadaproject.io/v1",
        kind: "SimulationReport",
        engine: "v1".to_owned(),
        releases: Vec::new(),
        notes: Vec::new(),
        answer: AnswerReport::default(),
        jobs: None,
        verdict: first.verdict.clone(),
        summary: first.summary.clone(),
        queues: None,
        variants: Some([first.clone()].into_iter().chain(all).collect()),
        assertions: Vec::new(),
    }
}

const SWEEP: [(&str, u64); 3] =
    [("globalMaxRetries=0", 0), ("globalMaxRetries=1", 1), ("globalMaxRetries=2", 2)];

fn render(report: &SimulationReport, width: usize) -> String {
    let layout = Layout { wide: false, headers: true, width: Some(width), style: Style::Plain };
    tables(report, &layout)
}

#[test]
#[expect(clippy::too_many_lines, reason = "a whole report")]
fn a_sweep_on_60_columns() {
    insta::assert_snapshot!(render(&report(&SWEEP), 60), @r"
    given (v1): 2,408,636 retries granted after 2,904,771
      failures; 1,605,758 runs on record, 611,902 succeeded
      (38.1 %, 95 % interval 38.0-38.2 %); 16,860,452.0
      GPU-hours in failed retries; 611,902 jobs recovered,
      1,188,538 failed; 402,006 unresolved: at most 1,013,908
      recovered.

    5,204,318 jobs: 1,188,538 (22.8 %) Failed, 3,613,774
      (69.4 %) Succeeded, 402,006 (7.7 %) Unresolved
    2,904,771 failures decided, 2,408,636 retries granted, 0
      recorded runs not reached
    611,902 jobs recovered after a retry; 1,605,758 granted runs
      recorded, 802,878 not
    at most 1,200,001 retries waiting or running in one minute,
      from 2026-10-01T08:21:00Z on; 1,204,318h of waiting in all

    RULE       training-with-spot-nodes[0]
    MATCHED    1,903,771 (65.5 %)
    RETRIED    1,806,477
    EXHAUSTED  97,294

    RULE       training-with-spot-nodes[1]
    MATCHED    1,000,000 (34.4 %)
    RETRIED    602,159
    EXHAUSTED  397,841

    RULE       training-with-spot-nodes default
    MATCHED    1,000 (<0.1 %)
    RETRIED    0
    EXHAUSTED  1,000

    DECISION         RUNS
    retry            2,408,636 (82.9 %)
    fail_rule_limit  496,135 (17.1 %)

    RECORDED            RUNS       TIME           GPU-TIME
    retries that suc..  611,902    1,070,828.5 h  8,566,628.0 h
    retries whose ru..  1,204,318  2,107,556.5 h  16,860,452.0 h

    QUEUE       FAILURES            RETRIES          FAILED JOBS
    research-1  1,000,000 (34.4 %)  120,431 (5.0 %)  900,000
    research-2  500,000 (17.2 %)    60,215 (2.5 %)   450,000
    research-3  333,333 (11.5 %)    40,143 (1.7 %)   300,000
    research-4  250,000 (8.6 %)     30,107 (1.2 %)   225,000
    research-5  200,000 (6.9 %)     24,086 (1.0 %)   180,000
    research-6  166,666 (5.7 %)     20,071 (0.8 %)   150,000
    research-7  142,857 (4.9 %)     17,204 (0.7 %)   128,571
    research-8  125,000 (4.3 %)     15,053 (0.6 %)   112,500
    research-9  111,111 (3.8 %)     13,381 (0.6 %)   100,000
    research..  100,000 (3.4 %)     12,043 (0.5 %)   90,000
    (and 2 more queues: -o wide)

    CATEGORY        FAILURES            RETRIES
    infrastructure  2,004,771 (69.0 %)  1,204,318 (50.0 %)

    FAILED BY        RULE                    JOBS
    fail_rule_limit  training-with-spot-n..  1,188,538 (100.0 %)

    given (v1)
    jobs                              5,204,318
    Succeeded                         3,613,774
    Failed                            1,188,538
    Unresolved                        402,006
    recovered                         611,902
    retries granted                   2,408,636
    retries replayed                  1,605,758
    hours in retries that succeeded   1,070,828.5
    hours in retries that failed      2,107,556.5
    GPU-hours in retries that failed  16,860,452.0
    hours of waiting                  1,204,318.0
    most retries in a minute          1,200,001

    globalMaxRetries=0 (v1)
    jobs                              5,204,318
    Succeeded                         3,403,878 (-209,896)
    Failed                            1,800,440 (+611,902)
    Unresolved                        0 (-402,006)
    recovered                         0 (-611,902)
    retries granted                   0 (-2,408,636)
    retries replayed                  0 (-1,605,758)
    hours in retries that succeeded   0.0 (-1,070,828.5)
    hours in retries that failed      0.0 (-2,107,556.5)
    GPU-hours in retries that failed  0.0 (-16,860,452.0)
    hours of waiting                  1,204,318.0
    most retries in a minute          1,200,001

    globalMaxRetries=1 (v1)
    jobs                              5,204,318
    Succeeded                         3,604,992 (-8,782)
    Failed                            1,398,323 (+209,785)
    Unresolved                        201,003 (-201,003)
    recovered                         402,117 (-209,785)
    retries granted                   1,204,318 (-1,204,318)
    retries replayed                  802,879 (-802,879)
    hours in retries that succeeded   703,704.8 (-367,123.8)
    hours in retries that failed      1,053,778.2 (-1,053,778.2)
    GPU-hours in retries that failed  8,430,226.0 (-8,430,226.0)
    hours of waiting                  1,204,318.0
    most retries in a minute          1,200,001

    globalMaxRetries=2 (v1)
    jobs                              5,204,318
    Succeeded                         3,613,774
    Failed                            1,188,538
    Unresolved                        402,006
    recovered                         611,902
    retries granted                   2,408,636
    retries replayed                  1,605,758
    hours in retries that succeeded   1,070,828.5
    hours in retries that failed      2,107,556.5
    GPU-hours in retries that failed  16,860,452.0
    hours of waiting                  1,204,318.0
    most retries in a minute          1,200,001

    Changes against given (v1) (-o wide: each value by itself):
    globalMaxRetries (v1)  DECISIONS CHANGED   JOBS CHANGED
    0                      2,008,636 (69.1 %)  602,004 (11.6 %)
    1                      1,004,318 (34.6 %)  301,002 (5.8 %)
    2                      0 (0.0 %)           0 (0.0 %)
    ");
}

#[test]
fn a_sweep_on_80_columns() {
    insta::assert_snapshot!(render(&report(&SWEEP), 80), @r"
    given (v1): 2,408,636 retries granted after 2,904,771 failures; 1,605,758 runs
      on record, 611,902 succeeded (38.1 %, 95 % interval 38.0-38.2 %); 16,860,452.0
      GPU-hours in failed retries; 611,902 jobs recovered, 1,188,538 failed; 402,006
      unresolved: at most 1,013,908 recovered.

    5,204,318 jobs: 1,188,538 (22.8 %) Failed, 3,613,774 (69.4 %) Succeeded, 402,006
      (7.7 %) Unresolved
    2,904,771 failures decided, 2,408,636 retries granted, 0 recorded runs not
      reached
    611,902 jobs recovered after a retry; 1,605,758 granted runs recorded, 802,878
      not
    at most 1,200,001 retries waiting or running in one minute, from
      2026-10-01T08:21:00Z on; 1,204,318h of waiting in all

    RULE                              MATCHED             RETRIED    EXHAUSTED
    training-with-spot-nodes[0]       1,903,771 (65.5 %)  1,806,477  97,294
    training-with-spot-nodes[1]       1,000,000 (34.4 %)  602,159    397,841
    training-with-spot-nodes default  1,000 (<0.1 %)      0          1,000

    DECISION         RUNS
    retry            2,408,636 (82.9 %)
    fail_rule_limit  496,135 (17.1 %)

    RECORDED                  RUNS       TIME           GPU-TIME
    retries that succeeded    611,902    1,070,828.5 h  8,566,628.0 h
    retries whose run failed  1,204,318  2,107,556.5 h  16,860,452.0 h

    QUEUE        FAILURES            RETRIES          FAILED JOBS
    research-1   1,000,000 (34.4 %)  120,431 (5.0 %)  900,000
    research-2   500,000 (17.2 %)    60,215 (2.5 %)   450,000
    research-3   333,333 (11.5 %)    40,143 (1.7 %)   300,000
    research-4   250,000 (8.6 %)     30,107 (1.2 %)   225,000
    research-5   200,000 (6.9 %)     24,086 (1.0 %)   180,000
    research-6   166,666 (5.7 %)     20,071 (0.8 %)   150,000
    research-7   142,857 (4.9 %)     17,204 (0.7 %)   128,571
    research-8   125,000 (4.3 %)     15,053 (0.6 %)   112,500
    research-9   111,111 (3.8 %)     13,381 (0.6 %)   100,000
    research-10  100,000 (3.4 %)     12,043 (0.5 %)   90,000
    (and 2 more queues: -o wide)

    CATEGORY        FAILURES            RETRIES
    infrastructure  2,004,771 (69.0 %)  1,204,318 (50.0 %)

    FAILED BY        RULE                         JOBS
    fail_rule_limit  training-with-spot-nodes[1]  1,188,538 (100.0 %)

    given (v1)
    jobs                              5,204,318
    Succeeded                         3,613,774
    Failed                            1,188,538
    Unresolved                        402,006
    recovered                         611,902
    retries granted                   2,408,636
    retries replayed                  1,605,758
    hours in retries that succeeded   1,070,828.5
    hours in retries that failed      2,107,556.5
    GPU-hours in retries that failed  16,860,452.0
    hours of waiting                  1,204,318.0
    most retries in a minute          1,200,001

    globalMaxRetries=0 (v1)
    jobs                              5,204,318
    Succeeded                         3,403,878 (-209,896)
    Failed                            1,800,440 (+611,902)
    Unresolved                        0 (-402,006)
    recovered                         0 (-611,902)
    retries granted                   0 (-2,408,636)
    retries replayed                  0 (-1,605,758)
    hours in retries that succeeded   0.0 (-1,070,828.5)
    hours in retries that failed      0.0 (-2,107,556.5)
    GPU-hours in retries that failed  0.0 (-16,860,452.0)
    hours of waiting                  1,204,318.0
    most retries in a minute          1,200,001

    globalMaxRetries=1 (v1)
    jobs                              5,204,318
    Succeeded                         3,604,992 (-8,782)
    Failed                            1,398,323 (+209,785)
    Unresolved                        201,003 (-201,003)
    recovered                         402,117 (-209,785)
    retries granted                   1,204,318 (-1,204,318)
    retries replayed                  802,879 (-802,879)
    hours in retries that succeeded   703,704.8 (-367,123.8)
    hours in retries that failed      1,053,778.2 (-1,053,778.2)
    GPU-hours in retries that failed  8,430,226.0 (-8,430,226.0)
    hours of waiting                  1,204,318.0
    most retries in a minute          1,200,001

    globalMaxRetries=2 (v1)
    jobs                              5,204,318
    Succeeded                         3,613,774
    Failed                            1,188,538
    Unresolved                        402,006
    recovered                         611,902
    retries granted                   2,408,636
    retries replayed                  1,605,758
    hours in retries that succeeded   1,070,828.5
    hours in retries that failed      2,107,556.5
    GPU-hours in retries that failed  16,860,452.0
    hours of waiting                  1,204,318.0
    most retries in a minute          1,200,001

    Changes against given (v1) (-o wide: each value by itself):
    globalMaxRetries (v1)  DECISIONS CHANGED   JOBS CHANGED
    0                      2,008,636 (69.1 %)  602,004 (11.6 %)
    1                      1,004,318 (34.6 %)  301,002 (5.8 %)
    2                      0 (0.0 %)           0 (0.0 %)
    ");
}

#[test]
fn a_sweep_on_140_columns() {
    insta::assert_snapshot!(render(&report(&SWEEP), 140), @r"
    given (v1): 2,408,636 retries granted after 2,904,771 failures; 1,605,758 runs on record, 611,902 succeeded (38.1 %, 95 % interval
      38.0-38.2 %); 16,860,452.0 GPU-hours in failed retries; 611,902 jobs recovered, 1,188,538 failed; 402,006 unresolved: at most 1,013,908
      recovered.

    5,204,318 jobs: 1,188,538 (22.8 %) Failed, 3,613,774 (69.4 %) Succeeded, 402,006 (7.7 %) Unresolved
    2,904,771 failures decided, 2,408,636 retries granted, 0 recorded runs not reached
    611,902 jobs recovered after a retry; 1,605,758 granted runs recorded, 802,878 not
    at most 1,200,001 retries waiting or running in one minute, from 2026-10-01T08:21:00Z on; 1,204,318h of waiting in all

    RULE                              MATCHED             RETRIED    EXHAUSTED
    training-with-spot-nodes[0]       1,903,771 (65.5 %)  1,806,477  97,294
    training-with-spot-nodes[1]       1,000,000 (34.4 %)  602,159    397,841
    training-with-spot-nodes default  1,000 (<0.1 %)      0          1,000

    DECISION         RUNS
    retry            2,408,636 (82.9 %)
    fail_rule_limit  496,135 (17.1 %)

    RECORDED                  RUNS       TIME           GPU-TIME
    retries that succeeded    611,902    1,070,828.5 h  8,566,628.0 h
    retries whose run failed  1,204,318  2,107,556.5 h  16,860,452.0 h

    QUEUE        FAILURES            RETRIES          FAILED JOBS
    research-1   1,000,000 (34.4 %)  120,431 (5.0 %)  900,000
    research-2   500,000 (17.2 %)    60,215 (2.5 %)   450,000
    research-3   333,333 (11.5 %)    40,143 (1.7 %)   300,000
    research-4   250,000 (8.6 %)     30,107 (1.2 %)   225,000
    research-5   200,000 (6.9 %)     24,086 (1.0 %)   180,000
    research-6   166,666 (5.7 %)     20,071 (0.8 %)   150,000
    research-7   142,857 (4.9 %)     17,204 (0.7 %)   128,571
    research-8   125,000 (4.3 %)     15,053 (0.6 %)   112,500
    research-9   111,111 (3.8 %)     13,381 (0.6 %)   100,000
    research-10  100,000 (3.4 %)     12,043 (0.5 %)   90,000
    (and 2 more queues: -o wide)

    CATEGORY        FAILURES            RETRIES
    infrastructure  2,004,771 (69.0 %)  1,204,318 (50.0 %)

    FAILED BY        RULE                         JOBS
    fail_rule_limit  training-with-spot-nodes[1]  1,188,538 (100.0 %)

    globalMaxRetries (v1)             given (v1)    0                     1                           2
    jobs                              5,204,318     5,204,318             5,204,318                   5,204,318
    Succeeded                         3,613,774     3,403,878 (-209,896)  3,604,992 (-8,782)          3,613,774
    Failed                            1,188,538     1,800,440 (+611,902)  1,398,323 (+209,785)        1,188,538
    Unresolved                        402,006       0 (-402,006)          201,003 (-201,003)          402,006
    recovered                         611,902       0 (-611,902)          402,117 (-209,785)          611,902
    retries granted                   2,408,636     0 (-2,408,636)        1,204,318 (-1,204,318)      2,408,636
    retries replayed                  1,605,758     0 (-1,605,758)        802,879 (-802,879)          1,605,758
    hours in retries that succeeded   1,070,828.5   0.0 (-1,070,828.5)    703,704.8 (-367,123.8)      1,070,828.5
    hours in retries that failed      2,107,556.5   0.0 (-2,107,556.5)    1,053,778.2 (-1,053,778.2)  2,107,556.5
    GPU-hours in retries that failed  16,860,452.0  0.0 (-16,860,452.0)   8,430,226.0 (-8,430,226.0)  16,860,452.0
    hours of waiting                  1,204,318.0   1,204,318.0           1,204,318.0                 1,204,318.0
    most retries in a minute          1,200,001     1,200,001             1,200,001                   1,200,001

    Changes against given (v1) (-o wide: each value by itself):
    globalMaxRetries (v1)  DECISIONS CHANGED   JOBS CHANGED
    0                      2,008,636 (69.1 %)  602,004 (11.6 %)
    1                      1,004,318 (34.6 %)  301,002 (5.8 %)
    2                      0 (0.0 %)           0 (0.0 %)
    ");
}

/// The numbers of a text: digits with separators and a point.
fn numbers(text: &str) -> Vec<&str> {
    let words = text.split(|letter: char| !letter.is_ascii_digit() && !matches!(letter, ',' | '.'));
    words.map(|word| word.trim_matches([',', '.'])).filter(|word| !word.is_empty()).collect()
}

proptest! {
    /// No width makes a line too long, and none cuts a number: a narrow terminal has no other numbers than a wide one.
    #[test]
    fn no_width_cuts_a_number(width in 60_usize..200, is_sweep: bool) {
        let report = report(if is_sweep { &SWEEP } else { &[("lax", 1), ("strict", 0)] });
        let text = render(&report, width);
        let all = render(&report, 1000);
        let known = numbers(&all);
        for number in numbers(&text) {
            prop_assert!(known.contains(&number), "{} in\n{}", number, text);
        }
        for line in text.lines() {
            prop_assert!(line.width() <= width, "{} in\n{}", line, text);
        }
    }
}
