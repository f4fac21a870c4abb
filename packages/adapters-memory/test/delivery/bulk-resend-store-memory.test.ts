import { MemoryStores } from "@tocsin/adapters-memory"
import { bulkResendStoreContract } from "@tocsin/testing/contracts"

bulkResendStoreContract("in memory", MemoryStores.layer)
