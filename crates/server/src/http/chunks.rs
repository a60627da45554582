//! Large answers: written once as bytes, in chunks that go out one by one, within a budget for all answers under way.

use super::Failure;
use crate::work::{Budget, Share, WorkError};
use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::StreamExt;
use std::convert::Infallible;
use std::io;

/// Bytes of a chunk.
const CHUNK: usize = 16 << 10;

/// An answer in the making. What it holds is given back chunk by chunk as it is sent.
pub struct Chunks {
    budget: Budget,
    full: Vec<(Bytes, Share)>,
    last: Vec<u8>,
}

impl Chunks {
    /// A value as JSON.
    pub fn json(value: &impl serde::Serialize, budget: &Budget) -> Result<Chunks, Failure> {
        let mut chunks = Chunks {
            budget: budget.clone(),
            full: Vec::new(),
            last: Vec::new(),
        };
        // Nothing but the budget refuses to be written to.
        let written = serde_json::to_writer(&mut chunks, value).map_err(io::Error::from);
        written
            .and_then(|()| chunks.finish())
            .map_err(|_| Failure::from(WorkError::Busy))?;
        Ok(chunks)
    }

    fn finish(&mut self) -> io::Result<()> {
        let chunk = std::mem::take(&mut self.last);
        let share = self.budget.take(chunk.len()).map_err(io::Error::other)?;
        self.full.push((chunk.into(), share));
        Ok(())
    }
}

impl io::Write for Chunks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.last.len() >= CHUNK {
            self.finish()?;
        }
        let n = bytes.len().min(CHUNK - self.last.len());
        self.last.extend_from_slice(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl IntoResponse for Chunks {
    fn into_response(self) -> Response {
        let length: usize = self.full.iter().map(|(chunk, _)| chunk.len()).sum();
        let sent = futures_util::stream::unfold(self.full.into_iter(), |mut rest| async move {
            let (chunk, _share) = rest.next()?;
            // The others have their turn between two chunks: copying one into the connection takes a while.
            tokio::task::yield_now().await;
            Some((Ok::<_, Infallible>(chunk), rest))
        });
        // Compression asks once more after the end.
        let body = Body::from_stream(sent.fuse());
        let headers = [
            (header::CONTENT_TYPE, "application/json".into()),
            (header::CONTENT_LENGTH, length.to_string()),
        ];
        (headers, body).into_response()
    }
}
