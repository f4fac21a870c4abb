import type { Parts } from "@tocsin/domain/adapter"
import { isObject } from "@tocsin/domain/codec"
import * as Result from "effect/Result"
import {
  type AliasEvent,
  boolCoreTag,
  type Event,
  EVENT_ID,
  floatCoreTag,
  getScalarValue,
  intCoreTag,
  NOT_RESOLVED,
  nullCoreTag,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  type ScalarTagDefinition,
  strTag,
  YAMLException,
} from "js-yaml"

/** Deepest nesting of lists and maps in a YAML document, in levels. */
const yamlDepthMax = 64

/** Most line breaks and characters `-?:,[]{}!&*` of a YAML body, including those within strings. */
export const yamlIndicatorsMax = 150_000

/**
 * Maximum number of line breaks and characters `-?:,[]{}!&*` of a YAML document, or of an entry of a list of definitions. Such a piece is parsed
 * without a pause, in at most some 1.5 µs for each of them.
 */
export const yamlIndicatorsOfOneMax = 30_000

/** Entries of a list are parsed together while they have at most this many of these characters. */
const indicatorsTogether = 2_000

/** Most aliases in one YAML document. */
export const yamlAliasesMax = 100

/** Most values that the aliases of one YAML document repeat, each list and map counted with all that it contains. */
export const yamlAliasedValuesMax = 10_000

/** Maximum number of keys that the merge keys of one YAML document copy. */
const yamlMergedKeysMax = 10_000

/** What is wrong with a text, and where; the message never contains a part of the text. */
export interface YamlError {
  readonly message: string
  /** Offset in UTF-16 units; `undefined` for the whole text. */
  readonly at: number | undefined
}

/**
 * Parses YAML 1.2 with the core schema into the value of each document.
 *
 * Only tags of JSON types, and unique string keys. As in YAML 1.1, a merge key (`<<`) adds the keys of a map, or of several in a list,
 * that the map around it does not have itself; of two maps in a list, the earlier one wins. Parsing takes at most some 1.5 µs per indicator, so
 * their number is limited before anything is parsed; the library parses into events without recursion beyond
 * `yamlDepthMax`, and the values are built from the events in one pass.
 */
export function* readYaml(
  text: string,
  indicatorsMax: number,
): Parts<Result.Result<ReadonlyArray<unknown>, YamlError>> {
  if (hasTooManyIndicators(text, indicatorsMax)) {
    const most = indicatorsMax.toLocaleString("en")
    const message = `the text has more than ${most} line breaks and punctuation characters; split it, or send it as JSON`
    return Result.fail({ message, at: undefined })
  }
  const values: Array<unknown> = []
  for (const { from, to, isOfList } of piecesOf(text)) {
    const piece = text.slice(from, to)
    if (hasTooManyIndicators(piece, yamlIndicatorsOfOneMax)) {
      const most = yamlIndicatorsOfOneMax.toLocaleString("en")
      const message = `the document has more than ${most} line breaks and punctuation characters; split it with lines of ---, or send it as JSON`
      return Result.fail({ message, at: from })
    }
    const read = readPiece(piece)
    if (Result.isFailure(read)) {
      const { message, at } = read.failure
      return Result.fail({ message, at: at === undefined ? undefined : from + at })
    }
    const list = isOfList ? values.at(-1) : undefined
    const [entries] = read.success
    if (Array.isArray(list) && Array.isArray(entries)) for (const entry of entries) list.push(entry)
    else for (const value of read.success) values.push(value)
    yield
  }
  return Result.succeed(values)
}

const readPiece = (text: string): Result.Result<ReadonlyArray<unknown>, YamlError> => {
  try {
    return Result.succeed(new Composer(text).compose(parseEvents(text, { maxDepth: yamlDepthMax })))
  } catch (error) {
    if (error instanceof Rejection) return Result.fail(error)
    if (!(error instanceof YAMLException)) throw error
    return Result.fail({ message: messageOf(error.reason), at: error.mark?.position })
  }
}

/** A range of a text that is YAML by itself. */
interface Piece {
  readonly from: number
  readonly to: number
  /** Whether it has further entries of the list of the piece before it. */
  readonly isOfList: boolean
}

/** The documents of a text, a long list in several pieces; the whole text if it has directives or ends of documents. */
const piecesOf = (text: string): ReadonlyArray<Piece> => {
  const whole: Piece = { from: 0, to: text.length, isOfList: false }
  if (text.length <= indicatorsTogether || directiveOrEnd.test(text)) return [whole]
  const pieces: Array<Piece> = []
  for (const document of splitAt(text, whole, documentStart)) {
    const { from, to } = document
    if (!onlyComments.test(text.slice(from, Math.min(to, from + commentsMax)))) {
      pieces.push(...listPiecesOf(text, document))
    } else if (to - from > commentsMax) return [whole]
  }
  return pieces
}

