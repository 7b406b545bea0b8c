//! Partial summaries of parts of a history merge to the bytes of that of the whole.
//!
//! Holds cli.md simulate.

use super::question::Question;
use super::ways::pieces;
use crate::oracle::Draw;
use replay::history::{ArmadaRun, Piece, Table, UnreadList, UnreadWords};
use replay::simulate::{
    Batch, CompareOptions, Figures, Header, HistoryShard, Names, Options, PartialFile, Retention,
    Stream, StreamOptions, Timelines, compare_members, count_members, record_of_members,
    replay_logged, write_partial,
};
use serde_json::Value;
use std::collections::HashMap;
use std::num::NonZeroUsize;

const SAMPLES: usize = 2;

/// A question is replayed up to nine times.
fn cases() -> u64 {
    super::cases() / 4
}

/// The figures of a part, with what is known of its records.
struct Part {
    bytes: Vec<u8>,
    skipped: u64,
    /// Whether there are findings about records.
    has_errors: bool,
    records: u64,
    others: u64,
}

/// Lines by the name of their stream.
type Streams = Vec<(String, Vec<u8>)>;

fn header() -> Header {
    Header { program: String::new(), settings: [7; 32], shards: 1, held: Vec::new() }
}

/// Replays a part, or a shard of it; none if reading stopped.
fn replay(
    question: &Question,
    streams: &Streams,
    shard: Option<HistoryShard>,
    draw: &mut Draw,
) -> Option<Part> {
    let (names, engines) = (Names::default(), question.engines.as_slice());
    let threads = NonZeroUsize::new(draw.pick(&[1, 1, 3])).expect("a thread");
    let options = StreamOptions {
        threads,
        batch: NonZeroUsize::new(draw.pick(&[1, 3, 16])).expect("a piece"),
        on_bad: question.on_bad,
        hash_key: (draw.below(1000) as u64, 1),
        seed: 0,
        keep: draw.pick(&[Retention::Necessary, Retention::Necessary, Retention::All]),
        has_alike: draw.below(4) > 0,
        shard,
        is_unmatched: None,
    };
    let compare = CompareOptions { samples: SAMPLES, lines: None };
    let mut stream = Stream::new(engines, &names, Some(question.bounds), options);
    if engines.len() > 1 {
        stream.compare(compare);
    }
    let mut pieces = pieces(streams, draw).into_iter();
    let next = |piece: &mut Piece, pieces: &mut std::vec::IntoIter<Piece>| {
        pieces.next().map(|next| *piece = next).is_some()
    };
    while stream.batch(|piece| next(piece, &mut pieces)) == Batch::Full {}
    if stream.is_full() {
        return None;
    }
    let (records, others) = stream.lines_of_shards();
    let outcome = stream.finish();
    let (members, outcomes) = (outcome.history.members.as_slice(), &outcome.history.outcomes);
    let options = Options {
        timelines: Timelines::None,
        assume: None,
        only: None,
        threads,
        skipped_records: 0,
        seed: 0,
    };
    let on_record = record_of_members(&engines[0], &names, (members, outcomes), None, false);
    let (mut columns, mut changes) = (outcome.columns, outcome.changes);
    let (mut summaries, mut first) = (Vec::new(), None);
    for (number, (engine, streamed)) in engines.iter().zip(outcome.summaries).enumerate() {
        let (result, log) = replay_logged(engine, &names, members, options, streamed, true);
        summaries.push(result.summary);
        columns[number].merge(count_members(engine, &names, members, &on_record, &log, None));
        if let Some(first) = &first {
            let logs = (number, first, &log);
            let of_members = compare_members(engines, &names, (members, None), logs, compare);
            changes[number - 1].merge(of_members);
        } else {
            first = Some(log);
        }
    }
    let mut record = outcome.record;
    record.merge(on_record.counts);
    let mut figures = Figures { summaries, record, columns, changes };
    figures.complete(engines);
    let facts = outcome.history.unread.list();
    let bytes = write_partial("v1", &header(), &names, figures, &facts).expect("numbers of names");
    let skipped = outcome.history.skipped as u64;
    Some(Part { bytes, skipped, has_errors: outcome.findings.has_errors(), records, others })
}

