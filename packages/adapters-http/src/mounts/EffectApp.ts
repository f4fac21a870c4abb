import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import type { ApiFetchHandler } from "../server/FetchHandler.ts"

/** Mounts the API in Effect's router: `HttpRouter.add("*", "/api/*", effectApp(tocsin))`. */
export const effectApp =
  ({ handle }: Pick<ApiFetchHandler, "handle">) =>
  (request: HttpServerRequest.HttpServerRequest): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
    Effect.gen(function* () {
      const signal = yield* Effect.abortSignal
      const fetched = yield* HttpServerRequest.toWeb(request, { signal })
      const peerAddress = Option.getOrUndefined(request.remoteAddress)
      return HttpServerResponse.fromWeb(yield* Effect.promise(() => handle(fetched, { peerAddress })))
    }).pipe(
      // The request has no URL that Fetch can express.
      Effect.catch(() => Effect.succeed(HttpServerResponse.empty({ status: 400 }))),
      Effect.scoped,
    )
