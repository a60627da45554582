//! The interface fed with keys, clicks and answers, and observed through a terminal in memory.

use super::app::App;
use super::board::Layout;
use super::menu::{Choice, Menu};
use super::view;
use crate::play::engine_thread::{Answer, Purpose};
use crate::play::timed_game::{Player, TimedGame};
use crate::play::{Look, Terms};
use engine::{Level, Score, SearchResult};
use games::Catalogue;
use husun::clock::TimeControl;
use husun::{Position, Reason, Side};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::layout::Rect;
use std::fs;
use std::sync::LazyLock;
use std::time::Duration;

const NOW: Duration = Duration::from_secs(1);
static NO_GAMES: LazyLock<Catalogue> = LazyLock::new(Catalogue::default);

fn position(game: &str, fen: &str) -> Position {
    let variant = games::variant(game).unwrap();
    match fen {
        "" => variant.start(),
        fen => variant.position(fen).unwrap(),
    }
}

fn app_with(game: &str, fen: &str, terms: Terms) -> App<'static> {
    let timed = TimedGame::new(position(game, fen), terms, Duration::ZERO).unwrap();
    App::new(&NO_GAMES, timed, Look::default())
}

fn two(game: &str, fen: &str) -> App<'static> {
    app_with(game, fen, Terms::two_players(TimeControl::None))
}

fn against(game: &str, side: Side) -> App<'static> {
    let terms = Terms::against(side, Level::FULL, TimeControl::None);
    app_with(game, "", terms)
}

fn code(app: &mut App<'_>, code: KeyCode) {
    app.key(KeyEvent::new(code, KeyModifiers::NONE), NOW);
}

/// Types a text; a line feed is Enter.
fn keys(app: &mut App<'_>, text: &str) {
    for c in text.chars() {
        code(
            app,
            if c == '\n' {
                KeyCode::Enter
            } else {
                KeyCode::Char(c)
            },
        );
    }
}

fn screen_of(app: &mut App<'_>, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| view::draw(frame, app, NOW)).unwrap();
    terminal.backend().to_string()
}

fn screen(app: &mut App<'_>) -> String {
    screen_of(app, 100, 40)
}

fn moves(app: &App<'_>) -> Vec<String> {
    app.timed().game().san_moves()
}

fn found(app: &App<'_>, uci: &str, cp: i32) -> Answer {
    Answer::Done(SearchResult {
        best: Some(app.position().parse_uci(uci).unwrap()),
        ponder: None,
        score: Score::Cp(cp),
        pv: Vec::new(),
        accept: false,
        depth: 1,
        nodes: 1,
    })
}

#[test]
fn a_piece_is_taken_up_and_put_down_with_the_cursor() {
    let mut app = two("chess", "");
    code(&mut app, KeyCode::Enter);
    assert!(app.selected.is_some());
    assert!(screen(&mut app).contains('*'), "targets are marked");
    code(&mut app, KeyCode::Up);
    code(&mut app, KeyCode::Up);
    code(&mut app, KeyCode::Enter);
    assert_eq!(moves(&app), ["e4"]);
    assert!(screen(&mut app).contains("1 e4"));
    // The other player's piece, and a square that is nobody's.
    code(&mut app, KeyCode::Enter);
    assert!(app.selected.is_none());
    assert!(app.message.1.contains("neither a piece of yours"));
}

#[test]
fn a_piece_is_moved_with_the_mouse() {
    let mut app = two("citadelir2024", "");
    screen(&mut app);
    let click = |app: &mut App<'_>, square: &str| {
        let layout = app.layout.clone().unwrap();
        let picture = render::Picture::of(app.position()).view(app.view);
        let square = app.position().variant().frame().parse(square).unwrap();
        let (x, y) = picture.place(square).unwrap();
        let (w, h) = layout.cell;
        let mouse = MouseEvent {
            kind: MouseEventKind::Down(MouseButton::Left),
            column: layout.board.x + 3 + u16::from(x) * w + w - 1,
            row: layout.board.y + u16::from(y) * h + h - 1,
            modifiers: KeyModifiers::NONE,
        };
        app.mouse(mouse, NOW);
    };
    let m = app.position().legal_moves()[0];
    let name = |s| app.position().variant().frame().name(s).to_string();
    let (from, to) = (name(m.from()), name(m.to()));
    click(&mut app, &from);
    assert_eq!(app.selected, Some(m.from()));
    click(&mut app, &to);
    assert_eq!(app.timed().ply(), 1);
}

