import { NodeApiServer } from "@tocsin/adapters-http"
import { DefinitionOptions } from "@tocsin/adapters-http/documents"
import {
  applyDefinitions,
  type ChangeOptions,
  definitionToJson,
  deleteDefinitions,
  listedWarnings,
} from "@tocsin/domain"
import { kindList } from "@tocsin/domain/definitions"
import { AnnotationStore, DefinitionHistory, DefinitionStore } from "@tocsin/domain/ports"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { checkPromQl, promqlAdvisor } from "@tocsin/promql"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import {
  aBudgetAdjustment,
  aDataSource,
  aProject,
  aSavedView,
  aService,
  aSourceSlo,
  anAgent,
  anAlertMethod,
  anAlertPolicy,
  anAlertSilence,
  anSlo,
  changed,
  decodeOptions,
  type Plain,
} from "../definition/valid-definitions.ts"
import { headersOf, send } from "../http/api-client.ts"
import { api, type apiPorts, serverParticipants } from "../http/api-ports.ts"
import { anAnnotation } from "./mixed-batches.ts"

const batches = 200

const apiVersion = "tocsin/v1alpha"

const aReport = (name: string): Plain => ({
  apiVersion,
  kind: "Report",
  metadata: { name },
  spec: { filters: { projects: ["shop"] }, errorBudgetStatus: {} },
})

const aView = (name: string): Plain => changed(aSavedView(), "metadata.name", name)

/** Names of a small set, so that documents meet: they replace, refer to and delete one another. */
const aName = fc.constantFrom("a", "b", "c")

const named = (make: (name: string) => Plain) => aName.map(make)

const valid = fc.oneof(
  fc.constantFrom(aProject("shop"), aProject("pay")),
  aName.map((slug) => changed(aProject("shop"), "spec.statusPage", { slug: `${slug}-ORGANIZATION` })),
  fc.constantFrom(aService(), aService("api")),
  fc.constantFrom(
    anSlo("checkout"),
    anSlo("search"),
    changed(anSlo("search"), "spec.objectives[0].target", 0.9),
  ),
  fc.constantFrom(anAlertPolicy(), anAlertPolicy("slow")),
  fc.constantFrom(anAlertMethod(), anAlertMethod("chat")),
  named(anAlertSilence),
  fc.constantFrom(aDataSource()),
  named(aBudgetAdjustment),
  named((name) => changed(aBudgetAdjustment(name), "spec.reason", "Another reason.")),
  fc.tuple(aName, fc.constantFrom(aReport, aView)).map(([name, make]) => make(name)),
  fc.constantFrom(anAgent(), changed(anAgent(), "kind", "Direct"), aSourceSlo()),
  fc.tuple(aName, fc.constantFrom("checkout", "search")).map(([name, slo]) => anAnnotation(name, slo)),
  named((name) => ({ apiVersion, kind: "UserGroup", metadata: { name }, spec: { displayName: name } })),
  named((name) => ({
    apiVersion,
    kind: "AlertMethod",
    metadata: { name, project: "shop" },
    spec: { slack: { url: "https://hooks.invalid/T/1" } },
  })),
)

const invalid = fc.oneof(
  fc.constantFrom(
    changed(aService(), "metadata.name", "Not A Name"),
    changed(anSlo("search"), "spec.service", "none"),
    changed(anSlo("search"), "spec.objectives", []),
    changed(anAlertPolicy(), "spec.severity", "Loud"),
    changed(aBudgetAdjustment("a"), "spec.slos", [{ project: "shop", name: "none" }]),
    anAnnotation("a", "none"),
    anAnnotation("b", "checkout", { objectiveName: "none" }),
    { apiVersion, kind: "SLOO", metadata: { name: "a", project: "shop" }, spec: {} },
    { apiVersion: "other/v1", kind: "Service", metadata: { name: "a", project: "shop" }, spec: {} },
  ),
)

const aBatch = fc.record({
  job: fc.constantFrom("apply", "apply", "apply", "plan", "delete", "planned deletion"),
  documents: fc.array(fc.oneof({ arbitrary: valid, weight: 24 }, { arbitrary: invalid, weight: 1 }), {
    minLength: 1,
    maxLength: 5,
  }),
})

/** With the name of the organization where a text must be unique on the server. */
const of = (organization: string, documents: ReadonlyArray<Plain>): ReadonlyArray<Plain> =>
  JSON.parse(JSON.stringify(documents).replaceAll("ORGANIZATION", organization)) as ReadonlyArray<Plain>

const withoutOrganization = (organization: string, value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null).replaceAll(`-${organization}"`, '-ORGANIZATION"'))

/** An error as both ways report it: the API has the message of an issue as the title. */
const issueOf = ({ path, code, message }: { path: string; code: string; message: string }) => ({
  title: message,
  code,
  ...(path !== "" && { source: { propertyName: path } }),
})

/** PostgreSQL ends a transaction whose process stands still. Both ways say that the same change can be tried again. */
const triesMax = 5

const throughLibrary = Effect.fnUntraced(function* (
  organization: string,
  isDelete: boolean,
  documents: ReadonlyArray<Plain>,
  change: ChangeOptions,
) {
  const options = { ...(yield* DefinitionOptions), ...change }
  if (isDelete) {
    return yield* deleteDefinitions(organization, documents, options).pipe(
      Effect.as({ status: 204 } as object),
      Effect.catchTags({
        DefinitionsNotFound: ({ issues }) => Effect.succeed({ status: 404, errors: issues.map(issueOf) }),
        DefinitionsAreInvalid: ({ issues }) => Effect.succeed({ status: 400, errors: issues.map(issueOf) }),
      }),
    )
  }
  return yield* applyDefinitions(organization, documents, options).pipe(
    Effect.map((applied): object => ({
      status: 200,
      data: applied.map(({ key: { kind, project, name }, outcome, planned }) => ({
        kind,
        ...(project !== "" && { project }),
        name,
        outcome,
        ...(planned !== undefined && {
          ...(planned.before !== undefined && { before: definitionToJson(planned.before, "tocsin") }),
          revision: planned.revision,
          after: definitionToJson(planned.after, "tocsin"),
        }),
      })),
      warnings: listedWarnings(applied),
    })),
    Effect.catchTag("DefinitionsAreInvalid", ({ issues }) =>
      Effect.succeed({ status: 400, errors: issues.map(issueOf) }),
    ),
  )
})

