//! The rules of a game for players: the Markdown text as chapters of HTML, and the pictures that it describes.
//! What a picture's text means is read in `render::figure`.

use super::Failure;
use super::address::Address;
use super::cache::{AnswerCache, CachedAnswer};
use super::looks::{KEEP, board_of, picture, set_of, theme_of, wanted};
use super::variants::{find, id_of};
use crate::directory::Directory;
use crate::refusal::Reason;
use crate::state::App;
use crate::wire::{Chapter, RulesText};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use husun::Variant;
use play::Games;
use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use render::figure::INFO;
use render::{BoardColors, Figure, Style};
use serde::Deserialize;
use std::fmt::Write;
use std::sync::Arc;
use utoipa::IntoParams;

mod example;

/// How a picture of the rules is to look.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct Drawn {
    /// `light` or `dark`.
    #[serde(default)]
    theme: Option<String>,
    /// Colours of the squares: `green`, `wood`, `blue`, `stone` or `contrast`.
    #[serde(default)]
    board: Option<String>,
    /// Piece set: `themed` or `letters`.
    #[serde(default)]
    set: Option<String>,
}

/// The rules of a game for players, in chapters.
#[utoipa::path(
    get, path = "/api/variants/{id}/rules",
    params(("id" = String, Path, description = "Id of the game")),
    responses((status = 200, body = RulesText), (status = 404, body = crate::wire::Refusal))
)]
pub async fn text(
    State(answers): State<AnswerCache>,
    State(directory): State<Directory>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let games = directory.variants();
    let variant = find(games, &id)?;
    let (id, markdown) = (id_of(games, &variant), text_of(games, &variant));
    let place = format!("rules/{id}");
    let make = move || super::cached_json(&chapters(&variant, &id, &markdown));
    let kept = answers.get(&place, directory.work(), make).await?;
    Ok(kept.answer(&headers))
}

/// A picture of the rules, by its number in the text, from 1.
#[utoipa::path(
    get, path = "/api/variants/{id}/diagram/{file}",
    params(("id" = String, Path, description = "Id of the game"), ("file" = String, Path, description = "Its number and `.svg`"), Drawn),
    responses((status = 200, content_type = "image/svg+xml", body = String), (status = 400, body = crate::wire::Refusal),
        (status = 404, body = crate::wire::Refusal), (status = 422, body = crate::wire::Refusal),
        (status = 429, body = crate::wire::Refusal), (status = 503, body = crate::wire::Refusal))
)]
pub async fn diagram(
    State(app): State<App>,
    State(answers): State<AnswerCache>,
    Address(address): Address,
    Path((id, file)): Path<(String, String)>,
    query: Result<Query<Drawn>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let games = app.directory.variants();
    let (variant, drawn) = (find(games, &id)?, wanted(query)?);
    let style = Style {
        theme: theme_of(drawn.theme.as_deref())?,
        board: board_of(drawn.board.as_deref())?,
        set: set_of(drawn.set.as_deref())?,
        page: false,
        ..Style::default()
    };
    let (id, markdown) = (id_of(games, &variant), text_of(games, &variant));
    let pictures = pictures(&variant, &markdown);
    let number = file.strip_suffix(".svg").and_then(|n| n.parse().ok());
    let place = number.filter(|n| (1..=pictures.len()).contains(n));
    let Some(number) = place else {
        let message = format!("no such picture; there are 1.svg to {}.svg", pictures.len());
        return Err(Failure::of(Reason::NoSuchPath, message));
    };
    let draw = move || render::svg::board(&pictures[number - 1], &style);
    // In all colours they would take too much room: those of most people are kept.
    if style.board != BoardColors::default() {
        return picture(&app, address, move || Ok(draw())).await;
    }
    let name = format!("diagram/{id}/{number}/{:?}/{:?}", style.theme, style.set);
    let make = move || CachedAnswer::new("image/svg+xml", KEEP, draw());
    let kept = answers.get(&name, app.directory.work(), make).await?;
    Ok(kept.answer(&headers))
}

/// The rules written for players, or what the game's data say.
fn text_of(games: &Games, variant: &Arc<Variant>) -> String {
    let written = games.catalogue().rules(variant);
    written.map_or_else(|| render::described::rules(variant), String::from)
}

/// The pictures of a text in their order; a block that cannot be read has none.
fn pictures(variant: &Arc<Variant>, markdown: &str) -> Vec<render::Picture> {
    let texts = blocks(markdown).into_iter();
    let figures = texts.filter_map(|text| Figure::parse(variant, &text).ok());
    figures.flat_map(|f| f.panels).map(|p| p.picture).collect()
}

