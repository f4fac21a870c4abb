import type { Access } from "@tocsin/domain/internal/access/Access"
import {
  applyWithRecord,
  deleteByKeyWithRecord,
  deleteWithRecord,
} from "@tocsin/domain/internal/budget-change/ChangeBudgets"
import {
  DefinitionsAreInvalid,
  type PlannedDefinition,
} from "@tocsin/domain/internal/definition/ApplyDefinitions"
import { definitionToJson } from "@tocsin/domain/internal/definition/Definition"
import { kindFromText, type ProjectKey } from "@tocsin/domain/internal/metadata/ObjectKey"
import type { Issue, IssueCode } from "@tocsin/domain/internal/codec/Issue"
import { listDefinitions, listPosition } from "@tocsin/domain/internal/definition/ListDefinitions"
import { KindIsUnknown } from "./DefinitionErrors.ts"
import * as Effect from "effect/Effect"
import { documentMediaTypes } from "../documents/ReadDocuments.ts"
import { documentsOf } from "../documents/RequestDocuments.ts"
import { streamedListResponse } from "../documents/ListResponse.ts"
import { acceptedFormat, yamlFormat } from "../documents/WriteDocuments.ts"
import { listAlertDocuments, isAlertKind } from "../alerts/AlertDocuments.ts"
import { emptyResponse, jsonResponse } from "../frame/ApiResponse.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { routesOf } from "../frame/ApiRouter.ts"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import { DefinitionsApi } from "./DefinitionsApi.ts"
import { accessOf, accessWithRole } from "../access/RequestAccess.ts"
import {
  costly,
  costlyListUnits,
  costlyReadsPolicy,
  costlyWritesPolicy,
  unitsOf,
} from "../frame/CostlyRequests.ts"
import { readText, type TextBody } from "../frame/RequestBody.ts"
import { everyProject, labelsOf, onlyKnownQuery, projectOf } from "../frame/RequestParameters.ts"

const plannedToJson = ({ before, after }: PlannedDefinition, vendorPrefix: string) => ({
  ...(before !== undefined && { before: definitionToJson(before, vendorPrefix) }),
  after: definitionToJson(after, vendorPrefix),
})

export const definitionsRoutes = routesOf(DefinitionsApi, {
  applyDefinitions: Effect.fnUntraced(function* (request: ApiRequest) {
    const access = yield* accessWithRole(request, "editor")
    const dryRun = yield* dryRunOf(request)
    const body = yield* readText(request, documentMediaTypes)
    return jsonResponse(200, JSON.stringify(yield* applyDocuments(access, body, dryRun)))
  }),

  deleteDefinitions: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization, clientId: author } = yield* accessWithRole(request, "editor")
    const dryRun = yield* dryRunOf(request)
    const body = yield* readText(request, documentMediaTypes)
    const { vendorPrefix } = yield* DefinitionOptions
    yield* Effect.flatMap(documentsOf(body), (documents) =>
      deleteWithRecord(organization, documents, { vendorPrefix, dryRun, author }),
    ).pipe(costly(organization, costlyWritesPolicy, unitsOf(body.text)))
    return emptyResponse(204)
  }),

  listDefinitions: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization } = yield* accessOf(request)
    if (isAlertKind(request.pathParams["kind"] ?? "")) return yield* listAlertDocuments(organization, request)
    const project = projectOf(request)
    const kind = yield* kindOf(request)
    yield* onlyKnownQuery(request, kind === "SLO" ? [...listParameters, "service_name"] : listParameters)
    const labels = yield* labelsOf(request)
    const names = request.query.getAll("name")
    const services = request.query.getAll("service_name")
    const query = {
      kind,
      labels,
      ...(project !== everyProject && { project }),
      ...(names.length > 0 && { names }),
    }
    const format = acceptedFormat(request.header("accept"))
    const { vendorPrefix } = yield* DefinitionOptions
    const readPage = (after?: ProjectKey) =>
      Effect.map(listDefinitions(organization, query, after), ({ items, hasMore }) => {
        const last = items.at(-1)
        return {
          documents: items
            .filter(
              (item) =>
                services.length === 0 || (item.kind === "SLO" && services.includes(item.spec.service)),
            )
            .map((definition) => definitionToJson(definition, vendorPrefix)),
          next: hasMore && last !== undefined ? listPosition(last) : undefined,
        }
      })
    const response = Effect.flatMap(readPage(), (first) =>
      streamedListResponse(format, first, readPage, request.traceId),
    )
    const isCostly = format === yamlFormat || Object.keys(labels).length > 0
    return yield* isCostly ? costly(organization, costlyReadsPolicy, costlyListUnits)(response) : response
  }),

  deleteDefinitionsByName: Effect.fnUntraced(function* (request: ApiRequest) {
    const { organization, clientId: author } = yield* accessWithRole(request, "editor")
    const kind = yield* kindOf(request)
    yield* onlyKnownQuery(request, ["name", "dry_run"])
    const dryRun = yield* dryRunOf(request)
    const project = projectOf(request)
    const names = new Set(request.query.getAll("name"))
    if (names.size === 0) return yield* invalid("name", "required", "is required")
    if (names.has("")) return yield* invalid("name", "required", "must not be empty")
    if (project === everyProject && kind !== "Project") {
      return yield* invalid("Project", "not_allowed_value", "must be one project")
    }
    const keys = Array.from(names, (name) => ({
      path: "name",
      key: { kind, project: kind === "Project" ? "" : project, name },
    }))
    yield* deleteByKeyWithRecord(organization, keys, { dryRun, author })
    return emptyResponse(204)
  }),
})

/** Applies the documents of a text as a costly request, and returns what became of them as JSON. */
export const applyDocuments = Effect.fnUntraced(function* (
  { organization, clientId: author }: Access,
  body: TextBody,
  dryRun: boolean,
) {
  const options = yield* DefinitionOptions
  const applied = yield* Effect.flatMap(documentsOf(body), (documents) =>
    applyWithRecord(organization, documents, { ...options, dryRun, author }),
  ).pipe(costly(organization, costlyWritesPolicy, unitsOf(body.text)))
  const data = applied.map(({ key: { kind, project, name }, outcome, planned }) => ({
    kind,
    ...(project !== "" && { project }),
    name,
    outcome,
    ...(planned !== undefined && plannedToJson(planned, options.vendorPrefix)),
  }))
  return { data }
})

const listParameters = ["name", "labels"]

const kindOf = ({ pathParams: { kind = "" } }: ApiRequest) =>
  Effect.mapError(Effect.fromNullishOr(kindFromText(kind)), () => new KindIsUnknown({ kind }))

const dryRunOf = (request: ApiRequest): Effect.Effect<boolean, DefinitionsAreInvalid> => {
  const dryRun = request.query.get("dry_run") ?? ""
  if (dryRun === "true") return Effect.succeed(true)
  return dryRun === "false" || dryRun === ""
    ? Effect.succeed(false)
    : invalid("dry_run", "not_allowed_value", "must be true or false")
}

const invalid = (path: string, code: IssueCode, message: string) => reject([{ path, code, message }])

const reject = (issues: ReadonlyArray<Issue>) => Effect.fail(new DefinitionsAreInvalid({ issues }))
