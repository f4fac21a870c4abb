import { describe, expect, it } from "../EffectTest.ts"
import * as MemoryStores from "@tocsin/adapters-memory/MemoryStores"
import { AlertStore } from "@tocsin/domain/alerting/AlertStore"
import { policyFingerprint, sloFingerprint } from "@tocsin/domain/alerting/AlertFingerprint"
import type { Condition } from "@tocsin/domain/alert-policy/AlertPolicy"
import { fingerprint } from "@tocsin/domain/alerting/Fingerprint"
import { SloStore } from "@tocsin/domain/status/SloStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
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

describe("what an alert is judged by", () => {
  const composite = (maxDelay: string, weight = 1) =>
    anHour({
      objectives: [
        {
          name: "all",
          target: 0.9,
          composite: {
            maxDelay,
            components: [{ slo: sloKey, objective: "good", weight, whenDelayed: "Ignore" }],
          },
        },
      ],
    })

  it("6.12: is the same for durations in other units, and for others that are as long only", () => {
    expect(sloFingerprint(composite("2700s"), "all")).toBe(sloFingerprint(composite("45m"), "all"))
    expect(sloFingerprint(composite("46m"), "all")).not.toBe(sloFingerprint(composite("45m"), "all"))
    expect(sloFingerprint(composite("45m", 2), "all")).not.toBe(sloFingerprint(composite("45m"), "all"))
  })

  it("6.12: is as it was before for durations as most people write them", () => {
    expect(policyFingerprint(aPolicy([fast]))).toBe(fingerprint(olderBasis(olderFast).policy))
    expect(policyFingerprint(aPolicy([lasting]))).toBe(fingerprint(olderBasis(olderLasting).policy))
    expect(sloFingerprint(slo, "good")).toBe(fingerprint(olderBasis(olderFast).slo))
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
const replaceLifecycle = (life: unknown) =>
  Effect.gen(function* () {
    const store = yield* SloStore
    const due = Option.getOrThrow(yield* store.findForStatus(organization, sloKey))
    const { tailJson } = Option.getOrThrow(yield* store.find(organization, sloKey))
    const text = JSON.stringify({ "fast-burn good": life })
    const status = { organization, slo: sloKey, revision: due.revision, tailJson, evaluation: text, dueAt: 0 }
    expect(yield* store.writeStatuses([status])).toEqual([true])
  })

/** As it was written while a basis was the fingerprint of durations as they are written. */
const fingerprintBasis = (json: { readonly policy: string; readonly slo: string }) => ({
  policy: fingerprint(json.policy),
  slo: fingerprint(json.slo),
  windowStart: 0,
})

describe("an evaluation that an older version wrote", () => {
  const openIsOlder = Effect.gen(function* () {
    yield* before(slo, aPolicy([fast]))
    yield* watch
    yield* pass(slo, badMinutes, 0, 14)
    expect(yield* evaluation).not.toContain("averageBurnRate")
    const [open] = (yield* (yield* AlertStore).list(organization, {}, { limit: 2 })).items
    yield* replaceLifecycle({ basis: olderBasis(olderFast), open: { alertId: open?.id, isSilenced: false } })
  })

  it.effect("6.12: keeps its open alert, which resolves once, and is written anew", () =>
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

  const unusual = aPolicy([{ ...fast, alertingWindow: "300s" }], { coolDown: "0.1h" })
  const unusualBasis = fingerprintBasis({
    policy:
      '["High","0.1h",[{"measurement":"averageBurnRate","op":"gte","value":5,"alertingWindow":"300s"}]]',
    slo: olderBasis("").slo,
  })
  const openIsOfWords = Effect.gen(function* () {
    yield* before(slo, unusual)
    yield* watch
    yield* pass(slo, badMinutes, 0, 14)
    const [open] = (yield* (yield* AlertStore).list(organization, {}, { limit: 2 })).items
    expect(yield* evaluation).not.toContain(unusualBasis.policy)
    yield* replaceLifecycle({ basis: unusualBasis, open: { alertId: open?.id, isSilenced: false } })
  })

  it.effect("6.12: keeps its open alert though the fingerprint was of durations as they are written", () =>
    Effect.gen(function* () {
      yield* openIsOfWords
      yield* pass(slo, badMinutes, 14, 16)
      expect(yield* evaluation).not.toContain(unusualBasis.policy)
      const usual = aPolicy([fast], { coolDown: "6m" })
      yield* pass(slo, badMinutes, 16, 40, { 16: putDefinitions(organization, [usual]) })
      expect(yield* alertsOf()).toEqual([["resolved", 12, 28.5]])
      expect(yield* rungBy()).toEqual(rungFor(12, 28.5))
    }).pipe(Effect.provide(MemoryStores.layer)),
  )

  it.effect("6.12: is noticed to be of another policy when its durations have changed meanwhile", () =>
    Effect.gen(function* () {
      yield* openIsOfWords
      yield* putDefinitions(organization, [aPolicy([fast], { coolDown: "7m" })])
      yield* pass(slo, badMinutes, 14, 17)
      expect((yield* alertsOf())[0]).toEqual(["policy_changed", 12, 14])
    }).pipe(Effect.provide(MemoryStores.layer)),
  )

  it.effect("6.12: is noticed to be of another policy when that has changed meanwhile", () =>
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

  it.effect("6.12: keeps since when a condition is met", () =>
    Effect.gen(function* () {
      yield* before(slo, aPolicy([lasting]))
      yield* watch
      yield* pass(slo, badMinutes, 0, 14)
      yield* replaceLifecycle({ basis: olderBasis(olderLasting), metSince: [at(11)] })
      yield* pass(slo, badMinutes, 14, 17)
      expect(yield* alertsOf()).toEqual([["triggered", 16]])
    }).pipe(Effect.provide(MemoryStores.layer)),
  )
})
