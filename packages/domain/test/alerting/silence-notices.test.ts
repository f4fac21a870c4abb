import { MemoryStores } from "@tocsin/adapters-memory"
import { sendDueNotices, SilenceNoticeStore } from "@tocsin/domain/adapter"
import { decode, durationOf } from "@tocsin/domain/codec"
import { DeliveryLog, StoreIsUnavailable } from "@tocsin/domain/ports"
import { recurrence } from "../../src/codec/Recurrence.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { silenceNoticesContract } from "@tocsin/testing/contracts"
import { putDefinitions } from "@tocsin/testing/fixtures"
import { expect, it } from "@tocsin/testing/vitest"

silenceNoticesContract("memory", MemoryStores.layer)

it.effect("spec/alerting §22: a notice that cannot be stored does not keep others from being sent", () =>
  Effect.gen(function* () {
    for (const organization of ["acme", "other"]) {
      const notifyBeforeEnd = {
        before: durationOf("1m"),
        alertMethods: [{ project: "shop", name: "hook" }],
      }
      yield* putDefinitions(organization, [
        {
          kind: "AlertSilence",
          metadata: { project: "shop", name: "night" },
          spec: { slo: "checkout", period: { duration: durationOf("5m") }, notifyBeforeEnd },
        },
      ])
    }
    yield* TestClock.adjust("4 minutes")
    const store = yield* SilenceNoticeStore
    const away = new StoreIsUnavailable({
      store: "SilenceNoticeStore",
      operation: "settle",
      isRetryable: true,
      cause: "away",
    })
    const failing = SilenceNoticeStore.of({
      ...store,
      settle: (organization, ...settled) =>
        organization === "acme" ? Effect.fail(away) : store.settle(organization, ...settled),
    })
    const failure = yield* Effect.flip(Effect.provideService(sendDueNotices, SilenceNoticeStore, failing))
    expect(failure).toBe(away)
    const sent = (organization: string) =>
      Effect.flatMap(DeliveryLog, (log) =>
        Effect.map(log.list(organization, {}, { limit: 10 }), ({ items }) => items.length),
      )
    expect([yield* sent("acme"), yield* sent("other")]).toEqual([0, 1])
    expect(yield* sendDueNotices).toBe(false)
    expect([yield* sent("acme"), yield* sent("other")]).toEqual([1, 1])
  }).pipe(Effect.provide(MemoryStores.layer)),
)

it.effect("spec/alerting §22: the notice of the next period is sent late after an outage over several", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 0, 30, 12))
    yield* putDefinitions("acme", [
      {
        kind: "AlertSilence",
        metadata: { project: "shop", name: "daily" },
        spec: {
          slo: "checkout",
          recurrence: Result.getOrThrow(
            decode(
              recurrence,
              { startTime: "2026-01-01 20:00:00", timeZone: "UTC", rrule: "FREQ=DAILY", duration: "2h" },
              {},
            ),
          ),
          notifyBeforeEnd: {
            before: durationOf("1h"),
            alertMethods: [{ project: "shop", name: "hook" }],
          },
        },
      },
    ])
    // Away from before the notice of 21:00 until after that of the next day.
    yield* TestClock.setTime(Date.UTC(2026, 0, 31, 21, 1))
    yield* sendDueNotices
    yield* sendDueNotices
    const { items } = yield* (yield* DeliveryLog).list("acme", {}, { limit: 10 })
    expect(items).toHaveLength(1)
  }).pipe(Effect.provide(MemoryStores.layer)),
)
