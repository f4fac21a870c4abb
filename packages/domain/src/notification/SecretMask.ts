import { hiddenValue } from "../codec/Codec.ts"
import { bytesToHex } from "../codec/Hex.ts"
import { base64ToBytes, bytesToBase64 } from "../signature/Base64.ts"
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
 * values, each plain and as receivers encode what they echo: escaped as in JSON, HTML and URLs, whichever characters are escaped and also one in
 * the other, in Base64, also as a part of a longer text, and in hexadecimal. It hides the passwords of Basic credentials too. It also hides what begins like a long secret, and at the end of a truncated
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

/** The values of headers, with and without an authentication scheme, and the passwords in Basic credentials. */
export const headerSecrets = (values: ReadonlyArray<string>): ReadonlyArray<string> =>
  values.flatMap((value) => [value, value.slice(value.indexOf(" ") + 1).trimStart(), ...basicSecrets(value)])

const basicSecrets = (value: string): ReadonlyArray<string> => {
  const bytes = base64ToBytes(/^basic +(\S+)$/i.exec(value)?.[1] ?? "")
  if (bytes === undefined) return []
  const text = new TextDecoder().decode(bytes)
  return [text, text.slice(text.indexOf(":") + 1)]
}

/** Makes the mask for texts that may repeat some secrets, as described at `makeSecretMask`. */
export const makeMask = (given: ReadonlyArray<string>): SecretMask => {
  const secrets = given.flatMap(spellingsOf)
  if (!secrets.some((secret) => secret.length >= shortestMasked)) return (text) => text
  const findPlain = finderOf(secrets)
  // A secret can itself look escaped.
  const findUnescaped = finderOf(secrets.flatMap((secret) => unescapings(secret).map(({ text }) => text)))
  return (text) => {
    if (text.length < shortestMasked) return text
    // Only a body of the maximum size may be truncated; a UTF-16 unit is at most three bytes.
    const isCutOff = text.length * 3 >= responseBodyKeptMaxBytes - 3
    const escaped = unescapings(text)
      .slice(1)
      .flatMap((unescaped) =>
        findUnescaped(unescaped.text, isCutOff).map(({ from, to }) => ({
          from: unescaped.origin[from] ?? text.length,
          to: unescaped.origin[to] ?? text.length,
        })),
      )
    return hide(text, [...findPlain(text, isCutOff), ...escaped])
  }
}

/** A part of a text, in UTF-16 units. */
interface Range {
  readonly from: number
  readonly to: number
}

const hide = (text: string, ranges: ReadonlyArray<Range>): string => {
  let masked = ""
  let at = 0
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    if (from >= at) masked += text.slice(at, from) + hiddenValue
    at = Math.max(at, to)
  }
  return masked + text.slice(at)
}

/** Finds secrets in a text, and in one that is cut off the beginning of a secret at its end. */
const finderOf = (given: ReadonlyArray<string>) => {
  const secrets = [...new Set(given)].filter((secret) => secret.length >= shortestMasked)
  const beginnings = [...new Set(secrets.map((secret) => secret.slice(0, beginningMax)))].toSorted(
    (a, b) => b.length - a.length,
  )
  const pattern = new RegExp(beginnings.map(escapeForPattern).join("|"), "g")
  return (text: string, isCutOff: boolean): ReadonlyArray<Range> => {
    const ranges: Array<Range> = []
    let from = 0
    pattern.lastIndex = 0
    for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
      from = found.index + Math.max(found[0].length, ...secrets.map(lengthIn(text, found.index)))
      ranges.push({ from: found.index, to: from })
      pattern.lastIndex = from
    }
    const end = isCutOff ? beginningAtEnd(text, from, beginnings) : undefined
    return end === undefined ? ranges : [...ranges, { from: end, to: text.length }]
  }
}

/** A text without escapes, and where each of its UTF-16 units, and its end, was in the escaped text. */
interface Unescaped {
  readonly text: string
  readonly origin: ReadonlyArray<number>
}

