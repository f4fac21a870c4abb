import * as Effect from "effect/Effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { pipeline, Readable } from "node:stream"
import { responseParts, type ApiResponse } from "../frame/ApiResponse.ts"
import { type IncomingRequest, RequestBodyIsTooLarge, RequestBodyIsUnfinished } from "../frame/ApiRequest.ts"
import type { ErrorStatus } from "../frame/ErrorResponse.ts"
import type { ArrivingBodies } from "./ArrivingBodies.ts"
import type { Connection } from "./Connections.ts"

/** A request of Node's HTTP server; the complete body must arrive within `bodyTimeoutMs`. */
export class NodeRequest implements IncomingRequest {
  readonly #request: IncomingMessage
  readonly #headers: IncomingMessage["headers"]
  readonly #response: ServerResponse
  readonly #bodyTimeoutMs: number
  readonly #connection: Connection
  readonly #bodies: ArrivingBodies
  readonly #isDraining: () => boolean
  #owesContinue: boolean
  readonly fault: ErrorStatus | undefined

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    bodyTimeoutMs: number,
    connection: Connection,
    bodies: ArrivingBodies,
    isDraining: () => boolean,
    fault?: ErrorStatus,
  ) {
    this.#isDraining = isDraining
    this.fault = fault
    this.#request = request
    // A getter that costs more than the field.
    this.#headers = request.headers
    this.#response = response
    this.#bodyTimeoutMs = bodyTimeoutMs
    this.#connection = connection
    this.#bodies = bodies
    this.#owesContinue = this.#headers.expect !== undefined
  }

  /**
   * Whether the connection must be closed after the response: the server closes, the client still waits for `100 Continue` (RFC 9110
   * section 10.1.1) and may send its body or another request next, or a long body would have to be read to its end.
   */
  get endsConnection() {
    if (this.#isDraining() || this.#owesContinue || this.fault !== undefined) return true
    if (this.#request.complete) return false
    return (
      this.#headers["transfer-encoding"] !== undefined ||
      Number(this.#headers["content-length"] ?? 0) > discardedBodyMaxBytes
    )
  }

  get method() {
    return this.#request.method ?? ""
  }
  get target() {
    return this.#request.url ?? ""
  }
  get peerAddress() {
    return this.#request.socket.remoteAddress ?? ""
  }
  readBody(maxBytes: number) {
    return Effect.suspend(() => {
      if (Number(this.#headers["content-length"] ?? 0) > maxBytes) {
        return Effect.fail(new RequestBodyIsTooLarge({ maxBytes }))
      }
      if (this.#owesContinue) this.#response.writeContinue()
      this.#owesContinue = false
      this.#connection.waitForClient()
      return Effect.timeoutOrElse(readBody(this.#request, maxBytes, this.#bodies), {
        duration: this.#bodyTimeoutMs,
        orElse: () => Effect.fail(new RequestBodyIsUnfinished()),
      }).pipe(Effect.onExit(() => Effect.sync(() => this.#connection.work())))
    })
  }
  header(name: string) {
    const value = this.#headers[name]
    return typeof value === "object" ? value.join(", ") : value
  }
}

/** Sends a response; without its body to HEAD, but with its length. */
export const sendResponse = (
  response: ServerResponse,
  { status, headers, body, rest }: ApiResponse,
): void => {
  if (rest !== undefined && response.req.method !== "HEAD") {
    response.writeHead(status, headers)
    // Destroys the connection when the body fails, so that the client sees that the response is incomplete.
    pipeline(Readable.from(responseParts(body, rest)), response, () => undefined)
    return
  }
  const length = typeof body === "string" ? Buffer.byteLength(body) : body.length
  const lines: Array<string> = []
  for (const name in headers) lines.push(name, headers[name] ?? "")
  if (rest === undefined && status !== 204 && status !== 304) lines.push("content-length", `${length}`)
  response.writeHead(status, lines)
  if (length > 0) {
    // Given to `end`, a body is followed by an empty part, and Node writes the two as a list, which costs more than one text.
    response.cork()
    if (typeof body === "string" || length > joinedBodyMaxBytes) response.write(body)
    else response.write(Buffer.from(body.buffer, body.byteOffset, length).toString("latin1"), "latin1")
    response.uncork()
  }
  response.end()
}

/** Node writes the head and a string in one write, but bytes in a second one, which costs more than a copy. */
const joinedBodyMaxBytes = 16 * 1024

/** Largest body in bytes that is read to its end for nothing, so that its connection can be reused. */
const discardedBodyMaxBytes = 64 * 1024

const readBody = (
  request: IncomingMessage,
  maxBytes: number,
  bodies: ArrivingBodies,
): Effect.Effect<Uint8Array, RequestBodyIsTooLarge | RequestBodyIsUnfinished> =>
  Effect.callback((resume) => {
    const chunks: Array<Uint8Array> = []
    let length = 0
    const arriving = bodies.begin(() => settle(Effect.fail(new RequestBodyIsUnfinished())))
    const stop = (): void => {
      bodies.end(arriving)
      request.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose)
    }
    const settle = (
      exit: Effect.Effect<Uint8Array, RequestBodyIsTooLarge | RequestBodyIsUnfinished>,
    ): void => {
      stop()
      resume(exit)
    }
    const onData = (chunk: Uint8Array): void => {
      length += chunk.length
      chunks.push(chunk)
      bodies.add(arriving, chunk.length)
      if (length > maxBytes) settle(Effect.fail(new RequestBodyIsTooLarge({ maxBytes })))
    }
    const onEnd = (): void => settle(Effect.sync(() => Buffer.concat(chunks)))
    const onClose = (): void => settle(Effect.fail(new RequestBodyIsUnfinished()))
    request.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose)
    return Effect.sync(stop)
  })
