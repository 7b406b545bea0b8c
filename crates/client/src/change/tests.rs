//! Twenty concurrent writers and a scripted server without versions, in virtual time. A writer that succeeds
//! has read its change at the second read; every other one ends with an error.

mod simulation;

use super::*;
use serde_json::{Value, json};
use simulation::{Event, Server, Simulation};

const WRITERS: usize = 20;
const ROUNDS: u64 = 1_000;

/// The results of the writers of some rounds.
#[derive(Debug, Default)]
struct Tally {
    written: usize,
    lost: usize,
    missing: usize,
    failed: usize,
    /// Written, and missing after every writer of the round has ended.
    gone_later: usize,
    /// The maximum of writes of one writer.
    most_writes: usize,
}

/// Attaches a policy, as `attach` does.
fn attach(policy: &str) -> impl Fn(&mut Fields) -> Result<(), ClientError> {
    move |queue| {
        let mut list = policies(Some(queue));
        if !list.iter().any(|held| held == policy) {
            list.push(policy.to_owned());
            queue.set("retryPolicies", &json!(list));
        }
        Ok(())
    }
}

fn policies(queue: Option<&Fields>) -> Vec<String> {
    let list = queue.and_then(|queue| queue.value("retryPolicies"));
    let names = list.as_ref().and_then(Value::as_array).into_iter().flatten();
    names.filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

fn name(writer: usize) -> String {
    format!("p{writer}")
}

/// Runs a round, in which every writer attaches a policy of its own to the same queue.
fn round(server: Server, seed: u64, writers: usize, tally: &mut Tally) {
    let simulation = Simulation::new(server, seed);
    let outcomes = simulation.run(writers, |writer, api, mut stream_timeout| async move {
        let policy = name(writer);
        change_queue(&api, &mut stream_timeout, "q", attach(&policy)).await
    });
    let end = policies(simulation.queue().as_ref());
    for (writer, outcome) in outcomes.into_iter().enumerate() {
        let context = format!("{server:?}, seed {seed}, writer {writer}: {outcome:?}");
        let events = simulation.events(writer);
        let puts = events.iter().filter(|event| matches!(event, Event::Put(_))).count();
        tally.most_writes = tally.most_writes.max(puts);
        match outcome {
            Ok(ChangeOutcome { end: ChangeEnd::Written, after, .. }) => {
                has_seen_it_again(&events, &name(writer), &context);
                assert!(policies(after.as_ref()).contains(&name(writer)), "{context}");
                tally.written += 1;
                tally.gone_later += usize::from(!end.contains(&name(writer)));
            }
            Ok(ChangeOutcome { end: ChangeEnd::Lost(count), .. }) => {
                assert_eq!(usize::try_from(count), Ok(puts), "{context}");
                tally.lost += 1;
            }
            Ok(ChangeOutcome { end: ChangeEnd::Missing, after, .. }) => {
                assert_eq!(after, None, "{context}");
                tally.missing += 1;
            }
            Ok(ChangeOutcome { end: ChangeEnd::Unchanged, .. }) => panic!("{context}"),
            Err(_) => tally.failed += 1,
        }
    }
}

/// A successful writer read its change last: at least 200 ms after the write, and the read before that one
/// also had it.
#[track_caller]
fn has_seen_it_again(events: &[Event], policy: &str, context: &str) {
    let put = events.iter().rposition(|event| matches!(event, Event::Put(_)));
    let put = put.unwrap_or_else(|| panic!("it wrote: {context}"));
    let Event::Put(at) = events[put] else { unreachable!() };
    let looks: Vec<(Duration, bool)> = events[put + 1..]
        .iter()
        .map(|event| match event {
            Event::Get(at, list) => (*at, list.iter().any(|held| held == policy)),
            Event::Put(_) => unreachable!("the last write is the last"),
        })
        .collect();
    let [.., (_, first), (last_at, last)] = looks[..] else { panic!("two looks: {context}") };
    assert!(first && last, "{context}");
    assert!(last_at >= at + SECOND_READ_WAIT[0], "{context}: {at:?} {looks:?}");
}

fn rounds(server: Server, count: u64, writers: usize) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..count {
        round(server, seed, writers, &mut tally);
    }
    tally
}

