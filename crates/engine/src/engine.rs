//! The engine as programs use it: made for one game, it keeps its memory between searches and reports while it
//! searches.

use crate::endings::Endings;
use crate::eval::{Evaluation, Evaluator, Handmade};
use crate::exchange::Exchanges;
use crate::facts::Facts;
use crate::judge::AnyJudge;
use crate::level::Level;
use crate::limits::Limits;
use crate::network::{Network, NetworkJudge};
use crate::score::{Score, Wdl};
use crate::search::parameters::SearchParameters;
use crate::searcher::{AnySearcher, Ask, Searcher};
use crate::stopwatch::Stopwatch;
use crate::tt::Table;
use crate::values::{Values, estimate};
use husun::set::Set;
use husun::tables::Tables;
use husun::{Move, Position, Variant, VisitTables};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Highest size of the transposition table, in mebibytes.
pub const MAX_HASH: usize = 1 << 18;
/// Highest number of threads.
pub const MAX_THREADS: usize = 256;
/// Highest number of lines reported at once.
pub const MAX_LINES: usize = 256;

/// How an engine plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Size of the transposition table in mebibytes, 1 to [`MAX_HASH`].
    pub hash: usize,
    /// Threads, 1 to [`MAX_THREADS`].
    pub threads: usize,
    /// Best lines to report, 1 to [`MAX_LINES`].
    pub lines: usize,
    /// Strength.
    pub level: Level,
    /// Whether a win that scores more points (a Green Gem) is worth more than a mate.
    pub points: bool,
    /// Time that a move loses on its way to the clock. A search also leaves what a late scheduler may take.
    pub overhead: Duration,
    /// Seed of the lower levels' choices, together with the position.
    pub seed: u64,
    /// Whether the game's network judges positions, if there is one; otherwise the values do.
    pub network: bool,
    /// The numbers that the search goes by.
    pub search: SearchParameters,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            hash: 16,
            threads: 1,
            lines: 1,
            level: Level::FULL,
            points: false,
            overhead: Duration::from_millis(30),
            seed: 0,
            network: true,
            search: SearchParameters::default(),
        }
    }
}

/// What a search has found so far, of one line.
#[derive(Clone, Debug, PartialEq)]
pub struct Info {
    /// Depth in half-moves.
    pub depth: u32,
    /// Longest line looked at.
    pub seldepth: u32,
    /// Number of the line, from 1.
    pub line: usize,
    /// For the side to move.
    pub score: Score,
    /// For the side to move.
    pub wdl: Wdl,
    /// Positions visited by all threads.
    pub nodes: u64,
    /// Time since the start.
    pub time: Duration,
    /// Thousandths of the transposition table filled.
    pub hashfull: u32,
    /// Positions that all threads have found in tables of perfect play.
    pub table_hits: u64,
    /// The line, from the position searched.
    pub pv: Vec<Move>,
}

/// What a search has found.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// The move to make; none if there is no legal move (or none of those asked for is legal).
    pub best: Option<Move>,
    /// The opponent's expected answer.
    pub ponder: Option<Move>,
    /// For the side to move.
    pub score: Score,
    /// The expected line.
    pub pv: Vec<Move>,
    /// Whether accepting a draw is better than moving (`Position::can_accept`).
    pub accept: bool,
    /// Depth that was completed.
    pub depth: u32,
    /// Positions visited.
    pub nodes: u64,
}

impl SearchResult {
    /// The result where there is nothing to search.
    pub(crate) fn none() -> SearchResult {
        SearchResult {
            best: None,
            ponder: None,
            score: Score::Cp(0),
            pv: Vec::new(),
            accept: false,
            depth: 0,
            nodes: 0,
        }
    }
}

/// The hash of what judges an engine's positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JudgeHash(pub [u8; 32]);

/// An engine for one game.
///
/// ```
/// use husun_engine::{Engine, Limits, Options};
/// use std::sync::atomic::AtomicBool;
///
/// let chess = games::variant("chess").unwrap();
/// let mut engine = Engine::new(chess.clone(), Options::default());
/// let position = chess.position("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1").unwrap();
/// let stop = AtomicBool::new(false);
/// let found = engine.search(&position, &[], &Limits::depth(4), &stop, &mut |_| {});
/// assert_eq!(found.best, Some(position.parse_uci("a1a8").unwrap()));
/// assert_eq!(found.score, husun_engine::Score::Mate(1));
/// ```
pub struct Engine {
    variant: Arc<Variant>,
    values: Values,
    network: Option<Arc<Network>>,
    endings: Option<Arc<dyn Endings>>,
    options: Options,
    table: Table,
    searcher: Box<dyn AnySearcher>,
}

impl Engine {
    /// An engine that plays from estimated values.
    pub fn new(variant: Arc<Variant>, options: Options) -> Engine {
        let values = estimate(&variant);
        Engine::with_values(variant, values, options)
    }

    /// An engine that plays from a text of tuned values, or from estimates if there is none or it does not fit the
    /// game, and by the network of a file, if there is one that fits.
    pub fn tuned(
        variant: Arc<Variant>,
        values: Option<&str>,
        network: Option<&[u8]>,
        options: Options,
    ) -> Engine {
        let values = values.and_then(|text| Values::parse(&variant, text).ok());
        let values = values.unwrap_or_else(|| estimate(&variant));
        let network = network.and_then(|bytes| Network::read(&variant, bytes).ok());
        Engine::with_network(variant, values, network.map(Arc::new), options)
    }

