import { MemoryStores } from "@tocsin/adapters-memory"
import { statusModelContract } from "../../../../test/contract/status-model.ts"

statusModelContract("in memory", MemoryStores.layer, 100)
