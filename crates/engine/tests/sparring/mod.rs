//! Opponents of known habits to measure the levels against, and games between them: the Grabber, the Counter and the
//! levels themselves. Everything is the same in every run from the same seed.

pub mod bots;
pub mod contest;
