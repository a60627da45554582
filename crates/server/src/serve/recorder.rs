//! Where figures are gathered for `/metrics`.

use super::figures;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use std::sync::OnceLock;

/// Upper bounds of the histograms' buckets in seconds: all of them hold times, from a commit to a long thought.
const BUCKETS: [f64; 14] = [
    0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0,
];

/// One recorder a process, however many servers it runs.
pub(super) fn recorder() -> PrometheusHandle {
    static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();
    let install = || {
        let builder = PrometheusBuilder::new();
        let builder = match builder.set_buckets(&BUCKETS) {
            Ok(builder) => builder,
            Err(error) => {
                tracing::warn!(%error, "metrics are without histograms");
                PrometheusBuilder::new()
            }
        };
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        if metrics::set_global_recorder(recorder).is_err() {
            tracing::warn!("metrics are recorded elsewhere");
        }
        figures::describe();
        handle
    };
    RECORDER.get_or_init(install).clone()
}
