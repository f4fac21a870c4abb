import { workFor } from "@tocsin/domain"
import { type Kept, makeKept } from "@tocsin/domain/adapter"
import type { OrganizationId } from "@tocsin/domain/kernel"
import { SloStore } from "@tocsin/domain/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { ApiResponse } from "../frame/ApiResponse.ts"
import { sharedJson } from "./SharedJson.ts"

/** What a response takes beside its body, in bytes. */
const responseBytes = 500

/** A compressed body takes at most a third of the body. */
const bodyTimes = 4 / 3

/** Responses of one kind that are kept in memory. */
export interface KeptResponsesOptions<E, R> {
  /** Tells them from other kinds. */
  readonly kind: string
  /** Most bytes of all responses that a process keeps of each store. */
  readonly maxBytes: number
  readonly read: (organization: OrganizationId) => Effect.Effect<ApiResponse, E, R>
}

/**
 * The responses that organizations were sent last, one of each. Requests at the same time share one, and one that took long to make is
 * sent again for ten times as long.
 */
export const keptResponses = <E, R>({ kind, maxBytes, read }: KeptResponsesOptions<E, R>) => {
  const byStore = Context.Reference<WeakMap<SloStore["Service"], Kept<OrganizationId, ApiResponse, E, R>>>(
    `@tocsin/adapters-http/internal/console/KeptResponses/${kind}`,
    { defaultValue: () => new WeakMap() },
  )
  return Effect.fnUntraced(function* (organization: OrganizationId) {
    const kept = yield* byStore
    const store = yield* SloStore
    const responses =
      kept.get(store) ??
      makeKept({
        max: maxBytes,
        sizeOf: ({ body }) => responseBytes + bodyTimes * body.length,
        make: () => sharedJson(new Uint8Array()),
        refresh: read,
      })
    kept.set(store, responses)
    return yield* workFor(organization)(responses.get(organization))
  })
}
