import { MemoryStores } from "@tocsin/adapters-memory"
import { bulkResendStoreContract } from "@tocsin/testing/internal/contract/bulk-resend-store"

bulkResendStoreContract("in memory", MemoryStores.layer)
