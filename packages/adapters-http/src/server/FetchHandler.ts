import { Readiness, withoutIdleSpans } from "@tocsin/domain/adapter"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { responseParts } from "../frame/ApiResponse.ts"
import { dispatch, type ApiRequirements } from "../api/ApiHandlers.ts"
import type { ApiDispatch } from "../frame/ApiDispatch.ts"
import { type IncomingRequest, RequestBodyIsTooLarge, RequestBodyIsUnfinished } from "../frame/ApiRequest.ts"

/** The whole API as a function that any host with Fetch's `Request` and `Response` mounts. */
export interface ApiFetchHandler {
  /**
   * Responds to a request. Rejects only when the request's signal aborts it, or the layers cannot be built. Any further argument of
   * a host is ignored: requests with invalid credentials are limited as those of one client. A mount passes the client's address.
   */
  readonly handler: (request: Request) => Promise<Response>
  /** Responds like `handler`; a mount of a host passes what it knows of the connection. */
  readonly handle: (request: Request, connection: RequestConnection) => Promise<Response>
  /** Builds the layers now, and with them what runs in the background; rejects when they cannot be built. */
  readonly start: () => Promise<void>
  /** Releases the layers' resources; later requests reject. */
  readonly dispose: () => Promise<void>
}

/** The connection of a request. */
export interface RequestConnection {
  /** The IP address of the client or, behind a proxy, of the proxy. `undefined` if the host does not know it. */
  readonly peerAddress?: string | undefined
}

/**
 * Serves the API over any composition of the ports' layers, which are built by `start`, or else with the first
 * request.
 *
 * Requests are spans if the layers have a tracer (`Tracer.Tracer`). A layer that cannot be built rejects each request with
 * its error. `api` is `apiWith` the features of other packages; by default, there are none.
 */
export const makeApiFetchHandler = <E, R = ApiRequirements>(
  layer: Layer.Layer<R, E>,
  api: ApiDispatch<R> = dispatch as ApiDispatch<never>,
): ApiFetchHandler => {
  const runtime = ManagedRuntime.make(layer.pipe(Layer.provideMerge(Readiness.layer)))
  const handle: ApiFetchHandler["handle"] = (request, { peerAddress = "" }) =>
    runtime
      .runPromise(Effect.updateContext(api(incomingOf(request, peerAddress)), withoutIdleSpans<R>), {
        signal: request.signal,
      })
      .then(({ status, headers, body, rest }) => {
        const isEmpty = body.length === 0 && rest === undefined
        if (request.method === "HEAD" || isEmpty) return new Response(null, { status, headers })
        const content = rest === undefined ? body : ReadableStream.from(responseParts(body, rest))
        return new Response(content as string | Uint8Array<ArrayBuffer> | ReadableStream, {
          status,
          headers,
        })
      })
  return {
    handler: (request) => handle(request, {}),
    handle,
    start: () => runtime.runPromise(Effect.void),
    dispose: () => runtime.dispose(),
  }
}

const incomingOf = (request: Request, peerAddress: string): IncomingRequest => ({
  method: request.method,
  target: request.url,
  header: (name) => request.headers.get(name) ?? undefined,
  peerAddress,
  readBody: (maxBytes) =>
    Effect.tryPromise({
      try: () => readBody(request, maxBytes),
      catch: (cause) => (cause instanceof RequestBodyIsTooLarge ? cause : new RequestBodyIsUnfinished()),
    }),
})

const readBody = async (request: Request, maxBytes: number): Promise<Uint8Array> => {
  if (request.body === null) return new Uint8Array(0)
  const reader = request.body.getReader()
  const chunks: Array<Uint8Array> = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(chunks)
    length += value.length
    if (length > maxBytes) {
      await reader.cancel()
      throw new RequestBodyIsTooLarge({ maxBytes })
    }
    chunks.push(value)
  }
}