    /// An engine that plays from given values, as [`Values::parse`] reads them.
    pub fn with_values(variant: Arc<Variant>, values: Values, options: Options) -> Engine {
        Engine::with_network(variant, values, None, options)
    }

    /// An engine that judges positions by a network of the game, if there is one and the options do not rule it out;
    /// what captures win is still told by the values.
    pub fn with_network(
        variant: Arc<Variant>,
        values: Values,
        network: Option<Arc<Network>>,
        options: Options,
    ) -> Engine {
        let options = within(options);
        Engine {
            table: Table::new(options.hash),
            searcher: searcher(&variant, &values, network.as_ref(), &options),
            variant,
            values,
            network,
            endings: None,
            options,
        }
    }

    /// The game.
    pub fn variant(&self) -> &Arc<Variant> {
        &self.variant
    }

    /// The values that it plays from.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The network that it has, whether or not it is used.
    pub fn network(&self) -> Option<&Arc<Network>> {
        self.network.as_ref()
    }

    /// The options, within their bounds.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// What judges its positions, as a hash: the values, and the network if there is one and the options do not rule it out.
    pub fn judge(&self) -> JudgeHash {
        let network = self.network.as_ref().filter(|_| self.options.network);
        let network = network.map(|network| network.to_bytes(&self.variant));
        let mut hash = Sha256::new_with_prefix(self.values.to_text());
        if let Some(network) = network {
            hash.update([0]);
            hash.update(network.unwrap_or_default());
        }
        JudgeHash(hash.finalize().into())
    }

    /// Changes the options, which are brought within their bounds; another hash size empties the table, and with
    /// another judge all earlier searches are forgotten.
    pub fn set_options(&mut self, options: Options) {
        let options = within(options);
        let judge = self.network.is_some() && options.network != self.options.network;
        if judge {
            let network = self.network.as_ref();
            self.searcher = searcher(&self.variant, &self.values, network, &options);
        }
        if judge || options.hash != self.options.hash {
            // First the old one goes: both may not fit.
            self.table = Table::new(1);
            self.table = Table::new(options.hash);
        }
        self.options = options;
    }

    /// Gives the engine tables of perfect play of its game, or takes them away. It asks them at full strength only; what
    /// earlier searches have found is not forgotten.
    pub fn set_endings(&mut self, endings: Option<Arc<dyn Endings>>) {
        self.endings = endings;
    }

    /// Prepares everything a search needs, so that the next one begins, and ends, at once. Not required: a search
    /// makes what it lacks, which takes up to a tenth of a second on a large board.
    pub fn prepare(&mut self) {
        self.searcher.prepare(self.options.threads);
    }

    /// Forgets all earlier searches, as for a new game.
    pub fn clear(&mut self) {
        self.table.clear();
        self.searcher.clear();
    }

    /// Finds the best move of a position of the engine's game. `history` holds the keys of the positions before
    /// it, the oldest first, so that repetitions are seen. `stop` ends the search when it becomes true;
    /// `report` is called after each iteration with what is known by then.
    pub fn search(
        &mut self,
        position: &Position,
        history: &[u64],
        limits: &Limits,
        stop: &AtomicBool,
        report: &mut dyn FnMut(&Info),
    ) -> SearchResult {
        self.table.next_search();
        let ask = Ask {
            position,
            history,
            limits,
            stop,
            options: &self.options,
            table: &self.table,
            endings: self.endings.as_deref(),
            watch: Stopwatch::start(),
        };
        self.searcher.search(&ask, report)
    }

    /// How many legal moves of a position of the engine's game lose nothing in the captures that they begin: how
    /// much choice there is.
    pub fn sensible_moves(&self, position: &Position) -> usize {
        self.searcher.sensible_moves(position)
    }

    /// How good a position of the engine's game is without looking ahead; none for a position of another game.
    pub fn evaluate(&self, position: &Position) -> Option<Evaluation> {
        self.searcher.evaluate(position)
    }
}

/// The search for a game, with the judge chosen for it.
fn searcher(
    variant: &Arc<Variant>,
    values: &Values,
    network: Option<&Arc<Network>>,
    options: &Options,
) -> Box<dyn AnySearcher> {
    variant.visit(NewSearcher {
        variant,
        values,
        network: network.filter(|_| options.network),
    })
}

struct NewSearcher<'a> {
    variant: &'a Arc<Variant>,
    values: &'a Values,
    network: Option<&'a Arc<Network>>,
}

impl VisitTables for NewSearcher<'_> {
    type Output = Box<dyn AnySearcher>;

    fn visit<S: Set>(self, tables: &Arc<Tables<S>>) -> Box<dyn AnySearcher> {
        let facts = Arc::new(Facts::new(self.variant, tables));
        let exchanges = Arc::new(Exchanges::new(self.variant, &facts, self.values));
        let handmade = || {
            let eval = Evaluator::new(self.variant, &facts, &exchanges, self.values);
            Handmade::new(Arc::new(eval))
        };
        let judge = match self.network {
            Some(network) => {
                let judge = NetworkJudge::new(network.clone(), facts.clone(), handmade);
                AnyJudge::Network(judge)
            }
            None => AnyJudge::Handmade(handmade()),
        };
        Box::new(Searcher::new(facts, exchanges, judge))
    }
}

fn within(options: Options) -> Options {
    Options {
        hash: options.hash.clamp(1, MAX_HASH),
        threads: options.threads.clamp(1, MAX_THREADS),
        lines: options.lines.clamp(1, MAX_LINES),
        ..options
    }
}
