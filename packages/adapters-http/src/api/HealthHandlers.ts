import { CredentialStore, type CredentialStoreIsUnavailable } from "@tocsin/domain/access/CredentialStore"
import * as Effect from "effect/Effect"
import { jsonResponse, type ApiResponse } from "../frame/ApiResponse.ts"
import type { ApiRoute } from "../frame/ApiRouter.ts"

/** `/healthz` responds while the process runs. `/readyz` also reads from the store, and responds with 503 if that fails. */
export const healthRoutes: ReadonlyArray<ApiRoute<CredentialStoreIsUnavailable, CredentialStore>> = [
  { method: "GET", path: "/healthz", handler: () => Effect.succeed(healthy) },
  { method: "GET", path: "/readyz", handler: () => Effect.as(readStore, healthy) },
]

const healthy: ApiResponse = jsonResponse(200, '{"status":"ok"}')

const readStore: Effect.Effect<unknown, CredentialStoreIsUnavailable, CredentialStore> = Effect.flatMap(
  CredentialStore,
  (store) => store.find("readyz", "readyz"),
)
