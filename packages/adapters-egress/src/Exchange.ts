import { responseBodyKeptMaxBytes, responseHeaderKeptMaxCharacters } from "@tocsin/domain/limits"
import { responseHeadersKept, TransportFailure, type WebhookRequest } from "@tocsin/domain/ports"
import type { Dispatcher } from "undici"
import type { CancelSignal } from "./Cancellation.ts"
import { closeConnection, type Connection, connectionIsGone, failureOn } from "./ConnectionPool.ts"
import { failure } from "./NetworkFailure.ts"

/** Largest part of a receiver's response body that is read, in bytes. */
const responseBodyReadMaxBytes = 64 * 1024

/**
 * A response. `headAtMs` is in the time of `performance.now()`. `isComplete`: the response was read completely, so the
 * connection can be reused.
 */
export interface Received {
  readonly status: number
  readonly retryAfter: string | undefined
  /** Those of `responseHeadersKept`. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly headAtMs: number
  readonly body: string
  readonly isComplete: boolean
}

/**
 * Sends one request over a connection and reads the response.
 *
 * Once the head has arrived, the exchange succeeds, even if the body is incomplete at the deadline or larger than 64 KiB:
 * then the connection is closed and the body truncated. Aborting closes the connection.
 *
 * Rejects with `TransportFailure` when no head arrives, and with the error itself when it is a defect.
 */
export const exchange = (
  connection: Connection,
  request: WebhookRequest,
  userAgent: string,
  signal: CancelSignal,
): Promise<Received> =>
  new Promise((resolve, reject) => {
    const bytesBefore = connection.socket.bytesRead
    const stored: Array<Buffer> = []
    let storedBytes = 0
    let readBytes = 0
    let head: Pick<Received, "status" | "retryAfter" | "headers" | "headAtMs"> | undefined
    let isSettled = false

    const settle = (isComplete: boolean, error: unknown): void => {
      if (isSettled) return
      isSettled = true
      signal.removeEventListener("abort", giveUp)
      if (!isComplete) closeConnection(connection)
      if (head === undefined) reject(error)
      else resolve({ ...head, body: storedText(stored), isComplete })
    }
    const giveUp = (): void => settle(false, failure("timeout"))

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => {},
      onResponseStart: (_, status, headers) => {
        if (status < 200) return
        const retryAfter = headers["retry-after"]
        head = {
          status,
          retryAfter: typeof retryAfter === "string" ? retryAfter : undefined,
          headers: keptHeaders(headers),
          headAtMs: performance.now(),
        }
      },
      onResponseData: (_, chunk) => {
        readBytes += chunk.length
        if (storedBytes < responseBodyKeptMaxBytes) {
          const part = chunk.subarray(0, responseBodyKeptMaxBytes - storedBytes)
          stored.push(part)
          storedBytes += part.length
        }
        if (readBytes > responseBodyReadMaxBytes) settle(false, undefined)
      },
      onResponseEnd: () => settle(true, undefined),
      onResponseError: (_, error) => settle(false, failureOf(error, connection, bytesBefore)),
    }

    if (signal.aborted) return giveUp()
    signal.addEventListener("abort", giveUp, { once: true })
    connection.client.dispatch(
      {
        method: "POST",
        path: request.url.target,
        headers: ["accept-encoding", "identity", "user-agent", userAgent, ...request.headers.flat()],
        body: request.body,
      },
      handler,
    )
  })

/** Distinguishes a reset of a reused connection before the first byte of a response. */
const failureOf = (error: Error, connection: Connection, bytesBefore: number): unknown => {
  const isGone = "code" in error && error.code === connectionIsGone
  const found = failureOn(connection, error)
  if (found === undefined) return error
  const isReusedSocketReset =
    found.reason === "connection_reset" &&
    connection.isReused &&
    (isGone || connection.socket.bytesRead === bytesBefore)
  return isReusedSocketReset
    ? new TransportFailure({ ...found, isReusedSocketReset, isInfrastructureFault: false })
    : found
}

/** Several lines of one name are joined (RFC 9110, section 5.3). HTTP fields have no NUL. */
const keptHeaders = (
  headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>,
): Received["headers"] =>
  responseHeadersKept.flatMap((name) => {
    const value = headers[name]
    if (value === undefined) return []
    const text = typeof value === "string" ? value : value.join(", ")
    return [[name, text.slice(0, responseHeaderKeptMaxCharacters)] as const]
  })

/** At most 4 KiB of UTF-8, without NUL, which PostgreSQL cannot store, and without partial characters. */
const storedText = (stored: ReadonlyArray<Buffer>): string => {
  if (stored.length === 0) return ""
  const bytes = Buffer.concat(stored)
  const isWhole = bytes.length < responseBodyKeptMaxBytes
  const text = (isWhole ? wholeText : new TextDecoder())
    .decode(bytes, { stream: !isWhole })
    .replaceAll("\0", "\uFFFD")
  // An invalid byte becomes a character of three bytes.
  if (bytes.length * 3 <= responseBodyKeptMaxBytes) return text
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(responseBodyKeptMaxBytes))
  return text.slice(0, read)
}

const wholeText = new TextDecoder()
