//! Looks for games by keys, newest first. Each search goes along one index and through a bounded number of its rows, so
//! that what is rare among much that is frequent takes several pages and never long: a page then tells how far it came.

use super::{SAME, Seat, first_of};
use crate::StoreError;
use sqlx::any::AnyRow;
use sqlx::{AnyPool, Row};
use std::fmt::Write as _;

/// How many rows are gone through in the games' own order in the time of one that an index leads to.
pub const IN_ORDER: u32 = 4;

/// How a game is wanted to have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// White or Black has won.
    WonBy(Seat),
    /// Nobody has.
    Draw,
    /// The player who is looked for has won.
    PlayerWon,
    /// That player has lost.
    PlayerLost,
}

/// What is looked for: all that is said must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// Who has played, by id.
    pub player: Option<String>,
    /// Against whom, by id; with a player alone.
    pub opponent: Option<String>,
    /// The player's seat.
    pub seat: Option<Seat>,
    /// Name of the variant.
    pub variant: Option<String>,
    /// How it has ended.
    pub result: Option<Wanted>,
    /// Why it has ended.
    pub ending: Option<String>,
    /// Not before this time, in milliseconds of Unix time.
    pub from_ms: Option<i64>,
    /// Before this time.
    pub before_ms: Option<i64>,
    /// Half-moves at least.
    pub min_plies: Option<i64>,
    /// Half-moves at most.
    pub max_plies: Option<i64>,
    /// Both players' rating at least.
    pub min_rating: Option<i64>,
    /// Whether it counts for ratings.
    pub rated: Option<bool>,
    /// Class of the clock.
    pub speed: Option<String>,
    /// What stands for a position that it has reached.
    pub position: Option<i64>,
    /// Id of the one who looks, who finds the own games that are not open, too.
    pub viewer: String,
    /// Where the page before has ended.
    pub after: Option<i64>,
    /// Games at most.
    pub limit: u32,
    /// Rows of an index that are gone through at most, for each seat of the player; one at least. Along the games' own
    /// order, where no row has to be fetched from elsewhere, it is [`IN_ORDER`] times as many.
    pub scan: u32,
}

/// A game that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundGame {
    /// Its number, for what comes after it.
    pub no: i64,
    /// Its id.
    pub game: String,
    /// Name of the variant.
    pub variant: String,
    /// Half-moves played.
    pub plies: i64,
    /// When it ended, in milliseconds of Unix time.
    pub ended_ms: i64,
    /// Whether it counts for ratings.
    pub rated: bool,
    /// Class of its clock.
    pub speed: String,
    /// The ratings of White and Black then.
    pub ratings: [Option<i64>; 2],
    /// After how many half-moves it has first reached the position that was looked for.
    pub ply: Option<i64>,
    /// Its card, if there is one.
    pub card: Option<String>,
}

/// A page of what was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The games, those that ended last first.
    pub games: Vec<FoundGame>,
    /// Where the next page begins ([`Search::after`]); nothing if there is no other.
    pub next: Option<i64>,
}

impl Found {
    /// Up to which time all was looked at, in milliseconds of Unix time; nothing if there is no more.
    pub fn searched_to_ms(&self) -> Option<i64> {
        Some(self.next? / SAME)
    }
}

/// A column with the value that it must have.
type Term = (&'static str, Value);

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Int(i64),
    Text(String),
}

/// A statement in the making: its text with the values of its places.
#[derive(Default)]
struct Statement {
    sql: String,
    values: Vec<Value>,
}

impl Statement {
    fn push(&mut self, sql: &str) {
        self.sql.push_str(sql);
    }

    fn place(&mut self, value: Value) {
        self.values.push(value);
        // Writing to a string does not fail.
        let _ = write!(self.sql, "${}", self.values.len());
    }

    fn int(&mut self, before: &str, value: i64) {
        self.push(before);
        self.place(Value::Int(value));
    }

    /// Terms along which an index goes.
    fn along(&mut self, terms: &[Term]) {
        for (column, value) in terms {
            let _ = write!(self.sql, " AND a.{column} = ");
            self.place(value.clone());
        }
    }

    /// Terms that are looked at in each row, and tempt no planner to another index.
    fn filter(&mut self, terms: &[Term]) {
        for (column, value) in terms {
            let _ = match value {
                Value::Int(_) => write!(self.sql, " AND a.{column} = "),
                Value::Text(_) => write!(self.sql, " AND (a.{column} || '') = "),
            };
            self.place(value.clone());
        }
    }

    async fn rows(self, readers: &AnyPool) -> Result<Vec<AnyRow>, StoreError> {
        // The text is ours: what was asked for stands in values.
        let mut query = sqlx::query(sqlx::AssertSqlSafe(self.sql));
        for value in self.values {
            query = match value {
                Value::Int(value) => query.bind(value),
                Value::Text(value) => query.bind(value),
            };
        }
        Ok(query.fetch_all(readers).await?)
    }
}

