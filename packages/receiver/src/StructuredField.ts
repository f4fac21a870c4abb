import { base64ToBytes } from "#platform"

/** A value without parameters (RFC 9651, section 3.3). */
type BareItem =
  | { readonly type: "integer"; readonly value: number }
  | { readonly type: "decimal"; readonly value: number }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "token"; readonly value: string }
  | { readonly type: "bytes"; readonly value: Uint8Array; readonly base64: string }
  | { readonly type: "boolean"; readonly value: boolean }
  | { readonly type: "date"; readonly value: number }
  | { readonly type: "displayString"; readonly value: string }

/** Parameters in the order received (RFC 9651, section 3.1.2). */
type Parameters = ReadonlyMap<string, BareItem>

export interface Item {
  readonly value: BareItem
  readonly parameters: Parameters
}

/**
 * A member of a dictionary (RFC 9651, section 3.2): `items` is set for an inner list, `value` for anything else. `raw` is
 * the value with its parameters exactly as received, after the `=`.
 */
export interface DictionaryMember {
  readonly key: string
  readonly value: BareItem | undefined
  readonly items: ReadonlyArray<Item> | undefined
  readonly parameters: Parameters
  readonly raw: string
}

export type DictionaryFault = "malformed" | "duplicated"

/**
 * Parses a dictionary field (RFC 9651, section 4.2.2) in linear time; the caller limits its length.
 *
 * Stricter than RFC 9651 in two ways: a duplicated key of the dictionary, or of one parameter list, is an error instead
 * of replacing the former, and byte sequences must be canonical base64.
 *
 * `sig1=("@method" "@path");created=1767225600` is one member with the key `sig1`, two items and one parameter.
 */
export const parseDictionary = (text: string): ReadonlyArray<DictionaryMember> | DictionaryFault => {
  const reader = new Reader(text)
  return reader.readDictionary() ?? reader.fault
}

/** Writes printable ASCII as a string item (RFC 9651, section 4.1.6). */
export const writeString = (text: string): string =>
  text.includes('"') || text.includes("\\") ? `"${text.replace(/["\\]/g, "\\$&")}"` : `"${text}"`

const noParameters: Parameters = new Map()

/** The `read` methods return `undefined` if the text does not match their grammar. */
class Reader {
  fault: DictionaryFault = "malformed"
  private readonly text: string
  private at = 0

  constructor(text: string) {
    this.text = text
  }

  readDictionary(): ReadonlyArray<DictionaryMember> | undefined {
    const members: Array<DictionaryMember> = []
    const keys = new Set<string>()
    this.skip(SP)
    if (this.at === this.text.length) return members
    for (;;) {
      const member = this.readMember()
      if (member === undefined) return undefined
      if (keys.has(member.key)) return this.duplicated()
      keys.add(member.key)
      members.push(member)
      this.skipOptionalWhiteSpace()
      if (this.at === this.text.length) return members
      if (!this.take(COMMA)) return undefined
      this.skipOptionalWhiteSpace()
    }
  }

  private readMember(): DictionaryMember | undefined {
    const key = this.readKey()
    if (key === undefined) return undefined
    const hasValue = this.take(EQUALS)
    const start = this.at
    let value: BareItem | undefined
    let items: ReadonlyArray<Item> | undefined
    if (!hasValue) value = { type: "boolean", value: true }
    else if (this.take(OPEN)) items = this.readInnerList()
    else value = this.readBareItem()
    if (value === undefined && items === undefined) return undefined
    const parameters = this.readParameters()
    if (parameters === undefined) return undefined
    return { key, value, items, parameters, raw: this.text.slice(start, this.at) }
  }

  private readInnerList(): ReadonlyArray<Item> | undefined {
    const items: Array<Item> = []
    for (;;) {
      this.skip(SP)
      if (this.take(CLOSE)) return items
      const value = this.readBareItem()
      if (value === undefined) return undefined
      const parameters = this.readParameters()
      if (parameters === undefined) return undefined
      items.push({ value, parameters })
      const next = this.peek()
      if (next !== SP && next !== CLOSE) return undefined
    }
  }

