import type { Parts } from "@tocsin/domain/adapter"
import type { Issue } from "@tocsin/domain/codec"
import * as Result from "effect/Result"
import { duplicateKeyIssue, findDuplicateKey, textBetween } from "./DuplicateKey.ts"
import {
  findDeepNesting,
  findJsonSyntaxError,
  type JsonSyntaxError,
  type JsonVisitor,
  scanJson,
} from "./JsonSyntax.ts"

/** Maximum length of a text that is parsed in one piece, in UTF-16 code units, which takes at most some milliseconds. */
export const jsonInOnePieceMax = 16_384

/** Why a text is no value: it is not JSON, is nested too deeply, or has a key twice. */
export type JsonRejection =
  | {
      /** It is not JSON, or is nested too deeply. */
      readonly _tag: "syntax"
      /** The first error; `undefined` if it was not found. */
      readonly error: JsonSyntaxError | undefined
    }
  | {
      /** An object has a key twice. */
      readonly _tag: "duplicate"
      /** Its path is that of the second one. */
      readonly issue: Issue
    }

/**
 * Parses JSON as `JSON.parse` does, but without duplicate keys, and nested at most `jsonDepthMax` deep. A text of more than
 * `jsonInOnePieceMax` is parsed in parts.
 */
export function* parseJson(text: string): Parts<Result.Result<unknown, JsonRejection>> {
  if (text.length <= jsonInOnePieceMax) return parseInOnePiece(text)
  const builder = new JsonBuilder(text)
  const error = yield* scanJson(text, builder, true)
  if (error !== undefined) return Result.fail({ _tag: "syntax", error })
  return builder.duplicate === undefined
    ? Result.succeed(builder.value)
    : Result.fail({ _tag: "duplicate", issue: builder.duplicate })
}

const parseInOnePiece = (text: string): Result.Result<unknown, JsonRejection> => {
  const tooDeep = findDeepNesting(text)
  if (tooDeep !== undefined) return Result.fail({ _tag: "syntax", error: tooDeep })
  try {
    const value: unknown = JSON.parse(text)
    const issue = findDuplicateKey(text)
    return issue === undefined ? Result.succeed(value) : Result.fail({ _tag: "duplicate", issue })
  } catch {
    return Result.fail({ _tag: "syntax", error: findJsonSyntaxError(text) })
  }
}

/** An array or object that is not complete yet. */
interface Open {
  readonly list: Array<unknown> | undefined
  readonly map: Record<string, unknown> | undefined
  key: string
}

/** Builds the value of a text from its tokens. */
class JsonBuilder implements JsonVisitor {
  /** What the text has the value of, once all its tokens were read. */
  value: unknown
  /** The issue of the first key that its object has twice. */
  duplicate: Issue | undefined
  readonly #text: string
  readonly #outer: Array<Open> = []
  #open: Open | undefined

  constructor(text: string) {
    this.#text = text
  }

  open(isObject: boolean): void {
    if (this.#open !== undefined) this.#outer.push(this.#open)
    this.#open = { list: isObject ? undefined : [], map: isObject ? {} : undefined, key: "" }
  }

  close(): void {
    const closed = this.#open
    this.#open = this.#outer.pop()
    this.#add(closed?.list ?? closed?.map)
  }

  key(from: number, to: number): void {
    const open = this.#open
    if (open?.map === undefined) return
    open.key = textBetween(this.#text, from, to - 1)
    if (this.duplicate !== undefined || !Object.hasOwn(open.map, open.key)) return
    this.duplicate = duplicateKeyIssue(
      [...this.#outer, open].map(({ list, key }) => ({ index: list?.length, keys: [key] })),
    )
  }

  string(from: number, to: number): void {
    this.#add(textBetween(this.#text, from, to - 1))
  }

  scalar(from: number, to: number): void {
    const text = this.#text.slice(from, to)
    this.#add(text in words ? words[text] : Number(text))
  }

  #add(value: unknown): void {
    const open = this.#open
    if (open === undefined) this.value = value
    else if (open.list !== undefined) open.list.push(value)
    else if (open.map === undefined) return
    else if (open.key === "__proto__") {
      Object.defineProperty(open.map, open.key, {
        value,
        enumerable: true,
        writable: true,
        configurable: true,
      })
    } else open.map[open.key] = value
  }
}

const words: Readonly<Record<string, unknown>> = Object.assign(Object.create(null) as object, {
  true: true,
  false: false,
  null: null,
})
