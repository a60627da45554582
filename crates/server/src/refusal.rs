//! Why something is not done, as it is told.

use crate::store::StoreError;
use crate::wire::Refusal;

/// Makes a refusal.
pub fn refusal(code: &str, message: impl Into<String>) -> Refusal {
    Refusal {
        code: code.into(),
        message: message.into(),
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Refusal {
        tracing::error!(%error, "the storage does not do what was asked");
        refusal(
            "storage",
            "the server cannot reach its storage at the moment; nothing was changed, try again",
        )
    }
}
