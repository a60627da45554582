//! What is answered before the server takes players: that it lives, and how far it is with its start.

use super::Failure;
use crate::refusal::Reason;
use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;
use tower::ServiceExt;

/// The way to all routes, which opens when the start is over.
#[derive(Clone)]
pub struct Gate {
    shared: Arc<Shared>,
}

struct Shared {
    routes: OnceLock<Router>,
    since: Instant,
    trouble: Mutex<String>,
}

impl Gate {
    /// A gate that is closed.
    pub fn new() -> Gate {
        Gate {
            shared: Arc::new(Shared {
                routes: OnceLock::new(),
                since: Instant::now(),
                trouble: Mutex::default(),
            }),
        }
    }

    /// All that is answered.
    pub fn router(&self) -> Router {
        Router::new().fallback(pass).with_state(self.clone())
    }

    /// Opens the gate.
    pub fn open(&self, routes: Router) {
        // Opened once.
        let _ = self.shared.routes.set(routes);
    }

    /// Tells why the start takes long.
    pub fn tell(&self, trouble: &str) {
        let told = self.shared.trouble.lock();
        *told.unwrap_or_else(PoisonError::into_inner) = trouble.into();
    }

    fn closed(&self) -> Failure {
        let told = self.shared.trouble.lock();
        let trouble = told.unwrap_or_else(PoisonError::into_inner).clone();
        let seconds = self.shared.since.elapsed().as_secs();
        let message = match trouble.is_empty() {
            true => {
                format!("the server is starting: it has been opening its storage for {seconds} s")
            }
            false => format!(
                "the server is starting: for {seconds} s it has been unable to open its storage: {trouble}"
            ),
        };
        Failure::of(Reason::Starting, message)
    }
}

impl Default for Gate {
    fn default() -> Gate {
        Gate::new()
    }
}

/// NUL, which nothing here has in its name, and PostgreSQL has in no text.
const NUL: &str = "%00";

async fn pass(State(gate): State<Gate>, request: Request) -> Response {
    let address = request.uri();
    if address.path().contains(NUL) {
        return Failure::of(
            Reason::NoSuchPath,
            "nothing has the character NUL in its address",
        )
        .into_response();
    }
    if address.query().is_some_and(|query| query.contains(NUL)) {
        let message = "the question has %00: expected one without the character NUL";
        return Failure::of(Reason::Query, message).into_response();
    }
    if let Some(routes) = gate.shared.routes.get() {
        return match routes.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
    }
    match request.uri().path() {
        "/healthz" => "alive\n".into_response(),
        _ => {
            let again = [(axum::http::header::RETRY_AFTER, "1")];
            (again, gate.closed()).into_response()
        }
    }
}
