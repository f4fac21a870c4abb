import { SignerNode, SigningKeyGeneratorNode } from "@tocsin/adapters-http/crypto"
import { MemoryStores } from "@tocsin/adapters-memory"
import { decode } from "@tocsin/domain/codec"
import {
  createReport,
  findRecentReliability,
  findReport,
  reportDocument,
} from "@tocsin/domain/features/report"
import { recentSlosMax } from "@tocsin/domain/limits"
import { CountStore } from "@tocsin/domain/ports"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"

const minute = 60_000
const day = 24 * 60 * minute
const organization = "acme"
const now = Date.UTC(2026, 5, 17, 12, 34)

const layer = SignerNode.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(MemoryStores.layer, SigningKeyGeneratorNode.layer)),
)

describe("the reliability over past days", () => {
  it.effect("spec/console §12: is that of reports of these days, with their result", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now - 100 * day)
      const composite = { target: 0.5, burnRateCondition: { value: 2, op: "gte" as const } }
      const objectives = [
        { name: "good", target: 0.9 },
        { name: "strict", target: 0.9999 },
      ]
      const slos = [
        ...["each-minute", "sparse", "young", "empty"].map((name) =>
          anSlo({ project: "shop", name }, { objectives }),
        ),
        anSlo({ project: "shop", name: "whole" }, { objectives, composite }),
      ]
      yield* putDefinitions(organization, slos)
      const record = (name: string, days: number, stepMs: number) =>
        Effect.forEach(Array.from({ length: days }), (_, back) =>
          Effect.flatMap(CountStore, (store) =>
            store.record(organization, [
              {
                slo: { project: "shop", name },
                counts: Array.from({ length: day / stepMs }, (_, index) =>
                  ["good", "strict"].map((objective) => ({
                    objective,
                    at: now - back * day - (index + 1) * stepMs,
                    good: index % 50 === 0 ? 9 : 10,
                    total: 10,
                  })),
                ).flat(),
              },
            ]),
          ),
        )
      yield* record("each-minute", 31, minute)
      yield* record("sparse", 91, 15 * minute)
      yield* record("young", 8, minute)
      yield* record("whole", 8, minute)
      yield* TestClock.setTime(now - minute + 17_000)
      const found = yield* findRecentReliability(
        organization,
        [...slos.map(({ metadata }) => metadata), { project: "shop", name: "none" }],
        [7, 30, 90],
      )
      expect(found.map(({ slo }) => slo.name)).toEqual(slos.map(({ metadata }) => metadata.name))
      // A report is of a period that has ended.
      yield* TestClock.setTime(now)
      for (const { slo, tracks } of found)
        for (const [at, days] of [7, 30, 90].entries()) {
          const [from, to] = [now - days * day, now].map((ms) => new Date(ms).toISOString())
          const { report } = yield* createReport(organization, {
            project: slo.project,
            slo: slo.name,
            from,
            to,
          })
          const { document } = yield* findReport(organization, report.id)
          const reported = Result.getOrThrow(decode(reportDocument, JSON.parse(document), undefined))
          const expected = [
            ...reported.objectives,
            ...(reported.composite === undefined ? [] : [{ name: "", ...reported.composite }]),
          ].map(({ name, reliability, result }) => [name, days, reliability, result])
          expect(
            Array.from(tracks, ([track, figures]) => [
              track,
              figures[at]?.days,
              figures[at]?.reliability,
              figures[at]?.result,
            ]),
          ).toEqual(expected)
        }
      expect(found.map(({ tracks }) => tracks.get("good")?.map(({ result }) => result))).toEqual([
        ["met", "met", "insufficient_data"],
        ["met", "met", "met"],
        ["met", "insufficient_data", "insufficient_data"],
        ["insufficient_data", "insufficient_data", "insufficient_data"],
        ["met", "insufficient_data", "insufficient_data"],
      ])
      const many = Array.from({ length: recentSlosMax + 1 }, (_, at) => ({
        project: "shop",
        name: `s-${at}`,
      }))
      expect(yield* Effect.flip(findRecentReliability(organization, many, [7]))).toMatchObject({
        code: "slo_invalid",
      })
    }).pipe(Effect.provide(layer)),
  )
})
