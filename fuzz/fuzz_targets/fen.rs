//! Any text as position text: refused with a reason, or a position whose text and moves hold together.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((variant, text)) = husun_fuzz::game_and_text(data) else { return };
    let Ok(position) = variant.position(text) else { return };
    let fen = position.fen();
    let again = variant.position(&fen).expect("canonical text is read");
    assert_eq!(position, again);
    let moves = position.legal_moves();
    assert_eq!(moves.len() as u64, position.count_moves());
    let mut fast = moves.clone();
    let mut slow = husun::twin::legal_moves(&position);
    fast.sort();
    slow.sort();
    assert_eq!(fast, slow, "{fen}");
    position.status();
    for m in moves {
        let next = position.play_unchecked(m).fen();
        variant.position(&next).unwrap_or_else(|e| panic!("{fen} {}: {next}: {e}", position.uci(m)));
    }
});
