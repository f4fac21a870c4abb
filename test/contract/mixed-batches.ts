import { allParticipants } from "@tocsin/domain/features"
import { applyDefinitions, definitionToJson, deleteDefinitions, partChange } from "@tocsin/domain"
import { annotationPart } from "@tocsin/domain/features/annotation"
import { kindList } from "@tocsin/domain/definitions"
import { AnnotationStore, type CountStore, DefinitionStore, type SloStore } from "@tocsin/domain/ports"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import {
  aBudgetAdjustment,
  aProject,
  aService,
  anAlertMethod,
  anAlertPolicy,
  anSlo,
  changed,
  decodeOptions,
  type Plain,
} from "../definition/valid-definitions.ts"

/** Most annotations of an SLO. */
const annotationsPerSloMax = 10_000

export type MixedStores = AnnotationStore | CountStore | DefinitionStore | SloStore

/** An annotation of an SLO. */
export const anAnnotation = (name: string, slo: string, spec: object = {}): Plain => ({
  apiVersion: "tocsin/v1alpha",
  kind: "Annotation",
  metadata: { name, project: "shop" },
  spec: {
    slo,
    description: "Deployed",
    startTime: "2026-03-31T12:00:00Z",
    endTime: "2026-03-31T12:10:00Z",
    ...spec,
  },
})

/** Everything that an organization has, by kind, project and name. */
export const storedDocuments = Effect.gen(function* () {
  const { list } = yield* DefinitionStore
  const page = { limit: 1_000 }
  const definitions = yield* Effect.forEach(kindList, (kind) => list("acme", { kind }, page))
  const annotations = yield* (yield* AnnotationStore).find("acme", {}, { limit: 20_000 })
  return new Map<string, unknown>([
    ...definitions.flatMap(({ items }) =>
      items.map(({ definition, version }): [string, unknown] => {
        const { name, project = "" }: { name: string; project?: string } = definition.metadata
        return [`${definition.kind} ${project} ${name}`, [version, definitionToJson(definition, "tocsin")]]
      }),
    ),
    ...annotations.items.map(({ slo, annotation }): [string, unknown] => [
      `Annotation ${slo.project} ${annotation.id} ${slo.name}`,
      annotation,
    ]),
  ])
})

const keyText = ({ kind, metadata, spec }: Plain): string => {
  const { name, project = "" } = metadata as { name: string; project?: string }
  const slo = kind === "Annotation" ? ` ${(spec as { slo: string }).slo}` : ""
  return `${String(kind)} ${project} ${name}${slo}`
}

const owners = [aProject(), aService(), anAlertMethod(), anAlertPolicy(), anSlo("checkout")]

/** Documents of several kinds; some refer to what may not exist, some are invalid. */
const aDocument = fc.oneof(
  fc.constantFrom("web", "pay").map((name) => changed(aService(), "metadata.name", name)),
  fc.constantFrom("checkout", "search").map((name) => anSlo(name)),
  fc.constantFrom("fast", "search").map((name) => changed(anSlo("search"), "spec.service", name)),
  fc.constantFrom("a", "b").map((name) => changed(anAlertMethod(), "metadata.name", name)),
  fc
    .tuple(fc.constantFrom("n1", "n2"), fc.constantFrom("checkout", "search", "none"))
    .map(([name, slo]) => anAnnotation(name, slo)),
  fc.constantFrom("n3").map((name) => anAnnotation(name, "checkout", { objectiveName: "none" })),
  fc.constantFrom("m1", "m2").map((name) => changed(aBudgetAdjustment(), "metadata.name", name)),
)

const aBatch = fc.record({
  isDelete: fc.boolean(),
  documents: fc.uniqueArray(aDocument, { minLength: 1, maxLength: 6, selector: keyText }),
})

/** Every request is applied or deleted whole, or changes nothing; `layer` gives an empty store. */
export const mixedBatchesContract = <E>(name: string, layer: Layer.Layer<MixedStores, E>): void => {
  describe(`requests with several kinds of documents ${name}`, () => {
    it.effect.prop(
      "spec/definitions §9, §11: are applied or deleted whole, or change nothing",
      [fc.array(aBatch, { maxLength: 6 })],
      ([batches]) =>
        Effect.gen(function* () {
          yield* applyDefinitions("acme", owners, decodeOptions)
          for (const { isDelete, documents } of batches) {
            const before = yield* storedDocuments
            const isDone = isDelete
              ? Exit.isSuccess(yield* Effect.exit(deleteDefinitions("acme", documents, decodeOptions)))
              : Exit.isSuccess(yield* Effect.exit(applyDefinitions("acme", documents, decodeOptions)))
            const after = yield* storedDocuments
            const isThere = documents.map((document) => after.has(keyText(document)))
            if (isDone) expect(new Set(isThere)).toEqual(new Set([!isDelete]))
            else expect(after).toEqual(before)
          }
        }).pipe(Effect.provide(allParticipants.pipe(Layer.provideMerge(layer)))),
      { fastCheck: { numRuns: 40 } },
    )

    it.effect("spec/definitions §9: change nothing if one annotation is too many", () =>
      Effect.gen(function* () {
        yield* applyDefinitions("acme", owners, decodeOptions)
        const slo = { project: "shop", name: "checkout" }
        const put = Array.from({ length: annotationsPerSloMax - 1 }, (_, index) => ({
          slo,
          annotation: {
            id: `a-${index}`,
            kind: "deployment" as const,
            title: "v1",
            from: 0,
            author: "ana",
            createdAt: 0,
          },
        }))
        const { change } = yield* DefinitionStore
        yield* change("acme", [], () =>
          Result.succeed({ put: [], remove: [], parts: [partChange(annotationPart, { put, remove: [] })] }),
        )
        const before = yield* storedDocuments
        const service = changed(aService(), "metadata.name", "half")
        const batch = [service, anAnnotation("b-1", "checkout"), anAnnotation("b-2", "checkout")]
        const rejected = yield* Effect.flip(applyDefinitions("acme", batch, decodeOptions))
        expect(rejected).toMatchObject({
          _tag: "DefinitionsAreInvalid",
          issues: [{ path: "[2].spec.slo", code: "too_many" }],
        })
        expect(yield* storedDocuments).toEqual(before)
        const planned = yield* Effect.exit(
          applyDefinitions("acme", batch, { ...decodeOptions, dryRun: true }),
        )
        expect(Exit.isFailure(planned)).toBe(true)
        yield* applyDefinitions("acme", batch.slice(0, 2), decodeOptions)
        expect((yield* storedDocuments).size).toBe(before.size + 2)
      }).pipe(Effect.provide(allParticipants.pipe(Layer.provideMerge(layer)))),
    )
  })
}
