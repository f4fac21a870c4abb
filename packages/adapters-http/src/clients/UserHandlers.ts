import { DefinitionsAreInvalid } from "@tocsin/domain"
import { CredentialStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import { accessOf } from "../access/RequestAccess.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { jsonResponse } from "../frame/ApiResponse.ts"
import { onlyKnownQuery } from "../frame/RequestParameters.ts"

/** Users as the service's public clients read them (spec/clients §6): credentials, as there are no others. */
export const userRoutes = [
  {
    method: "GET",
    path: "/api/usrmgmt/v2/users",
    handler: Effect.fnUntraced(function* (request: ApiRequest) {
      const { organization } = yield* accessOf(request)
      yield* onlyKnownQuery(request, ["id", "phrase", "limit"])
      const limit = yield* limitOf(request.query.get("limit") ?? "")
      const phrase = request.query.get("phrase") ?? ""
      const ids = new Set(request.query.getAll("id"))
      const credentials = yield* (yield* CredentialStore).list(organization)
      const users = credentials
        .filter(
          ({ clientId }) => (ids.size === 0 || ids.has(clientId)) && (phrase === "" || clientId === phrase),
        )
        .slice(0, limit)
        // A credential is not a person: it has neither a name nor an address.
        .map(({ clientId }) => ({ userId: clientId, firstName: "", lastName: "", email: "" }))
      return jsonResponse(200, JSON.stringify({ users }))
    }),
  },
  {
    method: "GET",
    path: "/api/usrmgmt/groups",
    handler: Effect.fnUntraced(function* (request: ApiRequest) {
      yield* accessOf(request)
      yield* onlyKnownQuery(request, ["name"])
      return jsonResponse(200, "[]")
    }),
  },
] as const

const limitOf = (text: string): Effect.Effect<number, DefinitionsAreInvalid> => {
  if (text === "") return Effect.succeed(Number.POSITIVE_INFINITY)
  if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Effect.succeed(Number(text))
  const message = "must be an integer of at least 1"
  return Effect.fail(
    new DefinitionsAreInvalid({ issues: [{ path: "limit", code: "out_of_range", message }] }),
  )
}
