/**
 * How a document is declared: once, as a codec, from which come its type (`TypeOf`), its decoder, its writer, the
 * schema that the OpenAPI document shows, and the form in which it is stored.
 *
 * ```ts
 * const window = object({
 *   unit: literals(["Hour", "Day"]),
 *   count: number({ min: 1, isInteger: true }),
 *   note: optional(string({ max: 100 })),
 * })
 * type Window = TypeOf<typeof window> // { readonly unit: "Hour" | "Day"; readonly count: number; readonly note?: string }
 * decode(window, JSON.parse(text), {}) // Result: the value, or every issue sorted by path
 * encode(window, value) // plain data; secrets are hidden
 * window.schema() // an effect/Schema of the plain data
 * const storedWindow = stored(window, []) // with a version number; each later version adds an upgrade to the list
 * ```
 *
 * Leaves are in `Leaves.ts`, `object`, `list`, `record` and `choose` in `Containers.ts`. A leaf or a container that needs
 * something from around the document (`C`) takes it when it decodes, and every codec built of it asks for it too.
 */
import * as Data from "effect/Data"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { type Issue, IssueList } from "./Issue.ts"

/** Reads, writes and describes one shape. `A` is what is read, `C` what reading depends on besides the value. */
export interface Codec<A, in C = unknown> {
  /** Reads plain data; `undefined` after adding why it cannot be read. No message repeats a value. */
  readonly read: Reader<A, C>
  /** Writes plain data that reads as the same value. */
  readonly write: (value: A, options: WriteOptions) => unknown
  /** Describes the plain data, for the OpenAPI document; made when it is first asked for. */
  readonly schema: () => WireSchema
}

/** A `Rule` that depends on what surrounds the document. */
export type Reader<A, in C = unknown> = (
  value: unknown,
  path: string,
  issues: IssueList,
  context: C,
) => A | undefined

/** Describes plain data; only a codec decodes. */
export type WireSchema = Schema.Codec<unknown>

/** What a codec reads. */
export type TypeOf<S> = S extends { readonly write: (value: infer A, options: WriteOptions) => unknown }
  ? A
  : never

/** How a document is written. */
export interface WriteOptions {
  /** What stands for a secret in the plain data. */
  readonly secret: (text: string) => unknown
}

/** Reads a whole document; fails with every issue, in the order of their paths. */
export const decode = <A, C>(
  codec: Pick<Codec<A, C>, "read">,
  input: unknown,
  context: C,
): Result.Result<A, ReadonlyArray<Issue>> => {
  const issues = new IssueList()
  const value = codec.read(input, "", issues, context)
  return value !== undefined && issues.isEmpty ? Result.succeed(value) : Result.fail(issues.sorted())
}

/** Encodes a document as plain data; by default with secrets hidden. */
export const encode = <A>(
  codec: Pick<Codec<A, never>, "write">,
  value: A,
  options: WriteOptions = { secret: () => hiddenValue },
): unknown => codec.write(value, options)

/** Makes a codec of a rule and a schema whose values are written as they are. */
export const plain = <A>(schema: () => Schema.Top, read: Reader<A>): Codec<A> => ({
  read,
  write: (value) => value,
  schema: once(schema),
})

/** A codec whose value is made of what another one reads. */
export const mapped = <A, B, C, D = unknown>(
  codec: Codec<A, C>,
  options: {
    readonly decode: (value: A, path: string, issues: IssueList, context: D) => B | undefined
    readonly encode: (value: B) => A
  },
): Codec<B, C & D> => ({
  read: (input, path, issues, context) => {
    const value = codec.read(input, path, issues, context)
    return value === undefined ? undefined : options.decode(value, path, issues, context)
  },
  write: (value, writing) => codec.write(options.encode(value), writing),
  schema: codec.schema,
})

/** The same codec, described in the OpenAPI document. */
export const described = <A, C>(codec: Codec<A, C>, description: string): Codec<A, C> =>
  annotated(codec, { description })

/** The same codec as a component of the OpenAPI document. */
export const named = <A, C>(codec: Codec<A, C>, identifier: string): Codec<A, C> =>
  annotated(codec, { identifier })

const annotated = <A, C>(
  codec: Codec<A, C>,
  annotations: { readonly description?: string; readonly identifier?: string },
): Codec<A, C> => ({ ...codec, schema: once(() => codec.schema().annotate(annotations)) })

/** Keeps what a function made the first time. */
export const once = (make: () => Schema.Top): (() => WireSchema) => {
  let made: WireSchema | undefined
  // Every schema of plain data decodes to what it encodes and needs no service; their types say much more than that.
  return () => (made ??= make() as unknown as WireSchema)
}

/** What stands for a secret in a document that is read back; in one that is applied it keeps the stored secret. */
export const hiddenValue = "[hidden]"

/** A secret as submitted: its value, or `[hidden]` to keep the stored one. */
export type SecretDraft<A> = Redacted.Redacted<A> | typeof hiddenValue

/** The secrets that were taken out of a stored document, in the order they were written. */
export interface SealedSecrets {
  readonly sealed?: ReadonlyArray<string>
}

/** A text that is written as `WriteOptions.secret` says, and that `[hidden]` can stand for. */
export const secret = <A, C>(
  codec: Codec<A, C>,
  textOf: (value: A) => string,
): Codec<SecretDraft<A>, C & SealedSecrets> => ({
  read: (input, path, issues, context) => {
    if (input === hiddenValue) return hiddenValue
    const value = codec.read(openSealed(input, context), path, issues, context)
    return value === undefined ? undefined : Redacted.make(value)
  },
  write: (value, options) =>
    value === hiddenValue ? hiddenValue : options.secret(textOf(Redacted.value(value))),
  schema: codec.schema,
})

const openSealed = (input: unknown, { sealed }: SealedSecrets): unknown =>
  sealed !== undefined && typeof input === "object" && input !== null && "sealed" in input
    ? sealed[Number(input.sealed)]
    : input

/** A stored document cannot be read: it was written by a later version, or changed by other hands. */
export class StoredDocumentIsInvalid extends Data.TaggedError("StoredDocumentIsInvalid")<{
  readonly issues: ReadonlyArray<Issue>
}> {}

/** How documents of a kind are stored: as JSON with the version of the form, without their secrets. */
export interface Stored<A, C> {
  readonly write: (value: A) => { readonly json: string; readonly secrets: ReadonlyArray<string> }
  readonly read: (json: string, context: C) => Result.Result<A, StoredDocumentIsInvalid>
}

/**
 * The stored form of a document. Each of the `upgrades` turns the plain data of one version into that of the next,
 * beginning with version 1; what is written has the version after the last of them.
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
      return { json: JSON.stringify({ version: newest, document: codec.write(value, { secret }) }), secrets }
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
