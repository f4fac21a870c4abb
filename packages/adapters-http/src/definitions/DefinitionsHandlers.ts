import { definitions } from "@tocsin/api"
import {
  type Access,
  applyDefinitions,
  DefinitionsAreInvalid,
  definitionToJson,
  deleteDefinitions,
  deleteDefinitionsByKey,
  findWarnings,
  listedWarnings,
  listPosition,
  listTimedDefinitions,
  moveSlos,
  type RemovedObject,
  type ObjectKey,
  type ObjectKind,
  keptLabels,
  keptToJson,
  Participants,
  readStoppedMethods,
  type StoppedMethodsReader,
  workFor,
} from "@tocsin/domain"
import { type Definition, definitionKey, inParts } from "@tocsin/domain/adapter"
import {
  canBeOfNoProject,
  defaultProjectName,
  isOfNoProject,
  isOrganizationKind,
  kindFromText,
} from "@tocsin/domain/definitions"
import type { Issue } from "@tocsin/domain/codec"
import { anyAddress, parseSourceUrl } from "@tocsin/domain/delivery"
import { convertInParts, countObjects } from "@tocsin/formats"
import {
  apiVersionOf,
  type Kind,
  labelsMatch,
  namePattern,
  type OrganizationId,
  type ProjectKey,
  projectKeyText,
} from "@tocsin/domain/kernel"
import { definitionsMax } from "@tocsin/domain/limits"
import { DefinitionStore, type EndpointStore, enforceRateLimit } from "@tocsin/domain/ports"
import { invalid, kindOf, oneProjectOf, parseKind, reject } from "./DefinitionRequest.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { documentMediaTypes, yamlFormat } from "@tocsin/formats/documents"
import { documentsOf } from "../documents/RequestDocuments.ts"
import { type DocumentPage, streamedListResponse } from "../documents/ListResponse.ts"
import { acceptedFormat } from "../documents/AcceptedFormat.ts"
import { addHeaders } from "../frame/ApiResponse.ts"
import { expectedRevisionOf, revisionMismatch, revisionTag } from "./Preconditions.ts"
import { isAnnotationKind, listAnnotationDocuments } from "../annotations/AnnotationDocuments.ts"
import { listAlertDocuments, isAlertKind } from "../alerts/AlertDocuments.ts"
import type { ApiRequest } from "../frame/ApiRequest.ts"
import { PathNotFound } from "../frame/ApiRouter.ts"
import { DefinitionOptions } from "../documents/DefinitionOptions.ts"
import {
  costly,
  costlyListUnits,
  costlyReadsPolicy,
  costlyWritesPolicy,
  unitsOf,
} from "@tocsin/domain/rate-limit"
import { readText } from "../frame/RequestBody.ts"
import {
  everyProject,
  labelsOf,
  onlyKnownQuery,
  type ParametersAreInvalid,
  projectOf,
} from "../frame/RequestParameters.ts"
import { serve } from "../serve/Serve.ts"

