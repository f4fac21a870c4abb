import * as Result from "effect/Result"
import { alertStoreContract } from "@tocsin/testing/contracts"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { MemoryStores } from "@tocsin/adapters-memory"
import type { AlertStatus } from "@tocsin/domain/adapter"
import type { Alert } from "@tocsin/domain/alerting"
import { AlertStore, idempotencyKeyLifetimeMs } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { resolvedAlertsInMemoryMax, idempotencyKeysInMemoryMax } from "../../src/alerting/AlertStoreMemory.ts"

alertStoreContract("in memory", MemoryStores.layer)

describe("the store of alerts in memory", () => {
  it.effect("keeps every open alert and the latest resolved ones", () =>
    Effect.gen(function* () {
      const store = yield* AlertStore
      const put = (id: string, status: AlertStatus) => {
        const subject = { slo: { project: "shop", name: "checkout" }, evaluation: id }
        const alert: Alert = {
          id,
          subject,
          status,
          conditions: [],
          definedAt: 0,
          alertMethods: [],
          triggeredAt: 0,
        }
        const receipt = { alertId: id, isChanged: true, deliveries: [] }
        return store.change("acme", { subject, id }, undefined, () => Result.succeed({ put: alert, receipt }))
      }
      yield* put("open", "triggered")
      yield* put("reopened", "resolved")
      yield* put("reopened", "triggered")
      for (let count = 0; count <= resolvedAlertsInMemoryMax; count++) yield* put(`a-${count}`, "resolved")
      const ids = ["open", "reopened", "a-0", "a-1", `a-${resolvedAlertsInMemoryMax}`]
      const { items } = yield* store.list("acme", { ids }, { limit: 10 })
      expect(items.map(({ id }) => id)).toEqual(["reopened", "open", `a-${resolvedAlertsInMemoryMax}`, "a-1"])
    }).pipe(Effect.provide(MemoryStores.layer)),
  )

  it.effect("spec/alerting §8: after the clock was set back, a key is kept for 24 h from then on", () =>
    Effect.gen(function* () {
      const store = yield* AlertStore
      const subject = { slo: { project: "shop", name: "checkout" } }
      const answerTo = (key: string, alertId: string) =>
        Effect.map(
          store.change("acme", { subject, id: undefined }, { key, fingerprint: "f" }, () =>
            Result.succeed({ receipt: { alertId, isChanged: false, deliveries: [] } }),
          ),
          (receipt) => receipt.alertId,
        )
      const day = idempotencyKeyLifetimeMs
      yield* TestClock.setTime(10 * day)
      for (const key of ["a", "b", "c"]) yield* answerTo(key, "first")
      yield* TestClock.setTime(day)
      expect(yield* answerTo("a", "second")).toBe("first")
      yield* TestClock.adjust(day - 1)
      expect(yield* answerTo("b", "second")).toBe("first")
      yield* TestClock.adjust(1)
      expect(yield* answerTo("c", "second")).toBe("second")
    }).pipe(Effect.provide(MemoryStores.layer)),
  )

  it.effect(
    "spec/alerting §8: keeps the latest idempotency records, so that keys repeatedly do not fill the memory",
    () =>
      Effect.gen(function* () {
        const store = yield* AlertStore
        const subject = { slo: { project: "shop", name: "checkout" } }
        const answerTo = (key: string, alertId: string) =>
          Effect.map(
            store.change("acme", { subject, id: undefined }, { key, fingerprint: "f" }, () =>
              Result.succeed({ receipt: { alertId, isChanged: false, deliveries: [] } }),
            ),
            (receipt) => receipt.alertId,
          )
        for (let count = 0; count <= idempotencyKeysInMemoryMax; count++)
          yield* answerTo(`key-${count}`, "first")
        expect(yield* answerTo("key-1", "second")).toBe("first")
        expect(yield* answerTo("key-0", "second")).toBe("second")
      }).pipe(Effect.provide(MemoryStores.layer)),
  )
})
