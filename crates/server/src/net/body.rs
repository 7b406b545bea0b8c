//! Bodies of requests, read within limits, and bodies of answers, in one or several pieces.

use super::Limits;
use crate::Payload;
use crate::wire::{Code, Status};
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::time::timeout;

/// Reads the whole body of a request.
pub(super) async fn read(body: Incoming, limits: Limits) -> Result<Vec<u8>, Status> {
    let too_slow = || {
        let seconds = limits.time.as_secs_f64();
        Status::new(Code::DeadlineExceeded, format!("the body took more than {seconds} s"))
    };
    timeout(limits.time, collect(body, limits)).await.unwrap_or_else(|_| Err(too_slow()))
}

async fn collect(mut body: Incoming, limits: Limits) -> Result<Vec<u8>, Status> {
    let too_large = || {
        let message = format!("the body has more than {} bytes", limits.body);
        Status::new(Code::ResourceExhausted, message)
    };
    // The client announced it in the head: nothing of such a body is read.
    if body.size_hint().lower() > limits.discarded() {
        return Err(too_large());
    }
    let (mut bytes, mut seen) = (Vec::new(), 0);
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let frame = frame.map_err(|error| Status::invalid(format!("the body ends: {error}")))?;
        // Trailers have no bytes of the body.
        let Ok(data) = frame.into_data() else { continue };
        seen += data.len() as u64;
        // What exceeds the limit is read and dropped, so that the client gets to read the answer.
        if seen <= limits.body {
            bytes.extend_from_slice(&data);
        } else if seen > limits.discarded() {
            break;
        }
    }
    if seen > limits.body { Err(too_large()) } else { Ok(bytes) }
}

/// The body of an answer.
pub(super) struct AnswerBody {
    pieces: VecDeque<Bytes>,
    length: Option<u64>,
}

impl From<Payload> for AnswerBody {
    fn from(payload: Payload) -> Self {
        match payload {
            Payload::Whole(text) => {
                let length = Some(text.len() as u64);
                let pieces = if text.is_empty() { VecDeque::new() } else { [text.into()].into() };
                Self { pieces, length }
            }
            Payload::Pieces(texts) => {
                Self { pieces: texts.into_iter().map(Bytes::from).collect(), length: None }
            }
        }
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.pieces.pop_front().map(|piece| Ok(Frame::data(piece))))
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}
