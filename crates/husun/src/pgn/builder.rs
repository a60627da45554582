//! Assembles tokens into the tree of a game, on a stack of its own instead of by recursion.
//! Limits on depth and number are kept here; tokens come from the lexer.

use super::comment::Comment;
use super::error::{Location, PgnError, SyntaxError};
use super::game::{Movetext, Node};
use super::nag::Nag;
use super::reader::Limits;

/// A line that is being read.
struct Open {
    line: Movetext,
    /// Where its parenthesis stands.
    at: Location,
    /// Comments that belong to the next move, or to the tail if none comes.
    comments: Vec<Comment>,
    /// Annotations before the first move, which some programs write, with the place of the first.
    nags: Vec<Nag>,
    nags_at: Option<Location>,
    /// What stood last besides comments and annotations.
    last: Last,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Start,
    Move,
    Number,
    Variation,
}

impl Open {
    const fn new(at: Location) -> Self {
        Self {
            line: Movetext {
                moves: Vec::new(),
                tail: Vec::new(),
            },
            at,
            comments: Vec::new(),
            nags: Vec::new(),
            nags_at: None,
            last: Last::Start,
        }
    }

    fn close(mut self) -> Result<Movetext, PgnError> {
        if let Some(at) = self.nags_at {
            return Err(at.error(SyntaxError::NagWithoutMove));
        }
        self.line.tail = self.comments;
        Ok(self.line)
    }
}

pub(super) struct Builder {
    limits: Limits,
    /// The lines around the innermost open one, the main line first.
    outer: Vec<Open>,
    inner: Open,
    items: usize,
}

impl Builder {
    pub(super) const fn new(limits: Limits) -> Self {
        Self {
            limits,
            outer: Vec::new(),
            inner: Open::new(Location { line: 1, column: 1 }),
            items: 0,
        }
    }

    fn count(&mut self, items: usize, at: Location) -> Result<(), PgnError> {
        self.items = self.items.saturating_add(items);
        if self.items > self.limits.items {
            let what = "moves, variations, comments and commands in a game";
            let limit = self.limits.items;
            return Err(at.error(SyntaxError::TooMany { what, limit }));
        }
        Ok(())
    }

    pub(super) fn number(&mut self) {
        self.inner.last = Last::Number;
    }

    pub(super) fn add_move(&mut self, san: String, at: Location) -> Result<(), PgnError> {
        self.count(1, at)?;
        let inner = &mut self.inner;
        inner.nags_at = None;
        inner.last = Last::Move;
        inner.line.moves.push(Node {
            san,
            nags: std::mem::take(&mut inner.nags),
            before: std::mem::take(&mut inner.comments),
            ..Node::default()
        });
        Ok(())
    }

    pub(super) fn comment(&mut self, raw: &str, at: Location) -> Result<(), PgnError> {
        let comment = Comment::new(raw);
        self.count(1 + comment.commands.len(), at)?;
        match self.inner.line.moves.last_mut() {
            Some(node) if self.inner.last == Last::Move => node.after.push(comment),
            _ => self.inner.comments.push(comment),
        }
        Ok(())
    }

    pub(super) fn nag(&mut self, nag: Nag, at: Location) {
        if let Some(node) = self.inner.line.moves.last_mut() {
            node.nags.push(nag);
        } else {
            self.inner.nags.push(nag);
            self.inner.nags_at.get_or_insert(at);
        }
    }

    pub(super) fn open(&mut self, at: Location) -> Result<(), PgnError> {
        if self.inner.line.moves.is_empty() {
            return Err(at.error(SyntaxError::VariationWithoutMove));
        }
        if self.outer.len() >= usize::from(self.limits.depth) {
            let limit = self.limits.depth;
            return Err(at.error(SyntaxError::TooDeep { limit }));
        }
        self.count(1, at)?;
        let line = std::mem::replace(&mut self.inner, Open::new(at));
        self.outer.push(line);
        Ok(())
    }

    pub(super) fn close(&mut self, at: Location) -> Result<(), PgnError> {
        let Some(outer) = self.outer.pop() else {
            return Err(at.error(SyntaxError::StrayParenthesis));
        };
        let variation = std::mem::replace(&mut self.inner, outer).close()?;
        if let Some(node) = self.inner.line.moves.last_mut() {
            node.variations.push(variation);
        }
        self.inner.last = Last::Variation;
        Ok(())
    }

    /// Where the innermost variation that is still open begins.
    pub(super) fn open_variation(&self) -> Option<Location> {
        (!self.outer.is_empty()).then_some(self.inner.at)
    }

    /// The main line, at the result marker.
    pub(super) fn finish(self) -> Result<Movetext, PgnError> {
        self.inner.close()
    }
}
