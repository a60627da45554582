//! Work that keeps a thread of the runtime from everybody else: what a task does at one go is timed, and counted if it
//! takes longer than a millisecond.

use metrics::{counter, histogram};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

/// From here on a go is slow: everybody else on that thread waits as long.
const SLOW: Duration = Duration::from_millis(1);

pin_project_lite::pin_project! {
    /// A future whose every go is timed.
    struct Watched<F> {
        of: &'static str,
        #[pin]
        inner: F,
    }
}

/// Times every go of a task; `of` is the kind of task, for the figures.
pub fn watched<F: Future>(of: &'static str, inner: F) -> impl Future<Output = F::Output> {
    Watched { of, inner }
}

impl<F: Future> Future for Watched<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let start = Instant::now();
        let polled = this.inner.poll(context);
        let took = start.elapsed();
        if took > SLOW {
            counter!("husun_slow_goes_total", "of" => *this.of).increment(1);
            histogram!("husun_slow_go_seconds", "of" => *this.of).record(took.as_secs_f64());
            tracing::debug!(of = this.of, ?took, "a slow go");
        }
        polled
    }
}
