import { Data, Effect } from "effect"
import type { ApiAnswer } from "./ApiAnswer.ts"
import { ApiOptions } from "./ApiOptions.ts"
import type { ApiRequest } from "./ApiRequest.ts"
import type { ApiHandler } from "./ApiRouter.ts"
import { errorAnswer } from "./ErrorAnswer.ts"
import { errorStatus } from "./ErrorStatus.ts"

/** The operator has turned version 1 off; answered 410. Source: decision 0514. */
export class VersionIsTurnedOff extends Data.TaggedError("VersionIsTurnedOff") {}

/**
 * Has a handler of version 1 tell on every answer, refusals too, that it is deprecated, when its sunset was and what
 * takes its place; fails with `VersionIsTurnedOff` when the operator wants that.
 *
 * Source: RFC 9745; RFC 8594; RFC 5829 section 3; decision 0514.
 */
export const deprecated =
  <R>(handler: ApiHandler<R>, successorPath: (request: ApiRequest) => string): ApiHandler<R> =>
  (request) =>
    Effect.flatMap(ApiOptions, ({ isV1Served }) =>
      (isV1Served ? handler(request) : Effect.fail(new VersionIsTurnedOff())).pipe(
        Effect.catchAll((failure) => {
          const { status, errors, headers } = errorStatus(failure)
          // The dispatch logs these.
          return status >= 500 ? Effect.fail(failure) : Effect.succeed(errorAnswer(status, errors, headers))
        }),
        Effect.map((answer): ApiAnswer => ({
          ...answer,
          headers: {
            ...answer.headers,
            deprecation: `@${sunset.getTime() / 1_000}`,
            sunset: sunset.toUTCString(),
            link: `<${successorPath(request)}>; rel="successor-version"`,
          },
        })),
      ),
    )

// The contract names no day of deprecation: the sunset is the latest it can have been.
const sunset = new Date("2026-01-30T12:00:00Z")