export const definitionsRoutes = serve(definitions, {
  applyDefinitions: Effect.fnUntraced(function* (input, request) {
    const { organization, caller } = input
    const dryRun = yield* dryRunOf(input)
    const body = yield* readText(request, documentMediaTypes)
    const options = yield* DefinitionOptions
    const form = yield* formOf(caller)
    const condition = yield* expectedRevisionOf(input)
    const stopped = yield* stoppedMethodsReader(organization)
    const applied = yield* Effect.flatMap(
      documentsOf(body),
      Effect.fnUntraced(function* (documents) {
        const inputs = form === undefined ? documents : documents.map(form.read)
        return yield* applyDefinitions(organization, inputs, {
          ...options,
          dryRun,
          ...(form !== undefined && { whole: form.whole }),
          ...stopped,
          author: caller.clientId,
          ...(condition && { expected: condition.expected }),
        })
      }),
    ).pipe(
      Effect.catchTag("DefinitionsHaveChanged", ({ conflicts }) =>
        // Clients with a form of their own could not read the definitions.
        revisionMismatch(conflicts, condition?.header, form === undefined ? options.vendorPrefix : undefined),
      ),
      costly(organization, costlyWritesPolicy, unitsOf(body.text)),
      Effect.catchTag("DefinitionsAreInvalid", ({ issues }) =>
        reject(
          dryRun && options.clientForm
            ? options.clientForm.dryRunIssues(issues, request.header("user-agent"))
            : issues,
        ),
      ),
    )
    const jsonOf = (definition: Definition) => definitionToJson(definition, options.vendorPrefix)
    const data = applied.map(({ key: { kind, project, name }, outcome, planned }) => ({
      kind,
      ...(project !== "" && { project }),
      name,
      outcome,
      ...(planned?.before !== undefined && { before: jsonOf(planned.before) }),
      ...(planned !== undefined && { revision: planned.revision, after: jsonOf(planned.after) }),
    }))
    return { data, warnings: listedWarnings(applied) }
  }),

  deleteDefinitions: Effect.fnUntraced(function* (input, request) {
    const { organization, caller } = input
    const form = yield* formOf(caller)
    const dryRun = yield* dryRunOf(input)
    const body = yield* readText(request, documentMediaTypes)
    const condition = yield* expectedRevisionOf(input)
    const { vendorPrefix } = yield* DefinitionOptions
    yield* Effect.flatMap(documentsOf(body), (documents) =>
      deleteDefinitions(organization, form === undefined ? documents : documents.map(form.read), {
        vendorPrefix,
        dryRun,
        author: caller.clientId,
        passesOverAbsent: form !== undefined,
        ...(condition && { expected: condition.expected }),
      }),
    ).pipe(
      Effect.catchTag("DefinitionsHaveChanged", ({ conflicts }) =>
        revisionMismatch(conflicts, condition?.header, form === undefined ? vendorPrefix : undefined),
      ),
      costly(organization, costlyWritesPolicy, unitsOf(body.text)),
    )
  }),

  convertDefinitions: Effect.fnUntraced(function* (input, request) {
    const { organization } = input
    const given = yield* conversionOf(input)
    const body = yield* readText(request, documentMediaTypes)
    const { vendorPrefix, promqlAdvisor, promqlParser } = yield* DefinitionOptions
    if (promqlParser === undefined) return yield* new PathNotFound()
    const converted = yield* documentsOf(body).pipe(
      Effect.filterOrFail(
        (documents) => countObjects(documents) <= definitionsMax,
        () => {
          const message = `must have at most ${definitionsMax} objects in one request, with the items of lists`
          return new DefinitionsAreInvalid({ issues: [{ path: "", code: "too_many", message }] })
        },
      ),
      Effect.tap((documents) =>
        enforceRateLimit(
          organization,
          costlyReadsPolicy,
          "",
          Math.ceil(countObjects(documents) / convertedPerUnit),
        ),
      ),
      Effect.flatMap((documents) =>
        inParts(() =>
          convertInParts(documents, {
            ...given,
            vendorPrefix,
            promql: promqlParser,
            ...(promqlAdvisor && { promqlAdvisor }),
          }),
        ),
      ),
      costly(organization, costlyReadsPolicy, unitsOf(body.text)),
    )
    const { definitions, notes, isComplete, warnings } = converted
    return { definitions, notes, isComplete, warnings }
  }),

  listDefinitions: Effect.fnUntraced(function* (input, request) {
    const { organization, caller, kind: kindText, name: names, service_name: services } = input
    const form = yield* formOf(caller)
    if (isAlertKind(kindText)) return yield* listAlertDocuments(organization, request)
    if (isAnnotationKind(kindText)) return yield* listAnnotationDocuments(organization, request)
    const objectKind = yield* objectKindOf(kindText)
    if (objectKind?.whyKept !== undefined) {
      yield* onlyKnownQuery(request, listParameters)
      const readPage = yield* keptPages(organization, request, objectKind)
      return yield* streamedListResponse(
        acceptedFormat(request.header("accept")),
        yield* readPage(undefined),
        readPage,
        request.traceId,
      )
    }
    const project = projectOf(request)
    const kind = yield* parseKind(kindText)
    yield* onlyKnownQuery(request, [...listParameters, ...(parametersByKind[kind] ?? [])])
    const labels = yield* labelsOf(request)
    const hasRevisions = (yield* flagOf(input, "revisions")) && form === undefined
    const selectedSlo = yield* selectedSloOf(input)
    // What belongs to no project is in the list of every project.
    const isInEveryProject = canBeOfNoProject(kind)
    const isWanted = (item: Definition): boolean => {
      if (services.length > 0) return item.kind === "SLO" && services.includes(item.spec.service)
      if (!isInEveryProject) return true
      if (form?.kindsOfNoProject.has(kind) === true && !isOfNoProject(item)) return false
      if (selectedSlo !== undefined && item.kind === "BudgetAdjustment")
        return (item.spec.slos ?? []).some((slo) => projectKeyText(slo) === projectKeyText(selectedSlo))
      return project === everyProject || definitionKey(item).project === project || isOfNoProject(item)
    }
    const query = {
      kind,
      labels,
      ...(project !== everyProject && !isInEveryProject && { project }),
      ...(names.length > 0 && { names }),
    }
    const format = acceptedFormat(request.header("accept"))
    const { vendorPrefix } = yield* DefinitionOptions
    const keptToo = (yield* objectKinds).find((each) => each.kind === kind && each.whyKept !== undefined)
    const readKeptPage = keptToo && (yield* keptPages(organization, request, keptToo))
    const readPage = Effect.fnUntraced(function* (position?: ListPlace) {
      if (position !== undefined && "keptAfter" in position && readKeptPage !== undefined)
        return yield* readKeptPage(position)
      const after = position !== undefined && "after" in position ? position.after : undefined
      const { items, hasMore } = yield* listTimedDefinitions(organization, query, after)
      const last = items.at(-1)?.definition
      const documents: Array<object> = []
      const revisions: Array<string> = []
      // What a form of clients adds to a page is read together.
      const atOnce = form === undefined ? definitionsAtOnce : Math.max(1, items.length)
      for (let first = 0; first < items.length; first += atOnce) {
        yield* Effect.yieldNow
        const wanted = items.slice(first, first + atOnce).filter(({ definition }) => isWanted(definition))
        const written =
          form === undefined
            ? wanted.map(({ definition, revision }) => ({
                ...definitionToJson(definition, vendorPrefix),
                ...(hasRevisions && { revision }),
              }))
            : yield* form.write(organization, wanted, vendorPrefix)
        documents.push(...written)
        revisions.push(...wanted.map(({ revision }) => revision))
      }
      if (hasMore && last !== undefined) return { documents, revisions, next: { after: listPosition(last) } }
      if (readKeptPage === undefined) return { documents, revisions, next: undefined }
      const kept = yield* readKeptPage(undefined)
      return { documents: [...documents, ...kept.documents], revisions, next: kept.next }
    })
    const charge = (documents: ReadonlyArray<object>) =>
      documents.length < definitionsPerUnit
        ? Effect.void
        : enforceRateLimit(
            organization,
            costlyReadsPolicy,
            "",
            Math.floor(documents.length / definitionsPerUnit),
          )
    // A long list is sent more slowly rather than cut off, once its organization has used its costly reads.
    const readNext = (position: ListPlace) =>
      Effect.tap(readPage(position), ({ documents }) =>
        Effect.retry(charge(documents), {
          while: (failure) =>
            failure._tag === "RateLimitIsExceeded"
              ? Effect.as(Effect.sleep(failure.status.decision.retryAfterMs), true)
              : Effect.succeed(false),
        }),
      )
    const response = readPage().pipe(
      Effect.tap(({ documents }) => charge(documents)),
      Effect.flatMap((first) =>
        Effect.map(streamedListResponse(format, first, readNext, request.traceId), (response) => {
          const [revision] = "revisions" in first ? first.revisions : []
          const isOne = names.length === 1 && first.documents.length === 1 && first.next === undefined
          // A form of clients can have properties that change without a change of the definition.
          return isOne && revision !== undefined && form === undefined
            ? addHeaders(response, { etag: revisionTag(revision, format, hasRevisions) })
            : response
        }),
      ),
      workFor(organization),
    )
    const isCostly = format === yamlFormat || Object.keys(labels).length > 0
    return yield* isCostly ? costly(organization, costlyReadsPolicy, costlyListUnits)(response) : response
  }),

  listWarnings: Effect.fnUntraced(function* ({ organization, name }, request) {
    const kind = yield* kindOf(request)
    const project = yield* oneProjectOf(request, kind)
    const key = { kind, project: isOrganizationKind(kind) ? "" : project, name }
    const options = yield* DefinitionOptions
    const stopped = yield* stoppedMethodsReader(organization)
    const warnings = yield* findWarnings(organization, key, { ...options, ...stopped }).pipe(
      costly(organization, costlyReadsPolicy, warningsUnits),
    )
    return { warnings }
  }),

  listUnsupported: Effect.fnUntraced(function* ({ organization }, request) {
    const project = projectOf(request)
    const query = project === everyProject ? {} : { project }
    const { items, hasMore } = yield* (yield* DefinitionStore).listKept(organization, query, {
      limit: keptAtOnce,
    })
    const kinds = yield* objectKinds
    const whyKept = (kind: string, text: string): string =>
      kinds.find((each) => each.kind === kind)?.whyKept?.(JSON.parse(text)) ?? "It has no effect."
    const data = items.map(({ kind, project, name, text }) => ({
      kind,
      ...(project !== "" && { project }),
      name,
      reason: whyKept(kind, text),
    }))
    return { data, hasMore }
  }),

  moveSlos: ({ organization, caller, body }) =>
    moveSlos(organization, body, caller.clientId).pipe(costly(organization, costlyWritesPolicy, moveUnits)),

  deleteDefinitionsByName: Effect.fnUntraced(function* (input, request) {
    const { organization, caller, kind: kindText } = input
    const form = yield* formOf(caller)
    const objectKind = yield* objectKindOf(kindText)
    const kind = objectKind === undefined ? yield* parseKind(kindText) : undefined
    const dryRun = yield* dryRunOf(input)
    const condition = yield* expectedRevisionOf(input)
    const { vendorPrefix } = yield* DefinitionOptions
    const names = new Set(input.name)
    if (names.size === 0) return yield* invalid("name", "required", "is required")
    if (names.has("")) return yield* invalid("name", "required", "must not be empty")
    const deletion = Effect.gen(function* () {
      const project = objectKind?.home === "organization" ? "" : yield* oneProjectOf(request, kind)
      // What a client knows of such a kind belongs to no project, whatever the header says.
      const ofNoProject = kind !== undefined && form?.kindsOfNoProject.has(kind) === true
      const projectOfName =
        kind === undefined
          ? () => project
          : ofNoProject
            ? () => defaultProjectName
            : yield* projectsOfNames(organization, kind, project, names)
      const keys = Array.from(names, (name): RemovedObject => ({
        path: "name",
        key: { kind: kind ?? objectKind?.kind ?? "", project: projectOfName(name), name },
        ...(ofNoProject && { ofNoProject }),
      }))
      yield* deleteDefinitionsByKey(organization, keys, {
        dryRun,
        author: caller.clientId,
        passesOverAbsent: form !== undefined,
        ...(condition && { expected: condition.expected }),
      })
    }).pipe(
      Effect.catchTag("DefinitionsHaveChanged", ({ conflicts }) =>
        revisionMismatch(conflicts, condition?.header, form === undefined ? vendorPrefix : undefined),
      ),
    )
    // Few objects are deleted as fast as others are read.
    const units = Math.floor(names.size / deletedNamesPerUnit)
    yield* units === 0 ? deletion : costly(organization, costlyWritesPolicy, units)(deletion)
  }),
})

