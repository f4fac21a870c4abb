import { describe, expect, it } from "./EffectTest.ts"
import { recordKey } from "@tocsin/domain"
import type { Definition, SloStatuses } from "@tocsin/domain/adapter"
import { sloOutline } from "@tocsin/domain/definitions"
import type { ProjectKey } from "@tocsin/domain/kernel"
import {
  CountStore,
  type DefinitionStore,
  type SloFilter,
  SloStore,
  type SloVersion,
  writtenVersion,
} from "@tocsin/domain/ports"
import { sloToJson } from "@tocsin/adapters-http/server"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { pagingLaws } from "./paging-laws.ts"
import { compareProjectKeys, projectKeys } from "./project-keys.ts"
import { anSlo, changeDefinitions, putDefinitions, removeSlos } from "./slo-definitions.ts"

const organization = "acme"
const key = { project: "shop", name: "checkout" }

/** What every `SloStore` does, together with the stores that write beside it. `layer` gives empty ones. */
export const sloStoreContract = <E>(
  name: string,
  layer: Layer.Layer<SloStore | CountStore | DefinitionStore, E>,
): void => {
  const test = (
    what: string,
    effect: Effect.Effect<void, unknown, SloStore | CountStore | DefinitionStore>,
  ): void => it.effect(what, () => Effect.provide(effect, layer))

  describe(`SloStore ${name}`, () => {
    test(
      "returns a new SLO at once, without metrics, its project and service by name",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [anSlo(key)])
        const record = yield* readRecord(key)
        expect(record.project).toEqual({ name: "shop", displayName: "shop" })
        expect(record.service).toEqual({ name: "web", displayName: "web" })
        expect(record.objectives).toEqual([
          { name: "good", displayName: "good", target: 0.99, sliType: "Ratio" },
          { name: "great", displayName: "great", target: 0.999, sliType: "Ratio" },
        ])
        const page = yield* (yield* SloStore).page(organization, { limit: 10 })
        expect(page).toEqual({ items: [yield* readRow(key)], hasMore: false })
      }),
    )

    test(
      "returns when an SLO was created, also after it was replaced",
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 0, 30, 12))
        yield* putDefinitions(organization, [anSlo(key)])
        yield* TestClock.adjust("1 hour")
        yield* putDefinitions(organization, [anSlo(key, { description: "new" })])
        expect(yield* readRecord(key)).toMatchObject({
          createdAt: "2026-01-30T12:00:00.000Z",
          description: "new",
        })
      }),
    )

    test(
      "shows new display names of a project and a service in all their SLOs at once",
      Effect.gen(function* () {
        const other = { project: "shop", name: "search" }
        yield* putDefinitions(organization, [anSlo(key), anSlo(other)])
        yield* (yield* SloStore).page(organization, { limit: 10 })
        yield* putDefinitions(organization, [
          { kind: "Project", metadata: { name: "shop", displayName: "The Shop" }, spec: {} },
          { kind: "Service", metadata: { project: "shop", name: "web", labels: { tier: ["1"] } }, spec: {} },
        ])
        for (const each of [key, other]) {
          const record = yield* readRecord(each)
          expect(record.project).toEqual({ name: "shop", displayName: "The Shop" })
          expect(record.service).toEqual({ name: "web", displayName: "web", labels: { tier: ["1"] } })
        }
      }),
    )

    test(
      "has versions that change with definitions and statuses, and the parts that have changed since",
      Effect.gen(function* () {
        const store = yield* SloStore
        const keys = [
          { project: "lab", name: "a" },
          { project: "shop", name: "b" },
          { project: "shop", name: "c" },
        ] as const
        const [first, second, third] = keys
        yield* putDefinitions(
          organization,
          keys.map((each) => anSlo(each)),
        )
        yield* putDefinitions("other", [anSlo({ project: "secret", name: "hidden" })])
        const known = new Map<string, SloVersion>()
        const textOf = ({ project, name }: ProjectKey) => `${project}/${name}`
        const changes = (projects: ReadonlyArray<string>, after?: ProjectKey) =>
          store.changedSlos(organization, projects, { limit: 2, ...(after && { after }) }, (each) =>
            known.get(textOf(each)),
          )
        const sums = Effect.map(store.projectVersions(organization), (versions) =>
          versions.toSorted((a, b) => (a.project < b.project ? -1 : 1)),
        )

        const page = yield* changes(["shop", "lab", "nothing"])
        expect(page.items).toEqual(
          [first, second].map((each) => ({
            ...each,
            version: { definition: expect.any(Number), status: expect.any(Number) },
            outline: sloOutline(anSlo(each)),
            statuses: new Map(),
          })),
        )
        const rest = yield* changes(["shop", "lab"], second)
        expect([page.hasMore, rest.hasMore, rest.items.map(textOf)]).toEqual([true, false, [textOf(third)]])
        expect((yield* changes(["lab"])).items.map(textOf)).toEqual([textOf(first)])
        for (const each of [...page.items, ...rest.items]) known.set(textOf(each), each.version)
        const total = (project: string, part: "definition" | "status") =>
          [...known].reduce(
            (sum, [key, version]) => sum + (key.startsWith(`${project}/`) ? version[part] : 0),
            0,
          )
        const before = yield* sums
        expect(before).toEqual(
          ["lab", "shop"].map((project) => ({
            project,
            slos: project === "lab" ? 1 : 2,
            definition: total(project, "definition"),
            status: total(project, "status"),
            names: expect.any(String),
          })),
        )
        expect((yield* changes(["shop"])).items).toEqual(
          [second, third].map((each) => ({ ...each, version: known.get(textOf(each)) })),
        )

        const due = Option.getOrThrow(yield* store.findForStatus(organization, second))
        yield* writeStatus(second, good(0.5))
        const [written] = (yield* changes(["shop"])).items
        expect(written).toEqual({ ...second, version: writtenVersion(due.revision), statuses: good(0.5) })
        expect((yield* sums).map(({ status }, index) => status - (before[index]?.status ?? 0))).toEqual([
          0, 1,
        ])
        const changed = anSlo(third, { objectives: [{ name: "good", target: 0.5 }] })
        yield* putDefinitions(organization, [changed])
        const [, replaced] = (yield* changes(["shop"])).items
        expect(replaced).toMatchObject({
          outline: sloOutline(changed),
          statuses: new Map([["good", { isOutdated: true }]]),
        })
        expect(replaced?.version.definition).toBeGreaterThan(known.get(textOf(third))?.definition ?? 0)

        // An SLO that is created again under the same name is none that was known.
        const last = yield* sums
        yield* removeSlos(organization, [first])
        expect(yield* sums).toEqual(last.slice(1))
        yield* putDefinitions(organization, [anSlo(first)])
        expect((yield* changes(["lab"])).items[0]).toMatchObject({ outline: sloOutline(anSlo(first)) })
        expect((yield* sums)[0]?.definition).toBeGreaterThan(last[0]?.definition ?? 0)
      }),
    )

    test(
      "has a version of the names of a project, which changes with its definition and those of its services",
      Effect.gen(function* () {
        const store = yield* SloStore
        yield* putDefinitions(organization, [anSlo(key), anSlo({ project: "lab", name: "a" })])
        const named = Effect.map(
          store.projectVersions(organization),
          (versions) => versions.find(({ project }) => project === key.project)?.names,
        )
        const project: Definition = { kind: "Project", metadata: { name: key.project }, spec: {} }
        const service = (name: string, displayName: string): Definition => ({
          kind: "Service",
          metadata: { project: key.project, name, displayName },
          spec: {},
        })
        const seen = new Set([yield* named])
        for (const [put, remove] of [
          [[project], []],
          [[service("web", "One")], []],
          [[service("web", "Two")], []],
          [[service("api", "Two")], [{ kind: "Service", project: key.project, name: "web" }]],
          [[], [{ kind: "Project", project: "", name: key.project }]],
        ] as const) {
          yield* changeDefinitions(organization, put, remove)
          const before = seen.size
          seen.add(yield* named)
          expect(seen.size).toBe(before + 1)
        }
        yield* putDefinitions("other", [project])
        seen.add(yield* named)
        yield* writeStatus(key, good(0.5))
        seen.add(yield* named)
        expect(seen.size).toBe(6)
      }),
    )

    test(
      "returns the same record until its definition, its status or its project changes",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [anSlo(key)])
        const first = yield* readRow(key)
        expect(yield* readRow(key)).toBe(first)
        expect((yield* (yield* SloStore).page(organization, { limit: 1 })).items[0]).toBe(first)
        expect(yield* writeStatus(key, good(0.5))).toBe(true)
        const second = yield* readRow(key)
        expect([first.statuses, second.statuses]).toEqual([new Map(), good(0.5)])
        yield* putDefinitions(organization, [anSlo(key, { description: "new" })])
        const third = yield* readRow(key)
        expect([second.slo.spec.description, third.slo.spec.description]).toEqual([undefined, "new"])
        const metadata = { name: "shop", displayName: "The Shop" }
        yield* putDefinitions(organization, [{ kind: "Project", metadata, spec: {} }])
        const fourth = yield* readRow(key)
        expect(fourth).toEqual({ ...third, project: metadata })
        expect(yield* writeStatus(key, good(0.25))).toBe(true)
        expect(yield* readRow(key)).toEqual({ ...fourth, statuses: good(0.25) })
      }),
    )

    test(
      "keeps organizations apart",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [anSlo(key)])
        const store = yield* SloStore
        expect(Option.isNone(yield* store.find("other", key))).toBe(true)
        expect((yield* store.page("other", { limit: 10 })).items).toEqual([])
        yield* removeSlos("other", [key])
        expect(Option.isSome(yield* store.find(organization, key))).toBe(true)
      }),
    )

    test(
      "spec/console §4: lists the SLOs of a project, of a service, or with a part of their names, in pages",
      Effect.gen(function* () {
        const named = (project: string, name: string, displayName?: string, service = "web") => {
          const slo = anSlo({ project, name }, { service })
          return displayName === undefined ? slo : { ...slo, metadata: { ...slo.metadata, displayName } }
        }
        yield* putDefinitions(organization, [
          named("pay", "checkout", "Überweisung 100 %"),
          named("pay", "refund", "a_b\\c 'd'"),
          named("shop", "checkout-2", "CHECK \ud83d\uded2 out"),
          named("shop", "search", undefined, "search"),
        ])
        yield* putDefinitions("other", [named("pay", "checkout")])
        const store = yield* SloStore
        const found = (filter: SloFilter, limit = 10, after?: ProjectKey) =>
          Effect.map(
            store.page(organization, { limit, ...(after && { after }) }, filter),
            ({ items, hasMore }) => [...items.map(({ slo }) => slo.metadata.name), ...(hasMore ? ["…"] : [])],
          )
        expect(yield* found({})).toEqual(["checkout", "refund", "checkout-2", "search"])
        expect(yield* found({ project: "shop" })).toEqual(["checkout-2", "search"])
        expect(yield* found({ service: "search" })).toEqual(["search"])
        expect(yield* found({ project: "pay", service: "search" })).toEqual([])
        expect(yield* found({ text: "check" })).toEqual(["checkout", "checkout-2"])
        expect(yield* found({ text: "check" }, 1)).toEqual(["checkout", "…"])
        const checkout = { project: "pay", name: "checkout" }
        expect(yield* found({ text: "check" }, 1, checkout)).toEqual(["checkout-2"])
        expect(yield* found({ text: "check", project: "pay" }, 1, checkout)).toEqual([])
        for (const [text, names] of [
          ["überweisung", ["checkout"]],
          ["\ud83d\uded2", ["checkout-2"]],
          ["%", ["checkout"]],
          ["a_b\\c 'd'", ["refund"]],
          ["a?b", []],
          ["\u0000", []],
          ["\ud800", []],
        ] as const) {
          expect([text, yield* found({ text })]).toEqual([text, names])
        }
        yield* putDefinitions(organization, [named("shop", "search", "Find it")])
        expect(yield* found({ text: "find" })).toEqual(["search"])
      }),
    )

    test(
      "finds several with what their statuses are computed from, as each alone, in the order of their keys",
      Effect.gen(function* () {
        const keys = ["checkout", "search", "cart"].map((name) => ({ ...key, name }))
        yield* putDefinitions(
          organization,
          keys.map((each) => anSlo(each)),
        )
        yield* putDefinitions("other", [anSlo({ ...key, name: "hidden" })])
        const store = yield* SloStore
        const wanted = [...keys, { ...key, name: "hidden" }]
        for (const _ of ["read", "known"]) {
          const found = yield* store.findAllForStatus(organization, wanted)
          const alone = yield* Effect.forEach(keys, (each) => store.findForStatus(organization, each))
          expect(found).toEqual(alone.flatMap(Option.toArray))
          expect(found.map(({ slo }) => slo.definition.metadata.name)).toEqual(["checkout", "search", "cart"])
        }
        expect(yield* store.findAllForStatus(organization, [])).toEqual([])
      }),
    )

    test(
      "finds several, as each alone, in the order of their keys",
      Effect.gen(function* () {
        const keys = ["checkout", "search", "cart"].map((name) => ({ ...key, name }))
        yield* putDefinitions(organization, [
          { kind: "Project", metadata: { name: "shop", displayName: "The Shop" }, spec: {} },
          ...keys.map((each) => anSlo(each)),
        ])
        yield* putDefinitions("other", [anSlo({ ...key, name: "hidden" })])
        const store = yield* SloStore
        const found = yield* store.findAll(organization, [...keys, { ...key, name: "hidden" }])
        const alone = yield* Effect.forEach(keys, (each) => store.find(organization, each))
        expect(found).toEqual(alone.flatMap(Option.toArray))
        expect(found.map(({ slo }) => slo.metadata.name)).toEqual(["checkout", "search", "cart"])
        expect(yield* store.findAll(organization, [])).toEqual([])
        expect(yield* store.findAll(organization, [{ ...key, name: "checkout\u0000" }])).toEqual([])
      }),
    )

    test(
      "finds nothing under a name that cannot be one",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [anSlo(key)])
        const store = yield* SloStore
        for (const odd of ["checkout\u0000", "\ud800"]) {
          expect(yield* store.find(organization, { ...key, name: odd })).toEqual(Option.none())
          expect(yield* store.findForStatus(organization, { ...key, name: odd })).toEqual(Option.none())
          expect(yield* store.findAllForStatus(organization, [{ ...key, name: odd }])).toEqual([])
          const read = { organization, slo: { ...key, name: odd }, ranges: [{ from: 0, to: 60_000 }] }
          const found = yield* (yield* CountStore).sums([read])
          expect(found).toEqual([{ sums: [[]], latestAt: new Map() }])
        }
      }),
    )

    test(
      "forgets an SLO that is removed, with its counts and its turn",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [anSlo(key)])
        yield* (yield* CountStore).record(organization, [{ slo: key, counts: [oneCount] }])
        yield* removeSlos(organization, [key])
        const store = yield* SloStore
        expect(Option.isNone(yield* store.find(organization, key))).toBe(true)
        expect(yield* dueAt(Number.MAX_SAFE_INTEGER)).toEqual([])
        yield* putDefinitions(organization, [anSlo(key)])
        const read = { organization, slo: key, ranges: [{ from: 0, to: 60_000 }] }
        expect(yield* (yield* CountStore).sums([read])).toEqual([{ sums: [[]], latestAt: new Map() }])
      }),
    )

    test(
      "writes a status, and is due again when that says so",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [anSlo(key)])
        expect(yield* writeStatus(key, good(0.1), 5_000)).toBe(true)
        expect((yield* readRow(key)).statuses).toEqual(good(0.1))
        expect(yield* dueAt(4_999)).toEqual([])
        expect(yield* dueAt(5_000)).toEqual([key])
        expect(yield* writeStatus(key, good(0.2))).toBe(true)
        expect(yield* dueAt(Number.MAX_SAFE_INTEGER)).toEqual([])
      }),
    )

    test(
      "writes no status of a definition that has changed, or is gone, or came again",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [anSlo(key)])
        const old = yield* readStatusBase(key)
        yield* putDefinitions(organization, [anSlo(key, { description: "new" })])
        const store = yield* SloStore
        const status = { ...old, statuses: good(0.1) }
        expect(yield* store.writeStatuses([status])).toEqual([false])
        yield* removeSlos(organization, [key])
        expect(yield* store.writeStatuses([status])).toEqual([false])
        yield* putDefinitions(organization, [anSlo(key)])
        expect(yield* store.writeStatuses([status])).toEqual([false])
        expect(yield* dueAt(0)).toEqual([key])
      }),
    )

    test(
      "spec/slos §9: writes the status of counts that have changed since, and leaves it due",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [anSlo(key)])
        const old = yield* readStatusBase(key)
        const store = yield* SloStore
        yield* (yield* CountStore).record(organization, [{ slo: key, counts: [oneCount] }])
        expect(yield* store.writeStatuses([{ ...old, statuses: good(0.1) }])).toEqual([true])
        expect(yield* dueAt(0)).toEqual([key])
        expect(yield* store.writeStatuses([{ ...old, statuses: good(0.2) }])).toEqual([false])
        expect(yield* writeStatus(key, good(0.3))).toBe(true)
      }),
    )

    test(
      "returns what is due over all organizations, the longest due first, at most as many as asked for",
      Effect.gen(function* () {
        const store = yield* SloStore
        for (const [index, organization] of ["a", "b", "c", "d"].entries()) {
          yield* TestClock.setTime((4 - index) * 1_000)
          yield* putDefinitions(organization, [anSlo(key)])
        }
        const due = yield* store.dueForStatus(3_000, 2, leaseMs)
        expect(due.map(({ organization }) => organization)).toEqual(["d", "c"])
        expect(due.map(keyOf)).toEqual([key, key])
        const rest = yield* store.dueForStatus(3_000, 10, leaseMs)
        expect(rest.map(({ organization }) => organization)).toEqual(["b"])
      }),
    )

    test(
      "spec/slos §9: hands an SLO out again when its lease is over, or at once when there are new counts",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [anSlo(key)])
        expect(yield* dueAt(1_000)).toEqual([key])
        expect(yield* dueAt(1_000 + leaseMs - 1)).toEqual([])
        expect(yield* dueAt(1_000 + leaseMs)).toEqual([key])
        yield* (yield* CountStore).record(organization, [{ slo: key, counts: [oneCount] }])
        expect(yield* dueAt(0)).toEqual([key])
      }),
    )

    test(
      "spec/status-api §3: keeps the metrics when a definition is replaced, marked as outdated where it changes what they are of, until they are computed",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [anSlo(key)])
        const store = yield* SloStore
        const base = yield* readStatusBase(key)
        const statuses = new Map(["good", "great"].map((name) => [name, { reliability: 0.5 }]))
        expect(yield* store.writeStatuses([{ ...base, statuses }])).toEqual([true])
        const objectives = [
          { name: "good", displayName: "Good", target: 0.99 },
          { name: "great", target: 0.9 },
        ]
        yield* putDefinitions(organization, [anSlo(key, { objectives })])
        expect((yield* readRecord(key)).objectives).toEqual([
          { name: "good", displayName: "Good", target: 0.99, reliability: 0.5, sliType: "Ratio" },
          {
            name: "great",
            displayName: "great",
            target: 0.9,
            reliability: 0.5,
            isOutdated: true,
            sliType: "Ratio",
          },
        ])
        const again = [...objectives, { name: "new", target: 0.5 }]
        yield* putDefinitions(organization, [anSlo(key, { objectives: again })])
        expect((yield* readRecord(key)).objectives).toMatchObject([
          { reliability: 0.5 },
          { reliability: 0.5, isOutdated: true },
          { name: "new", isOutdated: true },
        ])
        expect(yield* dueAt(0)).toEqual([key])
        const computed = yield* readStatusBase(key)
        expect(yield* store.writeStatuses([{ ...computed, statuses }])).toEqual([true])
        expect((yield* readRecord(key)).objectives).toEqual([
          { name: "good", displayName: "Good", target: 0.99, reliability: 0.5, sliType: "Ratio" },
          { name: "great", displayName: "great", target: 0.9, reliability: 0.5, sliType: "Ratio" },
          { name: "new", displayName: "new", target: 0.5, sliType: "Ratio" },
        ])
      }),
    )
  })

  pagingLaws(`SLOs of SloStore ${name}`, {
    layer,
    key: projectKeys,
    compare: compareProjectKeys,
    add: (scope, key) => putDefinitions(scope, [anSlo(key)]),
    remove: (scope, key) => removeSlos(scope, [key]),
    page: (scope, request) =>
      Effect.flatMap(SloStore, (store) =>
        Effect.map(store.page(scope, request), ({ items, hasMore }) => ({
          items: items.map(recordKey),
          hasMore,
        })),
      ),
  })
}

