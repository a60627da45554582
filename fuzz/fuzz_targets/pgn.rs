//! Any bytes as a PGN file: games or errors with their place, and what was understood is written so
//! that it is understood again.
#![no_main]

use husun::pgn::Reader;
use husun::record::Record;
use libfuzzer_sys::fuzz_target;

fn find(name: &str) -> Option<std::sync::Arc<husun::Variant>> {
    games::variant(if name.is_empty() { games::ORTHODOX } else { name })
}

fuzz_target!(|data: &[u8]| {
    let mut reader = Reader::new(data);
    while let Some(result) = reader.next_game() {
        let Ok(raw) = result else { continue };
        let Ok(record) = Record::from_raw(&raw, find, String::new) else { continue };
        let Ok(Ok(text)) = record.to_raw().map(|raw| raw.to_pgn()) else { continue };
        let raw = text.parse().expect("what is written can be read");
        let again = Record::from_raw(&raw, find, String::new).expect("and understood");
        assert_eq!(again.main, record.main);
        record.game();
    }
});
