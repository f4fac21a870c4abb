import { MemoryStores } from "@tocsin/adapters-memory"
import { sloMoveContract } from "@tocsin/testing/contracts"

sloMoveContract("in memory", MemoryStores.layer)