/** A text as it is, and without the escapes of JSON, HTML and URLs, once and more often for those within each other. */
const unescapings = (given: string): ReadonlyArray<Unescaped> => {
  const found: Array<Unescaped> = [{ text: given, origin: [] }]
  if (!/[%&\\]/.test(given)) return found
  let last = unescapeOnce(given)
  for (let depth = 0; depth < escapesMax && last.text !== found.at(-1)?.text; depth++) {
    found.push(last)
    const { origin } = last
    const next = unescapeOnce(last.text)
    last = { text: next.text, origin: next.origin.map((at) => origin[at] ?? given.length) }
  }
  return found
}

const unescapeOnce = (given: string): Unescaped => {
  let text = ""
  const origin: Array<number> = []
  let at = 0
  const keep = (to: number): void => {
    for (; at < to; at++) {
      text += given[at]
      origin.push(at)
    }
  }
  for (const { 0: escape, index } of given.matchAll(escapes)) {
    keep(index)
    const plain = unescapeOne(escape)
    for (const unit of plain.split("")) {
      text += unit
      origin.push(index)
    }
    at = index + escape.length
  }
  keep(given.length)
  origin.push(given.length)
  return { text, origin }
}

/** The character of an escape; the escape itself if it has none. */
const unescapeOne = (escape: string): string => {
  if (escape.startsWith("%")) return decoded(escape)
  const [, code, hex] =
    /^&#(?:(\d+)|x([0-9a-f]+));$/i.exec(escape) ?? /^\\[ux]()([0-9a-f]+)$/i.exec(escape) ?? []
  if (code !== undefined || hex !== undefined) {
    const point = hex === undefined ? Number(code) : Number.parseInt(hex, 16)
    return point <= 0x10ffff ? String.fromCodePoint(point) : escape
  }
  if (escape.startsWith("&")) return htmlCharacters[escape.slice(1, -1).toLowerCase()] ?? escape
  return controlCharacters[escape.slice(1)] ?? escape.slice(1)
}

/** Percent-encoded characters in UTF-8, references of HTML, and escapes of JSON and of programming languages. */
const escapes =
  /%(?:[0-7][0-9a-f]|[cd][0-9a-f]%[89ab][0-9a-f]|e[0-9a-f](?:%[89ab][0-9a-f]){2}|f[0-7](?:%[89ab][0-9a-f]){3})|&(?:#\d{1,7}|#x[0-9a-f]{1,6}|amp|lt|gt|quot|apos);|\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|["'\\/bfnrt])/gi

const htmlCharacters: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

const controlCharacters: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
}

/** How many escapes within each other are removed. */
const escapesMax = 3

/** A secret as it may be echoed, apart from escapes. */
const spellingsOf = (secret: string): ReadonlyArray<string> => {
  const spellings = [secret, secret.replaceAll(" ", "+")]
  // What is shorter is found by chance in other texts.
  if (secret.length < shortestEncoded) return spellings
  const bytes = new TextEncoder().encode(secret)
  const hex = bytesToHex(bytes)
  return [...spellings, ...base64Spellings(bytes), hex, hex.toUpperCase()]
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

/** Where the longest end of a text begins that is the beginning of a secret; an escape that is cut off is left out. */
const beginningAtEnd = (
  text: string,
  from: number,
  beginnings: ReadonlyArray<string>,
): number | undefined => {
  const whole = text.replace(/(?:%[0-9a-f]?|&(?:#?[0-9a-z]{0,7})|\\(?:u[0-9a-f]{0,3}|x[0-9a-f]?)?)$/i, "")
  for (const end of new Set([text, whole])) {
    for (let at = Math.max(from, end.length - beginningMax); at <= end.length - shortestMasked; at++) {
      if (beginnings.some((beginning) => beginning.startsWith(end.slice(at)))) return at
    }
  }
  return undefined
}

const escapeForPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")

const shortestMasked = 4

/** A shorter secret is not hidden in encodings other than escapes, in characters. */
const shortestEncoded = 8

/** How many characters of a long secret the pattern contains; the rest is compared where the pattern matches. */
const beginningMax = 32
