/**
 * A document is declared once, as a codec, which gives its type (`TypeOf`), decoder, encoder, JSON Schema
 * and stored form.
 *
 * ```ts
 * const window = object({
 *   unit: literals(["Hour", "Day"]),
 *   count: number({ min: 1, isInteger: true }),
 *   note: optional(string({ max: 100 })),
 * })
 * type Window = TypeOf<typeof window> // { unit: "Hour" | "Day"; count: number; note?: string }, readonly
 * decode(window, JSON.parse(text), {}) // Result: the value, or every issue sorted by path
 * encode(window, value) // plain data; secrets are hidden
 * const storedWindow = stored(window, []) // with a version number; each later version adds an upgrade
 * ```
 *
 * Leaves are in `Leaves.ts`, containers in `Containers.ts`. `C` is the context that decoding needs besides
 * the document.
 */
import { hiddenValue } from "./HiddenValue.ts"
import { TaggedError } from "../TaggedError.ts"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { redact, reveal } from "../secret/SharedRedacted.ts"
import { type Issue, IssueList } from "./Issue.ts"

/** Reads, writes and describes one shape; `J` is the type of its JSON, or `unknown`. */
export interface Codec<A, in C = unknown, out J = unknown> {
  /** Returns `undefined` for invalid input, after adding at least one issue; see `Reader`. */
  readonly read: Reader<A, C>
  /** The texts that are read, if no others are; the issue of an omitted property lists them. */
  readonly choices?: ReadonlyArray<string>
  /** Returns plain data, ready for `JSON.stringify`; `options.secret` replaces secrets. */
  readonly write: (value: A, options: WriteOptions) => unknown
  /** The JSON Schema for the OpenAPI document, built on first use. */
  readonly schema: () => WireSchema<J>
}

/**
 * Reads the value at `path`; returns `undefined` after adding an issue if it is invalid.
 *
 * Readers do not stop at the first issue. No message contains a value, which may be a secret.
 */
export type Reader<A, in C = unknown> = (
  value: unknown,
  path: string,
  issues: IssueList,
  context: C,
) => A | undefined

/** The `effect/Schema` that describes the JSON of a codec. */
export type WireSchema<J = unknown> = Schema.Codec<unknown, J>

/** The type of the values of a codec, or of an optional property without `undefined`; `never` for another type. */
export type TypeOf<S> = S extends {
  /** The type of the value is that of the first parameter. */
  readonly write: (value: infer A, options: WriteOptions) => unknown
}
  ? A
  : never

/** The type of the JSON that a codec reads and writes; `unknown` where the codec does not say. */
export type JsonOf<S> = S extends Pick<Codec<never, never, infer J>, "schema"> ? J : never

/** How a document is written. */
export interface WriteOptions {
  /** The plain data of a secret. */
  readonly secret: (text: string) => unknown
  /** Whether the document is stored, with the properties that only stored documents have. */
  readonly isStored?: boolean
}

/** Reads a whole document; fails with every issue, sorted by path. */
export const decode = <A, C>(
  codec: Pick<Codec<A, C>, "read">,
  input: unknown,
  context: C,
): Result.Result<A, ReadonlyArray<Issue>> => {
  const issues = new IssueList()
  const value = codec.read(input, "", issues, context)
  return value !== undefined && issues.isEmpty ? Result.succeed(value) : Result.fail(issues.sorted())
}

/** By default, secrets are hidden. */
export const encode = <A>(
  codec: Pick<Codec<A, never>, "write">,
  value: A,
  options: WriteOptions = { secret: () => hiddenValue },
): unknown => codec.write(value, options)

/** A codec whose values are plain data. */
export const plain = <A>(schema: () => Schema.Top, read: Reader<A>): Codec<A, unknown, A> => ({
  read,
  write: (value) => value,
  schema: once(schema),
})

/** A codec that converts the values of another one. */
export const mapped = <A, B, C, J, D = unknown>(
  codec: Codec<A, C, J>,
  options: {
    readonly decode: (value: A, path: string, issues: IssueList, context: D) => B | undefined
    readonly encode: (value: B) => A
  },
): Codec<B, C & D, J> => ({
  read: (input, path, issues, context) => {
    const value = codec.read(input, path, issues, context)
    return value === undefined ? undefined : options.decode(value, path, issues, context)
  },
  write: (value, writing) => codec.write(options.encode(value), writing),
  schema: codec.schema,
})