#[test]
fn promotion_asks_what_to_become_and_may_be_declined() {
    let fen = "4k5/10/P9/10/10/10/10/10/10/4K5 w - - 0 1";
    let mut app = two("grand", fen);
    let square = |name: &str| {
        position("grand", fen)
            .variant()
            .frame()
            .parse(name)
            .unwrap()
    };
    app.click(square("a8"), NOW);
    app.click(square("a9"), NOW);
    let shown = screen(&mut app);
    assert!(
        shown.contains("Queen") && shown.contains("stays Pawn"),
        "{shown}"
    );
    keys(&mut app, "r");
    assert_eq!(moves(&app), ["a9=R"]);

    let mut app = two("grand", fen);
    app.click(square("a8"), NOW);
    app.click(square("a9"), NOW);
    code(&mut app, KeyCode::Up);
    keys(&mut app, "\n");
    assert_eq!(moves(&app), ["a9"]);

    let mut app = two("grand", fen);
    app.click(square("a8"), NOW);
    app.click(square("a9"), NOW);
    code(&mut app, KeyCode::Esc);
    assert!(app.popup.is_none() && app.timed().ply() == 0);
}

#[test]
fn typed_moves_and_words() {
    let mut app = two("capablanca", "");
    keys(&mut app, "e4\nd7d5\nexd5\n");
    assert_eq!(moves(&app), ["e4", "d5", "exd5"]);
    assert!(screen(&mut app).contains("lost  p"));
    keys(&mut app, "Kx9\n");
    assert!(!app.message.1.is_empty() && app.entry == "Kx9");
    code(&mut app, KeyCode::Esc);
    keys(&mut app, "flip\n");
    assert_eq!(app.view, Side::Black);
    keys(&mut app, "moves\n");
    assert!(screen(&mut app).contains("legal moves"));
    code(&mut app, KeyCode::Esc);
    keys(&mut app, "?");
    assert!(screen(&mut app).contains("promote the Kings"));
}

#[test]
fn the_computer_answers_and_undo_goes_back_to_the_player() {
    let mut app = against("chess", Side::White);
    assert_eq!(app.wish(), None);
    keys(&mut app, "e4\n");
    let wish = app.wish().unwrap();
    assert_eq!(wish.purpose, Purpose::Move(Level::FULL));
    assert!(screen(&mut app).contains("thinking"));
    let answer = found(&app, "e7e5", 0);
    app.hear(answer, NOW);
    assert_eq!(moves(&app), ["e4", "e5"]);
    code(&mut app, KeyCode::F(6));
    assert_eq!(moves(&app), Vec::<String>::new());
    keys(&mut app, "e4\n");
    assert_ne!(
        app.wish(),
        Some(wish),
        "another question than before the undo"
    );
    // As Black, the computer's first move cannot be taken back.
    let mut app = against("chess", Side::Black);
    let answer = found(&app, "e2e4", 0);
    app.hear(answer, NOW);
    code(&mut app, KeyCode::F(6));
    assert_eq!(moves(&app), ["e4"]);
}

#[test]
fn a_hint_is_asked_for_and_shown() {
    let mut app = against("chess", Side::White);
    code(&mut app, KeyCode::F(5));
    assert_eq!(app.wish().map(|w| w.purpose), Some(Purpose::Hint));
    let answer = found(&app, "g1f3", 0);
    app.hear(answer, NOW);
    assert!(app.hint.is_some() && app.wish().is_none());
    assert!(screen(&mut app).contains("Hint: Nf3"));
}

#[test]
fn resigning_asks_first() {
    let mut app = against("citadel8", Side::White);
    code(&mut app, KeyCode::F(8));
    assert!(screen(&mut app).contains("Resign the game?"));
    keys(&mut app, "n");
    assert!(app.timed().game().outcome().is_none());
    code(&mut app, KeyCode::F(8));
    keys(&mut app, "y");
    let outcome = app.timed().game().outcome().unwrap();
    assert_eq!(
        (outcome.winner, outcome.reason),
        (Some(Side::Black), Reason::Resignation)
    );
    assert!(screen(&mut app).contains("Black wins by resignation"));
    assert_eq!(app.wish(), None);
}

