import * as CountStoreMemory from "../../src/slo/CountStoreMemory.ts"
import * as DefinitionStoreMemory from "../../src/definition/DefinitionStoreMemory.ts"
import * as MemoryDatabase from "../../src/definition/MemoryDatabase.ts"
import * as BackfillStoreMemory from "../../src/slo/BackfillStoreMemory.ts"
import * as SloStoreMemory from "../../src/slo/SloStoreMemory.ts"
import * as Layer from "effect/Layer"
import { backfillStoreContract } from "@tocsin/testing/contracts"

backfillStoreContract(
  "in memory",
  Layer.mergeAll(
    CountStoreMemory.layer,
    DefinitionStoreMemory.layer,
    BackfillStoreMemory.layer,
    SloStoreMemory.layer,
  ).pipe(Layer.provide(MemoryDatabase.layer)),
)
