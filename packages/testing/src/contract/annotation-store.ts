import { partChange } from "@tocsin/domain"
import { annotationPart } from "@tocsin/domain/features/annotation"
import type { Annotation } from "@tocsin/domain/definitions"
import type { ProjectKey } from "@tocsin/domain/kernel"
import {
  type AnnotationQuery,
  type AnnotationsChange,
  type AnnotationsRead,
  AnnotationStore,
  DefinitionStore,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "./EffectTest.ts"
import { anSlo, putDefinitions, removeSlos } from "./slo-definitions.ts"

type Stores = AnnotationStore | DefinitionStore

const key = { project: "shop", name: "checkout" }

const anAnnotation = (id: string, from: number, title = "deployed"): Annotation => ({
  id,
  kind: "deployment",
  title,
  from,
  author: "ana",
  createdAt: 1,
})

const put = (annotation: Annotation, slo: ProjectKey = key, organization = "acme", max = 100) =>
  Effect.flatMap(AnnotationStore, (store) => store.put(organization, slo, annotation, max))

const partsOf = (annotations: AnnotationsChange) => [partChange(annotationPart, annotations)]

/** Writes annotations with a change of no definition. */
const write = (organization: string, annotations: AnnotationsChange) =>
  Effect.flatMap(DefinitionStore, ({ change }) =>
    change(organization, [], () => Result.succeed({ put: [], remove: [], parts: partsOf(annotations) })),
  )

const list = (from = 0, to = 1_000, limit = 10, slo: ProjectKey = key, organization = "acme") =>
  Effect.flatMap(AnnotationStore, (store) => store.list(organization, slo, { from, to }, limit))

/** What every `AnnotationStore` does; `layer` gives an empty one. */
export const annotationStoreContract = <E>(name: string, layer: Layer.Layer<Stores, E>): void => {
  const test = (what: string, effect: Effect.Effect<void, unknown, Stores>): void =>
    it.effect(what, () => Effect.provide(effect, layer))

  describe(`AnnotationStore ${name}`, () => {
    test(
      "spec/annotations §1: keeps annotations of SLOs that exist, and replaces one with the same ID",
      Effect.gen(function* () {
        expect(yield* put(anAnnotation("a", 10))).toBe("slo_not_found")
        yield* putDefinitions("acme", [anSlo(key), anSlo({ ...key, name: "other" })])
        yield* putDefinitions("other", [anSlo(key)])
        const whole: Annotation = {
          ...anAnnotation("a", 10, 'Ünï"\u0001'),
          text: "Line\nLine",
          url: "https://ci.example.com/1",
          to: 20,
        }
        expect(yield* put(whole)).toBe("created")
        expect(yield* list()).toEqual([whole])
        expect(yield* put(anAnnotation("a", 30))).toBe("replaced")
        expect(yield* put(anAnnotation("a", 40), { ...key, name: "other" })).toBe("created")
        expect(yield* put(anAnnotation("a", 50), key, "other")).toBe("created")
        expect(yield* list()).toEqual([anAnnotation("a", 30)])
        const { remove } = yield* AnnotationStore
        expect(yield* remove("acme", key, "b")).toBe(false)
        expect(yield* remove("acme", key, "a")).toBe(true)
        expect(yield* list()).toEqual([])
        expect(yield* list(0, 100, 10, key, "other")).toHaveLength(1)
      }),
    )

    test(
      "spec/clients §5: takes those of a change of definitions, and finds them in the order of project, SLO and ID",
      Effect.gen(function* () {
        const store = yield* AnnotationStore
        const other = { project: "pay", name: "checkout" }
        yield* putDefinitions("acme", [anSlo(key), anSlo(other)])
        yield* putDefinitions("globex", [anSlo(key)])
        const given = [
          { slo: key, annotation: anAnnotation("b", 20) },
          { slo: other, annotation: anAnnotation("a", 10) },
          { slo: key, annotation: anAnnotation("a", 30) },
        ]
        const none = { slo: { project: "shop", name: "none" }, annotation: anAnnotation("a", 1) }
        yield* write("acme", { put: [...given, none], remove: [] })
        yield* write("globex", { put: given.slice(0, 1), remove: [] })
        yield* write("acme", { put: given.slice(0, 1), remove: [] })
        const [b, pay, a] = given
        expect(yield* store.find("acme", {}, { limit: 10 })).toEqual({ items: [pay, a, b], hasMore: false })
        expect(yield* store.find("acme", {}, { limit: 2 })).toEqual({ items: [pay, a], hasMore: true })
        const after = { project: "shop", slo: "checkout", id: "a" }
        expect((yield* store.find("acme", {}, { limit: 2, after })).items).toEqual([b])
        const find = (query: AnnotationQuery) =>
          Effect.map(store.find("acme", query, { limit: 10 }), ({ items }) => items)
        expect(yield* find({ project: "shop" })).toEqual([a, b])
        expect(yield* find({ slo: "checkout", ids: ["b", "none", "\u0000"] })).toEqual([b])
        expect(yield* find({ from: 20, to: 20 })).toEqual([b])
        expect(yield* find({ from: 21 })).toEqual([a])
        expect(yield* find({ project: "none" })).toEqual([])
        const remove = [after, { ...after, id: "none" }, { ...after, project: "pay" }]
        yield* write("acme", { put: [], remove })
        expect(yield* find({})).toEqual([b])
        expect((yield* store.find("globex", {}, { limit: 10 })).items).toEqual([b])
      }),
    )

    test(
      "spec/clients §5: gives a change of definitions the stored annotations, and writes none of a rejected change",
      Effect.gen(function* () {
        yield* putDefinitions("acme", [anSlo(key)])
        const stored: Annotation = { ...anAnnotation("a", 10), url: "https://ci.example.com/1" }
        yield* put(stored)
        yield* put(anAnnotation("b", 20))
        const { change } = yield* DefinitionStore
        const other = { ...key, name: "other" }
        const annotations = { put: [{ slo: key, annotation: anAnnotation("c", 1) }], remove: [] }
        const read = (
          decide: (found: AnnotationsRead, none: AnnotationsRead) => Result.Result<number, string>,
        ) =>
          change("acme", [], (found) =>
            Result.map(
              decide(
                found.ask(annotationPart, { slo: key, ids: ["a", "none"] }),
                found.ask(annotationPart, { slo: other, ids: ["a"] }),
              ),
              (count) => ({ put: [], remove: [], parts: partsOf(annotations), count }),
            ),
          )
        const rejected = read(({ byId, count }, none) =>
          Result.fail(JSON.stringify([...byId.values(), count, none.byId.size, none.count])),
        )
        expect(JSON.parse(String(yield* Effect.flip(rejected)))).toEqual([stored, 2, 0, 0])
        expect(yield* list()).toHaveLength(2)
        expect((yield* read(({ count }) => Result.succeed(count))).count).toBe(2)
        expect(yield* list()).toHaveLength(3)
      }),
    )

    test(
      "spec/clients §5: a change writes the annotations of an SLO that it creates, and not those of one that it deletes",
      Effect.gen(function* () {
        const { change } = yield* DefinitionStore
        const slo = anSlo(key)
        const annotations = { put: [{ slo: key, annotation: anAnnotation("a", 1) }], remove: [] }
        yield* change("acme", [], () =>
          Result.succeed({
            put: [{ definition: slo, references: [] }],
            remove: [],
            parts: partsOf(annotations),
          }),
        )
        expect(yield* list()).toHaveLength(1)
        yield* change("acme", [{ kind: "SLO", ...key }], () =>
          Result.succeed({ put: [], remove: [{ kind: "SLO", ...key }], parts: partsOf(annotations) }),
        )
        yield* putDefinitions("acme", [slo])
        expect(yield* list()).toEqual([])
      }),
    )

    test(
      "loses the annotations of an SLO that is deleted",
      Effect.gen(function* () {
        yield* putDefinitions("acme", [anSlo(key)])
        yield* put(anAnnotation("a", 10))
        yield* removeSlos("acme", [key])
        expect(yield* put(anAnnotation("b", 10))).toBe("slo_not_found")
        yield* putDefinitions("acme", [anSlo(key)])
        expect(yield* list()).toEqual([])
      }),
    )

    it.effect.prop(
      "spec/annotations §3: lists those that begin in a range, newest first, as a plain list would",
      [
        fc.array(
          fc.record({
            id: fc.constantFrom("a", "b", "c", "d-1", "D.2"),
            from: fc.nat(20),
            isPut: fc.boolean(),
          }),
          { maxLength: 20 },
        ),
        fc.nat(20),
        fc.nat(20),
        fc.integer({ min: 1, max: 6 }),
      ],
      ([steps, from, to, limit]) =>
        Effect.gen(function* () {
          yield* putDefinitions("acme", [anSlo(key)])
          const model = new Map<string, Annotation>()
          for (const { id, from, isPut } of steps) {
            if (isPut) {
              const outcome = yield* put(anAnnotation(id, from))
              expect(outcome).toBe(model.has(id) ? "replaced" : "created")
              model.set(id, anAnnotation(id, from))
            } else {
              const wasThere = yield* (yield* AnnotationStore).remove("acme", key, id)
              expect(wasThere).toBe(model.delete(id))
            }
          }
          const expected = [...model.values()]
            .filter((each) => each.from >= from && each.from < to)
            .sort((a, b) => b.from - a.from || (a.id < b.id ? 1 : -1))
          expect(yield* list(from, to, limit)).toEqual(expected.slice(0, limit))
        }).pipe(Effect.provide(layer)),
      { fastCheck: { numRuns: 15 } },
    )

    test(
      "spec/annotations §1: has at most so many of one SLO, of which one can be replaced",
      Effect.gen(function* () {
        yield* putDefinitions("acme", [anSlo(key)])
        const putOf3 = (id: string) => put(anAnnotation(id, 1), key, "acme", 3)
        expect(yield* Effect.forEach(["a", "b", "c", "d", "b"], putOf3)).toEqual([
          "created",
          "created",
          "created",
          "too_many",
          "replaced",
        ])
      }),
    )
  })
}
