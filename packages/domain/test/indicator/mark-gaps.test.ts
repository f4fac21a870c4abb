import { MemoryStores } from "@tocsin/adapters-memory"
import { listAnnotations, putAnnotation, removeAnnotation } from "@tocsin/domain/features/annotation"
import { pollIndicators } from "@tocsin/domain/features/data-source"
import { MetricSource } from "@tocsin/domain/ports"
import { annotationsWithGapsMax, markedRanges, markGaps } from "../../src/data-source/MarkGaps.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { anSlo, putDefinitions, sourceUrlOf } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"

const organization = "acme"
const minute = 60_000
const start = Date.UTC(2026, 0, 30, 12)
const at = (minutes: number): number => start + minutes * minute
const key = { project: "shop", name: "checkout" }
const slo = anSlo(key, {
  indicator: { prometheus: { url: sourceUrlOf("http://a.example.com"), good: "good", total: "total" } },
})

const gapsOf = Effect.map(listAnnotations(organization, key), ({ events }) =>
  events.flatMap((event) =>
    event.kind === "annotation" && event.annotation.kind === "gap"
      ? [
          [
            event.annotation.title,
            (event.annotation.from - start) / minute,
            ((event.annotation.to ?? 0) - start) / minute,
          ],
        ]
      : [],
  ),
)

describe("gaps in the samples of counters", () => {
  const gap = { at: at(-60), from: at(-94) + 20_000, events: 340 }
  const short = { at: at(-30), from: at(-32), events: 20 }
  const source = Layer.succeed(MetricSource, {
    readNames: () => Effect.succeed({ names: [], isComplete: true }),
    readGaps: ({ from, to }) =>
      Effect.succeed([gap, short].filter((each) => each.at >= from && each.at <= to)),
    readSeries: ({ expression, from, to }) =>
      Effect.sync(() => {
        const samples = []
        for (let end = from; end <= to; end += minute) {
          if (end < gap.at && end > gap.from) continue
          const value = end === gap.at ? 350 : 10
          samples.push({ at: end, value: expression === "good" ? value / 2 : value })
        }
        return samples
      }),
  })

  it.effect("spec/annotations §3: are marked once where events are spread over 3 minutes or longer", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* putDefinitions(organization, [slo])
      yield* Effect.forkChild(pollIndicators)
      for (let second = 0; second < 240; second += 30) yield* TestClock.adjust("30 seconds")
      expect(yield* gapsOf).toEqual([
        ["Gap in the samples of 34 min, over which the events are spread evenly", -94, -60],
      ])
    }).pipe(Effect.provide(Layer.merge(MemoryStores.layer, source))),
  )

  it("spec/annotations §3: that overlap are one", () => {
    const ranges = markedRanges([
      { from: at(10), at: at(15) },
      { from: at(0) + 1, at: at(5) },
      { from: at(4), at: at(9) },
      { from: at(30), at: at(32) },
      { from: at(9), at: at(10) },
    ])
    expect(ranges).toEqual([
      { from: at(0), to: at(9) },
      { from: at(10), to: at(15) },
    ])
  })

  it.effect("spec/annotations §3: leave room for annotations that people write, who cannot delete them", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* putDefinitions(organization, [slo])
      const ranges = Array.from({ length: annotationsWithGapsMax + 1 }, (_, n) => ({
        from: at(-5 * n),
        to: at(3 - 5 * n),
      }))
      yield* markGaps(organization, slo, ranges.slice(0, 1), start)
      const deleted = yield* Effect.exit(removeAnnotation(organization, key, `gap:${start}`))
      expect(deleted._tag).toBe("Failure")
      yield* markGaps(organization, slo, ranges, start)
      const body = { kind: "note", title: "Written" }
      const { outcome } = yield* putAnnotation(organization, key, { body, author: "ana" })
      expect(outcome).toBe("created")
      const { events } = yield* listAnnotations(organization, key)
      expect(events[0]?.kind).toBe("annotation")
      // Of an SLO that was deleted meanwhile, nothing is written.
      yield* markGaps("other", slo, ranges.slice(0, 1), start)
    }).pipe(Effect.provide(MemoryStores.layer)),
  )
})
