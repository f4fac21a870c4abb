import { MemoryStores, RateLimiterMemory } from "@tocsin/adapters-memory"
import { backtestPolicy } from "@tocsin/domain/features/backtest"
import { CountStore } from "@tocsin/domain/ports"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { decodeOptions } from "../definition/valid-definitions.ts"
import { organization, sloKey } from "./Incident.ts"

const { policyOf } = (await import(
  new URL("../../apps/console/src/slo-wizard/SloDocument.ts", import.meta.url).href
)) as { readonly policyOf: (preset: string, methods: ReadonlyArray<string>, slo: object) => object }

const minuteMs = 60_000
const dayMinutes = 24 * 60

/** Days of the backtest; `DAYS=28` measures the month of the guide. */
const days = Number(process.env["DAYS"] ?? 7)
const seed = Number(process.env["SEED"] ?? 1)

/** Nothing arrives in the last 25 hours, from the morning of a Thursday on. */
const outageMinutes = 25 * 60
const outageAt = Date.UTC(2026, 1, 26, 10)
const to = outageAt + outageMinutes * minuteMs
const from = outageAt - days * dayMinutes * minuteMs
const historyFrom = from - 4 * 7 * dayMinutes * minuteMs

/** Numbers from 0 to below 1. */
const randomOf = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A number of independent events, by multiplying until the product is that likely. */
const poisson = (mean: number, random: () => number): number => {
  const limit = Math.exp(-mean)
  let count = 0
  for (let product = random(); product > limit; product *= random()) count++
  return count
}

/** Events a minute: from 0.2 of the mean at 3:00 to 1.8 at 15:00, half as many at weekends. */
const rateAt = (mean: number, at: number): number => {
  const hour = (at / (60 * minuteMs)) % 24
  const isWeekend = new Date(at).getUTCDay() % 6 === 0
  return mean * (1 - 0.8 * Math.cos(((hour - 3) / 12) * Math.PI)) * (isWeekend ? 0.5 : 1.2)
}

const countsOf = (objective: string, mean: number, random: () => number) =>
  Array.from({ length: (to - historyFrom) / minuteMs }, (_, index) => {
    const at = historyFrom + index * minuteMs
    const events = at < outageAt ? poisson(rateAt(mean, at), random) : 0
    return { objective, at, good: events, total: events }
  })

const apiVersion = "tocsin/v1alpha"

const preset = (slo: object) => policyOf("noTraffic", [], slo)

/** What compares with no past weeks. */
const oneEvent = {
  apiVersion,
  kind: "AlertPolicy",
  metadata: { name: "no-traffic", project: sloKey.project },
  spec: { severity: "High", conditions: [{ fewerThan: { events: 1, per: "15m" } }], alertMethods: [] },
}

/** Alerts before the outage, and the minutes from its start until one triggers. */
const backtest = (definition: object, objective: string) =>
  Effect.gen(function* () {
    // The limit of backtests is per window.
    yield* TestClock.adjust("100 seconds")
    const body = {
      definition,
      objective,
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
    }
    const { alerts } = yield* backtestPolicy(organization, { ...sloKey, body }, decodeOptions)
    const triggered = alerts.map(({ triggeredAt }) => (triggeredAt - outageAt) / minuteMs)
    return { falseAlarms: triggered.filter((at) => at < 0).length, after: triggered.find((at) => at >= 0) }
  })

/** Events a minute on average, the minutes after which an outage alerts at the latest, and the false alarms of `events: 1, per: 15m` a week. */
const services = [
  { mean: 0.05, latest: 24 * 60, ofOneEvent: { min: 150, max: 220 } },
  { mean: 1, latest: 60, ofOneEvent: { min: 10, max: 30 } },
  { mean: 10, latest: 15, ofOneEvent: { min: 0, max: 0 } },
]

describe("the preset for an outage without traffic", () => {
  it.effect(
    "spec/alerting §25: never alerts while there is traffic, however little, and alerts on an outage",
    () =>
      Effect.gen(function* () {
        const slo = anSlo(sloKey, {
          objectives: services.map((_, index) => ({ name: `service-${index}`, target: 0.99 })),
        })
        yield* TestClock.setTime(historyFrom)
        yield* putDefinitions(organization, [slo])
        yield* TestClock.setTime(to)
        const store = yield* CountStore
        for (const [index, { mean, latest, ofOneEvent }] of services.entries()) {
          const objective = `service-${index}`
          const what = `${mean} a minute`
          const counts = countsOf(objective, mean, randomOf(100 * seed + index))
          yield* store.record(organization, [{ slo: sloKey, counts }])
          const found = yield* backtest(preset({ ...slo, apiVersion }), objective)
          expect(found.falseAlarms, what).toBe(0)
          expect(found.after, what).toBeLessThanOrEqual(latest)
          // The simulated traffic does have long gaps.
          const { falseAlarms } = yield* backtest(oneEvent, objective)
          expect((falseAlarms * 7) / days, what).toBeGreaterThanOrEqual(ofOneEvent.min)
          expect((falseAlarms * 7) / days, what).toBeLessThanOrEqual(ofOneEvent.max)
        }
      }).pipe(Effect.provide([MemoryStores.layer, RateLimiterMemory.layer])),
    120_000,
  )
})
