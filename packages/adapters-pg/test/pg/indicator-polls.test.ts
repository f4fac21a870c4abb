import { anSlo, putDefinitions, sourceUrlOf } from "@tocsin/testing/fixtures"
import { expect, it } from "@tocsin/testing/vitest"
import * as AlertStorePg from "../../src/alerting/AlertStorePg.ts"
import * as AnnotationStorePg from "../../src/slo/AnnotationStorePg.ts"
import * as CountStorePg from "../../src/slo/CountStorePg.ts"
import * as DefinitionStorePg from "../../src/definition/DefinitionStorePg.ts"
import * as DeliveryHints from "../../src/delivery/DeliveryHints.ts"
import * as SloStorePg from "../../src/slo/SloStorePg.ts"
import * as IndicatorStorePg from "../../src/slo/IndicatorStorePg.ts"
import { pollIndicators } from "@tocsin/domain/features/data-source"
import { CountStore, IndicatorStore, MetricSource, SloStore } from "@tocsin/domain/ports"
import { storedIndicator } from "@tocsin/domain/adapter"
import * as SqlClient from "effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { vi } from "vitest"
import { layer } from "./AdapterDatabase.ts"

const organization = "acme"
const minute = 60_000
const slos = Array.from({ length: 6 }, (_, index) => ({ project: "shop", name: `slo-${index}` }))

const eventsAt = (at: number) => ({ good: (at / minute) % 7, total: 7 + ((at / minute) % 3) })

const asked: Array<string> = []

/** Servers that know the minutes from then on. */
const sourceFrom = (start: number) =>
  Layer.succeed(MetricSource, {
    readGaps: () => Effect.succeed([]),
    readNames: () => Effect.succeed({ names: [], isComplete: true }),
    readSeries: ({ server: { url }, expression, from, to }) =>
      Effect.sync(() => {
        if (expression === "total") asked.push(`${url.text} ${from} ${to}`)
        const samples = []
        for (let at = Math.max(from, start + minute); at <= to; at += minute) {
          const events = eventsAt(at - minute)
          samples.push({ at, value: expression === "good" ? events.good : events.total })
        }
        return samples
      }),
  })

const stores = Layer.mergeAll(
  AlertStorePg.layer,
  CountStorePg.layer,
  DefinitionStorePg.layer,
  AnnotationStorePg.layer,
  IndicatorStorePg.layer,
).pipe(Layer.provide(DeliveryHints.layer), Layer.provide(layer))

it.live(
  "spec/data-sources §2: recent minutes are forgotten once a server of the version before, which knows none, has read on",
  () =>
    Effect.gen(function* () {
      const [key = { project: "", name: "" }] = slos
      const sql = yield* SqlClient.SqlClient
      const indicators = yield* IndicatorStore
      const indicatorOf = (total: string) => ({
        prometheus: { url: sourceUrlOf("http://a.example.com"), good: "good", total },
      })
      const put = (total: string) => putDefinitions("other", [anSlo(key, { indicator: indicatorOf(total) })])
      const state = Effect.map(indicators.find("other", key), Option.getOrThrow)
      const recent = { from: 10 * minute, to: 20 * minute, measuredTo: 0, history: { failures: 0 } }
      const readRecent = (readTo: number) =>
        Effect.gen(function* () {
          const settled = { readTo, recent, failures: 0, dueAt: 0 }
          expect(yield* indicators.settle("other", key, yield* state, settled)).toBe(true)
          expect((yield* state).recent).toEqual(recent)
        })
      yield* put("total")
      yield* readRecent(5 * minute)
      // The statements of that version.
      yield* sql`UPDATE indicator_polls SET failures = 1, due_at = 1 WHERE organization = 'other' AND read_to = ${5 * minute}`
      expect((yield* state).recent).toEqual(recent)
      yield* sql`UPDATE indicator_polls SET read_to = ${7 * minute} WHERE organization = 'other'`
      expect(yield* state).toMatchObject({ readTo: 7 * minute })
      expect((yield* state).recent).toBe(undefined)
      const due = Effect.flatMap(SloStore, (store) =>
        Effect.map(store.findForStatus("other", key), Option.getOrThrow),
      )
      expect((yield* due).recent).toBe(undefined)

      yield* readRecent(0)
      expect((yield* due).recent).toEqual({ from: recent.from, to: recent.to })
      const changed = storedIndicator.write(indicatorOf("sum(total)")).json
      yield* sql`UPDATE indicator_polls SET indicator = ${changed}, read_to = 0 WHERE organization = 'other'`
      expect((yield* state).recent).toBe(undefined)
      expect((yield* due).recent).toBe(undefined)
      yield* readRecent(0)
      expect((yield* due).recent).toEqual({ from: recent.from, to: recent.to })
      yield* put("total")
      expect((yield* state).recent).toBe(undefined)
    }).pipe(Effect.provide(Layer.merge(SloStorePg.layer, stores).pipe(Layer.provideMerge(layer)))),
)

it.live(
  "spec/data-sources §2: three pollers on one database read every minute once, also those of one that was broken off",
  () => {
    const start = Math.floor(Date.now() / minute) * minute - 2 * 24 * 60 * minute
    return Effect.gen(function* () {
      const indicators = yield* IndicatorStore
      yield* putDefinitions(
        organization,
        slos.map((slo) =>
          anSlo(slo, {
            indicator: {
              prometheus: {
                url: sourceUrlOf(`http://${slo.name}.example.com`),
                good: "good",
                total: "total",
              },
            },
          }),
        ),
      )
      const [first, ...others] = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(pollIndicators))
      const states = Effect.forEach(slos, (slo) =>
        Effect.map(indicators.find(organization, slo), (found) => Option.getOrThrow(found)),
      )
      // What it was about to read, the others do.
      yield* Effect.promise(() => vi.waitUntil(() => asked.length > 20, { timeout: 60_000, interval: 5 }))
      if (first !== undefined) yield* Fiber.interrupt(first)
      const isRead = (readTo: number) => Date.now() - readTo < 2 * minute + 20_000
      yield* states.pipe(
        Effect.repeat({
          until: (all) => all.filter(({ readTo }) => isRead(readTo)).length >= slos.length - 2,
        }),
        Effect.timeout("60 seconds"),
      )
      for (const other of others) yield* Fiber.interrupt(other)

      const counts = yield* CountStore
      for (const [index, { readTo, failures }] of (yield* states).entries()) {
        expect(failures).toBe(0)
        const slo = slos[index] ?? { project: "", name: "" }
        const [found] = yield* counts.sums([
          { organization, slo, ranges: [{ from: start, to: Math.max(start, readTo) }] },
        ])
        const expected = { good: 0, total: 0 }
        for (let at = start; at < readTo; at += minute) {
          expected.good += eventsAt(at).good
          expected.total += eventsAt(at).total
        }
        for (const { good, total, minutes } of found?.sums[0] ?? []) {
          expect({ good, total, minutes }).toEqual({ ...expected, minutes: (readTo - start) / minute })
        }
        // Of one that is not read to the present yet, recent minutes may be read before older ones.
        expect(found?.sums[0]?.length).toBe(readTo > start ? 2 : 0)
      }
    }).pipe(Effect.provide(Layer.merge(stores, sourceFrom(start))))
  },
)
