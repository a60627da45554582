//! Answers that are the same for everybody: made once, compressed once and well, and kept. What they hold is not
//! known here.

use super::Failure;
use crate::work::{Weight, Work};
use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;

/// Less than this is not worth compressing.
const SMALL: usize = 256;
/// Of 11: the last two take ten times as long for a few percent.
const BROTLI: u32 = 9;

/// An answer with its compressed forms.
#[derive(Debug)]
pub struct CachedAnswer {
    kind: &'static str,
    keep: &'static str,
    tag: String,
    plain: Bytes,
    brotli: Option<Bytes>,
    gzip: Option<Bytes>,
}

impl CachedAnswer {
    /// An answer of a content type, with what browsers are told about keeping it. Compresses it: work for a moment.
    pub fn new(kind: &'static str, keep: &'static str, plain: impl Into<Bytes>) -> CachedAnswer {
        let plain = plain.into();
        let mut hasher = DefaultHasher::new();
        plain.hash(&mut hasher);
        let tag = format!("{:016x}", hasher.finish());
        CachedAnswer::tagged(kind, keep, plain, &tag, None)
    }

    /// An answer whose checksum is known, and its Brotli form if that was made before.
    pub fn tagged(
        kind: &'static str,
        keep: &'static str,
        plain: Bytes,
        tag: &str,
        packed: Option<Bytes>,
    ) -> CachedAnswer {
        let text = kind.starts_with("text/")
            || kind.starts_with("application/")
            || kind.starts_with("image/svg");
        let worth = |packed: Vec<u8>| (packed.len() < plain.len()).then(|| packed.into());
        let (mut brotli, mut gzip) = (None, None);
        if text && plain.len() >= SMALL {
            brotli = packed.or_else(|| worth(by_brotli(&plain)));
            gzip = worth(by_gzip(&plain));
        }
        CachedAnswer {
            kind,
            keep,
            // The same tag stands for all forms, so it is a weak one.
            tag: format!("W/\"{tag}\""),
            plain,
            brotli,
            gzip,
        }
    }

    /// The answer to a request with these headers.
    pub fn answer(&self, headers: &HeaderMap) -> Response {
        let common = [
            (header::ETAG, self.tag.as_str()),
            (header::CACHE_CONTROL, self.keep),
            (header::VARY, "accept-encoding"),
        ];
        if knows(headers, &self.tag) {
            return (StatusCode::NOT_MODIFIED, common).into_response();
        }
        let forms = [("br", &self.brotli), ("gzip", &self.gzip)];
        let form = forms.into_iter().find_map(|(name, form)| {
            let form = form.as_ref().filter(|_| accepts(headers, name))?;
            Some((name, form))
        });
        let (coding, bytes): (Option<(HeaderName, &str)>, _) = match form {
            Some((name, bytes)) => (Some((header::CONTENT_ENCODING, name)), bytes),
            None => (None, &self.plain),
        };
        let kind = [(header::CONTENT_TYPE, self.kind)];
        let body = Body::from(bytes.clone());
        let mut response = (common, kind, body).into_response();
        if let Some((name, value)) = coding
            && let Ok(value) = value.parse()
        {
            response.headers_mut().insert(name, value);
        }
        response
    }
}

// Writing to memory cannot fail; if it did, the answer would go out as it is.
fn by_brotli(plain: &[u8]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(plain.len() / 3);
    let mut writer = brotli::CompressorWriter::new(&mut packed, 1 << 16, BROTLI, 22);
    let written = writer.write_all(plain);
    drop(writer);
    if written.is_ok() {
        packed
    } else {
        plain.to_vec()
    }
}

fn by_gzip(plain: &[u8]) -> Vec<u8> {
    let packed = Vec::with_capacity(plain.len() / 3);
    let mut writer = flate2::write::GzEncoder::new(packed, flate2::Compression::best());
    let written = writer.write_all(plain);
    let packed = written.and_then(|()| writer.finish());
    packed.unwrap_or_else(|_| plain.to_vec())
}

/// Whether the sender has what has this tag: the tags of `If-None-Match` are a list and compared weakly.
pub fn knows(headers: &HeaderMap, tag: &str) -> bool {
    let bare = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let tag = bare(tag);
    let lines = headers.get_all(header::IF_NONE_MATCH).iter();
    lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .any(|one| one.trim() == "*" || bare(one) == tag)
}

/// Whether the sender takes a coding.
fn accepts(headers: &HeaderMap, coding: &str) -> bool {
    let lines = headers.get_all(header::ACCEPT_ENCODING).iter();
    lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .any(|one| {
            let (name, weight) = one.split_once(';').unwrap_or((one, "q=1"));
            let weight = weight.trim().strip_prefix("q=").unwrap_or("1");
            let wanted = weight.trim().parse::<f32>().is_ok_and(|q| q > 0.0);
            name.trim().eq_ignore_ascii_case(coding) && wanted
        })
}

type Place = Arc<OnceCell<Arc<CachedAnswer>>>;

/// All that is kept, by name.
#[derive(Clone, Debug, Default)]
pub struct AnswerCache {
    places: Arc<Mutex<HashMap<String, Place>>>,
}

impl AnswerCache {
    /// What is kept under a name, made if it is not there. There must be a bounded number of names.
    pub async fn get(
        &self,
        name: &str,
        work: &Work,
        make: impl FnOnce() -> CachedAnswer + Send + 'static,
    ) -> Result<Arc<CachedAnswer>, Failure> {
        let place: Place = {
            let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
            places.entry(name.into()).or_default().clone()
        };
        let kept = place.get_or_try_init(|| async {
            let kept = work.run(Weight::Light, make).await?;
            Ok::<_, Failure>(Arc::new(kept))
        });
        kept.await.cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Tested = Result<(), Box<dyn std::error::Error>>;

    fn headers(name: HeaderName, value: &str) -> Result<HeaderMap, Box<dyn std::error::Error>> {
        Ok(HeaderMap::from_iter([(name, value.parse()?)]))
    }

    #[test]
    fn known_tags_are_a_list_and_weak() -> Tested {
        for (value, known) in [
            ("\"a\"", true),
            ("W/\"a\"", true),
            ("\"b\", W/\"a\"", true),
            ("*", true),
            ("\"b\"", false),
            ("a", false),
            ("", false),
        ] {
            let headers = headers(header::IF_NONE_MATCH, value)?;
            assert_eq!(knows(&headers, "W/\"a\""), known, "{value}");
            assert_eq!(knows(&headers, "\"a\""), known, "{value}");
        }
        Ok(())
    }

    #[test]
    fn the_best_form_that_is_taken_is_sent() -> Tested {
        let text = "Shatranj al-husun ".repeat(1000);
        let kept = CachedAnswer::new("text/plain", "no-cache", text.clone());
        for (value, coding) in [
            ("gzip, deflate, br", Some("br")),
            ("gzip;q=1.0, br;q=0", Some("gzip")),
            ("GZIP", Some("gzip")),
            ("identity", None),
            ("", None),
        ] {
            let response = kept.answer(&headers(header::ACCEPT_ENCODING, value)?);
            let found = response.headers().get(header::CONTENT_ENCODING);
            assert_eq!(
                found.map(|v| v.as_bytes()),
                coding.map(str::as_bytes),
                "{value}"
            );
        }
        let mut plain = Vec::new();
        let packed = kept.brotli.ok_or("not compressed")?;
        brotli::BrotliDecompress(&mut &packed[..], &mut plain)?;
        assert!(plain == text.as_bytes() && packed.len() < text.len() / 50);
        Ok(())
    }
}
