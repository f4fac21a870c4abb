import type { EventPart, OtlpIndicator, PushedPoint } from "@tocsin/domain/adapter"
import type { ProjectKey } from "@tocsin/domain/kernel"
import { CountStore, type DefinitionStore, PushedMetricStore, pushedSeriesMax } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { describe, expect, it } from "./EffectTest.ts"
import { anSlo, putDefinitions, removeSlos } from "./slo-definitions.ts"

type Stores = CountStore | DefinitionStore | PushedMetricStore

const organization = "acme"
const key = { project: "shop", name: "checkout" }
const start = Date.UTC(2026, 0, 30, 12)
const minute = 60_000
const day = 86_400_000

const indicatorOf = (metric = "requests"): OtlpIndicator => ({
  bad: { metric, attributes: { outcome: ["error"] } },
  total: { metric, attributes: {} },
})

const withMetric = (slo: ProjectKey, otlp = indicatorOf()) => anSlo(slo, { indicator: { otlp } })

const point = (part: EventPart, at: number, events: number, series = "s"): PushedPoint => ({
  parts: [{ part, events }],
  series,
  temporality: "delta",
  startAt: at - minute,
  at,
})

const record = (
  points: ReadonlyArray<PushedPoint>,
  now: number,
  slo: ProjectKey = key,
  indicator = indicatorOf(),
  scope = organization,
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(now)
    return yield* (yield* PushedMetricStore).record(scope, [{ slo, indicator, points }], now)
  })

const countsAt = (at: number, slo: ProjectKey = key, scope = organization) =>
  Effect.map(
    Effect.flatMap(CountStore, (store) =>
      store.sums([{ organization: scope, slo, ranges: [{ from: at, to: at + minute }] }]),
    ),
    ([read]) =>
      (read?.sums[0] ?? []).map(({ objective, good, total }) => [objective, good, total]).toSorted(),
  )

