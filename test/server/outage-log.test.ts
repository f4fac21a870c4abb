import { AcknowledgeTokensJose, HashNode } from "@tocsin/adapters-http/crypto"
import { MemoryStores, WebhookTransportRecording as Recording } from "@tocsin/adapters-memory"
import { dispatchDeliveries, refreshStatuses, sendSilenceNotices } from "@tocsin/domain"
import { logOutages, Readiness, SilenceNoticeStore } from "@tocsin/domain/adapter"
import { pollIndicators, backfillIndicators } from "@tocsin/domain/features/data-source"
import { runBulkResends } from "@tocsin/domain/features/resend"
import {
  BulkResendStore,
  DeliveryQueue,
  IndicatorStore,
  MetricSource,
  BackfillStore,
  SloStore,
  StoreIsUnavailable,
} from "@tocsin/domain/ports"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import { testSigner } from "../signature/TestKey.ts"

/** Lines of the log: level, message and fields, without the cause. */
type Lines = ReadonlyArray<string>

/** A test with access to its log. */
const test = (
  what: string,
  effect: (lines: Lines) => Effect.Effect<void, never, Layer.Success<typeof context>>,
): void =>
  it.effect(what, () => {
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message, fiber }) => {
      const { outage, outageSeconds } = fiber.getRef(References.CurrentLogAnnotations)
      const fields = Object.entries({ outage, outageSeconds }).filter(([, value]) => value !== undefined)
      const text = [logLevel.toUpperCase(), String([message].flat()[0])].join(" ")
      lines.push([text, ...fields.map(([name, value]) => `${name}=${String(value)}`)].join(" "))
    })
    return Effect.provide(effect(lines), Layer.merge(context, Logger.layer([logger])))
  })

const context = Layer.mergeAll(
  MemoryStores.layer,
  Recording.make().layer,
  HashNode.layer,
  AcknowledgeTokensJose.layer(Redacted.make(new Uint8Array(32))),
  testSigner,
  Layer.succeed(MetricSource, {
    readSeries: () => Effect.succeed([]),
    readGaps: () => Effect.succeed([]),
    readNames: () => Effect.succeed({ names: [], isComplete: true }),
  }),
)

const what = "Working failed"

describe("logging outages", () => {
  test("logs an outage when it begins, every minute while it lasts, and when it ends", (lines) =>
    Effect.gen(function* () {
      const logging = yield* logOutages(what)
      const step = (isDone: boolean) =>
        Effect.andThen(
          Effect.ignore(logging(isDone ? Effect.void : Effect.fail("away"))),
          TestClock.adjust("1 second"),
        )
      yield* Effect.replicateEffect(step(true), 5)
      expect(lines).toEqual([])
      yield* Effect.replicateEffect(step(false), 60)
      expect(lines).toEqual([`ERROR ${what}`])
      yield* Effect.replicateEffect(step(false), 65)
      expect(lines.slice(1)).toEqual([`ERROR ${what} outageSeconds=60`, `ERROR ${what} outageSeconds=120`])
      yield* Effect.replicateEffect(step(true), 9)
      expect(lines).toHaveLength(3)
      yield* Effect.replicateEffect(step(true), 120)
      expect(lines.slice(3)).toEqual([`WARN Recovered outage=${what} outageSeconds=125`])
      yield* step(false)
      expect(lines.slice(4)).toEqual([`ERROR ${what}`])
    }))

  test("logs steps that fail every other time as one outage", (lines) =>
    Effect.gen(function* () {
      const logging = yield* logOutages(what)
      for (let second = 0; second < 59; second++) {
        yield* Effect.ignore(logging(second % 2 === 0 ? Effect.fail("away") : Effect.void))
        yield* TestClock.adjust("1 second")
      }
      expect(lines).toEqual([`ERROR ${what}`])
    }))

  test("logs a new outage that begins long after steps succeeded, without a step in between", (lines) =>
    Effect.gen(function* () {
      const logging = yield* logOutages(what)
      yield* Effect.ignore(logging(Effect.fail("away")))
      yield* logging(Effect.void)
      yield* TestClock.adjust("1 day")
      yield* Effect.ignore(logging(Effect.fail("away")))
      expect(lines).toEqual([`ERROR ${what}`, `ERROR ${what}`])
    }))

  test("goes on logging when the clock is set back", (lines) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(10_000_000)
      const logging = yield* logOutages(what)
      yield* Effect.ignore(logging(Effect.fail("away")))
      yield* TestClock.setTime(1_000_000)
      yield* Effect.ignore(logging(Effect.fail("away")))
      expect(lines).toHaveLength(2)
      yield* logging(Effect.void)
      yield* TestClock.setTime(1_010_000)
      yield* logging(Effect.void)
      expect(lines[2]).toMatch(/^WARN Recovered/)
    }))

  test("stores the result of a step, and does not log an interruption", (lines) =>
    Effect.gen(function* () {
      const logging = yield* logOutages(what)
      expect(yield* logging(Effect.succeed(1))).toBe(1)
      expect(yield* Effect.exit(logging(Effect.interrupt))).toEqual(yield* Effect.exit(Effect.interrupt))
      expect(lines).toEqual([])
      expect(yield* Effect.flip(logging(Effect.fail("away")))).toBe("away")
    }))
})

