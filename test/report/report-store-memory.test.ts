import * as DefinitionStoreMemory from "@tocsin/adapters-memory/internal/definition/DefinitionStoreMemory"
import * as MemoryDatabase from "@tocsin/adapters-memory/internal/definition/MemoryDatabase"
import * as ReportStoreMemory from "@tocsin/adapters-memory/internal/slo/ReportStoreMemory"
import * as Layer from "effect/Layer"
import { reportStoreContract } from "@tocsin/testing/contracts"

reportStoreContract(
  "in memory",
  Layer.mergeAll(DefinitionStoreMemory.layer, ReportStoreMemory.layer).pipe(
    Layer.provide(MemoryDatabase.layer),
  ),
)
