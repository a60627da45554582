//! Any bytes as the network of a game, or as a file of its positions, after the game's hash, which no fuzzer finds: refused,
//! or a network that judges and positions that can be learned from.
#![no_main]

use engine::network::{self, Identity, Network};
use engine::{Engine, Options};
use husun_fuzz::variants;
use libfuzzer_sys::fuzz_target;
use training::data::{self, Reader};
use training::train::Collection;

fuzz_target!(|input: &[u8]| {
    let Some((&first, rest)) = input.split_first() else {
        return;
    };
    let all = variants();
    let variant = &all[usize::from(first) % all.len()];
    let with_head = |magic: &[u8; 8], version: u16, game: Identity| {
        [&magic[..], &version.to_le_bytes(), &game.0, rest].concat()
    };
    let bytes = with_head(
        b"HUSUNNET",
        network::VERSION,
        Identity::apart_from_start(variant),
    );
    match Network::read(variant, &bytes) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(_) => {
            let engine = Engine::tuned(variant.clone(), None, Some(&bytes), Options::default());
            assert!(engine.evaluate(&variant.start()).is_some());
        }
    }
    let bytes = with_head(b"HUSUNPOS", data::VERSION, Identity::of(variant));
    let Ok(mut reader) = Reader::new(&bytes[..], variant) else {
        return;
    };
    let mut all = None;
    while let Ok(Some(game)) = reader.next_game() {
        let all = all.get_or_insert_with(|| Collection::new(variant));
        if all.add(&game).is_err() {
            return;
        }
    }
});
