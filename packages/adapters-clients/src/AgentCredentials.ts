import { DefinitionsNotFound } from "@tocsin/domain"
import { defaultProjectName } from "@tocsin/domain/definitions"
import { DefinitionStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type ClientRequest, jsonResponse } from "./ClientRequest.ts"

/**
 * The credentials of an Agent, which a public client asks for after it has applied one. They are empty: nothing logs in as an
 * Agent, since the server reads Prometheus itself (spec/clients §10).
 */
export const agentCredentialRoutes = [
  {
    method: "GET",
    path: "/api/internal/agent/clientcreds",
    access: "token",
    query: ["name"],
    handler: Effect.fnUntraced(function* (request: ClientRequest) {
      const { organization } = request.access
      const key = {
        project: request.header("project") || defaultProjectName,
        name: request.parameters.get("name") ?? "",
      }
      const found = yield* (yield* DefinitionStore).find(organization, "Agent", key)
      if (Option.isNone(found)) {
        const message = `the Agent ${key.name} of project ${key.project} does not exist`
        return yield* new DefinitionsNotFound({ issues: [{ path: "name", code: "not_found", message }] })
      }
      return jsonResponse(200, JSON.stringify({ client_id: "", client_secret: "" }))
    }),
  },
] as const
