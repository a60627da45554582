//! Networks for the engine, from nothing: games of self-play make positions with results ([`datagen`]), which are kept in
//! a compact file ([`data`]), and a trainer finds the weights that predict them ([`train`]). Nothing here prints, and no
//! file is touched but those that are given. `docs/networks.md` says how it is used, and why it is done this way.

pub mod data;
pub mod datagen;
mod gradient;
mod imitate;
mod optimizer;
pub mod plot;
mod samples;
pub mod train;
