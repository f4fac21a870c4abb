import * as MemoryStores from "@tocsin/adapters-memory/MemoryStores"
import { silenceNoticesContract } from "../contract/silence-notices.ts"

silenceNoticesContract("memory", MemoryStores.layer)
