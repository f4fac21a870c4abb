import * as DefinitionStoreMemory from "@tocsin/adapters-memory/internal/definition/DefinitionStoreMemory"
import * as MemoryDatabase from "@tocsin/adapters-memory/internal/definition/MemoryDatabase"
import * as Layer from "effect/Layer"
import { warningsContract } from "../contract/warnings.ts"

warningsContract("in memory", Layer.provide(DefinitionStoreMemory.layer, MemoryDatabase.layer))
