import { history, revision } from "@tocsin/api"
import { findRevision, listDeletedDefinitions, listRevisions } from "@tocsin/domain"
import type { Revision } from "@tocsin/domain/adapter"
import { isOrganizationKind } from "@tocsin/domain/definitions"
import { apiVersionOf, type DefinitionKey } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { jsonResponse } from "../frame/ApiResponse.ts"
import { everyProject, projectOf } from "../frame/RequestParameters.ts"
import { serve } from "../serve/Serve.ts"
import { kindOf, oneProjectOf, parseKind } from "./DefinitionRequest.ts"

export const historyRoutes = serve(history, {
  listRevisions: Effect.fnUntraced(function* ({ organization, page }, request) {
    const listed = yield* listRevisions(organization, yield* keyOf(request), page)
    return { ...listed, items: listed.items.map(withId) }
  }),

  findRevision: Effect.fnUntraced(function* ({ organization, id }, request) {
    const found = yield* findRevision(organization, yield* keyOf(request), id)
    const { vendorPrefix } = yield* DefinitionOptions
    const definitionOf = (text: string): object => ({
      apiVersion: apiVersionOf(vendorPrefix),
      ...(JSON.parse(text) as object),
    })
    const body = {
      ...encodeRevision(withId(found.revision)),
      definition: definitionOf(found.text),
      ...(found.previous !== undefined && { previous: definitionOf(found.previous) }),
    }
    return jsonResponse(200, JSON.stringify(body))
  }),

  listDeletedDefinitions: Effect.fnUntraced(function* ({ organization, kind: text = "", page }, request) {
    const kind = text === "" ? undefined : yield* parseKind(text)
    const project = projectOf(request)
    const isOfEvery = project === everyProject || (kind !== undefined && isOrganizationKind(kind))
    const filter = { ...(kind !== undefined && { kind }), ...(!isOfEvery && { project }) }
    const listed = yield* listDeletedDefinitions(organization, filter, page)
    const items = listed.items.map(({ key: { kind, project, name }, revision }) => ({
      kind,
      ...(project !== "" && { project }),
      name,
      ...withId(revision),
    }))
    return { ...listed, items }
  }),
})

/** The definition of the path, in the project of the request. */
const keyOf = (request: ApiRequest) =>
  Effect.gen(function* () {
    const kind = yield* kindOf(request)
    const project = yield* oneProjectOf(request, kind)
    const { name = "" } = request.pathParams
    return { kind, project: isOrganizationKind(kind) ? "" : project, name } satisfies DefinitionKey
  })

const withId = ({ number, ...revision }: Revision) => ({ id: `${number}`, ...revision })

const encodeRevision = Schema.encodeSync(revision)
