//! Lessons: the list of a game's, one with its tasks, and the judge of an attempt. Nothing is kept of an attempt; who learns sends
//! all its moves.

use super::address::Address;
use super::cache::AnswerCache;
use super::variants::{find, id_of};
use super::{Failure, Json};
use crate::directory::Directory;
use crate::refusal::Reason;
use crate::state::App;
use crate::wire::{
    AttemptMoved, AttemptNow, AttemptProgress, AttemptRequest, LessonCard, LessonDetail,
    LessonTask, Refusal,
};
use crate::work::Weight;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use husun::Square;
use lessons::{About, Attempt, Course, Lesson, Progress};
use std::sync::Arc;

/// The lessons of a game, without their tasks.
#[utoipa::path(
    get, path = "/api/variants/{id}/lessons",
    params(("id" = String, Path, description = "Id of the game")),
    responses((status = 200, body = Vec<LessonCard>), (status = 404, body = Refusal), (status = 503, body = Refusal))
)]
pub async fn list(
    State(answers): State<AnswerCache>,
    State(directory): State<Directory>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let course = course(&id, &directory).await?;
    let place = format!("lessons/{}", id_of(directory.variants(), course.variant()));
    let make = move || {
        let cards = course.lessons().iter().map(|l| card(&course, l));
        super::cached_json(&cards.collect::<Vec<_>>())
    };
    let kept = answers.get(&place, directory.work(), make).await?;
    Ok(kept.answer(&headers))
}

/// A lesson with its tasks.
#[utoipa::path(
    get, path = "/api/variants/{id}/lessons/{lesson}",
    params(("id" = String, Path, description = "Id of the game"), ("lesson" = String, Path, description = "Id of the lesson")),
    responses((status = 200, body = LessonDetail), (status = 404, body = Refusal), (status = 503, body = Refusal))
)]
pub async fn detail(
    State(answers): State<AnswerCache>,
    State(directory): State<Directory>,
    Path((id, lesson)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let course = course(&id, &directory).await?;
    // Only what exists is kept, so that it is bounded.
    let place = format!(
        "lessons/{}/{}",
        id_of(directory.variants(), course.variant()),
        known(&course, &lesson)?.id
    );
    let make = move || {
        let found = course.lesson(&lesson);
        super::cached_json(&found.map(|l| described(&course, l)))
    };
    let kept = answers.get(&place, directory.work(), make).await?;
    Ok(kept.answer(&headers))
}

/// How an attempt at a task stands after its moves.
#[utoipa::path(
    post, path = "/api/variants/{id}/lessons/{lesson}/{task}",
    params(("id" = String, Path, description = "Id of the game"), ("lesson" = String, Path, description = "Id of the lesson"),
        ("task" = usize, Path, description = "Number of the task, from 1")),
    request_body = AttemptRequest,
    responses((status = 200, body = AttemptNow), (status = 404, body = Refusal), (status = 422, body = Refusal), (status = 400, body = Refusal),
        (status = 413, body = Refusal), (status = 415, body = Refusal), (status = 429, body = Refusal),
        (status = 503, body = Refusal))
)]
pub async fn judge(
    State(app): State<App>,
    Address(address): Address,
    Path((id, lesson, task)): Path<(String, String, String)>,
    Json(request): Json<AttemptRequest>,
) -> Result<axum::Json<AttemptNow>, Failure> {
    let work = app.directory.work();
    let course = course(&id, &app.directory).await?;
    let tasks = &known(&course, &lesson)?.tasks;
    let number = task.parse().ok().and_then(|n: usize| n.checked_sub(1));
    let number = number.filter(|n| *n < tasks.len()).ok_or_else(|| {
        let message = format!("no such task; there are 1 to {}", tasks.len());
        Failure::of(Reason::NoSuchLesson, message)
    })?;
    let (within, cost) = (tasks[number].within, tasks[number].cost());
    if request.moves.len() > within {
        let message = format!("{} moves, expected at most {within}", request.moves.len());
        return Err(Failure::of(Reason::Moves, message));
    }
    super::charge(&app, address, 1 + request.moves.len() * cost)?;
    let job = move || {
        let lesson = course.lesson(&lesson);
        let task = lesson.and_then(|l| l.tasks.get(number));
        let mut attempt = task.ok_or_else(|| no_lesson(&course))?.attempt();
        for (at, text) in (1..).zip(&request.moves) {
            let played = attempt.play(text);
            played.map_err(|e| Failure::of(Reason::IllegalMove, format!("move {at}: {e}")))?;
        }
        Ok(now(&attempt))
    };
    work.run(Weight::Light, job).await?.map(axum::Json)
}

