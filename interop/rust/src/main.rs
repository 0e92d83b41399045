//! Reads macaroons and appends caveats with the crates `macaroon` and `libmacaroon`, unmodified from crates.io. Reads
//! one JSON command per line, and writes one JSON answer per line.

use serde_json::{json, Value};
use std::io::{stdin, stdout, BufRead, Write};

type Answer = Result<Value, String>;

fn main() {
    macaroon::initialize().expect("libsodium starts");
    for line in stdin().lock().lines() {
        let answer = serde_json::from_str(&line.expect("text"))
            .map_err(|error| error.to_string())
            .and_then(carry_out)
            .unwrap_or_else(|message| json!({ "error": "failed", "message": message }));
        println!("{answer}");
        stdout().flush().expect("standard output");
    }
}

/// Carries out `{"do": LIBRARY, "token": TEXT, "conditions": [TEXT, …], "format": "binary" or "json"}`. The answer has
/// the token with the conditions appended, in that format, and all its first-party conditions.
fn carry_out(command: Value) -> Answer {
    let text = |key: &str| {
        command[key].as_str().map(str::to_owned).ok_or(format!("the command lacks {key}"))
    };
    let conditions: Vec<String> = command["conditions"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|condition| condition.as_str().map(str::to_owned))
        .collect();
    let (token, json) = (text("token")?, text("format")? == "json");
    match text("do")?.as_str() {
        "macaroon" => with_macaroon(&token, &conditions, json),
        "libmacaroon" => with_libmacaroon(&token, &conditions, json),
        other => Err(format!("no such library: {other}")),
    }
}

fn with_macaroon(token: &str, conditions: &[String], json: bool) -> Answer {
    use macaroon::{Caveat, Format, Macaroon};
    let mut read = Macaroon::deserialize(in_its_alphabet(token)).map_err(|error| error.to_string())?;
    for condition in conditions {
        read.add_first_party_caveat(condition.as_str().into());
    }
    let format = if json { Format::V2JSON } else { Format::V2 };
    let written = read.serialize(format).map_err(|error| error.to_string())?;
    let found: Vec<String> = read
        .first_party_caveats()
        .iter()
        .filter_map(|caveat| match caveat {
            Caveat::FirstParty(first) => Some(String::from_utf8_lossy(&first.predicate().0).into_owned()),
            Caveat::ThirdParty(_) => None,
        })
        .collect();
    Ok(json!({ "token": written, "conditions": found }))
}

/// Returns the token with `i64` and `v64` in standard base64. The format specifies URL-safe base64, but this crate
/// reads only the standard alphabet, so its users have to convert. The signature stays valid.
fn in_its_alphabet(token: &str) -> String {
    let Ok(mut json) = serde_json::from_str::<Value>(token) else {
        return token.to_owned();
    };
    let caveats = json["c"].as_array_mut().map(std::mem::take).unwrap_or_default();
    let change = |mut fields: Value| {
        for key in ["i64", "v64"] {
            if let Some(text) = fields[key].as_str() {
                fields[key] = text.replace('-', "+").replace('_', "/").into();
            }
        }
        fields
    };
    let mut json = change(json);
    json["c"] = caveats.into_iter().map(change).collect();
    json.to_string()
}

fn with_libmacaroon(token: &str, conditions: &[String], json: bool) -> Answer {
    use libmacaroon::{Format, Macaroon};
    let mut read = Macaroon::deserialize(token).map_err(|error| error.to_string())?;
    for condition in conditions {
        read.add_first_party_caveat(condition).map_err(|error| error.to_string())?;
    }
    let format = if json { Format::V2JSON } else { Format::V2 };
    let written = read.serialize(format).map_err(|error| error.to_string())?;
    let found: Vec<String> = read
        .first_party_caveats()
        .iter()
        .filter_map(|caveat| caveat.as_first_party())
        .map(|first| String::from_utf8_lossy(first.predicate()).into_owned())
        .collect();
    Ok(json!({ "token": written, "conditions": found }))
}
