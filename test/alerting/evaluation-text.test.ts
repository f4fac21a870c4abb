import { describe, expect, it } from "@effect/vitest"
import * as MemoryStores from "@tocsin/adapters-memory/MemoryStores"
import { AlertStore } from "@tocsin/domain/alerting/AlertStore"
import type { Condition } from "@tocsin/domain/alerting/AlertPolicy"
import { fingerprint } from "@tocsin/domain/alerting/Fingerprint"
import { SloStore } from "@tocsin/domain/slo/SloStore"
import { Effect, Option } from "effect"
import { putDefinitions } from "../contract/slo-definitions.ts"
import {
  alertsOf,
  anHour,
  aPolicy,
  badFrom,
  before,
  organization,
  pass,
  rungBy,
  rungFor,
  at,
  sloKey,
  watch,
} from "./Incident.ts"

describe("a fingerprint", () => {
  it("is that of the known vectors of FNV-1a", () => {
    const vectors = {
      "": "cbf29ce484222325",
      a: "af63dc4c8601ec8c",
      b: "af63df4c8601f1a5",
      foobar: "85944171f73967e8",
      "chongo was here!\n": "46810940eff5f915",
    }
    for (const [text, known] of Object.entries(vectors)) expect(fingerprint(text), text).toBe(known)
  })

  it("differs for texts that differ", () => {
    const texts = Array.from({ length: 20_000 }, (_, index) => `[["High","5m",${index}],"é${index % 7}"]`)
    expect(new Set(texts.map(fingerprint)).size).toBe(texts.length)
  })
})

const fast: Condition = { measurement: "averageBurnRate", op: "gte", value: 5, alertingWindow: "5m" }
const lasting: Condition = { measurement: "averageBurnRate", op: "gte", value: 0.5, lastsFor: "5m" }
const badMinutes = badFrom(10, 20)
const slo = anHour()

/** As it was written while a basis held the JSON itself. */
const olderBasis = (condition: string) => ({
  policy: `["High","5m",[${condition}]]`,
  slo: '["Occurrences",{"unit":"Minute","count":60},[[0.9,null]]]',
  windowStart: 0,
})
const olderFast = '{"measurement":"averageBurnRate","op":"gte","value":5,"alertingWindow":"5m"}'
const olderLasting = '{"measurement":"averageBurnRate","op":"gte","value":0.5,"lastsFor":"5m"}'

const evaluation = Effect.flatMap(SloStore, (store) =>
  Effect.map(store.findForStatus(organization, sloKey), (due) => Option.getOrThrow(due).evaluation),
)

/** Puts a life into the place of the one that is known. */
const replaceLife = (life: unknown) =>
  Effect.gen(function* () {
    const store = yield* SloStore
    const due = Option.getOrThrow(yield* store.findForStatus(organization, sloKey))
    const { tailJson } = Option.getOrThrow(yield* store.find(organization, sloKey))
    const text = JSON.stringify({ "fast-burn good": life })
    const status = { organization, slo: sloKey, revision: due.revision, tailJson, evaluation: text, dueAt: 0 }
    expect(yield* store.writeStatuses([status])).toEqual([true])
  })

describe("an evaluation that an older version wrote", () => {
  const openIsOlder = Effect.gen(function* () {
    yield* before(slo, aPolicy([fast]))
    yield* watch
    yield* pass(slo, badMinutes, 0, 14)
    expect(yield* evaluation).not.toContain("averageBurnRate")
    const [open] = (yield* (yield* AlertStore).list(organization, {}, { limit: 2 })).items
    yield* replaceLife({ basis: olderBasis(olderFast), open: { alertId: open?.id, isHeldBack: false } })
  })

  it.scoped("6.12: keeps its open alert, which resolves once, and is written anew", () =>
    Effect.gen(function* () {
      yield* openIsOlder
      yield* pass(slo, badMinutes, 14, 16)
      expect(yield* evaluation).not.toContain("averageBurnRate")
      yield* pass(slo, badMinutes, 16, 40)
      expect(yield* alertsOf()).toEqual([["resolved", 12, 27.5]])
      expect(yield* rungBy()).toEqual(rungFor(12, 27.5))
      expect(yield* evaluation).toBeUndefined()
    }).pipe(Effect.provide(MemoryStores.layer)),
  )

  it.scoped("6.12: is noticed to be of another policy when that has changed meanwhile", () =>
    Effect.gen(function* () {
      yield* openIsOlder
      yield* putDefinitions(organization, [aPolicy([fast], { severity: "Low" })])
      yield* pass(slo, badMinutes, 14, 40)
      expect(yield* alertsOf()).toEqual([
        ["policy_changed", 12, 14],
        ["resolved", 14, 27.5],
      ])
    }).pipe(Effect.provide(MemoryStores.layer)),
  )

  it.scoped("6.12: keeps since when a condition is met", () =>
    Effect.gen(function* () {
      yield* before(slo, aPolicy([lasting]))
      yield* watch
      yield* pass(slo, badMinutes, 0, 14)
      yield* replaceLife({ basis: olderBasis(olderLasting), metSince: [at(11)] })
      yield* pass(slo, badMinutes, 14, 17)
      expect(yield* alertsOf()).toEqual([["triggered", 16]])
    }).pipe(Effect.provide(MemoryStores.layer)),
  )
})
