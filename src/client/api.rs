//! The calls of Armada's API that commands use.

use super::answer::nonsense;
use super::request::{self, Kind};
use super::text::clean;
use super::transport::Transport;
use super::{ClientError, FailedQueue, Fields, Form, Live, Queues, Request, Trouble};
use crate::config::{BaseUrl, Connection};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// A server. Cheap to clone; its methods may run at the same time ([`super::bounded`]).
///
/// Reads, replacements and deletes are tried again where the server may recover; creations never
/// are. Every error says in a person's words what is wrong and what to do.
#[derive(Debug, Clone)]
pub struct Client {
    transport: Arc<Transport>,
    form: Arc<OnceCell<Form>>,
}

/// How a queue was created.
#[derive(Debug, Clone)]
pub enum Creation {
    /// With a PUT, which grants only the rights in the body.
    Put,
    /// With a POST, which may grant the caller all rights; whether the PUT after it was done, which
    /// takes them away.
    Post(Result<(), ClientError>),
}

impl Client {
    /// A client of a server. For `execAuth` the program is run here, once. `log` is told of every
    /// request and the status of its answer, without what is secret.
    pub fn new(connection: &Connection, log: Option<fn(&str)>) -> Result<Self, ClientError> {
        let transport = Arc::new(Transport::new(connection, log)?);
        Ok(Self { transport, form: Arc::default() })
    }

    /// The base address.
    pub fn base(&self) -> &BaseUrl {
        self.transport.base()
    }

    /// A policy as the server holds it; none if there is none of this name.
    pub async fn policy(&self, name: &str) -> Result<Option<Live>, ClientError> {
        self.get(&request::get(Kind::Policy, name)?).await
    }

