import * as References from "effect/References"
import { anSlo, putDefinitions, removeSlos, sourceUrlOf } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { MemoryStores } from "@tocsin/adapters-memory"
import { type DataSource, metrics } from "@tocsin/domain/adapter"
import { durationOf, minuteOf } from "@tocsin/domain/codec"
import { findDataSource, listDataSources, pollIndicators } from "@tocsin/domain/features/data-source"
import type { ProjectKey } from "@tocsin/domain/kernel"
import {
  CountStore,
  IndicatorStore,
  type MetricFailure,
  MetricsAreUnavailable,
  MetricSource,
  type SeriesQuery,
  StoreIsUnavailable,
} from "@tocsin/domain/ports"
import { indicatorBatchesAtOnce } from "../../src/data-source/PollIndicators.ts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { indicatorHistoryMs, indicatorLeaseMs } from "../../src/data-source/PollPlan.ts"

const organization = "acme"
const minute = 60_000
const day = 24 * 60 * minute
const start = Date.UTC(2026, 0, 30, 12)
const key = { project: "shop", name: "checkout" }
const url = "http://a.example.com"

const sloWith = (total = "total", at = url, slo = key) =>
  anSlo(slo, { indicator: { prometheus: { url: sourceUrlOf(at), good: "good", total } } })

/** The events of the minute that begins then, as the servers of these tests know them. */
const eventsAt = (at: number) => ({ good: (at / minute) % 7, total: 7 + ((at / minute) % 3) })

/** A server that knows all minutes and answers at once; what it was asked is remembered. */
const makeServer = () => {
  const asked: Array<SeriesQuery> = []
  const answer = (query: SeriesQuery): ReturnType<MetricSource["Service"]["readSeries"]> => {
    asked.push(query)
    const samples = []
    for (let at = query.from; at <= query.to; at += minute) {
      const events = eventsAt(at - minute)
      samples.push({ at, value: query.expression === "good" ? events.good : events.total })
    }
    return Effect.succeed(samples)
  }
  return { asked, answer }
}

type ReadSeries = MetricSource["Service"]["readSeries"]

type Context = Layer.Success<typeof MemoryStores.layer> | MetricSource

/** A test that begins at noon, with servers that answer so; the logs it makes are given to it. */
const test = (
  what: string,
  readSeries: ReadSeries,
  effect: (logs: ReadonlyArray<unknown>) => Effect.Effect<void, unknown, Context>,
): void =>
  it.effect(what, () => {
    const logs: Array<unknown> = []
    const logger = Logger.layer([
      Logger.make(({ message, fiber }) =>
        logs.push(JSON.stringify([message, fiber.getRef(References.CurrentLogAnnotations)])),
      ),
    ])
    return Effect.andThen(TestClock.setTime(start), effect(logs)).pipe(
      Effect.provide(
        Layer.mergeAll(
          MemoryStores.layer,
          Layer.succeed(MetricSource, {
            readSeries,
            readGaps: () => Effect.succeed([]),
            readNames: () => Effect.succeed({ names: [], isComplete: true }),
          }),
          logger,
        ),
      ),
    )
  })

/** The sums of the objective `good` over a range. */
const sums = (from: number, to: number, slo = key) =>
  Effect.flatMap(CountStore, (store) =>
    Effect.map(store.sums([{ organization, slo, ranges: [{ from, to }] }]), ([found]) =>
      (found?.sums[0] ?? []).map(({ objective, good, total, minutes }) => [objective, good, total, minutes]),
    ),
  )

/** What those sums are when each minute of the range was counted once. */
const expectedSums = (from: number, to: number) => {
  let [good, total] = [0, 0]
  for (let at = from; at < to; at += minute) {
    good += eventsAt(at).good
    total += eventsAt(at).total
  }
  return ["good", "great"].map((objective) => [objective, good, total, (to - from) / minute])
}

const readToOf = (of: string, slo: ProjectKey) =>
  Effect.flatMap(IndicatorStore, (store) =>
    Effect.map(store.find(of, slo), (found) => Option.getOrThrow(found).readTo),
  )

const state = Effect.flatMap(IndicatorStore, (store) =>
  Effect.map(store.find(organization, key), Option.getOrUndefined),
)

/** Passes time; what is due in between happens when it is. */
const pass = (seconds: number) => TestClock.adjust(seconds * 1_000)

