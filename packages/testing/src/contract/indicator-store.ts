import { sourceUrlOf } from "./ParsedValues.ts"
import { describe, expect, it } from "./EffectTest.ts"
import type { DataSource, SharedIndicator } from "@tocsin/domain/adapter"
import { durationOf } from "@tocsin/domain/codec"
import type { ProjectKey } from "@tocsin/domain/kernel"
import {
  affectedSlosMax,
  type DefinitionStore,
  type IndicatorClaim,
  type IndicatorState,
  IndicatorStore,
  type PollSettled,
  serverOf,
  SloStore,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { anSlo, putDefinitions, removeSlos } from "./slo-definitions.ts"

const organization = "acme"
const start = Date.UTC(2026, 0, 30, 12)
const leaseMs = 60_000
const key = { project: "shop", name: "checkout" }

const indicatorOf = (url = "http://a.example.com:9090", total = "total"): SharedIndicator => ({
  prometheus: { url: sourceUrlOf(url), good: "good", total },
})

const withIndicator = (slo: ProjectKey, indicator = indicatorOf()) => anSlo(slo, { indicator })

const claim = (now: number, request: Partial<IndicatorClaim> = {}) =>
  Effect.flatMap(IndicatorStore, (store) =>
    store.claim({
      now,
      leaseMs,
      inFlight: new Map(),
      batchesMax: 10,
      batchesPerOrganizationMax: 10,
      pollsPerBatchMax: 10,
      ...request,
    }),
  )

/** The names that a claim hands out to one organization, by server. */
const claimNames = (now: number, request: Partial<IndicatorClaim> = {}, of = organization) =>
  Effect.map(claim(now, request), (batches) =>
    Object.fromEntries(
      batches
        .filter((batch) => batch.organization === of)
        .map(({ server, polls }) => [server, polls.map(({ slo }) => slo.definition.metadata.name)]),
    ),
  )

const settle = (
  settled: Partial<PollSettled>,
  claimed: Pick<IndicatorState, "indicator" | "readTo" | "recent"> = { indicator: indicatorOf(), readTo: 0 },
  slo = key,
) =>
  Effect.flatMap(IndicatorStore, (store) =>
    store.settle(organization, slo, claimed, { readTo: 0, failures: 0, dueAt: start, ...settled }),
  )

const find = (slo: ProjectKey = key, scope = organization) =>
  Effect.flatMap(IndicatorStore, (store) => Effect.map(store.find(scope, slo), Option.getOrUndefined))

/** What every `IndicatorStore` does; `layer` gives an empty one, with the definitions that it follows. */
export const indicatorStoreContract = <E>(
  name: string,
  layer: Layer.Layer<IndicatorStore | DefinitionStore | SloStore, E>,
): void => {
  const test = (
    what: string,
    effect: Effect.Effect<void, unknown, IndicatorStore | DefinitionStore | SloStore>,
  ): void => it.effect(what, () => Effect.provide(Effect.andThen(TestClock.setTime(start), effect), layer))

  describe(`IndicatorStore ${name}`, () => {
    test(
      "spec/data-sources §2: an SLO with an indicator is due at once, and returned with its definition and state",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [withIndicator(key), anSlo({ project: "shop", name: "other" })])
        const state = { indicator: indicatorOf(), readTo: 0, failures: 0 }
        expect(yield* find()).toEqual(state)
        expect(yield* find({ project: "shop", name: "other" })).toBe(undefined)
        expect(yield* find(key, "globex")).toBe(undefined)
        expect(yield* find({ project: "\u0000", name: "\u0000" })).toBe(undefined)
        expect(yield* claim(start - 1)).toEqual([])
        const [batch, ...others] = yield* claim(start)
        expect(batch).toMatchObject({ organization, server: "http://a.example.com:9090" })
        expect(batch?.polls).toHaveLength(1)
        expect(others).toEqual([])
        const poll = batch?.polls[0]
        expect(poll).toMatchObject({ organization, state, slo: { createdAt: start } })
        expect(poll?.slo.definition).toEqual(withIndicator(key))
      }),
    )

    test(
      "spec/data-sources §2: keeps the recent minutes that were read before older ones, which a changed indicator has none of",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [withIndicator(key)])
        const claimed = { indicator: indicatorOf(), readTo: 0 }
        const recent = { from: start - 3_600_000, to: start, measuredTo: 0, history: { failures: 0 } }
        expect(yield* settle({ recent, succeededAt: start }, claimed)).toBe(true)
        expect(yield* find()).toEqual({ ...claimed, failures: 0, succeededAt: start, recent })
        const due = Effect.flatMap(SloStore, (store) => store.findForStatus(organization, key))
        const { from, to } = recent
        expect(Option.getOrUndefined(yield* due)).toMatchObject({ readTo: 0, recent: { from, to } })
        const [batch] = yield* claim(start)
        expect(batch?.polls[0]?.state.recent).toEqual(recent)
        // Another caller has advanced it.
        expect(yield* settle({ readTo: 60_000 }, claimed)).toBe(false)
        const problem = { reason: "timeout", detail: "slow", at: start } as const
        const later = { from, to: to + 60_000, measuredTo: 0, history: { failures: 2, problem } }
        expect(yield* settle({ readTo: 120_000, recent: later }, { ...claimed, recent })).toBe(true)
        expect(yield* settle({ recent }, { ...claimed, recent })).toBe(false)
        expect((yield* find())?.recent).toEqual(later)
        yield* putDefinitions(organization, [withIndicator(key, indicatorOf(undefined, "other"))])
        expect(yield* find()).toEqual({ indicator: indicatorOf(undefined, "other"), readTo: 0, failures: 0 })
        expect(Option.getOrThrow(yield* due).recent).toBe(undefined)
        const other = { indicator: indicatorOf(undefined, "other"), readTo: 0 }
        expect(yield* settle({ recent }, other)).toBe(true)
        expect(yield* settle({ readTo: to }, { ...other, recent })).toBe(true)
        expect(yield* find()).toEqual({ ...other, readTo: to, failures: 0 })
        expect(Option.getOrThrow(yield* due).recent).toBe(undefined)
      }),
    )

    test(
      "spec/data-sources §2: keeps new minutes that another caller has read while older ones were, and these as well",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [withIndicator(key)])
        const claimed = { indicator: indicatorOf(), readTo: 0 }
        const recent = { from: start - 3_600_000, to: start, measuredTo: 7, history: { failures: 0 } }
        const later = { ...recent, to: start + 60_000 }
        const problem = { reason: "timeout", detail: "slow", at: start } as const
        expect(yield* settle({ recent }, claimed)).toBe(true)
        expect(yield* settle({ recent: later, failures: 1, problem }, { ...claimed, recent })).toBe(true)
        const part = { readTo: 60_000, recent: { ...recent, history: { failures: 2, problem } } }
        expect(yield* settle({ ...part, succeededAt: start }, { ...claimed, recent })).toBe(true)
        const merged = { ...part.recent, to: later.to }
        expect(yield* find()).toEqual({
          ...claimed,
          readTo: 60_000,
          recent: merged,
          failures: 1,
          problem,
          succeededAt: start,
        })
        // The same minutes were read by both.
        expect(yield* settle(part, { ...claimed, recent })).toBe(false)
        const begun = { ...claimed, readTo: 60_000 }
        for (const other of [{ from: recent.from - 60_000 }, { measuredTo: 8 }]) {
          expect(yield* settle({ readTo: start }, { ...begun, recent: { ...recent, ...other } })).toBe(false)
        }
        // Of the last part, all is read up to the end of the latest minutes. A clock that was ahead reads some again.
        const latest = { ...merged, to: start + 30_000 }
        expect(yield* settle({ readTo: 60_000, recent: latest }, { ...begun, recent: merged })).toBe(true)
        expect((yield* find())?.recent).toEqual(latest)
        expect(yield* settle({ readTo: start }, { ...begun, recent })).toBe(true)
        expect(yield* find()).toMatchObject({ readTo: latest.to })
        expect((yield* find())?.recent).toBe(undefined)
      }),
    )

    test(
      "spec/telemetry §1: counts the indicators of all organizations whose older minutes are not read yet",
      Effect.gen(function* () {
        const { historyBacklog } = yield* IndicatorStore
        expect(yield* historyBacklog).toBe(0)
        const other = { project: "shop", name: "other" }
        yield* putDefinitions(organization, [withIndicator(key), withIndicator(other)])
        yield* putDefinitions("globex", [withIndicator(key)])
        expect(yield* historyBacklog).toBe(3)
        const claimed = { indicator: indicatorOf(), readTo: 0 }
        const recent = { from: start - 3_600_000, to: start, measuredTo: 0, history: { failures: 0 } }
        yield* settle({ recent, dueAt: start + 60_000 }, claimed)
        yield* settle({ readTo: start }, claimed, other)
        expect(yield* historyBacklog).toBe(2)
        yield* settle({ readTo: start - 86_400_000, recent }, { ...claimed, recent })
        expect(yield* historyBacklog).toBe(2)
        yield* settle({ readTo: start }, { ...claimed, readTo: start - 86_400_000, recent })
        expect(yield* historyBacklog).toBe(1)
        yield* removeSlos("globex", [key])
        expect(yield* historyBacklog).toBe(0)
      }),
    )

    test(
      "spec/data-sources §4: takes back the polls of a batch that were not read, and only these",
      Effect.gen(function* () {
        const [a, b, c] = ["a", "b", "c"].map((name) => ({ project: "shop", name }))
        if (a === undefined || b === undefined || c === undefined) return
        yield* putDefinitions(
          organization,
          [a, b, c].map((slo) => withIndicator(slo)),
        )
        const store = yield* IndicatorStore
        const [batch] = yield* claim(start)
        if (batch === undefined) return expect(batch).toBeDefined()
        expect(batch.leasedTo).toBe(start + leaseMs)
        yield* settle({ readTo: 60_000, dueAt: start + 5_000 }, undefined, a)
        yield* store.release(batch, start + 1_000)
        yield* store.release({ ...batch, polls: [] }, start)
        const server = "http://a.example.com:9090"
        expect(yield* claimNames(start + 999)).toEqual({})
        expect(yield* claimNames(start + 1_000)).toEqual({ [server]: ["b", "c"] })
        // Another caller has them now.
        yield* store.release(batch, start + 2_000)
        expect(yield* claimNames(start + 4_999)).toEqual({})
        const [other] = yield* claim(start + 5_000)
        expect(other?.polls).toHaveLength(1)
        yield* putDefinitions(organization, [withIndicator(a, indicatorOf(undefined, "other"))])
        if (other !== undefined) yield* store.release(other, start + 90_000)
        expect(yield* claimNames(start + 5_000)).toEqual({ [server]: ["a"] })
      }),
    )

    test(
      "spec/alerting §12: says of a composite which minutes of its components are not read, until no older minutes are missing",
      Effect.gen(function* () {
        const composed = { ...key, name: "composed" }
        const composite = {
          maxDelay: durationOf("5m"),
          components: [{ slo: key, objective: "good", weight: 1, whenDelayed: "Ignore" as const }],
        }
        yield* putDefinitions(organization, [
          withIndicator(key),
          anSlo(composed, { objectives: [{ name: "all", target: 0.9, composite }] }),
        ])
        const dueOf = (slo: ProjectKey) =>
          Effect.flatMap(SloStore, (store) =>
            Effect.map(store.findForStatus(organization, slo), (found) => {
              const { readTo, recent, componentsUnread } = Option.getOrThrow(found)
              return { readTo, recent, componentsUnread }
            }),
          )
        const claimed = { indicator: indicatorOf(), readTo: 0 }
        const range = { from: start - 3_600_000, to: start }
        const recent = { ...range, measuredTo: 0, history: { failures: 0 } }
        yield* settle({ recent }, claimed)
        expect(yield* dueOf(key)).toEqual({ readTo: 0, recent: range, componentsUnread: undefined })
        const componentsUnread = { from: 0, to: range.from }
        expect(yield* dueOf(composed)).toEqual({ readTo: undefined, recent: undefined, componentsUnread })
        yield* TestClock.setTime(start + 60_000)
        const claimedSlos = yield* (yield* SloStore).dueForStatus(start + 60_000, 10, 1_000)
        expect(
          claimedSlos.map(({ slo, recent, componentsUnread }) => [
            slo.definition.metadata.name,
            recent,
            componentsUnread,
          ]),
        ).toEqual(
          expect.arrayContaining([
            ["checkout", range, undefined],
            ["composed", undefined, componentsUnread],
          ]),
        )
        // From here on, minutes are read again only for gaps that end in the recent ones.
        yield* settle({ readTo: range.from, recent }, { ...claimed, recent })
        expect(yield* find()).toMatchObject({ readTo: range.from, recent })
        const read = { readTo: range.to, recent: undefined, componentsUnread: undefined }
        expect(yield* dueOf(key)).toEqual(read)
        expect(yield* dueOf(composed)).toEqual({ ...read, readTo: undefined })
        // The clock was ahead.
        const later = { readTo: range.to + 60_000, recent }
        yield* settle(later, { ...claimed, readTo: range.from, recent })
        expect(yield* find()).toMatchObject(later)
        expect(yield* dueOf(key)).toEqual({ ...read, readTo: range.to + 60_000 })
        // A server of the version before reads it oldest first: it is behind, and is being read. One that cannot be is only delayed.
        let known: Pick<IndicatorState, "readTo" | "recent"> = { ...later }
        const behind = 8 * 86_400_000
        for (const [readTo, succeededAt, unread, unavailableSince] of [
          [start - behind, start, { from: start - behind, to: Infinity }],
          [start - behind + 60_000, start, undefined, start],
          [start - behind, start - behind, undefined],
          [start - 86_460_000, start, undefined],
        ] as const) {
          const settled = { readTo, succeededAt, ...(unavailableSince !== undefined && { unavailableSince }) }
          expect(yield* settle(settled, { ...claimed, ...known })).toBe(true)
          known = { readTo }
          expect((yield* dueOf(composed)).componentsUnread).toEqual(unread)
        }
      }),
    )

    test(
      "spec/data-sources §6: a changed data source makes its indicators due and keeps what they have read",
      Effect.gen(function* () {
        const source = { project: "shop", name: "mimir" }
        const indicator: SharedIndicator = {
          prometheus: { dataSource: source, good: "good", total: "total" },
        }
        const defined = (tenant: string): DataSource => ({
          kind: "DataSource",
          metadata: source,
          spec: { prometheus: { url: sourceUrlOf("https://mimir.example.com"), headers: [], tenant } },
        })
        const other = { project: "shop", name: "other" }
        yield* putDefinitions(organization, [
          defined("a"),
          withIndicator(key, indicator),
          withIndicator(other),
        ])
        expect(yield* claimNames(start)).toEqual({
          "shop/mimir": ["checkout"],
          "http://a.example.com:9090": ["other"],
        })
        const dueAt = start + 300_000
        const read = { readTo: start, failures: 3, dueAt }
        expect(yield* settle(read, { indicator, readTo: 0 })).toBe(true)
        expect(yield* settle(read, { indicator: indicatorOf(), readTo: 0 }, other)).toBe(true)
        expect(yield* claimNames(dueAt - 1)).toEqual({})
        yield* putDefinitions(organization, [defined("b")])
        expect(yield* claimNames(start)).toEqual({ "shop/mimir": ["checkout"] })
        expect(yield* find()).toMatchObject({ indicator, readTo: start })
      }),
    )

    test(
      "spec/data-sources §14: returns of data sources which SLOs cannot be read, since when and why",
      Effect.gen(function* () {
        const sources = ["mimir", "thanos", "unused"].map((name) => ({ project: "shop", name }))
        const [mimir, thanos, unused] = sources as [ProjectKey, ProjectKey, ProjectKey]
        const of = (dataSource: ProjectKey): SharedIndicator => ({
          prometheus: { dataSource, good: "good", total: "total" },
        })
        const [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map((name) => ({ project: "shop", name })) as [
          ProjectKey,
          ProjectKey,
          ProjectKey,
          ProjectKey,
          ProjectKey,
        ]
        const defined = sources.map((metadata): DataSource => ({
          kind: "DataSource",
          metadata,
          spec: { prometheus: { url: sourceUrlOf("https://mimir.example.com"), headers: [] } },
        }))
        yield* putDefinitions(organization, [
          ...defined,
          ...[a, b, c].map((slo) => withIndicator(slo, of(mimir))),
          ...[d, e].map((slo) => withIndicator(slo, of(thanos))),
        ])
        yield* putDefinitions("globex", [...defined, withIndicator(a, of(mimir))])
        const readings = Effect.flatMap(IndicatorStore, (store) => store.readings(organization, sources))
        const unread = { queried: 0, affected: 0, affectedSlos: [] }
        expect(yield* readings).toEqual([
          { slos: 3, ...unread },
          { slos: 2, ...unread },
          { slos: 0, ...unread },
        ])

        const failing = (at: number, unavailableSince?: number) => ({
          failures: 1,
          problem: { reason: "connect_refused", detail: `at ${at - start}`, at } as const,
          ...(unavailableSince !== undefined && { unavailableSince }),
        })
        const claimed = { indicator: of(mimir), readTo: 0 }
        // Its expression takes too long, and has been for an hour.
        yield* settle(
          { ...failing(start - 10_000, start - 3_600_000), succeededAt: start - 3_660_000 },
          claimed,
          a,
        )
        yield* settle({ ...failing(start - 5_000, start - 60_000), succeededAt: start - 120_000 }, claimed, b)
        yield* settle({ ...failing(start - 7_000), succeededAt: start - 180_000 }, claimed, c)
        yield* settle(failing(start - 1_000, start - 90_000), { indicator: of(thanos), readTo: 0 }, d)
        expect(yield* readings).toEqual([
          {
            slos: 3,
            queried: 3,
            succeededAt: start - 120_000,
            affected: 2,
            affectedSlos: [a, b],
            problem: failing(start - 5_000).problem,
            unavailableSince: start - 60_000,
          },
          {
            slos: 2,
            queried: 1,
            affected: 1,
            affectedSlos: [d],
            problem: failing(start - 1_000).problem,
            unavailableSince: start - 90_000,
          },
          { slos: 0, ...unread },
        ])

        // Another one is read again.
        yield* settle({ succeededAt: start }, claimed, b)
        expect((yield* readings)[0]).toMatchObject({
          succeededAt: start,
          affectedSlos: [a],
          unavailableSince: start - 3_600_000,
        })
        yield* settle({ succeededAt: start }, claimed, a)
        expect((yield* readings)[0]).toEqual({
          slos: 3,
          queried: 3,
          succeededAt: start,
          affected: 0,
          affectedSlos: [],
        })
        // A changed indicator has nothing to do with what was before.
        yield* putDefinitions(organization, [withIndicator(d, of(unused))])
        expect((yield* readings).slice(1)).toEqual([
          { slos: 1, ...unread },
          { slos: 1, ...unread },
        ])
      }),
    )

    test(
      "spec/data-sources §14: lists at most 100 of the SLOs that cannot be read",
      Effect.gen(function* () {
        const source = { project: "shop", name: "mimir" }
        const indicator: SharedIndicator = {
          prometheus: { dataSource: source, good: "good", total: "total" },
        }
        const slos = Array.from({ length: affectedSlosMax + 1 }, (_, index) => ({
          project: "shop",
          name: `slo-${String(index).padStart(3, "0")}`,
        }))
        const definition: DataSource = {
          kind: "DataSource",
          metadata: source,
          spec: { prometheus: { url: sourceUrlOf("https://mimir.example.com"), headers: [] } },
        }
        yield* putDefinitions(organization, [definition, ...slos.map((slo) => withIndicator(slo, indicator))])
        const problem = { reason: "timeout", detail: "slow", at: start } as const
        yield* Effect.forEach(slos, (slo) =>
          settle({ failures: 1, problem, unavailableSince: start }, { indicator, readTo: 0 }, slo),
        )
        const [reading] = yield* (yield* IndicatorStore).readings(organization, [source])
        expect(reading?.affected).toBe(affectedSlosMax + 1)
        expect(reading?.affectedSlos).toEqual(slos.slice(0, affectedSlosMax))
      }),
    )

    test(
      "spec/alerting §12: how far it was read is known where its alerts are evaluated",
      Effect.gen(function* () {
        const other = { project: "shop", name: "other" }
        yield* putDefinitions(organization, [withIndicator(key), anSlo(other)])
        const slos = yield* SloStore
        const readTo = Effect.map(
          Effect.all([slos.findForStatus(organization, key), slos.findForStatus(organization, other)]),
          (found) => found.map((due) => Option.getOrThrow(due).readTo),
        )
        expect(yield* readTo).toEqual([0, undefined])
        yield* claim(start)
        expect(yield* settle({ readTo: start })).toBe(true)
        expect(yield* readTo).toEqual([start, undefined])
        const due = yield* slos.dueForStatus(start, 10, leaseMs)
        expect(due.map((each) => [each.slo.definition.metadata.name, each.readTo]).toSorted()).toEqual([
          ["checkout", start],
          ["other", undefined],
        ])
        yield* putDefinitions(organization, [withIndicator(key, indicatorOf(undefined, "changed"))])
        expect(yield* readTo).toEqual([0, undefined])
        yield* putDefinitions(organization, [anSlo(key)])
        expect(yield* readTo).toEqual([undefined, undefined])
      }),
    )

    test(
      "spec/console §12: finds the indicators that cannot be read, or whose values cannot be counted",
      Effect.gen(function* () {
        const store = yield* IndicatorStore
        const other = { project: "shop", name: "other" }
        yield* putDefinitions(organization, [withIndicator(key), withIndicator(other)])
        yield* putDefinitions("globex", [withIndicator(key)])
        expect(yield* store.failed(organization, 10)).toEqual([])
        const unreachable = { reason: "timeout", detail: "It took too long.", at: start } as const
        const invalid = { reason: "value_invalid", detail: "It is negative.", at: start } as const
        yield* settle({ failures: 1, problem: unreachable, unavailableSince: start }, undefined, other)
        yield* settle({ problem: invalid })
        const server = serverOf(indicatorOf())
        const both = [
          { slo: key, server, problem: invalid, isUnavailable: false },
          { slo: other, server, problem: unreachable, isUnavailable: true },
        ]
        expect(yield* store.failed(organization, 10)).toEqual(both)
        expect(yield* store.failed(organization, 1)).toEqual(both.slice(0, 1))
        expect(yield* store.failed("globex", 10)).toEqual([])
        yield* settle({ succeededAt: start })
        expect(yield* store.failed(organization, 10)).toEqual(both.slice(1))
      }),
    )

    test(
      "spec/data-sources §2: a claim is one caller's until its lease is over, or it is settled",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [withIndicator(key)])
        expect(yield* claim(start)).toHaveLength(1)
        expect(yield* claim(start + leaseMs - 1)).toEqual([])
        expect(yield* claim(start + leaseMs)).toHaveLength(1)
        expect(yield* settle({ readTo: 60_000, dueAt: start + 5_000 })).toBe(true)
        expect(yield* claim(start + 4_999)).toEqual([])
        expect(yield* claim(start + 5_000)).toHaveLength(1)
      }),
    )

    test(
      "spec/data-sources §1: stores and returns the result of a poll",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [withIndicator(key)])
        const problem = { reason: "timeout", detail: "the server did not answer in time", at: start } as const
        const unavailableSince = start - 120_000
        yield* settle({ readTo: 120_000, failures: 3, succeededAt: start - 1, problem, unavailableSince })
        const state = {
          unavailableSince,
          indicator: indicatorOf(),
          readTo: 120_000,
          failures: 3,
          succeededAt: start - 1,
          problem,
        }
        expect(yield* find()).toEqual(state)
        expect((yield* claim(start))[0]?.polls[0]?.state).toEqual(state)
        yield* settle({ readTo: 180_000 }, { indicator: indicatorOf(), readTo: 120_000 })
        expect(yield* find()).toEqual({ indicator: indicatorOf(), readTo: 180_000, failures: 0 })
      }),
    )

    test(
      "spec/data-sources §1: settles nothing that another has read on, or whose indicator is another one by now",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [withIndicator(key)])
        expect(yield* settle({ readTo: 60_000 })).toBe(true)
        expect(yield* settle({ readTo: 120_000 })).toBe(false)
        const changed = indicatorOf(undefined, "other")
        yield* putDefinitions(organization, [withIndicator(key, changed)])
        expect(yield* settle({ readTo: 120_000 }, { indicator: indicatorOf(), readTo: 0 })).toBe(false)
        expect(yield* find()).toEqual({ indicator: changed, readTo: 0, failures: 0 })
        expect(yield* settle({}, undefined, { project: "shop", name: "unknown" })).toBe(false)
      }),
    )

    test(
      "spec/data-sources §1: a changed indicator restarts at once; any other change of the SLO keeps the state, and is returned by the claim",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [withIndicator(key)])
        yield* settle({ readTo: 60_000, dueAt: start + 30_000 })
        const described = anSlo(key, { indicator: indicatorOf(), description: "Orders" })
        yield* putDefinitions(organization, [described])
        expect(yield* find()).toMatchObject({ readTo: 60_000 })
        expect(yield* claim(start)).toEqual([])
        const [batch] = yield* claim(start + 30_000)
        expect(batch?.polls[0]?.slo.definition).toEqual(described)
        yield* putDefinitions(organization, [withIndicator(key, indicatorOf("https://b.example.com/prefix"))])
        expect(yield* claimNames(start)).toEqual({ "https://b.example.com/prefix": ["checkout"] })
        expect(yield* find()).toMatchObject({ readTo: 0, failures: 0 })
      }),
    )

    test(
      "spec/data-sources §2: removing the indicator or the SLO deletes the state; created again it restarts",
      Effect.gen(function* () {
        const other = { project: "shop", name: "other" }
        yield* putDefinitions(organization, [withIndicator(key), withIndicator(other)])
        yield* settle({ readTo: 60_000 })
        yield* putDefinitions(organization, [anSlo(key)])
        yield* removeSlos(organization, [other])
        expect([yield* find(), yield* find(other)]).toEqual([undefined, undefined])
        expect(yield* claim(start)).toEqual([])
        yield* putDefinitions(organization, [withIndicator(key), withIndicator(other)])
        expect(yield* find()).toMatchObject({ readTo: 0 })
        expect(yield* claimNames(start)).toEqual({
          "http://a.example.com:9090": expect.arrayContaining(["checkout", "other"]),
        })
      }),
    )

    test(
      "spec/data-sources §2: returns the longest due first, of each server so many, and nothing of a busy one",
      Effect.gen(function* () {
        const names = Array.from({ length: 6 }, (_, index) => `slo-${index}`)
        const urls = ["http://a.example.com", "http://b.example.com", "http://c.example.com"]
        yield* putDefinitions(
          organization,
          names.map((each, index) =>
            withIndicator({ project: "shop", name: each }, indicatorOf(urls[index % 3])),
          ),
        )
        for (const [index, each] of names.entries()) {
          const claimed = { indicator: indicatorOf(urls[index % 3]), readTo: 0 }
          yield* settle({ dueAt: start - index * 1_000 }, claimed, { project: "shop", name: each })
        }
        const [a, b, c] = urls.map((url) => serverOf(indicatorOf(url)))
        expect(yield* claimNames(start, { pollsPerBatchMax: 1, batchesMax: 2 })).toEqual({
          [c ?? ""]: ["slo-5"],
          [b ?? ""]: ["slo-4"],
        })
        const inFlight = new Map([[organization, new Set([a ?? "", b ?? ""])]])
        expect(yield* claimNames(start, { inFlight })).toEqual({ [c ?? ""]: ["slo-2"] })
        expect(yield* claimNames(start)).toEqual({ [a ?? ""]: ["slo-3", "slo-0"], [b ?? ""]: ["slo-1"] })
        expect(yield* claimNames(start)).toEqual({})
      }),
    )

    test(
      "spec/data-sources §4: paths of one host are servers of their own",
      Effect.gen(function* () {
        const urls = ["https://a.example.com/x/", "https://a.example.com/x", "https://a.example.com/y"]
        yield* putDefinitions(
          organization,
          urls.map((url, index) =>
            withIndicator({ project: "shop", name: `slo-${index}` }, indicatorOf(url)),
          ),
        )
        const inFlight = new Map([[organization, new Set(["https://a.example.com/x"])]])
        expect(yield* claimNames(start, { inFlight })).toEqual({ "https://a.example.com/y": ["slo-2"] })
        expect(yield* claimNames(start)).toEqual({ "https://a.example.com/x": ["slo-0", "slo-1"] })
      }),
    )

    test(
      "spec/data-sources §2: makes those due that would wait for longer than is asked",
      Effect.gen(function* () {
        const slos = ["a", "b", "c"].map((name) => ({ project: "shop", name }))
        const url = (name: string) => indicatorOf(`http://${name}.example.com`)
        yield* putDefinitions(
          organization,
          slos.map((slo) => withIndicator(slo, url(slo.name))),
        )
        yield* putDefinitions("globex", [withIndicator(key)])
        yield* claim(start, { leaseMs: 3_600_000 })
        for (const [index, waitMs] of [300_000, 300_001].entries()) {
          const slo = slos[index]
          if (slo === undefined) continue
          yield* settle({ dueAt: start + waitMs }, { indicator: url(slo.name), readTo: 0 }, slo)
        }
        yield* (yield* IndicatorStore).makeDue(start, 300_000)
        const due = yield* claim(start, { leaseMs: 3_600_000 })
        const names = due.flatMap(({ polls }) => polls.map(({ slo }) => slo.definition.metadata.name))
        expect(names.toSorted()).toEqual(["b", "c", "checkout"])
        expect(Object.values(yield* claimNames(start + 300_000)).flat()).toEqual(["a"])
      }),
    )

    test(
      "spec/data-sources §4: keeps organizations apart, whose polls of one server are batches of their own",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [withIndicator(key)])
        yield* putDefinitions("globex", [withIndicator(key)])
        const server = serverOf(indicatorOf())
        const inFlight = new Map([["globex", new Set([server])]])
        expect(yield* claimNames(start, { inFlight })).toEqual({ [server]: ["checkout"] })
        expect(yield* claimNames(start, {}, "globex")).toEqual({ [server]: ["checkout"] })
        yield* settle({ readTo: 60_000 })
        expect((yield* find(key, "globex"))?.readTo).toBe(0)
      }),
    )

    test(
      "spec/data-sources §4: organizations take turns, with what they have in flight, and none has more than its share",
      Effect.gen(function* () {
        const server = (index: number) => `http://s-${index}.example.com`
        const sloOf = (index: number) => ({ project: "shop", name: `slo-${index}` })
        const many = [0, 1, 2, 3, 4, 5]
        yield* putDefinitions(
          organization,
          many.map((index) => withIndicator(sloOf(index), indicatorOf(server(index)))),
        )
        for (const index of many) {
          const claimed = { indicator: indicatorOf(server(index)), readTo: 0 }
          yield* settle({ dueAt: start - 60_000 + index }, claimed, sloOf(index))
        }
        for (const other of ["globex", "initech"]) {
          yield* TestClock.adjust(1)
          yield* putDefinitions(other, [withIndicator(key), withIndicator(sloOf(0), indicatorOf(server(0)))])
        }
        const claimAt = (acmeBusy: number, request: Partial<IndicatorClaim>) =>
          Effect.map(
            claim(start + 2, {
              inFlight: new Map([[organization, new Set(many.slice(0, acmeBusy).map(server))]]),
              batchesPerOrganizationMax: 3,
              pollsPerBatchMax: 1,
              ...request,
            }),
            (batches) => batches.map((batch) => batch.organization),
          )
        // Its servers have been due for the longest, and two batches of it are under way.
        expect(yield* claimAt(2, { batchesMax: 2 })).toEqual(["globex", "initech"])
        expect(yield* claimAt(1, {})).toEqual(["globex", "initech", "acme", "acme"])
        expect(yield* claimAt(3, {})).toEqual([])
        expect(yield* claimAt(0, {})).toEqual(["acme", "acme", "acme"])
      }),
    )

    test(
      "spec/data-sources §16: queries of objectives are polled at their Agent, and due at once when it or its data source changes",
      Effect.gen(function* () {
        const query = (text: string) => ({ prometheus: { promql: text } })
        const withQuery = (text: string) =>
          anSlo(key, {
            objectives: [
              {
                name: "good",
                target: 0.9,
                countMetrics: { incremental: true, good: query(text), total: query("total") },
              },
            ],
            indicator: { metricSource: { kind: "Agent", project: "shop", name: "scraper" } },
          })
        yield* putDefinitions(organization, [withQuery("good")])
        expect(yield* claimNames(start)).toEqual({ "shop/scraper": ["checkout"] })
        const indicator = (yield* find())?.indicator
        if (indicator === undefined) throw new Error("is polled")
        expect(indicator).toMatchObject({
          source: { kind: "Agent", project: "shop", name: "scraper" },
          events: [{ objective: "good", isCumulative: true, isBad: false, part: "good", total: "total" }],
        })
        const settled = Effect.flatMap(IndicatorStore, (store) =>
          store.settle(
            organization,
            key,
            { indicator, readTo: 0 },
            { readTo: 0, failures: 0, dueAt: start + 600_000 },
          ),
        )
        for (const source of [
          { kind: "Agent", spec: { source: { prometheus: { url: sourceUrlOf("http://b.example.com") } } } },
          {
            kind: "DataSource",
            spec: { prometheus: { url: sourceUrlOf("http://c.example.com"), headers: [] } },
          },
        ] as const) {
          expect(yield* settled).toBe(true)
          expect(yield* claimNames(start)).toEqual({})
          yield* putDefinitions(organization, [{ ...source, metadata: { project: "shop", name: "scraper" } }])
          expect(yield* claimNames(start)).toEqual({ "shop/scraper": ["checkout"] })
        }
        yield* putDefinitions(organization, [withQuery("other")])
        expect(yield* claimNames(start)).toEqual({ "shop/scraper": ["checkout"] })
        // Of another type, nothing is polled.
        const unsupported = { unsupported: { type: "datadog", json: { query: "x" } } } as const
        const objective = {
          name: "good",
          target: 0.9,
          countMetrics: { incremental: true, good: unsupported, total: unsupported },
        }
        const { spec } = withQuery("good")
        yield* putDefinitions(organization, [
          { ...withQuery("good"), spec: { ...spec, objectives: [objective] } },
        ])
        expect(yield* find()).toBeUndefined()
        expect(yield* claimNames(start + 600_000)).toEqual({})
      }),
    )
  })
}
