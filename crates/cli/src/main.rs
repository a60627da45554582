//! The program `husun`.

fn main() {}