const throughApi = Effect.fnUntraced(function* (
  headers: Readonly<Record<string, string>>,
  isDelete: boolean,
  documents: ReadonlyArray<Plain>,
  { dryRun = false }: ChangeOptions,
) {
  const { status, text } = yield* send(`/api/${isDelete ? "delete" : "apply"}?dry_run=${dryRun}`, {
    method: isDelete ? "DELETE" : "PUT",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(documents),
  }).pipe(Effect.repeat({ times: triesMax, while: (answer) => answer.status === 503 }))
  return { status, ...(text !== "" && (JSON.parse(text) as object)) }
})

/** Everything that is stored of an organization, but for what differs from change to change: versions, IDs and authors. */
const storedOf = Effect.fnUntraced(function* (organization: string) {
  const store = yield* DefinitionStore
  const history = yield* DefinitionHistory
  const definitions = yield* Effect.forEach(kindList, (kind) =>
    Effect.map(store.list(organization, { kind }, { limit: 1_000 }), ({ items }) =>
      items.map(({ definition, createdAt, updatedAt }) => ({
        json: definitionToJson(definition, "tocsin"),
        createdAt,
        updatedAt,
      })),
    ),
  )
  const keys = definitions.flat().map(({ json: { kind, metadata } }) => ({ project: "", ...metadata, kind }))
  const revisions = yield* Effect.forEach(keys, ({ kind, project, name }) =>
    Effect.map(history.list(organization, { kind, project, name }, { limit: 100 }), ({ items }) =>
      items.map(({ number: _number, author: _author, ...revision }) => revision),
    ),
  )
  const annotations = yield* (yield* AnnotationStore).find(organization, {}, { limit: 1_000 })
  const unsupported = yield* store.listKept(organization, {}, { limit: 1_000 })
  const records = yield* store.records(organization, "BudgetAdjustment", { limit: 1_000 })
  return withoutOrganization(organization, {
    definitions,
    revisions,
    annotations: annotations.items.map(({ slo, annotation: { author: _author, ...annotation } }) => ({
      slo,
      annotation,
    })),
    unsupported: unsupported.items,
    records: records.items.map(({ text }) =>
      text.replace(/"id":"[^"]*"/, '"id":""').replace(/"author":"[^"]*"/, '"author":""'),
    ),
  })
})

/**
 * Random batches change two organizations of one server in the same way: one through the use cases of the library, the other one
 * through the API. `passTime` lets milliseconds pass, on every clock that the ports have.
 */
export const libraryAndApiContract = (
  name: string,
  ports: typeof apiPorts,
  passTime: (milliseconds: number) => Effect.Effect<void> = TestClock.adjust,
): void => {
  const server = NodeApiServer.layer({ host: "127.0.0.1", port: 0 }, api).pipe(
    Layer.provideMerge(
      Layer.merge(
        Layer.succeed(DefinitionOptions, { ...decodeOptions, checkPromQl, promqlAdvisor }),
        serverParticipants({ allowUnsupported: true }),
      ),
    ),
    Layer.provideMerge(ports),
  )
  describe(`the use cases and the API ${name}`, () => {
    it.effect(
      `spec/definitions §9, §11: do the same with ${batches} random batches of all kinds`,
      () =>
        Effect.gen(function* () {
          const [library, http] = ["library", "http"]
          const seen = new Set<string>()
          for (const [at, { job, documents }] of fc
            .sample(aBatch, { numRuns: batches, seed: 30 })
            .entries()) {
            // The limits of costly requests have windows.
            yield* passTime(60_000)
            const headers = yield* headersOf(http)
            const isDelete = job.endsWith("delete") || job.endsWith("deletion")
            const change = { dryRun: job.startsWith("plan"), author: "ana" }
            const byLibrary = yield* Effect.retry(
              throughLibrary(library, isDelete, of(library, documents), change),
              { times: triesMax, while: ({ _tag }) => _tag === "StoreIsUnavailable" },
            )
            const byApi = yield* throughApi(headers, isDelete, of(http, documents), change)
            expect([at, withoutOrganization(http, byApi)]).toEqual([
              at,
              withoutOrganization(library, byLibrary),
            ])
            const { status, data = [] } = byApi as { status: number; data?: ReadonlyArray<Plain> }
            seen.add(`${job} ${status}`)
            if (job === "apply") for (const { kind } of data) seen.add(String(kind))
            if (at % 10 === 0 || at === batches - 1)
              expect([at, yield* storedOf(http)]).toEqual([at, yield* storedOf(library)])
          }
          // The batches are not all rejected, and each kind is among what was applied.
          expect([...seen]).toEqual(
            expect.arrayContaining([
              ...kindList,
              "Annotation",
              "UserGroup",
              "apply 200",
              "apply 400",
              "plan 200",
              "plan 400",
              "delete 204",
              "delete 404",
            ]),
          )
        }).pipe(Effect.provide(server), (run) =>
          // What the ports repeat from time to time begins then.
          Effect.andThen(TestClock.setTime(Date.UTC(2026, 3, 1)), run),
        ),
      { timeout: 300_000 },
    )
  })
}
