//! Calls both APIs with the clients that openapi-generator generated from their OpenAPI documents. Reads one JSON
//! command per line, and writes one JSON answer per line.
use serde_json::{json, Value};
use std::io::{stdin, stdout, Write};

/// Builds the configuration of a client. Each generated crate has its own type for the same settings.
macro_rules! configuration {
    ($client:ident, $service:expr, $token:expr) => {
        $client::apis::configuration::Configuration {
            base_path: $service.to_owned(),
            api_key: Some($client::apis::configuration::ApiKey {
                prefix: Some("Macaroon".to_owned()),
                key: $token.to_owned(),
            }),
            ..Default::default()
        }
    };
}

fn whoami(service: &str, token: &str) -> Result<Value, String> {
    use public::apis::{tokens_api, Error};
    use tokens_api::WhoamiError::Status400;
    let configuration = configuration!(public, service, token);
    let me = match tokens_api::whoami(&configuration, None) {
        Ok(me) => me,
        Err(Error::ResponseError(refused)) => {
            // The generated type reads a body as that of the first status with such a body.
            let (401, Some(Status400(body))) = (refused.status.as_u16(), refused.entity) else {
                return Err(refused.content);
            };
            return Ok(json!({ "code": body.error_list[0].code }));
        }
        Err(error) => return Err(error.to_string()),
    };
    let list = tokens_api::list_tokens(&configuration, None, None).map_err(|e| e.to_string())?;
    Ok(json!({ "username": me.account.username, "listed": list.macaroons.len() }))
}

fn me(service: &str, token: &str) -> Result<Value, String> {
    let configuration = configuration!(management, service, token);
    let me = management::apis::me_api::me(&configuration).map_err(|error| error.to_string())?;
    Ok(json!({ "username": me.username }))
}

fn main() {
    for line in stdin().lines() {
        let command: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        let of = |name: &str| command[name].as_str().unwrap_or_default().to_owned();
        let (service, token) = (of("service"), of("token"));
        let answer = match of("do").as_str() {
            "whoami" => whoami(&service, &token),
            _ => me(&service, &token),
        };
        println!("{}", answer.unwrap_or_else(|error| json!({ "error": error })));
        stdout().flush().expect("standard output");
    }
}
