//! The table against itself: whatever players do, the stored events make the same game again; and decisions that a row
//! of data cannot show.

mod clocks;
mod moderation;
mod plans;
mod waiting;

use super::*;
use crate::{Circumstances, Deed, Refused};

use husun::clock::Remaining;

type Tested = Result<(), Box<dyn std::error::Error>>;

const WHITE: Who = Who::Player(Side::White);
const BLACK: Who = Who::Player(Side::Black);

fn spec(variant: Option<&str>, family: Option<&str>, control: &str) -> Spec {
    Spec {
        variant: variant.map(Into::into),
        family: family.map(Into::into),
        fen: None,
        control: control.parse().unwrap_or(TimeControl::None),
        takebacks: true,
        public: None,
        clocks_wait: false,
        tournament: None,
        rated: false,
        engine_resigns: false,
        seats: Both::of(|side| SeatSpec {
            secret: String::new(),
            number: format!("number of {side:?}"),
            level: None,
            kept: None,
        }),
        seed: 1,
    }
}

fn person(name: &str) -> Person {
    Person {
        guest: format!("guest{name}"),
        name: name.into(),
        ..Person::default()
    }
}

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// A table with what was stored of it.
struct Kept {
    table: Table,
    entries: Vec<Entry>,
}

impl Kept {
    fn new(spec: Spec) -> Result<Kept, Misfit> {
        Ok(Kept {
            table: Table::new(spec, Arc::default())?,
            entries: Vec::new(),
        })
    }

    fn both_come(spec: Spec) -> Result<Kept, Misfit> {
        let mut kept = Kept::new(spec)?;
        for (who, name) in [(WHITE, "Ann"), (BLACK, "Bob")] {
            let events = kept.table.joined(who, person(name), format!("new {name}"));
            kept.store(events, ms(0))?;
        }
        Ok(kept)
    }

    fn store(&mut self, events: Vec<Event>, at: Duration) -> Result<(), Misfit> {
        for event in events {
            self.table.apply(&event, at)?;
            let (seq, at) = (self.table.seq(), self.table.at());
            self.entries.push(Entry { seq, at, event });
        }
        if let Some(event) = self.table.follow_up() {
            self.store(vec![event], at)?;
        }
        Ok(())
    }

    fn act(&mut self, who: Who, deed: Deed, at: Duration) -> Result<usize, Refused> {
        let events = self
            .table
            .decide(who, &deed, &Circumstances::at(at), &mut Dice(3))?;
        let n = events.len();
        let stored = self.store(events, at);
        assert!(stored.is_ok(), "{deed:?} was decided, and then {stored:?}");
        Ok(n)
    }
}

/// A die that always shows the same.
struct Dice(u8);

impl Chance for Dice {
    fn die(&mut self) -> u8 {
        self.0
    }

    fn number(&mut self) -> String {
        "counsel".into()
    }
}

/// What must agree between a game and its replay.
fn state(table: &Table, at: Duration) -> String {
    let clock = |side| table.clock().map(|clock| clock.remaining(side, at));
    format!(
        "{:?}",
        (
            StoredCard::of(table),
            (table.seq(), table.at(), table.played(), table.chat()),
            Both::of(clock),
            (
                table.draw_offer(),
                table.takeback_wish(),
                table.rematch_offer()
            ),
            (table.cut, table.offers),
            table.openers().collect::<Vec<_>>(),
        )
    )
}

/// Numbers that are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

fn random_deed(table: &Table, numbers: &mut Numbers) -> (Who, Deed) {
    let side = Side::ALL[numbers.below(2)];
    let ply = table.ply() as u32;
    let deed = match numbers.below(40) {
        0 => Deed::Draw { ply, seq: None },
        1 => Deed::DeclineDraw { ply },
        2 | 3 => Deed::Takeback { ply, seq: None },
        4 => Deed::DeclineTakeback { ply },
        5 => Deed::Chat {
            text: "well played".into(),
        },
        6 => Deed::Appoint { engine: true },
        7 => Deed::AskCounsel { ply },
        8 => Deed::Accept { ply, seq: None },
        9 if numbers.below(20) == 0 => Deed::Resign,
        10 => Deed::Move {
            ply: ply.saturating_sub(1),
            seq: None,
            text: "a1a2".into(),
        },
        11 => Deed::Rematch,
        _ => {
            let side = table.turn().unwrap_or(side);
            let text = table.game().map(|g| {
                let position = g.position();
                let moves = position.legal_moves();
                let m = moves.get(numbers.below(moves.len()));
                m.map(|&m| match numbers.below(2) {
                    0 => position.uci(m).to_string(),
                    _ => position.san(m).unwrap_or_default(),
                })
            });
            let text = text.flatten().unwrap_or_default();
            return (
                Who::Player(side),
                Deed::Move {
                    ply,
                    seq: None,
                    text,
                },
            );
        }
    };
    (Who::Player(side), deed)
}