const listPiecesOf = (text: string, document: Piece): ReadonlyArray<Piece> => {
  const content = text.slice(document.from, document.to)
  // What an anchor names can be in another entry.
  if (!startsWithList.test(content) || anchorOrAlias.test(content)) return [document]
  const pieces: Array<Piece> = []
  let together = 0
  for (const { from, to } of splitAt(text, document, entryStart)) {
    const indicators = countIndicators(text, from, to)
    const last = pieces.at(-1)
    // What is before the first entry is a part of it.
    if (last === undefined || together === 0 || together + indicators <= indicatorsTogether) {
      pieces.splice(-1, 1, { from: last?.from ?? from, to, isOfList: last?.isOfList ?? false })
      together = last === undefined ? 0 : together + indicators
    } else {
      pieces.push({ from, to, isOfList: true })
      together = indicators
    }
  }
  return pieces
}

/** The parts of a piece that begin where the pattern matches a line, and what is before them. */
const splitAt = (text: string, { from, to }: Piece, lineStart: RegExp): ReadonlyArray<Piece> => {
  const starts = [from]
  lineStart.lastIndex = from
  for (let match = lineStart.exec(text); match !== null && match.index < to; match = lineStart.exec(text)) {
    if (match.index > from) starts.push(match.index)
  }
  return starts.map((start, index) => ({ from: start, to: starts[index + 1] ?? to, isOfList: false }))
}

