import { describe, expect, it } from "@tocsin/testing/vitest"
import {
  applyDefinitions,
  deleteDefinitions,
  type DefinitionsHaveChanged,
  type ExpectedRevision,
  listRevisions,
  listTimedDefinitions,
  type Participants,
  participantsLayer,
} from "@tocsin/domain"
import { type CountStore, type DefinitionHistory, DefinitionStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { aProject, aService, changed, decodeOptions, type Plain } from "../definition/valid-definitions.ts"

const organization = "acme"

const apply = (
  inputs: ReadonlyArray<Plain>,
  options: { readonly expected?: ExpectedRevision; readonly dryRun?: boolean } = {},
) =>
  Effect.map(applyDefinitions(organization, inputs, { ...decodeOptions, ...options }), (applied) =>
    applied.map(({ outcome }) => outcome),
  )

/** What a request conflicts with: the path, and the stored revision. */
const conflictsOf = <A, R>(request: Effect.Effect<A, { readonly _tag: string }, R>) =>
  Effect.map(Effect.flip(request), (failure) => {
    expect(failure._tag).toBe("DefinitionsHaveChanged")
    return (failure as DefinitionsHaveChanged).conflicts.map(({ path, current }) => [path, current?.version])
  })

const described = (description: string, revision?: string): Plain => ({
  ...changed(aService(), "spec.description", description),
  ...(revision !== undefined && { revision }),
})

const stored = Effect.map(listTimedDefinitions(organization, { kind: "Service" }), ({ items }) =>
  items.map(({ definition, revision }) => ({ description: definition.spec.description, revision })),
)

const revisionOf = Effect.map(stored, ([service]) => service?.revision ?? "")

/** What holds of expected revisions whatever store keeps the definitions; `layer` gives an empty one. */
export const expectedRevisionsContract = <E>(
  name: string,
  layer: Layer.Layer<CountStore | DefinitionHistory | DefinitionStore, E>,
): void => {
  const test = (
    what: string,
    effect: Effect.Effect<void, unknown, CountStore | DefinitionHistory | DefinitionStore | Participants>,
  ): void => it.effect(what, () => Effect.provide(effect, Layer.merge(layer, participantsLayer([]))))

  describe(`expected revisions ${name}`, () => {
    test(
      "spec/definitions §15: a revision is the ID of the last change, which nothing but a change of the definition changes",
      Effect.gen(function* () {
        yield* apply([aProject(), described("first")])
        const first = yield* revisionOf
        expect(first).toMatch(/^\d+$/)
        yield* apply([described("first")])
        yield* apply([aService("other")])
        expect((yield* stored).map(({ revision }) => Number(revision) - Number(first))).toEqual([2, 0])
        yield* apply([described("second")])
        const key = { kind: "Service", project: "shop", name: "web" } as const
        const { items } = yield* listRevisions(organization, key, {})
        const services = yield* stored
        expect(services[1]?.revision).toBe(`${items[0]?.number}`)
        expect(Number(services[1]?.revision) - Number(first)).toBe(3)
      }),
    )

    test(
      "spec/definitions §15: nothing is applied unless each document has the stored revision, also in a dry run",
      Effect.gen(function* () {
        yield* apply([aProject(), described("first")])
        const first = yield* revisionOf
        expect(yield* apply([described("second", first)])).toEqual(["updated"])
        const before = yield* stored
        for (const dryRun of [true, false]) {
          const request = apply(
            [aProject("pay"), described("third", first), { ...aProject(), revision: "999" }],
            {
              dryRun,
            },
          )
          expect((yield* conflictsOf(request)).map(([path]) => path)).toEqual(["[1]", "[2]"])
        }
        expect(yield* stored).toEqual(before)
        const current = yield* revisionOf
        expect(yield* conflictsOf(apply([described("third", first)]))).toEqual([["", current]])
        expect(yield* conflictsOf(apply([described("third", "0")]))).toEqual([["", current]])
        expect(yield* conflictsOf(apply([{ ...aService("new"), revision: first }]))).toEqual([
          ["", undefined],
        ])
        expect(yield* apply([{ ...aService("new"), revision: "0" }])).toEqual(["created"])
        expect(yield* apply([{ ...aProject("default"), revision: "0" }])).toEqual(["created"])
        expect(yield* apply([described("third")])).toEqual(["updated"])
      }),
    )

    test(
      "spec/definitions §15: a request can expect one of several revisions, any, or none",
      Effect.gen(function* () {
        yield* apply([aProject(), described("first")])
        const first = yield* revisionOf
        expect(yield* apply([described("second")], { expected: ["999", first] })).toEqual(["updated"])
        const second = yield* revisionOf
        expect(yield* conflictsOf(apply([described("third")], { expected: [first] }))).toEqual([["", second]])
        expect(yield* conflictsOf(apply([described("third")], { expected: "none" }))).toEqual([["", second]])
        expect(yield* conflictsOf(apply([aService("new")], { expected: "any" }))).toEqual([["", undefined]])
        expect(yield* apply([aService("new")], { expected: "none" })).toEqual(["created"])
        expect(yield* apply([described("third")], { expected: "any" })).toEqual(["updated"])
        // It always exists.
        expect((yield* conflictsOf(apply([aProject("default")], { expected: "none" })))[0]).toEqual([
          "",
          undefined,
        ])
        expect(yield* apply([aProject("default")], { expected: "any" })).toEqual(["created"])
        for (const inputs of [[], [described("a"), aService("b")]]) {
          const failure = yield* Effect.flip(apply(inputs, { expected: "any" }))
          expect(failure._tag).toBe("DefinitionsAreInvalid")
        }
      }),
    )

    test(
      "spec/definitions §15: of concurrent requests with the same revision, exactly one is applied",
      Effect.gen(function* () {
        yield* apply([aProject(), described("first")])
        const first = yield* revisionOf
        const results = yield* Effect.all(
          Array.from({ length: 10 }, (_, at) => Effect.result(apply([described(`by ${at}`, first)]))),
          { concurrency: "unbounded" },
        )
        const winner = results.findIndex(Result.isSuccess)
        expect(results.filter(Result.isSuccess)).toHaveLength(1)
        for (const result of results)
          if (Result.isFailure(result)) expect(result.failure._tag).toBe("DefinitionsHaveChanged")
        expect((yield* stored)[0]?.description).toBe(`by ${winner}`)
      }),
    )

    test(
      "spec/definitions §15: what the service writes itself is no change",
      Effect.gen(function* () {
        yield* apply([aProject(), described("first")])
        const first = yield* revisionOf
        const store = yield* DefinitionStore
        const key = { kind: "Service", project: "shop", name: "web" } as const
        const rewrite = store.change(organization, [key], ({ find }) => {
          const { definition, updatedAt } = find(key) ?? {}
          return Result.succeed({
            put: definition === undefined ? [] : [{ definition, references: [], updatedAt: updatedAt ?? 0 }],
            remove: [],
          })
        })
        yield* rewrite
        yield* rewrite
        const rewritten = yield* revisionOf
        expect(rewritten).not.toBe(first)
        expect(yield* apply([described("second", first)])).toEqual(["updated"])
        expect(yield* conflictsOf(apply([described("third", rewritten)]))).toEqual([["", yield* revisionOf]])
      }),
    )

    test(
      "spec/definitions §15: a definition that was deleted and created again has another revision",
      Effect.gen(function* () {
        yield* apply([aProject(), described("first")])
        const first = yield* revisionOf
        yield* deleteDefinitions(organization, [aService()], decodeOptions)
        expect(yield* conflictsOf(apply([described("first", first)]))).toEqual([["", undefined]])
        yield* apply([described("first")])
        expect(yield* revisionOf).not.toBe(first)
      }),
    )

    test(
      "spec/definitions §15: a revision is digits",
      Effect.gen(function* () {
        for (const [revision, code] of [
          [7, "wrong_type"],
          ["", undefined],
          ["7a", "invalid_format"],
          ["1".repeat(17), "too_long"],
        ] as const) {
          const result = yield* Effect.result(apply([aProject(), { ...aService(), revision } as Plain]))
          const codes = Result.isSuccess(result)
            ? [undefined]
            : "issues" in result.failure
              ? result.failure.issues.map((issue) => issue.path === "[1].revision" && issue.code)
              : [result.failure._tag]
          expect(codes).toEqual([code])
        }
      }),
    )
  })
}
