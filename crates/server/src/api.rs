//! Handling of requests, without sockets: tests call this directly.

use super::access::Access;
use super::answer::{Answer, Content};
use super::dialect::Dialect;
use super::head::Head;
use super::queues::{self, Condition, version};
use super::routes::{Call, Route, decode_percent, route};
use super::store::Store;
use super::wire::Status;
use super::{policies, swagger};

/// The API of a server.
#[derive(Debug)]
pub struct Api {
    /// The store.
    pub store: Store,
    /// The form of policies and the strictness.
    pub dialect: Dialect,
    /// The admitted callers.
    pub access: Access,
}

impl Api {
    /// The answer to a request; `None` if it depends on the body.
    pub fn answer_without_body(&self, head: &Head) -> Option<Answer> {
        let route = route(&head.method, &head.path);
        // Before the token is asked for: a probe of a load balancer has none.
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
                Some(Answer::redirect(&head.method, format!("{path}{query}{}", head.query)))
            }
            Route::Malformed => Some(Answer::new(400, Content::Bare, "400 Bad Request")),
        }
    }

    /// The answer to a request.
    pub fn answer(&self, head: &Head, body: &[u8]) -> Answer {
        if let Some(answer) = self.answer_without_body(head) {
            return answer;
        }
        match route(&head.method, &head.path) {
            Route::To(call, name) => self.call(call, &name, head, body),
            // Unreachable: `answer_without_body` handles the other routes.
            _ => Answer::new(404, Content::Plain, "Not Found\n"),
        }
    }

    fn call(&self, call: Call, name: &str, head: &Head, body: &[u8]) -> Answer {
        match call {
            Call::CreatePolicy
            | Call::UpdatePolicy
            | Call::DeletePolicy
            | Call::GetPolicy
            | Call::ListPolicies => self.call_policies(call, name, body),
            Call::Swagger => {
                Answer::new(200, Content::Json, swagger::document(self.dialect.form).to_string())
            }
            _ => self.call_queues(call, name, head, body),
        }
    }

    fn call_policies(&self, call: Call, name: &str, body: &[u8]) -> Answer {
        let (dialect, store) = (self.dialect, &self.store);
        Answer::of(match call {
            Call::GetPolicy => store.read(|connection| policies::get(name, connection)),
            Call::ListPolicies => store.read(policies::list),
            Call::CreatePolicy => {
                empty_message(store.write(|write| policies::create(dialect, body, write)))
            }
            Call::UpdatePolicy => {
                empty_message(store.write(|write| policies::update(dialect, name, body, write)))
            }
            _ => empty_message(store.write(|write| policies::delete(dialect, name, write))),
        })
    }

    fn call_queues(&self, call: Call, name: &str, head: &Head, body: &[u8]) -> Answer {
        let (dialect, store, caller) = (self.dialect, &self.store, self.access.caller());
        let condition = Condition::new(head.if_match.as_deref());
        match call {
            Call::GetQueue => {
                let queue = store.read(|connection| queues::get(name, connection));
                let version = queue.as_ref().ok().map(|queue| version(queue));
                Answer::of(queue).with_version(version)
            }
            Call::ListQueues => Answer::pieces(queue_limit(&head.query).and_then(|queue_limit| {
                store.read(|connection| queues::list(queue_limit, connection))
            })),
            Call::UpdateQueue => {
                let queue =
                    store.write(|write| queues::update(dialect, name, body, &condition, write));
                let version = queue.as_ref().ok().map(|queue| version(queue));
                Answer::of(empty_message(queue.map(drop))).with_version(version)
            }
            Call::CreateQueue => Answer::of(empty_message(
                store.write(|write| queues::create(dialect, caller, body, write)),
            )),
            Call::CreateQueues => {
                Answer::of(store.write(|write| queues::create_all(dialect, caller, body, write)))
            }
            Call::UpdateQueues => {
                Answer::of(store.write(|write| queues::update_all(dialect, body, write)))
            }
            _ => Answer::of(empty_message(
                store.write(|write| queues::delete(dialect, name, &condition, write)),
            )),
        }
    }
}

/// The empty message, for calls without a result.
fn empty_message(result: Result<(), Status>) -> Result<String, Status> {
    result.map(|()| "{}".to_owned())
}

/// Parses the query's `num`: the maximum of queues to return, 0 for all.
fn queue_limit(query: &str) -> Result<u32, Status> {
    let value = query.split('&').find_map(|pair| pair.strip_prefix("num="));
    let Some(value) = value else { return Ok(0) };
    // Go's `url.ParseQuery` reads a plus sign as a space.
    let text = decode_percent(&value.replace('+', " ")).unwrap_or_default();
    // Rust reads a sign too, which Go refuses.
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number).ok_or_else(|| {
        let why = if is_number { "value out of range" } else { "invalid syntax" };
        let text = document::diag::go_quote(&text);
        Status::invalid(format!("strconv.ParseUint: parsing {text}: {why}"))
    })
}

#[cfg(test)]
mod tests;
