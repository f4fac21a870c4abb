import * as MemoryStores from "@tocsin/adapters-memory/internal/MemoryStores"
import { statusModelContract } from "../contract/status-model.ts"

statusModelContract("in memory", MemoryStores.layer, 100)
