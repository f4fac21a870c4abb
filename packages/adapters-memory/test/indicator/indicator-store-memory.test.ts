import * as DefinitionStoreMemory from "../../src/definition/DefinitionStoreMemory.ts"
import * as IndicatorStoreMemory from "../../src/slo/IndicatorStoreMemory.ts"
import * as SloStoreMemory from "../../src/slo/SloStoreMemory.ts"
import * as MemoryDatabase from "../../src/definition/MemoryDatabase.ts"
import * as Layer from "effect/Layer"
import { indicatorStoreContract } from "@tocsin/testing/contracts"

indicatorStoreContract(
  "in memory",
  Layer.mergeAll(IndicatorStoreMemory.layer, DefinitionStoreMemory.layer, SloStoreMemory.layer).pipe(
    Layer.provide(MemoryDatabase.layer),
  ),
)
