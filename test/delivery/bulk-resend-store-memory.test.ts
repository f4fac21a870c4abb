import * as MemoryStores from "@tocsin/adapters-memory/internal/MemoryStores"
import { bulkResendStoreContract } from "../contract/bulk-resend-store.ts"

bulkResendStoreContract("in memory", MemoryStores.layer)