/// The texts of all diagrams.
fn blocks(markdown: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut events = parser(markdown);
    while let Some(event) = events.next() {
        if matches!(&event, Event::Start(Tag::CodeBlock(kind)) if is_figure(kind)) {
            blocks.push(words(&until(&mut events, TagEnd::CodeBlock)));
        }
    }
    blocks
}

fn parser(markdown: &str) -> Parser<'_> {
    Parser::new_ext(
        markdown,
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH,
    )
}

fn is_figure(kind: &CodeBlockKind<'_>) -> bool {
    matches!(kind, CodeBlockKind::Fenced(info) if info.trim() == INFO)
}

/// A text as chapters: what comes before the first heading of the second level is the first, without a title. HTML within the
/// text is shown as text.
fn chapters(variant: &Arc<Variant>, id: &str, markdown: &str) -> RulesText {
    let mut setter = Setter {
        variant,
        id,
        chapters: vec![Chapter::default()],
        events: Vec::new(),
        known: Vec::new(),
        pictures: 0,
    };
    let mut events = parser(markdown);
    while let Some(event) = events.next() {
        setter.take(event, &mut events);
    }
    setter.close();
    RulesText {
        chapters: setter
            .chapters
            .into_iter()
            .filter(|c| !(c.title.is_empty() && c.html.is_empty()))
            .collect(),
        examples: variant
            .kinds()
            .filter_map(|k| example::of(variant, k))
            .collect(),
    }
}

struct Setter<'a> {
    /// The game's id in addresses.
    id: &'a str,
    variant: &'a Arc<Variant>,
    chapters: Vec<Chapter>,
    /// Of the chapter that is being read.
    events: Vec<Event<'a>>,
    /// Anchors that are given.
    known: Vec<String>,
    pictures: usize,
}

impl<'a> Setter<'a> {
    fn take(&mut self, event: Event<'a>, rest: &mut Parser<'a>) {
        match event {
            // The page has its own title.
            Event::Start(Tag::Heading {
                level: HeadingLevel::H1,
                ..
            }) => drop(until(rest, TagEnd::Heading(HeadingLevel::H1))),
            Event::Start(Tag::Heading {
                level: HeadingLevel::H2,
                ..
            }) => {
                let title = words(&until(rest, TagEnd::Heading(HeadingLevel::H2)));
                self.close();
                let id = self.anchor(&title);
                self.chapters.push(Chapter {
                    id,
                    title,
                    html: String::new(),
                });
            }
            Event::Start(Tag::Heading { level, .. }) => {
                let inside = until(rest, TagEnd::Heading(level));
                let id = self.anchor(&words(&inside));
                self.events.push(Event::Start(Tag::Heading {
                    level,
                    id: Some(id.into()),
                    classes: Vec::new(),
                    attrs: Vec::new(),
                }));
                self.events.extend(inside);
                self.events.push(Event::End(TagEnd::Heading(level)));
            }
            Event::Start(Tag::CodeBlock(kind)) if is_figure(&kind) => {
                let text = words(&until(rest, TagEnd::CodeBlock));
                match Figure::parse(self.variant, &text) {
                    Ok(figure) => self.figure(&figure),
                    // A test reads every diagram of every game.
                    Err(_) => {
                        self.events.push(Event::Start(Tag::CodeBlock(kind)));
                        self.events.push(Event::Text(text.into()));
                        self.events.push(Event::End(TagEnd::CodeBlock));
                    }
                }
            }
            Event::Html(text) | Event::InlineHtml(text) => self.events.push(Event::Text(text)),
            other => self.events.push(other),
        }
    }

    /// Sets what was read of a chapter.
    fn close(&mut self) {
        let events = std::mem::take(&mut self.events);
        if let Some(chapter) = self.chapters.last_mut() {
            pulldown_cmark::html::push_html(&mut chapter.html, events.into_iter());
        }
    }

    /// A name for links to a heading: its words in small letters, with a number where another has it already.
    fn anchor(&mut self, title: &str) -> String {
        let parts = title.split(|c: char| !c.is_ascii_alphanumeric());
        let parts: Vec<&str> = parts.filter(|p| !p.is_empty()).collect();
        let plain = match parts.join("-").to_ascii_lowercase() {
            empty if empty.is_empty() => "part".into(),
            plain => plain,
        };
        let numbered = (2..).map(|n| format!("{plain}-{n}"));
        let mut names = std::iter::once(plain.clone()).chain(numbered);
        let free = names.find(|name| !self.known.contains(name));
        let name = free.unwrap_or(plain);
        self.known.push(name.clone());
        name
    }