#[test]
fn draws_are_offered_agreed_on_and_declined() {
    let mut app = two("chess", "");
    code(&mut app, KeyCode::F(7));
    keys(&mut app, "e4\n");
    assert!(app.message.1.contains("A draw is offered"));
    code(&mut app, KeyCode::F(7));
    let outcome = app.timed().game().outcome().unwrap();
    assert_eq!(outcome.reason, Reason::Agreement);

    let mut app = against("chess", Side::White);
    code(&mut app, KeyCode::F(7));
    assert!(app.message.1.contains("declines"));
    // It takes one where it stands worse, but not in the opening.
    let steps = [
        ("a3", "a7a6"),
        ("b3", "b7b6"),
        ("c3", "c7c6"),
        ("d3", "d7d6"),
        ("e3", "e7e6"),
        ("f3", "f7f6"),
        ("g3", "g7g6"),
        ("h3", "h7h6"),
        ("a4", "a6a5"),
        ("c4", "c6c5"),
    ];
    for (step, answer) in steps {
        keys(&mut app, &format!("{step}\n"));
        let answer = found(&app, answer, -900);
        app.hear(answer, NOW);
    }
    code(&mut app, KeyCode::F(7));
    assert_eq!(
        app.timed().game().outcome().unwrap().reason,
        Reason::Agreement
    );
}

#[test]
fn the_kings_are_promoted_in_lieu_of_a_move() {
    let fen = "4q5/10/8k1/10/10/10/10/3K6/10/4Q5 w - - - 0 1";
    let mut app = two("strike100", fen);
    keys(&mut app, "e1g1e\n");
    assert!(screen(&mut app).contains("Ctrl-K"));
    app.key(
        KeyEvent::new(KeyCode::Char('k'), KeyModifiers::CONTROL),
        NOW,
    );
    keys(&mut app, "y");
    assert_eq!(moves(&app)[1], "K=X");

    let mut app = two("strike100", fen);
    keys(&mut app, "e1g1e\n");
    let royal = app.position().royal_square(Side::Black).unwrap();
    app.click(royal, NOW);
    app.click(royal, NOW);
    assert!(screen(&mut app).contains("Make the Kings Emperors"));
    code(&mut app, KeyCode::Enter);
    assert_eq!(moves(&app)[1], "K=X");
}

#[test]
fn mate_may_be_accepted_where_all_moves_are_optional() {
    let fen = "1s1q1Kn1sb/b1fi1f1f2/9f/10/10/10/1Fk1P5/F5B3/3F1F4/BS1NQ1N1S1 b Q - - 6 12";
    let mut app = two("strike100", fen);
    code(&mut app, KeyCode::F(9));
    keys(&mut app, "y");
    assert_eq!(
        app.timed().game().outcome().unwrap().reason,
        Reason::Checkmate
    );
    let mut app = two("strike100", "");
    code(&mut app, KeyCode::F(9));
    assert!(app.popup.is_none() && app.message.1.contains("Nothing to accept"));
}

