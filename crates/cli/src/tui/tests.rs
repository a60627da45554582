//! The interface fed with keys and looked at.
