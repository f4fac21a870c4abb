import * as CountStoreMemory from "../../src/slo/CountStoreMemory.ts"
import * as DefinitionStoreMemory from "../../src/definition/DefinitionStoreMemory.ts"
import * as MemoryDatabase from "../../src/definition/MemoryDatabase.ts"
import * as Layer from "effect/Layer"
import { componentRulesContract } from "../../../../test/contract/component-rules.ts"

componentRulesContract(
  "in memory",
  Layer.provide(Layer.merge(DefinitionStoreMemory.layer, CountStoreMemory.layer), MemoryDatabase.layer),
)