  private readParameters(): Parameters | undefined {
    if (this.peek() !== SEMICOLON) return noParameters
    const parameters = new Map<string, BareItem>()
    while (this.take(SEMICOLON)) {
      this.skip(SP)
      const key = this.readKey()
      if (key === undefined) return undefined
      const value: BareItem | undefined = this.take(EQUALS)
        ? this.readBareItem()
        : { type: "boolean", value: true }
      if (value === undefined) return undefined
      if (parameters.has(key)) return this.duplicated()
      parameters.set(key, value)
    }
    return parameters
  }

  private readKey(): string | undefined {
    return this.match(keyPattern)
  }

  private readBareItem(): BareItem | undefined {
    const code = this.peek()
    if (code === QUOTE) return this.readString()
    if (code === COLON) return this.readBytes()
    if (code === MINUS || isDigit(code)) return this.readNumber()
    if (code === QUESTION) {
      const text = this.match(booleanPattern)
      return text === undefined ? undefined : { type: "boolean", value: text === "?1" }
    }
    if (code === AT) {
      this.at++
      const number = this.readNumber()
      return number?.type === "integer" ? { type: "date", value: number.value } : undefined
    }
    if (code === PERCENT) return this.readDisplayString()
    const token = this.match(tokenPattern)
    return token === undefined ? undefined : { type: "token", value: token }
  }

  private readString(): BareItem | undefined {
    const text = this.match(stringPattern)
    if (text === undefined) return undefined
    const inner = text.slice(1, -1)
    return { type: "string", value: inner.includes("\\") ? inner.replace(/\\(.)/g, "$1") : inner }
  }

  private readBytes(): BareItem | undefined {
    const end = this.text.indexOf(":", this.at + 1)
    if (end < 0) return undefined
    const base64 = this.text.slice(this.at + 1, end)
    const value = base64ToBytes(base64)
    if (value === undefined) return undefined
    this.at = end + 1
    return { type: "bytes", value, base64 }
  }

  private readNumber(): Extract<BareItem, { readonly type: "integer" | "decimal" }> | undefined {
    const text = this.match(numberPattern)
    if (text === undefined) return undefined
    const dot = text.indexOf(".")
    const digits = text.startsWith("-") ? 1 : 0
    if (dot < 0) return text.length - digits > 15 ? undefined : { type: "integer", value: Number(text) }
    const isWithin = dot - digits <= 12 && text.length - dot - 1 <= 3
    return isWithin ? { type: "decimal", value: Number(text) } : undefined
  }

  private readDisplayString(): BareItem | undefined {
    const text = this.match(displayStringPattern)
    if (text === undefined) return undefined
    try {
      return { type: "displayString", value: decodeURIComponent(text.slice(2, -1)) }
    } catch {
      return undefined
    }
  }

  private match(pattern: RegExp): string | undefined {
    const start = this.at
    pattern.lastIndex = start
    if (!pattern.test(this.text)) return undefined
    this.at = pattern.lastIndex
    return this.text.slice(start, this.at)
  }

  private peek(): number {
    return this.at < this.text.length ? this.text.charCodeAt(this.at) : -1
  }

  private take(code: number): boolean {
    if (this.peek() !== code) return false
    this.at++
    return true
  }

  private skip(code: number): void {
    while (this.peek() === code) this.at++
  }

  private skipOptionalWhiteSpace(): void {
    while (this.peek() === SP || this.peek() === TAB) this.at++
  }

  private duplicated(): undefined {
    this.fault = "duplicated"
    return undefined
  }
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57
const [TAB, SP, QUOTE, PERCENT, OPEN, CLOSE, COMMA, MINUS] = [9, 32, 34, 37, 40, 41, 44, 45]
const [COLON, SEMICOLON, EQUALS, QUESTION, AT] = [58, 59, 61, 63, 64]

const keyPattern = /[a-z*][a-z0-9_.*-]*/y
const tokenPattern = /[A-Za-z*][!#$%&'*+.^_`|~0-9A-Za-z:/-]*/y
const stringPattern = /"(?:[ !#-[\]-~]|\\["\\])*"/y
const numberPattern = /-?[0-9]+(?:\.[0-9]+)?/y
const booleanPattern = /\?[01]/y
const displayStringPattern = /%"(?:[ !#$&-~]|%[0-9a-f]{2})*"/y