/// Whatever is done, the events make the same game with the same clocks.
#[test]
fn events_make_the_same_game_again() -> Tested {
    let controls = [
        "tiger:3s+1s",
        "fischer:20s+1s",
        "delay:10s+1s",
        "byoyomi:5s+3x2s",
        "days:1",
        "none",
    ];
    for (n, id) in games::ids().enumerate() {
        let mut numbers = Numbers(n as u64);
        let mut spec = spec(Some(id), None, controls[n % controls.len()]);
        spec.clocks_wait = n % 2 == 0;
        let mut kept = Kept::both_come(spec)?;
        let mut at = ms(0);
        for _ in 0..300 {
            at += ms(numbers.below(300) as u64);
            if let Some(event) = kept.table.overdue(at, ms(100), false, &mut Dice(2)) {
                kept.store(vec![event], at)?;
            }
            let (who, deed) = random_deed(&kept.table, &mut numbers);
            // A refusal changes nothing.
            let before = kept.table.seq();
            if kept.act(who, deed, at).is_err() {
                assert_eq!(kept.table.seq(), before);
            }
        }
        let again = Table::replay(kept.table.spec().clone(), &kept.entries, Arc::default())?;
        let later = at + ms(50);
        assert_eq!(state(&kept.table, later), state(&again, later), "{id}");
        assert!(
            kept.table.ply() > 0 || kept.table.is_over(),
            "{id}: nothing was played"
        );
    }
    Ok(())
}

#[test]
fn a_repeated_move_changes_nothing_and_an_old_one_is_refused() -> Tested {
    let mut kept = Kept::both_come(spec(Some("chess"), None, "none"))?;
    let e4 = Deed::Move {
        ply: 0,
        seq: None,
        text: "e4".into(),
    };
    assert_eq!(kept.act(WHITE, e4.clone(), ms(1)), Ok(1));
    assert_eq!(kept.act(WHITE, e4.clone(), ms(2)), Ok(0));
    assert_eq!(
        kept.act(BLACK, e4, ms(3)),
        Err(Refused::Stale { given: 0, now: 1 })
    );
    let again = Deed::Move {
        ply: 1,
        seq: None,
        text: "d2d4".into(),
    };
    assert_eq!(kept.act(WHITE, again, ms(4)), Err(Refused::Turn));
    assert_eq!(kept.table.ply(), 1);
    Ok(())
}

#[test]
fn only_players_act() -> Tested {
    let kept = Kept::both_come(spec(Some("chess"), None, "none"))?;
    let chance = &mut Dice(1);
    for deed in [Deed::Resign, Deed::Abort, Deed::Draw { ply: 0, seq: None }] {
        let refused = kept
            .table
            .decide(Who::Watcher, &deed, &Circumstances::at(ms(1)), chance);
        assert_eq!(refused, Err(Refused::Watching));
        let who = Who::Counsellor(Side::White);
        let refused = kept
            .table
            .decide(who, &deed, &Circumstances::at(ms(1)), chance);
        assert_eq!(refused, Err(Refused::CounsellorOnly));
    }
    Ok(())
}

fn choose(name: &str, value: &str) -> Deed {
    Deed::Choose {
        name: name.into(),
        value: value.into(),
    }
}

#[test]
fn citadel_players_name_ranks_and_a_die_decides_between_them() -> Tested {
    // The die of these tests shows 3: odd, nine ranks.
    for (white, black, die, id) in [
        ("8", "8", None, "citadel8"),
        ("9", "9", None, "citadel9"),
        ("8", "9", Some(3), "citadel9"),
    ] {
        let mut kept = Kept::both_come(spec(None, Some("Citadel"), "none"))?;
        assert_eq!(kept.table.stage(), Stage::Customs);
        kept.act(WHITE, choose("ranks", white), ms(1))?;
        assert!(kept.act(WHITE, choose("ranks", black), ms(3)).is_err());
        kept.act(BLACK, choose("ranks", black), ms(4))?;
        assert_eq!(kept.table.customs().ok_or("no customs")?.die(), die);
        assert_eq!(kept.table.variant().map(|v| v.id()), Some(id));
        assert_eq!(kept.table.stage(), Stage::Playing);
    }
    Ok(())
}

