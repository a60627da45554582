//! Times and medians. Processor time is what is measured, so that neighbours on a shared machine matter
//! less; on an idle one it is the time from the command to the answer.

use cpu_time::ThreadTime;
use std::time::Duration;

/// What the work gives, with the processor time that it took.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = ThreadTime::now();
    let result = work();
    (result, start.elapsed())
}

/// The middle one; 0 of none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// Millions a second.
pub fn rate(count: u64, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64().max(1e-9) / 1e6
}