/// Merges partial summaries, two at a time, in any order.
fn merged(question: &Question, mut parts: Vec<Vec<u8>>, draw: &mut Draw) -> Vec<u8> {
    while parts.len() > 1 {
        let one = parts.swap_remove(draw.below(parts.len()));
        let other = parts.swap_remove(draw.below(parts.len()));
        let names = Names::default();
        let mut unread = UnreadWords::default();
        let mut all: Option<Figures> = None;
        for bytes in [one, other] {
            let file = PartialFile::read(&bytes).expect("whole");
            let (figures, words) = file.figures::<UnreadList>(&names).expect("whole");
            assert!(figures.are_of(&question.engines));
            assert!(unread.add_list(&words, Table::<ArmadaRun>::RECORD, "part"));
            match &mut all {
                Some(all) => all.merge(figures),
                None => all = Some(figures),
            }
        }
        let mut figures = all.expect("two");
        figures.complete(&question.engines);
        let bytes = write_partial("v1", &header(), &names, figures, &unread.list());
        parts.push(bytes.expect("numbers of names"));
    }
    parts.remove(0)
}

/// Lines of the debug output of one that the other lacks, if their figures differ.
fn difference(one: &[u8], other: &[u8]) -> String {
    let names = Names::default();
    let content = [one, other].map(|bytes| {
        let file = PartialFile::read(bytes).expect("whole");
        file.figures::<UnreadList>(&names).expect("whole")
    });
    let is_same = |content: &[(Figures, UnreadList); 2]| {
        let [one, other] = content.each_ref().map(|it| borsh::to_vec(it).expect("memory"));
        one == other
    };
    if is_same(&content) {
        return String::new();
    }
    // A bad line before the first one that names the job's gang is counted in the indexes of examples and samples only where
    // its shard has the gang.
    let without_indexes = content.each_ref().map(|(figures, unread)| {
        let mut figures = figures.clone();
        for summary in &mut figures.summaries {
            std::mem::take(&mut summary.contradictions);
        }
        figures.changes.iter_mut().for_each(|changes| changes.limit_samples(0));
        (figures, unread.clone())
    });
    let contradictions = content.each_ref().map(|(figures, _)| {
        figures.summaries.iter().map(|it| it.contradictions.runs()).collect::<Vec<u64>>()
    });
    if is_same(&without_indexes) && contradictions[0] == contradictions[1] {
        return String::new();
    }
    let [one, other] = content.map(|content| format!("{content:#?}"));
    let mut lines: HashMap<&str, i32> = HashMap::new();
    one.lines().for_each(|line| *lines.entry(line).or_default() += 1);
    other.lines().for_each(|line| *lines.entry(line).or_default() -= 1);
    lines.retain(|_, count| *count != 0);
    format!("figures differ: {lines:#?}")
}

/// The categories of lines that are left out may be noted or not, for which bytes may differ; figures may not.
fn assert_same(whole: &Part, merged: &[u8], told: &str) {
    let difference = difference(&whole.bytes, merged);
    assert!(difference.is_empty(), "{difference}\n{told}");
    assert!(whole.skipped > 0 || whole.has_errors || whole.bytes == merged, "other bytes: {told}");
}

/// A line of a job, and the name of its unit: the gang of the first line of the job that names one.
struct Line {
    unit: String,
    job: String,
    text: String,
}

/// The lines with a job, by stream.
fn lines_of_units(streams: &Streams) -> Vec<(String, Vec<Line>)> {
    let mut gangs: HashMap<String, String> = HashMap::new();
    let mut all = Vec::new();
    for (name, bytes) in streams {
        let mut lines = Vec::new();
        for line in String::from_utf8_lossy(bytes).lines() {
            let line = line.trim_start_matches('\u{feff}');
            let Ok(Value::Object(record)) = serde_json::from_str(line) else { continue };
            let Some(job) = record.get("jobId").and_then(Value::as_str) else { continue };
            let of_field = record.get("gang").and_then(|gang| gang.get("id"));
            let annotations = record.get("annotations");
            let of_job = annotations.and_then(|all| all.get("armadaproject.io/gangId"));
            if let Some(gang) = of_field.or(of_job).and_then(Value::as_str) {
                gangs.entry(job.to_owned()).or_insert_with(|| format!("gang {gang}"));
            }
            let (unit, job, text) = (job.to_owned(), job.to_owned(), line.to_owned());
            lines.push(Line { unit, job, text });
        }
        all.push((name.clone(), lines));
    }
    for (_, lines) in &mut all {
        for Line { unit, job, .. } in lines {
            if let Some(gang) = gangs.get(job) {
                unit.clone_from(gang);
            }
        }
    }
    all
}

