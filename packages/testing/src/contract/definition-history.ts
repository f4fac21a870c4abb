import { describe, expect, it } from "./EffectTest.ts"
import { type OrganizationQuotas, Quotas } from "@tocsin/domain"
import {
  changeDefinitions,
  type Definition,
  definitionKey,
  indexedReferences,
  type Revision,
  revisionsMax,
} from "@tocsin/domain/adapter"
import type { DefinitionKey } from "@tocsin/domain/kernel"
import {
  type DefinitionChange,
  DefinitionHistory,
  type DefinitionStore,
  type DeletedFilter,
  type DeletedPlace,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import * as TestClock from "effect/testing/TestClock"
import { aMethod } from "./deliveries.ts"
import { anSlo } from "./slo-definitions.ts"

const organization = "acme"

const aService = (name: string, description = "", project = "shop"): Definition => ({
  kind: "Service",
  metadata: { name, project },
  spec: { description },
})

const keyOf = (name: string, project = "shop"): DefinitionKey => ({ kind: "Service", project, name })

const change = (
  {
    put = [],
    remove = [],
    moves = [],
  }: { readonly put?: ReadonlyArray<Definition> } & Partial<Pick<DefinitionChange, "remove" | "moves">>,
  author?: string,
  scope = organization,
) =>
  changeDefinitions(
    scope,
    [
      ...put.map(definitionKey),
      ...remove,
      ...moves.map(({ name, from }) => ({ kind: "SLO", project: from, name }) as const),
    ],
    author,
    () =>
      Result.succeed({
        put: put.map((definition) => ({ definition, references: indexedReferences(definition) })),
        remove,
        moves,
      }),
  )

const revisions = (of: DefinitionKey, scope = organization) =>
  Effect.flatMap(DefinitionHistory, (history) =>
    Effect.map(history.list(scope, of, { limit: 500 }), ({ items }) => items),
  )

const outcomes = (of: DefinitionKey, scope = organization) =>
  Effect.map(revisions(of, scope), (items) => items.map(({ outcome }) => outcome))

const find = (of: DefinitionKey, { number }: Pick<Revision, "number">) =>
  Effect.flatMap(DefinitionHistory, (history) =>
    Effect.map(history.find(organization, of, number), Option.getOrUndefined),
  )

const deleted = (filter: DeletedFilter = {}, after?: DeletedPlace, limit = 500) =>
  Effect.flatMap(DefinitionHistory, (history) =>
    history.listDeleted(organization, filter, { limit, ...(after !== undefined && { after }) }),
  )

const deletedNames = (filter: DeletedFilter = {}) =>
  Effect.map(deleted(filter), ({ items }) => items.map(({ key }) => `${key.kind} ${key.project}/${key.name}`))

const unlimited: OrganizationQuotas = Quotas.defaultValue()

/** What every `DefinitionHistory` does; `layer` gives an empty one, with the definitions that it follows. */
export const definitionHistoryContract = <E>(
  name: string,
  layer: Layer.Layer<DefinitionHistory | DefinitionStore, E>,
): void => {
  const test = (
    what: string,
    effect: Effect.Effect<void, unknown, DefinitionHistory | DefinitionStore>,
  ): void => it.effect(what, () => Effect.provide(effect, layer))

  describe(`DefinitionHistory ${name}`, () => {
    test(
      "says who created definitions last, as far as it is known",
      Effect.gen(function* () {
        const { creators } = yield* DefinitionHistory
        yield* change({ put: [aService("first"), aService("again")] }, "ci")
        yield* change({ put: [aService("first", "changed"), aService("unsigned")] }, undefined)
        yield* change({ remove: [keyOf("again")] }, "ci")
        yield* change({ put: [aService("again")] }, "someone")
        yield* change({ put: [aService("first")] }, "stranger", "other")
        const keys = ["first", "again", "unsigned", "absent"].map((name) => keyOf(name))
        expect(Object.fromEntries(yield* creators(organization, keys))).toEqual({
          "Service/shop/first": "ci",
          "Service/shop/again": "someone",
        })
        expect((yield* creators(organization, [])).size).toBe(0)
      }),
    )

    test(
      "spec/definitions §13: keeps who changed a definition when and how, newest first, and what it was before and after",
      Effect.gen(function* () {
        yield* TestClock.setTime(1_000)
        yield* change({ put: [aService("web", "first"), aService("api")] }, "ci")
        yield* TestClock.setTime(2_000)
        yield* change({ put: [aService("web", "second")] })
        yield* change({ put: [aService("web", "second")] }, "ci")
        yield* change({ put: [aService("web", "elsewhere")] }, "ci", "globex")
        yield* TestClock.setTime(3_000)
        yield* change({ remove: [keyOf("web"), keyOf("none")] }, "ana")
        yield* change({ put: [aService("web", "third")] }, "ana")

        const [again, gone, updated, created] = yield* revisions(keyOf("web"))
        expect([again, gone, updated, created]).toMatchObject([
          { outcome: "created", at: 3_000, author: "ana", changesSecrets: false },
          { outcome: "deleted", at: 3_000, author: "ana", changesSecrets: false },
          { outcome: "updated", at: 2_000, changesSecrets: false },
          { outcome: "created", at: 1_000, author: "ci", changesSecrets: false },
        ])
        if (again === undefined || gone === undefined || updated === undefined || created === undefined)
          return yield* Effect.die(new Error("a revision is missing"))
        expect(updated).not.toHaveProperty("author")
        expect(again.number).toBeGreaterThan(gone.number)
        expect(gone.number).toBeGreaterThan(updated.number)
        expect(updated.number).toBeGreaterThan(created.number)
        const text = (description: string) => JSON.stringify(aService("web", description))
        expect(yield* find(keyOf("web"), created)).toEqual({ revision: created, text: text("first") })
        expect(yield* find(keyOf("web"), updated)).toEqual({
          revision: updated,
          text: text("second"),
          previous: text("first"),
        })
        expect(yield* find(keyOf("web"), gone)).toMatchObject({
          text: text("second"),
          previous: text("second"),
        })
        expect(yield* find(keyOf("web"), again)).toEqual({ revision: again, text: text("third") })

        expect(yield* outcomes(keyOf("api"))).toEqual(["created"])
        expect(yield* outcomes(keyOf("none"))).toEqual([])
        expect(yield* outcomes(keyOf("web"), "globex")).toEqual(["created"])
        expect(yield* find(keyOf("api"), updated)).toBeUndefined()
        expect(yield* find(keyOf("web\u0000"), updated)).toBeUndefined()
      }),
    )

    test(
      "spec/definitions §13: keeps that secrets changed, and none of them",
      Effect.gen(function* () {
        const key = { project: "shop", name: "hook" }
        const of: DefinitionKey = { kind: "AlertMethod", ...key }
        const method = (url: string, header: string, isSecret = true) =>
          aMethod(key, {
            url,
            headers: [{ name: "Authorization", value: Redacted.make(header), isSecret }],
          })
        yield* change({ put: [method("https://hooks.example.com/s3cr3t-1", "s3cr3t-2")] })
        yield* change({ put: [method("https://hooks.example.com/s3cr3t-3", "s3cr3t-2")] })
        yield* change({ put: [method("https://hooks.example.com/s3cr3t-3", "s3cr3t-4")] })
        yield* change({ put: [method("https://hooks.example.com/s3cr3t-3", "s3cr3t-4")] })
        yield* change({ put: [method("https://hooks.example.com/s3cr3t-3", "public", false)] })
        yield* change({ remove: [of] })
        const all = yield* revisions(of)
        expect(all.map(({ outcome, changesSecrets }) => [outcome, changesSecrets])).toEqual([
          ["deleted", false],
          ["updated", true],
          ["updated", true],
          ["updated", true],
          ["created", false],
        ])
        const found = yield* Effect.forEach(all, (revision) => find(of, revision))
        expect(JSON.stringify(found)).toContain("[hidden]")
        expect(JSON.stringify(found)).not.toContain("s3cr3t")
      }),
    )

    test(
      "spec/definitions §13: keeps the latest revisions of each definition",
      Effect.gen(function* () {
        yield* change({ put: [aService("other")] })
        for (let n = 0; n < revisionsMax + 3; n++) yield* change({ put: [aService("web", `${n}`)] })
        const kept = yield* revisions(keyOf("web"))
        expect(kept.length).toBe(revisionsMax)
        expect(yield* outcomes(keyOf("other"))).toEqual(["created"])
        const oldest = kept.at(-1)
        if (oldest === undefined) return
        const found = yield* find(keyOf("web"), oldest)
        expect(found).not.toHaveProperty("previous")
        expect(found?.text).toBe(JSON.stringify(aService("web", "3")))
      }),
    )

    test(
      "spec/definitions §13: lists what was deleted and not created again, latest first",
      Effect.gen(function* () {
        const project: Definition = { kind: "Project", metadata: { name: "web" }, spec: {} }
        yield* change({
          put: [aService("a"), aService("b"), aService("c"), aService("a", "", "shop-2"), project],
        })
        yield* change({ remove: [keyOf("c")] })
        yield* change(
          { remove: [keyOf("a"), keyOf("a", "shop-2"), keyOf("b"), definitionKey(project)] },
          "ci",
        )
        yield* change({ put: [aService("b")] })
        yield* change({ remove: [keyOf("x")] }, "ci", "globex")
        expect(yield* deletedNames()).toEqual([
          "Service shop-2/a",
          "Service shop/a",
          "Project /web",
          "Service shop/c",
        ])
        expect(yield* deletedNames({ kind: "Service", project: "shop" })).toEqual([
          "Service shop/a",
          "Service shop/c",
        ])
        expect(yield* deletedNames({ kind: "SLO" })).toEqual([])
        expect(yield* deletedNames({ project: "\u0000" })).toEqual([])

        const names: Array<string> = []
        let after: DeletedPlace | undefined
        for (let hasMore = true; hasMore;) {
          const page = yield* deleted({}, after, 1)
          expect(page.items.length).toBe(1)
          for (const { key, revision } of page.items) {
            names.push(`${key.kind} ${key.project}/${key.name}`)
            after = { ...key, number: revision.number }
          }
          hasMore = page.hasMore
        }
        expect(names).toEqual(yield* deletedNames())
      }),
    )

    test(
      "spec/definitions §13: the history of a moved SLO moves with it, and replaces that of a deleted one",
      Effect.gen(function* () {
        const key = (project: string): DefinitionKey => ({ kind: "SLO", project, name: "checkout" })
        const slo = (project: string, service = "web") => anSlo({ project, name: "checkout" }, { service })
        yield* change({ put: [slo("shop"), slo("pay")] })
        yield* change({ remove: [key("pay")] })
        yield* change(
          { put: [slo("pay", "cart")], moves: [{ name: "checkout", from: "shop", to: "pay" }] },
          "ci",
        )
        yield* change({ put: [slo("pay", "basket")] })
        expect(yield* revisions(key("shop"))).toEqual([])
        const moved = yield* revisions(key("pay"))
        expect(moved).toMatchObject([
          { outcome: "updated" },
          { outcome: "moved", movedFrom: "shop", author: "ci" },
          { outcome: "created" },
        ])
        const found = yield* find(key("pay"), moved[1] ?? { number: 0 })
        expect(JSON.parse(found?.text ?? "")).toMatchObject({ metadata: { project: "pay" } })
        expect(JSON.parse(found?.previous ?? "")).toMatchObject({ metadata: { project: "shop" } })
        expect(yield* deletedNames()).toEqual([])
      }),
    )

    test(
      "spec/definitions §13: every one of several changes at once has a revision",
      Effect.gen(function* () {
        yield* Effect.all(
          Array.from({ length: 20 }, (_, n) => change({ put: [aService("web", `${n}`)] })),
          { concurrency: "unbounded" },
        )
        const numbers = (yield* revisions(keyOf("web"))).map(({ number }) => number)
        expect(new Set(numbers).size).toBe(20)
        expect(numbers).toEqual(numbers.toSorted((a, b) => b - a))
      }),
    )

    it.effect.prop(
      "spec/definitions §13: keeps every change, in pages, until an organization has more bytes than its quota",
      [
        fc.uuid(),
        fc.array(
          fc.array(
            fc.tuple(fc.constantFrom("a", "b", "c"), fc.option(fc.constantFrom("x", "y".repeat(100)))),
            {
              minLength: 1,
              maxLength: 2,
            },
          ),
          { maxLength: 20 },
        ),
        fc.integer({ min: 1, max: 5 }),
      ],
      ([scope, steps, limit]) =>
        Effect.gen(function* () {
          const historyBytes = 3_000
          const model: Array<{
            readonly name: string
            readonly outcome: string
            readonly bytes: number
            readonly step: number
          }> = []
          const stored = new Map<string, string>()
          for (const [step, writes] of steps.entries()) {
            const after = new Map(writes)
            const put: Array<Definition> = []
            const remove: Array<DefinitionKey> = []
            for (const [name, description] of after) {
              const before = stored.get(name)
              const written = JSON.stringify(aService(name, description ?? before))
              const entry = { name, bytes: written.length + 200, step }
              if (description === null) {
                remove.push(keyOf(name))
                stored.delete(name)
                if (before !== undefined) model.push({ ...entry, outcome: "deleted" })
              } else {
                put.push(aService(name, description))
                stored.set(name, description)
                if (before !== description)
                  model.push({ ...entry, outcome: before === undefined ? "created" : "updated" })
              }
            }
            yield* Effect.provideService(change({ put, remove }, "ci", scope), Quotas, {
              ...unlimited,
              historyBytes,
            })
            while (model.reduce((sum, { bytes }) => sum + bytes, 0) > historyBytes) {
              const oldest = model[0]?.step
              while (model[0]?.step === oldest) model.shift()
            }
          }
          const { list } = yield* DefinitionHistory
          for (const name of ["a", "b", "c"]) {
            const read: Array<Revision> = []
            for (let hasMore = true; hasMore;) {
              const last = read.at(-1)
              const page = yield* list(scope, keyOf(name), {
                limit,
                ...(last !== undefined && { after: last.number }),
              })
              read.push(...page.items)
              hasMore = page.hasMore
            }
            const expected = model.filter((each) => each.name === name).map(({ outcome }) => outcome)
            expect(read.map(({ outcome }) => outcome)).toEqual(expected.toReversed())
          }
        }).pipe(Effect.provide(layer)),
    )
  })
}
