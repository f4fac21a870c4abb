import * as DefinitionStoreMemory from "../../src/definition/DefinitionStoreMemory.ts"
import * as MemoryDatabase from "../../src/definition/MemoryDatabase.ts"
import * as ReportStoreMemory from "../../src/slo/ReportStoreMemory.ts"
import * as Layer from "effect/Layer"
import { reportStoreContract } from "@tocsin/testing/contracts"

reportStoreContract(
  "in memory",
  Layer.mergeAll(DefinitionStoreMemory.layer, ReportStoreMemory.layer).pipe(
    Layer.provide(MemoryDatabase.layer),
  ),
)