const documentStart = /(?<=[\r\n]|^)---(?=[ \t\r\n]|$)/g
const entryStart = /(?<=[\r\n]|^)-(?=[ \r\n])/g
const directiveOrEnd = /(?<=[\r\n]|^)(?:%|\.\.\.)/
const startsWithList = /^(?:---[ \t]*(?:#[^\r\n]*)?(?:[\r\n]|$))?(?:[ \t]*(?:#[^\r\n]*)?[\r\n])*-[ \r\n]/
const onlyComments = /^(?:[ \t]*(?:#[^\r\n]*)?[\r\n])*[ \t]*(?:#[^\r\n]*)?$/
const anchorOrAlias = /(?<=[\s[{,:-]|^)[&*!][^\s,\]}]/

/** Maximum length of the text before the first document, in UTF-16 code units. */
const commentsMax = 10_000

const hasTooManyIndicators = (text: string, indicatorsMax: number): boolean =>
  text.length > indicatorsMax && countIndicators(text, 0, text.length) > indicatorsMax

const countIndicators = (text: string, from: number, to: number): number => {
  let count = 0
  for (let at = from; at < to; at++) if (isIndicator[text.charCodeAt(at)] === 1) count++
  return count
}

const isIndicator = new Uint8Array(128)
for (const character of "\n\r-?:,[]{}!&*") isIndicator[character.charCodeAt(0)] = 1

/** Ends the composition of a text. */
class Rejection {
  readonly message: string
  readonly at: number

  constructor(message: string, at: number) {
    this.message = message
    this.at = at
  }
}

interface Anchored {
  /** `undefined` while the value is still open. */
  value: { readonly is: unknown } | undefined
  /** The number of values before it, and then of those within it. */
  values: number
}

/** A list or map that is not complete yet. */
interface Open {
  readonly list: Array<unknown> | undefined
  readonly map: Record<string, unknown> | undefined
  readonly anchored: Anchored | undefined
  /** The key that waits for its value. */
  key: string | undefined
  merge: Merge | undefined
}

/** A merge key, and the maps to merge once its value is complete. */
interface Merge {
  readonly at: number
  maps: ReadonlyArray<Readonly<Record<string, unknown>>> | undefined
}

class Composer {
  readonly #text: string
  readonly #documents: Array<unknown> = []
  readonly #open: Array<Open> = []
  #anchors = new Map<string, Anchored>()
  #aliases = 0
  #values = 0
  #aliasedValues = 0
  #mergedKeys = 0

  constructor(text: string) {
    this.#text = text
  }

  compose(events: ReadonlyArray<Event>): ReadonlyArray<unknown> {
    for (const event of events) {
      switch (event.type) {
        case EVENT_ID.DOCUMENT:
          this.#anchors = new Map()
          this.#aliases = 0
          this.#values = 0
          this.#aliasedValues = 0
          this.#mergedKeys = 0
          if (event.directives.some(({ kind }) => kind === "tag")) throw new Rejection(tagMessage, 0)
          break
        case EVENT_ID.SEQUENCE:
        case EVENT_ID.MAPPING: {
          const isList = event.type === EVENT_ID.SEQUENCE
          this.#rejectKey(event.start)
          const tag = this.#tagOf(event)
          if (tag !== undefined && tag !== (isList ? "!!seq" : "!!map")) {
            throw new Rejection(tag in scalarTags ? tagMismatch : tagMessage, event.tagStart)
          }
          this.#values += 1
          const anchored = this.#anchor(event)
          this.#open.push({
            list: isList ? [] : undefined,
            map: isList ? undefined : {},
            anchored,
            key: undefined,
            merge: undefined,
          })
          break
        }
        case EVENT_ID.SCALAR:
          this.#scalar(event)
          break
        case EVENT_ID.ALIAS:
          this.#alias(event)
          break
        case EVENT_ID.POP: {
          const open = this.#open.pop()
          // Otherwise the end of a document.
          if (open === undefined) break
          this.#merge(open)
          this.#complete(open.list ?? open.map, open.anchored)
          break
        }
      }
    }
    return this.#documents
  }

  #scalar(event: ScalarEvent): void {
    const open = this.#open.at(-1)
    const text = getScalarValue(this.#text, event)
    const tag = this.#tagOf(event)
    if (tag !== undefined && !(tag in scalarTags)) {
      throw new Rejection(tag === "!!seq" || tag === "!!map" ? tagMismatch : tagMessage, event.tagStart)
    }
    if (open?.map !== undefined && open.key === undefined) {
      const at = startOf(event)
      if (tag !== undefined && tag !== "!!str") throw new Rejection(keyMessage, at)
      const isMerge = tag === undefined && text === "<<" && event.style === SCALAR_STYLE.PLAIN
      if (isMerge ? open.merge !== undefined : Object.hasOwn(open.map, text)) {
        throw new Rejection("the key is duplicated in its map; remove one of the two", at)
      }
      if (isMerge) open.merge = { at, maps: undefined }
      open.key = text
      this.#anchorKey(event, text)
      return
    }
    this.#values += 1
    const anchored = this.#anchor(event)
    this.#complete(this.#resolve(text, tag, event), anchored)
  }

  #resolve(text: string, tag: string | undefined, event: ScalarEvent): unknown {
    if (tag === undefined) return event.style === SCALAR_STYLE.PLAIN ? plainValue(text) : text
    const definition = scalarTags[tag]
    const value = definition?.resolve(text, true, definition.tagName)
    if (value === NOT_RESOLVED) throw new Rejection(tagMismatch, event.tagStart)
    return value
  }

  #alias(event: AliasEvent): void {
    const at = event.anchorStart - 1
    this.#rejectKey(at)
    const anchored = this.#anchors.get(this.#text.slice(event.anchorStart, event.anchorEnd))
    if (anchored === undefined) throw new Rejection("the alias refers to no earlier anchor", at)
    if (anchored.value === undefined) {
      throw new Rejection("the alias is inside the value that it refers to", at)
    }
    this.#aliases += 1
    if (this.#aliases > yamlAliasesMax) {
      throw new Rejection(`there are more than ${yamlAliasesMax} aliases`, at)
    }
    this.#values += anchored.values
    this.#aliasedValues += anchored.values
    if (this.#aliasedValues > yamlAliasedValuesMax) {
      throw new Rejection("the aliases expand to too many values", at)
    }
    this.#complete(anchored.value.is, undefined)
  }

  /** Adds a value to the list or map that it is in. */
  #complete(value: unknown, anchored: Anchored | undefined): void {
    if (anchored !== undefined) {
      anchored.value = { is: value }
      anchored.values = this.#values - anchored.values
    }
    const open = this.#open.at(-1)
    if (open === undefined) this.#documents.push(value)
    else if (open.list !== undefined) open.list.push(value)
    else if (open.map !== undefined && open.key !== undefined) {
      if (open.merge !== undefined && open.merge.maps === undefined)
        open.merge.maps = mapsOf(value, open.merge.at)
      else setOwn(open.map, open.key, value)
      open.key = undefined
    }
  }

  /** Adds the merged keys that a map does not have itself. */
  #merge({ map, merge }: Open): void {
    if (map === undefined || merge?.maps === undefined) return
    for (const merged of merge.maps) {
      const keys = Object.keys(merged)
      this.#mergedKeys += keys.length
      if (this.#mergedKeys > yamlMergedKeysMax) {
        throw new Rejection(`the merge keys (<<) copy more than ${yamlMergedKeysMax} keys`, merge.at)
      }
      for (const key of keys) if (!Object.hasOwn(map, key)) setOwn(map, key, merged[key])
    }
  }

  #rejectKey(at: number): void {
    const open = this.#open.at(-1)
    if (open?.map !== undefined && open.key === undefined) throw new Rejection(keyMessage, at)
  }

  #anchor({ anchorStart, anchorEnd }: Properties): Anchored | undefined {
    if (anchorStart === noRange) return undefined
    const anchored: Anchored = { value: undefined, values: this.#values - 1 }
    this.#anchors.set(this.#text.slice(anchorStart, anchorEnd), anchored)
    return anchored
  }

  #anchorKey(event: ScalarEvent, text: string): void {
    const anchored = this.#anchor(event)
    if (anchored === undefined) return
    anchored.value = { is: text }
    anchored.values = 1
  }

  #tagOf({ tagStart, tagEnd }: Properties): string | undefined {
    return tagStart === noRange ? undefined : this.#text.slice(tagStart, tagEnd)
  }
}

