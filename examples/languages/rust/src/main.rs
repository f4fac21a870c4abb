use std::collections::HashMap;
use std::env;
use std::error::Error;
use std::io::{Read, Write, stdout};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use base64::{Engine, prelude::BASE64_STANDARD};
use ed25519_dalek::{Signature, VerifyingKey, pkcs8::DecodePublicKey};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tiny_http::{Request, Response, Server};

const KEYS_PATH: &str = "/api/notifications/v1/webhook-http-signature/public-keys";
const BODY_MAX_BYTES: u64 = 256 * 1024;
const MAX_AGE_SECONDS: i64 = 300;
const MAX_AHEAD_SECONDS: i64 = 60;

/// What the parameters of Tocsin's signature begin with.
const COVERED: &str = r#"("@method" "@authority" "@path" "content-digest" "content-type")"#;

enum Failure {
    /// The request is not from Tocsin, or not for this receiver.
    Rejected(&'static str),
    /// The public keys cannot be fetched now; Tocsin sends the notification again later.
    KeysUnavailable(Box<dyn Error>),
}
use Failure::{KeysUnavailable, Rejected};

/// The listed public keys of the server: kept for 300 s, fetched for an unknown ID at most every 30 s.
struct PublicKeys {
    url: String,
    agent: ureq::Agent,
    cached: Mutex<Option<(Instant, HashMap<String, VerifyingKey>)>>,
}

impl PublicKeys {
    fn new(url: String) -> Self {
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(Duration::from_secs(5)))
            .max_redirects(0)
            .build();
        Self {
            url,
            agent: config.into(),
            cached: Mutex::new(None),
        }
    }

    /// The key with an ID; `None` if it is not listed.
    fn get(&self, id: &str) -> Result<Option<VerifyingKey>, Failure> {
        let mut cached = self
            .cached
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some((fetched_at, keys)) = &*cached {
            let limit = if keys.contains_key(id) { 300 } else { 30 };
            if fetched_at.elapsed() <= Duration::from_secs(limit) {
                return Ok(keys.get(id).copied());
            }
        }
        let keys = self.fetch().map_err(KeysUnavailable)?;
        let key = keys.get(id).copied();
        *cached = Some((Instant::now(), keys));
        Ok(key)
    }

    fn fetch(&self) -> Result<HashMap<String, VerifyingKey>, Box<dyn Error>> {
        let mut response = self.agent.get(&self.url).call()?;
        let text = response
            .body_mut()
            .with_config()
            .limit(64 * 1024)
            .read_to_string()?;
        let list: Value = serde_json::from_str(&text)?;
        let mut keys = HashMap::new();
        for key in list["keys"].as_array().ok_or("no list of keys")? {
            let id = key["keyId"].as_str().ok_or("a key has no ID")?;
            let pem = key["publicKeyPem"].as_str().ok_or("a key has no PEM")?;
            keys.insert(id.to_owned(), VerifyingKey::from_public_key_pem(pem)?);
        }
        Ok(keys)
    }
}

/// The value of a header, its lines joined.
fn field(request: &Request, name: &'static str) -> String {
    let lines: Vec<&str> = request
        .headers()
        .iter()
        .filter(|each| each.field.equiv(name))
        .map(|each| each.value.as_str().trim())
        .collect();
    lines.join(", ")
}

/// The value of one key of a structured dictionary (RFC 8941, section 3.2), which may have other keys, such as the
/// signature of a proxy.
fn member<'a>(field: &'a str, key: &str) -> Result<&'a str, Failure> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let members = field.split(|c| {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            _ => return c == ',' && !is_quoted,
        }
        false
    });
    let mut found = members.filter_map(|each| each.trim().strip_prefix(key)?.strip_prefix('='));
    match (found.next(), found.next()) {
        (Some(value), None) => Ok(value),
        _ => Err(Rejected(
            "a header does not have exactly one member of Tocsin's",
        )),
    }
}

/// Decodes `:…:` (RFC 8941, section 3.3.5).
fn byte_sequence(value: &str) -> Result<Vec<u8>, Failure> {
    let encoded = value
        .strip_prefix(':')
        .and_then(|rest| rest.strip_suffix(':'));
    encoded
        .and_then(|text| BASE64_STANDARD.decode(text).ok())
        .ok_or(Rejected("not a byte sequence"))
}

