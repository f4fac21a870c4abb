import { hiddenValue } from "../codec/Codec.ts"
import { bytesToBase64 } from "../signature/Base64.ts"
import type { WebhookUrl } from "../alert-method/WebhookUrl.ts"

/** Largest part of a receiver's response body that is stored, in bytes. */
export const responseBodyKeptMaxBytes = 4 * 1024

/** Replaces every secret in a text by `[hidden]`. */
export type SecretMask = (text: string) => string

/**
 * Makes the mask for the response bodies of an alert method's receiver. Many receivers echo the request in error pages,
 * which would reveal its secrets in the delivery log.
 *
 * It hides the values of secret headers, with and without an authentication scheme, and the URL, its host, path and query
 * values, each plain and as receivers encode what they echo: escaped as in JSON, HTML and URLs, in Base64, also as a part of a longer
 * text, and in hexadecimal. It also hides what begins like a long secret, and at the end of a truncated
 * body the beginning of any secret. Values of fewer than 4 characters are not hidden.
 *
 * Its running time is linear in the length of the text, whatever the secrets are.
 */
export const makeSecretMask = (url: WebhookUrl, secretHeaderValues: ReadonlyArray<string>): SecretMask => {
  return makeMask([
    ...headerSecrets(secretHeaderValues),
    ...queryValues(url),
    url.href,
    url.authority,
    url.target,
    url.path,
  ])
}

/** The values of headers, with and without an authentication scheme. */
export const headerSecrets = (values: ReadonlyArray<string>): ReadonlyArray<string> =>
  values.flatMap((value) => [value, value.slice(value.indexOf(" ") + 1)])

/** Makes the mask for texts that may repeat some secrets, as described at `makeSecretMask`. */
export const makeMask = (given: ReadonlyArray<string>): SecretMask => {
  const secrets = [...new Set(given.flatMap(spellingsOf))].filter((secret) => secret.length >= shortestMasked)
  if (secrets.length === 0) return (text) => text
  const beginnings = [...new Set(secrets.map((secret) => secret.slice(0, beginningMax)))].toSorted(
    (a, b) => b.length - a.length,
  )
  const pattern = new RegExp(beginnings.map(escapeForPattern).join("|"), "g")
  return (text) => {
    let masked = ""
    let from = 0
    pattern.lastIndex = 0
    for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
      masked += text.slice(from, found.index) + hiddenValue
      from = found.index + Math.max(found[0].length, ...secrets.map(lengthIn(text, found.index)))
      pattern.lastIndex = from
    }
    const rest = text.slice(from)
    // Only a body of the maximum size may be truncated; a UTF-16 unit is at most three bytes.
    const isCutOff = text.length * 3 >= responseBodyKeptMaxBytes - 3
    return masked + (isCutOff ? withoutBeginning(rest, beginnings) : rest)
  }
}

/** A secret as it may be echoed. */
const spellingsOf = (secret: string): ReadonlyArray<string> => {
  const json = JSON.stringify(secret).slice(1, -1)
  const html = secret.replaceAll(/[&<>"']/g, (character) => htmlEntities[character] ?? character)
  const spellings = [secret, json, json.replaceAll("/", "\\/"), html, html.replaceAll("&#39;", "&#x27;")]
  // What is shorter is found by chance in other texts.
  if (secret.length < shortestEncoded) return spellings
  const url = encodeUrl(secret)
  const bytes = new TextEncoder().encode(secret)
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
  return [
    ...spellings,
    url,
    url.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
    url.replaceAll("%20", "+"),
    ...base64Spellings(bytes),
    hex,
    hex.toUpperCase(),
  ]
}

const htmlEntities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

const encodeUrl = (text: string): string => {
  try {
    return encodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * The characters that a secret has in Base64 whatever is before and after it, for each of the three places that it can have in a
 * group of three bytes, in both alphabets.
 */
const base64Spellings = (bytes: Uint8Array): ReadonlyArray<string> =>
  [0, 1, 2].flatMap((before) => {
    const padded = new Uint8Array(before + bytes.length)
    padded.set(bytes, before)
    // Characters that have bits of other bytes are left out.
    const whole = bytesToBase64(padded).slice(
      Math.ceil((before * 8) / 6),
      Math.floor(((before + bytes.length) * 8) / 6),
    )
    return [whole, whole.replaceAll("+", "-").replaceAll("/", "_")]
  })

/** The length of the part of a secret at a position of the text; 0 if it is shorter than the shortest match. */
const lengthIn =
  (text: string, at: number) =>
  (secret: string): number => {
    let length = 0
    while (length < secret.length && secret.charCodeAt(length) === text.charCodeAt(at + length)) length++
    return length >= Math.min(secret.length, beginningMax) ? length : 0
  }

/** The values in the query, both raw and decoded. */
const queryValues = ({ path, target }: WebhookUrl): ReadonlyArray<string> =>
  target
    .slice(path.length + 1)
    .split("&")
    .map((pair) => pair.slice(pair.indexOf("=") + 1))
    .flatMap((value) => [value, decoded(value)])

const decoded = (value: string): string => {
  try {
    return decodeURIComponent(value.replaceAll("+", " "))
  } catch {
    return value
  }
}

/** Masks the longest end of the text that is the beginning of a secret. */
const withoutBeginning = (text: string, beginnings: ReadonlyArray<string>): string => {
  for (let at = Math.max(0, text.length - beginningMax); at <= text.length - shortestMasked; at++) {
    const end = text.slice(at)
    if (beginnings.some((beginning) => beginning.startsWith(end))) return text.slice(0, at) + hiddenValue
  }
  return text
}

const escapeForPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")

const shortestMasked = 4

/** A shorter secret is not hidden in encodings other than escapes, in characters. */
const shortestEncoded = 8

/** How many characters of a long secret the pattern contains; the rest is compared where the pattern matches. */
const beginningMax = 32
