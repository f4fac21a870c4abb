import * as MemoryStores from "@tocsin/adapters-memory/internal/MemoryStores"
import { sloMoveContract } from "@tocsin/testing/internal/contract/slo-move"

sloMoveContract("in memory", MemoryStores.layer)
