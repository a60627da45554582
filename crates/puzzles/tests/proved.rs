//! The puzzles of the games: each is read, has a single solution, and holds against every defence, which is checked move by move
//! with the library's own games. What it takes is bounded by the positions that are reached, not by a clock.

use husun::{Game, Move, Outcome, Position, Side, Status};
use puzzles::{Goal, Puzzle, Solver};
use std::collections::HashSet;
use std::sync::Mutex;
use std::thread::available_parallelism;

/// Puzzles of each game.
const EACH: usize = 100;
/// The most positions that the proof of one puzzle takes, and those of a game.
const PROOF: u64 = 200_000;
const GAME: u64 = 2_000_000;

/// How many games of the citadel family there are, in all their forms: each has puzzles.
const OWN: usize = 11;

/// The games that have puzzles.
fn own_games() -> Vec<&'static str> {
    let ids: Vec<_> = games::in_order()
        .filter(|id| games::puzzles(id).is_some())
        .collect();
    assert!(ids.len() >= OWN, "{ids:?}");
    ids
}

fn puzzles_of(id: &str) -> Vec<Puzzle> {
    let text = games::puzzles(id).unwrap_or_default();
    let variant = games::variant(id).unwrap();
    puzzles::read(&variant, id, text).unwrap_or_else(|e| panic!("{e}"))
}

/// Each game on a thread.
fn each_game(check: impl Fn(&str) + Sync) {
    let ids = Mutex::new(own_games());
    let next = || ids.lock().unwrap().pop();
    let work = || {
        while let Some(id) = next() {
            check(id);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
}

fn is_good(outcome: Outcome, side: Side, goal: Goal) -> bool {
    match goal {
        Goal::Win => outcome.winner == Some(side),
        Goal::Draw => outcome.winner != Some(side.opponent()),
    }
}

/// After a move of the solver's side: whatever the opponent does, the goal is reached within so many moves.
fn holds(place: &str, game: &Game, side: Side, goal: Goal, left: u32, solver: &mut Solver) {
    if let Some(outcome) = game.outcome() {
        assert!(is_good(outcome, side, goal), "{place}: {outcome:?}");
        return;
    }
    assert!(left > 0, "{place}: the game goes on");
    if game.position().can_accept() {
        let outcome = game.clone().accept().unwrap();
        assert!(is_good(outcome, side, goal), "{place}: {outcome:?}");
    }
    for defence in game.position().legal_moves() {
        let mut game = game.clone();
        game.play(defence).unwrap();
        if let Some(outcome) = game.outcome() {
            assert!(is_good(outcome, side, goal), "{place}: {outcome:?}");
            continue;
        }
        let position = game.position().clone();
        let fewest = (1..=left).find(|&n| solver.forces(&position, goal, n).unwrap());
        let fewest = fewest.unwrap_or_else(|| panic!("{place}: {}", position.uci(defence)));
        let answer = solver.forcing(&position, goal, fewest).unwrap()[0];
        game.play(answer).unwrap();
        holds(place, &game, side, goal, fewest - 1, solver);
    }
}

#[test]
fn every_puzzle_has_one_solution_and_holds_against_every_defence() {
    each_game(|id| {
        let all = puzzles_of(id);
        assert_eq!(all.len(), EACH, "{id}");
        let mut positions = HashSet::new();
        let mut visited = 0;
        for puzzle in &all {
            let place = format!("{id}, puzzle {}", puzzle.id());
            assert!(positions.insert(puzzle.position().key()), "{place}");
            let mut solver = Solver::new(PROOF);
            let proved = puzzle.prove(&mut solver);
            proved.unwrap_or_else(|e| panic!("{place}: {e}"));
            let mut game = Game::new(puzzle.position().clone());
            game.play(puzzle.line()[0]).unwrap();
            let (goal, left) = (puzzle.goal(), puzzle.moves() - 1);
            holds(&place, &game, puzzle.side(), goal, left, &mut solver);
            visited += solver.visited();
        }
        assert!(visited <= GAME, "{id}: {visited} positions");
    });
}

#[test]
fn more_puzzles_take_two_moves_than_one() {
    for id in own_games() {
        let all = puzzles_of(id);
        let count = |n: u32| all.iter().filter(|p| p.moves() == n).count();
        assert!(
            5 * count(1) <= 2 * all.len(),
            "{id}: {} of one move",
            count(1)
        );
        assert!(count(2) > count(1), "{id}: {} of two moves", count(2));
    }
}

/// The moves that win within so many moves, by the slowest search that there is.
fn winning(position: &Position, moves: u32) -> Vec<Move> {
    let side = position.turn();
    let won = |p: &Position| p.winner(p.status()) == Some(side);
    let over = |p: &Position| p.status() != Status::Ongoing;
    let mut all = position.legal_moves();
    all.retain(|&m| {
        let after = position.play_unchecked(m);
        if over(&after) || moves == 1 {
            return won(&after);
        }
        if after.can_accept() && !after.in_check() {
            return false;
        }
        after.legal_moves().into_iter().all(|defence| {
            let next = after.play_unchecked(defence);
            match over(&next) {
                true => won(&next),
                false => !winning(&next, moves - 1).is_empty(),
            }
        })
    });
    all.sort();
    all
}

#[test]
fn the_solver_finds_what_the_slowest_search_finds() {
    each_game(|id| {
        let all = puzzles_of(id);
        for moves in 1..=2 {
            let short = all.iter().filter(|p| p.moves() == moves).take(3);
            for puzzle in short {
                let found = Solver::new(PROOF).forcing(puzzle.position(), Goal::Win, moves);
                assert_eq!(
                    found.unwrap(),
                    winning(puzzle.position(), moves),
                    "{id}, puzzle {}",
                    puzzle.id()
                );
            }
        }
    });
}