describe("while the stores are unavailable for three minutes", () => {
  const away = { operation: "any", isRetryable: true, cause: "away" }

  /**
   * What a loop logs in three minutes without its store, and in the next. The server is not ready from 30 s after the
   * loop begins to fail until it succeeds.
   */
  const said = <R>(
    lines: Lines,
    loop: (
      whileAway: <A, E>(failure: E, effect: Effect.Effect<A, E>) => Effect.Effect<A, E>,
    ) => Effect.Effect<unknown, never, R>,
  ) =>
    Effect.gen(function* () {
      const readiness = yield* Readiness.make
      const failing = Effect.map(Clock.currentTimeMillis, (now) =>
        readiness.failures(now).map(({ message }) => message),
      )
      let isAway = true
      yield* Effect.provideService(
        loop((failure, effect) => Effect.suspend(() => (isAway ? Effect.fail(failure) : effect))),
        Readiness.Readiness,
        readiness,
      )
      yield* TestClock.adjust("29 seconds")
      expect(yield* failing).toEqual([])
      yield* TestClock.adjust("6 seconds")
      expect(yield* failing).toEqual([lines[0]?.replace("ERROR ", "")])
      yield* TestClock.adjust("144 seconds")
      expect(yield* failing).toHaveLength(1)
      isAway = false
      yield* TestClock.adjust("6 seconds")
      expect(yield* failing).toEqual([])
      yield* TestClock.adjust("54 seconds")
      return lines
    }).pipe(Effect.scoped)

  const linesOf = (what: string): Lines => [
    `ERROR ${what}`,
    expect.stringMatching(new RegExp(`^ERROR ${what} outageSeconds=6\\d$`)),
    expect.stringMatching(new RegExp(`^ERROR ${what} outageSeconds=12\\d$`)),
    expect.stringMatching(new RegExp(`^WARN Recovered outage=${what} outageSeconds=1[78]\\d$`)),
  ]

  test("spec/operations §5: keeping statuses current logs four lines, and is a reason not to be ready", (lines) =>
    Effect.gen(function* () {
      const store = yield* SloStore
      const found = yield* said(lines, (whileAway) => {
        const failing = SloStore.of({
          ...store,
          dueForStatus: (...call) =>
            whileAway(new StoreIsUnavailable({ store: "SloStore", ...away }), store.dueForStatus(...call)),
        })
        return Effect.forkScoped(Effect.provideService(refreshStatuses, SloStore, failing))
      })
      expect(found).toEqual(linesOf("Reading due statuses failed"))
    }))

  test("spec/operations §5: resending in bulk logs four lines, and is a reason not to be ready", (lines) =>
    Effect.gen(function* () {
      const store = yield* BulkResendStore
      const found = yield* said(lines, (whileAway) => {
        const failing = BulkResendStore.of({
          ...store,
          step: (limits) =>
            whileAway(new StoreIsUnavailable({ store: "BulkResendStore", ...away }), store.step(limits)),
        })
        return Effect.forkScoped(Effect.provideService(runBulkResends, BulkResendStore, failing))
      })
      expect(found).toEqual(linesOf("Bulk resend failed"))
    }))

  test("spec/operations §5: reading indicators logs four lines, and is a reason not to be ready", (lines) =>
    Effect.gen(function* () {
      const store = yield* IndicatorStore
      const found = yield* said(lines, (whileAway) => {
        const failing = IndicatorStore.of({
          ...store,
          claim: (asked) =>
            whileAway(new StoreIsUnavailable({ store: "IndicatorStore", ...away }), store.claim(asked)),
        })
        return Effect.forkScoped(Effect.provideService(pollIndicators, IndicatorStore, failing))
      })
      expect(found).toEqual(linesOf("Reading due indicators failed"))
    }))

  test("spec/operations §5: reading backfills logs four lines, and is a reason not to be ready", (lines) =>
    Effect.gen(function* () {
      const store = yield* BackfillStore
      const found = yield* said(lines, (whileAway) => {
        const failing = BackfillStore.of({
          ...store,
          claim: (asked) =>
            whileAway(new StoreIsUnavailable({ store: "BackfillStore", ...away }), store.claim(asked)),
        })
        return Effect.forkScoped(Effect.provideService(backfillIndicators, BackfillStore, failing))
      })
      expect(found).toEqual(linesOf("Reading due backfills failed"))
    }))

  test("spec/operations §5: notices of silences log four lines, and are a reason not to be ready", (lines) =>
    Effect.gen(function* () {
      const store = yield* SilenceNoticeStore
      const found = yield* said(lines, (whileAway) => {
        const failing = SilenceNoticeStore.of({
          ...store,
          due: (now, limit) =>
            whileAway(
              new StoreIsUnavailable({ store: "SilenceNoticeStore", ...away }),
              store.due(now, limit),
            ),
        })
        return Effect.forkScoped(Effect.provideService(sendSilenceNotices, SilenceNoticeStore, failing))
      })
      expect(found).toEqual(linesOf("Notifying of silences failed"))
    }))

  test("spec/operations §5: claiming deliveries logs four lines, and is a reason not to be ready", (lines) =>
    Effect.gen(function* () {
      const queue = yield* DeliveryQueue
      const found = yield* said(lines, (whileAway) => {
        const failing = DeliveryQueue.of({
          ...queue,
          claim: (asked) =>
            whileAway(new StoreIsUnavailable({ store: "DeliveryQueue", ...away }), queue.claim(asked)),
        })
        return Effect.provideService(
          dispatchDeliveries({ baseUrl: "https://tocsin.example.com", shutdownGraceMs: 0 }),
          DeliveryQueue,
          failing,
        )
      })
      expect(found).toEqual(linesOf("Claiming deliveries failed"))
    }))
})