/** The maps of the value of a merge key. */
const mapsOf = (value: unknown, at: number): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  const maps: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
  if (!maps.every(isObject)) {
    throw new Rejection("the value of a merge key (<<) must be a map, or a list of maps", at)
  }
  return maps
}

const setOwn = (map: Record<string, unknown>, key: string, value: unknown): void => {
  if (key === "__proto__") {
    Object.defineProperty(map, key, { value, enumerable: true, writable: true, configurable: true })
  } else map[key] = value
}

/** Ranges of the anchor's name and of the tag. */
type Properties = Pick<ScalarEvent, "anchorStart" | "anchorEnd" | "tagStart" | "tagEnd">

const noRange = -1

const startOf = ({ valueStart, style }: ScalarEvent): number =>
  style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED
    ? valueStart - 1
    : Math.max(0, valueStart)

/** The value of an unquoted string in the core schema. */
const plainValue = (text: string): unknown => {
  for (const tag of implicitTags) {
    if (tag.implicitFirstChars?.includes(text.charAt(0)) === false) continue
    const value: unknown = tag.resolve(text, false, tag.tagName)
    if (value !== NOT_RESOLVED) return value
  }
  return text
}

const implicitTags: ReadonlyArray<ScalarTagDefinition> = [nullCoreTag, boolCoreTag, intCoreTag, floatCoreTag]

const scalarTags: Readonly<Record<string, ScalarTagDefinition>> = {
  "!!str": strTag,
  "!!null": nullCoreTag,
  "!!bool": boolCoreTag,
  "!!int": intCoreTag,
  "!!float": floatCoreTag,
}

const tagMessage = "tags such as !name are not supported"
const tagMismatch = "the value does not have the type of its tag"
const keyMessage =
  "keys must be strings; put this one in quotes, and fill in templates such as {{ name }} first"
/** The message for an error of the library, whose own messages can repeat parts of the text. */
const messageOf = (reason: string): string =>
  messages.find(([start]) => reason.startsWith(start))?.[1] ?? "invalid YAML"

const messages: ReadonlyArray<readonly [start: string, message: string]> = [
  ["nesting exceeded", `lists and maps are nested more than ${yamlDepthMax} deep`],
  ["unknown escape sequence", "unknown escape sequence in double quotes"],
  ["expected hexadecimal", "an escape sequence in double quotes needs more hexadecimal digits"],
  ["unexpected end of the stream within a flow", "a bracket or brace is not closed"],
  ["unexpected end of the stream within a single", "a single quote is not closed"],
  ["unexpected end of the stream within a double", "a double quote is not closed"],
  ["unexpected end of the document within", "a quote is not closed"],
  ["missed comma", "a comma is missing, or a bracket or brace is not closed"],
  ["expected the node content", "a value is missing before the comma"],
  ["tab characters", "tabs are not allowed as indentation; use spaces"],
  ["deficient indentation", "wrong indentation, or an earlier bracket, brace or quote is not closed"],
  ["bad indentation", "wrong indentation, or a string with a colon that must be in quotes"],
  ["expected ':'", "a key must be followed by a colon and a space"],
  ["a whitespace character is expected", "a space is missing after the colon"],
  ["can not read a block mapping entry", "a key must be on one line, followed by a colon and a space"],
  ["the stream contains non-printable", "control characters are not allowed"],
  ["null byte", "control characters are not allowed"],
  ["expected valid JSON character", "control characters are not allowed"],
  [
    "end of the stream or a document separator",
    "unexpected text; check the indentation and the quotes before it",
  ],
  ["tag", tagMessage],
  ["undeclared tag", tagMessage],
]
