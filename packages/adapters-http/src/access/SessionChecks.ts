import { SessionTokens } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { ConsoleOptions } from "../console-files/ConsoleFiles.ts"
import type { ApiDispatch } from "../frame/ApiDispatch.ts"
import type { IncomingRequest } from "../frame/ApiRequest.ts"
import { addHeaders, type ApiResponse } from "../frame/ApiResponse.ts"
import { sessionTokenOf } from "./SessionCookie.ts"

/**
 * Answers a check of the web console, whether something is valid or is there, with the status 400 or 404 in a header: browsers
 * log each as an error of the page.
 *
 * Only with a session: to anyone else, such as a shared cache, a response that is not found must not look like one that is.
 */
export const withSessionChecks =
  <R>(dispatch: ApiDispatch<R>): ApiDispatch<R | SessionTokens> =>
  (incoming) =>
    incoming.header("x-tocsin-check") === "1"
      ? Effect.flatMap(hasSession(incoming), (isCheck) =>
          isCheck ? Effect.map(dispatch(incoming), withStatusInHeader) : dispatch(incoming),
        )
      : dispatch(incoming)

const hasSession = Effect.fnUntraced(function* (incoming: IncomingRequest) {
  const { files } = yield* ConsoleOptions
  const token = files === undefined ? undefined : yield* sessionTokenOf(incoming)
  if (token === undefined) return false
  const { verify } = yield* SessionTokens
  return yield* Effect.isSuccess(verify(token, yield* Clock.currentTimeMillis))
})

const withStatusInHeader = (response: ApiResponse): ApiResponse =>
  response.status === 400 || response.status === 404
    ? {
        ...addHeaders(response, { "x-tocsin-status": `${response.status}`, "cache-control": "no-store" }),
        status: 200,
      }
    : response
