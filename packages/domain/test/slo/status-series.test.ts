import { MemoryStores } from "@tocsin/adapters-memory"
import { readStatusSeries } from "@tocsin/domain"
import { CountStore, DefinitionStore } from "@tocsin/domain/ports"
import { anSlo, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"

const minute = 60_000
const organization = "acme"
const now = Date.UTC(2026, 0, 21, 12, 34)

describe("the status of SLOs in many minutes", () => {
  it.effect("is that of each minute in order, however many are read at once", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const keys = ["checkout", "search"].map((name) => ({ project: "shop", name }))
      yield* putDefinitions(
        organization,
        keys.map((key) => anSlo(key, { timeWindow: { unit: "Hour", count: 2 } })),
      )
      const minutes = Array.from({ length: 4_500 }, (_, index) => now - (4_500 - index) * minute)
      // In every third minute, one event more is bad each time.
      const countAt = (at: number) =>
        (at / minute) % 3 === 0 ? { good: 900 - ((at / minute) % 97), total: 1_000 } : undefined
      const counts = minutes.flatMap((at) => {
        const count = countAt(at)
        return count === undefined ? [] : [{ objective: "good", at, ...count }]
      })
      yield* (yield* CountStore).record(
        organization,
        keys.map((slo) => ({ slo, counts })),
      )
      const slos = yield* (yield* DefinitionStore).findAll(organization, "SLO", keys)
      const sumOf = (from: number, to: number) => {
        let [good, total] = [0, 0]
        for (let at = from; at < to; at += minute) {
          if (at < (minutes[0] ?? 0)) continue
          good += countAt(at)?.good ?? 0
          total += countAt(at)?.total ?? 0
        }
        return total === 0 ? undefined : { good, total }
      }
      // The first SLO has more ranges than are read at once.
      const wanted = slos.map((slo, index) => {
        const some = minutes.slice(index === 0 ? 0 : -300)
        return {
          slo,
          adjustments: [],
          objectives: new Set(["good"]),
          statuses: some,
          parts: { window: true, burnRate: true },
          counts: some,
        }
      })
      const statuses = new Map<string, Array<unknown>>()
      const ownCounts = new Map<string, Array<unknown>>()
      const append = (lists: Map<string, Array<unknown>>, key: string, value: unknown): void => {
        const list = lists.get(key) ?? []
        list.push(value)
        lists.set(key, list)
      }
      yield* readStatusSeries(organization, wanted, {
        onStatus: ({ definition: { metadata } }, objective, at, { window, recent }) =>
          append(statuses, `${metadata.name} ${objective}`, [at, pick(window), pick(recent)]),
        onCounts: ({ definition: { metadata } }, objective, at, sum) =>
          append(ownCounts, `${metadata.name} ${objective}`, [at, pick(sum)]),
      })
      expect([...statuses.keys()].toSorted()).toEqual(["checkout good", "search good"])
      for (const { slo, statuses: ats } of wanted) {
        const key = `${slo.definition.metadata.name} good`
        expect(statuses.get(key)).toEqual(
          ats.map((at) => [
            at,
            sumOf(at + minute - 120 * minute, at + minute),
            sumOf(at + minute - 60 * minute, at + minute),
          ]),
        )
        expect(ownCounts.get(key)).toEqual(ats.flatMap((at) => (countAt(at) ? [[at, countAt(at)]] : [])))
      }
    }).pipe(Effect.provide(MemoryStores.layer)),
  )
})

const pick = (sum: { readonly good: number; readonly total: number } | undefined) =>
  sum && { good: sum.good, total: sum.total }
