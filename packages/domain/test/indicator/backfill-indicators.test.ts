import { anSlo, putDefinitions, sourceUrlOf } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { MemoryStores } from "@tocsin/adapters-memory"
import { CountsRetention } from "@tocsin/domain"
import { minuteOf } from "@tocsin/domain/codec"
import {
  cancelBackfill,
  findBackfill,
  pollIndicators,
  backfillIndicators,
  BackfillIsInvalid,
  backfillPercent,
  resumeBackfill,
  startBackfill,
} from "@tocsin/domain/features/data-source"
import { backfillMinutesMax } from "@tocsin/domain/limits"
import {
  AnnotationStore,
  type Answer,
  type AnswerInTime,
  BackfillStore,
  CountStore,
  IndicatorStore,
  MetricsAreUnavailable,
  MetricSource,
  type GapQuery,
  type Sample,
  type SeriesQuery,
} from "@tocsin/domain/ports"
import { wholeGapMaxMs } from "../../src/data-source/CounterGaps.ts"
import { Processor, ProcessorShares } from "../../src/quota/ProcessorShares.ts"
import { backfillOutageMaxMs, planBackfill } from "../../src/data-source/BackfillIndicator.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Scheduler } from "effect/Scheduler"
import * as TestClock from "effect/testing/TestClock"

const organization = "acme"
const minute = 60_000
const day = 24 * 60 * minute
const start = Date.UTC(2026, 0, 30, 12)
const key = { project: "shop", name: "checkout" }
const range = { from: start - 10 * day, to: start - 3 * day }

const sloWith = (total = "total", url = "http://a.example.com", slo = key) =>
  anSlo(slo, { indicator: { prometheus: { url: sourceUrlOf(url), good: "good", total } } })

/** A server that counts 5 good of 10 in each minute, or what it is changed to. */
const makeServer = () => {
  const server = {
    queries: [] as Array<SeriesQuery>,
    valueAt: (_at: number): number | undefined => 10,
    isUp: (_query: SeriesQuery): boolean => true,
    gaps: [] as ReadonlyArray<{ readonly at: number; readonly events: number; readonly from: number }>,
    layer: undefined as unknown as Layer.Layer<MetricSource>,
  }
  server.layer = Layer.succeed(MetricSource, {
    readNames: () => Effect.succeed({ names: [], isComplete: true }),
    readGaps: ({ from, to, lookbackMs, expression }) =>
      Effect.succeed(
        server.gaps
          .filter((gap) => gap.at >= from && gap.at <= to && gap.at - gap.from <= lookbackMs)
          .map((gap) => (expression === "good" ? { ...gap, events: gap.events / 2 } : gap)),
      ),
    readSeries: (query) => {
      if (query.expression === "hanging") return Effect.never
      if (!server.isUp(query)) {
        return Effect.fail(new MetricsAreUnavailable({ reason: "connect_refused", detail: "it refused" }))
      }
      server.queries.push(query)
      const samples = []
      for (let at = query.from; at <= query.to; at += minute) {
        const value = server.valueAt(at - minute)
        if (value !== undefined) samples.push({ at, value: query.expression === "good" ? value / 2 : value })
      }
      return Effect.succeed(samples)
    },
  })
  return server
}

const timedOut = Result.fail(new MetricsAreUnavailable({ reason: "timeout", detail: "it took too long" }))

/** A processor that has no time for anybody. */
class StoppedShares extends ProcessorShares {
  override schedulerOf(): Scheduler {
    const dispatcher = { scheduleTask: () => undefined, flush: () => undefined }
    return { executionMode: "async", shouldYield: () => false, makeDispatcher: () => dispatcher }
  }
}

type Context = Layer.Success<typeof MemoryStores.layer> | MetricSource

const test = (
  what: string,
  effect: (server: ReturnType<typeof makeServer>) => Effect.Effect<void, unknown, Context>,
): void => {
  const server = makeServer()
  it.effect(what, () =>
    Effect.andThen(TestClock.setTime(start), effect(server)).pipe(
      Effect.provide(Layer.mergeAll(MemoryStores.layer, server.layer, Logger.layer([]))),
    ),
  )
}

const body = { from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() }

/** Reads the indicator to the present, and forgets what it was asked for that. */
const readHistory = (server: ReturnType<typeof makeServer>) =>
  Effect.gen(function* () {
    yield* putDefinitions(organization, [sloWith()])
    const polling = yield* Effect.forkChild(pollIndicators)
    yield* pass(60)
    expect((yield* indicator).readTo).toBe(start)
    server.queries.length = 0
    return polling
  })

