import * as DefinitionStoreMemory from "@tocsin/adapters-memory/internal/definition/DefinitionStoreMemory"
import * as IndicatorStoreMemory from "@tocsin/adapters-memory/internal/slo/IndicatorStoreMemory"
import * as SloStoreMemory from "@tocsin/adapters-memory/internal/slo/SloStoreMemory"
import * as MemoryDatabase from "@tocsin/adapters-memory/internal/definition/MemoryDatabase"
import * as Layer from "effect/Layer"
import { indicatorStoreContract } from "@tocsin/testing/contracts"

indicatorStoreContract(
  "in memory",
  Layer.mergeAll(IndicatorStoreMemory.layer, DefinitionStoreMemory.layer, SloStoreMemory.layer).pipe(
    Layer.provide(MemoryDatabase.layer),
  ),
)