/** Adds a description to the OpenAPI document. */
export const described = <A, C, J>(codec: Codec<A, C, J>, description: string): Codec<A, C, J> =>
  annotated(codec, { description })

/** Makes the shape a component of the OpenAPI document. */
export const named = <A, C, J>(codec: Codec<A, C, J>, identifier: string): Codec<A, C, J> =>
  annotated(codec, { identifier })

const annotated = <A, C, J>(
  codec: Codec<A, C, J>,
  annotations: { readonly description?: string; readonly identifier?: string },
): Codec<A, C, J> => ({ ...codec, schema: once(() => codec.schema().annotate(annotations)) })

/** Builds a schema on first use. */
export const once = <J>(make: () => Schema.Top): (() => WireSchema<J>) => {
  let made: WireSchema<J> | undefined
  // Every schema of plain data decodes to what it encodes and needs no service; their types say much more than that.
  return () => (made ??= make() as unknown as WireSchema<J>)
}

export { hiddenValue }

/** A secret as submitted. */
export type SecretDraft<A> = Redacted.Redacted<A> | typeof hiddenValue

/** The secrets of a stored document, in the order in which they were written. */
export interface SealedSecrets {
  /** Each stands in the document as its index here. */
  readonly sealed?: ReadonlyArray<string>
}

/** A string that is written as `WriteOptions.secret` says, or `[hidden]`. */
export const secret = <A, C, J>(
  codec: Codec<A, C, J>,
  textOf: (value: A) => string,
): Codec<SecretDraft<A>, C & SealedSecrets, J> => ({
  read: (input, path, issues, context) => {
    if (input === hiddenValue) return hiddenValue
    const value = codec.read(openSealed(input, context), path, issues, context)
    return value === undefined ? undefined : redact(value)
  },
  write: (value, options) => (value === hiddenValue ? hiddenValue : options.secret(textOf(reveal(value)))),
  schema: codec.schema,
})

const openSealed = (input: unknown, { sealed }: SealedSecrets): unknown =>
  sealed !== undefined && typeof input === "object" && input !== null && "sealed" in input
    ? sealed[Number(input.sealed)]
    : input

/** The document was stored by a later version, or changed from outside. */
export class StoredDocumentIsInvalid extends TaggedError("StoredDocumentIsInvalid")<{
  /** Sorted by path; the path is `version` if the version of the form is unknown. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/** Stores documents as JSON with the version of the form; secrets are separate. */
export interface Stored<A, C> {
  /** Encodes a value; the secrets are in the order of their places in the JSON. */
  readonly write: (value: A) => { readonly json: string; readonly secrets: ReadonlyArray<string> }
  /** Decodes what `write` encoded, now or in an earlier version. */
  readonly read: (json: string, context: C) => Result.Result<A, StoredDocumentIsInvalid>
}

/**
 * `upgrades[n]` turns the plain data of version n + 1 into that of the next version. The newest version is
 * written.
 */
export const stored = <A, C>(
  codec: Codec<A, C>,
  upgrades: ReadonlyArray<(document: unknown) => unknown>,
): Stored<A, C> => {
  const newest = upgrades.length + 1
  return {
    write: (value) => {
      const secrets: Array<string> = []
      const secret = (text: string) => ({ sealed: secrets.push(text) - 1 })
      return {
        json: JSON.stringify({ version: newest, document: codec.write(value, { secret, isStored: true }) }),
        secrets,
      }
    },
    read: (json, context) => {
      const { version, document } = versioned(json)
      if (typeof version !== "number" || !Number.isInteger(version) || version < 1 || version > newest) {
        const message = `must be a version from 1 to ${newest}`
        return Result.fail(
          new StoredDocumentIsInvalid({ issues: [{ path: "version", code: "not_allowed_value", message }] }),
        )
      }
      const newestDocument = upgrades.slice(version - 1).reduce((older, upgrade) => upgrade(older), document)
      return Result.mapError(
        decode(codec, newestDocument, context),
        (issues) => new StoredDocumentIsInvalid({ issues }),
      )
    },
  }
}

const versioned = (json: string): { readonly version?: unknown; readonly document?: unknown } => {
  const parsed = Result.getOrUndefined(Result.try(() => JSON.parse(json) as unknown))
  return typeof parsed === "object" && parsed !== null ? parsed : {}
}