/** What every `PushedMetricStore` does; `layer` gives an empty one, with the definitions and counts that it shares. */
export const pushedMetricStoreContract = <E>(name: string, layer: Layer.Layer<Stores, E>): void => {
  const test = (what: string, effect: Effect.Effect<void, unknown, Stores>): void =>
    it.effect(what, () => Effect.provide(effect, layer))

  describe(`PushedMetricStore ${name}`, () => {
    test(
      "spec/otlp §1: finds the SLOs of an organization by the metrics of their indicators",
      Effect.gen(function* () {
        const store = yield* PushedMetricStore
        const other = { project: "shop", name: "search" }
        yield* putDefinitions(organization, [withMetric(key), withMetric(other, indicatorOf("searches"))])
        yield* putDefinitions("other", [withMetric(key)])
        const find = (...metrics: ReadonlyArray<string>) => store.indicators(organization, new Set(metrics))
        expect(yield* find("requests", "anything\u0000")).toEqual([{ slo: key, indicator: indicatorOf() }])
        expect((yield* find("requests", "searches")).map(({ slo }) => slo.name)).toEqual([
          "checkout",
          "search",
        ])
        expect(yield* find("none")).toEqual([])
        yield* putDefinitions(organization, [withMetric(key, indicatorOf("searches")), anSlo(other)])
        expect(yield* find("requests")).toEqual([])
        expect(yield* find("searches")).toEqual([{ slo: key, indicator: indicatorOf("searches") }])
        yield* removeSlos(organization, [key])
        expect(yield* find("searches")).toEqual([])
        expect(yield* store.indicators("other", new Set(["requests"]))).toHaveLength(1)
      }),
    )

    test(
      "spec/otlp §2: adds points to the minutes of every objective, each of them once",
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        yield* putDefinitions(organization, [withMetric(key)])
        yield* putDefinitions("other", [withMetric(key)])
        const at = start + minute
        const first = [point("total", at, 100), point("bad", at, 1)]
        expect(yield* record(first, at)).toBe(0)
        expect(yield* countsAt(start)).toEqual([
          ["good", 99, 100],
          ["great", 99, 100],
        ])
        // The same again, and what another instance sends.
        yield* record([...first, point("total", at, 50, "t")], at)
        expect((yield* countsAt(start))[0]).toEqual(["good", 149, 150])
        // Half of this is of the next minute.
        yield* record([point("total", at + minute / 2, 10)], at + minute)
        expect((yield* countsAt(start))[0]).toEqual(["good", 154, 155])
        expect((yield* countsAt(at))[0]).toEqual(["good", 5, 5])
        expect(yield* countsAt(start, key, "other")).toEqual([])
        const state = yield* (yield* PushedMetricStore).find(organization, key)
        expect(state).toEqual(Option.some({ receivedAt: at + minute }))
        expect(yield* (yield* PushedMetricStore).find("other", key)).toEqual(Option.some({}))
      }),
    )

    test(
      "spec/otlp §4: begins anew with a changed indicator, and goes on with new objectives",
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        yield* putDefinitions(organization, [withMetric(key)])
        const cumulative = (at: number, events: number, startAt = start - day): PushedPoint => ({
          ...point("total", at, events),
          temporality: "cumulative",
          startAt,
        })
        yield* record([cumulative(start, 1_000)], start)
        yield* record([cumulative(start + minute, 1_060)], start + minute)
        expect((yield* countsAt(start))[0]).toEqual(["good", 60, 60])

        const slo = withMetric(key)
        const objectives = [...slo.spec.objectives, { name: "more", target: 0.5 }]
        yield* putDefinitions(organization, [{ ...slo, spec: { ...slo.spec, objectives } }])
        yield* record([cumulative(start + 2 * minute, 1_090)], start + 2 * minute)
        expect(yield* countsAt(start + minute)).toEqual([
          ["good", 30, 30],
          ["great", 30, 30],
          ["more", 30, 30],
        ])

        const changed: OtlpIndicator = {
          ...indicatorOf(),
          total: { metric: "requests", attributes: { a: ["b"] } },
        }
        yield* putDefinitions(organization, [withMetric(key, changed)])
        // Of a request that was matched before the change.
        yield* record([cumulative(start + 3 * minute, 2_000)], start + 3 * minute)
        yield* record([cumulative(start + 4 * minute, 2_000)], start + 4 * minute, key, changed)
        expect(yield* countsAt(start + 2 * minute)).toEqual([])
        yield* record([cumulative(start + 5 * minute, 2_007)], start + 5 * minute, key, changed)
        expect((yield* countsAt(start + 4 * minute))[0]).toEqual(["good", 7, 7])
      }),
    )

    test(
      "spec/otlp §3: counts a bounded number of series, and forgets those that are no longer sent",
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        yield* putDefinitions(organization, [withMetric(key)])
        const points = Array.from({ length: pushedSeriesMax + 3 }, (_, n) =>
          point("total", start, 1, `s${n}`),
        )
        expect(yield* record(points, start)).toBe(3)
        expect((yield* countsAt(start - minute))[0]).toEqual(["good", pushedSeriesMax, pushedSeriesMax])
        const later = start + 25 * 3_600_000 + minute
        expect(yield* record([point("total", later, 1, "new")], later)).toBe(0)
      }),
    )

    test(
      "spec/otlp §2: an SLO that was deleted meanwhile is left out, and the others are counted",
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const other = { project: "shop", name: "search" }
        yield* putDefinitions(organization, [withMetric(key), withMetric(other)])
        yield* removeSlos(organization, [key])
        const store = yield* PushedMetricStore
        const pushed = [key, other].map((slo) => ({
          slo,
          indicator: indicatorOf(),
          points: [point("total", start, 5)],
        }))
        expect(yield* store.record(organization, pushed, start)).toBe(0)
        expect((yield* countsAt(start - minute, other))[0]).toEqual(["good", 5, 5])
      }),
    )
  })
}