describe("readiness", () => {
  test("a failure counts from the first of several until one succeeds, or two minutes after the last", () =>
    Effect.sync(() => {
      const readiness = Effect.runSync(Readiness.make)
      const work = readiness.register("Working failed", 30_000)
      const other = readiness.register("Writing failed", 0)
      const at = (now: number) => readiness.failures(now)
      work.failed(1_000)
      work.failed(30_000)
      expect(at(30_999)).toEqual([])
      expect(at(31_000)).toEqual([{ message: "Working failed", failingMs: 30_000 }])
      other.failed(31_000)
      expect(at(32_000)).toEqual([
        { message: "Working failed", failingMs: 31_000 },
        { message: "Writing failed", failingMs: 1_000 },
      ])
      other.succeeded()
      expect(at(149_999)).toHaveLength(1)
      expect(at(150_000)).toEqual([])
      work.failed(150_000)
      work.succeeded()
      work.failed(160_000)
      expect(at(189_999)).toEqual([])
      expect(at(190_000)).toHaveLength(1)
      // The clock is set back.
      expect(at(30_000)).toEqual([])
      work.failed(1_000)
      expect(at(30_999)).toEqual([])
      expect(at(31_000)).toHaveLength(1)
    }))

  test("a loop that ends by a defect is logged and a reason for good; one that is interrupted is not", (lines) =>
    Effect.gen(function* () {
      const readiness = yield* Readiness.make
      const fork = (loop: Effect.Effect<never>) =>
        Effect.provideService(Readiness.forkLoop("Working ended", loop), Readiness.Readiness, readiness)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* fork(Effect.never)
          yield* TestClock.adjust("1 minute")
        }),
      )
      expect([lines, readiness.failures(60_000)]).toEqual([[], []])
      yield* fork(Effect.die(new Error("broken")))
      yield* TestClock.adjust("1 hour")
      expect(lines).toEqual(["ERROR Working ended"])
      expect(readiness.failures(60_000 + 3_600_000)).toEqual([
        { message: "Working ended", failingMs: 3_600_000 },
      ])
    }).pipe(Effect.scoped))
})
