import * as MemoryStores from "@tocsin/adapters-memory/MemoryStores"
import { alertStoreContract } from "../contract/alert-store.ts"

alertStoreContract("in memory", MemoryStores.layer)
