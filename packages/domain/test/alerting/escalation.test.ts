import { HashNode } from "@tocsin/adapters-http/crypto"
import { MemoryStores } from "@tocsin/adapters-memory"
import {
  dueEscalation,
  escalatesAt,
  type EscalationRules,
  startEscalation,
} from "../../src/alerting/Escalation.ts"
import { projectKeyText } from "@tocsin/domain/kernel"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { escalationContract } from "../../../../test/contract/escalation.ts"

escalationContract("memory", Layer.mergeAll(MemoryStores.layer, HashNode.layer))

const minutes = fc.integer({ min: 1, max: 120 })

const methods = fc
  .uniqueArray(fc.constantFrom("a", "b", "c", "d"), { minLength: 1 })
  .map((names) => names.map((name) => ({ project: "shop", name })))

const duration = (ms: number) => ({ text: `${ms}ms`, ms })

const rules: fc.Arbitrary<EscalationRules> = fc.record({
  alertMethods: methods,
  renotify: fc.record({ every: minutes.map(duration), atMost: fc.integer({ min: 1, max: 10 }) }),
  then: fc.uniqueArray(fc.record({ after: minutes.map(duration), alertMethods: methods }), {
    maxLength: 5,
    selector: ({ after }) => after.ms,
  }),
})

it("spec/alerting §16: each step is taken once, repetitions are at least the interval apart, at most as many as allowed", () => {
  fc.assert(
    fc.property(rules, fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 60 }), (rules, waits) => {
      let state = startEscalation(0)
      let now = 0
      let repeatedAt = 0
      const taken: Array<number> = []
      for (const wait of waits) {
        now += wait
        const dueAt = escalatesAt(rules, state, now)
        if (dueAt === undefined || dueAt > now) continue
        const { recipients, after } = dueEscalation(rules, state, now)
        expect(new Set(recipients.map(projectKeyText)).size).toBe(recipients.length)
        expect(recipients.length).toBeGreaterThan(0)
        const steps = (rules.then ?? []).filter(
          ({ after: { ms } }) => ms > state.steppedMs && ms <= after.steppedMs,
        )
        taken.push(...steps.map(({ after: { ms } }) => ms))
        for (const { alertMethods } of steps)
          expect(recipients).toEqual(expect.arrayContaining([...alertMethods]))
        if (after.repeats > state.repeats) {
          expect(now - repeatedAt).toBeGreaterThanOrEqual(rules.renotify?.every.ms ?? 0)
          expect(recipients).toEqual(expect.arrayContaining([...rules.alertMethods]))
          repeatedAt = now
        }
        // Nothing is due twice at one time.
        expect(escalatesAt(rules, after, now) ?? Infinity).toBeGreaterThan(now)
        state = after
      }
      expect(state.repeats).toBeLessThanOrEqual(rules.renotify?.atMost ?? 0)
      const passed = (rules.then ?? []).map(({ after: { ms } }) => ms).filter((ms) => ms <= now)
      expect(taken.toSorted((a, b) => a - b)).toEqual(passed.toSorted((a, b) => a - b))
    }),
  )
})

it("spec/alerting §16: after the clock was set back, times count from then on", () => {
  const rules = {
    alertMethods: [],
    renotify: { every: duration(10), atMost: 2 },
    then: [{ after: duration(5), alertMethods: [{ project: "shop", name: "a" }] }],
  }
  expect(escalatesAt(rules, startEscalation(1_000), 100)).toBe(105)
  expect(dueEscalation(rules, startEscalation(1_000), 100)).toMatchObject({
    recipients: [],
    after: { since: 100, sentAt: 100, repeats: 0, steppedMs: 0 },
  })
})