/** The form in which a client knows definitions; `undefined`: that of all others. */
const formOf = ({ hasPublicToken }: Pick<Access, "hasPublicToken">) =>
  Effect.map(DefinitionOptions, ({ clientForm }) => (hasPublicToken === true ? clientForm : undefined))

/** What documents of other formats lack. */
const conversionOf = Effect.fnUntraced(function* (query: {
  readonly project?: string
  readonly prometheus_url?: string
  readonly data_source?: string
  readonly service?: string
}) {
  const project = query.project || defaultProjectName
  const url = query.prometheus_url || undefined
  const dataSource = query.data_source || undefined
  const service = query.service || undefined
  const issues: Array<Issue> = []
  for (const [path, name] of Object.entries({ project, data_source: dataSource, service })) {
    if (name === undefined || namePattern.test(name)) continue
    const message = "must be a valid name: lowercase letters, digits and hyphens"
    issues.push({ path, code: "invalid_format", message })
  }
  const parsed = url === undefined ? undefined : parseSourceUrl(url, anyAddress)
  if (parsed !== undefined && Result.isFailure(parsed)) {
    issues.push({ path: "prometheus_url", code: "invalid_format", message: parsed.failure.message })
  }
  if (issues.length > 0) return yield* reject(issues)
  return {
    project,
    ...(url !== undefined && { prometheusUrl: url }),
    ...(dataSource !== undefined && { dataSource }),
    ...(service !== undefined && { service }),
  }
})

