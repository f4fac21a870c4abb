import * as CountStoreMemory from "@tocsin/adapters-memory/CountStoreMemory"
import * as DefinitionStoreMemory from "@tocsin/adapters-memory/DefinitionStoreMemory"
import * as MemoryDatabase from "@tocsin/adapters-memory/MemoryDatabase"
import * as SloStoreMemory from "@tocsin/adapters-memory/SloStoreMemory"
import { Layer } from "effect"
import { countStoreContract } from "../contract/count-store.ts"
import { sloDueContract } from "../contract/slo-due.ts"
import { sloStoreContract } from "../contract/slo-store.ts"

const layer = Layer.mergeAll(SloStoreMemory.layer, CountStoreMemory.layer, DefinitionStoreMemory.layer).pipe(
  Layer.provide(MemoryDatabase.layer),
)

sloStoreContract("in memory", layer)
sloDueContract("in memory", layer)
countStoreContract("in memory", layer)
