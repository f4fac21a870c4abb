import * as CountStoreMemory from "@tocsin/adapters-memory/internal/slo/CountStoreMemory"
import * as DefinitionStoreMemory from "@tocsin/adapters-memory/internal/definition/DefinitionStoreMemory"
import * as MemoryDatabase from "@tocsin/adapters-memory/internal/definition/MemoryDatabase"
import * as Layer from "effect/Layer"
import { componentRulesContract } from "../contract/component-rules.ts"

componentRulesContract(
  "in memory",
  Layer.provide(Layer.merge(DefinitionStoreMemory.layer, CountStoreMemory.layer), MemoryDatabase.layer),
)
