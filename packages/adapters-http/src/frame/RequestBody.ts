import { workFor } from "@tocsin/domain"
import { inParts, TaggedError } from "@tocsin/domain/adapter"
import type { Issue } from "@tocsin/domain/codec"
import { requestBodyMaxBytes } from "@tocsin/domain/limits"
import {
  enforceRateLimit,
  type RateLimiter,
  type RateLimitIsExceeded,
  type StoreIsUnavailable,
} from "@tocsin/domain/ports"
import { largeBodiesPolicy, largeBodyUnitBytes } from "@tocsin/domain/rate-limit"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { gunzip, inflate } from "node:zlib"
import { type ApiRequest, RequestBodyIsTooLarge, type RequestBodyIsUnfinished } from "./ApiRequest.ts"
import {
  jsonInOnePieceMax as smallBodyMaxBytes,
  type JsonSyntaxError,
  parseJson,
} from "@tocsin/formats/documents"

export interface TextBody {
  /** In lower case, without parameters. */
  readonly mediaType: string
  readonly text: string
}

/** Content codings of bodies that an endpoint may decode; `deflate` is the zlib format (RFC 9110, section 8.4.1.2). */
type BodyCoding = "gzip" | "deflate"

type WithBody = Pick<ApiRequest, "header" | "readBody">

type WithOwner = WithBody & Pick<ApiRequest, "organization">

export interface BytesBody {
  /** As in `TextBody`. */
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/**
 * Reads the body as text of one of the media types, the first of them when the request names none.
 *
 * Fails with `MediaTypeIsNotSupported` for another type or a charset other than UTF-8, with
 * `ContentEncodingIsNotSupported` for a content coding that is not among `codings`, with `RequestBodyIsNotText` when it is not UTF-8, and as
 * `IncomingRequest.readBody` does.
 */
export const readText = (
  request: WithBody,
  mediaTypes: MediaTypes,
  maxBytes: number = requestBodyMaxBytes,
  codings: ReadonlyArray<BodyCoding> = [],
): Effect.Effect<TextBody, TextBodyError> =>
  Effect.flatMap(readBytes(request, mediaTypes, maxBytes, codings), ({ mediaType, bytes }) =>
    Effect.try({
      try: () => ({ mediaType, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) }),
      catch: () => new RequestBodyIsNotText(),
    }),
  )

/** Reads the body as `readText` does, without decoding it; `codings` are the content codings that are decoded. */
export const readBytes = (
  request: WithBody,
  mediaTypes: MediaTypes,
  maxBytes: number,
  codings: ReadonlyArray<BodyCoding>,
): Effect.Effect<BytesBody, Exclude<TextBodyError, RequestBodyIsNotText>> => {
  const [essence = "", ...parameters] = (request.header("content-type") ?? mediaTypes[0]).split(";")
  const mediaType = essence.trim().toLowerCase()
  const coding = request.header("content-encoding")?.trim().toLowerCase() ?? "identity"
  const isUtf8 = parameters.every((parameter) => !/^\s*charset=/i.test(parameter) || utf8.test(parameter))
  if (!mediaTypes.includes(mediaType) || !isUtf8)
    return Effect.fail(new MediaTypeIsNotSupported({ supported: mediaTypes }))
  const decoded = codings.find((each) => each === coding)
  if (coding !== "identity" && decoded === undefined) {
    return Effect.fail(new ContentEncodingIsNotSupported({ supported: codings }))
  }
  const body = request.readBody(maxBytes)
  const bytes =
    decoded === undefined ? body : Effect.flatMap(body, (bytes) => decompress(bytes, decoded, maxBytes))
  return Effect.map(bytes, (bytes) => ({ mediaType, bytes }))
}

/** Decompresses in a thread of zlib, up to a size. */
const decompress = (
  bytes: Uint8Array,
  coding: BodyCoding,
  maxBytes: number,
): Effect.Effect<Uint8Array, RequestBodyIsTooLarge | RequestBodyIsNotDecompressed> =>
  Effect.callback((resume) => {
    const decode = coding === "gzip" ? gunzip : inflate
    decode(bytes, { maxOutputLength: maxBytes }, (error, decompressed) => {
      if (error === null) resume(Effect.succeed(decompressed))
      else if ("code" in error && error.code === "ERR_BUFFER_TOO_LARGE")
        resume(Effect.fail(new RequestBodyIsTooLarge({ maxBytes })))
      else resume(Effect.fail(new RequestBodyIsNotDecompressed({ coding })))
    })
  })

