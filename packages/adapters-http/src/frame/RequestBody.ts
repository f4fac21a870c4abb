import type { Issue } from "@tocsin/domain/codec/Issue"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { ApiRequest, RequestBodyIsTooLarge, RequestBodyIsUnfinished } from "./ApiRequest.ts"
import { requestBodyMaxBytes } from "@tocsin/domain/access/CredentialStore"
import { findDuplicateKey } from "./DuplicateKey.ts"
import { findDeepNesting, findJsonSyntaxError, type JsonSyntaxError } from "./JsonSyntax.ts"

export interface TextBody {
  /** In lower case, without parameters. */
  readonly mediaType: string
  readonly text: string
}

/**
 * Reads the body as text of one of the media types, the first of them when the request names none.
 *
 * Fails with `MediaTypeIsNotSupported` for another type or a charset other than UTF-8, with
 * `ContentEncodingIsNotSupported` for any content coding, with `RequestBodyIsNotText` when it is not UTF-8, and as
 * `IncomingRequest.readBody` does.
 */
export const readText = (
  request: ApiRequest,
  mediaTypes: readonly [string, ...ReadonlyArray<string>],
  maxBytes: number = requestBodyMaxBytes,
): Effect.Effect<TextBody, TextBodyError> => {
  const [essence = "", ...parameters] = (request.header("content-type") ?? mediaTypes[0]).split(";")
  const mediaType = essence.trim().toLowerCase()
  const coding = request.header("content-encoding")?.trim().toLowerCase() ?? "identity"
  const isUtf8 = parameters.every((parameter) => !/^\s*charset=/i.test(parameter) || utf8.test(parameter))
  if (!mediaTypes.includes(mediaType) || !isUtf8)
    return Effect.fail(new MediaTypeIsNotSupported({ supported: mediaTypes }))
  if (coding !== "identity") return Effect.fail(new ContentEncodingIsNotSupported())
  return Effect.flatMap(request.readBody(maxBytes), (bytes) =>
    Effect.try({
      try: () => ({ mediaType, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) }),
      catch: () => new RequestBodyIsNotText(),
    }),
  )
}

type TextBodyError =
  | RequestBodyIsTooLarge
  | RequestBodyIsUnfinished
  | RequestBodyIsNotText
  | MediaTypeIsNotSupported
  | ContentEncodingIsNotSupported

/** Reads the body as JSON without duplicate keys. */
export const readJson = (
  request: ApiRequest,
  maxBytes: number = requestBodyMaxBytes,
): Effect.Effect<unknown, TextBodyError | RequestBodyIsNotJson | RequestBodyHasDuplicateKey> =>
  Effect.gen(function* () {
    const { text } = yield* readText(request, ["application/json"], maxBytes)
    const tooDeep = findDeepNesting(text)
    if (tooDeep !== undefined) return yield* new RequestBodyIsNotJson({ error: tooDeep })
    const body = yield* Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: () => new RequestBodyIsNotJson({ error: findJsonSyntaxError(text) }),
    })
    const issue = findDuplicateKey(text)
    return issue === undefined ? body : yield* new RequestBodyHasDuplicateKey({ issue })
  })

export class RequestBodyIsNotText extends Data.TaggedError("RequestBodyIsNotText") {}

export class RequestBodyIsNotJson extends Data.TaggedError("RequestBodyIsNotJson")<{
  readonly error: JsonSyntaxError | undefined
}> {}

/** An object of the body has the same key twice. */
export class RequestBodyHasDuplicateKey extends Data.TaggedError("RequestBodyHasDuplicateKey")<{
  readonly issue: Issue
}> {}

/** The body has a `Content-Encoding`, such as gzip. */
export class ContentEncodingIsNotSupported extends Data.TaggedError("ContentEncodingIsNotSupported") {}

/** The body has a type or charset that the endpoint does not read. */
export class MediaTypeIsNotSupported extends Data.TaggedError("MediaTypeIsNotSupported")<{
  readonly supported: ReadonlyArray<string>
}> {}

const utf8 = /^\s*charset="?utf-?8"?\s*$/i
