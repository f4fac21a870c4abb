import * as DefinitionStoreMemory from "../../src/definition/DefinitionStoreMemory.ts"
import * as MemoryDatabase from "../../src/definition/MemoryDatabase.ts"
import * as Layer from "effect/Layer"
import { definitionStoreContract } from "@tocsin/testing/contracts"

definitionStoreContract("in memory", Layer.provide(DefinitionStoreMemory.layer, MemoryDatabase.layer))
