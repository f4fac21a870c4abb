import { describe, expect, it } from "../EffectTest.ts"
import * as MemoryStores from "@tocsin/adapters-memory/MemoryStores"
import { policyFingerprint, sloFingerprint } from "@tocsin/domain/alerting/AlertFingerprint"
import type { Condition } from "@tocsin/domain/alert-policy/AlertPolicy"
import { fingerprint } from "@tocsin/domain/alerting/Fingerprint"
import { SloStore } from "@tocsin/domain/status/SloStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { putDefinitions } from "../contract/slo-definitions.ts"
import { alertsOf, anHour, aPolicy, badFrom, before, organization, pass, sloKey, watch } from "./Incident.ts"

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
})

const fast: Condition = { measurement: "averageBurnRate", op: "gte", value: 5, alertingWindow: "5m" }
const badMinutes = badFrom(10, 20)
const slo = anHour()

const evaluation = Effect.flatMap(SloStore, (store) =>
  Effect.map(store.findForStatus(organization, sloKey), (due) => Option.getOrThrow(due).evaluation),
)

describe("an evaluation", () => {
  it.effect("6.12: holds the fingerprint of the policy while its alert is open, and nothing afterwards", () =>
    Effect.gen(function* () {
      const policy = aPolicy([fast])
      yield* before(slo, policy)
      yield* watch
      yield* pass(slo, badMinutes, 0, 14)
      expect(yield* evaluation).toContain(policyFingerprint(policy))
      expect(yield* evaluation).not.toContain("averageBurnRate")
      yield* pass(slo, badMinutes, 14, 40)
      expect(yield* alertsOf()).toEqual([["resolved", 12, 27.5]])
      expect(yield* evaluation).toBeUndefined()
    }).pipe(Effect.provide(MemoryStores.layer)),
  )

  it.effect(
    "6.12: takes a policy with its durations in other units for the same, and any other for a new one",
    () =>
      Effect.gen(function* () {
        yield* before(slo, aPolicy([{ ...fast, alertingWindow: "300s" }], { coolDown: "0.1h" }))
        yield* watch
        yield* pass(slo, badMinutes, 0, 14)
        yield* putDefinitions(organization, [aPolicy([fast], { coolDown: "6m" })])
        yield* pass(slo, badMinutes, 14, 16)
        expect(yield* alertsOf()).toEqual([["triggered", 12]])
        yield* putDefinitions(organization, [aPolicy([fast], { coolDown: "7m" })])
        yield* pass(slo, badMinutes, 16, 17)
        expect((yield* alertsOf())[0]).toEqual(["policy_changed", 12, 16])
      }).pipe(Effect.provide(MemoryStores.layer)),
  )
})
