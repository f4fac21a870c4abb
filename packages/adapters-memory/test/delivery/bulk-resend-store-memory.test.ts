import { MemoryStores } from "@tocsin/adapters-memory"
import { BulkResendStore } from "@tocsin/domain/ports"
import { bulkResendStoreContract } from "@tocsin/testing/contracts"
import { expect, it } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { endedBulkResendsInMemoryMax } from "../../src/delivery/BulkResendStoreMemory.ts"

bulkResendStoreContract("in memory", MemoryStores.layer)

it.effect("keeps the latest bulk resends that have ended, and every one that runs", () =>
  Effect.gen(function* () {
    const store = yield* BulkResendStore
    const add = (id: string) =>
      store.add("acme", { id, filter: { states: ["failed"] }, matched: 0, mayMatchMore: false })
    yield* add("r-running")
    const ids = Array.from({ length: endedBulkResendsInMemoryMax + 1 }, (_, index) => `r-${index}`)
    for (const id of ids) {
      yield* add(id)
      yield* store.cancel("acme", id)
    }
    const isKept = (id: string) => Effect.map(store.find("acme", id), Option.isSome)
    expect(yield* isKept("r-0")).toBe(false)
    expect(yield* isKept("r-1")).toBe(true)
    expect(yield* isKept("r-running")).toBe(true)
  }).pipe(Effect.provide(MemoryStores.layer)),
)
