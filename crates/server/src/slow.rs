//! Work that keeps a thread of the runtime from everybody else: what a task does at one go is timed, and counted if it
//! takes more than a millisecond of the processor.

use metrics::{counter, histogram};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

/// From here on a go is slow: everybody else on that thread waits as long, or longer where the thread has to wait for a
/// core, which no work of ours can help.
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
        let start = worked();
        let polled = this.inner.poll(context);
        let took = worked().saturating_sub(start);
        if took > SLOW {
            counter!("husun_slow_goes_total", "of" => *this.of).increment(1);
            histogram!("husun_slow_go_seconds", "of" => *this.of).record(took.as_secs_f64());
            tracing::debug!(of = this.of, ?took, "a slow go");
        }
        polled
    }
}

/// Time that the processor has spent on this thread.
#[cfg(unix)]
fn worked() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(now).unwrap_or_default()
}

/// Time that has passed, where the processor's is not to be had.
#[cfg(not(unix))]
fn worked() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

#[cfg(test)]
mod tests {
    use super::worked;
    use std::time::{Duration, Instant};

    #[test]
    #[cfg(unix)]
    fn waiting_is_no_work() {
        let (start, at) = (worked(), Instant::now());
        std::thread::sleep(Duration::from_millis(50));
        assert!(worked() - start < Duration::from_millis(20));
        while worked() - start < Duration::from_millis(20) {
            assert!(at.elapsed() < Duration::from_secs(60), "work is counted");
        }
    }
}
