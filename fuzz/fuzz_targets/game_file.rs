//! Any text as a game file: refused with file, line and key, or a game that can be played.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match games::parse("fuzz.toml", text) {
        Err(error) => {
            assert!(error.line >= 1 && !error.key.is_empty());
            assert!(!error.to_string().is_empty());
        }
        Ok(variant) => {
            let mut position = variant.start();
            for _ in 0..4 {
                let moves = position.legal_moves();
                assert_eq!(moves.len(), husun::twin::legal_moves(&position).len());
                assert_eq!(moves.len() as u64, position.count_moves());
                let Some(&m) = moves.get(moves.len() / 2) else { break };
                assert_eq!(position.parse_san(&position.san(m).unwrap()), Ok(m));
                position = position.play_unchecked(m);
            }
        }
    }
});