    /// All policies, by name.
    pub async fn policies(&self) -> Result<Vec<Fields>, ClientError> {
        #[derive(Deserialize)]
        struct List<'t> {
            #[serde(borrow, default, rename = "retryPolicies")]
            items: Option<Vec<&'t RawValue>>,
        }
        let request = request::policies();
        let answer = self.transport.send(&request).await?;
        let text = answer.text(&request, &self.transport.sent())?;
        let list: List<'_> =
            serde_json::from_str(text).map_err(|error| nonsense(&request, &error.to_string()))?;
        let items = list.items.unwrap_or_default().into_iter();
        items.map(|item| fields(&request, item.get())).collect()
    }

    /// Creates a policy. Armada overwrites one of the same name: look first.
    pub async fn create_policy(&self, body: &Fields) -> Result<(), ClientError> {
        self.write(&request::create(Kind::Policy, body)?).await
    }

    /// Replaces a policy; an error if it is not there.
    pub async fn update_policy(&self, name: &str, body: &Fields) -> Result<(), ClientError> {
        self.write(&request::put(Kind::Policy, name, body, None)?).await
    }

    /// Deletes a policy. Armada detaches it from every queue, and one that is not there is no
    /// error: look first.
    pub async fn delete_policy(&self, name: &str) -> Result<(), ClientError> {
        self.write(&request::delete(Kind::Policy, name)?).await
    }

    /// A queue as the server holds it; none if there is none of this name.
    pub async fn queue(&self, name: &str) -> Result<Option<Live>, ClientError> {
        self.get(&request::get(Kind::Queue, name)?).await
    }

    /// All queues, by name, as they come.
    pub async fn queues(&self) -> Result<Queues, ClientError> {
        Queues::open(Arc::clone(&self.transport), request::queues()).await
    }

    /// Creates a queue. Armada overwrites one of the same name: look first.
    ///
    /// The request is a PUT, which grants only the rights in the body: a POST without
    /// `userOwners` makes the caller an owner. A server that refuses to PUT a queue that does
    /// not exist gets a POST, and then the PUT again, which takes the caller's rights away.
    pub async fn create_queue(&self, name: &str, body: &Fields) -> Result<Creation, ClientError> {
        let put = request::put_new(Kind::Queue, name, body)?;
        match self.write(&put).await {
            Err(error) if error.trouble == Trouble::NotFound => {
                self.write(&request::create(Kind::Queue, body)?).await?;
                Ok(Creation::Post(self.write(&put).await))
            }
            outcome => outcome.map(|()| Creation::Put),
        }
    }

    /// Replaces a queue as a whole: what the body leaves out is reset, and a queue that is not
    /// there is created. With `if_match` only as long as that is its version; if it is not any
    /// more, the error's trouble is [`Trouble::Changed`]. Without it the request is sent once: what
    /// the body was made from may have changed by the time of a second attempt.
    pub async fn put_queue(
        &self,
        name: &str,
        body: &Fields,
        if_match: Option<&str>,
    ) -> Result<(), ClientError> {
        self.write(&request::put(Kind::Queue, name, body, if_match)?).await
    }

    /// Deletes a queue; one that is not there is no error.
    pub async fn delete_queue(&self, name: &str) -> Result<(), ClientError> {
        self.write(&request::delete(Kind::Queue, name)?).await
    }

    /// Creates queues in one request; gives those that the server did not take. Not atomic.
    pub async fn create_queues(&self, bodies: &[Fields]) -> Result<Vec<FailedQueue>, ClientError> {
        self.batch(&request::create_queues(bodies)).await
    }

    /// Replaces queues in one request; gives those that the server did not take. Not atomic.
    pub async fn update_queues(&self, bodies: &[Fields]) -> Result<Vec<FailedQueue>, ClientError> {
        self.batch(&request::update_queues(bodies)).await
    }

    /// Whether the server is there and well.
    pub async fn health(&self) -> Result<(), ClientError> {
        let request = request::health();
        let answer = self.transport.send(&request).await?;
        answer.text(&request, &self.transport.sent()).map(|_| ())
    }

    /// Whether the server lets the caller in: `/health` needs no credentials, a list of queues does.
    pub async fn authenticate(&self) -> Result<(), ClientError> {
        let transport = Arc::clone(&self.transport);
        let mut queues = Queues::open(transport, request::first_queue()).await?;
        queues.next().await.map(|_| ())
    }

    /// The form of policies that the server takes, read once. A description that is not there or
    /// cannot be read means the deployed form; only a server that cannot be reached is an error.
    pub async fn form(&self) -> Result<Form, ClientError> {
        self.form.get_or_try_init(|| self.read_form()).await.copied()
    }

    async fn read_form(&self) -> Result<Form, ClientError> {
        match self.transport.send(&request::swagger()).await {
            Ok(answer) => Ok(Form::of(&answer.body)),
            Err(error) if matches!(error.trouble, Trouble::Unreachable | Trouble::TimedOut) => {
                Err(error)
            }
            Err(_) => Ok(Form::Deployed),
        }
    }

    async fn get(&self, request: &Request) -> Result<Option<Live>, ClientError> {
        match self.transport.send(request).await {
            Ok(answer) => {
                let text = answer.text(request, &self.transport.sent())?;
                let fields = fields(request, text)?;
                Ok(Some(Live { fields, etag: answer.etag }))
            }
            Err(error) if error.trouble == Trouble::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Sends what changes something. Only an answer in JSON is believed: a login page is no yes.
    async fn write(&self, request: &Request) -> Result<(), ClientError> {
        let answer = self.transport.send(request).await?;
        let text = answer.text(request, &self.transport.sent())?;
        fields(request, text).map(|_| ())
    }

    async fn batch(&self, request: &Request) -> Result<Vec<FailedQueue>, ClientError> {
        #[derive(Deserialize)]
        struct Outcome {
            #[serde(default, rename = "failedQueues")]
            failed: Option<Vec<Failed>>,
        }
        #[derive(Deserialize)]
        struct Failed {
            #[serde(default)]
            queue: Name,
            #[serde(default)]
            error: String,
        }
        #[derive(Deserialize, Default)]
        struct Name {
            #[serde(default)]
            name: String,
        }
        let answer = self.transport.send(request).await?;
        let text = answer.text(request, &self.transport.sent())?;
        let outcome: Outcome =
            serde_json::from_str(text).map_err(|error| nonsense(request, &error.to_string()))?;
        let failed = outcome.failed.unwrap_or_default().into_iter();
        Ok(failed
            .map(|failed| FailedQueue { name: failed.queue.name, error: clean(&failed.error) })
            .collect())
    }
}

fn fields(request: &Request, text: &str) -> Result<Fields, ClientError> {
    Fields::parse(text).map_err(|error| nonsense(request, &error.to_string()))
}