type MediaTypes = readonly [string, ...ReadonlyArray<string>]

type TextBodyError =
  | RequestBodyIsTooLarge
  | RequestBodyIsUnfinished
  | RequestBodyIsNotText
  | RequestBodyIsNotDecompressed
  | MediaTypeIsNotSupported
  | ContentEncodingIsNotSupported

/**
 * Reads the body as JSON without duplicate keys. A large one counts toward the limit `large-bodies` of the organization before it
 * is parsed, and is parsed in parts; fails with `RateLimitIsExceeded`.
 */
export const readJson = (
  request: WithOwner,
  maxBytes: number = requestBodyMaxBytes,
  codings: ReadonlyArray<BodyCoding> = [],
) =>
  Effect.gen(function* () {
    const { text } = yield* readText(request, ["application/json"], maxBytes, codings)
    const parsed = yield* inParts(() => parseJson(text)).pipe(asLargeBody(request, text.length))
    if (Result.isSuccess(parsed)) return parsed.success
    return yield* parsed.failure._tag === "syntax"
      ? new RequestBodyIsNotJson({ error: parsed.failure.error })
      : new RequestBodyHasDuplicateKey({ issue: parsed.failure.issue })
  })

/**
 * Decodes a body of this many bytes, or characters: in parts, for its organization, and counted as a large one before
 * (spec/rate-limits §8).
 */
export const asLargeBody =
  ({ organization = "" }: Pick<ApiRequest, "organization">, length: number) =>
  <A, E, R>(
    decoding: Effect.Effect<A, E, R>,
  ): Effect.Effect<A, E | RateLimitIsExceeded | StoreIsUnavailable, R | RateLimiter> =>
    length <= smallBodyMaxBytes
      ? decoding
      : Effect.andThen(
          enforceRateLimit(organization, largeBodiesPolicy, "", Math.ceil(length / largeBodyUnitBytes)),
          workFor(organization)(decoding),
        )

/** Reads the body as `readJson` does, or `undefined` if it is empty, whatever its media type. */
export const readOptionalJson = (request: ApiRequest): ReturnType<typeof readJson> =>
  Effect.flatMap(request.readBody(requestBodyMaxBytes), (bytes) =>
    bytes.length === 0
      ? Effect.succeed(undefined)
      : readJson({
          header: (name) => request.header(name),
          readBody: () => Effect.succeed(bytes),
          organization: request.organization,
        }),
  )

export class RequestBodyIsNotText extends TaggedError("RequestBodyIsNotText") {}

export class RequestBodyIsNotJson extends TaggedError("RequestBodyIsNotJson")<{
  readonly error: JsonSyntaxError | undefined
}> {}

/** An object of the body has the same key twice. */
export class RequestBodyHasDuplicateKey extends TaggedError("RequestBodyHasDuplicateKey")<{
  readonly issue: Issue
}> {}

/** The body of a request is not what its operation describes. */
export class BodyIsInvalid extends TaggedError("BodyIsInvalid")<{
  /** Of each error of the response. */
  readonly title: string
  /** Every issue, sorted by path. */
  readonly issues: ReadonlyArray<Issue>
}> {}

/** The body has another `Content-Encoding` than those that the endpoint decodes. */
export class ContentEncodingIsNotSupported extends TaggedError("ContentEncodingIsNotSupported")<{
  readonly supported: ReadonlyArray<string>
}> {}

/** The body has a `Content-Encoding` by which it cannot be decompressed. */
export class RequestBodyIsNotDecompressed extends TaggedError("RequestBodyIsNotDecompressed")<{
  readonly coding: BodyCoding
}> {}

/** The body has a type or charset that the endpoint does not read. */
export class MediaTypeIsNotSupported extends TaggedError("MediaTypeIsNotSupported")<{
  readonly supported: ReadonlyArray<string>
}> {}

const utf8 = /^\s*charset="?utf-?8"?\s*$/i