/** How warnings find which alert methods of an organization send nothing now. */
const stoppedMethodsReader = (organization: OrganizationId) =>
  Effect.map(Effect.context<DefinitionStore | EndpointStore>(), (context): StoppedMethodsReader => ({
    readStopped: (alertMethods, exists) =>
      Effect.provideContext(readStoppedMethods(organization, alertMethods, exists), context),
  }))

/** Units of costly requests for which the warnings of one definition count. */
const warningsUnits = 1

/** Definitions of a list that are written in one part. */
const definitionsAtOnce = 20

/** Objects of a conversion that count as one more unit of costly reads: their queries are parsed, checked and written anew. */
const convertedPerUnit = 10

/** Definitions of a list in JSON that count as one unit of costly reads. */
const definitionsPerUnit = 250

/** Names of a deletion that count as one unit of costly requests; fewer count as none. */
const deletedNamesPerUnit = 20

/** Units of costly requests for which a move counts. */
const moveUnits = 10

const listParameters = ["name", "labels", "revisions"]

const parametersByKind: { readonly [K in Kind]?: ReadonlyArray<string> } = {
  SLO: ["service_name"],
  BudgetAdjustment: ["slo", "slo_project"],
}

/** The kinds of objects that are no definitions. */
const objectKinds = Effect.map(Participants, (participants) =>
  participants.flatMap(({ kinds = [] }) => kinds),
)

