import { MemoryStores } from "@tocsin/adapters-memory"
import * as TestClock from "effect/testing/TestClock"
import { lateCountsContract } from "../../../../test/contract/late-counts.ts"

lateCountsContract("in memory", MemoryStores.layer, TestClock.adjust, {
  numRuns: Number(process.env["RUNS"] ?? 3),
  seed: Number(process.env["SEED"] ?? 28),
})
