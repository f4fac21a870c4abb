import { Readiness, TaggedError } from "@tocsin/domain/adapter"
import { CredentialStore, type StoreIsUnavailable } from "@tocsin/domain/ports"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { jsonResponse, type ApiResponse } from "../frame/ApiResponse.ts"
import type { ApiRoute } from "../frame/ApiRouter.ts"
import { type ErrorCode, health, productVersion } from "@tocsin/api"
import type { KnownErrorItem, StatusTable } from "../frame/ErrorResponse.ts"

/**
 * `/healthz` responds while the process runs, with the version of Tocsin. `/readyz` responds with 503 and all reasons while the server is shutting
 * down, its store cannot be read, or its background work fails (spec/operations §5).
 */
export const healthRoutes: ReadonlyArray<ApiRoute<ServerIsNotReady, CredentialStore>> = [
  { method: "GET", path: health.operations.findHealth.path, handler: () => Effect.succeed(alive) },
  { method: "GET", path: "/readyz", handler: () => Effect.as(checkReadiness, ready) },
]

const alive: ApiResponse = jsonResponse(200, JSON.stringify({ status: "ok", version: productVersion }))
const ready: ApiResponse = jsonResponse(200, '{"status":"ok"}')

/** `cause` is the failure of the store, if it is one of the reasons. It is never part of a response. */
export class ServerIsNotReady extends TaggedError("ServerIsNotReady")<{
  readonly reasons: readonly [KnownErrorItem, ...ReadonlyArray<KnownErrorItem>]
  readonly cause?: StoreIsUnavailable | undefined
}> {}

export const healthErrors: StatusTable<ServerIsNotReady> = {
  ServerIsNotReady: ({ reasons }) => ({ status: 503, errors: reasons, headers: { "retry-after": "5" } }),
}

const checkReadiness = Effect.gen(function* () {
  const readiness = yield* Readiness.Readiness
  const cause = yield* readStore
  const work = readiness.failures(yield* Clock.currentTimeMillis)
  const [first, ...rest] = [
    ...(readiness.isShuttingDown() ? [reason("shutting_down", "The server is shutting down.")] : []),
    ...(cause === undefined ? [] : [reason("unavailable", "The store is not available.")]),
    ...work.map(({ message, failingMs }) =>
      reason("background_work_failing", `${message} for ${Math.round(failingMs / 1_000)} s.`),
    ),
  ]
  if (first !== undefined) return yield* new ServerIsNotReady({ reasons: [first, ...rest], cause })
})

const reason = (code: ErrorCode, detail: string): KnownErrorItem => ({
  title: "Service unavailable",
  code,
  detail,
})

const readStore: Effect.Effect<StoreIsUnavailable | undefined, never, CredentialStore> = Effect.flatMap(
  CredentialStore,
  (store) => store.find("readyz", "readyz"),
).pipe(Effect.match({ onSuccess: () => undefined, onFailure: (failure) => failure }))