#[test]
fn tigersquares_south_chooses_the_pieces_then_north_the_board() -> Tested {
    let mut kept = Kept::both_come(spec(None, Some("TigerSquares"), "tiger:1m+1s"))?;
    assert!(kept.act(BLACK, choose("board", "100"), ms(1)).is_err());
    assert!(kept.act(WHITE, choose("board", "100"), ms(1)).is_err());
    assert!(kept.act(WHITE, choose("pieces", "Storm"), ms(1)).is_err());
    kept.act(WHITE, choose("pieces", "Crossfire"), ms(2))?;
    kept.act(BLACK, choose("board", "100"), ms(3))?;
    assert_eq!(kept.table.variant().map(|v| v.id()), Some("crossfire100"));
    // In silence it is Strike, and then 80.
    let mut kept = Kept::both_come(spec(None, Some("TigerSquares"), "tiger:1m+1s"))?;
    for _ in 0..2 {
        let due = kept.table.deadline().ok_or("no deadline")?;
        assert_eq!(
            kept.table.overdue(due - ms(1), ms(0), false, &mut Dice(1)),
            None
        );
        let event = kept
            .table
            .overdue(due, ms(0), false, &mut Dice(1))
            .ok_or("nothing")?;
        kept.store(vec![event], due)?;
    }
    assert_eq!(kept.table.variant().map(|v| v.id()), Some("strike80"));
    assert!(
        kept.table
            .clock()
            .is_some_and(|c| c.turn() == Some(Side::White))
    );
    Ok(())
}

#[test]
fn a_counsellor_is_asked_once_when_the_choice_of_emperors_stands() -> Tested {
    let fen = "k3q5/10/10/10/10/10/10/4Q4K w - - - 0 1";
    let mut spec = spec(Some("strike80"), None, "none");
    spec.fen = Some(fen.into());
    let mut kept = Kept::both_come(spec)?;
    kept.act(BLACK, Deed::Appoint { engine: false }, ms(1))?;
    assert_eq!(
        kept.act(BLACK, Deed::AskCounsel { ply: 0 }, ms(2)),
        Err(Refused::CannotAsk)
    );
    let who = Who::Counsellor(Side::Black);
    let opener = kept.table.counsel_invitation(Side::Black);
    assert_eq!(opener, Some(&Opener::Number("counsel".into())));
    let events = kept.table.joined(who, person("Cleo"), "new Cleo".into());
    kept.store(events, ms(3))?;
    // The Queen Traverses from e1 to g1, two squares away.
    let traverse = Deed::Move {
        ply: 0,
        seq: None,
        text: "e1g1e".into(),
    };
    kept.act(WHITE, traverse, ms(4))?;
    assert!(kept.table.can_ask(Side::Black));
    let advice = Deed::Advise {
        text: "Promote them.".into(),
    };
    assert_eq!(
        kept.act(who, advice.clone(), ms(6)),
        Err(Refused::NotAskedForAdvice)
    );
    kept.act(BLACK, Deed::AskCounsel { ply: 1 }, ms(7))?;
    kept.act(who, advice.clone(), ms(8))?;
    assert_eq!(
        kept.act(who, advice, ms(9)),
        Err(Refused::NotAskedForAdvice)
    );
    assert_eq!(
        kept.act(BLACK, Deed::AskCounsel { ply: 1 }, ms(9)),
        Err(Refused::CannotAsk)
    );
    Ok(())
}

#[test]
fn damaged_events_are_told_by_number() -> Tested {
    let mut kept = Kept::both_come(spec(Some("chess"), None, "none"))?;
    let e4 = Deed::Move {
        ply: 0,
        seq: None,
        text: "e4".into(),
    };
    kept.act(WHITE, e4, ms(1))?;
    let mut broken = kept.entries.clone();
    broken[3].event = Event::Played {
        uci: "e2e5".into(),
        lag: 0,
        thought: None,
    };
    let error = Table::replay(kept.table.spec().clone(), &broken, Arc::default())
        .err()
        .ok_or("read")?;
    assert!(
        error
            .to_string()
            .starts_with("event 4 (Played { uci: \"e2e5\""),
        "{error}"
    );
    broken.remove(1);
    let error = Table::replay(kept.table.spec().clone(), &broken, Arc::default())
        .err()
        .ok_or("read")?;
    assert!(error.to_string().ends_with("expected event 2"), "{error}");
    Ok(())
}