/// An index along which games are looked for.
#[derive(Clone, Debug)]
enum Index {
    /// Of `archive`, by columns that have these values.
    Columns(Vec<Term>),
    /// Of positions.
    Position(i64),
}

impl Index {
    /// The column with the games' numbers, in the order of which it goes.
    fn number(&self) -> &'static str {
        match self {
            Index::Columns(_) => "a.no",
            Index::Position(_) => "p.no",
        }
    }

    /// How many of its rows are gone through.
    fn rows(&self, scan: u32) -> u32 {
        match self {
            Index::Columns(terms) if terms.is_empty() => scan.saturating_mul(IN_ORDER),
            _ => scan,
        }
    }

    /// The table that it is of.
    fn table(&self) -> &'static str {
        match self {
            Index::Columns(_) => "archive a",
            Index::Position(_) => "archive_positions p",
        }
    }

    /// What holds of its rows from one number on and before another.
    fn within(&self, statement: &mut Statement, from: i64, before: i64) {
        let number = self.number();
        let _ = write!(statement.sql, " WHERE {number} < ");
        statement.int("", before);
        let _ = write!(statement.sql, " AND {number} >= ");
        statement.int("", from);
        match self {
            Index::Columns(terms) => statement.along(terms),
            Index::Position(hash) => statement.int(" AND p.hash = ", *hash),
        }
    }
}

/// What a search is for one seat of the player, or for no player.
struct Arm<'a> {
    search: &'a Search,
    seat: Option<Seat>,
    from: i64,
    before: i64,
}

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}

/// The columns of a seat and of the one opposite.
fn columns(seat: Seat) -> (&'static str, &'static str) {
    match seat {
        Seat::White => ("white", "black"),
        Seat::Black => ("black", "white"),
    }
}

impl Arm<'_> {
    /// The player's terms.
    fn people(&self) -> Vec<Term> {
        let (Some(seat), Some(player)) = (self.seat, &self.search.player) else {
            return Vec::new();
        };
        let (own, other) = columns(seat);
        let mut terms = vec![(own, text(player))];
        if let Some(opponent) = &self.search.opponent {
            terms.push((other, text(opponent)));
        }
        terms
    }

    /// All terms that ask for one value.
    fn terms(&self) -> Vec<Term> {
        let search = self.search;
        let mut terms = self.people();
        let named = [
            ("variant", &search.variant),
            ("ending", &search.ending),
            ("speed", &search.speed),
        ];
        terms.extend(named.into_iter().filter_map(|(column, value)| {
            let value = value.as_deref()?;
            Some((column, text(value)))
        }));
        if let Some(rated) = search.rated {
            terms.push(("rated", Value::Int(i64::from(rated))));
        }
        let won = |seat: Option<Seat>, turned: bool| match (seat, turned) {
            (Some(Seat::White), false) | (Some(Seat::Black), true) => 1,
            _ => 2,
        };
        let winner = search.result.map(|result| match result {
            Wanted::Draw => 0,
            Wanted::WonBy(seat) => won(Some(seat), false),
            Wanted::PlayerWon => won(self.seat, false),
            Wanted::PlayerLost => won(self.seat, true),
        });
        terms.extend(winner.map(|winner| ("winner", Value::Int(winner))));
        terms
    }

    /// The indexes that there are for it.
    fn indexes(&self) -> Vec<Index> {
        let search = self.search;
        let mut indexes: Vec<Index> = search.position.map(Index::Position).into_iter().collect();
        let (variant, ending) = (&search.variant, &search.ending);
        let variant = variant.as_deref().map(|v| ("variant", text(v)));
        let ending = ending.as_deref().map(|e| ("ending", text(e)));
        let mut people = self.people();
        match people.len() {
            0 => {}
            1 => {
                people.extend(variant.clone());
                indexes.push(Index::Columns(people));
            }
            _ => indexes.push(Index::Columns(people)),
        }
        // By the variant alone is never better than what was named before.
        if ending.is_some() || indexes.is_empty() {
            indexes.push(Index::Columns(variant.into_iter().chain(ending).collect()));
        }
        indexes
    }

    /// The lowest number that as many rows of an index reach as may be gone through; nothing if they are all there are.
    async fn reach(&self, readers: &AnyPool, index: &Index) -> Result<Option<i64>, StoreError> {
        let mut statement = Statement::default();
        let (number, table) = (index.number(), index.table());
        let _ = write!(statement.sql, "SELECT {number} FROM {table}");
        index.within(&mut statement, self.from, self.before);
        let skipped = index.rows(self.search.scan).saturating_sub(1);
        let _ = write!(
            statement.sql,
            " ORDER BY {number} DESC LIMIT 1 OFFSET {skipped}"
        );
        let rows = statement.rows(readers).await?;
        let last: Option<i64> = rows.first().map(|row| row.try_get(0)).transpose()?;
        Ok(last.filter(|&last| last > self.from))
    }

    /// The games of a page, one more than are wanted if there are, and up to which number all was looked at; nothing if
    /// there is no more.
    async fn find(&self, readers: &AnyPool) -> Result<(Vec<FoundGame>, Option<i64>), StoreError> {
        let mut best: Option<(Index, Option<i64>)> = None;
        for index in self.indexes() {
            let reach = self.reach(readers, &index).await?;
            // The rarer is what is looked for, the further back so many rows reach.
            let further = best.as_ref().is_none_or(|(_, so_far)| reach < *so_far);
            if further {
                best = Some((index, reach));
            }
        }
        let Some((index, reach)) = best else {
            return Ok((Vec::new(), None));
        };
        let search = self.search;
        let mut statement = Statement::default();
        statement.push(
            "SELECT a.no, a.game, a.variant, a.plies, a.rated, a.speed, a.white_rating, a.black_rating, \
             (SELECT g.card FROM games g WHERE g.id = a.game), ",
        );
        match search.position {
            Some(hash) => {
                statement.int(
                    "(SELECT q.ply FROM archive_positions q WHERE q.hash = ",
                    hash,
                );
                statement.push(" AND q.no = a.no)");
            }
            None => statement.push("CAST(NULL AS BIGINT)"),
        }
        statement.push(" FROM ");
        statement.push(index.table());
        if matches!(index, Index::Position(_)) {
            // SQLite keeps to the order of cross joins.
            statement.push(" CROSS JOIN archive a");
        }
        index.within(&mut statement, reach.unwrap_or(self.from), self.before);
        if matches!(index, Index::Position(_)) {
            statement.push(" AND a.no = p.no");
        }
        self.conditions(&mut statement, &index);
        let _ = write!(statement.sql, " ORDER BY {} DESC LIMIT ", index.number());
        statement.int("", i64::from(search.limit) + 1);
        let rows = statement.rows(readers).await?;
        let games: Vec<FoundGame> = rows.iter().map(found).collect::<Result<_, _>>()?;
        let to = match games.len() > search.limit as usize {
            true => games.last().map(|game| game.no),
            false => reach,
        };
        Ok((games, to))
    }

    /// What must hold of each game.
    fn conditions(&self, statement: &mut Statement, index: &Index) {
        let search = self.search;
        let mut terms = self.terms();
        if let Index::Columns(along) = index {
            terms.retain(|term| !along.contains(term));
        }
        statement.filter(&terms);
        for (sql, value) in [
            (" AND a.plies >= ", search.min_plies),
            (" AND a.plies <= ", search.max_plies),
            (" AND a.white_rating >= ", search.min_rating),
            (" AND a.black_rating >= ", search.min_rating),
        ] {
            if let Some(value) = value {
                statement.int(sql, value);
            }
        }
        if let (Some(hash), Index::Columns(_)) = (search.position, index) {
            statement.int(
                " AND EXISTS (SELECT 1 FROM archive_positions p WHERE p.hash = ",
                hash,
            );
            statement.push(" AND p.no = a.no)");
        }
        statement.push(" AND (a.open = 1 OR (a.white || '') = ");
        statement.place(text(&search.viewer));
        statement.push(" OR (a.black || '') = ");
        statement.place(text(&search.viewer));
        statement.push(")");
    }
}

