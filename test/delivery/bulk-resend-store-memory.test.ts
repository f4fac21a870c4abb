import * as MemoryStores from "@tocsin/adapters-memory/internal/MemoryStores"
import { bulkResendStoreContract } from "@tocsin/testing/internal/contract/bulk-resend-store"

bulkResendStoreContract("in memory", MemoryStores.layer)
