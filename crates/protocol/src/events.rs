//! The events a session waits for: lines of its input and messages of its engine's thread, in one channel. The thread
//! owns the engine while it works and hands it back when it is done.

use crate::host::{SearchRequest, Thinker};
use crate::lines::{InputLine, Lines};
use engine::{Info, SearchResult};
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender};

/// An event of a session.
pub(crate) enum Event {
    /// A line was read.
    Line(InputLine),
    /// The input has ended.
    Eof,
    /// The search has found something.
    Info(Box<Info>),
    /// A line for a job to print.
    Say(String),
    /// The job is done; the engine is free again.
    Done(Box<dyn Thinker>, Option<Box<SearchResult>>),
    /// The job has panicked, and its engine is lost.
    Broken,
}

/// Reads lines in a thread of its own until the input or the session ends.
pub(crate) fn read_lines(input: impl Read + Send + 'static, events: Sender<Event>) {
    std::thread::spawn(move || {
        for line in Lines::new(input) {
            if events.send(Event::Line(line)).is_err() {
                return;
            }
        }
        // The session may have ended already.
        let _ = events.send(Event::Eof);
    });
}

/// A job under way in a thread of its own.
pub(crate) struct Job {
    stop: Arc<AtomicBool>,
    ponder: Arc<AtomicBool>,
}

/// What a job can print and check while it works.
pub(crate) struct JobContext<'a> {
    events: &'a Sender<Event>,
    stop: &'a AtomicBool,
}

impl JobContext<'_> {
    /// Prints a line.
    pub fn say(&self, line: String) {
        // Nobody listens once the session has ended.
        let _ = self.events.send(Event::Say(line));
    }

    /// Whether the job is to end.
    pub fn stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// The flag itself.
    pub fn stop(&self) -> &AtomicBool {
        self.stop
    }
}

impl Job {
    /// Starts a search.
    pub fn search(
        thinker: Box<dyn Thinker>,
        request: SearchRequest,
        events: &Sender<Event>,
    ) -> Job {
        let ponder = request.limits.ponder.clone();
        let mut job = Job::start(thinker, events, move |thinker, context| {
            let mut report = |info: &Info| {
                let _ = context.events.send(Event::Info(Box::new(info.clone())));
            };
            Some(thinker.think(&request, context.stop(), &mut report))
        });
        if let Some(ponder) = ponder {
            job.ponder = ponder;
        }
        job
    }

    /// Starts a job of any kind.
    pub fn start(
        mut thinker: Box<dyn Thinker>,
        events: &Sender<Event>,
        work: impl FnOnce(&mut dyn Thinker, &JobContext) -> Option<SearchResult> + Send + 'static,
    ) -> Job {
        let stop = Arc::new(AtomicBool::new(false));
        let job = Job {
            stop: stop.clone(),
            ponder: Arc::default(),
        };
        let events = events.clone();
        std::thread::spawn(move || {
            let context = JobContext {
                events: &events,
                stop: &stop,
            };
            // A panic in the engine must not take the session with it. The engine is not used again.
            let done = catch_unwind(AssertUnwindSafe(|| {
                let found = work(thinker.as_mut(), &context);
                (thinker, found)
            }));
            let _ = events.send(match done {
                Ok((thinker, found)) => Event::Done(thinker, found.map(Box::new)),
                Err(_) => Event::Broken,
            });
        });
        job
    }

    /// Asks the job to end soon.
    pub fn stop(&self) {
        self.ponder.store(false, Relaxed);
        self.stop.store(true, Relaxed);
    }

    /// The move pondered on was played.
    pub fn ponder_hit(&self) {
        self.ponder.store(false, Relaxed);
    }
}

/// The next event; the end of the input if there are no senders left.
pub(crate) fn next(events: &Receiver<Event>) -> Event {
    events.recv().unwrap_or(Event::Eof)
}