const indicator = Effect.flatMap(IndicatorStore, (store) =>
  Effect.map(store.find(organization, key), Option.getOrThrow),
)

const backfill = findBackfill(organization, key)

/** The total of the objective `good` over a range, and its minutes with events. */
const totalOf = (over: { readonly from: number; readonly to: number }, slo = key, scope = organization) =>
  Effect.flatMap(CountStore, (store) =>
    Effect.map(store.sums([{ organization: scope, slo, ranges: [over] }]), ([read]) => {
      const sum = (read?.sums[0] ?? []).find(({ objective }) => objective === "good")
      return [sum?.total ?? 0, sum?.minutes ?? 0]
    }),
  )

/** Passes time; what is due in between happens when it is. */
const pass = (seconds: number) => TestClock.adjust(seconds * 1_000)

const minutesOf = ({ from, to }: { readonly from: number; readonly to: number }) => (to - from) / minute

describe("backfilling indicators", () => {
  test("spec/data-sources §10: uses the present minutes until the range is read, and then all of it at once", (server) =>
    Effect.gen(function* () {
      yield* readHistory(server)
      server.valueAt = () => 30
      let reads = 0
      server.isUp = ({ from }) => from > range.to || reads++ < 6
      yield* startBackfill(organization, key, body)
      yield* Effect.forkChild(backfillIndicators)
      yield* pass(30)
      const running = yield* backfill
      expect(running).toMatchObject({ state: "running", failures: 1, readTo: range.from + 3 * day })
      expect(running.problem?.reason).toBe("connect_refused")
      expect(backfillPercent(running)).toBe(42)
      expect(yield* totalOf(range)).toEqual([10 * minutesOf(range), minutesOf(range)])
      server.isUp = () => true
      yield* pass(60)
      expect(yield* backfill).toMatchObject({ state: "complete", failures: 0, firstAt: range.from })
      expect((yield* backfill).problem).toBe(undefined)
      expect(backfillPercent(yield* backfill)).toBe(100)
      expect(yield* totalOf(range)).toEqual([30 * minutesOf(range), minutesOf(range)])
      for (const other of [
        { from: range.from - day, to: range.from },
        { from: range.to, to: range.to + day },
      ])
        expect(yield* totalOf(other)).toEqual([10 * 1_440, 1_440])
      for (const query of server.queries) expect(query.to - query.from).toBeLessThanOrEqual(day)
    }))

  test("spec/data-sources §10: a minute without a value has no count afterwards, unless it is before the first that the server has", (server) =>
    Effect.gen(function* () {
      yield* readHistory(server)
      const known = range.from + 2 * day + 7 * minute
      server.valueAt = (at) => (at < known || (at >= known + day && at < known + 2 * day) ? undefined : 20)
      yield* startBackfill(organization, key, body)
      yield* Effect.forkChild(backfillIndicators)
      yield* pass(30)
      expect(yield* backfill).toMatchObject({ state: "complete", firstAt: known })
      expect(yield* totalOf({ from: range.from, to: known })).toEqual([10 * 2_887, 2_887])
      expect(yield* totalOf({ from: known, to: range.to })).toEqual([
        20 * (5 * 1_440 - 1_447),
        5 * 1_440 - 1_447,
      ])
    }))

  test("spec/data-sources §10: fails, and replaces nothing, if the server has no values of the range", (server) =>
    Effect.gen(function* () {
      yield* readHistory(server)
      server.valueAt = (at) => (at < range.to ? undefined : 20)
      yield* startBackfill(organization, key, body)
      yield* Effect.forkChild(backfillIndicators)
      yield* pass(30)
      expect(yield* backfill).toMatchObject({ state: "failed", reason: "no_values" })
      expect((yield* Effect.flip(resumeBackfill(organization, key)))._tag).toBe("BackfillIsNotResumable")
      expect(yield* totalOf(range)).toEqual([10 * minutesOf(range), minutesOf(range)])
    }))

  test("spec/data-sources §10: waits as reading does while the server is unavailable, fails after a day, and can be resumed", (server) =>
    Effect.gen(function* () {
      yield* readHistory(server)
      let tries = 0
      let reads = 0
      server.isUp = ({ from, expression }) => {
        if (from > range.to + wholeGapMaxMs) return true
        tries += expression === "good" ? 1 : 0
        return reads++ < 4
      }
      yield* startBackfill(organization, key, body)
      const work = yield* Effect.forkChild(backfillIndicators)
      yield* pass(10)
      const read = range.from + 2 * day
      expect(yield* backfill).toMatchObject({ readTo: read, failures: 1 })
      tries = 0
      yield* pass(60 + 120 + 240 + 10 * 300)
      expect(tries).toBe(13)
      yield* pass((backfillOutageMaxMs - 30 * 60_000) / 1_000)
      expect(yield* backfill).toMatchObject({ state: "failed", reason: "source_unavailable", readTo: read })
      expect(yield* totalOf(range)).toEqual([10 * minutesOf(range), minutesOf(range)])
      server.isUp = () => true
      server.valueAt = () => 30
      server.queries.length = 0
      yield* resumeBackfill(organization, key)
      yield* pass(30)
      expect((yield* backfill).state).toBe("complete")
      const reading = server.queries.filter(({ to }) => to <= range.to)
      expect(Math.min(...reading.map(({ from }) => from))).toBe(read + minute)
      // What was read before the outage counts too.
      expect(yield* totalOf(range)).toEqual([10 * 2 * 1_440 + 30 * 5 * 1_440, minutesOf(range)])
      yield* Fiber.interrupt(work)
    }))

  test("spec/data-sources §10: another process continues where one was stopped", (server) =>
    Effect.gen(function* () {
      yield* readHistory(server)
      let reads = 0
      let isHanging = true
      const hanging = Layer.effect(
        MetricSource,
        Effect.map(MetricSource, (source) => ({
          ...source,
          readSeries: (query: SeriesQuery) =>
            isHanging && reads++ >= 6 ? Effect.never : source.readSeries(query),
        })),
      ).pipe(Layer.provide(server.layer))
      yield* startBackfill(organization, key, body)
      const work = yield* Effect.forkChild(Effect.provide(backfillIndicators, hanging))
      yield* pass(10)
      const readTo = range.from + 3 * day
      expect(yield* backfill).toMatchObject({ state: "running", readTo })
      yield* Fiber.interrupt(work)
      isHanging = false
      server.queries.length = 0
      yield* Effect.forkChild(backfillIndicators)
      // Its claim was released: nothing waits for the end of the lease.
      yield* pass(10)
      expect((yield* backfill).state).toBe("complete")
      const reading = server.queries.filter(({ to }) => to <= range.to + wholeGapMaxMs)
      expect(Math.min(...reading.map(({ from }) => from))).toBe(readTo + minute)
    }))

  test("spec/data-sources §10: stops when it is canceled, also by a changed indicator", (server) =>
    Effect.gen(function* () {
      yield* readHistory(server)
      server.valueAt = () => 30
      server.isUp = ({ from }) => from > range.to || from < range.from + 2 * day
      yield* Effect.forkChild(backfillIndicators)
      const before = [10 * minutesOf(range), minutesOf(range)]
      yield* startBackfill(organization, key, body)
      yield* pass(10)
      expect((yield* Effect.flip(startBackfill(organization, key, body)))._tag).toBe("BackfillIsRunning")
      expect(yield* cancelBackfill(organization, key)).toMatchObject({
        state: "canceled",
        reason: "requested",
      })
      server.isUp = () => true
      yield* pass(600)
      expect(yield* totalOf(range)).toEqual(before)
      server.isUp = ({ from }) => from > range.to
      yield* startBackfill(organization, key, body)
      yield* pass(10)
      yield* putDefinitions(organization, [sloWith("sum(total)")])
      server.isUp = () => true
      expect(yield* backfill).toMatchObject({ state: "canceled", reason: "indicator_changed" })
    }))

  test("spec/data-sources §10: events of a gap that reaches over an end of the range are spread as they were over the minutes in it", (server) =>
    Effect.gen(function* () {
      yield* readHistory(server)
      // Two gaps of 20 hours, with 1,200 and 2,400 events: one ends in the range, one begins in it.
      const first = { from: range.from - 10 * 60 * minute, at: range.from + 10 * 60 * minute, events: 1_200 }
      const last = { from: range.to - 10 * 60 * minute, at: range.to + 10 * 60 * minute, events: 2_400 }
      server.gaps = [first, last]
      server.valueAt = (at) => {
        const gap = [first, last].find((each) => at >= each.from && at < each.at)
        return gap === undefined ? 20 : at + minute === gap.at ? gap.events : undefined
      }
      yield* startBackfill(organization, key, body)
      yield* Effect.forkChild(backfillIndicators)
      yield* pass(30)
      expect((yield* backfill).state).toBe("complete")
      const others = minutesOf(range) - 2 * 600
      const [total, minutes] = yield* totalOf(range)
      expect(minutes).toBe(minutesOf(range))
      expect(total).toBeCloseTo(600 + 20 * others + 1_200, 6)
      expect(yield* totalOf({ from: range.to, to: range.to + day })).toEqual([10 * 1_440, 1_440])
    }))

  test("spec/data-sources §10: reports minutes whose values are invalid, which have no count", (server) =>
    Effect.gen(function* () {
      yield* readHistory(server)
      server.valueAt = (at) => (at === range.from + day ? -1 : 20)
      yield* startBackfill(organization, key, body)
      yield* Effect.forkChild(backfillIndicators)
      yield* pass(30)
      expect(yield* backfill).toMatchObject({ state: "complete", problem: { reason: "value_invalid" } })
      expect((yield* totalOf(range))[1]).toBe(minutesOf(range) - 1)
    }))

  test("spec/data-sources §10: delays neither the present minutes nor other organizations, however slow its server is", (server) =>
    Effect.gen(function* () {
      const others = Array.from({ length: 20 }, (_, index) => ({ project: "shop", name: `slo-${index}` }))
      yield* putDefinitions("globex", [sloWith()])
      yield* putDefinitions(
        organization,
        others.map((slo) => sloWith("total", "http://a.example.com", slo)),
      )
      yield* readHistory(server)
      const hanging = Layer.effect(
        MetricSource,
        Effect.map(MetricSource, (source) => ({
          ...source,
          readSeries: (query: SeriesQuery) =>
            query.organization === organization && query.to <= range.to
              ? Effect.never
              : source.readSeries(query),
        })),
      ).pipe(Layer.provide(server.layer))
      yield* Effect.forkChild(Effect.provide(backfillIndicators, hanging))
      for (const slo of [key, ...others]) yield* startBackfill(organization, slo, body)
      server.valueAt = () => 30
      yield* startBackfill("globex", key, body)
      yield* pass(300)
      expect((yield* findBackfill("globex", key)).state).toBe("complete")
      expect((yield* indicator).readTo).toBe(start + 5 * minute)
      const passed = { from: start, to: start + 5 * minute }
      for (const slo of [key, ...others]) expect(yield* totalOf(passed, slo)).toEqual([30 * 5, 5])
    }))

  const others = Array.from({ length: 4 }, (_, index) => ({ project: "shop", name: `slo-${index}` }))

  /** The source, which answers together what `answer` changes; counts what was asked. */
  const togetherOf = (
    server: ReturnType<typeof makeServer>,
    answer = (answers: ReadonlyArray<Answer<Sample>>): Effect.Effect<ReadonlyArray<AnswerInTime<Sample>>> =>
      Effect.succeed(answers),
  ) => {
    const asked: Array<ReadonlyArray<SeriesQuery>> = []
    const layer = Layer.effect(
      MetricSource,
      Effect.map(MetricSource, (source) => ({
        ...source,
        together: {
          readSeries: (queries: ReadonlyArray<SeriesQuery>) => {
            asked.push(queries)
            return Effect.flatMap(
              Effect.forEach(queries, (query) => Effect.result(source.readSeries(query))),
              answer,
            )
          },
          readGaps: (queries: ReadonlyArray<GapQuery>) =>
            Effect.forEach(queries, (query) => Effect.result(source.readGaps(query))),
        },
      })),
    ).pipe(Layer.provide(server.layer))
    return { layer, asked }
  }

  /** The store, which notes what it is asked to do. */
  const notedStore = (notes: Array<string>) =>
    Layer.effect(
      BackfillStore,
      Effect.map(BackfillStore, (store) =>
        BackfillStore.of({
          ...store,
          complete: (...parameters) => {
            notes.push("complete")
            return Effect.ensuring(
              // Others would begin in between.
              Effect.andThen(Effect.sleep(1), store.complete(...parameters)),
              Effect.sync(() => notes.push("completed")),
            )
          },
          release: (organization, claimed, dueAt) => {
            notes.push(`release ${claimed.length}`)
            return store.release(organization, claimed, dueAt)
          },
        }),
      ),
    )

  const begin = (server: ReturnType<typeof makeServer>) =>
    Effect.gen(function* () {
      yield* putDefinitions(
        organization,
        others.map((slo) => sloWith("total", "http://a.example.com", slo)),
      )
      yield* readHistory(server)
      server.valueAt = () => 30
      for (const slo of [key, ...others]) yield* startBackfill(organization, slo, body)
    })

  // A day at a time, and the 25 hours behind the range.
  const readDays = Math.ceil((range.to + wholeGapMaxMs - range.from) / day)

  test("spec/data-sources §10: several of one data source that read the same minutes are read together, and completed one after the other", (server) =>
    Effect.gen(function* () {
      yield* begin(server)
      const { layer, asked } = togetherOf(server)
      const notes: Array<string> = []
      yield* Effect.forkChild(Effect.provide(backfillIndicators, [layer, notedStore(notes)]))
      yield* pass(30)
      for (const slo of [key, ...others]) {
        expect((yield* findBackfill(organization, slo)).state).toBe("complete")
        expect(yield* totalOf(range, slo)).toEqual([30 * minutesOf(range), minutesOf(range)])
      }
      expect(asked).toHaveLength(readDays)
      for (const queries of asked) expect(queries).toHaveLength(2 * (others.length + 1))
      expect(notes).toEqual([key, ...others].flatMap(() => ["complete", "completed"]))
    }))

  test("spec/data-sources §10: does not complete with parts that were not answered, which it reads again", (server) =>
    Effect.gen(function* () {
      yield* begin(server)
      let isWhole = false
      const { layer } = togetherOf(server, (answers) =>
        Effect.succeed(isWhole ? answers : answers.slice(0, -1)),
      )
      yield* Effect.forkChild(Effect.provide(backfillIndicators, layer))
      yield* pass(30)
      const states = Effect.forEach([key, ...others], (slo) => findBackfill(organization, slo))
      const unanswered = (yield* states).filter(({ state }) => state !== "complete")
      // One of each part, until the last one is read alone.
      expect(unanswered).toHaveLength(others.length)
      for (const each of unanswered)
        expect(each).toMatchObject({
          state: "running",
          failures: 1,
          problem: { reason: "reader_unavailable" },
        })
      isWhole = true
      yield* pass(600)
      expect((yield* states).map(({ state }) => state)).toEqual([key, ...others].map(() => "complete"))
      for (const slo of others)
        expect(yield* totalOf(range, slo)).toEqual([30 * minutesOf(range), minutesOf(range)])
    }))

  test("spec/data-sources §10: those that a server was not asked for are left, and have not failed", (server) =>
    Effect.gen(function* () {
      yield* begin(server)
      let calls = 0
      const { layer } = togetherOf(server, (answers) =>
        Effect.sync(() =>
          // Two series of each: at first, those of the first one are not answered in time, and no others are asked.
          calls++ > 0 ? answers : answers.map((_, index) => (index < 2 ? timedOut : "not_asked")),
        ),
      )
      yield* Effect.forkChild(Effect.provide(backfillIndicators, layer))
      yield* pass(30)
      const all = yield* Effect.forEach([key, ...others], (slo) => findBackfill(organization, slo))
      const [failed, ...none] = all.filter(({ state }) => state !== "complete")
      expect(failed).toMatchObject({ failures: 1, readTo: range.from, problem: { reason: "timeout" } })
      expect(none).toEqual([])
      for (const { state, problem } of all) if (state === "complete") expect(problem).toBe(undefined)
    }))

  test("spec/data-sources §10: a defect of one keeps no others from being read, and waits for the end of its lease", (server) =>
    Effect.gen(function* () {
      yield* begin(server)
      const { layer } = togetherOf(server, () => Effect.die(new Error("broken")))
      const tried: Array<number> = []
      const broken = Layer.effect(
        MetricSource,
        Effect.map(MetricSource, (source) => ({
          ...source,
          readSeries: (query: SeriesQuery) =>
            Effect.suspend(() => {
              if (query.expression !== "defect") return source.readSeries(query)
              tried.push(query.from)
              return Effect.die(new Error("broken"))
            }),
        })),
      ).pipe(Layer.provide(layer))
      const defect = { project: "shop", name: "defect" }
      yield* putDefinitions(organization, [sloWith("defect", "http://a.example.com", defect)])
      const polling = yield* Effect.forkChild(pollIndicators)
      yield* pass(60)
      yield* Fiber.interrupt(polling)
      yield* startBackfill(organization, defect, body)
      yield* Effect.forkChild(Effect.provide(backfillIndicators, broken))
      yield* pass(60)
      for (const slo of [key, ...others])
        expect((yield* findBackfill(organization, slo)).state).toBe("complete")
      expect(yield* findBackfill(organization, defect)).toMatchObject({ state: "running", failures: 0 })
      expect(tried).toHaveLength(1)
    }))

  test("spec/data-sources §10: releases what it has claimed if it is stopped before it reads", (server) =>
    Effect.gen(function* () {
      yield* begin(server)
      const notes: Array<string> = []
      const never = Layer.succeed(Processor, new StoppedShares())
      const work = yield* Effect.forkChild(Effect.provide(backfillIndicators, [notedStore(notes), never]))
      yield* pass(10)
      expect(notes).toEqual([])
      yield* Fiber.interrupt(work)
      expect(notes).toEqual(["release 5"])
    }))

  test("spec/data-sources §10: marks no gaps of what was canceled while it was read", (server) =>
    Effect.gen(function* () {
      yield* readHistory(server)
      server.gaps = [
        { from: range.from + 60 * minute, at: range.from + 90 * minute, events: 300 },
        { from: range.from + day + 60 * minute, at: range.from + day + 90 * minute, events: 300 },
      ]
      server.valueAt = (at) => {
        const gap = server.gaps.find((each) => at >= each.from && at < each.at)
        return gap === undefined ? 10 : at + minute === gap.at ? gap.events : undefined
      }
      const store = yield* BackfillStore
      const canceled = Layer.effect(
        MetricSource,
        Effect.map(MetricSource, (source) => ({
          ...source,
          readSeries: (query: SeriesQuery) =>
            Effect.andThen(
              query.from > range.from + day
                ? Effect.ignore(store.cancel(organization, key, start))
                : Effect.void,
              source.readSeries(query),
            ),
        })),
      ).pipe(Layer.provide(server.layer))
      yield* startBackfill(organization, key, body)
      yield* Effect.forkChild(Effect.provide(backfillIndicators, canceled))
      yield* pass(30)
      expect(yield* backfill).toMatchObject({ state: "canceled", readTo: range.from + day })
      const found = yield* (yield* AnnotationStore).find(
        organization,
        { project: key.project, slo: key.name, ...range },
        { limit: 10 },
      )
      expect(found.items.map(({ annotation }) => annotation.from)).toEqual([range.from + 60 * minute])
    }))

  test("spec/data-sources §10: a batch that takes long leaves the rest to the next one, in which it is first", (server) =>
    Effect.gen(function* () {
      yield* begin(server)
      // They read other minutes, so that each is a part of its own.
      const starts = [key, ...others]
      for (const [index, slo] of starts.entries()) {
        yield* cancelBackfill(organization, slo)
        const from = new Date(range.from + index * 60 * minute).toISOString()
        yield* startBackfill(organization, slo, { ...body, from })
      }
      const read: Array<number> = []
      const slow = Layer.effect(
        MetricSource,
        Effect.map(MetricSource, (source) => ({
          ...source,
          readSeries: (query: SeriesQuery) => {
            if (query.expression === "good") read.push((query.from - minute - range.from) / (60 * minute))
            return Effect.andThen(Effect.sleep(3_000), source.readSeries(query))
          },
        })),
      ).pipe(Layer.provide(server.layer))
      const notes: Array<string> = []
      const work = yield* Effect.forkChild(Effect.provide(backfillIndicators, [slow, notedStore(notes)]))
      yield* pass(20)
      // Two parts of 3 s each; then the others, and the first ones once more.
      expect(read.slice(0, 6)).toEqual([0, 1, 2, 3, 4, 24])
      expect(notes.slice(0, 2)).toEqual(["release 3", "release 3"])
      yield* Fiber.interrupt(work)
      expect(notes.at(-1)).toMatch(/^release [1-5]$/)
      const due = yield* (yield* BackfillStore).claim({
        now: yield* Clock.currentTimeMillis,
        leaseMs: 1,
        inFlight: new Set(),
        organizationsMax: 1,
        backfillsPerOrganizationMax: 100,
      })
      expect(due).toHaveLength(starts.length)
    }))

  test("spec/data-sources §10: is bounded by what is read and retained, and says so at once", (server) =>
    Effect.gen(function* () {
      const start400 = (from: number, to: number) =>
        Effect.map(
          Effect.flip(
            startBackfill(organization, key, {
              from: new Date(from).toISOString(),
              to: new Date(to).toISOString(),
            }),
          ),
          (error) =>
            error instanceof BackfillIsInvalid
              ? error.issues.map(({ path, code }) => `${path} ${code}`)
              : error,
        )
      expect(yield* Effect.flip(startBackfill(organization, key, body))).toMatchObject({
        _tag: "SloNotFound",
      })
      yield* putDefinitions(organization, [anSlo(key)])
      expect((yield* Effect.flip(startBackfill(organization, key, body)))._tag).toBe("IndicatorNotFound")
      yield* putDefinitions(organization, [sloWith()])
      expect(yield* start400(range.from, range.to)).toEqual(["to out_of_range"])
      const recentTo = start - 5 * minute
      const recent = { from: start - 7 * minute, to: recentTo, measuredTo: 0, history: { failures: 0 } }
      const settled = { readTo: 0, recent, failures: 0, dueAt: start }
      yield* (yield* IndicatorStore).settle(organization, key, yield* indicator, settled)
      expect(yield* start400(start - day, start)).toEqual(["to out_of_range"])
      expect(
        yield* startBackfill(organization, key, {
          from: new Date(start - day).toISOString(),
          to: new Date(recentTo).toISOString(),
        }),
      ).toMatchObject({ range: { from: start - day, to: recentTo } })
      yield* putDefinitions(organization, [anSlo(key)])
      yield* putDefinitions(organization, [sloWith()])
      yield* readHistory(server)
      expect((yield* Effect.flip(backfill))._tag).toBe("BackfillNotFound")
      expect((yield* Effect.flip(cancelBackfill(organization, key)))._tag).toBe("BackfillNotFound")
      expect((yield* Effect.flip(resumeBackfill(organization, key)))._tag).toBe("BackfillNotFound")
      expect(yield* start400(start, start + minute)).toEqual(["to out_of_range"])
      expect(yield* start400(range.to, range.to + 59_000)).toEqual(["from out_of_range"])
      const oldest = minuteOf(start + minute - 408 * day)
      expect(yield* start400(oldest - minute, start)).toEqual(["from out_of_range", "from out_of_range"])
      expect(yield* start400(start - (backfillMinutesMax / 2 + 1) * minute, start)).toEqual([
        "from out_of_range",
      ])
      expect(
        yield* startBackfill(organization, key, {
          from: new Date(start - (backfillMinutesMax / 2) * minute).toISOString(),
          to: new Date(start + 59_000).toISOString(),
        }),
      ).toMatchObject({ range: { from: start - (backfillMinutesMax / 2) * minute, to: start } })
      expect(yield* CountsRetention).toBe(408)
      const wrong = yield* Effect.flip(startBackfill(organization, key, { from: "yesterday" }))
      expect(wrong).toMatchObject({
        issues: [
          { path: "from", code: "invalid_format" },
          { path: "to", code: "required" },
        ],
      })
    }))
})

it("spec/data-sources §10: plans parts of at most a day, smaller after failures, and as far as gaps may end", () => {
  const plan = (readTo: number, failures: number, indicatorReadTo: number, objectives = 1) =>
    planBackfill({ range, readTo, failures }, objectives, indicatorReadTo)
  const to = (part: { readonly to: number } | undefined, from: number) =>
    part === undefined ? undefined : (part.to - from) / minute
  expect([0, 1, 2, 5, 20].map((failures) => to(plan(range.from, failures, start), range.from))).toEqual([
    1_440, 360, 90, 1, 1,
  ])
  expect(to(plan(range.from, 0, start, 100), range.from)).toBe(100)
  expect(to(plan(range.to, 0, start), range.to)).toBe(1_440)
  expect(to(plan(range.to + day, 0, start), range.to)).toBe(1_500)
  expect(plan(range.to + wholeGapMaxMs, 0, start)).toBe(undefined)
  expect(to(plan(range.to, 0, range.to + 3 * minute), range.to)).toBe(3)
  expect(plan(range.to, 0, range.to)).toBe(undefined)
})
