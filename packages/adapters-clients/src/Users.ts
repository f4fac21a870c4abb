import { DefinitionsAreInvalid } from "@tocsin/domain"
import { CredentialStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import { type ClientRequest, jsonResponse } from "./ClientRequest.ts"

/** Users as the service's public clients read them (spec/clients §6): credentials, as there are no others. */
export const userRoutes = [
  {
    method: "GET",
    path: "/api/usrmgmt/v2/users",
    access: "token",
    query: ["id", "phrase", "limit"],
    handler: Effect.fnUntraced(function* (request: ClientRequest) {
      const { organization } = request.access
      const limit = yield* limitOf(request.parameters.get("limit") ?? "")
      const phrase = request.parameters.get("phrase") ?? ""
      const ids = new Set(request.parameters.getAll("id"))
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
    access: "token",
    query: ["name"],
    handler: () => Effect.succeed(jsonResponse(200, "[]")),
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
