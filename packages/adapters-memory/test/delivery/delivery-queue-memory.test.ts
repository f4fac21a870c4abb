import { deliveryLogContract, deliveryQueueContract, endpointStoreContract } from "@tocsin/testing/contracts"
import { aNotificationContent, notify, settleAllDue } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import { MemoryStores } from "@tocsin/adapters-memory"
import { attemptsKeptMax, contentBytes } from "@tocsin/domain/adapter"
import { AlertStore, DeliveryLog, DeliveryQueue } from "@tocsin/domain/ports"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { settledDeliveriesInMemoryMax } from "../../src/delivery/DeliveryTables.ts"

deliveryQueueContract("in memory", MemoryStores.layer)
deliveryLogContract("in memory", MemoryStores.layer)
endpointStoreContract("in memory", MemoryStores.layer)

const hook = { project: "shop", name: "hook" }

describe("the queue in memory", () => {
  it.effect("keeps the latest settled deliveries and drops older ones, but none that was resent", () =>
    Effect.gen(function* () {
      const queue = yield* DeliveryQueue
      const log = yield* DeliveryLog
      const early: Array<string> = []
      for (let count = 0; count < 3; count++) {
        early.push(...(yield* notify("acme", [hook])))
        yield* settleAllDue({ kind: "undeliverable" })
      }
      const [resent = "", dropped = "", pending = ""] = early
      yield* queue.resend("acme", pending)
      yield* queue.resend("acme", resent)
      yield* queue.claim({ limit: 1, leaseMs: 30_000 })
      const ids = Array.from({ length: settledDeliveriesInMemoryMax }, (_, index) => `d-${index}`)
      yield* notify(
        "acme",
        ids.map(() => hook),
        ids,
      )
      yield* settleAllDue({ kind: "undeliverable" })
      const isKept = (id: string) => Effect.map(log.find("acme", id), Option.isSome)
      expect(yield* isKept(dropped)).toBe(false)
      expect(yield* isKept(pending)).toBe(true)
      expect(yield* isKept(ids[1] ?? "")).toBe(true)
      expect(yield* isKept(ids.at(-1) ?? "")).toBe(true)
      // The notification of a dropped delivery counts no longer; the one that the last ones share counts once.
      const kept = yield* Effect.filter(early, isKept)
      const bytes = contentBytes(aNotificationContent("acme"))
      const stored = yield* (yield* AlertStore).storedNotifications("acme")
      expect(stored).toEqual([{ bytes: (kept.length + 1) * bytes }])
    }).pipe(Effect.provide(MemoryStores.layer)),
  )

  it.effect("keeps the latest attempts of a delivery that is resent repeatedly", () =>
    Effect.gen(function* () {
      const queue = yield* DeliveryQueue
      const log = yield* DeliveryLog
      const [id = ""] = yield* notify("acme", [hook])
      for (let count = 0; count < attemptsKeptMax + 10; count++) {
        yield* settleAllDue({ kind: "undeliverable" })
        yield* queue.resend("acme", id)
      }
      expect(Option.getOrThrow(yield* log.find("acme", id)).attempts.length).toBe(attemptsKeptMax)
    }).pipe(Effect.provide(MemoryStores.layer)),
  )
})