/// Reads `(…);created=…;keyid="…";alg="ed25519"`, and nothing else.
fn parameters(input: &str) -> Option<(i64, &str)> {
    let rest = input.strip_prefix(COVERED)?.strip_prefix(";created=")?;
    let (created, rest) = rest.split_once(";keyid=\"")?;
    let (key_id, rest) = rest.split_once('"')?;
    let is_integer = created.len() <= 15 && created.bytes().all(|each| each.is_ascii_digit());
    if !is_integer || rest != ";alg=\"ed25519\"" {
        return None;
    }
    Some((created.parse().ok()?, key_id))
}

/// Fails unless Tocsin signed this request, with this body, for this host.
fn verify(
    request: &Request,
    body: &[u8],
    authority: &str,
    keys: &PublicKeys,
) -> Result<(), Failure> {
    // The body has the digest that the header announces.
    let content_digest = field(request, "Content-Digest");
    if byte_sequence(member(&content_digest, "sha-256")?)? != Sha256::digest(body)[..] {
        return Err(Rejected("the body does not match Content-Digest"));
    }

    // The signature covers what it must, and is neither too old nor from the future.
    let inputs = field(request, "Signature-Input");
    let input = member(&inputs, "sig1")?;
    let (created, key_id) =
        parameters(input).ok_or(Rejected("the signature has other parameters than Tocsin's"))?;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs() as i64);
    if now - created > MAX_AGE_SECONDS || created - now > MAX_AHEAD_SECONDS {
        return Err(Rejected("the signature is too old, or from the future"));
    }
    let signatures = field(request, "Signature");
    let signature = Signature::from_slice(&byte_sequence(member(&signatures, "sig1")?)?)
        .map_err(|_| Rejected("the signature is not 64 bytes long"))?;

    // The key is one that the server lists.
    let key = keys.get(key_id)?.ok_or(Rejected("the key is not listed"))?;

    // The host is our own, whatever `Host` says. The path is as received, still percent-encoded, without the query.
    let path = request.url().split('?').next().unwrap_or_default();
    let base = [
        format!("\"@method\": {}", request.method()),
        format!("\"@authority\": {authority}"),
        format!("\"@path\": {path}"),
        format!("\"content-digest\": {content_digest}"),
        format!("\"content-type\": {}", field(request, "Content-Type")),
        format!("\"@signature-params\": {input}"),
    ]
    .join("\n");
    // Not `verify`, which also accepts keys of small order.
    key.verify_strict(base.as_bytes(), &signature)
        .map_err(|_| Rejected("the signature is not valid"))
}

/// Replace this: store the notification, unless it is already stored.
fn process(id: &str, body: &[u8]) -> std::io::Result<()> {
    let mut output = stdout().lock();
    output.write_all(&[id.as_bytes(), b" ", body, b"\n"].concat())?;
    output.flush()
}

fn receive(request: &mut Request, authority: &str, keys: &PublicKeys) -> u16 {
    // The raw body, before anything parses it.
    let mut body = Vec::new();
    if request
        .as_reader()
        .take(BODY_MAX_BYTES + 1)
        .read_to_end(&mut body)
        .is_err()
    {
        return 400;
    }
    if body.len() as u64 > BODY_MAX_BYTES {
        return 413;
    }
    match verify(request, &body, authority, keys) {
        Err(Rejected(reason)) => {
            eprintln!("{reason}");
            401
        }
        Err(KeysUnavailable(reason)) => {
            eprintln!("the public keys cannot be fetched: {reason}");
            503
        }
        Ok(()) if process(&field(request, "Notification-Id"), &body).is_err() => 500,
        Ok(()) => 204,
    }
}

fn env_or(name: &str, otherwise: &str) -> String {
    env::var(name).unwrap_or_else(|_| otherwise.to_owned())
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let base_url = env_or("TOCSIN_BASE_URL", "http://127.0.0.1:8080");
    // The host of the webhook URL in lowercase, with its port if it is not 443.
    let authority = Arc::new(env_or("AUTHORITY", "hooks.example.com"));
    let port = env_or("PORT", "3000");
    let keys = Arc::new(PublicKeys::new(base_url + KEYS_PATH));
    let server = Arc::new(Server::http(format!("127.0.0.1:{port}"))?);
    println!("receiving on port {port}");
    let workers: Vec<_> = (0..16)
        .map(|_| {
            let (server, keys, authority) = (server.clone(), keys.clone(), authority.clone());
            thread::spawn(move || {
                while let Ok(mut request) = server.recv() {
                    let status = receive(&mut request, &authority, &keys);
                    // If the sender is gone, it sends again.
                    let _ = request.respond(Response::empty(status));
                }
            })
        })
        .collect();
    workers.into_iter().for_each(|each| drop(each.join()));
    Ok(())
}
