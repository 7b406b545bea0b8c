//! Lookout's REST API: its jobs, and the error and the debug JSON of a run.

use super::answer::{Answer, unreadable_answer};
use super::request::{self, RunText};
use super::request_context::Peer;
use super::transport::Transport;
use super::{ClientError, ClientErrorKind, Request};
use crate::config::Connection;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The client of a Lookout. It is cheap to clone.
#[derive(Debug, Clone)]
pub struct Lookout {
    transport: Arc<Transport>,
}

/// The jobs to list.
#[derive(Debug, Clone)]
pub struct JobFilter {
    /// Their queues; none for all.
    pub queues: Vec<String>,
    /// They were submitted at this time or later.
    pub from: Timestamp,
    /// They were submitted before this time.
    pub to: Timestamp,
}

/// The states of Lookout of jobs that have ended.
const ENDED: [&str; 5] = ["SUCCEEDED", "FAILED", "CANCELLED", "PREEMPTED", "REJECTED"];

impl JobFilter {
    /// The body of a request for some of the jobs. They are ordered by id, which is unique: other orders of Lookout let
    /// a page repeat or pass over jobs.
    fn page(&self, skip: usize, take: usize) -> Value {
        let filter = |field: &str, kind: &str, value: Value| json!({"field": field, "match": kind, "value": value, "isAnnotation": false});
        let mut filters = vec![
            filter("state", "anyOf", json!(ENDED)),
            filter("submitted", "greaterThanOrEqualTo", json!(self.from.to_string())),
            filter("submitted", "lessThan", json!(self.to.to_string())),
        ];
        if !self.queues.is_empty() {
            filters.push(filter("queue", "anyOf", json!(self.queues)));
        }
        json!({
            "filters": filters,
            "order": {"field": "jobId", "direction": "ASC"},
            "skip": skip,
            "take": take,
        })
    }
}

impl Lookout {
    /// Prepares requests to the Lookout at the connection's address. `log` receives every request and the status of its
    /// answer, without secrets.
    pub fn new(connection: &Connection, log: Option<fn(&str)>) -> Result<Self, ClientError> {
        Ok(Self { transport: Arc::new(Transport::new(connection, Peer::Lookout, log)?) })
    }

    /// Returns `take` jobs that have ended, as Lookout's objects, by id. `skip` jobs are passed over.
    pub async fn jobs(
        &self,
        filter: &JobFilter,
        skip: usize,
        take: usize,
    ) -> Result<Vec<Map<String, Value>>, ClientError> {
        #[derive(Deserialize)]
        struct Page {
            // Go writes an empty list as null. An answer without the key is not Lookout's.
            #[serde(deserialize_with = "Option::deserialize")]
            jobs: Option<Vec<Map<String, Value>>>,
        }
        let request = request::lookout_jobs(&filter.page(skip, take));
        let answer = self.transport.send(&request).await.map_err(fault)?;
        let page: Page = self.parse(&request, &answer)?;
        Ok(page.jobs.unwrap_or_default())
    }

    /// Returns a text of a run; `None` if Lookout has none.
    pub async fn run_text(&self, text: RunText, run: &str) -> Result<Option<String>, ClientError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Text {
            error_string: Option<String>,
        }
        let request = request::lookout_run_text(text, run);
        let answer = self.transport.find(&request, is_without_text).await.map_err(fault)?;
        let Some(answer) = answer else { return Ok(None) };
        let Text { error_string } = self.parse(&request, &answer)?;
        Ok(error_string.filter(|text| !text.is_empty()))
    }

    fn parse<T: for<'t> Deserialize<'t>>(
        &self,
        request: &Request,
        answer: &Answer,
    ) -> Result<T, ClientError> {
        let text = answer.text(request, &self.transport.context())?;
        serde_json::from_str(text).map_err(|error| {
            unreadable_answer(request, &document::diag::json_message(&error.to_string()))
                .help("check `--lookout-url`: Lookout's API is at `/api/v1` below it")
        })
    }
}

/// An error of Lookout, which answers faults of its database with 400.
fn fault(error: ClientError) -> ClientError {
    match error.kind {
        ClientErrorKind::Refused => ClientError { kind: ClientErrorKind::Server, ..error },
        _ => error,
    }
}

/// Whether an answer says that Lookout has no such text. It answers other faults with 400, too; these words are those of
/// `getjobrunerror.go` and `getjobrundebugmessage.go`. Releases without the call answer 404 in JSON.
fn is_without_text(answer: &Answer) -> bool {
    let body = String::from_utf8_lossy(&answer.body);
    match answer.status {
        400 => {
            body.contains("no error found for run")
                || body.contains("no debug message found for run")
        }
        404 => !answer.is_html() && body.trim_start().starts_with('{'),
        _ => false,
    }
}