const readRow = (key: ProjectKey) =>
  Effect.flatMap(SloStore, (store) => Effect.flatMap(store.find(organization, key), Effect.fromOption))

const readRecord = (key: ProjectKey) =>
  Effect.map(readRow(key), (row) => JSON.parse(sloToJson({ record: row }, "v2")))

/** The revision that a status is computed from. */
const readStatusBase = (key: ProjectKey) =>
  Effect.flatMap(SloStore, (store) =>
    Effect.map(Effect.flatMap(store.findForStatus(organization, key), Effect.fromOption), ({ revision }) => ({
      organization,
      slo: key,
      revision,
    })),
  )

/** The keys of what is claimed. */
const dueAt = (now: number) =>
  Effect.flatMap(SloStore, (store) =>
    Effect.map(store.dueForStatus(now, 10, leaseMs), (due) => due.map(keyOf)),
  )

const leaseMs = 30_000

const oneCount = { objective: "good", at: 0, good: 1, total: 1 }

const writeStatus = (key: ProjectKey, statuses: SloStatuses, dueAt?: number) =>
  Effect.gen(function* () {
    const base = yield* readStatusBase(key)
    const status = { ...base, statuses, ...(dueAt !== undefined && { dueAt }) }
    const [isWritten] = yield* (yield* SloStore).writeStatuses([status])
    return isWritten
  })

const good = (reliability: number): SloStatuses => new Map([["good", { reliability }]])

const keyOf = ({
  slo,
}: {
  readonly slo: { readonly definition: { readonly metadata: { project: string; name: string } } }
}) => ({
  project: slo.definition.metadata.project,
  name: slo.definition.metadata.name,
})
