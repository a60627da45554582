//! Any text as a move in algebraic notation, in random positions of all games.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((position, text)) = husun_fuzz::position_and_text(data) else { return };
    let legal = position.legal_moves();
    if let Ok(m) = position.parse_san(text) {
        assert!(legal.contains(&m));
    }
    for &m in &legal {
        let san = position.san_among(m, &legal).unwrap();
        assert_eq!(position.parse_san(&san), Ok(m), "{position:?} {san}");
    }
});
