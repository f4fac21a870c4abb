import { HashNode } from "@tocsin/adapters-http/crypto"
import { aMethod, putDefinitions } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { MemoryStores } from "@tocsin/adapters-memory"
import { NotificationsQuotaIsExceeded, Quotas, receiveAlert } from "@tocsin/domain"
import type { StoredNotifications } from "@tocsin/domain/adapter"
import { AlertStore, CountStore, DeliveryLog, SloStore } from "@tocsin/domain/ports"
import { refreshStatus } from "../../src/refresh/RefreshStatus.ts"
import { checkNotificationsQuota } from "../../src/quota/Quotas.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import {
  alertsOf,
  anHour,
  aPolicy,
  at,
  hook,
  organization,
  pager,
  sloKey,
} from "../../../../test/alerting/Incident.ts"

/** How long an effect takes by the clock of the machine, in milliseconds. */
const timeOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = performance.now()
    yield* effect
    return performance.now() - before
  })

const objectives = Array.from({ length: 24 }, (_, index) => ({ name: `objective-${index}`, target: 0.9 }))

const quotas = {
  definitions: 1,
  alertsPerSecond: 1,
  countRequestsPerSecond: 1,
  deliveriesPerMinute: 1,
  notificationBytes: 1,
  historyBytes: 1,
}

/** An SLO of which everything is bad, and 480 alerts are to open. */
const burning = Effect.gen(function* () {
  yield* TestClock.setTime(at(0))
  const names = Array.from({ length: 20 }, (_, index) => `policy-${index}`)
  yield* putDefinitions(organization, [
    aMethod(hook),
    aMethod(pager),
    ...names.map((name) => aPolicy([{ measurement: "averageBurnRate", op: "gte", value: 2 }], {}, name)),
    anHour({ objectives, alertPolicies: names }),
  ])
  const counts = objectives.map(({ name }) => ({ objective: name, at: at(0), good: 0, total: 10 }))
  yield* (yield* CountStore).record(organization, [{ slo: sloKey, counts }])
})

it.effect("looking at hundreds of open alerts costs much less than opening them", () =>
  Effect.gen(function* () {
    yield* burning
    const opened = yield* timeOf(refreshStatus(organization, sloKey))
    expect(yield* alertsOf("policy-19")).toEqual(objectives.map(() => ["triggered", 0]))
    // The fastest of a few, as the machine may be busy during one.
    const looks = yield* Effect.replicateEffect(timeOf(refreshStatus(organization, sloKey)), 5)
    expect(Math.min(...looks)).toBeLessThan(opened)
  }).pipe(Effect.provide(MemoryStores.layer)),
)

it.effect("hundreds of alerts open in a few transactions, and little is kept of each", () =>
  Effect.gen(function* () {
    yield* burning
    const alerts = yield* AlertStore
    const sizes: Array<number> = []
    const counting = AlertStore.of({
      ...alerts,
      changeEvaluated: (organization, slo, revision, reads, decide) => {
        sizes.push(reads.length)
        return alerts.changeEvaluated(organization, slo, revision, reads, decide)
      },
    })
    yield* Effect.provideService(refreshStatus(organization, sloKey), AlertStore, counting)
    expect(sizes).toEqual([100, 100, 100, 100, 80])
    expect(yield* alertsOf("policy-0")).toHaveLength(24)
    const due = yield* Effect.flatMap(
      (yield* SloStore).findForStatus(organization, sloKey),
      Effect.fromOption,
    )
    expect(due.evaluation?.length).toBeLessThan(480 * 200)
  }).pipe(Effect.provide(MemoryStores.layer)),
)

it.effect(
  "spec/rate-limits §7: no quota limits the alerts of SLOs, which count toward that of notifications",
  () =>
    Effect.gen(function* () {
      yield* burning
      const report = (alertId: string) =>
        receiveAlert(organization, {
          body: { status: "triggered", slo: sloKey, alertMethods: [hook], alertId },
        })
      expect((yield* report("one")).deliveries).toHaveLength(1)
      yield* TestClock.adjust("1 second")
      expect(yield* Effect.flip(report("two"))).toMatchObject({ _tag: "NotificationsQuotaIsExceeded" })
      expect(yield* Effect.flip(report("three"))).toMatchObject({ _tag: "RateLimitIsExceeded" })
      const stored = Effect.map(
        (yield* AlertStore).storedNotifications(organization),
        ([all]) => all?.bytes ?? 0,
      )
      const before = yield* stored
      yield* refreshStatus(organization, sloKey)
      for (const index of [0, 19]) {
        expect((yield* alertsOf(`policy-${index}`)).map(([status]) => status)).toEqual(
          objectives.map(() => "triggered"),
        )
      }
      const log = yield* DeliveryLog
      const first = yield* log.list(organization, {}, { limit: 500 })
      const rest = yield* log.list(
        organization,
        {},
        { limit: 500, after: first.items.at(-1)?.notification.id ?? "" },
      )
      // Two for each alert, and the reported one.
      expect(first.items.length + rest.items.length).toBe(2 * 480 + 1)
      expect(yield* stored).toBeGreaterThan((480 * before) / 2)
    }).pipe(
      Effect.provide(Layer.mergeAll(MemoryStores.layer, HashNode.layer, Layer.succeed(Quotas, quotas))),
    ),
)

describe("the quota of notifications", () => {
  const limit = (stored: ReadonlyArray<StoredNotifications>) =>
    checkNotificationsQuota(stored, { ...quotas, notificationBytes: 100 })

  it("spec/rate-limits §7: is free again when the notifications are deleted without which fewer are stored", () => {
    expect(limit([])).toEqual(Result.void)
    expect(limit([{ bytes: 99, deletedAt: 1 }])).toEqual(Result.void)
    const stored = [
      { bytes: 60, deletedAt: 3 },
      { bytes: 10, deletedAt: 1 },
      { bytes: 50, deletedAt: 2 },
    ]
    expect(Result.getFailure(limit(stored))).toEqual(
      Option.some(new NotificationsQuotaIsExceeded({ limitBytes: 100, storedBytes: 120, freeAt: 2 })),
    )
    expect(Result.getFailure(limit([{ bytes: 100 }]))).toEqual(
      Option.some(new NotificationsQuotaIsExceeded({ limitBytes: 100, storedBytes: 100 })),
    )
  })
})
