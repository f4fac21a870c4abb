import * as DefinitionStoreMemory from "@tocsin/adapters-memory/internal/definition/DefinitionStoreMemory"
import * as MemoryDatabase from "@tocsin/adapters-memory/internal/definition/MemoryDatabase"
import * as Layer from "effect/Layer"
import { definitionStoreContract } from "@tocsin/testing/contracts"

definitionStoreContract("in memory", Layer.provide(DefinitionStoreMemory.layer, MemoryDatabase.layer))
