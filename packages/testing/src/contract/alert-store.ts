import * as Result from "effect/Result"
import { describe, expect, it } from "./EffectTest.ts"
import { acknowledgeAlert } from "@tocsin/domain"
import { type AlertStatus, contentBytes } from "@tocsin/domain/adapter"
import type { Alert } from "@tocsin/domain/alerting"
import {
  type AlertChange,
  type AlertPlace,
  type AlertReceipt,
  AlertStore,
  CountStore,
  type DefinitionStore,
  DeliveryLog,
  idempotencyKeyLifetimeMs,
  SloStore,
} from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { aNotificationContent } from "./deliveries.ts"
import { pagingLaws } from "./paging-laws.ts"
import { anSlo, putDefinitions, removeSlos } from "./slo-definitions.ts"

type Stores = AlertStore | CountStore | DefinitionStore | DeliveryLog | SloStore

const organization = "acme"
const subject = { slo: { project: "shop", name: "checkout" }, objective: "good" }
const hook = { project: "shop", name: "hook" }

/** An open alert of the SLO `shop/checkout`. */
export const alertOf = (id: string, change: Partial<Alert> = {}): Alert => ({
  id,
  subject,
  status: "triggered",
  conditions: [],
  definedAt: 0,
  alertMethods: [hook],
  triggeredAt: 0,
  ...change,
})

/** What was measured of 1,000 events. */
const evidenceOf = (good: number): NonNullable<Alert["evidence"]> => ({
  target: 0.99,
  groups: [
    [
      {
        condition: "Average burn rate is at least 2 over the last 1 hour",
        measurement: "averageBurnRate",
        isMet: good < 980,
        ...(good < 980 ? {} : { reason: "value" as const }),
        detail: "The average burn rate is 3; at least 2 is required",
        value: (1_000 - good) / 10,
        threshold: 2,
        range: { from: 0, to: 3_600_000 },
        events: { good, total: 1_000 },
      },
    ],
  ],
})

const receiptOf = (alertId: string): AlertReceipt => ({ alertId, isChanged: true, deliveries: [] })

const opening = (alert: Alert, deliveryId = `delivery-of-${alert.id}`): AlertChange => ({
  put: alert,
  event: {
    content: aNotificationContent(organization),
    deliveries: [{ id: deliveryId, alertMethod: hook }],
  },
  receipt: receiptOf(alert.id),
})

const change = (
  alert: Alert,
  idempotency?: { readonly key: string; readonly fingerprint: string },
  of = organization,
) =>
  Effect.flatMap(AlertStore, (store) =>
    store.change(of, { subject: alert.subject, id: alert.id }, idempotency, () =>
      Result.succeed(opening(alert)),
    ),
  )

const find = (id: string | undefined, of = organization) =>
  Effect.flatMap(AlertStore, (store) => store.find(of, { subject, id }))

const hasDelivery = (id: string) =>
  Effect.flatMap(DeliveryLog, (log) => Effect.map(log.find(organization, id), Option.isSome))

const dueOf = (slo = subject.slo) =>
  Effect.flatMap(SloStore, (store) =>
    Effect.flatMap(store.findForStatus(organization, slo), Effect.fromOption),
  )

const evaluated = (alert: Alert, revision: string, evaluation: string | undefined) =>
  Effect.flatMap(AlertStore, (store) =>
    store.changeEvaluated(
      organization,
      alert.subject.slo,
      revision,
      [{ subject: alert.subject, id: alert.id }],
      () => Result.succeed({ changes: [opening(alert)], evaluation }),
    ),
  )

/**
 * What every `AlertStore` does, together with the queue that it fills and the SLOs that it evaluates. `layer` gives
 * empty ones, whose clock moves by `passTime`, in milliseconds.
 */
