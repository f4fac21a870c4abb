import * as CountStoreMemory from "../../src/slo/CountStoreMemory.ts"
import * as DefinitionStoreMemory from "../../src/definition/DefinitionStoreMemory.ts"
import * as MemoryDatabase from "../../src/definition/MemoryDatabase.ts"
import * as ReplayStoreMemory from "../../src/slo/ReplayStoreMemory.ts"
import * as SloStoreMemory from "../../src/slo/SloStoreMemory.ts"
import * as Layer from "effect/Layer"
import { replayStoreContract } from "@tocsin/testing/contracts"

replayStoreContract(
  "in memory",
  Layer.mergeAll(
    CountStoreMemory.layer,
    DefinitionStoreMemory.layer,
    ReplayStoreMemory.layer,
    SloStoreMemory.layer,
  ).pipe(Layer.provide(MemoryDatabase.layer)),
)
