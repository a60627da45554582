//! `husun inspect` against the positions and endings of two independent reference programs.

use serde_json::Value;
use std::error::Error;
use std::io::Write;
use std::process::{Command, Stdio};

const POSITIONS: &str = include_str!("../../games/tests/data/positions.jsonl");
const ENDINGS: &str = include_str!("../../games/tests/data/endings.jsonl");

/// Answers to all lines, in order.
fn inspect(lines: &str) -> Result<Vec<Value>, Box<dyn Error>> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_husun"))
        .arg("inspect")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut input = program.stdin.take().ok_or("no input")?;
    let text = lines.to_string();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = program.wait_with_output()?;
    writer.join().map_err(|_| "writer panicked")??;
    let text = String::from_utf8(output.stdout)?;
    Ok(text
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?)
}

/// Whether the found value is the wanted one, numbers compared by value.
fn same(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|w| same(v, w)))
        }
        _ => found == wanted,
    }
}

#[test]
fn positions() -> Result<(), Box<dyn Error>> {
    let answers = inspect(POSITIONS)?;
    assert_eq!(answers.len(), POSITIONS.lines().count());
    for (line, found) in POSITIONS.lines().zip(&answers) {
        let wanted: Value = serde_json::from_str(line)?;
        assert!(same(found, &wanted), "found {found}\nwanted {wanted}");
    }
    Ok(())
}

#[test]
fn endings() -> Result<(), Box<dyn Error>> {
    let answers = inspect(ENDINGS)?;
    assert_eq!(answers.len(), ENDINGS.lines().count());
    for (line, found) in ENDINGS.lines().zip(&answers) {
        let wanted: Value = serde_json::from_str(line)?;
        assert!(
            same(&found["ended"], &wanted["ended"]),
            "{line}\nfound {found}"
        );
    }
    Ok(())
}

#[test]
fn children_are_canonical_positions() -> Result<(), Box<dyn Error>> {
    let requests: Vec<String> = POSITIONS
        .lines()
        .step_by(7)
        .map(|line| {
            let mut request: Value = serde_json::from_str(line)?;
            request["children"] = true.into();
            Ok(request.to_string())
        })
        .collect::<Result<_, serde_json::Error>>()?;
    let answers = inspect(&requests.join("\n"))?;
    assert_eq!(answers.len(), requests.len());
    let mut again = Vec::new();
    for answer in &answers {
        let (moves, children) = (&answer["moves"], &answer["children"]);
        let count = moves.as_array().map(Vec::len);
        assert_eq!(count, children.as_array().map(Vec::len));
        for fen in children.as_array().into_iter().flatten() {
            again.push(serde_json::json!({ "variant": answer["variant"], "fen": fen }));
        }
    }
    let lines: Vec<String> = again.iter().map(Value::to_string).collect();
    let answers = inspect(&lines.join("\n"))?;
    assert_eq!(answers.len(), again.len());
    for (request, answer) in again.iter().zip(&answers) {
        assert_eq!(answer["fen"], request["fen"]);
    }
    Ok(())
}

