//! Runs the commands over very many changed documents. See README.md beside this file.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a tool prints its figures")]

#[path = "../../fuzz/bodies/cluster.rs"]
mod cluster;
#[path = "../../fuzz/bodies/findings.rs"]
mod findings;
mod inputs;
mod lines;
mod mutation;
mod run;

use run::{Bench, CODES, LONGEST};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The stack of a process's first thread, which is that of a command.
const STACK: usize = 8 << 20;

struct Settings {
    count: u64,
    first: u64,
    seed: u64,
    threads: usize,
    binary: Option<PathBuf>,
    sample: u64,
    folders: Vec<PathBuf>,
}

fn settings() -> Result<Settings, String> {
    let mut settings = Settings {
        count: 5000,
        first: 0,
        seed: 1,
        threads: 2,
        binary: None,
        sample: 100,
        folders: Vec::new(),
    };
    let mut words = std::env::args().skip(1);
    while let Some(flag) = words.next() {
        let value = words.next().ok_or(format!("`{flag}` needs a value"))?;
        let number = || value.parse::<u64>().map_err(|error| format!("`{flag} {value}`: {error}"));
        match flag.as_str() {
            "--count" => settings.count = number()?,
            "--first" => settings.first = number()?,
            "--seed" => settings.seed = number()?,
            "--threads" => settings.threads = usize::try_from(number()?).unwrap_or(1).max(1),
            "--samples" => settings.folders.push(value.into()),
            "--binary" => settings.binary = Some(value.into()),
            "--sample" => settings.sample = number()?.max(1),
            _ => return Err(format!("unknown flag `{flag}`")),
        }
    }
    Ok(settings)
}

#[derive(Default)]
struct Figures {
    codes: BTreeMap<(String, u8), u64>,
    longest: Duration,
    faults: u64,
    by_binary: u64,
    /// Inputs of simulations, and how many of them were simulated.
    inputs: u64,
    simulated: u64,
}

/// What the workers share.
struct Shared {
    settings: Settings,
    root: &'static Path,
    folder: PathBuf,
    samples: Vec<mutation::Sample>,
    start: Instant,
    next: AtomicU64,
    /// When the present run of each worker started, in milliseconds; 0 between runs.
    running: Vec<AtomicU64>,
    figures: Mutex<Figures>,
}

fn main() -> ExitCode {
    let shared = match settings().and_then(Shared::new) {
        Ok(shared) => shared,
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::from(2);
        }
    };
    let (samples, seed) = (shared.samples.len(), shared.settings.seed);
    println!("{samples} samples, seed {seed}, documents in {}", shared.folder.display());
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| shared.watch(&done));
        let shared = &shared;
        let builder = || std::thread::Builder::new().stack_size(STACK);
        let workers: Vec<_> = (0..shared.settings.threads)
            .filter_map(|worker| builder().spawn_scoped(scope, move || shared.work(worker)).ok())
            .collect();
        for worker in workers {
            let _ = worker.join();
        }
        done.store(true, Ordering::Relaxed);
    });
    shared.report()
}

impl Shared {
    fn new(settings: Settings) -> Result<Self, String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut folders = settings.folders.clone();
        if folders.is_empty() {
            folders.extend(["testdata", "fuzz/corpus", "examples"].map(PathBuf::from));
        }
        let folders: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
        let samples = mutation::samples(&folders.iter().map(PathBuf::as_path).collect::<Vec<_>>());
        if samples.is_empty() {
            return Err("there are no samples".to_owned());
        }
        let folder = std::env::temp_dir().join(format!("armadactl-mutate-{}", std::process::id()));
        std::fs::create_dir_all(&folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
        let running = (0..settings.threads).map(|_| AtomicU64::new(0)).collect();
        let (next, figures) = (AtomicU64::new(0), Mutex::default());
        Ok(Self { settings, root, folder, samples, start: Instant::now(), next, running, figures })
    }

    fn work(&self, worker: usize) {
        let Self { settings, root, folder, samples, .. } = self;
        let bench = Bench { root, folder, samples, seed: settings.seed, worker };
        let running = &self.running[worker];
        let now = || u64::try_from(self.start.elapsed().as_millis()).unwrap_or(0).max(1);
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= settings.count {
                break;
            }
            let number = settings.first + number;
            let begin = || running.store(now(), Ordering::Relaxed);
            let outcome = bench.run(number, begin, || running.store(0, Ordering::Relaxed));
            let binary =
                settings.binary.as_ref().filter(|_| number.is_multiple_of(settings.sample));
            let differences = binary.map(|binary| compare(&bench, number, binary, &outcome));
            let mut figures = self.figures.lock().unwrap_or_else(PoisonError::into_inner);
            for (line, code) in &outcome.codes {
                *figures.codes.entry((line[1].clone(), *code)).or_default() += 1;
            }
            figures.longest = figures.longest.max(outcome.longest);
            figures.by_binary += u64::from(binary.is_some());
            figures.inputs += u64::from(outcome.is_simulated.is_some());
            figures.simulated += u64::from(outcome.is_simulated == Some(true));
            for fault in outcome.faults.into_iter().chain(differences.into_iter().flatten()) {
                println!("document {number}: {fault}");
                figures.faults += 1;
            }
        }
    }

    /// Ends the process where a run takes too long: it cannot be stopped otherwise.
    fn watch(&self, done: &AtomicBool) {
        while !done.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(200));
            for (worker, running) in self.running.iter().enumerate() {
                let started = Duration::from_millis(running.load(Ordering::Relaxed));
                if !started.is_zero() && self.start.elapsed().saturating_sub(started) > LONGEST {
                    println!("worker {worker}: a run takes over {LONGEST:?}; its document is kept");
                    std::process::exit(1);
                }
            }
        }
    }

    fn report(&self) -> ExitCode {
        let figures = self.figures.lock().unwrap_or_else(PoisonError::into_inner);
        let (runs, took) = (figures.codes.values().sum::<u64>(), self.start.elapsed());
        let (count, by_binary) = (self.settings.count, figures.by_binary);
        println!("{count} documents, {runs} runs in {took:.1?}, {by_binary} by the binary too");
        for ((command, code), count) in &figures.codes {
            println!("{command:10} exit {code:3}  {count}");
        }
        let (inputs, simulated) = (figures.inputs, figures.simulated);
        println!("{inputs} inputs of simulations, {simulated} of them simulated");
        println!("longest run {:.3?}; exit codes of the contract: {CODES:?}", figures.longest);
        println!("{} faults", figures.faults);
        if figures.faults > 0 {
            return ExitCode::FAILURE;
        }
        let _ = std::fs::remove_dir_all(&self.folder);
        ExitCode::SUCCESS
    }
}

/// Runs the real binary, and holds its exit codes against those within this process.
fn compare(bench: &Bench<'_>, number: u64, binary: &Path, outcome: &run::Outcome) -> Vec<String> {
    let (file, _) = bench.prepare(number);
    let mut faults = Vec::new();
    for (line, code) in &outcome.codes {
        let mut command = Command::new(binary);
        command.args(&line[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match command.status().map(|status| status.code()) {
            Ok(Some(found)) if found == i32::from(*code) => {}
            found => faults.push(format!("binary: {found:?}, not {code}: {}", line.join(" "))),
        }
    }
    if faults.is_empty() {
        let _ = std::fs::remove_file(file);
    }
    faults
}
