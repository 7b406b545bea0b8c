//! The calls of Armada's API that commands use.

use super::answer::unreadable_answer;
use super::credential::Identity;
use super::request::{self, Kind};
use super::request_context::Peer;
use super::transport::Transport;
use super::{ClientError, ClientErrorKind, Effect, Fields, Queues, Request, WireForm};
use crate::config::{BaseUrl, Connection};
use document::diag::json_message;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// The client of a server. It is cheap to clone, and its methods may run concurrently
/// ([`super::run_bounded`]).
///
/// Reads, replacements and deletes are repeated if the server may recover; creations never are. Every error
/// has a message and, where possible, help.
#[derive(Debug, Clone)]
pub struct Client {
    transport: Arc<Transport>,
    form: Arc<OnceCell<WireForm>>,
}

/// A policy or queue of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Live {
    /// The fields, unknown ones included.
    pub fields: Fields,
    /// The version (`ETag`); `None` if the server has no versions.
    pub etag: Option<String>,
}

/// The way in which a queue was created.
#[derive(Debug, Clone)]
pub enum Creation {
    /// A PUT, which grants only the rights in the body.
    Put,
    /// A POST, which may grant the caller all rights, and a PUT, which removes them; the result is that of
    /// the PUT.
    Post(Result<(), ClientError>),
}

impl Client {
    /// Creates a client. The program of `execAuth` runs here, once. `log` receives every request and the
    /// status of its answer, without secrets.
    pub fn new(connection: &Connection, log: Option<fn(&str)>) -> Result<Self, ClientError> {
        let transport = Arc::new(Transport::new(connection, Peer::Armada, log)?);
        Ok(Self { transport, form: Arc::default() })
    }

    /// The base address.
    pub fn base(&self) -> &BaseUrl {
        self.transport.base()
    }

