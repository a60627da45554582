//! Any text as a move in UCI form, in random positions of all games.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((position, text)) = husun_fuzz::position_and_text(data) else { return };
    let legal = position.legal_moves();
    if let Ok(m) = position.parse_uci(text) {
        assert!(legal.contains(&m));
    }
    for &m in &legal {
        let uci = position.uci(m).to_string();
        assert_eq!(position.parse_uci(&uci), Ok(m), "{position:?} {uci}");
    }
});
