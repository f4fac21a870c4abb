import type { Incident, IncidentEntry } from "@tocsin/domain/features/incident"
import { type IncidentFilter, type IncidentReads, IncidentStore } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "./EffectTest.ts"

const anIncident = (id: string, changes: Partial<Incident> = {}): Incident => {
  const alerts = changes.alerts ?? []
  const isResolved = changes.status === "resolved"
  return {
    id,
    title: "Checkout is slow",
    severity: "major",
    status: "investigating",
    services: [],
    startedAt: 1_000,
    ...(isResolved && { resolvedAt: 2_000 }),
    groupAlertsWithinMinutes: 0,
    lastAlertAt: 1_000,
    openTaskCount: 0,
    entryCount: 0,
    revision: 1,
    createdAt: 1_000,
    createdBy: "ana",
    updatedAt: 1_000,
    ...changes,
    alerts,
    alertCount: alerts.length,
  }
}

const aNote = (position: number, text = "note"): IncidentEntry => ({
  id: `${position}`,
  at: 1_000 + position,
  author: "ana",
  kind: "note",
  text,
})

const write = (incident: Incident, entries: ReadonlyArray<IncidentEntry> = [], organization = "acme") =>
  Effect.flatMap(IncidentStore, ({ change }) =>
    change(organization, incident.id, {}, () => Result.succeed({ incident, entries })),
  )

/** What a change reads; it writes nothing. */
const read = (id: string, reads: IncidentReads = {}, organization = "acme") =>
  Effect.flatMap(IncidentStore, ({ change }) =>
    Effect.flip(change(organization, id, reads, (found) => Result.fail(found))),
  ).pipe(
    Effect.filterOrFail(
      (found) => "groupedBy" in found,
      (found) => found,
    ),
  )

const find = (id: string, organization = "acme") =>
  Effect.flatMap(IncidentStore, (store) => Effect.map(store.find(organization, id), Option.getOrUndefined))

const listedIds = (filter: IncidentFilter = {}, organization = "acme") =>
  Effect.flatMap(IncidentStore, (store) =>
    Effect.map(store.list(organization, filter, { limit: 100 }), ({ items }) => items.map(({ id }) => id)),
  )