    fn figure(&mut self, figure: &Figure) {
        let mut html = String::new();
        let several = figure.panels.len() > 1;
        let class = if several {
            "diagram several"
        } else {
            "diagram"
        };
        // Writing to a text cannot fail.
        let _ = write!(html, "<figure class=\"{class}\">");
        for (i, panel) in figure.panels.iter().enumerate() {
            self.pictures += 1;
            let (width, height) = render::svg::size(&panel.picture, &Style::default());
            let _ = write!(
                html,
                "<div class=\"picture\"><img src=\"/api/variants/{}/diagram/{}.svg\" alt=\"Diagram: {}\" width=\"{width}\" \
                 height=\"{height}\" loading=\"lazy\" decoding=\"async\" />",
                self.id,
                self.pictures,
                escape(figure.caption(i)),
            );
            if let Some(caption) = panel.caption.as_deref().filter(|_| several) {
                let _ = write!(html, "<p>{}</p>", escape(caption));
            }
            html.push_str("</div>");
        }
        if !several {
            let _ = write!(
                html,
                "<figcaption>{}</figcaption>",
                escape(figure.caption(0))
            );
        }
        html.push_str("</figure>\n");
        self.events.push(Event::Html(CowStr::from(html)));
    }
}

/// The events up to an end, which is taken as well.
fn until<'a>(events: &mut Parser<'a>, end: TagEnd) -> Vec<Event<'a>> {
    let inside = events
        .by_ref()
        .take_while(|event| *event != Event::End(end));
    inside.collect()
}

/// The words of events, without how they look.
fn words(events: &[Event<'_>]) -> String {
    let words = events.iter().filter_map(|event| match event {
        Event::Text(text) | Event::Code(text) => Some(&**text),
        Event::SoftBreak | Event::HardBreak => Some(" "),
        _ => None,
    });
    words.collect()
}

/// Text for HTML, within quotes too.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = (Arc<Variant>, &'static str)> {
        games::ids().filter_map(|id| Some((games::variant(id)?, games::rules(id)?)))
    }

    #[test]
    fn every_diagram_of_every_game_can_be_drawn() {
        let mut seen = 0;
        for (variant, markdown) in all() {
            for text in blocks(markdown) {
                seen += 1;
                let read = Figure::parse(&variant, &text);
                assert!(
                    read.is_ok(),
                    "{}: {:?} in\n{text}",
                    variant.id(),
                    read.err()
                );
            }
            let drawn = pictures(&variant, markdown).len();
            let text = chapters(&variant, variant.id(), markdown);
            let html: String = text.chapters.iter().map(|c| c.html.as_str()).collect();
            assert_eq!(html.matches("<img ").count(), drawn, "{}", variant.id());
            assert!(!html.contains("language-diagram"), "{}", variant.id());
            if drawn > 0 {
                let last = format!("/{drawn}.svg\"");
                assert!(html.contains(&last), "{}", variant.id());
            }
        }
        assert!(seen > 0, "no game has a diagram");
    }

    #[test]
    fn chapters_have_anchors_of_their_own_and_html_is_text() {
        let Some(chess) = games::variant("chess") else {
            panic!("no chess")
        };
        let text = "# Title\n\nFirst <b>words</b>.\n\n## In short\n\nA\n\n### More\n\nB\n\n## In short\n\nC\n\n```diagram\n\
                    position: start\ncaption: \"Set\" & <up>\n```\n\n```diagram\nposition: nowhere\ncaption: x\n```\n";
        let chapters = chapters(&chess, chess.id(), text).chapters;
        let ids: Vec<&str> = chapters.iter().map(|c| c.id.as_str()).collect();
        assert_eq!(ids, ["", "in-short", "in-short-2"]);
        assert!(chapters[0].html.contains("First &lt;b&gt;words&lt;/b&gt;."));
        assert!(!chapters[0].html.contains("Title"));
        assert!(chapters[1].html.contains("<h3 id=\"more\">More</h3>"));
        let last = &chapters[2].html;
        assert!(last.contains("/api/variants/chess/diagram/1.svg"), "{last}");
        assert!(
            last.contains("<figcaption>&quot;Set&quot; &amp; &lt;up&gt;</figcaption>"),
            "{last}"
        );
        // What cannot be read is shown as it stands.
        assert!(last.contains("position: nowhere"), "{last}");
    }
}