fn found(row: &AnyRow) -> Result<FoundGame, sqlx::Error> {
    let no: i64 = row.try_get(0)?;
    Ok(FoundGame {
        no,
        game: row.try_get(1)?,
        variant: row.try_get(2)?,
        plies: row.try_get(3)?,
        ended_ms: no / SAME,
        rated: row.try_get::<i64, _>(4)? != 0,
        speed: row.try_get(5)?,
        ratings: [row.try_get(6)?, row.try_get(7)?],
        card: row.try_get(8)?,
        ply: row.try_get(9)?,
    })
}

/// Looks for games: for each seat of the player by itself, and puts together what both have looked at.
pub(super) async fn search(readers: &AnyPool, search: &Search) -> Result<Found, StoreError> {
    let seats = match (&search.player, search.seat) {
        (None, _) => vec![None],
        (Some(_), Some(seat)) => vec![Some(seat)],
        (Some(_), None) => vec![Some(Seat::White), Some(Seat::Black)],
    };
    let from = search.from_ms.map_or(0, first_of);
    let end = search.before_ms.map_or(i64::MAX, first_of);
    let before = search.after.unwrap_or(i64::MAX).min(end);
    let (mut games, mut to) = (Vec::new(), None);
    for seat in seats {
        let arm = Arm {
            search,
            seat,
            from,
            before,
        };
        let (more, reached) = arm.find(readers).await?;
        games.extend(more);
        to = to.max(reached);
    }
    // Beyond that one of the seats was not looked at yet.
    games.retain(|game| to.is_none_or(|to| game.no >= to));
    games.sort_by_key(|game| std::cmp::Reverse(game.no));
    // Who has played both sides is found at both.
    games.dedup_by_key(|game| game.no);
    let limit = search.limit as usize;
    let next = match games.len() > limit {
        true => games.get(limit.saturating_sub(1)).map(|game| game.no),
        false => to,
    };
    games.truncate(limit);
    Ok(Found { games, next })
}
