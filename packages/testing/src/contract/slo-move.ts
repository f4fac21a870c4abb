import { describe, expect, it } from "./EffectTest.ts"
import { moveSlos } from "@tocsin/domain"
import type { Definition } from "@tocsin/domain/adapter"
import type { Alert } from "@tocsin/domain/alerting"
import { durationOf } from "@tocsin/domain/codec"
import type { Kind, ProjectKey } from "@tocsin/domain/kernel"
import {
  AlertStore,
  AnnotationStore,
  CountStore,
  DefinitionStore,
  IndicatorStore,
  type PushedMetricStore,
  BackfillStore,
  ReportStore,
  SloStore,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { sourceUrlOf } from "./ParsedValues.ts"
import { anSlo, putDefinitions } from "./slo-definitions.ts"

type Stores =
  | AlertStore
  | AnnotationStore
  | CountStore
  | DefinitionStore
  | IndicatorStore
  | PushedMetricStore
  | BackfillStore
  | ReportStore
  | SloStore

const organization = "acme"
const minute = 60_000
const start = Date.UTC(2026, 0, 30, 12)
const before = { project: "shop", name: "checkout" }
const after = { project: "pay", name: "checkout" }

const indicator = {
  prometheus: { url: sourceUrlOf("http://a.example.com:9090"), good: "good", total: "total" },
}

const shop: ReadonlyArray<Definition> = [
  { kind: "Project", metadata: { name: "shop" }, spec: {} },
  { kind: "Service", metadata: { project: "shop", name: "web" }, spec: {} },
]

const compositeOver = (slo: ProjectKey, key: ProjectKey) =>
  anSlo(key, {
    objectives: [
      {
        name: "all",
        target: 0.8,
        composite: {
          maxDelay: durationOf("5m"),
          components: [{ slo, objective: "good", weight: 1, whenDelayed: "Ignore" }],
        },
      },
    ],
  })

const move = (change: object = {}) =>
  moveSlos(organization, { sloNames: ["checkout"], oldProject: "shop", newProject: "pay", ...change })

const find = <K extends Kind>(kind: K, key: ProjectKey) =>
  Effect.flatMap(DefinitionStore, (store) =>
    Effect.map(store.find(organization, kind, key), (found) =>
      Option.getOrUndefined(Option.map(found, ({ definition }) => definition)),
    ),
  )

const totals = (slo: ProjectKey) =>
  Effect.flatMap(CountStore, (store) =>
    Effect.map(
      store.sums([{ organization, slo, ranges: [{ from: start - 86_400_000, to: start + 86_400_000 }] }]),
      ([read]) => (read?.sums[0] ?? []).map(({ total }) => total),
    ),
  )

const record = (slo: ProjectKey, at: number, total = 10) =>
  Effect.flatMap(CountStore, (store) =>
    store.record(organization, [{ slo, counts: [{ objective: "good", at, good: 9, total }] }]),
  )

const alert: Alert = {
  id: "alert-1",
  subject: { slo: before, evaluation: "" },
  status: "triggered",
  conditions: [],
  definedAt: 0,
  alertMethods: [],
  triggeredAt: start,
}

const putAlert = (each: Alert) =>
  Effect.flatMap(AlertStore, (store) =>
    store.change(organization, { subject: each.subject, id: each.id }, undefined, () =>
      Result.succeed({ put: each, receipt: { alertId: each.id, isChanged: true, deliveries: [] } }),
    ),
  )

/** What moving SLOs does to every store; `layer` gives empty ones over one database. */
export const sloMoveContract = <E>(name: string, layer: Layer.Layer<Stores, E>): void => {
  const test = (what: string, effect: Effect.Effect<void, unknown, Stores>): void =>
    it.effect(what, () => Effect.provide(Effect.andThen(TestClock.setTime(start), effect), layer))

  describe(`moveSlos ${name}`, () => {
    test(
      "spec/clients §3: an SLO moves with everything that is stored of it",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [...shop, anSlo(before, { indicator })])
        yield* putDefinitions("globex", [...shop, anSlo(before)])
        const created = (yield* (yield* DefinitionStore).find(organization, "SLO", before)) as Option.Option<{
          readonly createdAt: number
        }>
        yield* record(before, start)
        yield* record(before, start - 3_600_000, 20)
        const annotations = yield* AnnotationStore
        const annotation = {
          id: "a",
          kind: "note",
          title: "t",
          from: start,
          author: "a",
          createdAt: 1,
        } as const
        yield* annotations.put(organization, before, annotation, 10)
        yield* annotations.put("globex", before, annotation, 10)
        const backfills = yield* BackfillStore
        const range = { from: start - 86_400_000, to: start - 3_600_000 }
        yield* backfills.start(organization, before, range, start)
        const backfill = yield* backfills.find(organization, before)
        yield* putAlert({
          ...alert,
          id: "alert-0",
          subject: { ...alert.subject, objective: "good" },
          status: "resolved",
          resolvedAt: start,
        })
        yield* putAlert(alert)
        const reports = yield* ReportStore
        const february = Date.UTC(2026, 1, 1)
        const [claimed] = (yield* reports.claim(february + 3_600_000, 10, 1_000)).filter(
          (each) => each.organization === organization,
        )
        const report = {
          id: "r",
          slo: before,
          period: { from: Date.UTC(2026, 0, 1), to: february },
          createdAt: start,
          document: "{}",
          keyId: "k",
          signature: "c2ln",
        }
        const next = { period: { from: february, to: Date.UTC(2026, 2, 1) }, dueAt: Date.UTC(2026, 2, 1) }
        if (claimed !== undefined) expect(yield* reports.settle(claimed, next, report)).toBe(true)
        const statuses = new Map([["good", { reliability: 0.5 }]])
        const slos = yield* SloStore
        const due = Option.getOrThrow(yield* slos.findForStatus(organization, before))
        const computed = { organization, slo: before, revision: due.revision, statuses }
        expect(yield* slos.writeStatuses([computed])).toEqual([true])

        yield* TestClock.setTime(start + minute)
        yield* move()

        expect(yield* find("SLO", before)).toBeUndefined()
        expect(yield* find("SLO", after)).toEqual({
          ...anSlo(before, { indicator }),
          metadata: { ...after },
        })
        expect(yield* find("Project", { project: "", name: "pay" })).toBeDefined()
        expect(yield* find("Service", { project: "pay", name: "web" })).toBeDefined()
        const moved = yield* (yield* DefinitionStore).find(organization, "SLO", after)
        expect(Option.map(moved, ({ createdAt }) => createdAt)).toEqual(
          Option.map(created, ({ createdAt }) => createdAt),
        )
        expect([yield* totals(before), yield* totals(after)]).toEqual([[], [30]])
        const kept = Option.getOrThrow(yield* slos.find(organization, after))
        expect(kept.statuses.get("good")).toEqual({ reliability: 0.5 })
        expect(yield* slos.writeStatuses([computed])).toEqual([false])
        const everything = { from: 0, to: start * 2 }
        expect(yield* annotations.list(organization, before, everything, 10)).toEqual([])
        expect(yield* annotations.list(organization, after, everything, 10)).toEqual([annotation])
        expect(yield* annotations.list("globex", before, everything, 10)).toEqual([annotation])
        expect(yield* backfills.find(organization, before)).toEqual(Option.none())
        expect(yield* backfills.find(organization, after)).toEqual(backfill)
        const alerts = yield* AlertStore
        const listed = yield* alerts.list(organization, { project: "pay" }, { limit: 10 })
        expect(listed.items.map(({ id, subject }) => [id, subject.slo]).toSorted()).toEqual([
          ["alert-0", after],
          ["alert-1", after],
        ])
        expect((yield* alerts.list(organization, { project: "shop" }, { limit: 10 })).items).toEqual([])
        const latest = yield* alerts.find(organization, {
          subject: { ...alert.subject, slo: after },
          id: undefined,
        })
        expect(latest.latest?.id).toBe("alert-1")
        const summaries = yield* reports.list(
          organization,
          { project: "pay", slo: "checkout" },
          { limit: 10 },
        )
        expect(summaries.items.map(({ id, slo }) => [id, slo])).toEqual([["r", after]])
        expect((yield* reports.list(organization, { project: "shop" }, { limit: 10 })).items).toEqual([])
      }),
    )

    test(
      "spec/clients §3: what is recorded for the former project after the move is rejected, and the new one goes on",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [...shop, anSlo(before)])
        yield* record(before, start)
        yield* move()
        expect(yield* record(before, start + minute)).toEqual([before])
        expect(yield* totals(before)).toEqual([])
        yield* record(after, start + minute)
        expect(yield* totals(after)).toEqual([20])
        yield* move({ oldProject: "pay", newProject: "shop" })
        expect(yield* totals(before)).toEqual([20])
      }),
    )

    test(
      "spec/clients §3: an indicator is read on from where it was read to, and a query that was under way is repeated",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [...shop, anSlo(before, { indicator })])
        const polls = yield* IndicatorStore
        const settle = (slo: ProjectKey, from: number, to: number) =>
          polls.settle(
            organization,
            slo,
            { indicator, readTo: from },
            { readTo: to, failures: 0, dueAt: start },
          )
        expect(yield* settle(before, 0, start)).toBe(true)
        yield* move()
        expect(yield* settle(before, start, start + minute)).toBe(false)
        expect(yield* polls.find(organization, before)).toEqual(Option.none())
        expect(Option.getOrThrow(yield* polls.find(organization, after)).readTo).toBe(start)
        expect(yield* settle(after, start, start + minute)).toBe(true)
      }),
    )

    test(
      "spec/clients §3: of counts that are recorded during a move, none is lost that was accepted",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [...shop, anSlo(before)])
        const recorded = Array.from({ length: 24 }, (_, index) => record(before, start + index * minute))
        const half = recorded.length / 2
        const results = yield* Effect.all(
          [
            ...recorded.slice(0, half),
            Effect.as(move(), [after] as ReadonlyArray<ProjectKey>),
            ...recorded.slice(half),
          ],
          { concurrency: "unbounded" },
        )
        const accepted = results.filter((missing) => missing.length === 0).length
        const [total = 0] = yield* totals(after)
        expect([total, yield* totals(before)]).toEqual([accepted * 10, []])
      }),
    )

    test(
      "spec/clients §3: components and adjustments that name a moved SLO follow it, also within the same move",
      Effect.gen(function* () {
        const outside = { project: "shop", name: "outside" }
        const inside = { project: "shop", name: "inside" }
        const adjustment: Definition = {
          kind: "BudgetAdjustment",
          metadata: { project: "shop", name: "planned" },
          spec: {
            reason: "r",
            slos: [before, outside],
            period: { startTime: { ms: start, text: "2026-01-30T12:00:00Z" }, duration: durationOf("1h") },
          },
        }
        yield* putDefinitions(organization, [
          ...shop,
          anSlo(before),
          compositeOver(before, outside),
          compositeOver(before, inside),
          adjustment,
        ])
        yield* move({ sloNames: ["checkout", "inside"], service: "other" })
        expect(yield* find("SLO", outside)).toEqual(compositeOver(after, outside))
        const moved = { project: "pay", name: "inside" }
        expect(yield* find("SLO", moved)).toEqual({
          ...compositeOver(after, moved),
          spec: { ...compositeOver(after, moved).spec, service: "other" },
        })
        expect(yield* find("BudgetAdjustment", { project: "shop", name: "planned" })).toEqual({
          ...adjustment,
          spec: { ...adjustment.spec, slos: [after, outside] },
        })
        const due = yield* (yield* SloStore).findForStatus(organization, after)
        expect(Option.isSome(due) && due.value.adjustments).toHaveLength(1)
      }),
    )

    test(
      "spec/clients §3: a move that is not possible changes nothing and reports every reason",
      Effect.gen(function* () {
        const policies = { alertPolicies: ["burn"] }
        const other = { project: "shop", name: "other" }
        yield* putDefinitions(organization, [
          ...shop,
          anSlo(before, policies),
          anSlo(other),
          anSlo({ ...other, project: "pay" }),
        ])
        const names = { sloNames: ["checkout", "other"] }
        const rejected = yield* Effect.flip(move(names))
        expect(rejected).toMatchObject({
          issues: [
            {
              path: "sloNames[0]",
              code: "in_use",
              message: expect.stringContaining("it has assigned Alert Policies"),
            },
            { path: "sloNames[1]", code: "duplicate" },
          ],
        })
        expect(yield* Effect.flip(move({ sloNames: ["none"] }))).toMatchObject({
          issues: [{ path: "sloNames[0]", code: "not_found" }],
        })
        expect(yield* Effect.flip(move({ newProject: "shop", oldProjekt: "x" }))).toMatchObject({
          issues: [
            { path: "newProject", code: "not_allowed_value" },
            { path: "oldProjekt", code: "unknown_property" },
          ],
        })
        expect(yield* find("SLO", before)).toBeDefined()
        yield* move({ detachAlertPolicies: true })
        expect((yield* find("SLO", after))?.spec.alertPolicies).toEqual([])
      }),
    )

    test(
      "spec/clients §3: within a project, SLOs get another service, which is created",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [...shop, anSlo(before, { alertPolicies: ["burn"] })])
        yield* record(before, start)
        yield* move({ newProject: undefined, service: "new" })
        expect((yield* find("SLO", before))?.spec).toMatchObject({ service: "new", alertPolicies: ["burn"] })
        expect(yield* find("Service", { project: "shop", name: "new" })).toBeDefined()
        expect(yield* totals(before)).toEqual([10])
      }),
    )
  })
}
