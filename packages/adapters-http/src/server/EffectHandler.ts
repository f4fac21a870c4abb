import { withoutIdleSpans } from "@tocsin/domain/adapter"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Server } from "node:http"
import { dispatch, type ApiRequirements } from "../api/ApiHandlers.ts"
import type { ApiDispatch } from "../frame/ApiDispatch.ts"
import { type IncomingRequest, RequestBodyIsTooLarge, RequestBodyIsUnfinished } from "../frame/ApiRequest.ts"
import { type ApiResponse, responseParts } from "../frame/ApiResponse.ts"
import { HardenedServer, requestOfMessage, serverEvents, type ServerLimits } from "./HardenedServer.ts"

/**
 * An API, such as one of `apiWith`, as a handler of Effect's `HttpServer`, on the layers of the host:
 * `HttpRouter.add("*", "/api/*", apiHandlerOf(apiWith([], [apiResources.reports])))`. The limits of bodies and connections are
 * those of `hardenedServer`; on other servers, bodies are limited in size only.
 */
export const apiHandlerOf = <R>(
  api: ApiDispatch<R>,
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, HttpServerRequest.HttpServerRequest | R> =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
    const admitted = requestOfMessage(request.source)
    const response = Effect.map(api(admitted ?? incomingOf(request)), (sent) =>
      responseOf(sent, admitted?.endsConnection === true),
    )
    return Effect.updateContext(response, withoutIdleSpans<R>)
  })

/** `apiHandlerOf` the whole API, without features of other packages. */
export const apiHandler: Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | ApiRequirements
> = apiHandlerOf(dispatch)

/**
 * Makes the server that `NodeHttpServer.layer` of `@effect/platform-node` listens with. Its limits also hold for the routes of the
 * host: the head of a request has at most 16 KiB and is well-formed, connections are limited in number and time, and closing
 * completes requests in flight.
 */
export const hardenedServer = (limits: ServerLimits = {}): Effect.Effect<() => Server> =>
  Effect.map(serverEvents, (events) => () => {
    const server = new HardenedServer(limits, events)
    // Without a listener, Node responds itself, in another shape. The head is wrong, so this is never called.
    server.on("checkExpectation", () => undefined)
    return server
  })

const responseOf = (
  { status, headers, body, rest }: ApiResponse,
  endsConnection: boolean,
): HttpServerResponse.HttpServerResponse => {
  const options = { status, headers: endsConnection ? { ...headers, connection: "close" } : headers }
  if (rest !== undefined)
    return HttpServerResponse.stream(
      Stream.fromAsyncIterable(responseParts(body, rest), (cause) => cause),
      options,
    )
  if (typeof body !== "string") return HttpServerResponse.uint8Array(body, options)
  const contentType = headers["content-type"]
  if (contentType === undefined && body === "") return HttpServerResponse.empty(options)
  return HttpServerResponse.text(body, options)
}

const incomingOf = (request: HttpServerRequest.HttpServerRequest): IncomingRequest => ({
  method: request.method,
  target: request.originalUrl,
  header: (name) => request.headers[name],
  peerAddress: Option.getOrElse(request.remoteAddress, () => ""),
  readBody: (maxBytes) =>
    request.stream.pipe(
      Stream.mapError(() => new RequestBodyIsUnfinished()),
      Stream.runFoldEffect(
        () => ({ chunks: new Array<Uint8Array>(), length: 0 }),
        ({ chunks, length }, chunk) => {
          chunks.push(chunk)
          const sum = length + chunk.length
          return sum > maxBytes
            ? Effect.fail(new RequestBodyIsTooLarge({ maxBytes }))
            : Effect.succeed({ chunks, length: sum })
        },
      ),
      Effect.map(({ chunks }) => Buffer.concat(chunks)),
    ),
})
