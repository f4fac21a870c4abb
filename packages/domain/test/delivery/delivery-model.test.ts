import { MemoryStores } from "@tocsin/adapters-memory"
import { deliveryModel } from "../../../../test/contract/delivery-model.ts"

deliveryModel("in memory", [MemoryStores.layer], { numRuns: 100 })
