import { CredentialStore, type CredentialStoreIsUnavailable } from "@tocsin/domain/access/CredentialStore"
import * as Effect from "effect/Effect"
import { jsonResponse, type ApiResponse } from "../frame/ApiResponse.ts"
import type { ApiRoute } from "../frame/ApiRouter.ts"

/**
 * `/healthz`: the process answers. `/readyz`: its store answers too, otherwise 503, so that a balancer sends requests
 * elsewhere meanwhile.
 */
export const healthRoutes: ReadonlyArray<ApiRoute<CredentialStoreIsUnavailable, CredentialStore>> = [
  { method: "GET", path: "/healthz", handler: () => Effect.succeed(healthy) },
  { method: "GET", path: "/readyz", handler: () => Effect.as(askStore, healthy) },
]

const healthy: ApiResponse = jsonResponse(200, '{"status":"ok"}')

const askStore: Effect.Effect<unknown, CredentialStoreIsUnavailable, CredentialStore> = Effect.flatMap(
  CredentialStore,
  (store) => store.find("readyz", "readyz"),
)
