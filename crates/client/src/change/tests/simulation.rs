//! A server without versions, its writers and their clock, in virtual time. Equal seeds give equal orders of
//! events.

use crate::change::QueueApi;
use crate::change::{Timing, Wait};
use crate::{ClientError, ClientErrorKind, Effect, Fields, Live};
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// The behaviour of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Server {
    /// A message takes 1 to 15 ms each way.
    Quick,
    /// One message in ten takes up to a second.
    Slow,
    /// One request in twenty fails, finally or temporarily, and may have been carried out.
    Faulty,
    /// The queue is deleted in the first second.
    Deleting,
    /// The server drops the field.
    Dropping,
}

/// An action of the server for a writer, with its time.
#[derive(Debug, Clone)]
pub enum Event {
    /// The server returned the queue with these policies.
    Get(Duration, Vec<String>),
    /// The server replaced the queue.
    Put(Duration),
}

/// The server and the clock of all writers.
pub struct Simulation(Rc<RefCell<State>>);

/// The connection of one writer to the server.
pub struct Caller {
    simulation: Simulation,
    writer: usize,
}

/// The clock of one writer.
pub struct Clock {
    simulation: Simulation,
    writer: usize,
    interrupted: bool,
}

struct State {
    server: Server,
    seed: u64,
    now: Duration,
    queue: Option<String>,
    deletion: Option<Duration>,
    events: Vec<Vec<Event>>,
    /// The times at which writers continue; the number keeps equal times in order.
    wakes: BinaryHeap<Reverse<(Duration, u64, usize)>>,
    count: u64,
}

type Run<T> = Pin<Box<dyn Future<Output = T>>>;

impl Simulation {
    pub fn new(server: Server, seed: u64) -> Self {
        let state = State {
            server,
            // Spreads neighbouring seeds, so that their random numbers differ.
            seed: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d,
            now: Duration::ZERO,
            queue: Some(r#"{"name":"q","priorityFactor":1.0,"x":1e400}"#.to_owned()),
            deletion: None,
            events: Vec::new(),
            wakes: BinaryHeap::new(),
            count: 0,
        };
        Self(Rc::new(RefCell::new(state)))
    }

    fn share(&self) -> Self {
        Self(Rc::clone(&self.0))
    }

    /// Runs all writers until the last one ends; returns their results.
    pub fn run<T, F: Future<Output = T> + 'static>(
        &self,
        writers: usize,
        begin: impl Fn(usize, Caller, Clock) -> F,
    ) -> Vec<T> {
        {
            let mut state = self.0.borrow_mut();
            state.events = vec![Vec::new(); writers];
            let second = state.millis(0, 1000);
            state.deletion = (state.server == Server::Deleting).then_some(second);
            for writer in 0..writers {
                let start = state.millis(0, 20);
                state.wake(start, writer);
            }
        }
        let own = |writer| (Caller { simulation: self.share(), writer }, self.share());
        let mut runs: Vec<Option<Run<T>>> = (0..writers)
            .map(|writer| {
                let (caller, simulation) = own(writer);
                let run = begin(writer, caller, Clock { simulation, writer, interrupted: false });
                Some(Box::pin(run) as Run<T>)
            })
            .collect();
        let mut outcomes: Vec<Option<T>> = (0..writers).map(|_| None).collect();
        let mut context = Context::from_waker(Waker::noop());
        loop {
            let next = self.0.borrow_mut().wakes.pop();
            let Some(Reverse((now, _, writer))) = next else { break };
            self.0.borrow_mut().now = now;
            let Some(run) = &mut runs[writer] else { continue };
            if let Poll::Ready(outcome) = run.as_mut().poll(&mut context) {
                outcomes[writer] = Some(outcome);
                runs[writer] = None;
            }
        }
        outcomes.into_iter().map(|outcome| outcome.expect("every writer ends")).collect()
    }

    /// The current queue.
    pub fn queue(&self) -> Option<Fields> {
        let text = self.0.borrow().queue.clone();
        text.map(|text| Fields::parse(text).expect("an object"))
    }

    /// The actions of the server for a writer.
    pub fn events(&self, writer: usize) -> Vec<Event> {
        self.0.borrow().events[writer].clone()
    }

    fn sleep(&self, writer: usize, time: Duration) -> Sleep {
        let deadline = self.0.borrow().now + time;
        Sleep { simulation: self.share(), writer, deadline }
    }
}