/** What every `IncidentStore` does; `layer` gives an empty one. */
export const incidentStoreContract = <E>(name: string, layer: Layer.Layer<IncidentStore, E>): void => {
  const test = (what: string, effect: Effect.Effect<void, unknown, IncidentStore>): void =>
    it.effect(what, () => Effect.provide(effect, layer))

  describe(`IncidentStore ${name}`, () => {
    test(
      "stores an incident with all that it has, and replaces it",
      Effect.gen(function* () {
        expect(yield* find("a")).toBeUndefined()
        const whole = anIncident("a", {
          title: 'Ünï"\u0001',
          owner: "Ana",
          services: [
            { project: "shop", name: "checkout" },
            { project: "pay", name: "cards" },
          ],
          alerts: ["z", "b", "y"],
          groupAlertsWithinMinutes: 5,
          updatedBy: "bob",
        })
        yield* write(whole)
        yield* write(anIncident("a", { title: "of another organization" }), [], "globex")
        expect(yield* find("a")).toEqual(whole)
        const { owner: _owner, updatedBy: _by, ...rest } = whole
        const resolved: Incident = {
          ...rest,
          status: "resolved",
          resolvedAt: 5_000,
          alerts: ["z", "y", "c"],
          services: [],
          revision: 2,
        }
        yield* write(resolved)
        expect(yield* find("a")).toEqual(resolved)
        expect((yield* find("a", "globex"))?.title).toBe("of another organization")
        expect(yield* find("\u0000")).toBeUndefined()
      }),
    )

    test(
      "writes nothing of a change that is rejected, and of one without another revision",
      Effect.gen(function* () {
        const { change, entries } = yield* IncidentStore
        yield* write(anIncident("a"))
        expect(yield* Effect.flip(change("acme", "b", {}, () => Result.fail("rejected")))).toBe("rejected")
        yield* write(anIncident("a", { title: "other" }), [aNote(1)])
        expect(yield* find("a")).toEqual(anIncident("a"))
        expect(yield* listedIds()).toEqual(["a"])
        expect((yield* entries("acme", "a", undefined, { limit: 10 })).items).toEqual([])
      }),
    )

    test(
      "finds the open incidents that group alerts, and the alerts that were removed",
      Effect.gen(function* () {
        yield* write(anIncident("a", { alerts: ["1", "2"] }))
        yield* write(anIncident("b", { alerts: ["3"], status: "resolved" }))
        yield* write(anIncident("c", { alerts: ["4"] }), [], "globex")
        const asked = yield* read("b", { alerts: ["1", "3", "4", "\u0000"] })
        expect([...asked.groupedBy]).toEqual([["1", "a"]])
        expect(asked).toMatchObject({ count: 2, incident: { id: "b", alerts: ["3"] } })
        expect([...(yield* read("a", { alerts: ["1", "2"] })).groupedBy]).toEqual([])

        // Of an incident that is opened again, the store looks at all alerts.
        yield* write(anIncident("a", { alerts: ["1", "2"], status: "resolved", revision: 2 }))
        yield* write(anIncident("d", { alerts: ["2"] }))
        expect([...(yield* read("a")).groupedBy]).toEqual([["2", "d"]])

        yield* write(anIncident("d", { alerts: [], revision: 2 }))
        const removed = yield* read("d", { alerts: ["1", "2"] })
        expect([...removed.removed]).toEqual(["2"])
        yield* write(anIncident("a", { alerts: ["1", "2"], revision: 3 }))
        expect([...(yield* read("d", { alerts: ["1", "2"] })).groupedBy].sort()).toEqual([
          ["1", "a"],
          ["2", "a"],
        ])
        yield* write(anIncident("a", { alerts: ["1"], revision: 4 }))
        yield* write(anIncident("d", { alerts: ["2"], revision: 3 }))
        expect((yield* read("d", { alerts: ["2"] })).removed.size).toBe(0)
        expect((yield* find("d"))?.alerts).toEqual(["2"])
      }),
    )

    test(
      "lists incidents by their start, and filters them",
      Effect.gen(function* () {
        const { list } = yield* IncidentStore
        const checkout = { project: "shop", name: "checkout" }
        yield* write(anIncident("a", { startedAt: 10, services: [checkout], alerts: ["1"] }))
        yield* write(anIncident("b", { startedAt: 20, status: "resolved", resolvedAt: 30, alerts: ["1"] }))
        yield* write(
          anIncident("c", {
            startedAt: 20,
            status: "monitoring",
            services: [{ project: "pay", name: "cards" }],
          }),
        )
        yield* write(anIncident("d", { startedAt: 99 }), [], "globex")
        expect(yield* listedIds()).toEqual(["c", "b", "a"])
        expect(yield* listedIds({ statuses: ["resolved", "investigating"] })).toEqual(["b", "a"])
        expect(yield* listedIds({ project: "shop" })).toEqual(["a"])
        expect(yield* listedIds({ services: [checkout, { project: "pay", name: "none" }] })).toEqual(["a"])
        expect(yield* listedIds({ services: [] })).toEqual([])
        expect(yield* listedIds({ alert: "1" })).toEqual(["b", "a"])
        expect(yield* listedIds({ alert: "\u0000" })).toEqual([])
        expect(yield* listedIds({ activeFrom: 30 })).toEqual(["c", "b", "a"])
        expect(yield* listedIds({ activeFrom: 31 })).toEqual(["c", "a"])
        yield* write(anIncident("a", { startedAt: 10, revision: 2 }))
        expect(yield* listedIds({ alert: "1" })).toEqual(["b"])
        expect(yield* listedIds({ project: "shop" })).toEqual([])
        const first = yield* list("acme", {}, { limit: 2 })
        const { alerts: _, ...summary } = anIncident("a", { startedAt: 10, revision: 2 })
        expect(first.hasMore).toBe(true)
        expect(yield* list("acme", {}, { limit: 2, after: { startedAt: 20, id: "b" } })).toEqual({
          items: [summary],
          hasMore: false,
        })
      }),
    )

    test(
      "lists the entries of a timeline, latest first, and replaces a task",
      Effect.gen(function* () {
        const { entries } = yield* IncidentStore
        const task: IncidentEntry = { id: "2", at: 5, kind: "task", text: "Ünï\n", isDone: false }
        const post: IncidentEntry = { id: "10", at: 7, kind: "post", text: "post", status: "identified" }
        yield* write(anIncident("a"), [aNote(1), task])
        yield* write(anIncident("a", { revision: 2 }), [aNote(9), post])
        yield* write(anIncident("b"), [aNote(1, "other")])
        const done: IncidentEntry = { ...task, isDone: true, doneAt: 9, doneBy: "ana" }
        expect((yield* read("a", { entry: "2" })).entry).toEqual(task)
        yield* write(anIncident("a", { revision: 3 }), [done])
        expect(yield* entries("acme", "a", undefined, { limit: 10 })).toEqual({
          items: [post, aNote(9), done, aNote(1)],
          hasMore: false,
        })
        expect(yield* entries("acme", "a", ["task", "post"], { limit: 1 })).toEqual({
          items: [post],
          hasMore: true,
        })
        expect((yield* entries("acme", "a", ["task", "note"], { limit: 9, after: 9 })).items).toEqual([
          done,
          aNote(1),
        ])
        expect((yield* entries("globex", "a", undefined, { limit: 9 })).items).toEqual([])
        for (const entry of ["3", "0", "2x", "", "99999999999999999999"])
          expect((yield* read("a", { entry })).entry).toBeUndefined()
      }),
    )

    test(
      "lists the incidents with posts",
      Effect.gen(function* () {
        const post: IncidentEntry = { id: "2", at: 7, kind: "post", text: "post", status: "identified" }
        yield* write(anIncident("a"), [aNote(1), post])
        yield* write(anIncident("b"), [aNote(1)])
        yield* write(anIncident("c", { status: "resolved" }), [post])
        yield* write(anIncident("b"), [post], "globex")
        expect(yield* listedIds({ isPosted: true })).toEqual(["c", "a"])
        expect(yield* listedIds({ isPosted: true, statuses: ["resolved"] })).toEqual(["c"])
      }),
    )

    test(
      "deletes an incident with everything that belongs to it",
      Effect.gen(function* () {
        const { remove, entries } = yield* IncidentStore
        yield* write(anIncident("a", { alerts: ["1"] }), [aNote(1)])
        yield* write(anIncident("a", { alerts: ["1"] }), [aNote(1)], "globex")
        expect(yield* remove("acme", "b")).toBe(false)
        expect(yield* remove("acme", "a")).toBe(true)
        expect(yield* remove("acme", "a")).toBe(false)
        expect((yield* entries("acme", "a", undefined, { limit: 9 })).items).toEqual([])
        expect((yield* read("b", { alerts: ["1"] })).groupedBy.size).toBe(0)
        expect((yield* find("a", "globex"))?.alerts).toEqual(["1"])
      }),
    )

    test(
      "claims each open incident that groups alerts once in an interval",
      Effect.gen(function* () {
        const { claimGrouping } = yield* IncidentStore
        const claim = (now: number, limit = 10) =>
          Effect.map(claimGrouping(now, limit, 100), (claimed) =>
            claimed.map(({ organization, incident }) => `${organization} ${incident.id}`).sort(),
          )
        const grouping = { groupAlertsWithinMinutes: 5, alerts: ["1"] }
        yield* write(anIncident("a", grouping))
        yield* write(anIncident("b", { ...grouping, alerts: ["2"] }), [], "globex")
        yield* write(anIncident("c", { ...grouping, status: "resolved" }))
        yield* write(anIncident("d"))
        expect(yield* claim(1_000)).toEqual(["acme a", "globex b"])
        expect(yield* claim(1_050)).toEqual([])
        // A change in between does not make it due again.
        yield* write(anIncident("a", { ...grouping, revision: 2 }))
        expect(yield* claim(1_099)).toEqual([])
        expect(yield* claim(1_100, 1)).toHaveLength(1)
        expect(yield* claim(1_100)).toHaveLength(1)
        // The clock was ahead.
        expect(yield* claim(500)).toEqual(["acme a", "globex b"])
        yield* write(anIncident("a", { ...grouping, status: "resolved", revision: 3 }))
        expect(yield* claim(10_000)).toEqual(["globex b"])
        yield* write(anIncident("a", { ...grouping, revision: 4 }))
        const [first] = yield* claimGrouping(10_001, 1, 100)
        expect(first?.incident).toEqual(anIncident("a", { ...grouping, revision: 4 }))
      }),
    )

    test(
      "counts the other open incidents that group alerts",
      Effect.gen(function* () {
        const grouping = { groupAlertsWithinMinutes: 5 }
        yield* write(anIncident("a", grouping))
        yield* write(anIncident("b", grouping))
        yield* write(anIncident("c", { ...grouping, status: "resolved" }))
        yield* write(anIncident("d"))
        yield* write(anIncident("e", grouping), [], "globex")
        expect((yield* read("a")).grouping).toBe(1)
        expect((yield* read("d")).grouping).toBe(2)
        yield* write(anIncident("b", { ...grouping, status: "resolved", revision: 2 }))
        expect((yield* read("d")).grouping).toBe(1)
      }),
    )

    test(
      "claims an incident of each organization before the second one of any",
      Effect.gen(function* () {
        const { claimGrouping } = yield* IncidentStore
        for (const id of ["a", "b", "c"]) yield* write(anIncident(id, { groupAlertsWithinMinutes: 5 }))
        yield* write(anIncident("d", { groupAlertsWithinMinutes: 5 }), [], "globex")
        const claimed = yield* claimGrouping(1_000, 2, 100)
        expect(claimed.map(({ organization }) => organization).sort()).toEqual(["acme", "globex"])
      }),
    )

    it.effect.prop(
      "lists and groups as plain maps would, whatever is written",
      [
        fc.array(
          fc.record({
            id: fc.constantFrom("a", "b", "c"),
            isRemoval: fc.integer({ min: 0, max: 6 }).map((each) => each === 0),
            startedAt: fc.nat(3),
            status: fc.constantFrom("investigating" as const, "monitoring" as const, "resolved" as const),
            alerts: fc.subarray(["1", "2", "3", "4"]),
            services: fc.subarray([
              { project: "shop", name: "checkout" },
              { project: "shop", name: "cart" },
              { project: "pay", name: "checkout" },
            ]),
          }),
          { maxLength: 25 },
        ),
        fc.integer({ min: 1, max: 3 }),
      ],
      ([steps, limit]) =>
        Effect.gen(function* () {
          const store = yield* IncidentStore
          const model = new Map<string, Incident>()
          const openWith = (alert: string, except: string) =>
            [...model.values()].find(
              (each) => each.id !== except && each.status !== "resolved" && each.alerts.includes(alert),
            )?.id
          for (const [index, { id, isRemoval, ...changes }] of steps.entries()) {
            if (isRemoval) {
              expect(yield* store.remove("acme", id)).toBe(model.delete(id))
              continue
            }
            const free = changes.alerts.filter((alert) => openWith(alert, id) === undefined)
            // Alerts are added behind the others.
            const known = model.get(id)?.alerts ?? []
            const alerts = [
              ...known.filter((alert) => free.includes(alert)),
              ...free.filter((alert) => !known.includes(alert)),
            ]
            const next = anIncident(id, { ...changes, alerts, revision: index + 1 })
            yield* write(next, [aNote(index + 1)])
            model.set(id, next)
            const found = yield* read(id, { alerts: ["1", "2", "3", "4"] })
            expect(found.incident).toEqual(next)
            const expected = ["1", "2", "3", "4"].flatMap((alert) => {
              const by = openWith(alert, id)
              return by === undefined ? [] : [[alert, by]]
            })
            expect([...found.groupedBy].sort()).toEqual(expected)
          }
          const all = [...model.values()].sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1))
          for (const filter of [
            {},
            { statuses: ["resolved" as const] },
            { project: "shop" },
            { alert: "2" },
            { services: [{ project: "pay", name: "checkout" }], activeFrom: 2_001 },
          ]) {
            const { statuses, project, alert, services, activeFrom = 0 }: IncidentFilter = filter
            const expected = all.filter(
              (each) =>
                (statuses === undefined || statuses.includes(each.status)) &&
                (project === undefined || each.services.some((service) => service.project === project)) &&
                (alert === undefined || each.alerts.includes(alert)) &&
                (services === undefined ||
                  each.services.some(
                    (service) => service.project === "pay" && service.name === "checkout",
                  )) &&
                (each.resolvedAt ?? Infinity) >= activeFrom,
            )
            const page = yield* store.list("acme", filter, { limit })
            expect(page.items.map(({ id }) => id)).toEqual(expected.slice(0, limit).map(({ id }) => id))
            expect(page.hasMore).toBe(expected.length > limit)
          }
        }).pipe(Effect.provide(layer)),
      { fastCheck: { numRuns: 15 } },
    )
  })
}
