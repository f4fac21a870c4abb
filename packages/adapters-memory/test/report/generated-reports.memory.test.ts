import { MemoryStores } from "@tocsin/adapters-memory"
import { generatedReportsContract } from "../../../../test/contract/generated-reports.ts"

generatedReportsContract("in memory", MemoryStores.layer)
