import { findRevision, listDeletedDefinitions, listRevisions } from "@tocsin/domain"
import type { Revision } from "@tocsin/domain/adapter"
import { isOrganizationKind } from "@tocsin/domain/definitions"
import { apiVersionOf, type DefinitionKey } from "@tocsin/domain/kernel"
import * as Effect from "effect/Effect"
import { accessOf } from "../access/RequestAccess.ts"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { jsonResponse } from "../frame/ApiResponse.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { everyProject, filteredLinks, projectOf, queryOf } from "../frame/RequestParameters.ts"
import { timeText } from "../frame/TimeText.ts"
import { kindOf, oneProjectOf, parseKind } from "./DefinitionRequest.ts"
import { HistoryApi } from "./HistoryApi.ts"

export const historyRoutes = routesOf(HistoryApi, {
  listRevisions: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const key = yield* keyOf(request)
    const { items, ...page } = yield* listRevisions(organization, key, queryOf(request, pageParameters))
    const { kind = "", name = "" } = request.pathParams
    const links = filteredLinks(
      request,
      `/api/definitions/${encodeURIComponent(kind)}/${encodeURIComponent(name)}/history`,
      [],
      page,
    )
    return jsonResponse(200, JSON.stringify({ data: items.map(revisionToJson), links }))
  }),

  findRevision: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const key = yield* keyOf(request)
    const found = yield* findRevision(organization, key, request.pathParams["id"] ?? "")
    const { vendorPrefix } = yield* DefinitionOptions
    const definitionOf = (text: string): object => ({
      apiVersion: apiVersionOf(vendorPrefix),
      ...(JSON.parse(text) as object),
    })
    const body = {
      ...revisionToJson(found.revision),
      definition: definitionOf(found.text),
      ...(found.previous !== undefined && { previous: definitionOf(found.previous) }),
    }
    return jsonResponse(200, JSON.stringify(body))
  }),

  listDeletedDefinitions: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    const kindText = request.query.get("kind") ?? ""
    const kind = kindText === "" ? undefined : yield* parseKind(kindText)
    const project = projectOf(request)
    const isOfEvery = project === everyProject || (kind !== undefined && isOrganizationKind(kind))
    const filter = { ...(kind !== undefined && { kind }), ...(!isOfEvery && { project }) }
    const { items, ...page } = yield* listDeletedDefinitions(
      organization,
      filter,
      queryOf(request, pageParameters),
    )
    const links = filteredLinks(request, "/api/definitions/deleted", ["kind"], page)
    const data = items.map(({ key, revision }) => ({
      kind: key.kind,
      ...(key.project !== "" && { project: key.project }),
      name: key.name,
      ...revisionToJson(revision),
    }))
    return jsonResponse(200, JSON.stringify({ data, links }))
  }),
})

const pageParameters = ["limit", "cursor"] as const

/** The definition of the path, in the project of the request. */
const keyOf = (request: ApiRequest) =>
  Effect.gen(function* () {
    const kind = yield* kindOf(request)
    const project = yield* oneProjectOf(request, kind)
    const { name = "" } = request.pathParams
    return { kind, project: isOrganizationKind(kind) ? "" : project, name } satisfies DefinitionKey
  })

const revisionToJson = ({ number, at, author, ...revision }: Revision) => ({
  id: `${number}`,
  at: timeText(at),
  ...(author !== undefined && { author }),
  ...revision,
})
