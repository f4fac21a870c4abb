import * as Result from "effect/Result"
import { notify, settleAllDue } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { MemoryStores } from "@tocsin/adapters-memory"
import { bulkResendPollMs, bulkResendWaitMaxMs, isNextBatchDelayed } from "@tocsin/domain/adapter"
import { decode } from "@tocsin/domain/codec"
import { requestBulkResend, resendRequest, runBulkResends } from "@tocsin/domain/features/resend"
import { BulkResendStore, StoreIsUnavailable } from "@tocsin/domain/ports"
import { bulkResendBatchMax } from "../../src/resend/BulkResend.ts"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"

const notDelivered = { states: ["exhausted", "failed"] } as const

const issuesOf = (body: unknown): ReadonlyArray<readonly [string, string]> => {
  const decoded = decode(resendRequest, body, undefined)
  return Result.isSuccess(decoded) ? [] : decoded.failure.map(({ path, code }) => [path, code])
}

describe("a request to resend", () => {
  it.effect("spec/resends §1: means what is exhausted or failed unless it names states", () =>
    Effect.gen(function* () {
      for (const request of [{}, { states: [] }, { dryRun: false }]) {
        const { resend } = yield* requestBulkResend("acme", request)
        expect(resend?.filter).toEqual(notDelivered)
      }
      expect(yield* requestBulkResend("acme", { dryRun: true })).toEqual({
        count: { matched: 0, mayMatchMore: false },
        resend: undefined,
      })
    }).pipe(Effect.provide(MemoryStores.layer)),
  )

  it("has its times in Unix milliseconds", () => {
    const request = { alertMethod: { name: "hook", project: "shop" }, states: ["delivered", "failed"] }
    const times = { from: "2026-01-30T12:00:00Z", to: "2026-01-30T12:00:00.001Z" }
    const from = Date.UTC(2026, 0, 30, 12)
    expect(decode(resendRequest, { ...request, ...times, dryRun: true }, undefined)).toEqual(
      Result.succeed({ ...request, from, to: from + 1, dryRun: true }),
    )
  })

  it("spec/resends §3: reports every issue at once", () => {
    expect(
      issuesOf({
        alertMethod: { name: "Hook" },
        states: ["sending", "failed", "failed"],
        from: 5,
        to: "tomorrow",
        dryRun: "yes",
        method: "hook",
      }),
    ).toEqual([
      ["alertMethod.name", "invalid_format"],
      ["alertMethod.project", "required"],
      ["dryRun", "wrong_type"],
      ["from", "wrong_type"],
      ["method", "unknown_property"],
      ["states[0]", "not_allowed_value"],
      ["to", "invalid_format"],
    ])
    expect(issuesOf({ states: ["failed", "failed"] })).toEqual([["states[1]", "duplicate"]])
    expect(issuesOf("failed")).toEqual([["", "wrong_type"]])
  })

  it("spec/resends §3: ends after it begins", () => {
    const at = "2026-01-30T12:00:00Z"
    expect(issuesOf({ from: at, to: at })).toEqual([["to", "out_of_range"]])
    expect(issuesOf({ from: at, to: "2026-01-29T12:00:00Z" })).toEqual([["to", "out_of_range"]])
  })
})

describe("the next batch", () => {
  it("spec/resends §3: waits while more than half of the latest one is unattempted, for 10 s at most", () => {
    const ageMs = bulkResendWaitMaxMs - 1
    expect(isNextBatchDelayed({ size: 6, unattempted: 4, ageMs })).toBe(true)
    expect(isNextBatchDelayed({ size: 6, unattempted: 4, ageMs: ageMs + 1 })).toBe(false)
    expect(isNextBatchDelayed({ size: 6, unattempted: 3, ageMs: 0 })).toBe(false)
    expect(isNextBatchDelayed({ size: 6, unattempted: 6, ageMs: -3_600_000 })).toBe(false)
    expect(isNextBatchDelayed({ size: 0, unattempted: 0, ageMs: 0 })).toBe(false)
  })

  it("spec/resends §3: never waits for what is tried", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (size, ageMs) => !isNextBatchDelayed({ size, unattempted: 0, ageMs })),
    )
  })
})

/** Deliveries whose alert method is gone. */
const failed = (ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    yield* notify(
      "acme",
      ids.map((_, index) => ({ project: "shop", name: `m-${index % 200}` })),
      ids,
    )
    yield* settleAllDue({ kind: "undeliverable" })
  })

const resentOf = (id: string) =>
  Effect.flatMap(BulkResendStore, (store) =>
    Effect.map(store.find("acme", id), (found) => Option.getOrThrow(found).resent),
  )

const add = (id: string) =>
  Effect.flatMap(BulkResendStore, (store) =>
    store.add("acme", { id, filter: notDelivered, matched: 0, mayMatchMore: false }),
  )

describe("carrying bulk resends out", () => {
  it.effect("spec/resends §3: makes at most 500 due in a step, and continues without a client", () =>
    Effect.gen(function* () {
      yield* failed(Array.from({ length: 1_200 }, (_, index) => `d-${index}`))
      yield* Effect.forkScoped(runBulkResends)
      yield* add("r-1")
      yield* TestClock.adjust(bulkResendPollMs)
      expect(yield* resentOf("r-1")).toBe(bulkResendBatchMax)
      yield* TestClock.adjust(bulkResendWaitMaxMs)
      expect(yield* resentOf("r-1")).toBe(2 * bulkResendBatchMax)
      yield* TestClock.adjust(bulkResendWaitMaxMs)
      expect(yield* resentOf("r-1")).toBe(1_200)
    }).pipe(Effect.provide(MemoryStores.layer)),
  )

  it.effect(
    "spec/resends §3: continues after the store was unavailable, and takes up what another process left",
    () =>
      Effect.gen(function* () {
        yield* failed(["d-1"])
        const healthy = yield* BulkResendStore
        let isAway = true
        const away = new StoreIsUnavailable({
          store: "BulkResendStore",
          operation: "step",
          isRetryable: true,
          cause: "away",
        })
        const failing = BulkResendStore.of({
          ...healthy,
          step: (limits) => Effect.suspend(() => (isAway ? Effect.fail(away) : healthy.step(limits))),
        })
        yield* add("r-1")
        yield* Effect.forkScoped(Effect.provideService(runBulkResends, BulkResendStore, failing))
        yield* TestClock.adjust("5 seconds")
        expect(yield* resentOf("r-1")).toBe(0)
        isAway = false
        yield* TestClock.adjust(bulkResendPollMs)
        expect(yield* resentOf("r-1")).toBe(1)
      }).pipe(Effect.provideService(References.MinimumLogLevel, "None"), Effect.provide(MemoryStores.layer)),
  )
})
