import * as CountStoreMemory from "@tocsin/adapters-memory/CountStoreMemory"
import * as DefinitionStoreMemory from "@tocsin/adapters-memory/DefinitionStoreMemory"
import * as MemoryDatabase from "@tocsin/adapters-memory/MemoryDatabase"
import * as SloStoreMemory from "@tocsin/adapters-memory/SloStoreMemory"
import { Layer } from "effect"
import { statusModelContract } from "../contract/status-model.ts"

const stores = Layer.mergeAll(SloStoreMemory.layer, CountStoreMemory.layer, DefinitionStoreMemory.layer).pipe(
  Layer.provide(MemoryDatabase.layer),
)

statusModelContract("in memory", stores, 100)
