//! What the sessions of both protocols have in common: the games, the settings, the engine, and what happens to them.
//! How that is reported is up to each protocol.

use crate::events::{Event, Job, next, read_lines};
use crate::host::{Host, HostError, SearchRequest, Thinker};
use crate::settings::{Effect, Name, OptionError, Settings};
use engine::Options;
use husun::Variant;
use std::collections::VecDeque;
use std::io::Read;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// The parts of a session of either protocol.
pub(crate) struct SessionCore<H> {
    pub host: H,
    pub settings: Settings,
    events: Receiver<Event>,
    sender: Sender<Event>,
    /// Lines that came while the session waited for the end of a search.
    waiting: VecDeque<Event>,
    /// The engine while it is idle; made when it is needed.
    thinker: Option<Box<dyn Thinker>>,
    /// Games of which it has been said that the folder of tables has none.
    lacking: Vec<String>,
}

impl<H: Host> SessionCore<H> {
    /// The core of a session that reads lines.
    pub fn new(host: H, input: impl Read + Send + 'static) -> SessionCore<H> {
        let (sender, events) = channel();
        read_lines(input, sender.clone());
        SessionCore {
            settings: Settings::new(host.max_hash()),
            host,
            events,
            sender,
            waiting: VecDeque::new(),
            thinker: None,
            lacking: Vec::new(),
        }
    }

    /// The next event; postponed ones come first.
    pub fn next(&mut self) -> Event {
        match self.waiting.pop_front() {
            Some(event) => event,
            None => next(&self.events),
        }
    }

    /// The next event, leaving postponed ones aside.
    pub fn next_new(&self) -> Event {
        next(&self.events)
    }

    /// Postpones an event.
    pub fn put_off(&mut self, event: Event) {
        self.waiting.push_back(event);
    }

    /// The engine of a game, made if there is none yet, and ready: a search can begin and stop at once.
    pub fn prepare(&mut self, variant: &Arc<Variant>) -> &mut dyn Thinker {
        let options = self.settings.options();
        let (host, thinker) = (&self.host, &mut self.thinker);
        let thinker = thinker.get_or_insert_with(|| host.thinker(variant, &options));
        thinker.prepare();
        thinker.as_mut()
    }

    /// Takes the engine back, which is idle again.
    pub fn take_in(&mut self, thinker: Box<dyn Thinker>) {
        self.thinker = Some(thinker);
    }

    /// Another game will be played; its engine is made when it is needed.
    pub fn leave(&mut self) {
        self.thinker = None;
    }

    /// Forgets all earlier searches.
    pub fn forget(&mut self) {
        if let Some(thinker) = &mut self.thinker {
            thinker.forget();
        }
    }

    /// Opens the tables of perfect play in a folder, or leaves those that are open if its name is empty. The engine is made
    /// anew with them when it is needed; an error concerns the folder or this game's tables in it.
    pub fn open_tables(&mut self, folder: &str, variant: &Arc<Variant>) -> Result<(), HostError> {
        self.host.open_tables(folder)?;
        self.leave();
        self.lacking.clear();
        self.host.check_tables(variant)
    }

    /// What to tell once, when a search begins, if a folder of tables is named and has none of the game.
    pub fn lacking_tables(&mut self, variant: &Arc<Variant>) -> Option<String> {
        if self.lacking.iter().any(|id| id == variant.id()) {
            return None;
        }
        let told = self.host.lacking_tables(variant)?;
        self.lacking.push(variant.id().into());
        Some(told)
    }

    /// Sets an option, and does the engine's part of it.
    pub fn set(&mut self, name: Name, value: Option<&str>) -> Result<Effect, OptionError> {
        let ids = self.host.ids();
        let effect = self.settings.set(name, value, &ids)?;
        match &effect {
            Effect::Configure => {
                let options = self.settings.options();
                if let Some(thinker) = &mut self.thinker {
                    thinker.configure(&options);
                }
            }
            Effect::Clear => self.forget(),
            Effect::Variant(_) | Effect::Files(_) | Effect::Tables(_) => {}
        }
        Ok(effect)
    }

    /// Starts a search. The engine comes back with [`Event::Done`].
    pub fn search(
        &mut self,
        variant: &Arc<Variant>,
        request: SearchRequest,
        options: &Options,
    ) -> Job {
        let mut thinker = self.take(variant);
        thinker.configure(options);
        Job::search(thinker, request, &self.sender)
    }

    /// Starts work of another kind.
    pub fn work(
        &mut self,
        variant: &Arc<Variant>,
        work: impl FnOnce(&crate::events::JobContext) + Send + 'static,
    ) -> Job {
        let thinker = self.take(variant);
        Job::start(thinker, &self.sender, move |_, context| {
            work(context);
            None
        })
    }

    fn take(&mut self, variant: &Arc<Variant>) -> Box<dyn Thinker> {
        match self.thinker.take() {
            Some(thinker) => thinker,
            None => self.host.thinker(variant, &self.settings.options()),
        }
    }
}
