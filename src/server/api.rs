//! From a request to an answer. No sockets: tests call it directly.

use super::access::Access;
use super::answer::{Answer, Content};
use super::dialect::Dialect;
use super::queues::{self, Condition, version};
use super::routes::{Call, Route, decoded, route};
use super::store::Store;
use super::wire::Status;
use super::{policies, swagger};

/// A request without its body.
#[derive(Debug, Clone)]
pub struct Head {
    /// The method.
    pub method: String,
    /// The path as it was sent.
    pub path: String,
    /// The query; empty if there is none.
    pub query: String,
    /// The header `If-Match`.
    pub if_match: Option<String>,
    /// The header `Authorization`.
    pub authorization: Option<Vec<u8>>,
    /// The header `Origin`, which browsers send.
    pub origin: Option<String>,
    /// The headers `Host`, and the host of a target that is a whole URL.
    pub hosts: Vec<String>,
}

impl Head {
    /// A request without headers.
    pub fn new(method: &str, path: &str) -> Self {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let (method, path, query) = (method.to_owned(), path.to_owned(), query.to_owned());
        let hosts = Vec::new();
        Self { method, path, query, if_match: None, authorization: None, origin: None, hosts }
    }
}

/// The API of a server.
#[derive(Debug)]
pub struct Api {
    /// What is stored.
    pub store: Store,
    /// How it speaks.
    pub dialect: Dialect,
    /// Who may call.
    pub access: Access,
}

impl Api {
    /// The answer to a request whose body need not be read.
    pub fn at_once(&self, head: &Head) -> Option<Answer> {
        let route = route(&head.method, &head.path);
        if route == Route::To(Call::Health, String::new()) {
            let healthy = || Answer::new(204, Content::None, "");
            let admitted = self.access.admit_probe(head);
            return Some(admitted.map_or_else(|status| Answer::of(Err(status)), |()| healthy()));
        }
        if let Err(status) = self.access.admit(head) {
            return Some(Answer::of(Err(status)));
        }
        match route {
            Route::To(..) => None,
            Route::NotFound => Some(Answer::new(404, Content::Plain, "Not Found\n")),
            Route::WrongMethod(others) => {
                let answer = Answer::new(405, Content::Plain, "Method Not Allowed\n");
                Some(Answer { allowed: Some(others), ..answer })
            }
            Route::Moved(path) => {
                let query = if head.query.is_empty() { "" } else { "?" };
                Some(Answer::moved(&head.method, format!("{path}{query}{}", head.query)))
            }
            Route::Malformed => Some(Answer::new(400, Content::Bare, "400 Bad Request")),
        }
    }

    /// The answer to a request.
    pub fn answer(&self, head: &Head, body: &[u8]) -> Answer {
        if let Some(answer) = self.at_once(head) {
            return answer;
        }
        match route(&head.method, &head.path) {
            Route::To(call, name) => self.called(call, &name, head, body),
            // Answered at once.
            _ => Answer::new(404, Content::Plain, "Not Found\n"),
        }
    }

    fn called(&self, call: Call, name: &str, head: &Head, body: &[u8]) -> Answer {
        match call {
            Call::CreatePolicy
            | Call::UpdatePolicy
            | Call::DeletePolicy
            | Call::GetPolicy
            | Call::ListPolicies => self.on_policies(call, name, body),
            Call::Swagger => {
                Answer::new(200, Content::Json, swagger::document(self.dialect.form).to_string())
            }
            _ => self.on_queues(call, name, head, body),
        }
    }

    fn on_policies(&self, call: Call, name: &str, body: &[u8]) -> Answer {
        let (dialect, store) = (self.dialect, &self.store);
        Answer::of(match call {
            Call::GetPolicy => store.read(|connection| policies::get(name, connection)),
            Call::ListPolicies => store.read(policies::list),
            Call::CreatePolicy => done(store.write(|write| policies::create(dialect, body, write))),
            Call::UpdatePolicy => {
                done(store.write(|write| policies::update(dialect, name, body, write)))
            }
            _ => done(store.write(|write| policies::delete(dialect, name, write))),
        })
    }

    fn on_queues(&self, call: Call, name: &str, head: &Head, body: &[u8]) -> Answer {
        let (dialect, store, caller) = (self.dialect, &self.store, self.access.caller());
        let condition = Condition::new(head.if_match.as_deref());
        match call {
            Call::GetQueue => {
                let queue = store.read(|connection| queues::get(name, connection));
                let version = queue.as_ref().ok().map(|queue| version(queue));
                Answer::of(queue).versioned(version)
            }
            Call::ListQueues => Answer::pieces(
                most(&head.query)
                    .and_then(|most| store.read(|connection| queues::list(most, connection))),
            ),
            Call::UpdateQueue => {
                let queue =
                    store.write(|write| queues::update(dialect, name, body, &condition, write));
                let version = queue.as_ref().ok().map(|queue| version(queue));
                Answer::of(done(queue.map(drop))).versioned(version)
            }
            Call::CreateQueue => {
                Answer::of(done(store.write(|write| queues::create(dialect, caller, body, write))))
            }
            Call::CreateQueues => {
                Answer::of(store.write(|write| queues::create_all(dialect, caller, body, write)))
            }
            Call::UpdateQueues => {
                Answer::of(store.write(|write| queues::update_all(dialect, body, write)))
            }
            _ => Answer::of(done(
                store.write(|write| queues::delete(dialect, name, &condition, write)),
            )),
        }
    }
}

/// A call that gives nothing back gives an empty message.
fn done(result: Result<(), Status>) -> Result<String, Status> {
    result.map(|()| "{}".to_owned())
}

/// The query's `num`: how many queues are wanted, 0 for all.
fn most(query: &str) -> Result<u32, Status> {
    let given = query.split('&').find_map(|pair| pair.strip_prefix("num="));
    let Some(given) = given else { return Ok(0) };
    let text = decoded(&given.replace('+', " ")).unwrap_or_default();
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number).ok_or_else(|| {
        let why = if is_number { "value out of range" } else { "invalid syntax" };
        let text = super::wire::quote(&text);
        Status::invalid(format!("strconv.ParseUint: parsing {text}: {why}"))
    })
}

#[cfg(test)]
mod tests;