/// The course of a game, made where it delays nobody.
async fn course(id: &str, directory: &Directory) -> Result<Arc<Course>, Failure> {
    let services = directory.services().clone();
    let variant = find(&services.games, id)?;
    let name = services.games.name(&variant);
    if let Some(made) = services.courses.made(&name) {
        return Ok(made);
    }
    let make = move || {
        let games = services.games.catalogue();
        let puzzles =
            || puzzles::lessons(&variant, games.puzzles(&variant), games.values(&variant));
        services
            .courses
            .make(&name, &variant, games.lessons(&variant), puzzles)
    };
    Ok(directory.work().run(Weight::Light, make).await?)
}

fn known<'a>(course: &'a Course, lesson: &str) -> Result<&'a Lesson, Failure> {
    course.lesson(lesson).ok_or_else(|| no_lesson(course))
}

fn no_lesson(course: &Course) -> Failure {
    let known: Vec<&str> = course.lessons().iter().map(|l| l.id.as_str()).collect();
    let message = format!("no such lesson; there are {}", known.join(", "));
    Failure::of(Reason::NoSuchLesson, message)
}

fn letter(course: &Course, lesson: &Lesson) -> Option<String> {
    match lesson.about {
        About::Piece(kind) => Some(course.variant().piece(kind).letter.to_string()),
        About::Rule => None,
    }
}

fn card(course: &Course, lesson: &Lesson) -> LessonCard {
    LessonCard {
        id: lesson.id.clone(),
        title: lesson.title.clone(),
        text: lesson.text.clone(),
        letter: letter(course, lesson),
        tasks: lesson.tasks.len(),
    }
}

fn described(course: &Course, lesson: &Lesson) -> LessonDetail {
    let tasks = lesson.tasks.iter().map(|task| LessonTask {
        text: task.text.clone(),
        learned: task.learned.clone(),
        hint: task.hint.clone(),
        side: task.side().into(),
        solution: task.solution.clone(),
        within: task.within,
        start: now(&task.attempt()),
    });
    LessonDetail {
        id: lesson.id.clone(),
        title: lesson.title.clone(),
        text: lesson.text.clone(),
        letter: letter(course, lesson),
        tasks: tasks.collect(),
    }
}

fn now(attempt: &Attempt<'_>) -> AttemptNow {
    let frame = attempt.variant().frame();
    let name = |square: Square| frame.name(square).to_string();
    let names = |squares: &[Square]| squares.iter().map(|&s| name(s)).collect();
    let (progress, why) = match attempt.progress() {
        Progress::GoingOn => (AttemptProgress::GoingOn, None),
        Progress::Done => (AttemptProgress::Done, None),
        Progress::Failed(why) => (AttemptProgress::Failed, Some(why.clone())),
    };
    AttemptNow {
        fen: attempt.fen(),
        legal: attempt.legal(),
        can_accept: attempt.can_accept(),
        stars: names(attempt.stars()),
        marked: names(attempt.marked()),
        check: attempt.check().map(name),
        last: attempt.last().map(Into::into),
        moved: attempt.before_reply().map(|(fen, last)| AttemptMoved {
            fen: fen.into(),
            last: last.into(),
        }),
        progress,
        why,
    }
}
