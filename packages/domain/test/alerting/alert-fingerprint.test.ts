import { durationOf } from "@tocsin/domain/codec"
import { putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { MemoryStores } from "@tocsin/adapters-memory"
import { fnv1a64, policyFingerprint, sloFingerprint } from "../../src/alerting/AlertFingerprint.ts"
import type { Condition } from "../../src/alert-policy/AlertPolicy.ts"
import * as Effect from "effect/Effect"
import {
  alertsOf,
  anHour,
  aPolicy,
  badFrom,
  before,
  organization,
  pass,
  sentBy,
  sentFor,
  sloKey,
  watch,
} from "../../../../test/alerting/Incident.ts"

describe("a fingerprint", () => {
  it("is that of the known vectors of FNV-1a", () => {
    const vectors = {
      "": "cbf29ce484222325",
      a: "af63dc4c8601ec8c",
      b: "af63df4c8601f1a5",
      foobar: "85944171f73967e8",
      "chongo was here!\n": "46810940eff5f915",
    }
    for (const [text, known] of Object.entries(vectors)) expect(fnv1a64(text), text).toBe(known)
  })

  it("differs for texts that differ", () => {
    const texts = Array.from({ length: 20_000 }, (_, index) => `[["High","5m",${index}],"é${index % 7}"]`)
    expect(new Set(texts.map(fnv1a64)).size).toBe(texts.length)
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
            maxDelay: durationOf(maxDelay),
            components: [{ slo: sloKey, objective: "good", weight, whenDelayed: "Ignore" }],
          },
        },
      ],
    })

  it("spec/alerting §3: is the same for durations in other units, and for others that are as long only", () => {
    expect(sloFingerprint(composite("2700s"), "all")).toBe(sloFingerprint(composite("45m"), "all"))
    expect(sloFingerprint(composite("46m"), "all")).not.toBe(sloFingerprint(composite("45m"), "all"))
    expect(sloFingerprint(composite("45m", 2), "all")).not.toBe(sloFingerprint(composite("45m"), "all"))
  })

  it("spec/alerting §3: is the same for a policy's durations in other units", () => {
    expect(policyFingerprint(otherUnits)).toBe(policyFingerprint(usual))
    expect(policyFingerprint(aPolicy([fast], { coolDown: durationOf("7m") }))).not.toBe(
      policyFingerprint(usual),
    )
  })

  it.effect(
    "spec/alerting §3: keeps an alert open when its policy is applied with durations in other units",
    () =>
      Effect.gen(function* () {
        yield* before(anHour(), otherUnits)
        yield* watch
        yield* pass(anHour(), badMinutes, 0, 40, { 16: putDefinitions(organization, [usual]) })
        expect(yield* alertsOf()).toEqual([["resolved", 12, 28.5]])
        expect(yield* sentBy()).toEqual(sentFor(12, 28.5))
      }).pipe(Effect.provide(MemoryStores.layer)),
  )

  it.effect("spec/alerting §3: cancels the alert when its policy is another meanwhile", () =>
    Effect.gen(function* () {
      yield* before(anHour(), usual)
      yield* watch
      const changed = aPolicy([fast], { severity: "Low" })
      yield* pass(anHour(), badMinutes, 0, 40, { 14: putDefinitions(organization, [changed]) })
      expect((yield* alertsOf())[0]).toEqual(["policy_changed", 12, 14.5])
    }).pipe(Effect.provide(MemoryStores.layer)),
  )
})

const fast: Condition = {
  measurement: "averageBurnRate",
  op: "gte",
  value: 5,
  alertingWindow: durationOf("5m"),
}
const usual = aPolicy([fast], { coolDown: durationOf("6m") })
const otherUnits = aPolicy([{ ...fast, alertingWindow: durationOf("300s") }], {
  coolDown: durationOf("0.1h"),
})
const badMinutes = badFrom(10, 20)
