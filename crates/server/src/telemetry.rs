//! Traces: what an act costs on its way from a socket over the bus to the game's task and the storage, sent by OTLP to a
//! collector that the operator names. Off unless one is named; a span costs nothing then, since nobody listens to it.

use crate::outgoing::Outgoing;
use async_trait::async_trait;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::TracerProvider;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use tracing::Span;
use tracing::subscriber::Subscriber;
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::Layer;
use tracing_subscriber::registry::LookupSpan;
use url::Url;

/// The target of all spans; logs leave it out.
pub const SPANS: &str = "husun_spans";
/// Where collectors take traces.
const PATH: &str = "v1/traces";
/// The field of the W3C's trace context.
const PARENT: &str = "traceparent";

/// Somebody listens to spans.
static ON: AtomicBool = AtomicBool::new(false);

/// A span of the way of an act, if somebody listens.
macro_rules! span {
    ($name:literal $(, $($field:tt)*)?) => {
        tracing::info_span!(target: $crate::telemetry::SPANS, $name $(, $($field)*)?)
    };
}
pub(crate) use span;

/// Where traces are sent.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TelemetryConfig {
    /// Address of a collector that takes OTLP over HTTP, as `http://127.0.0.1:4318`; none are made if it is missing.
    pub otlp: Option<String>,
    /// How many of a hundred acts are followed.
    pub percent: u8,
}

impl Default for TelemetryConfig {
    fn default() -> TelemetryConfig {
        TelemetryConfig {
            otlp: None,
            percent: 100,
        }
    }
}

/// Why traces cannot be sent.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The address is none.
    #[error(
        "telemetry.otlp = {0:?}: expected the address of a collector, such as \"http://127.0.0.1:4318\""
    )]
    Address(String),
    /// The exporter cannot be made.
    #[error("telemetry: {0}")]
    Exporter(String),
}

/// The way to a collector, until it is ended.
#[derive(Debug)]
pub struct Telemetry {
    provider: SdkTracerProvider,
}

impl Telemetry {
    /// Sends traces to a collector from now on, `percent` of them. Within a runtime, which sends them.
    pub fn start(otlp: &str, node: Option<&str>, percent: u8) -> Result<Telemetry, TelemetryError> {
        let wrong = || TelemetryError::Address(otlp.into());
        let base = Url::parse(otlp).map_err(|_| wrong())?;
        if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none() {
            return Err(wrong());
        }
        let url = format!("{}/{PATH}", base.as_str().trim_end_matches('/'));
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(Client {
                outgoing: Outgoing::new(true),
                runtime: tokio::runtime::Handle::current(),
            })
            .with_endpoint(url)
            .with_protocol(Protocol::HttpBinary)
            .build()
            .map_err(|error| TelemetryError::Exporter(error.to_string()))?;
        let name =
            opentelemetry::KeyValue::new("service.instance.id", node.unwrap_or("alone").to_owned());
        let resource = Resource::builder_empty()
            .with_service_name("husun")
            .with_attribute(name)
            .build();
        let sampler = Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(
            f64::from(percent) / 100.0,
        )));
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_sampler(sampler)
            .with_resource(resource)
            .build();
        ON.store(true, Relaxed);
        Ok(Telemetry { provider })
    }

    /// What listens to spans.
    pub fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a> + Send + Sync,
    {
        let tracer = self.provider.tracer("husun");
        let spans = tracing_subscriber::filter::filter_fn(|about| about.target() == SPANS);
        tracing_opentelemetry::layer()
            .with_tracer(tracer)
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_level(false)
            .with_tracked_inactivity(false)
            .with_filter(spans)
    }

    /// Sends what is left. It waits, so it belongs on a thread that may.
    pub fn end(&self) {
        ON.store(false, Relaxed);
        if let Err(error) = self.provider.shutdown() {
            tracing::warn!(%error, "the last traces are not sent");
        }
    }
}

/// Where a span is, as others are told who go on with it.
pub fn parent_of(span: &Span) -> Option<String> {
    if !ON.load(Relaxed) || span.is_disabled() {
        return None;
    }
    let mut fields = HashMap::new();
    TraceContextPropagator::new().inject_context(&span.context(), &mut fields);
    fields.remove(PARENT)
}

/// Has a span go on with what somebody else has begun, perhaps in another process.
pub fn go_on(span: &Span, parent: Option<&str>) {
    let Some(parent) = parent.filter(|_| ON.load(Relaxed) && !span.is_disabled()) else {
        return;
    };
    let fields = HashMap::from([(PARENT.to_owned(), parent.to_owned())]);
    // One that is no trace context begins a trace of its own.
    let _ = span.set_parent(TraceContextPropagator::new().extract(&fields));
}

/// Posts what the exporter's own thread has made.
#[derive(Debug)]
struct Client {
    outgoing: Outgoing,
    runtime: tokio::runtime::Handle,
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (head, body) = request.into_parts();
        let url = Url::parse(&head.uri.to_string())?;
        let outgoing = self.outgoing.clone();
        let posted = self
            .runtime
            .spawn(async move { outgoing.post(&url, head.headers, body).await });
        let answered = posted.await??;
        Ok(Response::builder()
            .status(answered.status)
            .body(Bytes::new())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_address_that_is_none_is_told() {
        for wrong in ["", "collector", "ftp://collector", "http://"] {
            let error = Telemetry::start(wrong, None, 100).err();
            let error = error.map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains("expected the address"), "{wrong:?}: {error}");
        }
    }

    #[test]
    fn where_nobody_listens_nothing_is_said() {
        let span = span!("act", game = "k3x9");
        assert_eq!(parent_of(&span), None);
        // What others say is passed over.
        go_on(
            &span,
            Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
        );
    }
}
