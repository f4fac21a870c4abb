import * as DefinitionHistoryMemory from "@tocsin/adapters-memory/internal/definition/DefinitionHistoryMemory"
import * as DefinitionStoreMemory from "@tocsin/adapters-memory/internal/definition/DefinitionStoreMemory"
import * as MemoryDatabase from "@tocsin/adapters-memory/internal/definition/MemoryDatabase"
import * as Layer from "effect/Layer"
import { definitionHistoryContract } from "@tocsin/testing/contracts"

definitionHistoryContract(
  "in memory",
  Layer.provide(
    Layer.mergeAll(DefinitionHistoryMemory.layer, DefinitionStoreMemory.layer),
    MemoryDatabase.layer,
  ),
)