/// The lines of the units for which this holds; those of different jobs in any order.
fn part(
    lines: &[(String, Vec<Line>)],
    has: impl Fn(&str) -> bool,
    order: impl Fn(&str) -> u64,
) -> Streams {
    let of_stream = |lines: &[Line]| {
        let mut own: Vec<&Line> = lines.iter().filter(|line| has(&line.unit)).collect();
        own.sort_by_key(|line| order(&line.job));
        own.iter().flat_map(|line| [line.text.as_bytes(), b"\n"].concat()).collect()
    };
    lines.iter().map(|(name, lines)| (name.clone(), of_stream(lines))).collect()
}

fn hash(text: &str, salt: u64) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    (text, salt).hash(&mut hasher);
    hasher.finish()
}

#[test]
fn parts_of_whole_units_merge_to_the_bytes_of_the_whole() {
    let (mut compared, mut of_several) = (0, 0);
    for seed in 0..cases() {
        let mut draw = Draw::new(seed);
        let question = Question::draw(&mut draw, seed);
        let lines = lines_of_units(&question.streams);
        let all = part(&lines, |_| true, |_| 0);
        let Some(whole) = replay(&question, &all, None, &mut draw) else { continue };
        let count = 1 + draw.below(8) as u64;
        let parts: Option<Vec<Part>> = (0..count)
            .map(|number| {
                let has = |unit: &str| hash(unit, seed) % count == number;
                let part = part(&lines, has, |job| hash(job, seed + 1));
                replay(&question, &part, None, &mut draw)
            })
            .collect();
        // The first time of a stream decides the notation of all: another order may have other bad records.
        let Some(parts) = parts else { continue };
        let sum = |of: fn(&Part) -> u64| parts.iter().map(of).sum::<u64>();
        let told = format!("seed {seed}, {count} parts\n{question}");
        assert_eq!(sum(|part| part.records), whole.records, "{told}");
        if sum(|part| part.skipped) != whole.skipped || whole.has_errors {
            continue;
        }
        let parts = parts.into_iter().map(|part| part.bytes).collect();
        let merged = merged(&question, parts, &mut draw);
        assert_same(&whole, &merged, &told);
        compared += 1;
        of_several += usize::from(question.engines.len() > 1 && count > 1);
    }
    let cases = usize::try_from(cases()).expect("a number");
    assert!(compared * 2 > cases && of_several > 0, "{compared} of {cases}, {of_several}");
}

#[test]
fn shards_that_all_read_a_history_merge_to_the_bytes_of_the_whole() {
    let (mut compared, mut refused, mut skipped) = (0, 0, 0);
    for seed in 0..cases() {
        let mut draw = Draw::new(seed);
        let question = Question::draw(&mut draw, seed);
        let Some(whole) = replay(&question, &question.streams, None, &mut draw) else { continue };
        let count = 1 + u32::try_from(draw.below(8)).expect("a number");
        let shards: Option<Vec<Part>> = (0..count)
            .map(|number| {
                let shard = Some(HistoryShard { number, count });
                replay(&question, &question.streams, shard, &mut draw)
            })
            .collect();
        let shards = shards.expect("a shard has no more bad records than the whole");
        let told = format!("seed {seed}, {count} shards\n{question}");
        let records: u64 = shards.iter().map(|shard| shard.records).sum();
        // A job whose first record does not name its gang counts twice, which the report refuses.
        if records != whole.records {
            assert!(records > whole.records, "{records} of {} {told}", whole.records);
            refused += 1;
            continue;
        }
        skipped += whole.skipped;
        assert_eq!(shards.iter().map(|it| it.skipped).sum::<u64>(), whole.skipped, "{told}");
        for shard in &shards {
            assert_eq!(shard.records + shard.others, whole.records, "{told}");
        }
        let shards = shards.into_iter().map(|shard| shard.bytes).collect();
        let merged = merged(&question, shards, &mut draw);
        assert_same(&whole, &merged, &told);
        compared += 1;
    }
    assert!(compared > refused && skipped > 0, "{compared} {refused} {skipped}");
}

#[test]
fn a_changed_byte_is_refused() {
    let mut draw = Draw::new(1);
    let question = Question::draw(&mut draw, 1);
    let part = replay(&question, &question.streams, None, &mut draw).expect("read");
    assert!(PartialFile::read(&part.bytes).is_ok());
    for at in 0..part.bytes.len() {
        for bit in [1, 0x80] {
            let mut bytes = part.bytes.clone();
            bytes[at] ^= bit;
            assert!(PartialFile::read(&bytes).is_err(), "byte {at}");
        }
        assert!(PartialFile::read(&part.bytes[..at]).is_err(), "{at} bytes");
    }
}
