//! Messages between processes as they are kept in `tests/data/messages`: each version must understand what those before it
//! say, and ignore fields that it does not know.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Tests the kept forms of a message, one a line. `tag` names the field that tells its kinds apart, if there is one.
pub fn keep<T: DeserializeOwned + Serialize>(kept: &str, tag: Option<&str>) {
    let forms: Vec<Value> = kept
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(!forms.is_empty());
    for form in &forms {
        let read: T = read(form);
        let written = serde_json::to_value(&read).unwrap();
        assert!(holds(&written, form), "{form} is said as {written}");
        for place in 0.. {
            let mut more = form.clone();
            if !with_unknown(&mut more, &mut (place + 1)) {
                break;
            }
            let again: T = self::read(&more);
            let again = serde_json::to_value(&again).unwrap();
            assert_eq!(again, written, "a field that nobody knows: {more}");
        }
    }
    for kind in kinds::<T>(tag) {
        let is = |form: &Value| match (tag, form) {
            (Some(tag), form) => form[tag] == *kind,
            (None, Value::String(text)) => *text == kind,
            (None, form) => form.get(&kind).is_some(),
        };
        assert!(forms.iter().any(is), "no {kind} among the kept messages");
    }
}

fn read<T: DeserializeOwned>(form: &Value) -> T {
    serde_json::from_value(form.clone()).unwrap_or_else(|error| panic!("{form}: {error}"))
}

/// Whether a message says all that another says.
fn holds(message: &Value, said: &Value) -> bool {
    match (message, said) {
        (Value::Object(message), Value::Object(said)) => said.iter().all(|(name, said)| {
            let found = message.get(name);
            found.map_or(said.is_null(), |found| holds(found, said))
        }),
        (Value::Array(message), Value::Array(said)) => {
            let mut pairs = message.iter().zip(said);
            message.len() == said.len() && pairs.all(|(message, said)| holds(message, said))
        }
        (message, said) => message == said,
    }
}

/// Adds a field to the object of this number, if there are so many. One with a single field may be the kind of something.
fn with_unknown(value: &mut Value, at: &mut usize) -> bool {
    match value {
        Value::Object(fields) => {
            // A time is serde's, and always the same.
            let is_time = fields.contains_key("secs") && fields.contains_key("nanos");
            if fields.len() > 1 && !is_time {
                *at -= 1;
                if *at == 0 {
                    fields.insert("of a later version".into(), serde_json::json!({ "a": [1] }));
                    return true;
                }
            }
            fields.values_mut().any(|field| with_unknown(field, at))
        }
        Value::Array(list) => list.iter_mut().any(|value| with_unknown(value, at)),
        _ => false,
    }
}

/// The kinds of a message, as reading it tells them.
fn kinds<T: DeserializeOwned>(tag: Option<&str>) -> Vec<String> {
    let nothing = "of a later version";
    let unknown = match tag {
        Some(tag) => serde_json::json!({ tag: nothing }),
        None => serde_json::json!({ nothing: null }),
    };
    let Some(error) = serde_json::from_value::<T>(unknown).err() else {
        return Vec::new();
    };
    let error = error.to_string();
    match error.strip_prefix("unknown variant") {
        // Those between backquotes; the first is what was asked.
        Some(list) => list
            .split('`')
            .skip(1)
            .step_by(2)
            .skip(1)
            .map(Into::into)
            .collect(),
        None => Vec::new(),
    }
}

#[test]
fn what_is_missing_or_not_understood_is_found() {
    #[derive(serde::Deserialize, Serialize)]
    #[serde(rename_all = "snake_case")]
    enum Said {
        One { n: u32, m: u32 },
        Two,
    }
    #[derive(serde::Deserialize, Serialize)]
    #[serde(deny_unknown_fields)]
    struct Strict {
        n: u32,
        m: u32,
    }
    let fails = |test: fn()| std::panic::catch_unwind(test).is_err();
    keep::<Said>("{\"one\":{\"n\":1,\"m\":2}}\n\"two\"\n", None);
    assert!(fails(|| keep::<Said>("\"two\"\n", None)));
    assert!(fails(|| keep::<Said>(
        "{\"one\":{\"n\":1,\"m\":2,\"k\":3}}\n\"two\"\n",
        None
    )));
    assert!(fails(|| keep::<Said>(
        "{\"one\":{\"n\":1}}\n\"two\"\n",
        None
    )));
    assert!(fails(|| keep::<Strict>("{\"n\":1,\"m\":2}\n", None)));
}
