import * as DefinitionHistoryMemory from "../../src/definition/DefinitionHistoryMemory.ts"
import * as DefinitionStoreMemory from "../../src/definition/DefinitionStoreMemory.ts"
import * as MemoryDatabase from "../../src/definition/MemoryDatabase.ts"
import * as Layer from "effect/Layer"
import { definitionHistoryContract } from "@tocsin/testing/contracts"

definitionHistoryContract(
  "in memory",
  Layer.provide(
    Layer.mergeAll(DefinitionHistoryMemory.layer, DefinitionStoreMemory.layer),
    MemoryDatabase.layer,
  ),
)
