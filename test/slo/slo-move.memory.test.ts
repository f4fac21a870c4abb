import { MemoryStores } from "@tocsin/adapters-memory"
import { sloMoveContract } from "@tocsin/testing/internal/contract/slo-move"

sloMoveContract("in memory", MemoryStores.layer)
