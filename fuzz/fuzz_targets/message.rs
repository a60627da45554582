//! Messages of the socket, one a line, by the two players of a game in turn: whatever is decoded is carried out or
//! refused, and what was carried out makes the same game again.

#![no_main]

use husun::Side;
use libfuzzer_sys::fuzz_target;
use play::table::{Chance, Entry, Person, SeatSpec, Spec, Table};
use play::{Both, Circumstances, Who};
use std::sync::Arc;
use std::time::Duration;
use wire::show::{self, Moment};

/// Games that differ in their special rules, and the families.
const GAMES: [(&str, bool); 5] = [
    ("strike80", false),
    ("citadel9", false),
    ("alhusun", false),
    ("Citadel", true),
    ("TigerSquares", true),
];

fn spec(choice: u8) -> Spec {
    let (name, family) = GAMES[usize::from(choice) % GAMES.len()];
    Spec {
        variant: (!family).then(|| name.into()),
        family: family.then(|| name.into()),
        fen: None,
        control: "tiger:20s+1s".parse().expect("a clock"),
        takebacks: choice & 128 == 0,
        public: None,
        clocks_wait: choice & 64 == 0,
        tournament: None,
        rated: choice & 2 == 2,
        engine_resigns: false,
        seats: Both::of(|_| SeatSpec::default()),
        seed: 0,
    }
}

/// A die that always shows the same.
struct Dice(u8);

impl Chance for Dice {
    fn die(&mut self) -> u8 {
        self.0
    }

    fn number(&mut self) -> String {
        "number".into()
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&choice, rest)) = data.split_first() else { return };
    let spec = spec(choice);
    let mut table = Table::new(spec.clone(), Arc::default()).expect("a game");
    let mut entries: Vec<Entry> = Vec::new();
    let mut keep = |table: &mut Table, event, at| {
        table.apply(&event, at).expect("what was decided applies");
        entries.push(Entry { seq: table.seq(), at: table.at(), event });
    };
    for (side, name) in [(Side::White, "a"), (Side::Black, "b")] {
        let person = Person { guest: name.into(), name: name.into(), account: choice & 1 == 1, bot: choice & 4 == 4 };
        for event in table.joined(Who::Player(side), person, name.into()) {
            keep(&mut table, event, Duration::ZERO);
        }
    }
    for (n, line) in String::from_utf8_lossy(rest).lines().enumerate() {
        let at = Duration::from_millis(n as u64 * 150);
        if let Some(event) = table.follow_up() {
            keep(&mut table, event, at);
        }
        if let Some(event) = table.overdue(at, Duration::ZERO, n % 2 == 0, &mut Dice(2)) {
            keep(&mut table, event, at);
        }
        let Ok(message) = wire::read::decode(line) else { continue };
        let again = serde_json::to_string(&message).expect("what was read is written");
        assert_eq!(wire::read::decode(&again).expect("and read again"), message);
        let Some(deed) = wire::read::deed_of(message) else { continue };
        let circumstances = Circumstances { away: Both::of(|_| (n % 3 == 0).then_some(Duration::ZERO)), ..Circumstances::at(at) };
        let side = table.turn().unwrap_or(Side::ALL[n % 2]);
        for who in [Who::Player(side), Who::Player(side.opponent()), Who::Counsellor(side), Who::Watcher] {
            let decided = table.decide(who, &deed, &circumstances, &mut Dice(3));
            for event in decided.into_iter().flatten() {
                keep(&mut table, event, at);
            }
        }
    }
    let told = |table: &Table| {
        let presence = Default::default();
        let moment = Moment { at: table.at(), presence: &presence, trouble: None, running: true };
        show::now(table, &moment)
    };
    let again = Table::replay(spec, &entries, Arc::default()).expect("what was kept is read");
    assert_eq!(told(&again), told(&table));
});