#[test]
fn bad_lines_are_answered_and_the_rest_goes_on() -> Result<(), Box<dyn Error>> {
    const ROWS: [(&str, &str, &str); 11] = [
        ("nonsense", "line", "not a JSON object"),
        ("[1]", "line", "not a JSON object"),
        ("{\"fen\":\"8\"}", "variant", "missing"),
        (
            "{\"variant\":5,\"fen\":\"8\"}",
            "variant",
            "expected a string",
        ),
        (
            "{\"variant\":\"checkers\",\"fen\":\"8\"}",
            "variant",
            "checkers",
        ),
        (
            "{\"variant\":\"chess\",\"fen\":7}",
            "fen",
            "expected a string",
        ),
        (
            "{\"variant\":\"chess\",\"fem\":\"8/8 w - - 0 1\"}",
            "fem",
            "unknown: expected one of variant, fen, children, play",
        ),
        (
            "{\"variant\":\"chess\",\"variant\":\"shatranj\"}",
            "variant",
            "is given twice",
        ),
        (
            "{\"variant\":\"chess\",\"fen\":\"8/8 w - - 0 1\"}",
            "fen",
            "2 ranks: expected 8",
        ),
        (
            "{\"variant\":\"chess\",\"fen\":\"4k3/8/8/8/8/8/8/4K3 w - - 0 1\",\"play\":[\"e1e2\",\"e8e1\"]}",
            "play",
            "move 1: `e8e1` is not legal here",
        ),
        (
            "{\"variant\":\"chess\",\"fen\":\"4k3/8/8/8/8/8/8/4K3 w - - 0 1\",\"children\":1}",
            "children",
            "expected true or false",
        ),
    ];
    let good = r#"{"variant":"chess","fen":"4k3/8/8/8/8/8/8/4K2R w K - 0 1"}"#;
    let mut lines: Vec<&str> = ROWS.iter().map(|r| r.0).collect();
    lines.push(good);
    let answers = inspect(&lines.join("\n"))?;
    assert_eq!(answers.len(), lines.len());
    for ((line, field, reason), answer) in ROWS.iter().zip(&answers) {
        assert_eq!(answer["error"]["field"], *field, "{line}");
        let text = answer["error"]["reason"].as_str().unwrap_or_default();
        assert!(text.contains(reason), "{line}: {text}");
    }
    let last = answers.last().ok_or("no answer")?;
    assert_eq!(last["moves"].as_array().map(Vec::len), Some(15));
    Ok(())
}

#[test]
fn without_a_position_the_set_up_is_meant() -> Result<(), Box<dyn Error>> {
    let answers = inspect("{\"variant\":\"chess\"}\n{\"variant\":\"chess\",\"fen\":null}")?;
    for answer in answers {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(answer["fen"], start);
    }
    Ok(())
}

#[test]
fn an_answer_can_be_sent_in_as_a_question() -> Result<(), Box<dyn Error>> {
    let asked = r#"{"variant":"strike80","children":true,"play":["#;
    let answer = inspect(&format!("{asked}]}}"))?.remove(0);
    assert!(
        answer["children"].is_array() && answer["ended"].is_null(),
        "{answer}"
    );
    let mut again = inspect(&answer.to_string())?.remove(0);
    let keys = again.as_object_mut().ok_or("no object")?;
    for key in ["children", "ended"] {
        assert!(!keys.contains_key(key), "{key} was not asked for: {answer}");
        keys.insert(key.into(), answer[key].clone());
    }
    assert_eq!(again, answer);
    Ok(())
}

/// The schema lists every key of every answer, and every key of a question is read.
#[test]
fn the_schema_fits() -> Result<(), Box<dyn Error>> {
    let schema: Value = serde_json::from_str(include_str!("../../../docs/inspect.schema.json"))?;
    let keys = |value: &Value| -> Vec<String> {
        let object = value.as_object();
        object.map_or(Vec::new(), |o| o.keys().cloned().collect())
    };
    let known = |definition: &str| keys(&schema["$defs"][definition]["properties"]);
    let line = "{\"variant\":\"strike80\",\"children\":true,\"play\":[]}\n{}";
    let answers = inspect(line)?;
    assert_eq!(keys(&answers[0]), known("answer"));
    assert_eq!(keys(&answers[1]), known("error"));
    assert_eq!(
        keys(&answers[1]["error"]),
        keys(&schema["$defs"]["error"]["properties"]["error"]["properties"])
    );
    for key in known("question") {
        let answer = &inspect(&format!("{{\"variant\":\"chess\",\"{key}\":null}}"))?[0];
        let reason = answer["error"]["reason"].as_str().unwrap_or_default();
        assert!(!reason.starts_with("unknown"), "{key}: {answer}");
    }
    Ok(())
}

#[test]
fn repetition_counts_the_history() -> Result<(), Box<dyn Error>> {
    let shuffle = ["e1d1", "e8d8", "d1e1", "d8e8"].repeat(2);
    let request = serde_json::json!({
        "variant": "chess",
        "fen": "4k3/7p/8/8/8/8/7P/4K3 w - - 0 1",
        "play": shuffle,
    });
    let mut shorter = request.clone();
    shorter["play"].as_array_mut().ok_or("no list")?.pop();
    let answers = inspect(&format!("{request}\n{shorter}"))?;
    assert_eq!(answers[0]["ended"]["reason"], "repetition");
    assert_eq!(answers[1]["ended"], Value::Null);
    Ok(())
}
