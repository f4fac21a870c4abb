import * as CountStoreMemory from "@tocsin/adapters-memory/internal/slo/CountStoreMemory"
import * as DefinitionStoreMemory from "@tocsin/adapters-memory/internal/definition/DefinitionStoreMemory"
import * as MemoryDatabase from "@tocsin/adapters-memory/internal/definition/MemoryDatabase"
import * as Layer from "effect/Layer"
import { warningsContract } from "../contract/warnings.ts"

warningsContract(
  "in memory",
  Layer.provide(Layer.merge(DefinitionStoreMemory.layer, CountStoreMemory.layer), MemoryDatabase.layer),
)