const oldest = minuteOf(start - indicatorHistoryMs) + minute

describe("polling indicators", () => {
  const all = makeServer()
  test(
    "spec/data-sources §2: reads a new indicator from 31 days back, then each minute as it is over",
    all.answer,
    () =>
      Effect.gen(function* () {
        yield* putDefinitions(organization, [sloWith()])
        yield* Effect.forkChild(pollIndicators)
        yield* pass(60)
        expect(yield* sums(oldest, start)).toEqual(expectedSums(oldest, start))
        expect((yield* state)?.readTo).toBe(start)
        // No answer has more points than Prometheus gives.
        for (const { from, to } of all.asked) expect((to - from) / minute).toBeLessThanOrEqual(10_085)
        yield* pass(15)
        expect(yield* sums(oldest, start + day)).toEqual(expectedSums(oldest, start + minute))
        all.asked.length = 0
        yield* pass(600)
        expect(yield* sums(oldest, start + day)).toEqual(expectedSums(oldest, start + 11 * minute))
        expect(all.asked).toHaveLength(2 * 10)
        expect(yield* state).toMatchObject({ failures: 0, readTo: start + 11 * minute })
      }),
  )

  const isOld = ({ from }: SeriesQuery): boolean => from < start - day
  const hanging = makeServer()
  test(
    "spec/data-sources §2: while older minutes take long, the latest are read, and nothing of both is lost when a process ends",
    (query) => (isOld(query) ? Effect.delay(hanging.answer(query), "40 seconds") : hanging.answer(query)),
    () =>
      Effect.gen(function* () {
        yield* putDefinitions(organization, [sloWith()])
        const first = yield* Effect.forkChild(pollIndicators)
        yield* pass(1)
        const recent = { from: start - 6 * 60 * minute - 60 * minute, to: start - minute }
        expect(yield* state).toMatchObject({ readTo: 0, failures: 0, recent })
        expect(yield* sums(recent.from, start)).toEqual(expectedSums(recent.from, recent.to))
        yield* pass(100)
        expect((yield* state)?.recent?.to).toBe(start + minute)
        const { readTo = 0 } = (yield* state) ?? {}
        expect(readTo).toBeGreaterThan(oldest)
        expect(readTo).toBeLessThan(recent.from)
        yield* Fiber.interrupt(first)
        yield* Effect.forkChild(pollIndicators)
        yield* pass(600)
        const end = start + 11 * minute
        expect(yield* sums(oldest, end)).toEqual(expectedSums(oldest, end))
        expect(yield* state).toMatchObject({ failures: 0, readTo: end })
        expect((yield* state)?.recent).toBe(undefined)
      }),
  )

  const lasting = makeServer()
  test(
    "spec/data-sources §2: older minutes that take longer than a lease are kept, although another process reads new ones meanwhile",
    (query) =>
      isOld(query) ? Effect.delay(lasting.answer(query), indicatorLeaseMs + 30_000) : lasting.answer(query),
    () =>
      Effect.gen(function* () {
        yield* putDefinitions(organization, [sloWith()])
        yield* Effect.forkChild(pollIndicators)
        yield* pass(10)
        yield* Effect.forkChild(pollIndicators)
        yield* pass(3_600)
        const { recent, readTo = 0 } = (yield* state) ?? {}
        expect([recent, readTo]).toEqual([undefined, expect.any(Number)])
        expect(readTo).toBeGreaterThan(start + 55 * minute)
        expect(yield* sums(oldest, readTo)).toEqual(expectedSums(oldest, readTo))
      }),
  )

  const crowded = makeServer()
  test(
    "spec/data-sources §4: the recent minutes of new indicators do not wait for the history of others",
    (query) => (isOld(query) ? Effect.never : crowded.answer(query)),
    () =>
      Effect.gen(function* () {
        const sloOf = (server: string, index: number) =>
          sloWith("total", `http://${server}.example.com`, { ...key, name: `${server}-${index}` })
        const slosOf = (server: string) => Array.from({ length: 30 }, (_, index) => sloOf(server, index))
        yield* putDefinitions(organization, [...slosOf("a"), ...slosOf("b")])
        yield* Effect.forkChild(pollIndicators)
        yield* pass(5)
        yield* putDefinitions(organization, slosOf("c"))
        yield* pass(5)
        for (const { metadata } of slosOf("c")) {
          const found = yield* (yield* IndicatorStore).find(organization, metadata)
          expect(Option.getOrThrow(found).recent?.to).toBe(start - minute)
        }
      }),
  )

  const waiting = makeServer()
  test(
    "spec/data-sources §4: a server that waits for a turn gives back all its indicators at once",
    (query) => (isOld(query) ? Effect.never : waiting.answer(query)),
    () =>
      Effect.gen(function* () {
        const slosOf = (server: string, count: number) =>
          Array.from({ length: count }, (_, index) =>
            sloWith("total", `http://${server}.example.com`, { ...key, name: `${server}-${index}` }),
          )
        yield* putDefinitions(organization, [...slosOf("a", 1), ...slosOf("b", 1)])
        const store = yield* IndicatorStore
        const calls: Array<string> = []
        const counted = IndicatorStore.of({
          ...store,
          settle: (...args) =>
            Effect.andThen(
              Effect.sync(() => calls.push("settle")),
              store.settle(...args),
            ),
          release: (...args) =>
            Effect.andThen(
              Effect.sync(() => calls.push(`release ${args[0].polls.length}`)),
              store.release(...args),
            ),
        })
        yield* Effect.forkChild(Effect.provideService(pollIndicators, IndicatorStore, counted))
        yield* pass(5)
        yield* putDefinitions(organization, slosOf("c", 30))
        yield* pass(3)
        calls.length = 0
        yield* pass(6)
        expect(new Set(calls)).toEqual(new Set(["release 30"]))
        expect(calls.length).toBeLessThanOrEqual(6)
        yield* pass(62)
        for (const { metadata } of slosOf("c", 30)) {
          const found = yield* store.find(organization, metadata)
          expect(Option.getOrThrow(found).recent?.to).toBe(start + minute)
        }
      }),
  )

  const crowd = makeServer()
  test(
    "spec/data-sources §4: new minutes of many indicators of a server are stored together",
    crowd.answer,
    () =>
      Effect.gen(function* () {
        const slos = Array.from({ length: 50 }, (_, index) => ({ ...key, name: `slo-${index}` }))
        yield* putDefinitions(
          organization,
          slos.map((slo) => sloWith("total", url, slo)),
        )
        const indicators = yield* IndicatorStore
        for (const slo of slos) {
          const { indicator } = Option.getOrThrow(yield* indicators.find(organization, slo))
          const read = { readTo: start, failures: 0, dueAt: start + 75_000 }
          yield* indicators.settle(organization, slo, { indicator, readTo: 0 }, read)
        }
        const store = yield* CountStore
        const slow = CountStore.of({
          ...store,
          record: (...args) => Effect.delay(store.record(...args), "1 second"),
        })
        yield* Effect.forkChild(Effect.provideService(pollIndicators, CountStore, slow))
        yield* pass(78)
        for (const slo of slos) expect(yield* readToOf(organization, slo)).toBe(start + minute)
      }),
  )

  const busy = makeServer()
  test(
    "spec/data-sources §4: new minutes do not wait for the older ones of another SLO of the same server",
    (query) => (isOld(query) ? Effect.never : busy.answer(query)),
    () =>
      Effect.gen(function* () {
        const first = { ...key, name: "first" }
        yield* putDefinitions(organization, [sloWith("total", url, first)])
        yield* Effect.forkChild(pollIndicators)
        yield* pass(5)
        const others = Array.from({ length: 3 }, (_, index) => ({ ...key, name: `slo-${index}` }))
        yield* putDefinitions(
          organization,
          others.map((slo) => sloWith("total", url, slo)),
        )
        for (let minutes = 0; minutes < 3; minutes++) {
          yield* pass(60)
          for (const slo of others) {
            const found = yield* (yield* IndicatorStore).find(organization, slo)
            expect(Option.getOrThrow(found).recent?.to).toBe(start + minutes * minute)
          }
        }
      }),
  )

  const besieged = makeServer()
  test(
    "spec/data-sources §4: new minutes wait for no history, however many servers hang with theirs",
    (query) => (isOld(query) ? Effect.never : besieged.answer(query)),
    () =>
      Effect.gen(function* () {
        const others = ["a", "b", "c", "d"].flatMap((of) =>
          Array.from({ length: 8 }, (_, index) => ({ of, slo: { project: "shop", name: `slo-${index}` } })),
        )
        for (const { of, slo } of others) {
          yield* putDefinitions(of, [sloWith("total", `http://${slo.name}.example.com`, slo)])
        }
        yield* Effect.forkChild(pollIndicators)
        yield* pass(10)
        yield* putDefinitions(organization, [sloWith()])
        const latestOf = (of: string, slo: ProjectKey) =>
          Effect.flatMap(IndicatorStore, (store) =>
            Effect.map(store.find(of, slo), (found) => Option.getOrThrow(found).recent?.to),
          )
        for (let minutes = 0; minutes < 5; minutes++) {
          yield* pass(60)
          const latest = yield* Effect.forEach(others, ({ of, slo }) => latestOf(of, slo))
          const end = start + minutes * minute
          // Those that have a turn to read older minutes hang.
          expect(latest.filter((to) => to === end).length).toBeGreaterThanOrEqual(others.length - 4)
          expect(yield* latestOf(organization, key)).toBe(end)
        }
      }),
  )

  const patient = makeServer()
  test(
    "spec/data-sources §4: slow servers take turns to have their older minutes read",
    (query) => (isOld(query) ? Effect.delay(patient.answer(query), "20 seconds") : patient.answer(query)),
    () =>
      Effect.gen(function* () {
        const slos = Array.from({ length: 8 }, (_, index) => ({ project: "shop", name: `slo-${index}` }))
        yield* putDefinitions(
          organization,
          slos.map((slo) => sloWith("total", `http://${slo.name}.example.com`, slo)),
        )
        yield* Effect.forkChild(pollIndicators)
        yield* pass(600)
        for (const slo of slos) expect(yield* readToOf(organization, slo)).toBeGreaterThan(0)
      }),
  )

  let areOldAway = true
  const forgetful = makeServer()
  test(
    "spec/data-sources §2: while older minutes cannot be read, the latest are, and the data source is available",
    (query) =>
      areOldAway && isOld(query)
        ? Effect.fail(new MetricsAreUnavailable({ reason: "timeout", detail: "too slow" }))
        : forgetful.answer(query),
    (logs) =>
      Effect.gen(function* () {
        yield* putDefinitions(organization, [sloWith()])
        yield* Effect.forkChild(pollIndicators)
        for (let minutes = 0; minutes < 10; minutes++) {
          yield* pass(60)
          expect((yield* state)?.recent?.to).toBe(start + minutes * minute)
        }
        const current = yield* state
        expect(current).toMatchObject({ readTo: 0, failures: 0 })
        expect(current?.recent?.history.problem).toMatchObject({ reason: "timeout", detail: "too slow" })
        expect(current?.recent?.history.failures).toBe(4)
        expect(current?.problem).toBe(undefined)
        expect(current?.unavailableSince).toBe(undefined)
        expect(logs.filter((line) => String(line).includes("too slow"))).toHaveLength(1)
        areOldAway = false
        yield* pass(300)
        const end = start + 14 * minute
        const from = oldest + 15 * minute
        expect(yield* sums(from, end)).toEqual(expectedSums(from, end))
        expect((yield* state)?.recent).toBe(undefined)
      }),
  )

  const replaced = makeServer()
  test(
    "spec/data-sources §6: older minutes that could not be read are tried at once with a changed data source",
    (query) =>
      isOld(query) && query.server.url.text === url
        ? Effect.fail(new MetricsAreUnavailable({ reason: "timeout", detail: "too slow" }))
        : replaced.answer(query),
    () =>
      Effect.gen(function* () {
        const source = { project: "shop", name: "mimir" }
        const definedAt = (text: string): DataSource => ({
          kind: "DataSource",
          metadata: source,
          spec: { prometheus: { url: sourceUrlOf(text), headers: [] } },
        })
        const indicator = { prometheus: { dataSource: source, good: "good", total: "total" } }
        yield* putDefinitions(organization, [definedAt(url), anSlo(key, { indicator })])
        yield* Effect.forkChild(pollIndicators)
        yield* pass(620)
        expect((yield* state)?.recent?.history.failures).toBe(4)
        yield* putDefinitions(organization, [definedAt("http://b.example.com")])
        yield* pass(10)
        expect((yield* state)?.recent).toBe(undefined)
        // All of it, in parts that are as long as without failures.
        expect(replaced.asked.filter(isOld)).toHaveLength(2 * 11)
      }),
  )

  let isAway = false
  const away = makeServer()
  test(
    "spec/data-sources §1: continues after an outage of its server, without gaps or duplicates, and reports the problem meanwhile",
    (query) =>
      isAway
        ? Effect.fail(new MetricsAreUnavailable({ reason: "connect_refused", detail: "it refused" }))
        : away.answer(query),
    (logs) =>
      Effect.gen(function* () {
        yield* putDefinitions(organization, [sloWith()])
        yield* Effect.forkChild(pollIndicators)
        yield* pass(60)
        isAway = true
        yield* pass(900)
        const current = yield* state
        expect(current?.problem).toMatchObject({ reason: "connect_refused", detail: "it refused" })
        expect(current?.failures).toBe(5)
        expect(current?.unavailableSince).toBe((current?.succeededAt ?? 0) + minute)
        expect(current?.readTo).toBe(start)
        expect(logs.filter((line) => String(line).includes("it refused"))).toHaveLength(1)
        isAway = false
        // It is asked again every five minutes, and then part by part.
        yield* pass(300)
        const end = start + 20 * minute
        expect(yield* sums(oldest, end)).toEqual(expectedSums(oldest, end))
        expect(yield* state).toMatchObject({ failures: 0 })
        expect((yield* state)?.problem).toBe(undefined)
        expect((yield* state)?.unavailableSince).toBe(undefined)
      }),
  )

  let failure: MetricFailure | undefined
  const between = makeServer()
  test(
    "spec/data-sources §14: knows since when a data source is unavailable, which an invalid expression is not",
    (query) =>
      failure === undefined
        ? between.answer(query)
        : Effect.fail(new MetricsAreUnavailable({ reason: failure, detail: failure })),
    () =>
      Effect.gen(function* () {
        const definition: DataSource = {
          kind: "DataSource",
          metadata: { project: "shop", name: "mimir" },
          spec: { prometheus: { url: sourceUrlOf(url), headers: [] } },
        }
        const { kind: _kind, metadata: source } = definition
        const indicator = { prometheus: { dataSource: source, good: "good", total: "total" } }
        yield* putDefinitions(organization, [definition, anSlo(key, { indicator })])
        const listed = Effect.map(listDataSources(organization, {}), ({ dataSources }) => dataSources[0])
        expect((yield* listed)?.state).toBe("unused")
        yield* Effect.forkChild(pollIndicators)
        yield* pass(60)
        expect((yield* listed)?.state).toBe("available")
        failure = "query_invalid"
        yield* pass(60)
        expect((yield* state)?.problem?.reason).toBe("query_invalid")
        expect((yield* listed)?.state).toBe("available")
        failure = "connect_refused"
        yield* pass(120)
        failure = "dns_timeout"
        yield* pass(180)
        const found = yield* findDataSource(organization, source)
        expect(found.state).toBe("unavailable")
        const { problem, unavailableSince = 0 } = found.reading
        expect(problem?.reason).toBe("dns_timeout")
        expect(unavailableSince).toBeGreaterThan(start + minute)
        expect(unavailableSince).toBeLessThan((problem?.at ?? 0) - minute)
        failure = undefined
        yield* pass(300)
        expect((yield* listed)?.state).toBe("available")
        const unknown = findDataSource(organization, { project: "shop", name: "unknown" })
        expect((yield* Effect.flip(unknown))._tag).toBe("DataSourceNotFound")
      }),
  )

  const moved = makeServer()
  test(
    "spec/data-sources §6: reads from the data source as it is defined now, after its query delay",
    (query) =>
      query.server.url.text === url
        ? Effect.fail(new MetricsAreUnavailable({ reason: "credentials_rejected", detail: "rejected" }))
        : moved.answer(query),
    () =>
      Effect.gen(function* () {
        const source = { project: "shop", name: "mimir" }
        const definedAt = (text: string): DataSource => ({
          kind: "DataSource",
          metadata: source,
          spec: {
            prometheus: {
              url: sourceUrlOf(text),
              headers: [],
              tenant: "shop",
              queryDelay: durationOf("10m"),
            },
          },
        })
        const indicator = { prometheus: { dataSource: source, good: "good", total: "total" } }
        yield* putDefinitions(organization, [definedAt(url), anSlo(key, { indicator })])
        yield* Effect.forkChild(pollIndicators)
        yield* pass(30)
        expect(yield* state).toMatchObject({ failures: 1, problem: { reason: "credentials_rejected" } })
        yield* putDefinitions(organization, [definedAt("http://b.example.com")])
        yield* pass(30)
        const readTo = start - 10 * minute
        expect((yield* state)?.readTo).toBe(readTo + minute)
        expect(yield* sums(oldest, start)).toEqual(expectedSums(oldest, readTo + minute))
        expect(moved.asked[0]?.server).toMatchObject({ tenant: "shop" })
        yield* pass(60)
        expect((yield* state)?.readTo).toBe(readTo + 2 * minute)
        expect((yield* state)?.problem).toBe(undefined)
      }),
  )

  const slow = makeServer()
  test(
    "spec/data-sources §3: a server that never responds delays no other",
    (query) => (query.server.url.text === url ? Effect.never : slow.answer(query)),
    () =>
      Effect.gen(function* () {
        const hanging = Array.from({ length: 40 }, (_, index) => ({
          project: "shop",
          name: `hanging-${index}`,
        }))
        const other = { project: "shop", name: "other" }
        yield* putDefinitions(organization, [
          ...hanging.map((slo) => sloWith("total", url, slo)),
          sloWith("total", "http://b.example.com", other),
        ])
        yield* Effect.forkChild(pollIndicators)
        yield* pass(60)
        yield* pass(135)
        expect(yield* sums(oldest, start + day, other)).toEqual(expectedSums(oldest, start + 3 * minute))
      }),
  )

  const prefixed = makeServer()
  const tenantUrl = (name: string) => `https://mimir.example.com/${name}/prometheus`
  test(
    "spec/data-sources §4: a path of a host that never responds delays no other path of it",
    (query) => (query.server.url.text === tenantUrl("hangs") ? Effect.never : prefixed.answer(query)),
    () =>
      Effect.gen(function* () {
        const hanging = Array.from({ length: 40 }, (_, index) => ({
          project: "shop",
          name: `hanging-${index}`,
        }))
        yield* putDefinitions(organization, [
          ...hanging.map((slo) => sloWith("total", tenantUrl("hangs"), slo)),
          ...["a", "b"].map((name) => sloWith("total", tenantUrl(name), { project: "shop", name })),
        ])
        yield* Effect.forkChild(pollIndicators)
        yield* pass(60)
        yield* pass(135)
        for (const name of ["a", "b"]) {
          const slo = { project: "shop", name }
          expect(yield* sums(oldest, start + day, slo)).toEqual(expectedSums(oldest, start + 3 * minute))
        }
      }),
  )

  const prompt = makeServer()
  test(
    "spec/data-sources §4: an organization whose servers never response delays no other's minutes, not even of a server of both",
    (query) => (query.expression === "hanging" ? Effect.never : prompt.answer(query)),
    () =>
      Effect.gen(function* () {
        const servers = Array.from({ length: 3 * indicatorBatchesAtOnce }, (_, index) => index)
        yield* putDefinitions(
          "globex",
          servers.flatMap((server) =>
            [0, 1].map((index) =>
              sloWith("hanging", `http://s-${server}.example.com`, {
                project: "shop",
                name: `slo-${server}-${index}`,
              }),
            ),
          ),
        )
        yield* Effect.forkChild(pollIndicators)
        yield* pass(1)
        const own = { project: "shop", name: "own" }
        const shared = { project: "shop", name: "shared" }
        yield* putDefinitions(organization, [
          sloWith("total", "http://own.example.com", own),
          sloWith("total", "http://s-0.example.com", shared),
        ])
        yield* pass(60)
        for (let minutes = 1; minutes <= 5; minutes++) {
          yield* pass(60)
          for (const slo of [own, shared]) {
            expect(yield* readToOf(organization, slo)).toBe(start + minutes * minute)
          }
        }
      }),
  )

  const shared = makeServer()
  const recently = (query: SeriesQuery) =>
    Effect.map(shared.answer(query), (samples) => samples.filter(({ at }) => at > start - day))
  test("spec/data-sources §1: two processes share the work: each part is read once", recently, () =>
    Effect.gen(function* () {
      const slos = Array.from({ length: 60 }, (_, index) => ({ project: "shop", name: `slo-${index}` }))
      yield* putDefinitions(
        organization,
        slos.map((slo) => sloWith(`total of ${slo.name}`, url, slo)),
      )
      yield* Effect.forkChild(pollIndicators)
      yield* Effect.forkChild(pollIndicators)
      yield* pass(120)
      const parts = shared.asked.map(({ expression, from, to }) => `${expression} ${from} ${to}`)
      const totals = parts.filter((part) => part.startsWith("total"))
      expect(new Set(totals).size).toBe(totals.length)
      for (const slo of slos) {
        expect(yield* sums(oldest, start + day, slo)).toEqual(expectedSums(start - day, start + minute))
      }
    }),
  )

  let hasLate = false
  const late = makeServer()
  test(
    "spec/data-sources §1: a value that comes up to five minutes late still counts",
    (query) =>
      Effect.map(late.answer(query), (samples) =>
        hasLate ? samples : samples.filter(({ at }) => at <= start),
      ),
    () =>
      Effect.gen(function* () {
        yield* putDefinitions(organization, [sloWith()])
        yield* Effect.forkChild(pollIndicators)
        yield* pass(300)
        expect(yield* sums(start, start + day)).toEqual([])
        hasLate = true
        yield* pass(60)
        const end = start + 5 * minute
        expect(yield* sums(oldest, end)).toEqual(expectedSums(oldest, end))
      }),
  )

  const changing = makeServer()
  test(
    "spec/data-sources §2: a changed indicator is read from 31 days back again; what it has no value of stays",
    (query) =>
      query.expression === "twice"
        ? Effect.map(changing.answer(query), (samples) =>
            samples.filter(({ at }) => at > start - day).map(({ at, value }) => ({ at, value: value * 2 })),
          )
        : changing.answer(query),
    () =>
      Effect.gen(function* () {
        yield* putDefinitions(organization, [sloWith()])
        yield* Effect.forkChild(pollIndicators)
        yield* pass(60)
        yield* putDefinitions(organization, [sloWith("twice")])
        yield* pass(60)
        const from = start - day
        const doubled = expectedSums(from, start).map(([objective, good, total, minutes]) => [
          objective,
          good,
          Number(total) * 2,
          minutes,
        ])
        expect(yield* sums(from, start)).toEqual(doubled)
        expect(yield* sums(oldest, from)).toEqual(expectedSums(oldest, from))
      }),
  )

  const settling = makeServer()
  it.effect(
    "spec/data-sources §2: what was recorded and not noted, as after a crash, is read again and counts once",
    () => {
      let losses = 5
      const losing = Layer.effect(
        IndicatorStore,
        Effect.map(IndicatorStore, (store) => ({
          ...store,
          settle: (...args: Parameters<typeof store.settle>) =>
            losses-- > 0
              ? Effect.fail(
                  new StoreIsUnavailable({
                    store: "IndicatorStore",
                    operation: "settle",
                    isRetryable: true,
                    cause: "gone",
                  }),
                )
              : store.settle(...args),
        })),
      )
      const stores = losing.pipe(Layer.provideMerge(MemoryStores.layer))
      return Effect.gen(function* () {
        yield* TestClock.setTime(start)
        yield* putDefinitions(organization, [sloWith()])
        yield* Effect.forkChild(pollIndicators)
        yield* pass(6 * (indicatorLeaseMs / 1_000))
        expect(losses).toBeLessThan(0)
        // What is older was first read when the recent minutes were noted.
        const [from, end] = [oldest + 10 * minute, start + 11 * minute]
        expect(yield* sums(from, end)).toEqual(expectedSums(from, end))
      }).pipe(
        Effect.provide(
          Layer.mergeAll(
            stores,
            Layer.succeed(MetricSource, {
              readSeries: settling.answer,
              readGaps: () => Effect.succeed([]),
              readNames: () => Effect.succeed({ names: [], isComplete: true }),
            }),
            Logger.layer([]),
          ),
        ),
      )
    },
  )

  test(
    "spec/data-sources §11: a metric is compared with the threshold of each objective, and read again when one changes",
    ({ from, to, stepMs = minute, isValue }) => {
      expect([stepMs, isValue]).toEqual([15_000, true])
      const samples = []
      // 0, 1, 2 and 3 in each minute.
      for (let at = from; at <= to; at += stepMs) samples.push({ at, value: (at / stepMs) % 4 })
      return Effect.succeed(samples)
    },
    () =>
      Effect.gen(function* () {
        const slo = (value: number) =>
          anSlo(key, {
            objectives: [
              { name: "fast", target: 0.9, op: "lt", value },
              { name: "slow", target: 0.9, op: "gte", value: 3 },
            ],
            indicator: { prometheus: { url: sourceUrlOf(url), metric: "latency" } },
          })
        yield* putDefinitions(organization, [slo(1)])
        yield* Effect.forkChild(pollIndicators)
        yield* pass(60)
        const range = [start - 60 * minute, start] as const
        expect(yield* sums(...range)).toEqual([
          ["fast", 60, 240, 60],
          ["slow", 60, 240, 60],
        ])
        yield* putDefinitions(organization, [slo(2)])
        yield* pass(60)
        expect(yield* sums(...range)).toEqual([
          ["fast", 120, 240, 60],
          ["slow", 60, 240, 60],
        ])
      }),
  )

  test(
    "spec/data-sources §1: minutes with more errors than requests are all bad, are reported, and are counted once",
    ({ expression, from, to }) => {
      const samples = []
      // Of 10 requests a minute, 11 have failed since 11:50.
      for (let at = from; at <= to; at += minute)
        samples.push({ at, value: expression === "total" ? 10 : at > start - 10 * minute ? 11 : 1 })
      return Effect.succeed(samples)
    },
    () =>
      Effect.gen(function* () {
        const prometheus = { url: sourceUrlOf(url), bad: "bad", total: "total" }
        const objectives = [
          { name: "good", target: 0.9 },
          { name: "great", target: 0.99 },
        ]
        yield* putDefinitions(organization, [anSlo(key, { objectives, indicator: { prometheus } })])
        yield* Effect.forkChild(pollIndicators)
        yield* pass(60)
        expect(yield* sums(start - 60 * minute, start)).toEqual([
          ["good", 450, 600, 60],
          ["great", 450, 600, 60],
        ])
        expect((yield* state)?.problem?.reason).toBe("bad_above_total")
        const limited = Effect.map(Metric.value(metrics.indicatorLimited.of("bad")), ({ count }) => count)
        const before = yield* limited
        expect(before).toBe(10)
        // Five minutes before the new ones are read again.
        yield* pass(120)
        expect(yield* limited).toBe(12)
      }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())),
  )

  test(
    "spec/data-sources §12: the buckets of a histogram are counted for each objective, of the same total",
    ({ expression, from, to }) => {
      const value = expression.includes('le=~"1|') ? 9 : expression.includes("_bucket") ? 7 : 10
      const samples = []
      for (let at = from; at <= to; at += minute) samples.push({ at, value })
      return Effect.succeed(samples)
    },
    () =>
      Effect.gen(function* () {
        const objectives = [
          { name: "fast", target: 0.5, value: 0.3 },
          { name: "usable", target: 0.8, value: 1 },
        ]
        const prometheus = { url: sourceUrlOf(url), histogram: { series: "latency_seconds" } }
        yield* putDefinitions(organization, [anSlo(key, { objectives, indicator: { prometheus } })])
        yield* Effect.forkChild(pollIndicators)
        yield* pass(60)
        expect(yield* sums(start - 60 * minute, start)).toEqual([
          ["fast", 420, 600, 60],
          ["usable", 540, 600, 60],
        ])
      }),
  )

  test(
    "spec/data-sources §1: invalid values are reported, valid ones are counted, and a deleted SLO is not an error",
    ({ expression, from, to }) => {
      const samples = []
      for (let at = from; at <= to; at += minute) {
        samples.push({ at, value: expression === "good" ? Infinity : 1 })
        if (at === start) samples.splice(-1, 1, { at, value: 1 })
      }
      return Effect.succeed(samples)
    },
    (logs) =>
      Effect.gen(function* () {
        yield* putDefinitions(organization, [sloWith()])
        yield* Effect.forkChild(pollIndicators)
        yield* pass(60)
        expect((yield* state)?.problem?.reason).toBe("value_invalid")
        expect(yield* sums(oldest, start)).toEqual([
          ["good", 1, 1, 1],
          ["great", 1, 1, 1],
        ])
        expect(logs).toHaveLength(1)
        yield* removeSlos(organization, [key])
        yield* pass(180)
        expect(logs).toHaveLength(1)
      }),
  )
})