impl State {
    fn wake(&mut self, at: Duration, writer: usize) {
        self.count += 1;
        self.wakes.push(Reverse((at, self.count, writer)));
    }

    /// The next random number (splitmix64).
    fn next(&mut self) -> u64 {
        self.seed = self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.seed ^ (self.seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn millis(&mut self, least: u64, most: u64) -> Duration {
        Duration::from_micros(least * 1000 + self.next() % ((most - least) * 1000))
    }

    /// The time that a message takes in one direction.
    fn latency(&mut self) -> Duration {
        if self.server == Server::Slow && self.next().is_multiple_of(10) {
            self.millis(15, 1000)
        } else {
            self.millis(1, 15)
        }
    }

    /// Deletes the queue at its time, once.
    fn delete(&mut self) {
        if self.deletion.is_some_and(|at| self.now >= at) {
            (self.deletion, self.queue) = (None, None);
        }
    }

    /// The fault of a request, and whether the server carries the request out nevertheless.
    fn fault(&mut self) -> Option<(ClientError, bool)> {
        if self.server != Server::Faulty || !self.next().is_multiple_of(20) {
            return None;
        }
        let error =
            ClientError::new(ClientErrorKind::Server, "the server failed").effect(Effect::Possible);
        Some(match self.next() % 3 {
            0 => (error, false),
            1 => (error, true),
            _ => (ClientError { retry_after: Some(self.millis(100, 200)), ..error }, true),
        })
    }
}

impl Caller {
    /// Sends a request. The server carries it out between the two messages.
    async fn call<T>(&self, carry_out: impl FnOnce(&mut State) -> T) -> Result<T, ClientError> {
        let latency = self.simulation.0.borrow_mut().latency();
        self.simulation.sleep(self.writer, latency).await;
        let (result, latency) = {
            let state = &mut *self.simulation.0.borrow_mut();
            state.delete();
            let result = match state.fault() {
                None => Ok(carry_out(state)),
                Some((error, false)) => Err(error),
                Some((error, true)) => {
                    carry_out(state);
                    Err(error)
                }
            };
            (result, state.latency())
        };
        self.simulation.sleep(self.writer, latency).await;
        result
    }
}

impl QueueApi for Caller {
    async fn queue(&self, _: &str) -> Result<Option<Live>, ClientError> {
        let text = self.call(|state| {
            let list = state.queue.as_ref().map(|text| {
                let queue = Fields::parse(text.as_str()).expect("an object");
                super::policies(Some(&queue))
            });
            let event = Event::Get(state.now, list.unwrap_or_default());
            state.events[self.writer].push(event);
            state.queue.clone()
        });
        // A read has no effect.
        let text = text.await.map_err(|error| error.effect(Effect::None))?;
        let fields = text.map(|text| Fields::parse(text).expect("an object"));
        Ok(fields.map(|fields| Live { fields, etag: None }))
    }

    async fn put_queue(
        &self,
        _: &str,
        body: &Fields,
        if_match: Option<&str>,
    ) -> Result<(), ClientError> {
        assert_eq!(if_match, None, "the server has no versions, so If-Match must be absent");
        let text = body.text().to_owned();
        self.call(|state| {
            let event = Event::Put(state.now);
            state.events[self.writer].push(event);
            if state.server != Server::Dropping {
                state.queue = Some(text);
            }
        })
        .await
    }
}

impl Clock {
    /// The same clock after an interrupt: its waits end at once.
    pub fn interrupted(self) -> Self {
        Self { interrupted: true, ..self }
    }
}

impl Timing for Clock {
    fn elapsed(&self) -> Duration {
        self.simulation.0.borrow().now
    }

    #[expect(clippy::cast_precision_loss, reason = "chance needs no more than 53 bits")]
    fn draw(&mut self) -> f64 {
        (self.simulation.0.borrow_mut().next() >> 11) as f64 / 2_f64.powi(53)
    }

    async fn wait(&mut self, time: Duration) -> Wait {
        if self.interrupted {
            return Wait::Interrupted;
        }
        self.simulation.sleep(self.writer, time).await;
        Wait::Complete
    }

    async fn hold(&mut self, time: Duration) -> Wait {
        self.wait(time).await
    }
}

/// A wait in virtual time.
struct Sleep {
    simulation: Simulation,
    writer: usize,
    deadline: Duration,
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        let mut state = self.simulation.0.borrow_mut();
        if state.now >= self.deadline {
            return Poll::Ready(());
        }
        state.wake(self.deadline, self.writer);
        Poll::Pending
    }
}