/** The kind in the path of a request, if there are no definitions of it. */
const objectKindOf = (text: string) =>
  Effect.map(objectKinds, (kinds) =>
    kindFromText(text) === undefined
      ? kinds.find(({ kind }) => new RegExp(`^${kind}s?$`, "i").test(text))
      : undefined,
  )

/** Where the next page of a list begins: in the definitions, or in the documents that are kept as given after them. */
type ListPlace = { readonly after: ProjectKey } | { readonly keptAfter: ObjectKey }

/** Documents that are kept as given in one page. */
const keptAtOnce = 100

/** Reads pages of the documents that are kept as given which a list of their kind has. */
const keptPages = Effect.fnUntraced(function* (
  organization: OrganizationId,
  request: ApiRequest,
  { kind, home }: ObjectKind,
) {
  const { vendorPrefix } = yield* DefinitionOptions
  const store = yield* DefinitionStore
  const project = projectOf(request)
  const names = request.query.getAll("name")
  const labels = yield* labelsOf(request)
  const isFiltered = Object.keys(labels).length > 0
  const query = {
    kind,
    ...(project !== everyProject && home === "project" && { project }),
    ...(names.length > 0 && { names }),
  }
  return (place: ListPlace | undefined) =>
    Effect.map(
      store.listKept(organization, query, {
        ...(place !== undefined && "keptAfter" in place && { after: place.keptAfter }),
        limit: keptAtOnce,
      }),
      ({ items, hasMore }): DocumentPage<ListPlace> => {
        const last = items.at(-1)
        return {
          documents: items
            .filter((each) => !isFiltered || labelsMatch(keptLabels(each), labels))
            .map((each) => keptToJson(each, apiVersionOf(vendorPrefix))),
          next: hasMore && last !== undefined ? { keptAfter: last } : undefined,
        }
      },
    )
})

/** The SLO whose adjustments are listed: `slo` and `slo_project` come together. */
const selectedSloOf = ({
  slo: name = "",
  slo_project: project = "",
}: {
  readonly slo?: string
  readonly slo_project?: string
}) => {
  if (name === "" && project === "") return Effect.succeed(undefined)
  if (name === "") return invalid("slo", "required", "is required with slo_project")
  return project === ""
    ? invalid("slo_project", "required", "is required with slo")
    : Effect.succeed({ name, project })
}

/**
 * The project of each named object. One that the project of the request does not have is one of no project, if there is one of its
 * name.
 */
const projectsOfNames = Effect.fnUntraced(function* (
  organization: OrganizationId,
  kind: Kind,
  project: string,
  names: ReadonlySet<string>,
) {
  if (isOrganizationKind(kind)) return () => ""
  if (!canBeOfNoProject(kind) || project === defaultProjectName) return () => project
  const keys = Array.from(names, (name) => [
    { project, name },
    { project: defaultProjectName, name },
  ]).flat()
  const found = yield* (yield* DefinitionStore).findAll(organization, kind, keys)
  const namesOf = (isWanted: (definition: Definition) => boolean) =>
    new Set(found.flatMap(({ definition }) => (isWanted(definition) ? [definition.metadata.name] : [])))
  const own = namesOf((definition) => definitionKey(definition).project === project)
  const others = namesOf(isOfNoProject)
  return (name: string): string => (!own.has(name) && others.has(name) ? defaultProjectName : project)
})

const dryRunOf = (input: { readonly dry_run?: string }) => flagOf(input, "dry_run")

/** A parameter that is `true` or `false`; default: `false`. */
const flagOf = <N extends string>(
  input: { readonly [P in N]?: string },
  name: N,
): Effect.Effect<boolean, ParametersAreInvalid> => {
  const text = input[name] ?? ""
  if (text === "true") return Effect.succeed(true)
  return text === "false" || text === ""
    ? Effect.succeed(false)
    : invalid(name, "not_allowed_value", "must be true or false")
}
