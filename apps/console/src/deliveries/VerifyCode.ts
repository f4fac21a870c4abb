import { headerOf, type ReceivedRequest } from "./ReceivedRequest.ts"

/** A request, and the public key that its signature names. */
export interface SignedRequest extends ReceivedRequest {
  readonly publicKeyPem: string | undefined
}

/** A program that verifies one request, of the standard library alone unless it is prepared by other commands. */
export interface VerifyProgram {
  readonly name: string
  readonly file: string
  readonly prepare?: ReadonlyArray<string>
  readonly run: string
  readonly code: (request: SignedRequest) => string
}

/** What the console does not have, and the user has not entered. */
const unknown = "FILL IN"

/** The programs by language. Each prints what it found, and exits with 1 unless a receiver accepts the request. */
export const verifyPrograms: ReadonlyArray<VerifyProgram> = [
  {
    name: "Node.js",
    file: "verify.mjs",
    run: "node verify.mjs",
    code: (request) => {
      const { authority, path, digest, type, input, signature, pem, body } = valuesOf(request)
      return `import { createHash, createPublicKey, verify } from "node:crypto"

// The URL of the alert method. A receiver takes the host from its own configuration, and the path from the request.
const authority = ${quoted(authority)}
const path = ${quoted(path)}
const contentDigest = ${quoted(digest)}
const contentType = ${quoted(type)}
const signatureInput = ${quoted(input)}
const signature = ${quoted(signature)}
const body = ${quoted(body)}
const publicKey = \`${pem}\`

const reject = (reason) => {
  console.error(\`rejected: \${reason}\`)
  process.exit(1)
}

if (contentDigest !== \`sha-256=:\${createHash("sha256").update(body).digest("base64")}:\`)
  reject("the body does not match Content-Digest")

const parameters = signatureInput.replace(/^sig1=/, "")
if (!/^\\("@method" "@authority" "@path" "content-digest" "content-type"\\);created=\\d+;keyid="[^"]+";alg="ed25519"$/.test(parameters))
  reject("Signature-Input does not cover what it must")

const base = [
  \`"@method": POST\`,
  \`"@authority": \${authority}\`,
  \`"@path": \${path}\`,
  \`"content-digest": \${contentDigest}\`,
  \`"content-type": \${contentType}\`,
  \`"@signature-params": \${parameters}\`,
].join("\\n")
const bytes = Buffer.from(signature.replace(/^sig1=:(.*):$/, "$1"), "base64")
if (!verify(null, Buffer.from(base), createPublicKey(publicKey), bytes)) reject("the signature is not valid")
console.log("verified")
`
    },
  },
  {
    name: "Python",
    file: "verify.py",
    run: "python3 verify.py",
    prepare: ["pip install cryptography"],
    code: (request) => {
      const { authority, path, digest, type, input, signature, pem, body } = valuesOf(request)
      return `import base64
import hashlib
import re
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.serialization import load_pem_public_key

# The URL of the alert method. A receiver takes the host from its own configuration, and the path from the request.
authority = ${quoted(authority)}
path = ${quoted(path)}
content_digest = ${quoted(digest)}
content_type = ${quoted(type)}
signature_input = ${quoted(input)}
signature = ${quoted(signature)}
body = ${quoted(body)}.encode()
public_key = """${pem}"""

digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
if content_digest != f"sha-256=:{digest}:":
    sys.exit("rejected: the body does not match Content-Digest")

parameters = signature_input.removeprefix("sig1=")
covered = r'\\("@method" "@authority" "@path" "content-digest" "content-type"\\)'
if not re.fullmatch(covered + r';created=\\d+;keyid="[^"]+";alg="ed25519"', parameters):
    sys.exit("rejected: Signature-Input does not cover what it must")

base = "\\n".join([
    '"@method": POST',
    f'"@authority": {authority}',
    f'"@path": {path}',
    f'"content-digest": {content_digest}',
    f'"content-type": {content_type}',
    f'"@signature-params": {parameters}',
])
try:
    signature_bytes = base64.b64decode(signature.removeprefix("sig1=:").removesuffix(":"))
    load_pem_public_key(public_key.encode()).verify(signature_bytes, base.encode())
except (InvalidSignature, ValueError):
    sys.exit("rejected: the signature is not valid")
print("verified")
`
    },
  },
  {
    name: "Go",
    file: "verify.go",
    run: "go run verify.go",
    code: (request) => {
      const { authority, path, digest, type, input, signature, pem, body } = valuesOf(request)
      return `package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// The URL of the alert method. A receiver takes the host from its own configuration, and the path from the request.
const (
	authority      = ${quoted(authority)}
	path           = ${quoted(path)}
	contentDigest  = ${quoted(digest)}
	contentType    = ${quoted(type)}
	signatureInput = ${quoted(input)}
	signature      = ${quoted(signature)}
	body           = ${quoted(body)}
	publicKey      = \`${pem}\`
)

var covered = regexp.MustCompile(
	\`^\\("@method" "@authority" "@path" "content-digest" "content-type"\\);created=\\d+;keyid="[^"]+";alg="ed25519"$\`)

func main() {
	digest := sha256.Sum256([]byte(body))
	if contentDigest != "sha-256=:"+base64.StdEncoding.EncodeToString(digest[:])+":" {
		reject("the body does not match Content-Digest")
	}
	parameters := strings.TrimPrefix(signatureInput, "sig1=")
	if !covered.MatchString(parameters) {
		reject("Signature-Input does not cover what it must")
	}
	base := strings.Join([]string{
		\`"@method": POST\`,
		\`"@authority": \` + authority,
		\`"@path": \` + path,
		\`"content-digest": \` + contentDigest,
		\`"content-type": \` + contentType,
		\`"@signature-params": \` + parameters,
	}, "\\n")
	block, _ := pem.Decode([]byte(publicKey))
	if block == nil {
		reject("the public key is not PEM")
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		reject(err.Error())
	}
	sent, _ := base64.StdEncoding.DecodeString(strings.TrimSuffix(strings.TrimPrefix(signature, "sig1=:"), ":"))
	if !ed25519.Verify(key.(ed25519.PublicKey), []byte(base), sent) {
		reject("the signature is not valid")
	}
	fmt.Println("verified")
}

func reject(reason string) {
	fmt.Fprintln(os.Stderr, "rejected: "+reason)
	os.Exit(1)
}
`
    },
  },
  {
    name: "Java",
    file: "Verify.java",
    run: "java Verify.java",
    code: (request) => {
      const { authority, path, digest, type, input, signature, pem, body } = valuesOf(request)
      const key = pem.split("\n").filter((line) => !line.startsWith("-----"))
      return `import java.nio.charset.StandardCharsets;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;

public final class Verify {
    // The URL of the alert method. A receiver takes the host from its own configuration, and the path from the request.
    static final String AUTHORITY = ${quoted(authority)};
    static final String PATH = ${quoted(path)};
    static final String CONTENT_DIGEST = ${quoted(digest)};
    static final String CONTENT_TYPE = ${quoted(type)};
    static final String SIGNATURE_INPUT = ${quoted(input)};
    static final String SIGNATURE = ${quoted(signature)};
    static final String BODY = String.join("", ${javaParts(body)});
    static final String PUBLIC_KEY = ${quoted(key.join(""))};

    public static void main(String[] args) throws Exception {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(BODY.getBytes(StandardCharsets.UTF_8));
        if (!CONTENT_DIGEST.equals("sha-256=:" + Base64.getEncoder().encodeToString(digest) + ":")) {
            reject("the body does not match Content-Digest");
        }
        String parameters = SIGNATURE_INPUT.replaceFirst("^sig1=", "");
        if (!parameters.matches("\\\\(\\"@method\\" \\"@authority\\" \\"@path\\" \\"content-digest\\" \\"content-type\\"\\\\)"
                + ";created=\\\\d+;keyid=\\"[^\\"]+\\";alg=\\"ed25519\\"")) {
            reject("Signature-Input does not cover what it must");
        }
        String base = String.join("\\n",
            "\\"@method\\": POST",
            "\\"@authority\\": " + AUTHORITY,
            "\\"@path\\": " + PATH,
            "\\"content-digest\\": " + CONTENT_DIGEST,
            "\\"content-type\\": " + CONTENT_TYPE,
            "\\"@signature-params\\": " + parameters);
        Signature verifier = Signature.getInstance("Ed25519");
        verifier.initVerify(KeyFactory.getInstance("Ed25519")
            .generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(PUBLIC_KEY))));
        verifier.update(base.getBytes(StandardCharsets.UTF_8));
        try {
            if (!verifier.verify(Base64.getDecoder().decode(SIGNATURE.replaceAll("^sig1=:|:$", "")))) {
                reject("the signature is not valid");
            }
        } catch (SignatureException | IllegalArgumentException malformed) {
            reject("the signature is not valid");
        }
        System.out.println("verified");
    }

    static void reject(String reason) {
        System.err.println("rejected: " + reason);
        System.exit(1);
    }
}
`
    },
  },
  {
    name: "Rust",
    file: "src/main.rs",
    prepare: [
      "cargo init --name verify",
      "cargo add base64@0.23 sha2@0.11",
      "cargo add ed25519-dalek@3 --features pem,pkcs8",
    ],
    run: "cargo run --quiet",
    code: (request) => {
      const { authority, path, digest, type, input, signature, pem, body } = valuesOf(request)
      return `use std::process::exit;

use base64::{Engine, prelude::BASE64_STANDARD};
use ed25519_dalek::{Signature, VerifyingKey, pkcs8::DecodePublicKey};
use sha2::{Digest, Sha256};

// The URL of the alert method. A receiver takes the host from its own configuration, and the path from the request.
const AUTHORITY: &str = ${rustQuoted(authority)};
const PATH: &str = ${rustQuoted(path)};
const CONTENT_DIGEST: &str = ${rustQuoted(digest)};
const CONTENT_TYPE: &str = ${rustQuoted(type)};
const SIGNATURE_INPUT: &str = ${rustQuoted(input)};
const SIGNATURE: &str = ${rustQuoted(signature)};
const BODY: &str = ${rustQuoted(body)};
const PUBLIC_KEY: &str = "${pem}";

fn main() {
    if let Err(reason) = verify() {
        eprintln!("rejected: {reason}");
        exit(1);
    }
    println!("verified");
}

fn verify() -> Result<(), &'static str> {
    let digest = BASE64_STANDARD.encode(Sha256::digest(BODY));
    if CONTENT_DIGEST != format!("sha-256=:{digest}:") {
        return Err("the body does not match Content-Digest");
    }
    let parameters = SIGNATURE_INPUT.strip_prefix("sig1=").unwrap_or_default();
    if !covers_what_it_must(parameters) {
        return Err("Signature-Input does not cover what it must");
    }
    let base = [
        r#""@method": POST"#.to_owned(),
        format!(r#""@authority": {AUTHORITY}"#),
        format!(r#""@path": {PATH}"#),
        format!(r#""content-digest": {CONTENT_DIGEST}"#),
        format!(r#""content-type": {CONTENT_TYPE}"#),
        format!(r#""@signature-params": {parameters}"#),
    ]
    .join("\\n");
    let key = VerifyingKey::from_public_key_pem(PUBLIC_KEY).map_err(|_| "the public key is not PEM")?;
    let encoded = SIGNATURE.strip_prefix("sig1=:").and_then(|rest| rest.strip_suffix(':'));
    let signature = encoded
        .and_then(|text| BASE64_STANDARD.decode(text).ok())
        .and_then(|bytes| Signature::from_slice(&bytes).ok())
        .ok_or("the signature is not valid")?;
    // Not \`verify\`, which also accepts keys of small order.
    key.verify_strict(base.as_bytes(), &signature).map_err(|_| "the signature is not valid")
}

/// Whether it is \`(…);created=1700000000;keyid="…";alg="ed25519"\`.
fn covers_what_it_must(parameters: &str) -> bool {
    let covered = r#"("@method" "@authority" "@path" "content-digest" "content-type");created="#;
    let Some(rest) = parameters.strip_prefix(covered) else { return false };
    let Some((created, rest)) = rest.split_once(r#";keyid=""#) else { return false };
    let Some((key_id, rest)) = rest.split_once('"') else { return false };
    let is_number = !created.is_empty() && created.bytes().all(|each| each.is_ascii_digit());
    is_number && !key_id.is_empty() && rest == r#";alg="ed25519""#
}
`
    },
  },
]

const valuesOf = ({ url, headers, body, publicKeyPem }: SignedRequest) => {
  const target = URL.canParse(url) ? new URL(url) : undefined
  return {
    authority: target?.host ?? unknown,
    path: target?.pathname ?? unknown,
    digest: headerOf(headers, "content-digest") ?? "",
    type: headerOf(headers, "content-type") ?? "",
    input: headerOf(headers, "signature-input") ?? "",
    signature: headerOf(headers, "signature") ?? unknown,
    pem: publicKeyPem?.trim() ?? unknown,
    body,
  }
}

/** A string of JSON, which is one of JavaScript, Python, Go and Java too. */
const quoted = (text: string): string => JSON.stringify(text)

/** Rust writes other escapes, and rejects invisible characters that change the direction of the source. */
const rustQuoted = (text: string): string =>
  `"${text
    .replaceAll(/["\\]/g, "\\$&")
    .replaceAll("\n", "\\n")
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, (each) => `\\u{${(each.codePointAt(0) ?? 0).toString(16)}}`)}"`

/** A constant of Java has at most 65,535 bytes. */
const javaParts = (text: string): string =>
  (text.match(/[^]{1,10000}/gu) ?? [""]).map(quoted).join(",\n        ")
