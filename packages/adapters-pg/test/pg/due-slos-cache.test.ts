import type { AlertPolicy } from "@tocsin/domain/alerting"
import type { DefinitionKey } from "@tocsin/domain/kernel"
import type { Definition } from "@tocsin/domain/adapter"
import { durationOf } from "@tocsin/domain/codec"
import { CountStore, DefinitionStore, type DueSlo } from "@tocsin/domain/ports"
import { anSlo, changeDefinitions, instantOf, putDefinitions } from "@tocsin/testing/fixtures"
import { expect, it } from "@tocsin/testing/vitest"
import * as CountStorePg from "../../src/slo/CountStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as SloStorePg from "../../src/slo/SloStorePg.ts"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Layer from "effect/Layer"
import { sentBy } from "../../../../test/pg/Statements.ts"
import { layer } from "./AdapterDatabase.ts"

const organization = "acme"
const key = { project: "shop", name: "checkout" }
const leaseMs = 10_000

const aPolicy = (coolDown: string): AlertPolicy => ({
  kind: "AlertPolicy",
  metadata: { project: "shop", name: "fast" },
  spec: {
    severity: "High",
    coolDown: durationOf(coolDown),
    conditions: [{ measurement: "burnedBudget", op: "gte", value: 1 }],
    alertMethods: [],
  },
})
const slo = anSlo(key, { alertPolicies: ["fast"] })

/** A process of its own: what it is asked for, and whether it read definitions for that. */
const aProcess = Effect.map(SloStorePg.make, (store) => ({
  claim: Effect.map(sentBy(store.dueForStatus(Number.MAX_SAFE_INTEGER, 1, leaseMs)), ({ value, sent }) => ({
    due: value[0],
    hasRead: sent.some(({ text }) => text.includes("definition_references")),
  })),
  write: (due: DueSlo | undefined) =>
    store.writeStatuses([
      { organization, slo: key, revision: due?.revision ?? "", statuses: new Map(), dueAt: 1 },
    ]),
}))

const test = (what: string, effect: Effect.Effect<void, unknown, Layer.Success<typeof stores>>) =>
  it.effect(what, () => Effect.provide(effect, stores))

const stores = Layer.mergeAll(CountStorePg.layer, DefinitionStorePg.layer).pipe(Layer.provideMerge(layer))

test(
  "what was read of an SLO is not read again while only its counts and its status change",
  Effect.gen(function* () {
    yield* putDefinitions(organization, [aPolicy("5m"), slo])
    const one = yield* aProcess
    const first = yield* one.claim
    expect(first.hasRead).toBe(true)
    expect(yield* one.write(first.due)).toEqual([true])
    for (let round = 0; round < 3; round++) {
      const counts = [{ objective: "good", at: 0, good: round, total: 9 }]
      yield* (yield* CountStore).record(organization, [{ slo: key, counts }])
      const { due, hasRead } = yield* one.claim
      expect(hasRead).toBe(false)
      expect(due).toEqual({ ...first.due, revision: due?.revision })
      expect(yield* one.write(due)).toEqual([true])
    }
  }),
)

test(
  "a cached SLO is read again once any of it has changed, whichever process wrote the status",
  Effect.gen(function* () {
    yield* putDefinitions(organization, [aPolicy("5m"), slo])
    const [one, other] = [yield* aProcess, yield* aProcess]
    const silence = {
      kind: "AlertSilence" as const,
      metadata: { project: "shop", name: "night" },
      spec: { slo: key.name, period: { endTime: instantOf("2026-01-30T12:00:00Z") } },
    }
    const changes = [
      putDefinitions(organization, [aPolicy("10m")]),
      putDefinitions(organization, [{ ...slo, spec: { ...slo.spec, description: "new" } }]),
      putDefinitions(organization, [silence]),
      changeDefinitions(organization, [], [{ kind: "AlertSilence", ...silence.metadata }]),
    ]
    for (const change of changes) {
      const before = yield* one.claim
      yield* change
      // What was read before is neither written nor known any more.
      expect(yield* one.write(before.due)).toEqual([false])
      const elsewhere = yield* other.claim
      expect(yield* other.write(elsewhere.due)).toEqual([true])
      const after = yield* one.claim
      expect(after.hasRead).toBe(true)
      expect(after.due).toEqual({ ...elsewhere.due, revision: after.due?.revision })
      expect(after.due).not.toEqual({ ...before.due, revision: after.due?.revision })
      expect(yield* one.write(after.due)).toEqual([true])
    }
  }),
)

test(
  "a definition that is looked up again is decoded again once it has changed, whichever process changed it",
  Effect.gen(function* () {
    yield* putDefinitions(organization, [aPolicy("5m"), slo])
    const another = Effect.map(Layer.build(Layer.fresh(DefinitionStorePg.layer)), (context) =>
      Context.get(context, DefinitionStore),
    )
    const [one, other] = [yield* another, yield* another]
    const find = Effect.map(one.find(organization, "SLO", key), Option.getOrUndefined)
    const first = yield* find
    expect(first?.definition).toEqual(slo)
    // The same object.
    expect(yield* find).toBe(first)
    const changed = { ...slo, spec: { ...slo.spec, description: "new" } }
    const changeElsewhere = (put: ReadonlyArray<Definition>, removed: ReadonlyArray<DefinitionKey>) =>
      Effect.provideService(changeDefinitions(organization, put, removed), DefinitionStore, other)
    yield* changeElsewhere([changed], [])
    const second = yield* find
    expect(second?.definition).toEqual(changed)
    expect(second?.createdAt).toBe(first?.createdAt)
    yield* changeElsewhere([], [{ kind: "SLO", ...key }])
    expect(yield* find).toBe(undefined)
    yield* changeElsewhere([slo], [])
    expect((yield* find)?.definition).toEqual(slo)
  }).pipe(Effect.scoped),
)
