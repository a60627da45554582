//! Any bytes as an XBoard session, with an engine that does not search.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let input = husun_fuzz::without_work(data);
    let mut answer = Vec::new();
    assert!(
        protocol::xboard::run(husun_fuzz::Idle, std::io::Cursor::new(input), &mut answer).is_ok()
    );
    assert!(std::str::from_utf8(&answer).is_ok());
});
