import * as CountStoreMemory from "@tocsin/adapters-memory/internal/slo/CountStoreMemory"
import * as DefinitionStoreMemory from "@tocsin/adapters-memory/internal/definition/DefinitionStoreMemory"
import * as MemoryDatabase from "@tocsin/adapters-memory/internal/definition/MemoryDatabase"
import * as ReplayStoreMemory from "@tocsin/adapters-memory/internal/slo/ReplayStoreMemory"
import * as SloStoreMemory from "@tocsin/adapters-memory/internal/slo/SloStoreMemory"
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