export const alertStoreContract = <E>(
  name: string,
  layer: Layer.Layer<Stores, E>,
  passTime: (milliseconds: number) => Effect.Effect<void> = TestClock.adjust,
): void => {
  const test = (what: string, effect: Effect.Effect<void, unknown, Stores>): void =>
    it.effect(what, () => Effect.provide(effect, layer))

  describe(`AlertStore ${name}`, () => {
    test(
      "spec/alerting §7: an alert of before that ends is not the latest of its subject, but the one that has opened since",
      Effect.gen(function* () {
        yield* change(alertOf("a"))
        yield* change(alertOf("b", { triggeredAt: 1 }))
        const ended = alertOf("a", { status: "resolved", resolvedAt: 2 })
        const store = yield* AlertStore
        yield* store.change(organization, { subject, id: "a" }, undefined, () =>
          Result.succeed({ put: ended, receipt: receiptOf("a") }),
        )
        expect(yield* find("a")).toEqual({ latest: alertOf("b", { triggeredAt: 1 }), withId: ended })
      }),
    )

    test(
      "spec/alerting §15: acknowledges an open alert once, whoever acknowledges it again",
      Effect.gen(function* () {
        yield* change(alertOf("a"))
        yield* change(alertOf("of-other"), undefined, "other")
        const both = yield* Effect.all(
          [
            acknowledgeAlert(organization, "a", "ana", 'Looks at "é"'),
            acknowledgeAlert(organization, "a", "ben", 'Looks at "é"'),
          ],
          { concurrency: "unbounded" },
        )
        expect(both[0].acknowledgement).toEqual({
          at: expect.any(Number),
          by: expect.stringMatching("ana|ben"),
          note: 'Looks at "é"',
        })
        expect(both[1]).toEqual(both[0])
        expect(yield* find("a")).toEqual({ latest: both[0], withId: both[0] })
        expect((yield* find("of-other", "other")).withId?.acknowledgement).toBeUndefined()
        expect(yield* Effect.flip(acknowledgeAlert(organization, "of-other", "ana"))).toMatchObject({
          _tag: "AlertNotFound",
        })
        yield* change(alertOf("b", { status: "canceled", reason: "detached", resolvedAt: 2 }))
        expect(yield* Effect.flip(acknowledgeAlert(organization, "b", "ana"))).toMatchObject({
          _tag: "AlertIsClosed",
          status: "canceled",
        })
      }),
    )

    test(
      "spec/delivery §7: writes an alert and its deliveries together",
      Effect.gen(function* () {
        expect(yield* change(alertOf("a-1"))).toEqual(receiptOf("a-1"))
        expect(yield* find("a-1")).toEqual({ latest: alertOf("a-1"), withId: alertOf("a-1") })
        expect(yield* hasDelivery("delivery-of-a-1")).toBe(true)
      }),
    )

    test(
      "spec/console §12: counts the open alerts of each SLO of an organization, and those that are acknowledged",
      Effect.gen(function* () {
        const store = yield* AlertStore
        const open = Effect.map(store.openBySlo(organization), (all) =>
          all.toSorted((a, b) => (a.slo.name < b.slo.name ? -1 : 1)),
        )
        expect(yield* open).toEqual([])
        const search = { project: "shop", name: "search" }
        const quoted = 'Says \\"acknowledgement\\":{}'
        yield* change(alertOf("a-1", { conditions: [quoted, '"acknowledgement":{'] }))
        yield* change(alertOf("b-1", { subject: { slo: search, objective: "good" } }))
        yield* change(alertOf("b-2", { subject: { slo: search, objective: "great" } }))
        yield* change(
          alertOf("c-1", { subject: { slo: search, objective: "slow" }, status: "resolved", resolvedAt: 1 }),
        )
        yield* change(alertOf("d-1"), undefined, "other")
        yield* acknowledgeAlert(organization, "b-2", "ann")
        expect(yield* open).toEqual([
          { slo: subject.slo, open: 1, acknowledged: 0 },
          { slo: search, open: 2, acknowledged: 1 },
        ])
        expect(yield* store.openBySlo("globex")).toEqual([])
      }),
    )

    test(
      "spec/console §16: counts the alerts of each alert policy of an organization since a time, and those that are open",
      Effect.gen(function* () {
        const store = yield* AlertStore
        const of = (name: string, at: number, change: Partial<Alert> = {}): Alert =>
          alertOf(`${name}-${at}`, {
            subject: {
              slo: subject.slo,
              objective: `${name}-${at}`,
              alertPolicy: { project: subject.slo.project, name },
            },
            triggeredAt: at,
            ...change,
          })
        yield* change(of("fast", 10, { status: "resolved", resolvedAt: 11 }))
        yield* change(of("fast", 20, { status: "resolved", resolvedAt: 21 }))
        yield* change(of("fast", 30))
        yield* change(of("old", 10, { status: "resolved", resolvedAt: 11 }))
        yield* change(of("slow", 5))
        yield* change(of("slow", 40), undefined, "other")
        const keys = ["slow", "never", "fast", "old"].map((name) => ({ project: subject.slo.project, name }))
        const elsewhere = { project: "elsewhere", name: "fast" }
        expect(yield* store.countByPolicy(organization, [...keys, elsewhere], 20)).toEqual([
          { alerts: 0, open: 1, latestAt: 5 },
          { alerts: 0, open: 0 },
          { alerts: 2, open: 1, latestAt: 30 },
          { alerts: 0, open: 0 },
          { alerts: 0, open: 0 },
        ])
        expect(yield* store.countByPolicy(organization, [], 0)).toEqual([])
      }),
    )

    test(
      "spec/telemetry §2: counts the open alerts of all organizations",
      Effect.gen(function* () {
        const store = yield* AlertStore
        expect(yield* store.countOpen).toBe(0)
        yield* change(alertOf("a-1"))
        yield* store.change(organization, { subject, id: "a-1" }, undefined, () =>
          Result.succeed({
            put: alertOf("a-1", { acknowledgement: { at: 1, by: "ann" } }),
            receipt: receiptOf("a-1"),
          }),
        )
        yield* change(alertOf("b-1"), undefined, "other")
        expect(yield* store.countOpen).toBe(2)
        yield* store.change(organization, { subject, id: "a-1" }, undefined, () =>
          Result.succeed({
            put: alertOf("a-1", { status: "resolved", resolvedAt: 2 }),
            receipt: receiptOf("a-1"),
          }),
        )
        expect(yield* store.countOpen).toBe(1)
      }),
    )

    test(
      "spec/rate-limits §7: counts the bytes of each notification once, whatever it notifies and of whatever alert",
      Effect.gen(function* () {
        const store = yield* AlertStore
        const bytes = (of = organization) =>
          Effect.map(store.storedNotifications(of), (all) => all.reduce((sum, each) => sum + each.bytes, 0))
        expect(yield* bytes()).toBe(0)
        yield* change(alertOf("a-1"))
        const once = yield* bytes()
        expect(once).toBe(contentBytes(aNotificationContent(organization)))
        const deliveries = ["d", "e", "f"].map((id) => ({ id, alertMethod: { project: "shop", name: id } }))
        yield* store.change(organization, { subject, id: "a-2" }, undefined, () =>
          Result.succeed({
            put: alertOf("a-2"),
            event: { content: aNotificationContent(organization), deliveries },
            receipt: receiptOf("a-2"),
          }),
        )
        expect(yield* bytes()).toBe(2 * once)
        // Nothing is stored without recipients, or when the change is rejected.
        yield* store.change(organization, { subject, id: "a-3" }, undefined, () =>
          Result.succeed({
            put: alertOf("a-3"),
            event: { content: aNotificationContent(organization), deliveries: [] },
            receipt: receiptOf("a-3"),
          }),
        )
        yield* Effect.flip(
          store.change(organization, { subject, id: "a-4" }, undefined, () => Result.fail("no" as const)),
        )
        expect(yield* bytes()).toBe(2 * once)
        expect(yield* bytes("other")).toBe(0)
        yield* putDefinitions(organization, [anSlo(subject.slo)])
        const { revision } = yield* dueOf()
        yield* evaluated(alertOf("a-5"), revision, undefined)
        expect(yield* bytes()).toBe(3 * once)
      }),
    )

    test(
      "spec/alerting §7: says whether the SLO of an alert exists when the alert is written",
      Effect.gen(function* () {
        const { change } = yield* AlertStore
        const isSloStored = change(organization, { subject, id: "a" }, undefined, (_, is) =>
          Result.fail(is),
        ).pipe(Effect.flip)
        expect(yield* isSloStored).toBe(false)
        yield* putDefinitions("other", [anSlo(subject.slo)])
        expect(yield* isSloStored).toBe(false)
        yield* putDefinitions(organization, [anSlo(subject.slo)])
        expect(yield* isSloStored).toBe(true)
        yield* removeSlos(organization, [subject.slo])
        expect(yield* isSloStored).toBe(false)
      }),
    )

    test(
      "spec/alerting §7: ends the alert of a former SLO together with opening the next, which is the latest",
      Effect.gen(function* () {
        const store = yield* AlertStore
        yield* change(alertOf("a-2"))
        const ended = alertOf("a-2", { status: "resolved", resolvedAt: 1 })
        yield* store.change(organization, { subject, id: undefined }, undefined, () =>
          Result.succeed({ ...opening(alertOf("a-1")), closed: ended }),
        )
        expect(yield* find("a-2")).toEqual({ latest: alertOf("a-1"), withId: ended })
      }),
    )

    test(
      "spec/delivery §7: writes nothing when the change is rejected",
      Effect.gen(function* () {
        const store = yield* AlertStore
        const reads = { subject, id: "a-1" }
        const refused = yield* Effect.flip(
          store.change(organization, reads, { key: "k", fingerprint: "f" }, () => Result.fail("no" as const)),
        )
        expect(refused).toBe("no")
        expect(yield* find("a-1")).toEqual({ latest: undefined, withId: undefined })
        expect(yield* change(alertOf("a-1"), { key: "k", fingerprint: "other" })).toEqual(receiptOf("a-1"))
      }),
    )

    test(
      "finds the latest alert of a subject, and alerts of other subjects by ID only",
      Effect.gen(function* () {
        const other = alertOf("a-2", { subject: { ...subject, objective: "great" } })
        yield* change(alertOf("a-1", { status: "resolved", resolvedAt: 1 }))
        yield* change(other)
        yield* change(alertOf("a-3"))
        expect((yield* find("a-2")).latest?.id).toBe("a-3")
        expect((yield* find("a-2")).withId).toEqual(other)
        expect(yield* find("a-1", "another")).toEqual({ latest: undefined, withId: undefined })
      }),
    )

    test(
      "spec/alerting §26: keeps the evidence that an alert was added with, whatever replaces the alert",
      Effect.gen(function* () {
        const store = yield* AlertStore
        const put = (alert: Alert) =>
          store.change(organization, { subject, id: alert.id }, undefined, () =>
            Result.succeed({ put: alert, receipt: receiptOf(alert.id) }),
          )
        const listed = Effect.map(
          store.list(organization, { ids: ["a-1"] }, { limit: 10 }),
          ({ items }) => items,
        )
        yield* put(alertOf("a-1", { evidence: evidenceOf(970) }))
        const { evidence: _, ...withoutEvidence } = alertOf("a-1", { evidence: evidenceOf(970) })
        yield* put({ ...withoutEvidence, acknowledgement: { at: 1, by: "ann" } })
        const kept = alertOf("a-1", { evidence: evidenceOf(970), acknowledgement: { at: 1, by: "ann" } })
        expect((yield* find("a-1")).withId).toEqual(kept)
        expect(yield* listed).toEqual([kept])
        yield* put({ ...kept, status: "resolved", resolvedAt: 2, evidence: evidenceOf(1_000) })
        expect(yield* listed).toEqual([{ ...kept, status: "resolved", resolvedAt: 2 }])
        const all = yield* store.list(organization, {}, { limit: 10 })
        expect(all.items.map(({ id, evidence }) => [id, evidence])).toEqual([["a-1", undefined]])
        yield* put(alertOf("a-2", { triggeredAt: 3 }))
        yield* put(alertOf("a-2", { triggeredAt: 3, evidence: evidenceOf(970) }))
        expect((yield* find("a-2")).withId).toEqual(alertOf("a-2", { triggeredAt: 3 }))
      }),
    )

    test(
      "spec/alerting §8: gives the first receipt again for the same key and request, for 24 h",
      Effect.gen(function* () {
        const idempotency = { key: "k", fingerprint: "f" }
        yield* change(alertOf("a-1"), idempotency)
        expect(yield* change(alertOf("a-2"), idempotency)).toEqual(receiptOf("a-1"))
        expect(yield* hasDelivery("delivery-of-a-2")).toBe(false)
        yield* passTime(idempotencyKeyLifetimeMs - 1)
        expect(yield* change(alertOf("a-2"), idempotency)).toEqual(receiptOf("a-1"))
        yield* passTime(1)
        expect(yield* change(alertOf("a-2"), idempotency)).toEqual(receiptOf("a-2"))
      }),
    )

    test(
      "spec/alerting §8: rejects the same key for another request, within one organization",
      Effect.gen(function* () {
        yield* change(alertOf("a-1"), { key: "k", fingerprint: "f" })
        const refused = yield* Effect.flip(change(alertOf("a-2"), { key: "k", fingerprint: "g" }))
        expect(refused).toMatchObject({ _tag: "IdempotencyKeyIsReused", key: "k" })
        expect((yield* find("a-2")).withId).toBeUndefined()
        expect(yield* change(alertOf("a-2"), { key: "k", fingerprint: "g" }, "another")).toEqual(
          receiptOf("a-2"),
        )
      }),
    )

    test(
      "spec/alerting §8: decides once for the same key asked for at once, and once for the same subject",
      Effect.gen(function* () {
        const store = yield* AlertStore
        let opened = 0
        const trigger = (id: string, idempotency?: { readonly key: string; readonly fingerprint: string }) =>
          store.change(organization, { subject, id }, idempotency, ({ latest }) => {
            if (latest !== undefined) return Result.succeed({ receipt: receiptOf(latest.id) })
            opened++
            return Result.succeed(opening(alertOf(id)))
          })
        const receipts = yield* Effect.all(
          [
            ...Array.from({ length: 10 }, (_, index) =>
              trigger(`k-${index}`, { key: "k", fingerprint: "f" }),
            ),
            ...Array.from({ length: 10 }, (_, index) => trigger(`a-${index}`)),
          ],
          { concurrency: "unbounded" },
        )
        expect(new Set(receipts.map(({ alertId }) => alertId)).size).toBe(1)
        expect(opened).toBe(1)
      }),
    )

    test(
      "spec/alerting §3: writes an alert, its deliveries and the SLO's evaluation together, once for each revision",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [anSlo(subject.slo)])
        const before = yield* dueOf()
        expect(before.evaluation).toBeUndefined()
        const first = yield* evaluated(alertOf("a-1"), before.revision, "one")
        expect(first.changed.changes[0]?.receipt).toEqual(receiptOf("a-1"))
        expect(yield* dueOf()).toMatchObject({ evaluation: "one", revision: first.revision })
        expect(first.revision).not.toBe(before.revision)
        expect(yield* hasDelivery("delivery-of-a-1")).toBe(true)

        const fenced = yield* Effect.flip(evaluated(alertOf("a-2"), before.revision, "two"))
        expect(fenced._tag).toBe("StatusHasChanged")
        expect(yield* find("a-2")).toEqual({ latest: alertOf("a-1"), withId: undefined })
        expect(yield* hasDelivery("delivery-of-a-2")).toBe(false)
        expect((yield* dueOf()).evaluation).toBe("one")

        const second = yield* evaluated(alertOf("a-2"), first.revision, undefined)
        expect(yield* dueOf()).toMatchObject({ evaluation: undefined, revision: second.revision })
      }),
    )

    test(
      "spec/alerting §3: writes nothing of an evaluation that is rejected, or whose SLO is gone",
      Effect.gen(function* () {
        const store = yield* AlertStore
        yield* putDefinitions(organization, [anSlo(subject.slo)])
        const { revision } = yield* dueOf()
        const reads = [{ subject, id: undefined }]
        const refused = store.changeEvaluated(organization, subject.slo, revision, reads, () =>
          Result.fail("no" as const),
        )
        expect(yield* Effect.flip(refused)).toBe("no")
        expect((yield* dueOf()).revision).toBe(revision)
        yield* removeSlos(organization, [subject.slo])
        expect(yield* Effect.flip(evaluated(alertOf("a-1"), revision, "one"))).toMatchObject({
          _tag: "StatusHasChanged",
        })
        yield* putDefinitions(organization, [anSlo(subject.slo)])
        expect(yield* Effect.flip(evaluated(alertOf("a-1"), revision, "one"))).toMatchObject({
          _tag: "StatusHasChanged",
        })
        expect((yield* find("a-1")).withId).toBeUndefined()
      }),
    )

    test(
      "spec/alerting §3: is fenced off by a status that was written, and fences off the one that was not",
      Effect.gen(function* () {
        const slos = yield* SloStore
        yield* putDefinitions(organization, [anSlo(subject.slo)])
        const { revision } = yield* dueOf()
        const status = { organization, slo: subject.slo, statuses: new Map() }
        expect(yield* slos.writeStatuses([{ ...status, revision }])).toEqual([true])
        expect(yield* Effect.flip(evaluated(alertOf("a-1"), revision, "one"))).toMatchObject({
          _tag: "StatusHasChanged",
        })
        const later = yield* dueOf()
        const done = yield* evaluated(alertOf("a-1"), later.revision, "one")
        expect(yield* slos.writeStatuses([{ ...status, revision: later.revision }])).toEqual([false])
        const fresh = { ...status, revision: done.revision, evaluation: "one" }
        expect(yield* slos.writeStatuses([fresh])).toEqual([true])
      }),
    )

    test(
      "spec/slos §9: changes an alert of an evaluation though counts have come since, and the SLO is due at once",
      Effect.gen(function* () {
        const slos = yield* SloStore
        yield* putDefinitions(organization, [anSlo(subject.slo)])
        yield* slos.dueForStatus(0, 10, 30_000)
        const { revision } = yield* dueOf()
        const counts = [{ objective: "good", at: 0, good: 1, total: 1 }]
        yield* (yield* CountStore).record(organization, [{ slo: subject.slo, counts }])
        const done = yield* evaluated(alertOf("a-1"), revision, "one")
        expect((yield* dueOf()).evaluation).toBe("one")
        const status = {
          organization,
          slo: subject.slo,
          statuses: new Map(),
          evaluation: "one",
          dueAt: 99_000,
        }
        expect(yield* slos.writeStatuses([{ ...status, revision: done.revision }])).toEqual([true])
        expect(yield* slos.dueForStatus(0, 10, 30_000)).toHaveLength(1)
      }),
    )

    test(
      "spec/alerting §3: changes many alerts of an SLO together, each by its own state",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [anSlo(subject.slo)])
        const store = yield* AlertStore
        const subjects = ["good", "great", "new"].map((objective) => ({ ...subject, objective }))
        const [good, great] = [
          alertOf("a-1"),
          alertOf("a-2", { subject: { ...subject, objective: "great" } }),
        ]
        yield* change(good)
        yield* change(great)
        const { revision } = yield* dueOf()
        const ids = ["a-1", undefined, "a-1"]
        const reads = subjects.map((each, index) => ({ subject: each, id: ids[index] }))
        const ended = { ...great, status: "canceled" as const, resolvedAt: 1 }
        const after = [
          { ...good, status: "resolved" as const, resolvedAt: 1 },
          { ...great, id: "a-3" },
          alertOf("a-4", { subject: { ...subject, objective: "new" } }),
        ]
        const { changed } = yield* store.changeEvaluated(
          organization,
          subject.slo,
          revision,
          reads,
          (found) =>
            Result.succeed({
              changes: after.map((alert, index) => ({
                ...opening(alert, `second-of-${alert.id}`),
                ...(index === 1 && { closed: ended }),
              })),
              evaluation: "three",
              found,
            }),
        )
        expect(changed.found).toEqual([
          { latest: good, withId: good },
          { latest: great, withId: undefined },
          { latest: undefined, withId: good },
        ])
        for (const alert of after) {
          const found = yield* store.find(organization, { subject: alert.subject, id: alert.id })
          expect(found).toEqual({ latest: alert, withId: alert })
          expect(yield* hasDelivery(`second-of-${alert.id}`)).toBe(true)
        }
        expect((yield* find("a-2")).withId).toEqual(ended)
        expect((yield* dueOf()).evaluation).toBe("three")
      }),
    )

    test(
      "spec/alerting §3: of many that evaluate the same revision at once, one changes alerts",
      Effect.gen(function* () {
        yield* putDefinitions(organization, [anSlo(subject.slo)])
        const { revision } = yield* dueOf()
        const outcomes = yield* Effect.all(
          Array.from({ length: 10 }, (_, index) =>
            Effect.result(evaluated(alertOf(`a-${index}`), revision, `by ${index}`)),
          ),
          { concurrency: "unbounded" },
        )
        expect(outcomes.filter(({ _tag }) => _tag === "Success")).toHaveLength(1)
        const store = yield* AlertStore
        const { items } = yield* store.list(organization, {}, { limit: 10 })
        expect(items).toHaveLength(1)
      }),
    )

    test(
      "spec/alerting §3: cancels the open alerts of an SLO that is removed, in the same transaction",
      Effect.gen(function* () {
        const other = { slo: { project: "elsewhere", name: "checkout" } }
        yield* putDefinitions(organization, [anSlo(subject.slo), anSlo(other.slo)])
        const policy = { project: "shop", name: "fast-burn" }
        const ended = alertOf("a-2", {
          status: "resolved",
          resolvedAt: 1,
          subject: { ...subject, alertPolicy: policy },
        })
        yield* change(alertOf("a-1"))
        yield* change(ended)
        yield* change(alertOf("a-3", { subject: other }))
        yield* passTime(5)
        yield* removeSlos(organization, [subject.slo])
        const canceled = alertOf("a-1", { status: "canceled", reason: "deleted", resolvedAt: 5 })
        expect(yield* find("a-1")).toEqual({ latest: canceled, withId: canceled })
        expect((yield* find("a-2")).withId).toEqual(ended)
        expect((yield* find("a-3")).withId?.status).toBe("triggered")
      }),
    )

    test(
      "spec/alerting §11: lists alerts by SLO, objective, alert policy, status and the time they triggered",
      Effect.gen(function* () {
        const store = yield* AlertStore
        const alerts: ReadonlyArray<readonly [string, string, string, string | undefined, AlertStatus]> = [
          ["a-1", "checkout", "good", "fast", "triggered"],
          ["a-2", "checkout", "great", "slow", "resolved"],
          ["a-3", "search", "good", undefined, "canceled"],
          ["a-4", "search", "good", "fast", "resolved"],
        ]
        for (const [index, [id, slo, objective, policy, status]] of alerts.entries()) {
          yield* change(
            alertOf(id, {
              status,
              ...(policy === "fast" && { severity: "High" as const }),
              triggeredAt: index * 10,
              subject: {
                slo: { project: "shop", name: slo },
                objective,
                ...(policy !== undefined && { alertPolicy: { project: "shop", name: policy } }),
              },
            }),
          )
        }
        const listed = (query: Parameters<typeof store.list>[1], limit = 10) =>
          Effect.map(store.list(organization, query, { limit }), ({ items }) => items.map(({ id }) => id))
        expect(yield* listed({})).toEqual(["a-4", "a-3", "a-2", "a-1"])
        expect(yield* listed({ slos: ["search"] })).toEqual(["a-4", "a-3"])
        expect(yield* listed({ slos: ["search", "checkout"], objectives: ["good"] })).toEqual([
          "a-4",
          "a-3",
          "a-1",
        ])
        expect(yield* listed({ alertPolicies: ["fast"] })).toEqual(["a-4", "a-1"])
        expect(yield* listed({ alertPolicies: ["fast", "slow"], project: "shop" }, 2)).toEqual(["a-4", "a-2"])
        expect(yield* listed({ statuses: ["triggered"] })).toEqual(["a-1"])
        expect(yield* listed({ statuses: ["resolved", "canceled"] })).toEqual(["a-4", "a-3", "a-2"])
        expect(yield* listed({ statuses: ["resolved", "canceled"], to: 30 })).toEqual(["a-3", "a-2"])
        expect(yield* listed({ statuses: [] })).toEqual([])
        expect(yield* listed({ severities: ["High"] })).toEqual(["a-4", "a-1"])
        expect(yield* listed({ severities: ["Low", "Medium"], statuses: ["canceled"] })).toEqual([])
        expect(yield* listed({ from: 10, to: 30 })).toEqual(["a-3", "a-2"])
        expect(yield* listed({ from: 30 })).toEqual(["a-4"])
        expect(yield* listed({ to: 10 })).toEqual(["a-1"])
        expect(yield* listed({ slos: ["search"], statuses: ["resolved"], from: 30 })).toEqual(["a-4"])
      }),
    )

    test(
      "spec/alerting §11: lists alerts by service and objective value, and those that were open in a range",
      Effect.gen(function* () {
        const store = yield* AlertStore
        const open = alertOf("a-1", { triggeredAt: 10, service: "web", objectiveValue: 0.5 })
        yield* change(open)
        yield* change(
          alertOf("a-2", {
            status: "resolved",
            triggeredAt: 20,
            resolvedAt: 40,
            service: "web",
            objectiveValue: -2,
          }),
        )
        yield* change(alertOf("a-3", { status: "canceled", triggeredAt: 50, resolvedAt: 60, service: "api" }))
        const listed = (query: Parameters<typeof store.list>[1]) =>
          Effect.map(store.list(organization, query, { limit: 10 }), ({ items }) => items.map(({ id }) => id))
        expect(yield* listed({ services: ["web"] })).toEqual(["a-2", "a-1"])
        expect(yield* listed({ services: ["web", "api"], to: 50 })).toEqual(["a-2", "a-1"])
        expect(yield* listed({ services: ["other"] })).toEqual([])
        expect(yield* listed({ objectiveValues: [0.5] })).toEqual(["a-1"])
        expect(yield* listed({ objectiveValues: [-2, 0.5] })).toEqual(["a-2", "a-1"])
        expect(yield* listed({ activeFrom: 40, to: 50 })).toEqual(["a-2", "a-1"])
        expect(yield* listed({ activeFrom: 41, to: 50 })).toEqual(["a-1"])
        expect(yield* listed({ activeFrom: 0, to: 10 })).toEqual([])
        expect(yield* listed({ activeFrom: 61 })).toEqual(["a-1"])
        yield* store.change(organization, { subject, id: "a-1" }, undefined, () =>
          Result.succeed({ put: { ...open, status: "resolved", resolvedAt: 70 }, receipt: receiptOf("a-1") }),
        )
        expect(yield* listed({ activeFrom: 61 })).toEqual(["a-1"])
        expect(yield* listed({ activeFrom: 71 })).toEqual([])
        expect(yield* listed({ services: ["web"], objectiveValues: [0.5] })).toEqual(["a-1"])
      }),
    )

    test(
      "lists alerts by the project of their SLO and by ID",
      Effect.gen(function* () {
        const store = yield* AlertStore
        const elsewhere = { slo: { project: "elsewhere", name: "checkout" } }
        yield* change(alertOf("a-1"))
        yield* change(alertOf("a-2", { subject: elsewhere }))
        const listed = (query: Parameters<typeof store.list>[1]) =>
          Effect.map(store.list(organization, query, { limit: 10 }), ({ items }) => items.map(({ id }) => id))
        expect(yield* listed({})).toEqual(["a-2", "a-1"])
        expect(yield* listed({ project: "shop" })).toEqual(["a-1"])
        expect(yield* listed({ ids: ["a-2", "a-3"] })).toEqual(["a-2"])
      }),
    )
  })

  pagingLaws(`alerts ${name}`, {
    layer,
    key: fc.record({ triggeredAt: fc.integer({ min: 0, max: 5 }), id: fc.uuid() }),
    compare: (a: AlertPlace, b: AlertPlace) =>
      b.triggeredAt - a.triggeredAt || (a.id === b.id ? 0 : a.id < b.id ? 1 : -1),
    add: (scope, { id, triggeredAt }) =>
      change(alertOf(id, { triggeredAt, subject: { ...subject, evaluation: id } }), undefined, scope),
    page: (scope, request) =>
      Effect.flatMap(AlertStore, (store) =>
        Effect.map(store.list(scope, {}, request), ({ items, hasMore }) => ({
          items: items.map(({ id, triggeredAt }) => ({ triggeredAt, id })),
          hasMore,
        })),
      ),
  })
}