    /// The block of the context that authenticates; `None` for anonymous requests.
    pub fn auth(&self) -> Option<&'static str> {
        self.transport.context().auth
    }

    /// The user of the credentials. A token is renewed or asked for, if necessary; no request is sent to the server.
    pub async fn identity(&self) -> Result<Identity, ClientError> {
        self.transport.identity().await
    }

    /// Returns a policy of the server; `None` if there is none of this name.
    pub async fn policy(&self, name: &str) -> Result<Option<Live>, ClientError> {
        self.get(&request::get(Kind::Policy, name)?).await
    }

    /// Returns all policies, sorted by name.
    pub async fn policies(&self) -> Result<Vec<Fields>, ClientError> {
        #[derive(Deserialize)]
        struct List<'t> {
            #[serde(borrow, default, rename = "retryPolicies")]
            items: Option<Vec<&'t RawValue>>,
        }
        let request = request::policies();
        let answer = self.transport.send(&request).await?;
        let text = answer.text(&request, &self.transport.context())?;
        let list: List<'_> = serde_json::from_str(text)
            .map_err(|error| unreadable_answer(&request, &json_message(&error.to_string())))?;
        let items = list.items.unwrap_or_default().into_iter();
        items.map(|item| fields(&request, item.get())).collect()
    }

    /// Creates a policy. Armada overwrites one of the same name: callers test for it first.
    pub async fn create_policy(&self, body: &Fields) -> Result<(), ClientError> {
        self.write(&request::create(Kind::Policy, body)?).await
    }

    /// Replaces a policy; an error if there is none.
    pub async fn update_policy(&self, name: &str, body: &Fields) -> Result<(), ClientError> {
        self.write(&request::put(Kind::Policy, name, body, None)?).await
    }

    /// Deletes a policy. Armada detaches it from every queue, and a missing one is not an
    /// error: callers test for it first.
    pub async fn delete_policy(&self, name: &str) -> Result<(), ClientError> {
        self.write(&request::delete(Kind::Policy, name)?).await
    }

    /// Returns a queue of the server; `None` if there is none of this name.
    pub async fn queue(&self, name: &str) -> Result<Option<Live>, ClientError> {
        self.get(&request::get(Kind::Queue, name)?).await
    }

    /// Returns all queues, sorted by name, as a stream.
    pub async fn queues(&self) -> Result<Queues, ClientError> {
        Queues::open(Arc::clone(&self.transport), request::queues()).await
    }

    /// Creates a queue. Armada overwrites one of the same name: callers test for it first.
    ///
    /// The request is a PUT, which grants only the rights in the body; a POST without `userOwners` makes the
    /// caller an owner. If the server refuses the PUT of a queue that does not exist, a POST follows, and
    /// then the PUT again, which removes the caller's rights.
    pub async fn create_queue(&self, name: &str, body: &Fields) -> Result<Creation, ClientError> {
        let put = request::put_new(Kind::Queue, name, body)?;
        match self.write(&put).await {
            Err(error) if error.kind == ClientErrorKind::NotFound => {
                match self.write(&request::create(Kind::Queue, body)?).await {
                    // A PUT that succeeds shows that the POST did.
                    Err(error) if error.effect > Effect::None => match self.write(&put).await {
                        Ok(()) => Ok(Creation::Post(Ok(()))),
                        Err(_) => Err(error),
                    },
                    Err(error) => Err(error),
                    Ok(()) => Ok(Creation::Post(self.write(&put).await)),
                }
            }
            outcome => outcome.map(|()| Creation::Put),
        }
    }

    /// Replaces a queue as a whole: fields that the body lacks are reset, and a missing queue is created.
    /// With `if_match`, only while that is its version; otherwise the error's kind is
    /// [`ClientErrorKind::Changed`]. Without it, the request is sent once: the source of the body may have
    /// changed by the time of a second attempt.
    pub async fn put_queue(
        &self,
        name: &str,
        body: &Fields,
        if_match: Option<&str>,
    ) -> Result<(), ClientError> {
        self.write(&request::put(Kind::Queue, name, body, if_match)?).await
    }

    /// Deletes a queue; a missing one is not an error.
    pub async fn delete_queue(&self, name: &str) -> Result<(), ClientError> {
        self.write(&request::delete(Kind::Queue, name)?).await
    }

    /// Tests whether the server is available.
    pub async fn health(&self) -> Result<(), ClientError> {
        let request = request::health();
        let answer = self.transport.send(&request).await?;
        answer.text(&request, &self.transport.context()).map(|_| ())
    }

    /// Tests whether the server admits the caller with a list of queues; `/health` needs no credentials.
    pub async fn authenticate(&self) -> Result<(), ClientError> {
        let transport = Arc::clone(&self.transport);
        let mut queues = Queues::open(transport, request::first_queue()).await?;
        queues.next().await.map(|_| ())
    }

    /// Returns the form of policies that the server accepts, which is read once. A missing or invalid
    /// description counts as the deployed form; the only error is a server that cannot be reached.
    pub async fn form(&self) -> Result<WireForm, ClientError> {
        self.form.get_or_try_init(|| self.read_form()).await.copied()
    }

    async fn read_form(&self) -> Result<WireForm, ClientError> {
        match self.transport.send(&request::swagger()).await {
            Ok(answer) => Ok(WireForm::of(&answer.body)),
            Err(error)
                if matches!(
                    error.kind,
                    ClientErrorKind::Unreachable | ClientErrorKind::TimedOut
                ) =>
            {
                Err(error)
            }
            Err(_) => Ok(WireForm::Deployed),
        }
    }

    async fn get(&self, request: &Request) -> Result<Option<Live>, ClientError> {
        match self.transport.send(request).await {
            Ok(answer) => {
                let text = answer.text(request, &self.transport.context())?;
                let fields = fields(request, text)?;
                Ok(Some(Live { fields, etag: answer.etag }))
            }
            Err(error) if error.kind == ClientErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Sends a write. Only an answer in JSON is a success: a login page also has status 200.
    async fn write(&self, request: &Request) -> Result<(), ClientError> {
        let answer = self.transport.send(request).await?;
        let text = answer.text(request, &self.transport.context())?;
        fields(request, text).map(|_| ()).map_err(|error| error.effect(Effect::Possible))
    }
}

fn fields(request: &Request, text: &str) -> Result<Fields, ClientError> {
    Fields::parse(text).map_err(|error| unreadable_answer(request, &error.to_string()))
}
