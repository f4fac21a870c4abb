import { MemoryStores } from "@tocsin/adapters-memory"
import { drawnReportsContract } from "../../../../test/contract/drawn-reports.ts"

drawnReportsContract("in memory", MemoryStores.layer)