#[test]
fn a_move_of_a_position_that_was_taken_back_is_not_played_again() -> Tested {
    let mut kept = Kept::both_come(spec(Some("chess"), None, "none"))?;
    let e4 = |seq| Deed::Move {
        ply: 0,
        seq,
        text: "e4".into(),
    };
    let before = kept.table.seq();
    kept.act(WHITE, e4(Some(before)), ms(1))?;
    kept.act(WHITE, Deed::Takeback { ply: 1, seq: None }, ms(2))?;
    kept.act(BLACK, Deed::Takeback { ply: 1, seq: None }, ms(3))?;
    // A duplicate that was delayed for long.
    assert_eq!(
        kept.act(WHITE, e4(Some(before)), ms(4)),
        Err(Refused::TakenBack)
    );
    assert_eq!(kept.table.ply(), 0);
    kept.act(WHITE, e4(Some(kept.table.seq())), ms(5))?;
    assert_eq!(kept.table.ply(), 1);
    Ok(())
}

#[test]
fn offers_are_bounded() -> Tested {
    let mut kept = Kept::both_come(spec(Some("strike80"), None, "none"))?;
    let offer = Deed::Draw { ply: 0, seq: None };
    kept.act(WHITE, offer.clone(), ms(1))?;
    kept.act(BLACK, Deed::DeclineDraw { ply: 0 }, ms(2))?;
    assert_eq!(
        kept.act(WHITE, offer, ms(3)),
        Err(Refused::OfferedAlready),
        "once in a position"
    );
    let before = kept.table.seq();
    let mut refused = None;
    for n in 0..5000 {
        let engine = n % 2 == 0;
        if let Err(error) = kept.act(WHITE, Deed::Appoint { engine }, ms(4)) {
            refused = Some(error);
            break;
        }
    }
    assert_eq!(refused, Some(Refused::TooManyOffers));
    assert!(kept.table.seq() - before <= 1000);
    // The game goes on.
    let position = kept.table.game().ok_or("no game")?.position();
    let m = position.uci(position.legal_moves()[0]).to_string();
    kept.act(
        WHITE,
        Deed::Move {
            ply: 0,
            seq: None,
            text: m,
        },
        ms(5),
    )?;
    Ok(())
}

#[test]
fn chat_is_bounded_in_lines_and_bytes() -> Tested {
    for (text, most) in [("x", 1000), ("\u{1f3f0}".repeat(500).as_str(), 65)] {
        let mut kept = Kept::both_come(spec(Some("chess"), None, "none"))?;
        for line in 0..most {
            let text = text.into();
            kept.act(WHITE, Deed::Chat { text }, ms(10))
                .map_err(|refused| format!("line {line}: {refused}"))?;
        }
        let text = text.into();
        let more = kept.act(BLACK, Deed::Chat { text }, ms(10));
        assert_eq!(more, Err(Refused::ChatFull));
    }
    Ok(())
}

#[test]
fn events_of_the_first_version_are_read() -> Tested {
    let spec: Spec = serde_json::from_str(
        r#"{"variant":"chess","family":null,"fen":null,"control":"none","takebacks":true,
        "seats":{"white":{"secret":"whiteword","level":null,"kept":null},
        "black":{"secret":"blackword","level":null,"kept":null}},"seed":1}"#,
    )?;
    let mut table = Table::new(spec, Arc::default())?;
    for text in [
        r#"{"e":"joined","side":"white","person":{"guest":"a","name":"Ann"}}"#,
        r#"{"e":"joined","side":"black","person":{"guest":"b","name":"Bob"}}"#,
        r#"{"e":"begun","variant":"chess"}"#,
        r#"{"e":"played","uci":"e2e4"}"#,
    ] {
        table.apply(&serde_json::from_str(text)?, ms(1))?;
    }
    assert_eq!(table.opener(BLACK), Some(&Opener::Word("blackword".into())));
    assert_eq!((table.ply(), table.stage()), (1, Stage::Playing));
    Ok(())
}