#[test]
fn games_are_saved_and_loaded() {
    let folder = std::env::temp_dir().join(format!("husun-tui-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("game.pgn");
    let type_path = |app: &mut App<'_>| {
        for _ in 0..20 {
            code(app, KeyCode::Backspace);
        }
        keys(app, &format!("{}\n", path.display()));
    };
    let mut app = two("citadel9", "");
    keys(&mut app, "e4\ne6\n");
    code(&mut app, KeyCode::F(2));
    assert!(screen(&mut app).contains("citadel9.pgn"));
    type_path(&mut app);
    assert!(app.message.1.starts_with("Saved"), "{}", app.message.1);
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.contains("[Variant \"citadel9\"]") && text.contains("1. e4 e6 *"),
        "{text}"
    );

    let mut app = two("chess", "");
    keys(&mut app, "e4\n");
    app.save(&path.display().to_string());
    assert!(app.message.1.contains("exists already"));
    code(&mut app, KeyCode::F(3));
    type_path(&mut app);
    assert_eq!(moves(&app), ["e4", "e6"]);
    assert!(app.take_other_game());
    assert_eq!(app.position().variant().id(), "citadel9");
    keys(&mut app, "load /nowhere/x.pgn\n");
    assert!(app.message.1.contains("/nowhere/x.pgn: cannot be read"));
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn both_countdowns_of_a_tiger_clock_run() {
    let control = "tiger:10s+5s".parse().unwrap();
    let mut app = app_with("chess", "", Terms::two_players(control));
    keys(&mut app, "e4\n");
    let shown = screen(&mut app);
    assert!(shown.contains("engaged 0:09.0  reserve 0:05.0"), "{shown}");
    app.look_at_clock(Duration::from_secs(10));
    assert!(app.timed().game().outcome().is_none());
    app.look_at_clock(Duration::from_secs(11));
    let outcome = app.timed().game().outcome().unwrap();
    assert_eq!(
        (outcome.winner, outcome.reason),
        (Some(Side::White), Reason::Time)
    );
}

#[test]
fn every_game_fits_and_a_small_terminal_says_so() {
    for id in games::ids() {
        let mut app = two(id, "");
        let frame = app.position().variant().frame().clone();
        for (width, height) in [(80, 24), (100, 40), (200, 60)] {
            let shown = screen_of(&mut app, width, height);
            let names = (1..=frame.ranks()).map(|r| format!("\"{r:>2}").replace("\" ", "\""));
            for name in names {
                let found = shown
                    .lines()
                    .any(|line| line.replace("\" ", "\"").starts_with(&name));
                assert!(found, "{id} {width}x{height}: {name}\n{shown}");
            }
            assert!(shown.contains("F10Quit"), "{id} {width}x{height}");
        }
    }
    let mut app = two("citadelir2024", "");
    let shown = screen_of(&mut app, 50, 12);
    assert!(shown.contains("at least 63 by 18"), "{shown}");
    assert!(app.layout.is_none());
    code(&mut app, KeyCode::Enter);
}

#[test]
fn clicks_on_the_bar_find_their_key() {
    let layout = Layout::new(Rect::new(0, 0, 100, 40), 8, 8).unwrap();
    assert_eq!(layout.bar_key(0, 39), Some(1));
    assert_eq!(layout.bar_key(7, 39), Some(2));
    assert_eq!(layout.bar_key(99, 39), None);
    assert_eq!(layout.bar_key(0, 38), None);
}

#[test]
fn the_cursor_reaches_every_square() {
    for id in games::ids() {
        let mut app = two(id, "");
        let count = app.position().variant().frame().len();
        let mut seen = vec![false; count];
        let mut todo = vec![app.cursor];
        while let Some(square) = todo.pop() {
            if std::mem::replace(&mut seen[square.index()], true) {
                continue;
            }
            for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
                app.cursor = square;
                app.step(dx, dy);
                todo.push(app.cursor);
            }
        }
        assert!(seen.iter().all(|s| *s), "{id}");
    }
}

#[test]
fn the_menu_sets_a_game_up() {
    let terms = Terms::against(Side::White, Level::FULL, TimeControl::None);
    let mut menu = Menu::new(&NO_GAMES, terms);
    let press = |menu: &mut Menu, code: KeyCode| {
        menu.take(&Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
    };
    let ids: Vec<&str> = games::in_order().collect();
    let wanted = ids.iter().position(|id| *id == "citadel8").unwrap();
    for _ in 0..wanted {
        press(&mut menu, KeyCode::Down);
    }
    for key in ['-', 'p', 'c', 's'] {
        press(&mut menu, KeyCode::Char(key));
    }
    let mut terminal = Terminal::new(TestBackend::new(100, 40)).unwrap();
    terminal.draw(|frame| menu.draw(frame)).unwrap();
    let shown = terminal.backend().to_string();
    for text in [
        "› citadel8",
        "you play Black",
        "7 ███████",
        "tiger:120m+60s",
        "swapped",
    ] {
        assert!(shown.contains(text), "{text}\n{shown}");
    }
    let Choice::Play(position, terms) = press(&mut menu, KeyCode::Enter) else {
        panic!("Enter plays");
    };
    assert_eq!(position.variant().start_of("swapped"), Some(*position));
    let seven = Level::new(7).unwrap();
    assert_eq!(terms.players, [Player::Computer(seven), Player::Human]);
    assert!(matches!(press(&mut menu, KeyCode::Esc), Choice::Quit));
}
