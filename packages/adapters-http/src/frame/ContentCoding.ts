import * as Effect from "effect/Effect"
import { pipeline, Readable } from "node:stream"
import {
  brotliCompress,
  type BrotliOptions,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  type ZlibOptions,
} from "node:zlib"
import { acceptedCodings, type ContentCoding } from "./AcceptEncoding.ts"
import { addHeaders, type ApiResponse, responseParts } from "./ApiResponse.ts"
import type { IncomingRequest } from "./ApiRequest.ts"
import { conditionalResponse } from "./ConditionalResponse.ts"
import { withVary } from "./Vary.ts"

/** Responses of at most this size are not compressed, in bytes: they fit one packet as they are. */
const uncompressedResponseMaxBytes = 1_024

/**
 * The representation of a response that a request asks for: compressed with the coding that it prefers, if it accepts one
 * (RFC 9110 section 12.5.3) and the response is text of more than `uncompressedResponseMaxBytes`; or 304, if it has it.
 *
 * Each coding has its own `ETag`, since a cache could otherwise take one for the other (section 8.8.3.3). It is weak unless
 * the same bytes are sent each time. Responses that depend on the request's codings say so in `Vary`.
 */
export const representationOf = (
  request: IncomingRequest,
  response: ApiResponse,
): ApiResponse | Effect.Effect<ApiResponse> => {
  if (!isEncodable(response)) return conditionalResponse(request, response)
  const negotiated = { ...response, headers: withVary(response.headers, "accept-encoding") }
  const accepted = acceptedCodings(request.header("accept-encoding"))
  const [preferred] = accepted
  if (preferred === undefined) return conditionalResponse(request, negotiated)
  const { body, rest, precompressed } = negotiated
  if (precompressed !== undefined) {
    return Effect.promise(async () => {
      for (const coding of accepted) {
        const compressed = await precompressed(coding)
        if (compressed === undefined) continue
        return conditionalResponse(request, { ...withCoding(negotiated, coding, true), body: compressed })
      }
      return conditionalResponse(request, negotiated)
    })
  }
  const encoded = conditionalResponse(request, withCoding(negotiated, preferred, false))
  if (encoded.status === 304) return encoded
  if (rest !== undefined)
    return { ...encoded, body: "", rest: compressedParts(responseParts(body, rest), preferred) }
  return Effect.map(compress(preferred, body, false), (compressed) =>
    compressed === undefined ? negotiated : { ...encoded, body: compressed },
  )
}

/**
 * Compresses bytes that do not change, at most once for each coding, when it is first asked for: `small` for as long as the
 * process runs, `fast` for bytes that are soon replaced.
 */
export const compressOnce = (
  bytes: Uint8Array,
  effort: "small" | "fast" = "small",
): NonNullable<ApiResponse["precompressed"]> => {
  const results = new Map<ContentCoding, Promise<Uint8Array | undefined>>()
  return (coding) => {
    if (bytes.length <= uncompressedResponseMaxBytes) return Promise.resolve(undefined)
    const known = results.get(coding) ?? Effect.runPromise(compress(coding, bytes, effort === "small"))
    results.set(coding, known)
    return known
  }
}

const isEncodable = ({ headers, body, rest, precompressed }: ApiResponse): boolean =>
  (precompressed !== undefined || rest !== undefined || body.length > uncompressedResponseMaxBytes) &&
  headers["content-encoding"] === undefined &&
  compressibleType.test(headers["content-type"] ?? "")

const compressibleType = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|yaml|xml)\b|image\/svg\+xml)/

const withCoding = (response: ApiResponse, coding: ContentCoding, isStrong: boolean): ApiResponse => {
  const { etag } = response.headers
  const tag = etag === undefined ? undefined : `${etag.slice(0, -1)}-${coding}"`
  return addHeaders(response, {
    "content-encoding": coding,
    ...(tag !== undefined && { etag: isStrong || tag.startsWith("W/") ? tag : `W/${tag}` }),
  })
}

/** Compresses in a thread of zlib; `undefined` if that makes it no smaller. */
const compress = (
  coding: ContentCoding,
  body: string | Uint8Array,
  isKept: boolean,
): Effect.Effect<Uint8Array | undefined> =>
  Effect.callback((resume) => {
    const bytes = typeof body === "string" ? Buffer.from(body) : body
    const done = (error: Error | null, compressed: Uint8Array): void =>
      resume(Effect.succeed(error === null && compressed.length < bytes.length ? compressed : undefined))
    if (coding === "br") brotliCompress(bytes, isKept ? brotliOnce : brotliFast, done)
    else gzip(bytes, isKept ? gzipOnce : gzipFast, done)
  })

/** Compresses parts as they come; what they throw is thrown after what was compressed before. */
async function* compressedParts(
  parts: AsyncIterable<Uint8Array>,
  coding: ContentCoding,
): AsyncGenerator<Uint8Array, void, undefined> {
  const compressor = coding === "br" ? createBrotliCompress(brotliFast) : createGzip(gzipFast)
  // The reader of the compressor gets the error.
  pipeline(Readable.from(parts), compressor, () => undefined)
  for await (const part of compressor) yield part as Uint8Array
}

/** For JSON of 125 KB these levels take about 0.3 ms, and higher ones two to eight times that for up to 15% less. */
const brotliFast: BrotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const gzipFast: ZlibOptions = { level: 1 }
const brotliOnce: BrotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }
const gzipOnce: ZlibOptions = { level: 9 }