/// If a request takes less time than the wait before the second read, no successful writer has lost its
/// change.
#[test]
fn twenty_writers_on_a_quick_server_all_attach() {
    let tally = rounds(Server::Quick, ROUNDS, WRITERS);
    assert_eq!(tally.written, 20_000, "{tally:?}");
    assert_eq!(tally.gone_later, 0, "{tally:?}");
    assert!((4..10).contains(&tally.most_writes), "they meet, and leave room: {tally:?}");
}

/// No number of reads protects against a writer whose requests take longer than the wait.
#[test]
fn twenty_writers_on_a_slow_server_end_with_an_answer() {
    let tally = rounds(Server::Slow, ROUNDS, WRITERS);
    assert_eq!(tally.written + tally.lost, 20_000, "{tally:?}");
    assert!(tally.gone_later > 0, "the window is narrow, not closed: {tally:?}");
}

#[test]
fn twenty_writers_on_a_server_that_fails_end_with_an_answer() {
    let tally = rounds(Server::Faulty, ROUNDS, WRITERS);
    assert_eq!(tally.written + tally.lost + tally.failed, 20_000, "{tally:?}");
    assert!(tally.written > 10_000 && tally.failed > 1_000, "{tally:?}");
}

/// The report of a single writer is true: a change that is written is there, one that failed without an effect
/// is not, and only reads that fail as well leave it open.
#[test]
fn a_lost_answer_is_decided_by_reads() {
    let mut ends = [0; 3];
    for seed in 0..20_000 {
        let simulation = Simulation::new(Server::Faulty, seed);
        let outcomes = simulation.run(1, |_, api, mut clock| async move {
            change_queue(&api, &mut clock, "q", attach("p")).await
        });
        let is_there = policies(simulation.queue().as_ref()) == ["p"];
        let end = match &outcomes[0] {
            Ok(outcome) => {
                assert_eq!((outcome.end, is_there), (ChangeEnd::Written, true), "{seed}");
                0
            }
            Err(error) if error.effect == Effect::None => {
                assert!(!is_there, "{seed}: {error}");
                1
            }
            Err(_) => 2,
        };
        ends[end] += 1;
    }
    let [written, failed, unknown] = ends;
    assert!(written > 16_000 && failed > 500 && unknown > 500, "{ends:?}");
}

#[test]
fn a_queue_that_is_deleted_meanwhile_is_missing() {
    let tally = rounds(Server::Deleting, ROUNDS, WRITERS);
    assert_eq!(tally.written + tally.lost + tally.missing, 20_000, "{tally:?}");
    assert!(tally.missing > 1_000, "{tally:?}");
}

/// A gateway that drops the field is not written to repeatedly.
#[test]
fn a_server_that_does_not_keep_the_field_is_written_to_twice() {
    let tally = rounds(Server::Dropping, 50, 3);
    assert_eq!((tally.lost, tally.most_writes), (150, 2), "{tally:?}");
}

/// An interrupt ends the waits: the second read comes early, and there is no further write.
#[test]
fn an_interrupt_looks_once_more_and_writes_no_more() {
    for (server, end, puts) in
        [(Server::Quick, ChangeEnd::Written, 1), (Server::Dropping, ChangeEnd::Lost(1), 1)]
    {
        let simulation = Simulation::new(server, 1);
        let outcomes = simulation.run(1, |_, api, clock| async move {
            change_queue(&api, &mut clock.interrupted(), "q", attach("p")).await
        });
        assert_eq!(outcomes[0].as_ref().unwrap().end, end);
        let events = simulation.events(0);
        assert_eq!(events.iter().filter(|event| matches!(event, Event::Put(_))).count(), puts);
        let gets = events.iter().filter(|event| matches!(event, Event::Get(..))).count();
        assert_eq!(gets, if server == Server::Quick { 3 } else { 2 }, "{events:?}");
    }
}
