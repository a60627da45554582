//! UCI and XBoard: text to commands and back.
