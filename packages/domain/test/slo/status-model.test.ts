import { MemoryStores } from "@tocsin/adapters-memory"
import { fleetModelContract } from "../../../../test/contract/fleet-model.ts"
import { statusModelContract } from "../../../../test/contract/status-model.ts"

statusModelContract("in memory", MemoryStores.layer, 100)
fleetModelContract("in memory", MemoryStores.layer, 60)
